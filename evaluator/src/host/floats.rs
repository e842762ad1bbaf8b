//! Arithmetic on floats, each result rounded once to the nearest number. What flags of fast math allow is not made use of.

use std::cmp::Ordering;

use tilewright_diagnostics::Code;
use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::mlir::dialects::ArithOp;
use tilewright_irs::mlir::enums::FloatPredicate;

use super::frame::Frame;
use super::value::{Field, Integer};
use crate::fault::{Fault, Outcome};
use crate::number::{Format, Undefined, convert, float};

const NEAREST: RoundingMode = RoundingMode::NearestEven;

/// Whether a predicate is true of two floats in this order; they have none if one is a NaN.
fn holds(predicate: FloatPredicate, order: Option<Ordering>) -> bool {
    use FloatPredicate as P;
    match (predicate, order) {
        (P::False, _) => false,
        (P::True, _) => true,
        (P::Ord, order) => order.is_some(),
        (P::Uno, order) => order.is_none(),
        (P::Ueq | P::Ugt | P::Uge | P::Ult | P::Ule | P::Une, None) => true,
        (P::Oeq | P::Ogt | P::Oge | P::Olt | P::Ole | P::One, None) => false,
        (P::Oeq | P::Ueq, Some(order)) => order.is_eq(),
        (P::Ogt | P::Ugt, Some(order)) => order.is_gt(),
        (P::Oge | P::Uge, Some(order)) => order.is_ge(),
        (P::Olt | P::Ult, Some(order)) => order.is_lt(),
        (P::Ole | P::Ule, Some(order)) => order.is_le(),
        (P::One | P::Une, Some(order)) => order.is_ne(),
    }
}

/// The integer type of a width that floats are converted from and to.
fn integer_type(width: u32) -> Outcome<ScalarType> {
    match width {
        1 => Ok(ScalarType::I1),
        8 => Ok(ScalarType::I8),
        16 => Ok(ScalarType::I16),
        32 => Ok(ScalarType::I32),
        64 => Ok(ScalarType::I64),
        _ => Err(super::unsupported(format_args!(
            "conversions between floats and integers of {width} bits"
        ))),
    }
}

fn low(integer: Integer) -> u64 {
    // Such an integer has at most 64 bits.
    u64::try_from(integer.unsigned()).unwrap_or(u64::MAX)
}

fn undefined(why: &Undefined) -> Box<Fault> {
    Fault::new(Code::UndefinedResult, why.to_string())
}

/// The result of an op on floats, of these type and width; `None` for an op on others.
pub(super) fn evaluate(
    frame: &Frame<'_>,
    op: &ArithOp,
    result: Option<Format>,
    width: Option<u32>,
) -> Outcome<Option<Field>> {
    type Binary = fn(Format, u64, u64) -> u64;
    let binary = |lhs: &Value, rhs: &Value, of: Binary| {
        let (format, a, b) = frame.floats(*lhs, *rhs)?;
        Ok(Some(Field::Float(format, of(format, a, b))))
    };
    let missing = || super::unsupported("the type of this result");
    match op {
        ArithOp::AddF { lhs, rhs, .. } => binary(lhs, rhs, |f, a, b| float::add(f, NEAREST, false, a, b)),
        ArithOp::SubF { lhs, rhs, .. } => binary(lhs, rhs, |f, a, b| float::sub(f, NEAREST, false, a, b)),
        ArithOp::MulF { lhs, rhs, .. } => binary(lhs, rhs, |f, a, b| float::mul(f, NEAREST, false, a, b)),
        ArithOp::DivF { lhs, rhs, .. } => binary(lhs, rhs, |f, a, b| float::div(f, NEAREST, false, a, b)),
        ArithOp::RemF { lhs, rhs, .. } => binary(lhs, rhs, float::rem),
        ArithOp::MaximumF { lhs, rhs, .. } => binary(lhs, rhs, |f, a, b| float::max(f, true, false, a, b)),
        ArithOp::MinimumF { lhs, rhs, .. } => binary(lhs, rhs, |f, a, b| float::min(f, true, false, a, b)),
        ArithOp::MaxNumF { lhs, rhs, .. } => binary(lhs, rhs, |f, a, b| float::max(f, false, false, a, b)),
        ArithOp::MinNumF { lhs, rhs, .. } => binary(lhs, rhs, |f, a, b| float::min(f, false, false, a, b)),
        ArithOp::NegF { operand, .. } => {
            let (format, a) = frame.float(*operand)?;
            Ok(Some(Field::Float(format, float::neg(format, a))))
        }
        ArithOp::CmpF {
            lhs, rhs, predicate, ..
        } => {
            let (format, a, b) = frame.floats(*lhs, *rhs)?;
            let truth = holds(*predicate, float::order(format, a, b));
            Ok(Some(Field::Integer(Integer::truth(truth))))
        }
        ArithOp::ExtF { source, .. } | ArithOp::TruncF { source, .. } => {
            let (from, a) = frame.float(*source)?;
            let to = result.ok_or_else(missing)?;
            let bits = convert::float_to_float(from, to, NEAREST, convert::overflow_of(to), a);
            Ok(Some(Field::Float(to, bits)))
        }
        ArithOp::SiToFp { source } | ArithOp::UiToFp { source } => {
            let sign = match op {
                ArithOp::SiToFp { .. } => Signedness::Signed,
                _ => Signedness::Unsigned,
            };
            let source = frame.integer(*source)?;
            let (from, to) = (integer_type(source.width())?, result.ok_or_else(missing)?);
            let bits = convert::int_to_float(from, sign, to, NEAREST, low(source));
            Ok(Some(Field::Float(to, bits)))
        }
        ArithOp::FpToSi { source } | ArithOp::FpToUi { source } => {
            let sign = match op {
                ArithOp::FpToSi { .. } => Signedness::Signed,
                _ => Signedness::Unsigned,
            };
            let (from, a) = frame.float(*source)?;
            let width = width.ok_or_else(missing)?;
            let to = integer_type(width)?;
            let bits = convert::float_to_int(from, to, sign, false, a).map_err(|why| undefined(&why))?;
            Ok(Some(Field::Integer(Integer::new(width, i128::from(bits)))))
        }
        _ => Ok(None),
    }
}
