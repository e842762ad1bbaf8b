//! The loads that the threads that multiply copy to shared memory by `cp.async`: those through pointers, as of rows of an array that
//! are looked up in a table, and those that tensor copies cannot do, as of an array that is one of several.

use tilewright_irs::core::{Func, OpId, ValueType};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::route::{CopyRoute, ThreadRoute};
use tilewright_irs::element::ElementType;
use tilewright_irs::machine::threads;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::Buffer;
use tilewright_irs::tileas::atoms::{AsyncLoad, AsyncSource, Refusal};

use super::Loads;
use crate::program_slice::Places;
use crate::tileaa::choose_copies::is_zero;
use crate::tileaa::reason::Reason;
use crate::tileaa::select_atoms::widest_of;

/// Bytes of a copy: the widest ones, which bypass the L1 cache.
const BYTES: u32 = 16;

/// The loads that `warps` warps can copy so, and why they cannot copy others.
pub(super) fn candidates(func: &Func<TileAa>, places: &Places<'_, TileAa>, warps: u32) -> Loads {
    let candidate = |id: OpId| {
        let made = candidate(func, places, id)?;
        Some((id, made.and_then(|buffer| spread(buffer, warps))))
    };
    func.body.walk().into_iter().filter_map(candidate).collect()
}

/// Whether threads can copy the tile of a load, if they are not too many.
pub(super) fn is_copied(func: &Func<TileAa>, places: &Places<'_, TileAa>, id: OpId) -> bool {
    candidate(func, places, id).is_some_and(|made| made.is_ok())
}

/// The buffer of a tile in shared memory, in rows along which it is contiguous in memory. `None` for other ops, and for loads with
/// another route.
fn candidate(func: &Func<TileAa>, places: &Places<'_, TileAa>, id: OpId) -> Option<Result<Buffer, Reason>> {
    let op = func.body.op(id);
    let ty = func.body.ty(op.results().next()?);
    let scalar = ty.element().and_then(ElementType::scalar)?;
    let (shape, each) = (ty.shape()?, scalar.bytes()?);
    let widest = || widest_of(func, id)?.ok();
    let (ordering, source, along) = match &op.kind {
        TileAaOp::TileAa(TileAaDialect::GatherLoad {
            mask,
            other,
            ordering,
            route: None | Some(ThreadRoute::CpAsync { bytes: BYTES }),
            ..
        }) => {
            let widest = widest()?;
            let source = AsyncSource::Pointers {
                bytes: widest.vector * each,
                zeros: mask.is_none() || other.is_none_or(|other| is_zero(&func.body, places, other)),
            };
            (ordering, source, widest.along.map(usize::from))
        }
        TileAaOp::TileAa(TileAaDialect::Load {
            at,
            ordering,
            route: None | Some(CopyRoute::Threads(ThreadRoute::CpAsync { bytes: BYTES })),
            ..
        }) => {
            let array = func.body.ty(at.memref).memref()?;
            (ordering, AsyncSource::Tile { at, array, shape }, None)
        }
        _ => return None,
    };
    let array = match source {
        AsyncSource::Tile { array, .. } => Some(array),
        AsyncSource::Pointers { .. } => None,
    };
    let load = AsyncLoad {
        target: func.attrs.target,
        ordering,
        source,
    };
    let checked = load
        .check(BYTES)
        .map_err(|refused| Reason::not_async(array, BYTES, refused));
    let buffer = |()| {
        let (unit, bytes) = match source {
            AsyncSource::Tile { at, array, .. } => (at.unit_axis(array), each),
            AsyncSource::Pointers { bytes, .. } => (along.filter(|_| bytes >= BYTES), bytes),
        };
        let unit = unit.ok_or(Reason::ShortRun { bytes, least: BYTES })?;
        let memory = Boxes::memory_of_rows(unit, shape, each).map_err(Reason::refused)?;
        Ok(Buffer::shared(scalar, memory))
    };
    Some(checked.and_then(buffer))
}

/// Checks that each of the threads has something to copy.
fn spread(buffer: Buffer, warps: u32) -> Result<(CopyRoute, Buffer), Reason> {
    let (copies, threads) = (buffer.bytes() / u64::from(BYTES), threads(warps));
    if copies < u64::from(threads) {
        let message = format!("the tile has {copies} parts of {BYTES} bytes, for {threads} threads to copy");
        return Err(Reason::refused(Refusal::layout(message)));
    }
    let route = CopyRoute::Threads(ThreadRoute::CpAsync { bytes: BYTES });
    Ok((route, buffer))
}
