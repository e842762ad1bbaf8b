//! Loads and stores through gather-scatter views: one pointer and one mask bit for each element.
//!
//! Along the sparse axis the index is a tile of positions, along the others the position of the tile's first element.
//! A position is unsigned; elements outside of the tensor are masked, unless the program promises that there are none.

use tilewright_irs::core::{OpId, Translated, Value, ValueType};
use tilewright_irs::cuda_tile::{GatherScatterView, TileType, ViewOp};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAaDialect, TileAaType};

use super::pass::{Lowering, Pass};
use super::views::{Extent, constant, promises, resized};
use super::{hints, types};

const UNSIGNED: Signedness = Signedness::Unsigned;

/// The pointers to the elements of a tile, and the mask of those inside of the tensor.
struct Elements {
    pointers: Value,
    mask: Option<Value>,
}

/// The tile that is accessed, and where.
struct Tile<'a> {
    view: Value,
    ty: &'a GatherScatterView,
    shape: Vec<u32>,
    index: &'a [Value],
    inbounds: Vec<bool>,
}

impl Pass<'_> {
    /// Lowers a load or a store through a gather-scatter view.
    pub(super) fn gather_view(
        &mut self,
        cx: &mut Lowering<'_>,
        id: OpId,
        op: &ViewOp,
        name: &str,
    ) -> Translated {
        let from = cx.from;
        match op {
            ViewOp::LoadViewTko {
                view,
                index,
                token,
                ordering,
                scope,
                optimization_hints,
                inbounds,
            } => {
                let TileType::GatherScatterView(ty) = from.ty(*view) else {
                    return Self::unsupported_op(name);
                };
                let result = Self::result_type(cx, id)?;
                let tile = Tile {
                    view: *view,
                    ty,
                    shape: result.shape().unwrap_or_default().to_vec(),
                    index,
                    inbounds: promises(inbounds, index.len()),
                };
                let Some(elements) = self.elements(cx, &tile) else {
                    return Self::unsupported_op(name);
                };
                let scalar = ty.tensor.element;
                let padding = ty
                    .padding
                    .and_then(|padding| types::padding(padding).bits(scalar));
                let other = elements.mask.and(padding).map(|bits| {
                    let value = Dense::Splat(Literal::new(scalar, bits));
                    cx.value(ArithOp::Constant { value }, result.clone())
                });
                let load = TileAaDialect::GatherLoad {
                    pointers: elements.pointers,
                    mask: elements.mask,
                    other,
                    after: token.map(|v| cx.one(v)),
                    order: types::order(*ordering, name)?,
                    scope: scope.map(types::scope),
                    latency: hints::latency(optimization_hints.as_ref(), self.target),
                    access: None,
                };
                Self::replace(cx, id, load)
            }
            ViewOp::StoreViewTko {
                tile: value,
                view,
                index,
                token,
                ordering,
                scope,
                optimization_hints,
                inbounds,
            } => {
                let TileType::GatherScatterView(ty) = from.ty(*view) else {
                    return Self::unsupported_op(name);
                };
                let value = cx.one(*value);
                let tile = Tile {
                    view: *view,
                    ty,
                    shape: cx.ty(value).shape().unwrap_or_default().to_vec(),
                    index,
                    inbounds: promises(inbounds, index.len()),
                };
                let Some(elements) = self.elements(cx, &tile) else {
                    return Self::unsupported_op(name);
                };
                let store = TileAaDialect::ScatterStore {
                    pointers: elements.pointers,
                    value,
                    mask: elements.mask,
                    after: token.map(|v| cx.one(v)),
                    order: types::order(*ordering, name)?,
                    scope: scope.map(types::scope),
                    latency: hints::latency(optimization_hints.as_ref(), self.target),
                    access: None,
                };
                Self::replace(cx, id, store)
            }
            _ => Self::unsupported_op(name),
        }
    }

    /// The elements of a tile. `None` if the view does not fit its tensor, which the language's verifier refuses.
    fn elements(&self, cx: &mut Lowering<'_>, tile: &Tile<'_>) -> Option<Elements> {
        let parts = self.parts.get(cx.all(tile.view).first()?)?.clone();
        let extents = self.extents(cx, tile.view);
        let strides = self.strides(cx, tile.view);
        let i64_ty = TileAaType::scalar(ScalarType::I64);
        let mut base = parts.base;
        let mut offsets: Option<Value> = None;
        let mut mask: Option<Value> = None;
        for (axis, &length) in tile.shape.iter().enumerate() {
            let index = cx.one(*tile.index.get(axis)?);
            let (extent, stride) = (*extents.get(axis)?, *strides.get(axis)?);
            let extent = sized(cx, extent, &i64_ty);
            let row = TileAaType::tile(&[length], ScalarType::I64.into());
            let sparse = u32::try_from(axis) == Ok(tile.ty.sparse_dim);
            let (positions, limit) = if sparse {
                (resized(cx, index, &row), extent)
            } else {
                // The first element's offset belongs to the base; what is left of the axis from there on limits the
                // rest, which begins at 0.
                let start = resized(cx, index, &i64_ty);
                let offset = scaled(cx, start, stride, &i64_ty);
                let ty = cx.ty(base).clone();
                base = cx.value(
                    TileOp::PtrAdd {
                        pointer: base,
                        offset,
                    },
                    ty,
                );
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
            let rhs = along(cx, part, axis, &tile.shape);
            offsets = Some(match offsets {
                Some(lhs) => {
                    let (ty, overflow) = (cx.ty(lhs).clone(), Overflow::Wraps);
                    cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty)
                }
                None => rhs,
            });
        }
        let element = ElementType::Ptr(tile.ty.tensor.element);
        let ty = TileAaType::tile(&tile.shape, element);
        let pointer = cx.value(TileOp::Splat { source: base }, ty.clone());
        let offset = offsets?;
        let pointers = cx.value(TileOp::PtrAdd { pointer, offset }, ty);
        Some(Elements { pointers, mask })
    }
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
