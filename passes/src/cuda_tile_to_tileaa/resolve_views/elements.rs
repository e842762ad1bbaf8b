//! Where each element of a tile of a view lies: its offset from the base, and whether it is inside of the tensor.
//!
//! Along a sparse axis the index is a tile of positions, along the others the tile begins at a position. A position is
//! unsigned; elements outside of the tensor are masked, unless the program promises that there are none.

use tilewright_irs::core::{Value, ValueType};
use tilewright_irs::cuda_tile::TileType;
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileaa::TileAaType;

use super::pass::{Lowering, Pass};
use super::views::{Extent, constant, resized, tiling};

const UNSIGNED: Signedness = Signedness::Unsigned;

/// The tile that is accessed, and where.
pub(super) struct Tile<'a> {
    pub(super) view: Value,
    pub(super) shape: Vec<u32>,
    pub(super) index: &'a [Value],
    pub(super) inbounds: Vec<bool>,
}

/// The offsets of the elements of a tile from the base of its tensor, and the mask of those inside of the tensor.
pub(super) struct Elements {
    /// The offset of the first element along the axes that are not sparse, an i64; none if it is 0.
    pub(super) start: Option<Value>,
    /// The offsets of the elements from there, a tile of i64.
    pub(super) offsets: Value,
    pub(super) mask: Option<Value>,
}

/// An axis of a view's tile.
struct Axis {
    /// The tensor's dimension.
    dim: usize,
    /// The distance between the positions of adjacent indices; `None` along an axis whose index is a tile of positions.
    step: Option<u64>,
}

/// The axes of the tiles of a view. `None` for other types.
fn axes(view: &TileType) -> Option<Vec<Axis>> {
    if let TileType::GatherScatterView(view) = view {
        let axes = 0..view.tile.len();
        let sparse = |dim| u32::try_from(dim) == Ok(view.sparse_dim);
        let axes = axes.map(|dim| Axis {
            dim,
            step: (!sparse(dim)).then_some(1),
        });
        return Some(axes.collect());
    }
    let tiling = tiling(view)?;
    let axes = tiling.dim_map.iter().zip(&tiling.steps);
    let axes = axes.map(|(&dim, &step)| Axis {
        dim: dim as usize,
        step: Some(step),
    });
    Some(axes.collect())
}

impl Pass<'_> {
    /// The elements of a tile. `None` if the view does not fit its tensor, which the language's verifier refuses.
    pub(super) fn elements(&self, cx: &mut Lowering<'_>, tile: &Tile<'_>) -> Option<Elements> {
        let axes = axes(cx.from.ty(tile.view))?;
        let extents = self.extents(cx, tile.view);
        let strides = self.strides(cx, tile.view);
        let i64_ty = TileAaType::scalar(ScalarType::I64);
        let mut first: Option<Value> = None;
        let mut offsets: Option<Value> = None;
        let mut mask: Option<Value> = None;
        for (axis, &length) in tile.shape.iter().enumerate() {
            let Axis { dim, step } = *axes.get(axis)?;
            let index = cx.one(*tile.index.get(axis)?);
            let (extent, stride) = (*extents.get(dim)?, *strides.get(dim)?);
            let extent = sized(cx, extent, &i64_ty);
            let row = TileAaType::tile(&[length], ScalarType::I64.into());
            let (positions, limit) = if let Some(step) = step {
                // What is left of the axis from the first element on limits the rest, which begins at 0.
                let start = resized(cx, index, &i64_ty);
                let start = scaled(cx, start, Extent::Fixed(step), &i64_ty);
                let offset = scaled(cx, start, stride, &i64_ty);
                first = Some(sum(cx, first, offset));
                let start = ArithOp::MinI {
                    lhs: start,
                    rhs: extent,
                    signedness: UNSIGNED,
                };
                let start = cx.value(start, i64_ty.clone());
                let rest = ArithOp::SubI {
                    lhs: extent,
                    rhs: start,
                    overflow: Overflow::Wraps,
                };
                (
                    cx.value(TileOp::Iota {}, row.clone()),
                    cx.value(rest, i64_ty.clone()),
                )
            } else {
                (resized(cx, index, &row), extent)
            };
            if tile.inbounds.get(axis) != Some(&true) {
                let rhs = cx.value(TileOp::Splat { source: limit }, row.clone());
                let inside = ArithOp::CmpI {
                    lhs: positions,
                    rhs,
                    predicate: Predicate::Less,
                    signedness: UNSIGNED,
                };
                let inside = cx.value(inside, row.with_element(ElementType::I1));
                let rhs = along(cx, inside, axis, &tile.shape);
                mask = Some(match mask {
                    Some(lhs) => {
                        let ty = cx.ty(lhs).clone();
                        cx.value(ArithOp::AndI { lhs, rhs }, ty)
                    }
                    None => rhs,
                });
            }
            let part = scaled(cx, positions, stride, &row);
            let part = along(cx, part, axis, &tile.shape);
            offsets = Some(sum(cx, offsets, part));
        }
        Some(Elements {
            start: first,
            offsets: offsets?,
            mask,
        })
    }
}

/// The sum of integers, or of tiles of them.
pub(super) fn sum(cx: &mut Lowering<'_>, lhs: Option<Value>, rhs: Value) -> Value {
    let Some(lhs) = lhs else {
        return rhs;
    };
    let (ty, overflow) = (cx.ty(lhs).bare(), Overflow::Wraps);
    cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty)
}

/// An extent or a stride as a scalar.
fn sized(cx: &mut Lowering<'_>, size: Extent, ty: &TileAaType) -> Value {
    match size {
        Extent::Fixed(size) => constant(cx, size, ty),
        Extent::Open(size) => resized(cx, size, ty),
    }
}

/// Positions, or a tile of them, times a stride.
fn scaled(cx: &mut Lowering<'_>, lhs: Value, stride: Extent, ty: &TileAaType) -> Value {
    if matches!(stride, Extent::Fixed(1)) {
        return lhs;
    }
    let mut rhs = sized(cx, stride, &TileAaType::scalar(ScalarType::I64));
    if !ty.is_single() {
        rhs = cx.value(TileOp::Splat { source: rhs }, ty.clone());
    }
    let overflow = Overflow::Wraps;
    cx.value(ArithOp::MulI { lhs, rhs, overflow }, ty.clone())
}

/// A tile of rank 1 along an axis of a tile of this shape, repeated along the others.
fn along(cx: &mut Lowering<'_>, source: Value, axis: usize, shape: &[u32]) -> Value {
    let Some(element) = cx.ty(source).element().filter(|_| shape.len() > 1) else {
        return source;
    };
    let mut thin = vec![1; shape.len()];
    if let (Some(slot), Some(&extent)) = (thin.get_mut(axis), shape.get(axis)) {
        *slot = extent;
    }
    let source = cx.value(TileOp::Reshape { source }, TileAaType::tile(&thin, element));
    if thin == shape {
        return source;
    }
    cx.value(TileOp::Broadcast { source }, TileAaType::tile(shape, element))
}
