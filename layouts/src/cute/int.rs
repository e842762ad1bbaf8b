//! Static and dynamic integers.

use std::sync::Arc;

use super::error::{Arithmetic, CuteError};
use super::expr::{Atom, Evaluate, Expr};
use super::symbol::{Symbol, Width};

/// A non-negative integer: static, or an expression in dynamic integers.
///
/// Expressions are canonical: a sum of products, with quotients exact where a known divisor allows
/// and rounded up otherwise. `==` therefore holds for expressions that are equal by the ring axioms,
/// by cancellation, and by `ceil(ceil(a/b)/c) = ceil(a/(b*c))`. An expression without dynamic
/// integers is always [`Int::Static`].
///
/// ```
/// use tilewright_layouts::cute::{Int, Symbol};
///
/// let (m, n) = (Int::from(Symbol::named("M")), Int::from(Symbol::named("N")));
/// let four = Int::Static(4);
/// assert_eq!(m.times(&n)?.times(&four)?, four.times(&n.times(&m)?)?);
/// assert_eq!(m.times(&four)?.ceil_div(&Int::Static(2))?, m.times(&Int::Static(2))?);
/// assert_eq!(m.ceil_div(&four)?.to_string(), "?{ceil_div(M,4)}");
/// # Ok::<(), tilewright_layouts::cute::CuteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Int {
    /// A static integer.
    Static(u64),
    /// A dynamic integer, or an expression with at least one.
    Dynamic(Dynamic),
}

/// An expression with at least one dynamic integer, constructed by arithmetic on [`Int`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dynamic(pub(super) Arc<Expr>);

impl Dynamic {
    /// The dynamic integer, if the expression consists of it alone.
    pub fn as_symbol(&self) -> Option<&Symbol> {
        match self.0.terms.as_slice() {
            [(atoms, ratio)] if ratio.numerator == 1 && ratio.denominator == 1 => match atoms.as_slice() {
                [Atom::Symbol(symbol)] => Some(symbol),
                _ => None,
            },
            _ => None,
        }
    }

    /// The integer type of the value: the widest among those of its dynamic integers.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Int, Layout, Width};
    /// let layout: Layout = "(?,4):(?{i64},1)".parse()?;
    /// let Int::Dynamic(index) = layout.index(&"(2,3)".parse()?)? else {
    ///     return Err("static".into());
    /// };
    /// assert_eq!(index.width(), Width::I64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn width(&self) -> Width {
        let mut width = Width::I32;
        self.0
            .each_symbol(&mut |symbol| width = width.max(symbol.width()));
        width
    }
}

impl From<u64> for Int {
    fn from(value: u64) -> Self {
        Self::Static(value)
    }
}

impl From<Symbol> for Int {
    fn from(symbol: Symbol) -> Self {
        Self::Dynamic(Dynamic(Arc::new(Expr::atom(Atom::Symbol(symbol)))))
    }
}

impl Int {
    /// The integer 0.
    pub const ZERO: Int = Int::Static(0);
    /// The integer 1.
    pub const ONE: Int = Int::Static(1);

    /// The value, if it is static.
    pub fn as_static(&self) -> Option<u64> {
        match self {
            Self::Static(value) => Some(*value),
            Self::Dynamic(_) => None,
        }
    }

    /// Whether the value is static.
    pub fn is_static(&self) -> bool {
        self.as_static().is_some()
    }

    /// A number as errors show it, which may be negative.
    pub(super) fn signed(value: i128) -> Int {
        match u64::try_from(value) {
            Ok(value) => Int::Static(value),
            Err(_) => Int::Dynamic(Dynamic(Arc::new(Expr::constant(value)))),
        }
    }

    pub(super) fn expr(&self) -> Expr {
        match self {
            Self::Static(value) => Expr::constant(i128::from(*value)),
            Self::Dynamic(dynamic) => Expr::clone(&dynamic.0),
        }
    }

    /// Converts an expression; `None` if its value is constant and out of range.
    pub(super) fn of_expr(expr: Expr) -> Option<Int> {
        match expr.as_constant() {
            Some(value) => u64::try_from(value).ok().map(Int::Static),
            // A fraction: a dynamic integer has a value that its divisor does not divide.
            None if expr.terms.iter().all(|(atoms, _)| atoms.is_empty()) => None,
            None => Some(Int::Dynamic(Dynamic(Arc::new(expr)))),
        }
    }

    fn refuse(&self, op: Arithmetic, other: &Int) -> CuteError {
        CuteError::Overflow {
            op,
            left: self.clone(),
            right: other.clone(),
        }
    }

    /// `self + other`.
    ///
    /// # Errors
    /// The sum overflows a 64-bit integer.
    pub fn plus(&self, other: &Int) -> Result<Int, CuteError> {
        let sum = match (self, other) {
            (Self::Static(a), Self::Static(b)) => a.checked_add(*b).map(Int::Static),
            (Self::Static(0), _) => Some(other.clone()),
            (_, Self::Static(0)) => Some(self.clone()),
            _ => self.expr().plus(&other.expr()).and_then(Int::of_expr),
        };
        sum.ok_or_else(|| self.refuse(Arithmetic::Sum, other))
    }

    /// `self - other`. The caller ensures that a dynamic result is not negative.
    ///
    /// # Errors
    /// The difference is negative.
    pub fn minus(&self, other: &Int) -> Result<Int, CuteError> {
        let difference = match (self, other) {
            (Self::Static(a), Self::Static(b)) => a.checked_sub(*b).map(Int::Static),
            (_, Self::Static(0)) => Some(self.clone()),
            _ => self.expr().plus(&other.expr().negated()).and_then(Int::of_expr),
        };
        difference.ok_or_else(|| self.refuse(Arithmetic::Difference, other))
    }

    /// `self * other`.
    ///
    /// # Errors
    /// The product overflows a 64-bit integer.
    pub fn times(&self, other: &Int) -> Result<Int, CuteError> {
        let product = match (self, other) {
            (Self::Static(a), Self::Static(b)) => a.checked_mul(*b).map(Int::Static),
            (Self::Static(0), _) | (_, Self::Static(0)) => Some(Int::ZERO),
            (Self::Static(1), _) => Some(other.clone()),
            (_, Self::Static(1)) => Some(self.clone()),
            _ => self.expr().times(&other.expr()).and_then(Int::of_expr),
        };
        product.ok_or_else(|| self.refuse(Arithmetic::Product, other))
    }

    /// `self / other` rounded up.
    ///
    /// # Errors
    /// `other` is 0, or an intermediate value overflows a 64-bit integer.
    pub fn ceil_div(&self, other: &Int) -> Result<Int, CuteError> {
        let quotient = match (self, other) {
            (_, Self::Static(0)) => None,
            (Self::Static(a), Self::Static(b)) => Some(Int::Static(a.div_ceil(*b))),
            (_, Self::Static(1)) => Some(self.clone()),
            _ if self.provably_le(other) == Some(true) && self.provably_positive() => Some(Int::ONE),
            _ => self.expr().ceil_div(&other.expr()).and_then(Int::of_expr),
        };
        quotient.ok_or_else(|| self.refuse(Arithmetic::Quotient, other))
    }

    /// `self / other` where `other` divides `self` for all values of the dynamic integers; `None`
    /// where it does not, or where that cannot be proved.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Int, Symbol};
    /// let (m, four) = (Int::from(Symbol::named("M")), Int::Static(4));
    /// assert_eq!(m.times(&four)?.exact_quotient(&four), Some(m.clone()));
    /// assert_eq!(m.exact_quotient(&four), None);
    /// # Ok::<(), tilewright_layouts::cute::CuteError>(())
    /// ```
    pub fn exact_quotient(&self, other: &Int) -> Option<Int> {
        match (self, other) {
            (_, Self::Static(0)) => None,
            (Self::Static(a), Self::Static(b)) => a.is_multiple_of(*b).then(|| Int::Static(a / b)),
            _ => self.expr().exact_quotient(&other.expr()).and_then(Int::of_expr),
        }
    }

    /// Whether `self <= other`, if the answer is the same for all values of the dynamic integers and
    /// can be proved.
    pub fn provably_le(&self, other: &Int) -> Option<bool> {
        if let (Self::Static(a), Self::Static(b)) = (self, other) {
            return Some(a <= b);
        }
        let (a, b) = (self.expr(), other.expr());
        if b.plus(&a.negated())?.minimum().is_some_and(|least| least >= 0) {
            return Some(true);
        }
        let beyond = a.plus(&b.negated())?.minimum()?;
        (beyond > 0).then_some(false)
    }

    fn provably_positive(&self) -> bool {
        Int::ONE.provably_le(self) == Some(true)
    }

    /// A divisor of the value for all values of the dynamic integers: the value itself if it is
    /// static.
    pub fn known_divisor(&self) -> u64 {
        match self {
            Self::Static(value) => *value,
            Self::Dynamic(dynamic) => u64::try_from(dynamic.0.divisor()).unwrap_or(1),
        }
    }

    /// Converts the value to another form.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Evaluate, Int, Symbol};
    /// struct Text;
    /// impl Evaluate for Text {
    ///     type Value = String;
    ///     fn symbol(&mut self, symbol: &Symbol) -> String {
    ///         format!("{:?}", symbol.name())
    ///     }
    ///     fn constant(&mut self, value: i128) -> String {
    ///         value.to_string()
    ///     }
    ///     fn sum(&mut self, lhs: String, rhs: String) -> String {
    ///         format!("({lhs} + {rhs})")
    ///     }
    ///     fn product(&mut self, lhs: String, rhs: String) -> String {
    ///         format!("{lhs} * {rhs}")
    ///     }
    ///     fn quotient(&mut self, above: String, below: String, _: bool) -> String {
    ///         format!("{above} / {below}")
    ///     }
    /// }
    /// let tiles = Int::from(Symbol::numbered(0)).ceil_div(&Int::Static(128))?.times(&Int::Static(4))?;
    /// assert_eq!(tiles.evaluate(&mut Text), "Number(0) / 128 * 4");
    /// # Ok::<(), tilewright_layouts::cute::CuteError>(())
    /// ```
    pub fn evaluate<E: Evaluate>(&self, form: &mut E) -> E::Value {
        match self {
            Self::Static(value) => form.constant(i128::from(*value)),
            Self::Dynamic(dynamic) => dynamic.0.evaluate(form),
        }
    }

    /// Replaces the dynamic integers for which `value` returns a value.
    ///
    /// # Errors
    /// [`CuteError::Value`] for an invalid value of a dynamic integer; or the result is negative or
    /// overflows a 64-bit integer, or a divisor becomes 0.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Int, Symbol};
    /// let tiles = Int::from(Symbol::named("M")).ceil_div(&Int::Static(128))?;
    /// assert_eq!(tiles.substitute(&|_| Some(1000))?, Int::Static(8));
    /// assert!(tiles.substitute(&|_| Some(0)).is_err());
    /// # Ok::<(), tilewright_layouts::cute::CuteError>(())
    /// ```
    pub fn substitute(&self, value: &impl Fn(&Symbol) -> Option<u64>) -> Result<Int, CuteError> {
        match self {
            Self::Static(_) => Ok(self.clone()),
            Self::Dynamic(dynamic) => {
                let mut wrong = None;
                dynamic.0.each_symbol(&mut |symbol| {
                    let given = value(symbol).filter(|given| !symbol.admits(*given));
                    wrong = wrong.take().or(given.map(|given| (symbol, given)));
                });
                if let Some((symbol, value)) = wrong {
                    let symbol = symbol.clone();
                    return Err(CuteError::Value { symbol, value });
                }
                let result = dynamic.0.substitute(value).and_then(Int::of_expr);
                result.ok_or_else(|| self.refuse(Arithmetic::Substitution, self))
            }
        }
    }
}
