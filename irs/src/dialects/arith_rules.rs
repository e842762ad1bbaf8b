//! Rules of arithmetic beyond the types of its operands.

use tilewright_diagnostics::{Code, counted};

use super::arith::{ArithOp, FloatRounding};
use crate::core::{Body, Language, OpData, Problems, ValueType, alternatives};
use crate::element::{ElementType, ScalarType};
use crate::literal::Dense;

/// Checks the elements of a constant, whose type has so many of them if that is known, and the rounding of a conversion.
pub fn verify<L: Language>(
    body: &Body<L>,
    op: &OpData<L>,
    arith: &ArithOp,
    elements: Option<u64>,
    problems: &mut Problems,
) {
    let scalar = |value| body.ty(value).element().and_then(ElementType::scalar);
    match arith {
        ArithOp::Constant { value } => verify_constant(body, op, value, elements, problems),
        ArithOp::FToF { source, rounding } | ArithOp::IToF { source, rounding, .. } => {
            let (Some(from), Some(to)) = (scalar(*source), scalar(op.result(0))) else {
                return;
            };
            let all = roundings(from, to);
            if !all.contains(rounding) {
                let words: Vec<_> = all.iter().map(|rounding| rounding.word()).collect();
                let message = format!(
                    "attribute `rounding` is {rounding}, but {from} to {to} takes {}",
                    alternatives(&words)
                );
                problems.error_at(op.origin, op.part("rounding"), Code::AttributeValue, message);
            }
        }
        _ => {}
    }
}

/// How a conversion to a float type may round. No GPU rounds to the types that only memory knows, and what computes their codes
/// rounds as a program of `cuda_tile` can ask for.
fn roundings(from: ScalarType, to: ScalarType) -> &'static [FloatRounding] {
    use FloatRounding::{Down, NearestAway, NearestEven, Up, Zero};
    match to {
        ScalarType::F8E4M3FN | ScalarType::F8E5M2 | ScalarType::F8E5M3FNU | ScalarType::F4E2M1FN => {
            &[NearestEven]
        }
        ScalarType::F8E8M0FNU => &[NearestEven, Zero, Up],
        ScalarType::TF32 if from == ScalarType::F64 => &[NearestEven, Zero],
        ScalarType::TF32 if !to.is_as_wide_as(from) => &[NearestEven, Zero, NearestAway],
        _ if matches!(from, ScalarType::TF32 | ScalarType::F8E8M0FNU) && !to.is_as_wide_as(from) => {
            &[NearestEven, Zero, Down, Up]
        }
        _ => FloatRounding::ALL,
    }
}

/// Checks a constant's elements against its type.
fn verify_constant<L: Language>(
    body: &Body<L>,
    op: &OpData<L>,
    value: &Dense,
    elements: Option<u64>,
    problems: &mut Problems,
) {
    let (ty, part) = (body.ty(op.result(0)), op.part("value"));
    if ty.element().and_then(ElementType::scalar) != Some(value.ty()) {
        problems.error_at(
            op.origin,
            part,
            Code::TypeMismatch,
            format!("the constant holds `{}`, its type does not", value.ty()),
        );
    }
    if let (Dense::Elements(_, bits), Some(count)) = (value, elements)
        && bits.len() as u64 != count
    {
        let message = format!(
            "the constant holds {}, its type {count}",
            counted(bits.len(), "element")
        );
        problems.error_at(op.origin, part, Code::TypeMismatch, message);
    }
}
