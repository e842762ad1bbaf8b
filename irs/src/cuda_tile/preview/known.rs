//! The values of expressions, as far as they are known before a call binds their parameters.

use super::expr::{BinaryOp, Expr};

/// The value of an expression, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Unknown: it depends on parameters, or is not a number.
    Open,
    /// This number.
    Number(i64),
    /// A constant that does not fit into 64 bits.
    TooLarge,
}

impl Known {
    /// The number, if it is known and fits.
    pub const fn number(self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Open | Self::TooLarge => None,
        }
    }

    /// The result of an op; `None` if it has overflowed.
    fn of(result: Option<i64>) -> Self {
        result.map_or(Self::TooLarge, Self::Number)
    }

    /// The product.
    pub fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::of(a.checked_mul(b)),
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            (Self::TooLarge, _) | (_, Self::TooLarge) => Self::TooLarge,
        }
    }
}

impl Expr {
    /// The value of an expression without parameters.
    pub fn constant(&self) -> Known {
        self.value(false)
    }

    /// The value that the expression has for all values of its parameters: `N - N` is 0.
    pub fn certain(&self) -> Known {
        self.value(true)
    }

    fn value(&self, cancel: bool) -> Known {
        match self {
            Self::Int(number) => Known::Number(*number),
            Self::Neg(inner) => match inner.value(cancel) {
                Known::Number(number) => Known::of(number.checked_neg()),
                other => other,
            },
            Self::Binary(op, parts) => {
                let (left, right) = (parts.0.value(cancel), parts.1.value(cancel));
                match (left, right) {
                    (Known::Number(a), Known::Number(b)) => apply(*op, a, b),
                    (Known::Number(0), _) | (_, Known::Number(0)) if cancel && *op == BinaryOp::Mul => {
                        Known::Number(0)
                    }
                    _ if cancel && *op == BinaryOp::Sub && parts.0.plain() == parts.1.plain() => {
                        Known::Number(0)
                    }
                    (Known::Open, _) | (_, Known::Open) => Known::Open,
                    (Known::TooLarge, _) | (_, Known::TooLarge) => Known::TooLarge,
                }
            }
            Self::Var(_) | Self::Builtin(_) | Self::Str(_) | Self::Type(_) | Self::Tuple(_) => Known::Open,
        }
    }

    /// The expression without additions and subtractions of 0.
    fn plain(&self) -> &Self {
        match self {
            Self::Binary(BinaryOp::Add | BinaryOp::Sub, parts) if parts.1 == Self::Int(0) => parts.0.plain(),
            other => other,
        }
    }
}

fn apply(op: BinaryOp, a: i64, b: i64) -> Known {
    let quotient = |up: bool| {
        let quotient = a.checked_div(b)?;
        let rest = a.checked_rem(b)?;
        // Division cuts off: one step back or on, unless it is exact or the cut went that way.
        let below = rest != 0 && (rest < 0) != (b < 0);
        match (rest != 0, below, up) {
            (true, true, false) => quotient.checked_sub(1),
            (true, false, true) => quotient.checked_add(1),
            _ => Some(quotient),
        }
    };
    match op {
        BinaryOp::Mul => Known::of(a.checked_mul(b)),
        BinaryOp::Add => Known::of(a.checked_add(b)),
        BinaryOp::Sub => Known::of(a.checked_sub(b)),
        BinaryOp::Div => Known::Open,
        BinaryOp::FloorDiv | BinaryOp::CeilDiv if b == 0 => Known::Open,
        BinaryOp::FloorDiv => Known::of(quotient(false)),
        BinaryOp::CeilDiv => Known::of(quotient(true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var() -> Expr {
        Expr::Var("N".to_owned())
    }

    #[test]
    fn quotients_round_as_they_say() {
        for (a, b, down, up) in [
            (7, 2, 3, 4),
            (-7, 2, -4, -3),
            (7, -2, -4, -3),
            (-7, -2, 3, 4),
            (6, 2, 3, 3),
        ] {
            let of = |op| Expr::binary(op, Expr::Int(a), Expr::Int(b)).constant();
            assert_eq!(of(BinaryOp::FloorDiv), Known::Number(down), "{a} / {b}");
            assert_eq!(of(BinaryOp::CeilDiv), Known::Number(up), "{a} / {b}");
        }
        let least = Expr::Int(i64::MIN);
        assert_eq!(
            Expr::binary(BinaryOp::FloorDiv, least.clone(), Expr::Int(-1)).constant(),
            Known::TooLarge
        );
        assert_eq!(Expr::Neg(Box::new(least)).constant(), Known::TooLarge);
    }

    #[test]
    fn parameters_may_cancel() {
        let gone = Expr::binary(BinaryOp::Sub, var(), var());
        assert_eq!((gone.constant(), gone.certain()), (Known::Open, Known::Number(0)));
        let kept = Expr::binary(BinaryOp::Sub, var(), Expr::Var("M".to_owned()));
        assert_eq!(kept.certain(), Known::Open);
        let zero = Expr::binary(BinaryOp::Mul, var(), Expr::Int(0));
        assert_eq!((zero.constant(), zero.certain()), (Known::Open, Known::Number(0)));
    }
}
