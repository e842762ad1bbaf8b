//! Rings of the buffers from which copies by tensor maps store tiles: the threads fill a stage while the copy of another reads
//! it.

use std::borrow::Cow;

use tilewright_irs::core::{Block, Func, OpId};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::{Buffer, Depth, TileAsDialect};

use crate::program_slice::Places;
use crate::scheduled::copy_groups::sent_buffers;

/// Stages of a ring: one is filled while the copy of the other reads it.
const STAGES: u32 = 2;

/// Gives the buffers of a function from which tiles are stored a depth. Those of one type in a block share a ring.
pub(super) fn schedule(func: &Func<Scheduled>) -> Cow<'_, Func<Scheduled>> {
    let sent = sent_buffers(&func.body);
    let allocs: Vec<OpId> = func
        .body
        .walk()
        .into_iter()
        .filter(|&id| {
            let op = func.body.op(id);
            matches!(op.kind, ScheduledOp::TileAs(TileAsDialect::Alloc { .. }))
                && sent.contains(&op.result(0))
        })
        .collect();
    if allocs.is_empty() {
        return Cow::Borrowed(func);
    }
    let places = Places::of(&func.body);
    let ring = |id: OpId| (places.block(id), func.body.ty(func.body.op(id).result(0)));
    let mut scheduled = func.clone();
    for &id in &allocs {
        let buffers = allocs
            .iter()
            .map(|&other| u32::from(ring(other) == ring(id)))
            .sum();
        if let ScheduledOp::TileAs(TileAsDialect::Alloc { depth, .. }) = &mut scheduled.body.op_mut(id).kind {
            *depth = Some(Depth::Own(STAGES.min(buffers)));
        }
    }
    Cow::Owned(scheduled)
}

/// Bytes of the rings of the buffers that are allocated by these ops.
pub(super) fn bytes(func: &Func<Scheduled>, places: &Places<'_, Scheduled>, ops: &[OpId]) -> u64 {
    let sent = sent_buffers(&func.body);
    let mut rings: Vec<(Option<Block>, &Buffer, u32)> = Vec::new();
    for &id in ops {
        let op = func.body.op(id);
        let ScheduledOp::TileAs(TileAsDialect::Alloc {
            depth: Some(depth), ..
        }) = &op.kind
        else {
            continue;
        };
        let buffer = op.result(0);
        if let Some(ty) = func.body.ty(buffer).buffer().filter(|_| sent.contains(&buffer)) {
            let ring = (places.block(id), ty, depth.stages());
            if !rings.contains(&ring) {
                rings.push(ring);
            }
        }
    }
    let bytes = rings
        .iter()
        .map(|(_, ty, stages)| u64::from(*stages) * ty.bytes());
    bytes.sum()
}
