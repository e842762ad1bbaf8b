//! Divisors that are made ready: a multiplication and two shifts divide by them.
//!
//! For a divisor `d` of `n` bits with `l = ceil(log2 d)`, the multiplier is `floor(2^n (2^l - d) / d) + 1`, the shifts are
//! `min(l, 1)` and `max(l - 1, 0)`. (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994.)

use tilewright_diagnostics::Code;
use tilewright_irs::core::Value;

use super::frame::Frame;
use super::unsupported;
use super::value::{Field, Integer};
use crate::fault::{Fault, Outcome};

/// The fields of a divisor: the number, its multiplier and the two shifts.
///
/// # Errors
/// The number is not positive, or has another width than 32 or 64 bits.
pub(super) fn create(divisor: Integer) -> Outcome<Vec<Field>> {
    let width = divisor.width();
    if !matches!(width, 32 | 64) {
        return Err(unsupported(format_args!("divisors of {width} bits")));
    }
    let number = match u128::try_from(divisor.signed()) {
        Ok(number @ 1..) => number,
        _ => {
            let message = format!("{} is a divisor, which has to be positive", divisor.signed());
            return Err(Fault::new(Code::UndefinedResult, message));
        }
    };
    // The number has at most 63 bits.
    let log = 128 - (number - 1).leading_zeros();
    let above = ((1u128 << log) - number) << width;
    let multiplier = above / number + 1;
    let shift = |by: u32| Field::Integer(Integer::new(8, i128::from(by)));
    Ok(vec![
        Field::Integer(divisor),
        Field::Integer(Integer::new(width, multiplier.cast_signed())),
        shift(log.min(1)),
        shift(log.saturating_sub(1)),
    ])
}

/// The number, the multiplier and the shifts of a divisor.
pub(super) fn parts(frame: &Frame<'_>, value: Value) -> Outcome<[Integer; 4]> {
    let fields = frame.fields(value)?;
    let parts: Option<Vec<Integer>> = fields.iter().map(Field::integer).collect();
    let parts = parts.and_then(|parts| <[Integer; 4]>::try_from(parts).ok());
    parts.ok_or_else(|| unsupported(format_args!("`{}` as a divisor", frame.ty(value))))
}

/// The quotient and the remainder of a number without a sign.
pub(super) fn divide(frame: &Frame<'_>, dividend: Value, divisor: Value) -> Outcome<(Integer, Integer)> {
    let [divisor, ..] = parts(frame, divisor)?;
    let dividend = frame.integer(dividend)?;
    let (a, b) = (dividend.unsigned(), divisor.unsigned());
    match a.checked_div(b).zip(a.checked_rem(b)) {
        Some((quotient, remainder)) => {
            let of = |number: u128| Integer::new(dividend.width(), number.cast_signed());
            Ok((of(quotient), of(remainder)))
        }
        None => Err(Fault::new(Code::UndefinedResult, format!("{a} divided by 0"))),
    }
}
