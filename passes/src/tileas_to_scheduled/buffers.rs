//! Which allocation each view of a buffer belongs to, and which op touches which buffer.

use tilewright_irs::core::{Body, OpId, Operation, SideTable, Value};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::{TileAsDialect, TileAsType};

/// The allocation that each buffer, and what is pending on one, is a view of. None for a buffer that comes from control
/// flow or from a pipe.
pub(super) struct Allocations(SideTable<Value, OpId>);

impl Allocations {
    /// Follows views from their allocations.
    pub(super) fn of(body: &Body<Scheduled>) -> Self {
        let mut roots = body.value_table();
        for id in body.walk() {
            let op = body.op(id);
            let root = match &op.kind {
                ScheduledOp::TileAs(TileAsDialect::Alloc { .. }) => Some(id),
                ScheduledOp::TileAs(own) => {
                    let operands = own.operand_list();
                    operands.into_iter().find_map(|value| roots.get(value).copied())
                }
                ScheduledOp::Arith(_)
                | ScheduledOp::Scf(_)
                | ScheduledOp::Tile(_)
                | ScheduledOp::Scheduled(_) => None,
            };
            let Some(root) = root else { continue };
            for result in op.results() {
                if matches!(body.ty(result), TileAsType::Buffer(_) | TileAsType::Pending(_)) {
                    roots.set(result, root);
                }
            }
        }
        Self(roots)
    }

    /// The allocation of a buffer.
    pub(super) fn root(&self, value: Value) -> Option<OpId> {
        self.0.get(value).copied()
    }
}

/// What an op does to a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    Reads,
    Writes,
}

/// The buffers that an op reads and writes.
pub(super) fn touched(op: &TileAsDialect) -> Vec<(Value, Touch)> {
    match op {
        TileAsDialect::Copy { source, to, .. } => {
            let mut list = vec![(*source, Touch::Reads)];
            list.extend(to.map(|to| (to, Touch::Writes)));
            list
        }
        TileAsDialect::CopyIn { to, .. } => vec![(*to, Touch::Writes)],
        TileAsDialect::CopyOut { source, .. } => vec![(*source, Touch::Reads)],
        // What a thread has copied asynchronously is written when it has waited.
        TileAsDialect::CopyWait { copy, .. } => vec![(*copy, Touch::Writes)],
        TileAsDialect::Dot { a, b, acc, .. } => {
            vec![(*a, Touch::Reads), (*b, Touch::Reads), (*acc, Touch::Writes)]
        }
        _ => Vec::new(),
    }
}
