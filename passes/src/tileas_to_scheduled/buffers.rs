//! Buffer aliasing: the allocations of each view, and the buffers that an op accesses.

use tilewright_irs::core::{Body, OpId, Operation, SideTable, Value};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::{TileAsDialect, TileAsType};

/// The allocations of each buffer and of each pending value: one for a view, those of all operands for a pending
/// product; none for a buffer from control flow or from a pipe.
pub(super) struct Allocations {
    roots: SideTable<Value, Vec<OpId>>,
    /// Buffers passed through control flow, which may alias any allocation.
    carried: SideTable<Value, ()>,
}

impl Allocations {
    /// Propagates allocations through views.
    pub(super) fn of(body: &Body<Scheduled>) -> Self {
        let mut roots = body.value_table();
        let mut carried = body.value_table();
        let is_buffer =
            |value: Value| matches!(body.ty(value), TileAsType::Buffer(_) | TileAsType::Pending(_));
        let definitions = body.definitions();
        for (value, _) in body.values() {
            let definition = definitions.get(value).map(|&id| &body.op(id).kind);
            if is_buffer(value) && matches!(definition, None | Some(ScheduledOp::Scf(_))) {
                carried.set(value, ());
            }
        }
        for id in body.walk() {
            let op = body.op(id);
            let made_of: Vec<OpId> = match &op.kind {
                ScheduledOp::TileAs(TileAsDialect::Alloc { .. }) => vec![id],
                ScheduledOp::TileAs(own) => {
                    let operands = own.operand_list();
                    if operands.iter().any(|&value| carried.get(value).is_some()) {
                        let results = op.results().filter(|&result| is_buffer(result));
                        results.for_each(|result| carried.set(result, ()));
                    }
                    let operands = operands.into_iter();
                    operands
                        .filter_map(|value| roots.get(value))
                        .flat_map(|roots: &Vec<OpId>| roots.iter().copied())
                        .collect()
                }
                ScheduledOp::Arith(_)
                | ScheduledOp::Math(_)
                | ScheduledOp::Scf(_)
                | ScheduledOp::Tile(_)
                | ScheduledOp::Pipe(_)
                | ScheduledOp::Scheduled(_) => Vec::new(),
            };
            if made_of.is_empty() {
                continue;
            }
            for result in op.results() {
                if is_buffer(result) {
                    roots.set(result, made_of.clone());
                }
            }
        }
        Self { roots, carried }
    }

    /// The allocations of a buffer or a pending value.
    pub(super) fn roots(&self, value: Value) -> &[OpId] {
        self.roots.get(value).map_or(&[], Vec::as_slice)
    }

    /// Whether the buffer is passed through control flow, so that it may alias any.
    pub(super) fn is_carried(&self, value: Value) -> bool {
        self.carried.get(value).is_some()
    }
}

/// The kind of access to a buffer.
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
        // An asynchronous copy has written its buffer when the thread has waited for it.
        TileAsDialect::CopyWait { copy, .. } => vec![(*copy, Touch::Writes)],
        // A product reads its operands until the wait.
        TileAsDialect::DotWait { product, .. } => vec![(*product, Touch::Reads)],
        TileAsDialect::Dot { a, b, acc, .. } => {
            vec![(*a, Touch::Reads), (*b, Touch::Reads), (*acc, Touch::Writes)]
        }
        // Scalars among the values are no buffers, and have no bytes.
        TileAsDialect::Print { values, .. } => values.iter().map(|&value| (value, Touch::Reads)).collect(),
        TileAsDialect::PrintElements { buffer, .. } => vec![(*buffer, Touch::Reads)],
        TileAsDialect::TrapAt { places, .. } => vec![(*places, Touch::Reads)],
        _ => Vec::new(),
    }
}
