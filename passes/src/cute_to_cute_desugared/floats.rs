//! Floats: constants, products and signs, of one number or of each of several.

use tilewright_irs::core::{Flag, Value, ValueType as _};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding};
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

use super::state::Cx;

/// A float, for each element of a type.
pub(super) fn float(cx: &mut Cx<'_>, ty: &DesugaredType, number: f64) -> Option<Value> {
    let scalar = ty.element()?.scalar().filter(|scalar| scalar.is_float())?;
    let (own, bits) = match scalar {
        ScalarType::F64 => (scalar, number.to_bits()),
        _ => (ScalarType::F32, u64::from((number as f32).to_bits())),
    };
    let value = Dense::Splat(Literal::new(own, bits));
    let source = cx.value(ArithOp::Constant { value }, ty.with_element(own.into()));
    let rounding = FloatRounding::NearestEven;
    Some(match own == scalar {
        true => source,
        false => cx.value(ArithOp::FToF { source, rounding }, ty.clone()),
    })
}

/// The product of two floats.
pub(super) fn product(cx: &mut Cx<'_>, lhs: Value, rhs: Value, ty: DesugaredType) -> Value {
    let op = ArithOp::MulF {
        lhs,
        rhs,
        rounding: FloatRounding::NearestEven,
        flush_to_zero: Flag(false),
        fast_math: FastMathOf::NONE,
    };
    cx.value(op, ty)
}

/// The magnitude of a float with the sign of another.
pub(super) fn copy_sign(cx: &mut Cx<'_>, magnitude: Value, sign: Value, ty: &DesugaredType) -> Option<Value> {
    let scalar = ty.element()?.scalar()?;
    let integer = match scalar.bits() {
        16 => ScalarType::I16,
        32 => ScalarType::I32,
        64 => ScalarType::I64,
        _ => return None,
    };
    let bits = ty.with_element(integer.into());
    let highest = 1u64 << (scalar.bits() - 1);
    let mut part = |source: Value, mask: u64| {
        let lhs = cx.value(ArithOp::Bitcast { source }, bits.clone());
        let value = Dense::Splat(Literal::new(integer, mask));
        let rhs = cx.value(ArithOp::Constant { value }, bits.clone());
        cx.value(ArithOp::AndI { lhs, rhs }, bits.clone())
    };
    let (lhs, rhs) = (part(magnitude, highest - 1), part(sign, highest));
    let source = cx.value(ArithOp::OrI { lhs, rhs }, bits);
    Some(cx.value(ArithOp::Bitcast { source }, ty.clone()))
}
