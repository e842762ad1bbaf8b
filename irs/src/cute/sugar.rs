//! The sugar of the layout algebra: operations on whole layouts and tensors, which desugaring computes.

use tilewright_layouts::cute::{Composed, CuteError, Layout, Tiler};

use crate::core::Value;
use crate::dialects::cute::{AlgebraType, Inferred, Operands, View, layout_type};

crate::dialect! {
    /// Operations on whole layouts and tensors. A tensor's result has the tensor's pointer, moved where a coordinate
    /// says so.
    pub enum SugarOp: "cute" {
        /// `outer` after `inner`: from a coordinate of `inner` to an index of `outer`. (`inner` may be a tile.)
        Composition "composition" { outer: Value, inner: Value } -> 1, Pure, Free;
        /// The fewest modes for the same function.
        Coalesce "coalesce" { layout: Value } -> 1, Pure, Free;
        /// The layout whose product with this one covers `cotarget` elements.
        Complement "complement" { layout: Value, cotarget: Value } -> 1, Pure, Free;
        /// The layout from index to coordinate, of the largest part that begins at 0 and has no gap.
        RightInverse "right_inverse" { layout: Value } -> 1, Pure, Free;
        /// The layout from index to coordinate, of an injective one.
        LeftInverse "left_inverse" { layout: Value } -> 1, Pure, Free;
        /// The layout without modes of stride 0.
        FilterZeros "filter_zeros" { layout: Value } -> 1, Pure, Free;
        /// Divides each mode by a tile: ((tile, rest), …).
        LogicalDivide "logical_divide" { layout: Value, tiler: Value } -> 1, Pure, Free;
        /// Divides by a tile: (tiles, rests).
        ZippedDivide "zipped_divide" { layout: Value, tiler: Value } -> 1, Pure, Free;
        /// Divides by a tile: (tiles, rest, rest, …).
        TiledDivide "tiled_divide" { layout: Value, tiler: Value } -> 1, Pure, Free;
        /// Divides by a tile: (tile, tile, …, rest, rest, …).
        FlatDivide "flat_divide" { layout: Value, tiler: Value } -> 1, Pure, Free;
        /// Repeats a layout as another one says.
        LogicalProduct "logical_product" { layout: Value, tiler: Value } -> 1, Pure, Free;
        /// Modes `begin` to `end`, the last one excluded, as one mode.
        GroupModes "group_modes" { layout: Value, begin: u32, end: u32 } -> 1, Pure, Free;
        /// Repeats a layout until it has a shape.
        TileToShape "tile_to_shape" { layout: Value, shape: Value } -> 1, Pure, Free;
        /// The layout that counts through a shape, the first mode fastest.
        MakeIdentityLayout "make_identity_layout" { shape: Value } -> 1, Pure, Free;
        /// The part of a layout or tensor where the integers of a coordinate hold; `_` keeps a mode.
        Slice "slice" { source: Value, coord: Value } -> 1, Pure, Free;
        /// The tile at a coordinate of tiles.
        LocalTile "local_tile" { source: Value, tiler: Value, coord: Value } -> 1, Pure, Free;
    }
}

fn failed(error: CuteError) -> String {
    format!("there is no such layout: {error}")
}

/// What becomes of a layout or of a tensor whose layout does.
fn on_layout(operands: &Operands, make: impl FnOnce(&Composed) -> Result<Composed, CuteError>) -> Inferred {
    let layout = make(&operands.function(0)?).map_err(failed)?;
    Ok(match operands.view(0) {
        Ok(view) => AlgebraType::Memref(View {
            pointer: view.pointer.clone(),
            layout,
        }),
        Err(_) => layout_type(layout),
    })
}

fn plain(operands: &Operands, make: impl FnOnce(&Layout) -> Result<Layout, CuteError>) -> Inferred {
    make(operands.layout(0)?).map(AlgebraType::Layout).map_err(failed)
}

/// A part of a layout or tensor: for a tensor, the offset moves its pointer.
fn part(operands: &Operands, layout: Composed) -> Inferred {
    let Ok(view) = operands.view(0) else {
        return Ok(layout_type(layout));
    };
    if !view.layout.swizzle().is_identity() {
        return Err("a part of a tensor with a composed layout; put the swizzle into the pointer".to_owned());
    }
    Ok(AlgebraType::Memref(View {
        pointer: view.pointer.after(layout.offset()),
        layout: layout.layout().clone().into(),
    }))
}

/// The type of a sugar op's result.
///
/// # Errors
/// Words for the user: the operands do not fit each other.
pub fn infer_sugar(op: &SugarOp, operands: &Operands) -> Inferred {
    match op {
        SugarOp::Composition { .. } => {
            let tiler = operands.tiler(1)?;
            on_layout(operands, |layout| match &tiler {
                Tiler::Layout(inner) => layout.composition(inner),
                Tiler::All | Tiler::Modes(_) => layout.composition_by(&tiler),
            })
        }
        SugarOp::Coalesce { .. } => on_layout(operands, |layout| Ok(layout.coalesce())),
        SugarOp::Complement { .. } => {
            let cotarget = operands.shape(1)?;
            plain(operands, |layout| layout.complement(&cotarget))
        }
        SugarOp::RightInverse { .. } => plain(operands, Layout::right_inverse),
        SugarOp::LeftInverse { .. } => plain(operands, Layout::left_inverse),
        SugarOp::FilterZeros { .. } => {
            on_layout(operands, |layout| layout.map(|layout| Ok(layout.filter_zeros())))
        }
        SugarOp::LogicalDivide { .. } => {
            let tiler = operands.tiler(1)?;
            on_layout(operands, |layout| layout.logical_divide(&tiler))
        }
        SugarOp::ZippedDivide { .. } => {
            let tiler = operands.tiler(1)?;
            on_layout(operands, |layout| layout.zipped_divide(&tiler))
        }
        SugarOp::TiledDivide { .. } => {
            let tiler = operands.tiler(1)?;
            on_layout(operands, |layout| layout.tiled_divide(&tiler))
        }
        SugarOp::FlatDivide { .. } => {
            let tiler = operands.tiler(1)?;
            on_layout(operands, |layout| layout.flat_divide(&tiler))
        }
        SugarOp::LogicalProduct { .. } => {
            let tiler = operands.tiler(1)?;
            on_layout(operands, |layout| layout.logical_product(&tiler))
        }
        SugarOp::GroupModes { begin, end, .. } => {
            let range = *begin as usize..*end as usize;
            on_layout(operands, |layout| layout.map(|layout| layout.group(range)))
        }
        SugarOp::TileToShape { .. } => {
            let shape = operands.shape(1)?;
            on_layout(operands, |layout| layout.tile_to_shape(&shape, None))
        }
        SugarOp::MakeIdentityLayout { .. } => Layout::column_major(&operands.shape(0)?)
            .map(AlgebraType::Layout)
            .map_err(failed),
        SugarOp::Slice { .. } => {
            let layout = operands.function(0)?.slice(&operands.coord(1)?).map_err(failed)?;
            part(operands, layout)
        }
        SugarOp::LocalTile { .. } => {
            let layout = operands.function(0)?;
            let tile = layout.local_tile(&operands.tiler(1)?, &operands.coord(2)?);
            part(operands, tile.map_err(failed)?)
        }
    }
}
