//! The loops by which persistent kernels share tiles out among blocks.

use tilewright_irs::core::{Body, Func, OpId, Operation, Value};
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};

use crate::hints::{Cause, HintUse, Wish};
use crate::program_slice::Places;

/// What is asked of the schedule of a loop.
pub(crate) fn planned(op: &TileAaOp) -> LoopPlan {
    match op {
        TileAaOp::Scf(op) => op.plan(),
        _ => LoopPlan::default(),
    }
}

/// Whether an op is a loop that shares tiles out among blocks, and is to be treated as one. A kernel with such a loop has as many
/// blocks as are resident at once.
pub(crate) fn is_persistent(body: &Body<TileAa>, places: &Places<'_, TileAa>, id: OpId) -> bool {
    planned(&body.op(id).kind).persistent != Some(false) && begins_at_block(body, places, id)
}

/// What is made of `persistent = true` where tiles are not shared out.
pub(crate) fn persistent_hints(func: &Func<TileAa>) -> Vec<HintUse> {
    let body = &func.body;
    let asks = |id: &OpId| planned(&body.op(*id).kind).persistent == Some(true);
    let asking: Vec<OpId> = body.walk().into_iter().filter(asks).collect();
    let places = (!asking.is_empty()).then(|| Places::of(body));
    let made = |id: OpId| {
        let is_met = places
            .as_ref()
            .is_some_and(|places| begins_at_block(body, places, id));
        HintUse {
            origin: body.op(id).origin,
            hint: Wish::Persistent,
            asked: Some(1),
            used: u32::from(is_met),
            why: "the counter of the loop does not begin at the index of a block".to_owned(),
            cause: Cause::Forbidden,
        }
    };
    asking.into_iter().map(made).collect()
}

/// Whether an op is a loop whose counter begins at the index of a block.
fn begins_at_block(body: &Body<TileAa>, places: &Places<'_, TileAa>, id: OpId) -> bool {
    let TileAaOp::Scf(ScfOp::For { lower, .. }) = body.op(id).kind else {
        return false;
    };
    let mut open: Vec<Value> = vec![lower];
    while let Some(value) = open.pop() {
        let Some(definition) = places.definition(value) else {
            continue;
        };
        match &body.op(definition).kind {
            TileAaOp::TileAa(TileAaDialect::ProgramId { .. }) => return true,
            op if op.is_pure() && op.region_list().is_empty() => open.extend(op.operand_list()),
            _ => {}
        }
    }
    false
}
