//! Sugar of the layout algebra: operations on whole layouts and tensors, which `desugar` computes.

use tilewright_layouts::cute::{Composed, CuteError, Layout, Tiler};

use crate::core::Value;
use crate::dialects::cute::{AlgebraType, Inferred, Operands, View, layout_type};

crate::dialect! {
    /// Operations on whole layouts and tensors. A tensor's result has the tensor's pointer, plus the offset of a
    /// coordinate.
    pub enum SugarOp: "cute" {
        /// `outer` after `inner`: from a coordinate of `inner` to an index of `outer`. (`inner` may be a tiler.)
        Composition "composition" { outer: Value, inner: Value } -> 1, Pure, Free;
        /// The same function with the fewest modes.
        Coalesce "coalesce" { layout: Value } -> 1, Pure, Free;
        /// The complement: its product with this layout covers `cotarget` elements.
        Complement "complement" { layout: Value, cotarget: Value } -> 1, Pure, Free;
        /// The right inverse: from index to coordinate, on the largest contiguous range from 0.
        RightInverse "right_inverse" { layout: Value } -> 1, Pure, Free;
        /// The left inverse of an injective layout: from index to coordinate.
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
        /// Repeats a layout in the arrangement of another one.
        LogicalProduct "logical_product" { layout: Value, tiler: Value } -> 1, Pure, Free;
        /// Modes `begin` to `end`, the last one excluded, as one mode.
        GroupModes "group_modes" { layout: Value, begin: u32, end: u32 } -> 1, Pure, Free;
        /// Repeats a layout to a shape.
        TileToShape "tile_to_shape" { layout: Value, shape: Value } -> 1, Pure, Free;
        /// The column-major layout of a shape.
        MakeIdentityLayout "make_identity_layout" { shape: Value } -> 1, Pure, Free;
        /// The sublayout or subtensor at the integers of a coordinate; `_` keeps a mode.
        Slice "slice" { source: Value, coord: Value } -> 1, Pure, Free;
        /// The tile at a coordinate of tiles.
        LocalTile "local_tile" { source: Value, tiler: Value, coord: Value } -> 1, Pure, Free;
    }
}

fn failed(error: CuteError) -> String {
    format!("there is no such layout: {error}")
}

/// Applies a function to a layout or to the layout of a tensor.
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

/// A part of a layout or tensor; for a tensor, the offset is added to its pointer.
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
/// A message for the user: the operands are incompatible.
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
