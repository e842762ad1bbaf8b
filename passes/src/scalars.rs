//! Arithmetic of scalars that passes write.

use tilewright_irs::core::{Language, Translation, Value};
use tilewright_irs::dialects::arith::{ArithOp, Predicate, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

/// A constant integer.
pub(crate) fn integer<L: Language<Op: From<ArithOp>, Type: From<ScalarType>>>(
    cx: &mut Translation<'_, L, L>,
    scalar: ScalarType,
    number: i64,
) -> Value {
    let value = Dense::Splat(Literal::new(scalar, number.cast_unsigned()));
    cx.value(ArithOp::Constant { value }, scalar.into())
}

/// A comparison of signed integers, as a scalar i1.
pub(crate) fn compared<L: Language<Op: From<ArithOp>, Type: From<ScalarType>>>(
    cx: &mut Translation<'_, L, L>,
    lhs: Value,
    predicate: Predicate,
    rhs: Value,
) -> Value {
    let signedness = Signedness::Signed;
    let op = ArithOp::CmpI {
        lhs,
        rhs,
        predicate,
        signedness,
    };
    cx.value(op, ScalarType::I1.into())
}
