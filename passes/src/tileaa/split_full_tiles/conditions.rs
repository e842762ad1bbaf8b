//! The conditions under which accesses are versioned, as scalars of type i1.

use tilewright_irs::core::{Translation, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, QuotientRounding, Signedness};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileaa::TileAa;

use crate::scalars::{compared, integer};
use crate::tileaa::tiled::{Extent, TiledAxis};

type Cx<'a> = Translation<'a, TileAa, TileAa>;

/// Whether all conditions hold; `None` without conditions.
pub(super) fn all_of(cx: &mut Cx<'_>, parts: Vec<Value>) -> Option<Value> {
    parts
        .into_iter()
        .reduce(|lhs, rhs| cx.value(ArithOp::AndI { lhs, rhs }, ScalarType::I1.into()))
}

/// The conditions under which a tile is in bounds along an axis.
pub(super) fn inside(cx: &mut Cx<'_>, axis: &TiledAxis) -> Vec<Value> {
    let ty = width(cx, axis);
    let index = widened(cx, axis.index, ty);
    let room = match axis.extent {
        Extent::Known(extent) => {
            let room = (extent - i64::from(axis.tile)).div_euclid(i64::from(axis.step.max(1)));
            integer(cx, ty, room)
        }
        Extent::Value(value) => {
            let extent = widened(cx, value, ty);
            let tile = integer(cx, ty, i64::from(axis.tile));
            let lhs = cx.value(
                ArithOp::SubI {
                    lhs: extent,
                    rhs: tile,
                    overflow: Overflow::Wraps,
                },
                ty.into(),
            );
            divided(cx, lhs, axis.step, ty)
        }
    };
    let mut parts = vec![compared(cx, index, Predicate::LessEqual, room)];
    if cx.from.ty(axis.index).facts.min.is_none_or(|min| min < 0) {
        let zero = integer(cx, ty, 0);
        parts.push(compared(cx, index, Predicate::GreaterEqual, zero));
    }
    parts
}

/// 32 bits if all operands fit and no difference overflows, else 64.
fn width(cx: &Cx<'_>, axis: &TiledAxis) -> ScalarType {
    let narrow = |value: Value| {
        let element = cx.from.ty(value).element().and_then(ElementType::scalar);
        element.is_some_and(|ty| ty.bits() <= 32)
    };
    let extent = match axis.extent {
        Extent::Known(extent) => i32::try_from(extent).is_ok(),
        Extent::Value(value) => narrow(value) && cx.from.ty(value).facts.min.is_some_and(|min| min >= 0),
    };
    // The largest tile has 2^24 elements, so 0 minus a tile does not overflow.
    if extent && narrow(axis.index) {
        ScalarType::I32
    } else {
        ScalarType::I64
    }
}

/// An integer of the old function, sign-extended to `ty`.
fn widened(cx: &mut Cx<'_>, old: Value, ty: ScalarType) -> Value {
    let source = cx.one(old);
    let from = cx.from.ty(old).element().and_then(ElementType::scalar);
    if from.is_some_and(|from| from.bits() < ty.bits()) {
        let signedness = Signedness::Signed;
        cx.value(ArithOp::ExtI { source, signedness }, ty.into())
    } else {
        source
    }
}

/// `lhs / step`, rounded down.
fn divided(cx: &mut Cx<'_>, lhs: Value, step: u32, ty: ScalarType) -> Value {
    if step <= 1 {
        return lhs;
    }
    let signedness = Signedness::Signed;
    if step.is_power_of_two() {
        let rhs = integer(cx, ty, i64::from(step.ilog2()));
        cx.value(ArithOp::ShrI { lhs, rhs, signedness }, ty.into())
    } else {
        let rhs = integer(cx, ty, i64::from(step));
        let rounding = QuotientRounding::Down;
        cx.value(
            ArithOp::DivI {
                lhs,
                rhs,
                signedness,
                rounding,
            },
            ty.into(),
        )
    }
}

/// Whether an integer of the old function is a multiple of this power of two.
pub(super) fn is_multiple(cx: &mut Cx<'_>, old: Value, of: u32) -> Value {
    let narrow = cx.from.ty(old).element().and_then(ElementType::scalar);
    let ty = narrow.unwrap_or(ScalarType::I64);
    let (lhs, rhs) = (cx.one(old), integer(cx, ty, i64::from(of) - 1));
    let rest = cx.value(ArithOp::AndI { lhs, rhs }, ty.into());
    let zero = integer(cx, ty, 0);
    compared(cx, rest, Predicate::Equal, zero)
}
