//! Register permutations that implement ops in which no element moves to another thread, and shuffles that implement ops in which
//! none moves to another warp.
//!
//! The verifier checks that there is one; the lowering to fragments uses it.

use tilewright_layouts::{Dim, LaneShuffles, LayoutError, LinearLayout, RegisterMap};

use super::types::TileAsType;
use crate::core::{Operation, ValueType};
use crate::dialects::tile::TileOp;
use crate::machine::LANES;

/// For each register of a shape op's result, the register of its operand that holds the same element. `None` unless the operand
/// `from` and the result `to` are tiles and the op moves elements at all.
///
/// # Errors
/// A message for the user: an element would have to move to another thread.
pub fn shape_registers(
    op: &TileOp,
    from: &TileAsType,
    to: &TileAsType,
) -> Result<Option<RegisterMap>, String> {
    let (Some(have), Some(layout)) = (from.layout(), to.layout()) else {
        return Ok(None);
    };
    let wanted = match op {
        TileOp::Broadcast { .. } | TileOp::Reshape { .. } | TileOp::Permute { .. } => {
            with_copies(op, &have.shape(), layout)
        }
        TileOp::Splat { .. } | TileOp::Iota {} | TileOp::PtrAdd { .. } => return Ok(None),
    };
    let wanted = wanted.map_err(|error| format!("the layouts of a shape op: {error}"))?;
    match wanted.registers_from(have) {
        Some(map) => Ok(Some(map)),
        None => Err(format!(
            "the layouts of `{}` would move elements between threads: from `{have}` to `{layout}`",
            op.name()
        )),
    }
}

/// The layout that the operand of a shape op, with these extents, must have for the result to have the layout `result` without
/// moving any element to another thread. It has no more replicated registers than `result`.
///
/// # Errors
/// A limit of the layouts is exceeded.
pub fn shape_operand_layout(
    op: &TileOp,
    extents: &[u32],
    result: &LinearLayout,
) -> Result<LinearLayout, LayoutError> {
    let layout = with_copies(op, extents, result)?;
    Ok(match op {
        TileOp::Broadcast { .. } => layout.drop_copies(Dim::Register),
        TileOp::Reshape { .. }
        | TileOp::Permute { .. }
        | TileOp::Splat { .. }
        | TileOp::Iota {}
        | TileOp::PtrAdd { .. } => layout,
    })
}

/// The same, but with a register of the operand for each register of the result, even where they hold the same element.
fn with_copies(op: &TileOp, extents: &[u32], result: &LinearLayout) -> Result<LinearLayout, LayoutError> {
    match op {
        TileOp::Broadcast { .. } => {
            // Along a repeated axis every element is the operand's only one.
            let axes = extents.iter().zip(result.shape()).enumerate();
            let repeated = axes.filter_map(|(axis, (&from, to))| (from < to).then_some(axis));
            repeated
                .into_iter()
                .try_fold(result.clone(), |layout, axis| layout.slice(axis))
        }
        TileOp::Reshape { .. } => result.reshape_outs(extents),
        TileOp::Permute { permutation, .. } => {
            let mut back = vec![0; permutation.len()];
            for (i, &axis) in permutation.iter().enumerate() {
                if let Some(slot) = back.get_mut(axis as usize) {
                    *slot = i;
                }
            }
            result.permute_axes(&back)
        }
        TileOp::Splat { .. } | TileOp::Iota {} | TileOp::PtrAdd { .. } => Ok(result.clone()),
    }
}

/// The layout of a box cut from a tile with the layout `source`, where each element stays in its thread. The box has these
/// extents and begins at a multiple of them. Bits of the thread index that select the box become replication.
///
/// # Errors
/// The extents are not powers of two, or their number differs from the tile's rank.
pub fn slice_layout(source: &LinearLayout, extents: &[u32]) -> Result<LinearLayout, LayoutError> {
    let axes = (0..).map(Dim::Axis).zip(extents);
    let wrapped = axes
        .into_iter()
        .try_fold(source.clone(), |layout, (axis, &extent)| {
            layout.resize_out(axis, extent)
        })?;
    Ok(wrapped.drop_copies(Dim::Register))
}

/// For each register of a box at `offsets` with layout `result`, its register in a tile with layout `source`.
///
/// # Errors
/// A message for the user: the box does not lie in the tile at a multiple of its extents, or its elements are not in
/// registers of the same thread.
pub fn slice_registers(
    source: &LinearLayout,
    offsets: &[u32],
    result: &LinearLayout,
) -> Result<Vec<u32>, String> {
    let (whole, part) = (source.shape(), result.shape());
    let lies = offsets.len() == whole.len()
        && part.len() == whole.len()
        && offsets
            .iter()
            .zip(&part)
            .zip(&whole)
            .all(|((&at, &n), &whole)| at.is_multiple_of(n) && n <= whole && at < whole);
    if !lies {
        return Err(format!(
            "a slice of {part:?} at {offsets:?} does not lie in a tile of {whole:?} at a multiple of its extents"
        ));
    }
    let registers = result.in_bits(Dim::Register);
    let embedded = (0..)
        .map(Dim::Axis)
        .zip(&whole)
        .try_fold(result.clone(), |layout, (axis, &extent)| {
            layout.resize_out(axis, extent)
        })
        .map_err(|error| error.to_string())?;
    // One more register bit selects the offset of the box.
    let bases: Vec<(Dim, Vec<Vec<u32>>)> = [Dim::Register, Dim::Lane, Dim::Warp, Dim::Block]
        .into_iter()
        .map(|dim| {
            let mut bases: Vec<Vec<u32>> = embedded.bases(dim).map(|basis| basis.to_vec()).collect();
            if dim == Dim::Register {
                bases.push(offsets.to_vec());
            }
            (dim, bases)
        })
        .collect();
    let outs: Vec<(Dim, u32)> = (0..).map(Dim::Axis).zip(whole).collect();
    let moved = LinearLayout::from_bases(&bases, &outs).map_err(|error| error.to_string())?;
    match moved.registers_from(source) {
        Some(map) => {
            let way = map.source(1 << registers);
            Ok((0..1 << registers)
                .map(|register| map.source(register) ^ way)
                .collect())
        }
        None => Err(format!(
            "a slice would move elements between threads: from `{source}` to `{result}`"
        )),
    }
}

/// For each register of a tile with layout `result`, its register in a part with layout `part`, where the tile is a
/// concatenation of such parts along `axis`.
///
/// # Errors
/// A message for the user: the extents do not match, or an element of a part is not in the thread that holds it in
/// the tile.
pub fn concat_registers(
    part: &LinearLayout,
    result: &LinearLayout,
    axis: usize,
) -> Result<RegisterMap, String> {
    let (extents, whole) = (part.shape(), result.shape());
    let fits = extents.len() == whole.len()
        && extents
            .iter()
            .zip(&whole)
            .enumerate()
            .all(|(i, (&part, &whole))| part == whole || i == axis);
    if !fits {
        return Err(format!(
            "parts of {extents:?} along axis {axis} do not make up a tile of {whole:?}"
        ));
    }
    let wrapped = (0..)
        .map(Dim::Axis)
        .zip(&extents)
        .try_fold(result.clone(), |layout, (axis, &extent)| {
            layout.resize_out(axis, extent)
        })
        .map_err(|error| error.to_string())?;
    wrapped
        .registers_from(part)
        .ok_or_else(|| format!("the parts would move elements between threads: from `{part}` to `{result}`"))
}

/// The shuffles that convert a tile to a type with another layout; `None` if an element would have to move to another warp.
pub fn lane_shuffles(from: &TileAsType, to: &TileAsType) -> Option<LaneShuffles> {
    let bytes = from.element()?.stored_bytes();
    LaneShuffles::plan(from.layout()?, to.layout()?, bytes).ok()?
}

/// A mask for `tileas.agree`: a lane takes the elements of a tile with this layout, or a scalar, from the first lane that holds
/// them, whose index is its own without these bits. `None` if the first thread that holds an element may be in another one of the
/// `warps` warps.
pub fn replicated_lanes(layout: Option<&LinearLayout>, warps: u32) -> Option<u32> {
    let Some(layout) = layout else {
        return (warps == 1).then_some(LANES - 1);
    };
    let plain = |dim| layout.free_mask(dim) == layout.copy_mask(dim);
    let in_one_warp = layout.free_mask(Dim::Warp) == 0 && layout.in_size(Dim::Warp) >= warps;
    (in_one_warp && plain(Dim::Lane) && plain(Dim::Register)).then(|| {
        let absent = (LANES - 1) & !(layout.in_size(Dim::Lane) - 1);
        layout.copy_mask(Dim::Lane) | absent
    })
}
