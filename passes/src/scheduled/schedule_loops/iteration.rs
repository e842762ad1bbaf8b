//! The ops of a loop's iteration, and which of them may change their places.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, OpId, Operation, Resource, Value};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::TileAsDialect;

/// The op that defines each value of an iteration.
pub(super) fn definitions(body: &Body<Scheduled>, ops: &[OpId]) -> FxHashMap<Value, OpId> {
    let results = |id: OpId| body.op(id).results().map(move |result| (result, id));
    ops.iter().flat_map(|&id| results(id)).collect()
}

/// Whether an op may be executed in any order that respects data dependences: with all ops inside it, it writes no memory, reads
/// none that is shared, and leaves no iteration; or it is a product, or copies to a buffer of its own.
pub(super) fn may_move(body: &Body<Scheduled>, id: OpId) -> bool {
    let free = |id: OpId| match &body.op(id).kind {
        ScheduledOp::Scf(ScfOp::Continue { .. } | ScfOp::Break { .. } | ScfOp::Return {}) => false,
        kind => {
            let effects = kind.effects();
            effects.writes.is_empty() && !effects.reads.contains(Resource::Shared)
        }
    };
    match &body.op(id).kind {
        ScheduledOp::TileAs(
            TileAsDialect::Dot { .. }
            | TileAsDialect::DotWait { .. }
            | TileAsDialect::Alloc { .. }
            | TileAsDialect::CopyIn { .. }
            | TileAsDialect::CopyWait { .. },
        ) => true,
        kind => {
            let inside = kind.region_list().into_iter();
            let mut inside = inside.flat_map(|region| body.walk_region(region));
            free(id) && inside.all(free)
        }
    }
}
