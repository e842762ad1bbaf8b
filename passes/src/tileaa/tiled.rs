//! Tiled accesses for passes within `tileaa`: the axes of the tile and the extents of the array.

use tilewright_irs::core::{Body, OpId, SideTable, Value};
use tilewright_irs::tileaa::{MemoryOp, MemoryPlace, TileAa, TileAaDialect, TileAaOp};

/// An extent of an array, static or dynamic.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Known(i64),
    Value(Value),
}

/// One axis of a tiled access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct TiledAxis {
    /// The tile's index: the first element is at `index * step`.
    pub(super) index: Value,
    pub(super) step: u32,
    /// The extent of the tile.
    pub(super) tile: u32,
    /// The extent of the array.
    pub(super) extent: Extent,
    /// Whether the access is known to be in bounds along this axis.
    pub(super) inbounds: bool,
}

/// The axes of a tiled access. `None` for every other op, and if the array's extents are not available.
pub(super) fn tiled_axes(
    body: &Body<TileAa>,
    definitions: &SideTable<Value, OpId>,
    id: OpId,
) -> Option<Vec<TiledAxis>> {
    let memory = MemoryOp::of(body.op(id))?;
    let MemoryPlace::Tile(at) = memory.place else {
        return None;
    };
    let shape = body.ty(memory.data).shape()?;
    shape
        .iter()
        .enumerate()
        .map(|(axis, &tile)| {
            Some(TiledAxis {
                index: *at.index.get(axis)?,
                step: *at.steps.get(axis)?,
                tile,
                extent: extent(body, definitions, at.memref, *at.dim_map.get(axis)? as usize)?,
                inbounds: *at.inbounds.get(axis)?,
            })
        })
        .collect()
}

/// The extent of an array along one of its axes; `None` if it is not available.
pub(super) fn extent(
    body: &Body<TileAa>,
    definitions: &SideTable<Value, OpId>,
    memref: Value,
    axis: usize,
) -> Option<Extent> {
    let extents = &body.ty(memref).memref()?.extents;
    if let Some(known) = *extents.get(axis)? {
        return i64::try_from(known).ok().map(Extent::Known);
    }
    let TileAaOp::TileAa(TileAaDialect::Memref { extents: values, .. }) =
        &body.op(*definitions.get(memref)?).kind
    else {
        return None;
    };
    let place = extents
        .iter()
        .take(axis)
        .filter(|extent| extent.is_none())
        .count();
    values.get(place).copied().map(Extent::Value)
}
