//! Loads and stores through gather-scatter views: one pointer and one mask bit for each element.

use tilewright_irs::core::{OpId, Translated, Value, ValueType};
use tilewright_irs::cuda_tile::{TileType, ViewOp};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAaDialect, TileAaType};

use super::elements::{Elements, Tile};
use super::pass::{Lowering, Pass};
use super::views::promises;
use super::{hints, types};

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
                    shape: result.shape().unwrap_or_default().to_vec(),
                    index,
                    inbounds: promises(inbounds, index.len()),
                };
                let Some((pointers, mask)) = self.pointers(cx, &tile) else {
                    return Self::unsupported_op(name);
                };
                let scalar = ty.tensor.element;
                let padding = ty
                    .padding
                    .and_then(|padding| types::padding(padding).bits(scalar));
                let other = mask.and(padding).map(|bits| {
                    let value = Dense::Splat(Literal::new(scalar, bits));
                    cx.value(ArithOp::Constant { value }, result.clone())
                });
                let load = TileAaDialect::GatherLoad {
                    pointers,
                    mask,
                    other,
                    ordering: Self::ordering(cx, *token, *ordering, *scope, name)?,
                    latency: hints::latency(optimization_hints.as_ref(), self.target),
                    access: None,
                    route: None,
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
                let value = cx.one(*value);
                let tile = Tile {
                    view: *view,
                    shape: cx.ty(value).shape().unwrap_or_default().to_vec(),
                    index,
                    inbounds: promises(inbounds, index.len()),
                };
                let Some((pointers, mask)) = self.pointers(cx, &tile) else {
                    return Self::unsupported_op(name);
                };
                let store = TileAaDialect::ScatterStore {
                    pointers,
                    value,
                    mask,
                    ordering: Self::ordering(cx, *token, *ordering, *scope, name)?,
                    latency: hints::latency(optimization_hints.as_ref(), self.target),
                    access: None,
                };
                Self::replace(cx, id, store)
            }
            _ => Self::unsupported_op(name),
        }
    }

    /// The pointers to the elements of a tile, and their mask. `None` if the view does not fit its tensor, which the
    /// language's verifier refuses.
    fn pointers(&self, cx: &mut Lowering<'_>, tile: &Tile<'_>) -> Option<(Value, Option<Value>)> {
        let mut base = self.parts.get(cx.all(tile.view).first()?)?.base;
        let Elements { start, offsets, mask } = self.elements(cx, tile)?;
        // What is the same for all elements belongs to the base.
        if let Some(offset) = start {
            let ty = cx.ty(base).bare();
            base = cx.value(
                TileOp::PtrAdd {
                    pointer: base,
                    offset,
                },
                ty,
            );
        }
        let element = cx.ty(base).element()?;
        let ty = TileAaType::tile(&tile.shape, element);
        let pointer = cx.value(TileOp::Splat { source: base }, ty.clone());
        let offset = offsets;
        Some((cx.value(TileOp::PtrAdd { pointer, offset }, ty), mask))
    }
}
