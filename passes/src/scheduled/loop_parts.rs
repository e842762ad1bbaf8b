//! Parts of the loops and branches that replace a counted loop.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, OpId, Origin, Region, Translation, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::scf::ScfOp;
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

/// A region of a branch, which yields the values that `write` gives. The origin afterwards is the one before.
pub(super) fn arm(
    cx: &mut Cx<'_>,
    write: impl FnOnce(&mut Cx<'_>) -> Result<Vec<Value>, Diagnostic<Origin>>,
) -> Result<Region, Diagnostic<Origin>> {
    let origin = cx.origin();
    let (region, block) = region(cx);
    cx.within(block, |cx| -> Result<(), Diagnostic<Origin>> {
        let values = write(cx)?;
        cx.build().effect(ScfOp::Yield { values });
        Ok(())
    })?;
    cx.set_origin(origin);
    Ok(region)
}

/// Writes a branch in the place of an op, whose results it gives.
pub(super) fn branch(cx: &mut Cx<'_>, id: OpId, condition: Value, then: Region, otherwise: Region) {
    let old = cx.old(id);
    let types: Vec<TileAsType> = old.results().map(|result| cx.from.ty(result).clone()).collect();
    let branch = ScfOp::If {
        condition,
        then,
        otherwise,
    };
    let branch = cx.build().op(branch, types);
    let results: Vec<Value> = cx.new_body().op(branch).results().collect();
    cx.bind_results(id, results);
}
