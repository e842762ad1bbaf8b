//! Tiled accesses as passes within `tileaa` ask about them: the axes of the tile and the extents of the array.

use tilewright_irs::core::{Body, OpId, SideTable, Value};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};

/// An extent of an array: a number, or the value that holds it.
#[derive(Clone, Copy)]
pub(super) enum Extent {
    Known(i64),
    Value(Value),
}

/// One axis of a tiled access.
#[derive(Clone, Copy)]
pub(super) struct TiledAxis {
    /// Which tile: the first element is at `index * step`.
    pub(super) index: Value,
    pub(super) step: u32,
    /// The extent of the tile.
    pub(super) tile: u32,
    /// The extent of the array.
    pub(super) extent: Extent,
    /// Whether the access is known to be in bounds along this axis.
    pub(super) inbounds: bool,
}

/// The axes of a tiled load or store. `None` for every other op, and where the array's extents are not at hand.
pub(super) fn tiled_axes(
    body: &Body<TileAa>,
    definitions: &SideTable<Value, OpId>,
    id: OpId,
) -> Option<Vec<TiledAxis>> {
    let op = body.op(id);
    let TileAaOp::TileAa(own) = &op.kind else {
        return None;
    };
    let (memref, index, tile, dim_map, steps, inbounds) = match own {
        TileAaDialect::Load {
            memref,
            index,
            dim_map,
            steps,
            inbounds,
            ..
        } => (*memref, index, op.result(0), dim_map, steps, inbounds),
        TileAaDialect::Store {
            memref,
            index,
            value,
            dim_map,
            steps,
            inbounds,
            ..
        } => (*memref, index, *value, dim_map, steps, inbounds),
        _ => return None,
    };
    let shape = body.ty(tile).shape()?;
    shape
        .iter()
        .enumerate()
        .map(|(axis, &tile)| {
            Some(TiledAxis {
                index: *index.get(axis)?,
                step: *steps.get(axis)?,
                tile,
                extent: extent(body, definitions, memref, *dim_map.get(axis)? as usize)?,
                inbounds: *inbounds.get(axis)?,
            })
        })
        .collect()
}

/// The extent of an array along one of its axes.
fn extent(
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
