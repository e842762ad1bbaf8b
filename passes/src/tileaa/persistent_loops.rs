//! The loops by which persistent kernels share tiles out among blocks.

use tilewright_irs::core::{Body, OpId, Operation, Value};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};

use crate::program_slice::Places;

/// Whether an op is a loop that shares tiles out among blocks: its counter begins at the index of a block. A kernel with such a loop
/// has as many blocks as are resident at once.
pub(crate) fn is_persistent(body: &Body<TileAa>, places: &Places<'_, TileAa>, id: OpId) -> bool {
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
