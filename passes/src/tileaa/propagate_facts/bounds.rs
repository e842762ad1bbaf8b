//! Interval arithmetic on signed integers. `None` is an unbounded interval.

use tilewright_irs::dialects::arith::{Overflow, Predicate, QuotientRounding, Signedness};

use super::lattice::{Kind, Known};

type Bounds = Option<(i64, i64)>;

/// Converts an interval of exact results to one of wrapped results: it is kept if nothing can wrap, or if the program
/// promises that nothing does.
fn fitted(low: i128, high: i128, kind: &Kind, promised: bool) -> Bounds {
    let (least, greatest) = kind.range();
    let (least, greatest) = (i128::from(least), i128::from(greatest));
    let fits = low >= least && high <= greatest;
    if !fits && !promised {
        return None;
    }
    let (low, high) = (low.max(least), high.min(greatest));
    match (i64::try_from(low), i64::try_from(high)) {
        (Ok(low), Ok(high)) if low <= high => Some((low, high)),
        _ => None,
    }
}

fn no_signed(overflow: Overflow) -> bool {
    match overflow {
        Overflow::NoSigned | Overflow::None => true,
        Overflow::Wraps | Overflow::NoUnsigned => false,
    }
}

fn wide(known: &Known) -> (i128, i128) {
    (i128::from(known.low), i128::from(known.high))
}

/// The range of a function that is monotone in each argument, from its values at the corners.
fn corners(a: (i128, i128), b: (i128, i128), of: impl Fn(i128, i128) -> i128) -> (i128, i128) {
    let values = [of(a.0, b.0), of(a.0, b.1), of(a.1, b.0), of(a.1, b.1)];
    let low = values.iter().copied().fold(i128::MAX, i128::min);
    let high = values.iter().copied().fold(i128::MIN, i128::max);
    (low, high)
}

pub(super) fn add(a: &Known, b: &Known, overflow: Overflow, kind: &Kind) -> Bounds {
    let ((al, ah), (bl, bh)) = (wide(a), wide(b));
    fitted(al + bl, ah + bh, kind, no_signed(overflow))
}

pub(super) fn sub(a: &Known, b: &Known, overflow: Overflow, kind: &Kind) -> Bounds {
    let ((al, ah), (bl, bh)) = (wide(a), wide(b));
    fitted(al - bh, ah - bl, kind, no_signed(overflow))
}

pub(super) fn mul(a: &Known, b: &Known, overflow: Overflow, kind: &Kind) -> Bounds {
    let (low, high) = corners(wide(a), wide(b), |a, b| a * b);
    fitted(low, high, kind, no_signed(overflow))
}

pub(super) fn mul_high(a: &Known, b: &Known, kind: &Kind) -> Bounds {
    if a.low < 0 || b.low < 0 {
        return None;
    }
    let high = (i128::from(a.high) * i128::from(b.high)) >> kind.element.bits();
    fitted(0, high, kind, false)
}

pub(super) fn div(
    a: &Known,
    b: &Known,
    signedness: Signedness,
    rounding: QuotientRounding,
    kind: &Kind,
) -> Bounds {
    // A zero divisor is undefined, so a nonnegative divisor is at least 1.
    if b.low < 0 || b.high < 1 || (signedness == Signedness::Unsigned && a.low < 0) {
        return None;
    }
    let divisor = (i128::from(b.low.max(1)), i128::from(b.high));
    let (low, high) = corners(wide(a), divisor, |a, b| match rounding {
        QuotientRounding::Zero => a / b,
        QuotientRounding::Down => a.div_euclid(b),
        QuotientRounding::Up => -((-a).div_euclid(b)),
    });
    fitted(low, high, kind, false)
}

pub(super) fn rem(a: &Known, b: &Known, signedness: Signedness, kind: &Kind) -> Bounds {
    if b.low < 0 || b.high < 1 {
        return None;
    }
    let most = b.high - 1;
    if a.low >= 0 {
        return Some((0, a.high.min(most)));
    }
    match signedness {
        Signedness::Unsigned => Some((0, most)),
        Signedness::Signed => fitted(
            i128::from(a.low.max(-most)),
            i128::from(a.high.clamp(0, most)),
            kind,
            false,
        ),
    }
}

pub(super) fn extreme(a: &Known, b: &Known, larger: bool, signedness: Signedness) -> Bounds {
    // Unsigned order equals signed order for numbers of the same sign.
    let one_sign = (a.low >= 0 && b.low >= 0) || (a.high < 0 && b.high < 0);
    if signedness == Signedness::Unsigned && !one_sign {
        return Some((a.low.min(b.low), a.high.max(b.high)));
    }
    Some(if larger {
        (a.low.max(b.low), a.high.max(b.high))
    } else {
        (a.low.min(b.low), a.high.min(b.high))
    })
}

pub(super) fn negate(a: &Known, overflow: Overflow, kind: &Kind) -> Bounds {
    let (low, high) = wide(a);
    fitted(-high, -low, kind, no_signed(overflow))
}

pub(super) fn magnitude(a: &Known, kind: &Kind) -> Bounds {
    let (low, high) = wide(a);
    let least = if low <= 0 && high >= 0 {
        0
    } else {
        low.abs().min(high.abs())
    };
    fitted(least, low.abs().max(high.abs()), kind, false)
}

pub(super) fn and(a: &Known, b: &Known) -> Bounds {
    match (a.low >= 0, b.low >= 0) {
        (true, true) => Some((0, a.high.min(b.high))),
        (true, false) => Some((0, a.high)),
        (false, true) => Some((0, b.high)),
        (false, false) => None,
    }
}

pub(super) fn or(a: &Known, b: &Known, kind: &Kind) -> Bounds {
    if a.low < 0 || b.low < 0 {
        return None;
    }
    let most = a.high.max(b.high).cast_unsigned();
    let bits = u64::BITS - most.leading_zeros();
    fitted(0, (1i128 << bits) - 1, kind, false)
}

pub(super) fn shl(a: &Known, amount: Option<u32>, overflow: Overflow, kind: &Kind) -> Bounds {
    let amount = amount?;
    if amount >= kind.element.bits() {
        return Some((0, 0));
    }
    let (low, high) = wide(a);
    fitted(low << amount, high << amount, kind, no_signed(overflow))
}

pub(super) fn shr(a: &Known, amount: Option<u32>, signedness: Signedness, kind: &Kind) -> Bounds {
    let bits = kind.element.bits();
    let Some(amount) = amount else {
        // For any amount, a nonnegative number moves toward 0.
        return (a.low >= 0).then_some((0, a.high));
    };
    if signedness == Signedness::Signed || a.low >= 0 {
        let amount = amount.min(63);
        return Some((a.low >> amount, a.high >> amount));
    }
    match amount {
        0 => Some((a.low, a.high)),
        _ if amount >= bits => Some((0, 0)),
        _ => {
            let all_ones = kind.int()?.mask();
            i64::try_from(all_ones >> amount).ok().map(|high| (0, high))
        }
    }
}

/// The bounds of a comparison's result: 0 to 1, or one of them if the operands' bounds decide.
pub(super) fn compare(
    a: &Known,
    b: &Known,
    predicate: Predicate,
    signedness: Signedness,
    numbers: bool,
) -> (i64, i64) {
    let ordered = signedness == Signedness::Signed || (a.low >= 0 && b.low >= 0);
    let (below, above) = (a.high < b.low, a.low > b.high);
    let (not_above, not_below) = (a.high <= b.low, a.low >= b.high);
    let equal = matches!((a.constant(), b.constant()), (Some(a), Some(b)) if a == b);
    let decided = |yes: bool, no: bool| match (yes, no) {
        (true, _) => (1, 1),
        (false, true) => (0, 0),
        (false, false) => (0, 1),
    };
    if !numbers {
        return (0, 1);
    }
    match predicate {
        Predicate::Equal => decided(equal, below || above),
        Predicate::NotEqual => decided(below || above, equal),
        Predicate::Less if ordered => decided(below, not_below),
        Predicate::LessEqual if ordered => decided(not_above, above),
        Predicate::Greater if ordered => decided(above, not_above),
        Predicate::GreaterEqual if ordered => decided(not_below, below),
        Predicate::Less | Predicate::LessEqual | Predicate::Greater | Predicate::GreaterEqual => (0, 1),
    }
}
