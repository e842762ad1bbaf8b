//! Integers of 1 to 64 bits.
//!
//! A one-bit integer read as signed has the values 0 and -1. Every function computes in 128 bits, without overflow,
//! and truncates the result.

use super::undefined::Undefined;
use Signedness::{Signed, Unsigned};
use std::cmp::Ordering;
use tilewright_irs::cuda_tile::{ComparisonPredicate, IntegerOverflow, RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;

/// A result truncated to the width of its type, and whether it overflowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrapped {
    /// The low bits.
    pub bits: u64,
    /// Whether the signed result is out of range.
    pub signed_overflow: bool,
    /// Whether the unsigned result is out of range.
    pub unsigned_overflow: bool,
}

impl Wrapped {
    /// Whether a promise about overflow is true.
    pub const fn keeps(self, promise: IntegerOverflow) -> bool {
        match promise {
            IntegerOverflow::None => true,
            IntegerOverflow::NoSignedWrap => !self.signed_overflow,
            IntegerOverflow::NoUnsignedWrap => !self.unsigned_overflow,
            IntegerOverflow::NoWrap => !self.signed_overflow && !self.unsigned_overflow,
        }
    }
}

/// The value of the low bits of `bits`.
pub const fn value(ty: ScalarType, signedness: Signedness, bits: u64) -> i128 {
    match signedness {
        Unsigned => (bits & ty.mask()) as i128,
        Signed => {
            let unused = 64 - ty.bits();
            ((bits << unused).cast_signed() >> unused) as i128
        }
    }
}

/// The low bits of an integer, in two's complement.
pub const fn bits(ty: ScalarType, value: i128) -> u64 {
    (value.cast_unsigned() & ty.mask() as u128) as u64
}

/// The minimum and the maximum of a type.
pub const fn range(ty: ScalarType, signedness: Signedness) -> (i128, i128) {
    match signedness {
        Unsigned => (0, (1 << ty.bits()) - 1),
        Signed => (-(1 << (ty.bits() - 1)), (1 << (ty.bits() - 1)) - 1),
    }
}

fn holds(ty: ScalarType, signedness: Signedness, value: i128) -> bool {
    let (low, high) = range(ty, signedness);
    (low..=high).contains(&value)
}

/// The result of an operation on integers, computed on the signed values and on the unsigned ones.
fn wrapped(ty: ScalarType, operation: impl Fn(Signedness) -> i128) -> Wrapped {
    let (signed, unsigned) = (operation(Signed), operation(Unsigned));
    Wrapped {
        bits: bits(ty, unsigned),
        signed_overflow: !holds(ty, Signed, signed),
        unsigned_overflow: !holds(ty, Unsigned, unsigned),
    }
}

/// `a + b`.
pub fn add(ty: ScalarType, a: u64, b: u64) -> Wrapped {
    wrapped(ty, |s| value(ty, s, a) + value(ty, s, b))
}

/// `a - b`.
pub fn sub(ty: ScalarType, a: u64, b: u64) -> Wrapped {
    wrapped(ty, |s| value(ty, s, a) - value(ty, s, b))
}

/// `a * b`, the low half. The product of two unsigned 64-bit integers may wrap in 128 bits to a negative number: the
/// low bits are correct, and a negative product counts as an overflow.
pub fn mul(ty: ScalarType, a: u64, b: u64) -> Wrapped {
    wrapped(ty, |s| value(ty, s, a).wrapping_mul(value(ty, s, b)))
}

/// The high half of the unsigned product, which is twice as wide.
pub fn mul_high(ty: ScalarType, a: u64, b: u64) -> u64 {
    let product = u128::from(a & ty.mask()) * u128::from(b & ty.mask());
    bits(ty, (product >> ty.bits()).cast_signed())
}

/// `-a`. There is no unsigned overflow: the language reads the operand as signed for any promise.
pub fn neg(ty: ScalarType, a: u64) -> Wrapped {
    let negated = -value(ty, Signed, a);
    Wrapped {
        bits: bits(ty, negated),
        signed_overflow: !holds(ty, Signed, negated),
        unsigned_overflow: false,
    }
}

/// The magnitude of `a` read as signed; that of the minimum is to be read as unsigned.
pub fn abs(ty: ScalarType, a: u64) -> u64 {
    bits(ty, value(ty, Signed, a).abs())
}

/// `a / b`, rounded to an integer: `negative_inf` is the floor, `positive_inf` the ceiling, `zero` truncates. The
/// language has no other rounding here; the others truncate too.
///
/// # Errors
/// Undefined if `b` is zero, or if the quotient is out of range (`MIN / -1`).
pub fn div(
    ty: ScalarType,
    signedness: Signedness,
    rounding: RoundingMode,
    a: u64,
    b: u64,
) -> Result<u64, Undefined> {
    let (a, b) = (value(ty, signedness, a), value(ty, signedness, b));
    if b == 0 {
        return Err(Undefined::DivisionByZero);
    }
    let cut = a / b;
    let is_whole = cut * b == a;
    let is_negative = (a < 0) != (b < 0);
    let quotient = match rounding {
        RoundingMode::NegativeInf if !is_whole && is_negative => cut - 1,
        RoundingMode::PositiveInf if !is_whole && !is_negative => cut + 1,
        RoundingMode::NegativeInf
        | RoundingMode::PositiveInf
        | RoundingMode::Zero
        | RoundingMode::NearestEven
        | RoundingMode::NearestAway
        | RoundingMode::NearestIntToZero
        | RoundingMode::Approx
        | RoundingMode::Full => cut,
    };
    if holds(ty, signedness, quotient) {
        Ok(bits(ty, quotient))
    } else {
        Err(Undefined::QuotientTooLarge { width: ty.bits() })
    }
}

/// The remainder of truncating division; it has the sign of `a`. The remainder of `MIN / -1` is 0.
///
/// # Errors
/// Undefined if `b` is zero.
pub fn rem(ty: ScalarType, signedness: Signedness, a: u64, b: u64) -> Result<u64, Undefined> {
    let (a, b) = (value(ty, signedness, a), value(ty, signedness, b));
    if b == 0 {
        return Err(Undefined::DivisionByZero);
    }
    Ok(bits(ty, a % b))
}

/// The maximum.
pub fn max(ty: ScalarType, signedness: Signedness, a: u64, b: u64) -> u64 {
    bits(ty, value(ty, signedness, a).max(value(ty, signedness, b)))
}

/// The minimum.
pub fn min(ty: ScalarType, signedness: Signedness, a: u64, b: u64) -> u64 {
    bits(ty, value(ty, signedness, a).min(value(ty, signedness, b)))
}

/// Whether the predicate is true of `a` and `b`.
pub fn compare(
    ty: ScalarType,
    signedness: Signedness,
    predicate: ComparisonPredicate,
    a: u64,
    b: u64,
) -> bool {
    holds_of(predicate, value(ty, signedness, a).cmp(&value(ty, signedness, b)))
}

/// Whether a predicate is true of two numbers in this order.
pub(super) const fn holds_of(predicate: ComparisonPredicate, ordering: Ordering) -> bool {
    match predicate {
        ComparisonPredicate::Equal => ordering.is_eq(),
        ComparisonPredicate::NotEqual => ordering.is_ne(),
        ComparisonPredicate::LessThan => ordering.is_lt(),
        ComparisonPredicate::LessThanOrEqual => ordering.is_le(),
        ComparisonPredicate::GreaterThan => ordering.is_gt(),
        ComparisonPredicate::GreaterThanOrEqual => ordering.is_ge(),
    }
}

/// The shift distance: `amount` read as unsigned.
fn distance(ty: ScalarType, amount: u64) -> Result<u32, Undefined> {
    let amount = amount & ty.mask();
    match u32::try_from(amount) {
        Ok(distance) if distance < ty.bits() => Ok(distance),
        _ => Err(Undefined::ShiftTooFar {
            amount,
            width: ty.bits(),
        }),
    }
}

/// `a << amount`. It overflows where `a * 2^amount` does.
///
/// # Errors
/// Undefined if the amount, read as unsigned, is the width or more.
pub fn shl(ty: ScalarType, a: u64, amount: u64) -> Result<Wrapped, Undefined> {
    let distance = distance(ty, amount)?;
    // At most 64 + 63 bits.
    Ok(wrapped(ty, |s| value(ty, s, a) << distance))
}

/// `a >> amount`, filled with the sign bit or with zeros.
///
/// # Errors
/// Undefined if the amount, read as unsigned, is the width or more.
pub fn shr(ty: ScalarType, signedness: Signedness, a: u64, amount: u64) -> Result<u64, Undefined> {
    let distance = distance(ty, amount)?;
    Ok(bits(ty, value(ty, signedness, a) >> distance))
}

/// Bitwise and.
pub const fn and(ty: ScalarType, a: u64, b: u64) -> u64 {
    a & b & ty.mask()
}

/// Bitwise or.
pub const fn or(ty: ScalarType, a: u64, b: u64) -> u64 {
    (a | b) & ty.mask()
}

/// Bitwise exclusive or.
pub const fn xor(ty: ScalarType, a: u64, b: u64) -> u64 {
    (a ^ b) & ty.mask()
}

/// Sign or zero extension.
pub const fn extend(from: ScalarType, to: ScalarType, signedness: Signedness, a: u64) -> u64 {
    bits(to, value(from, signedness, a))
}

/// Truncation. Signed overflow: a dropped bit differs from the sign of the result; unsigned: one is not zero.
pub fn truncate(from: ScalarType, to: ScalarType, a: u64) -> Wrapped {
    wrapped(to, |s| value(from, s, a))
}
