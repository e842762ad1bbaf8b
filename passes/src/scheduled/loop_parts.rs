//! Parts of the loops that replace a counted loop.

use tilewright_irs::core::{Block, Region, Translation, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileas::TileAsType;

pub(super) type Cx<'a> = Translation<'a, Scheduled, Scheduled>;

/// A new region with one block.
pub(super) fn region(cx: &mut Cx<'_>) -> (Region, Block) {
    let region = cx.body_mut().add_region();
    (region, cx.body_mut().add_block(region))
}

/// Whether a counter is before the bound of its loop.
pub(super) fn less(cx: &mut Cx<'_>, lhs: Value, rhs: Value, unsigned: bool) -> Value {
    let op = ArithOp::CmpI {
        lhs,
        rhs,
        predicate: Predicate::Less,
        signedness: match unsigned {
            true => Signedness::Unsigned,
            false => Signedness::Signed,
        },
    };
    cx.value(op, TileAsType::Scalar(ElementType::Scalar(ScalarType::I1)))
}

/// The counter of the next iteration; the step is a value of the new body.
pub(super) fn next(cx: &mut Cx<'_>, counter: Value, step: Value) -> Value {
    let op = ArithOp::AddI {
        lhs: counter,
        rhs: step,
        overflow: Overflow::Wraps,
    };
    let ty = cx.ty(counter).clone();
    cx.value(op, ty)
}
