//! Arithmetic on integers of any width.

use tilewright_diagnostics::Code;
use tilewright_irs::mlir::dialects::ArithOp;
use tilewright_irs::mlir::enums::{IntPredicate, Overflow};

use super::frame::Frame;
use super::value::Integer;
use crate::fault::{Fault, Outcome};
use tilewright_irs::core::Value;

fn undefined(message: impl Into<String>) -> Box<Fault> {
    Fault::new(Code::UndefinedResult, message)
}

/// The low bits of a result, if they are what the program promises of it. `signed` and `unsigned` are the result of the
/// operands with and without their signs; `None` where that does not fit 128 bits.
fn kept(
    width: u32,
    signed: Option<i128>,
    unsigned: Option<u128>,
    wrapped: i128,
    flags: Overflow,
) -> Outcome<Integer> {
    let result = Integer::new(width, wrapped);
    let broken = |kind: &str| {
        let message = format!("the {kind} result does not fit {width} bits, which the op promises");
        Err(Fault::new(Code::BrokenPromise, message))
    };
    if flags.has("nsw") && signed != Some(result.signed()) {
        return broken("signed");
    }
    if flags.has("nuw") && unsigned != Some(result.unsigned()) {
        return broken("unsigned");
    }
    Ok(result)
}

/// The signed quotient and remainder, rounded to zero.
fn divided(a: Integer, b: Integer) -> Outcome<(i128, i128)> {
    let (a, b, width) = (a.signed(), b.signed(), a.width());
    if b == 0 {
        return Err(undefined(format!("{a} divided by 0")));
    }
    let quotient = a.checked_div(b);
    let fits = |quotient: &i128| Integer::new(width, *quotient).signed() == *quotient;
    match quotient.filter(fits).zip(a.checked_rem(b)) {
        Some(both) => Ok(both),
        None => Err(undefined(format!(
            "{a}, the least integer of {width} bits, divided by -1"
        ))),
    }
}

fn divided_unsigned(a: Integer, b: Integer) -> Outcome<(u128, u128)> {
    let (a, b) = (a.unsigned(), b.unsigned());
    match a.checked_div(b).zip(a.checked_rem(b)) {
        Some(both) => Ok(both),
        None => Err(undefined(format!("{a} divided by 0"))),
    }
}

/// How far a shift goes.
fn distance(a: Integer, by: Integer) -> Outcome<u32> {
    let by = by.unsigned();
    let distance = u32::try_from(by).ok().filter(|by| *by < a.width());
    distance.ok_or_else(|| undefined(format!("an integer of {} bits shifted by {by}", a.width())))
}

/// The low and the high half of the unsigned product.
pub(super) fn halves(a: Integer, b: Integer) -> Outcome<[Integer; 2]> {
    let width = a.width();
    let product = a.unsigned().checked_mul(b.unsigned());
    let too_wide = || undefined(format!("a product of integers of {width} bits"));
    let product = product.filter(|_| width <= 64).ok_or_else(too_wide)?;
    Ok([product, product >> width].map(|half| Integer::new(width, half.cast_signed())))
}

/// Without the sign. The least integer stays as it is.
pub(super) fn absolute(a: Integer) -> Integer {
    Integer::new(a.width(), a.signed().wrapping_abs())
}

/// Whether a predicate is true of two integers.
pub(super) fn compare(predicate: IntPredicate, a: Integer, b: Integer) -> bool {
    let (s, u) = ((a.signed(), b.signed()), (a.unsigned(), b.unsigned()));
    match predicate {
        IntPredicate::Eq => u.0 == u.1,
        IntPredicate::Ne => u.0 != u.1,
        IntPredicate::Slt => s.0 < s.1,
        IntPredicate::Sle => s.0 <= s.1,
        IntPredicate::Sgt => s.0 > s.1,
        IntPredicate::Sge => s.0 >= s.1,
        IntPredicate::Ult => u.0 < u.1,
        IntPredicate::Ule => u.0 <= u.1,
        IntPredicate::Ugt => u.0 > u.1,
        IntPredicate::Uge => u.0 >= u.1,
    }
}

/// The result of an op on integers; `None` for an op on others.
pub(super) fn evaluate(frame: &Frame<'_>, op: &ArithOp) -> Outcome<Option<Integer>> {
    let two = |lhs: &Value, rhs: &Value| frame.integers(*lhs, *rhs);
    let unsigned = |of: u128| of.cast_signed();
    Ok(Some(match op {
        ArithOp::CmpI { lhs, rhs, predicate } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::truth(compare(*predicate, a, b))
        }
        ArithOp::AddI { lhs, rhs, overflow } => {
            let (a, b) = two(lhs, rhs)?;
            let (x, y) = (a.signed(), b.signed());
            let sum = a.unsigned().checked_add(b.unsigned());
            kept(a.width(), x.checked_add(y), sum, x.wrapping_add(y), *overflow)?
        }
        ArithOp::SubI { lhs, rhs, overflow } => {
            let (a, b) = two(lhs, rhs)?;
            let (x, y) = (a.signed(), b.signed());
            let difference = a.unsigned().checked_sub(b.unsigned());
            kept(
                a.width(),
                x.checked_sub(y),
                difference,
                x.wrapping_sub(y),
                *overflow,
            )?
        }
        ArithOp::MulI { lhs, rhs, overflow } => {
            let (a, b) = two(lhs, rhs)?;
            let (x, y) = (a.signed(), b.signed());
            let product = a.unsigned().checked_mul(b.unsigned());
            kept(a.width(), x.checked_mul(y), product, x.wrapping_mul(y), *overflow)?
        }
        ArithOp::ShlI { lhs, rhs, overflow } => {
            let (a, b) = two(lhs, rhs)?;
            let by = distance(a, b)?;
            // Only what fits comes back when it is shifted back.
            let signed = Some(a.signed() << by).filter(|shifted| shifted >> by == a.signed());
            let plain = Some(a.unsigned() << by).filter(|shifted| shifted >> by == a.unsigned());
            kept(a.width(), signed, plain, a.signed() << by, *overflow)?
        }
        ArithOp::ShrSI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), a.signed() >> distance(a, b)?)
        }
        ArithOp::ShrUI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), unsigned(a.unsigned() >> distance(a, b)?))
        }
        ArithOp::AndI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), a.signed() & b.signed())
        }
        ArithOp::OrI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), a.signed() | b.signed())
        }
        ArithOp::XorI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), a.signed() ^ b.signed())
        }
        ArithOp::DivSI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), divided(a, b)?.0)
        }
        ArithOp::RemSI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            // The remainder is defined where the quotient is too large.
            let remainder = match b.signed() {
                -1 => 0,
                _ => divided(a, b)?.1,
            };
            Integer::new(a.width(), remainder)
        }
        ArithOp::FloorDivSI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            let (quotient, remainder) = divided(a, b)?;
            let down = remainder != 0 && (remainder < 0) != (b.signed() < 0);
            Integer::new(a.width(), quotient - i128::from(down))
        }
        ArithOp::CeilDivSI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            let (quotient, remainder) = divided(a, b)?;
            let up = remainder != 0 && (remainder < 0) == (b.signed() < 0);
            Integer::new(a.width(), quotient + i128::from(up))
        }
        ArithOp::DivUI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), unsigned(divided_unsigned(a, b)?.0))
        }
        ArithOp::RemUI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), unsigned(divided_unsigned(a, b)?.1))
        }
        ArithOp::CeilDivUI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            let (quotient, remainder) = divided_unsigned(a, b)?;
            // The quotient is below the largest number if there is a remainder.
            Integer::new(
                a.width(),
                unsigned(quotient).wrapping_add(i128::from(remainder != 0)),
            )
        }
        ArithOp::MaxSI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), a.signed().max(b.signed()))
        }
        ArithOp::MinSI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), a.signed().min(b.signed()))
        }
        ArithOp::MaxUI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), unsigned(a.unsigned().max(b.unsigned())))
        }
        ArithOp::MinUI { lhs, rhs } => {
            let (a, b) = two(lhs, rhs)?;
            Integer::new(a.width(), unsigned(a.unsigned().min(b.unsigned())))
        }
        _ => return Ok(None),
    }))
}

/// An integer of another width; `None` for an op that is no such cast.
pub(super) fn cast(frame: &Frame<'_>, op: &ArithOp, width: u32) -> Outcome<Option<Integer>> {
    Ok(Some(match op {
        ArithOp::ExtUI { source } => Integer::new(width, frame.integer(*source)?.unsigned().cast_signed()),
        ArithOp::ExtSI { source } | ArithOp::IndexCast { source } => {
            Integer::new(width, frame.integer(*source)?.signed())
        }
        ArithOp::TruncI { source, overflow } => {
            let source = frame.integer(*source)?;
            let (signed, unsigned) = (Some(source.signed()), Some(source.unsigned()));
            kept(width, signed, unsigned, source.signed(), *overflow)?
        }
        _ => return Ok(None),
    }))
}
