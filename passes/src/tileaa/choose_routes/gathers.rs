//! The loads through pointers that the threads that multiply copy to shared memory by `cp.async`, as rows of an array that are
//! looked up in a table.

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

/// Whether threads can copy the tile of a load through pointers, if they are not too many.
pub(super) fn is_copied(func: &Func<TileAa>, places: &Places<'_, TileAa>, id: OpId) -> bool {
    candidate(func, places, id).is_some_and(|made| made.is_ok())
}

/// The buffer of a tile in shared memory, in rows along which its pointers are contiguous. `None` for other ops, and for loads with
/// another route.
fn candidate(func: &Func<TileAa>, places: &Places<'_, TileAa>, id: OpId) -> Option<Result<Buffer, Reason>> {
    let op = func.body.op(id);
    let TileAaOp::TileAa(TileAaDialect::GatherLoad {
        mask,
        other,
        ordering,
        route: None | Some(ThreadRoute::CpAsync { bytes: BYTES }),
        ..
    }) = &op.kind
    else {
        return None;
    };
    let ty = func.body.ty(op.result(0));
    let scalar = ty.element().and_then(ElementType::scalar)?;
    let (shape, each) = (ty.shape()?, scalar.bytes()?);
    let widest = widest_of(&func.body, id)?.ok()?;
    let load = AsyncLoad {
        target: func.attrs.target,
        ordering,
        source: AsyncSource::Pointers {
            bytes: widest.vector * each,
            zeros: mask.is_none() || other.is_none_or(|other| is_zero(&func.body, places, other)),
        },
    };
    let checked = load
        .check(BYTES)
        .map_err(|refused| Reason::not_async(None, BYTES, refused));
    let buffer = |()| {
        let unit = widest.along.map_or(0, usize::from);
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
