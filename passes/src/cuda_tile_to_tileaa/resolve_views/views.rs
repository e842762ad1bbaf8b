//! Lowers views: a tensor to a memref, a view of tiles to the index computation of its loads and stores.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Origin, Translated, Value, ValueType};
use tilewright_irs::cuda_tile::{PaddingValue, TensorView, TileType, ViewOp};
use tilewright_irs::dialects::arith::{ArithOp, QuotientRounding, Signedness};
use tilewright_irs::dialects::memory::{Memref, TileAccess};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAaDialect, TileAaKind, TileAaType};

use super::hints;
use super::pass::{Lowering, Parts, Pass};
use super::types::{self, unsupported};

/// All arrays may overlap: the language cannot promise that they do not.
pub(super) const ONE_CLASS: u32 = 0;

/// How the tiles of a view lie in their tensor.
#[derive(Debug)]
pub(super) struct Tiling {
    pub(super) dim_map: Vec<u32>,
    /// The distance between the starts of adjacent tiles, for each of the tile's axes.
    pub(super) steps: Vec<u64>,
    pub(super) padding: Option<PaddingValue>,
}

/// `None` for other types, and for views whose tiles are not in a grid.
pub(super) fn tiling(view: &TileType) -> Option<Tiling> {
    match view {
        TileType::PartitionView(view) => Some(Tiling {
            dim_map: view.dim_map.clone(),
            steps: view.tile.to_vec(),
            padding: view.padding,
        }),
        TileType::StridedView(view) => Some(Tiling {
            dim_map: view.dim_map.clone(),
            steps: view.traversal_strides.clone(),
            padding: view.padding,
        }),
        TileType::GatherScatterView(_) | TileType::TensorView(_) | TileType::Tile(_) | TileType::Token => {
            None
        }
    }
}

fn tensor_of(view: &TileType) -> Option<&TensorView> {
    view.as_tensor_view()
        .or_else(|| view.as_view().map(|view| view.tensor))
}

pub(super) fn steps(tiling: &Tiling) -> Result<Vec<u32>, Diagnostic<Origin>> {
    let step = |&step: &u64| {
        u32::try_from(step).map_err(|_| {
            let what = format!("a step of {step} elements between tiles (at most {})", u32::MAX);
            unsupported(Code::UnsupportedFeature, what)
        })
    };
    tiling.steps.iter().map(step).collect()
}

/// The tile of a view at an index.
pub(super) fn tile_access(
    cx: &Lowering<'_>,
    view: Value,
    tiling: Tiling,
    index: &[Value],
    inbounds: &[bool],
) -> Result<TileAccess, Diagnostic<Origin>> {
    Ok(TileAccess {
        memref: cx.one(view),
        index: index.iter().map(|&v| cx.one(v)).collect(),
        steps: steps(&tiling)?,
        padding: None,
        inbounds: promises(inbounds, tiling.dim_map.len()),
        dim_map: tiling.dim_map,
    })
}

/// One promise for each axis; none where the program states none.
pub(super) fn promises(inbounds: &[bool], rank: usize) -> Vec<bool> {
    (0..rank)
        .map(|i| inbounds.get(i).copied().unwrap_or(false))
        .collect()
}

impl Pass<'_> {
    pub(super) fn view(&mut self, cx: &mut Lowering<'_>, id: OpId, op: &ViewOp, name: &str) -> Translated {
        if let ViewOp::LoadViewTko { view, .. } | ViewOp::StoreViewTko { view, .. } = op
            && tensor_of(cx.from.ty(*view)).is_some_and(|tensor| types::is_packed(tensor.element))
        {
            return self.packed_view(cx, id, op, name);
        }
        match op {
            ViewOp::MakeTensorView {
                base,
                dynamic_shape,
                dynamic_strides,
            } => self.make_tensor(cx, id, *base, dynamic_shape, dynamic_strides),
            ViewOp::MakePartitionView { tensor_view }
            | ViewOp::MakeStridedView { tensor_view }
            | ViewOp::MakeGatherScatterView { tensor_view } => {
                let memref = cx.one(*tensor_view);
                cx.bind(cx.old(id).result(0), vec![memref]);
                Ok(())
            }
            ViewOp::GetTensorShape { src } => self.tensor_shape(cx, id, *src, name),
            ViewOp::GetIndexSpaceShape { src } => self.index_space_shape(cx, id, *src, name),
            ViewOp::LoadViewTko {
                view,
                index,
                token,
                ordering,
                scope,
                optimization_hints,
                inbounds,
            } => {
                let Some(tiling) = tiling(cx.from.ty(*view)) else {
                    return self.gather_view(cx, id, op, name);
                };
                let load = TileAaDialect::Load {
                    at: TileAccess {
                        padding: tiling.padding.map(types::padding),
                        ..tile_access(cx, *view, tiling, index, inbounds)?
                    },
                    ordering: Self::ordering(cx, *token, *ordering, *scope, name)?,
                    latency: hints::latency(optimization_hints.as_ref(), self.target),
                    allow_tma: hints::allow_tma(optimization_hints.as_ref(), self.target),
                    access: None,
                    route: None,
                };
                Self::replace(cx, id, load)
            }
            ViewOp::StoreViewTko {
                tile,
                view,
                index,
                token,
                ordering,
                scope,
                optimization_hints,
                inbounds,
            } => {
                let Some(tiling) = tiling(cx.from.ty(*view)) else {
                    return self.gather_view(cx, id, op, name);
                };
                let store = TileAaDialect::Store {
                    at: tile_access(cx, *view, tiling, index, inbounds)?,
                    value: cx.one(*tile),
                    ordering: Self::ordering(cx, *token, *ordering, *scope, name)?,
                    latency: hints::latency(optimization_hints.as_ref(), self.target),
                    allow_tma: hints::allow_tma(optimization_hints.as_ref(), self.target),
                    access: None,
                    route: None,
                };
                Self::replace(cx, id, store)
            }
            ViewOp::AtomicRedViewTko { .. } => self.atomic_view(cx, id, op, name),
            ViewOp::MultimemLoadReduceViewTko { .. }
            | ViewOp::MultimemReduceViewTko { .. }
            | ViewOp::MultimemStoreViewTko { .. } => Self::multimem(cx, id, op, name),
        }
    }

    fn make_tensor(
        &mut self,
        cx: &mut Lowering<'_>,
        id: OpId,
        base: Value,
        shape: &[Value],
        strides: &[Value],
    ) -> Translated {
        let result = cx.old(id).result(0);
        let Some(tensor) = cx.from.ty(result).as_tensor_view() else {
            return Self::unsupported_op("make_tensor_view");
        };
        let rank = tensor.shape.len();
        // The only coordinate in bounds of a unit dimension is 0: its stride plays no part in any address, and must
        // not cost the facts about alignment that a dynamic one may lack.
        let plays_part = |extent: Option<u64>| extent != Some(1);
        let pairs = tensor.strides.iter().zip(&tensor.shape);
        let open = pairs.clone().filter(|(stride, _)| stride.is_none());
        let used = open.zip(strides).filter(|((_, extent), _)| plays_part(**extent));
        let memref = Memref {
            element: tensor.element,
            extents: tensor.shape.clone(),
            strides: pairs
                .map(|(stride, extent)| stride.or((!plays_part(*extent)).then_some(0)))
                .collect(),
            // Elements are naturally aligned.
            align: tensor.element.bytes().map_or(1, u64::from),
            extent_div: vec![1; rank],
            stride_div: vec![1; rank],
            class: ONE_CLASS,
        };
        let parts = Parts {
            base: cx.one(base),
            extents: shape.iter().map(|&v| cx.one(v)).collect(),
            strides: used.map(|(_, &v)| cx.one(v)).collect(),
        };
        let new = self.memref(cx, parts, TileAaType::new(TileAaKind::Memref(memref)));
        cx.bind(result, vec![new]);
        Ok(())
    }

    /// Appends a memref and records its components.
    pub(super) fn memref(&mut self, cx: &mut Lowering<'_>, parts: Parts, ty: TileAaType) -> Value {
        let Parts {
            base,
            extents,
            strides,
        } = parts.clone();
        let new = cx.value(
            TileAaDialect::Memref {
                base,
                extents,
                strides,
            },
            ty,
        );
        self.parts.insert(new, parts);
        new
    }

    /// Each extent of a tensor, static or dynamic.
    pub(super) fn extents(&self, cx: &Lowering<'_>, view: Value) -> Vec<Extent> {
        let parts = cx.all(view).first().and_then(|memref| self.parts.get(memref));
        match (tensor_of(cx.from.ty(view)), parts) {
            (Some(tensor), Some(parts)) => sizes(&tensor.shape, &parts.extents),
            _ => Vec::new(),
        }
    }

    /// Each stride of a tensor's memref, static or dynamic.
    pub(super) fn strides(&self, cx: &Lowering<'_>, view: Value) -> Vec<Extent> {
        let new = cx.all(view).first();
        match new.and_then(|new| Some((cx.ty(*new).memref()?, self.parts.get(new)?))) {
            Some((memref, parts)) => sizes(&memref.strides, &parts.strides),
            None => Vec::new(),
        }
    }

    fn tensor_shape(&mut self, cx: &mut Lowering<'_>, id: OpId, view: Value, name: &str) -> Translated {
        let extents = self.extents(cx, view);
        let results: Vec<Value> = cx.old(id).results().collect();
        if extents.len() != results.len() {
            return Self::unsupported_op(name);
        }
        for (result, extent) in results.into_iter().zip(extents) {
            let ty = types::value(cx.from.ty(result))?;
            let new = match extent {
                Extent::Fixed(extent) => constant(cx, extent, &ty),
                Extent::Open(extent) => resized(cx, extent, &ty),
            };
            cx.bind(result, vec![new]);
        }
        Ok(())
    }

    /// The number of tiles that begin inside of each extent.
    fn index_space_shape(&mut self, cx: &mut Lowering<'_>, id: OpId, view: Value, name: &str) -> Translated {
        let extents = self.extents(cx, view);
        let results: Vec<Value> = cx.old(id).results().collect();
        let (dim_map, steps) = match tiling(cx.from.ty(view)) {
            Some(tiling) => (tiling.dim_map.clone(), steps(&tiling)?),
            // The index of a gather-scatter view counts elements.
            None => ((0..).take(results.len()).collect(), vec![1; results.len()]),
        };
        for (i, result) in results.into_iter().enumerate() {
            let place = dim_map.get(i).and_then(|&dim| usize::try_from(dim).ok());
            let extent = place.and_then(|dim| extents.get(dim));
            let (Some(extent), Some(&step)) = (extent, steps.get(i)) else {
                return Self::unsupported_op(name);
            };
            let ty = types::value(cx.from.ty(result))?;
            let new = match extent {
                Extent::Fixed(extent) => constant(cx, extent.div_ceil(u64::from(step).max(1)), &ty),
                Extent::Open(extent) => {
                    // Wide enough for the step and for the quotient, whatever the result is truncated to.
                    let bits = |ty: &TileAaType| ty.element().map_or(64, ElementType::bits);
                    let narrow = bits(cx.ty(*extent)).max(bits(&ty)) <= 32;
                    let wide = TileAaType::scalar(if narrow { ScalarType::I32 } else { ScalarType::I64 });
                    let lhs = resized(cx, *extent, &wide);
                    let rhs = constant(cx, u64::from(step), &wide);
                    let quotient = ArithOp::DivI {
                        lhs,
                        rhs,
                        signedness: Signedness::Unsigned,
                        rounding: QuotientRounding::Up,
                    };
                    let quotient = cx.value(quotient, wide);
                    resized(cx, quotient, &ty)
                }
            };
            cx.bind(result, vec![new]);
        }
        Ok(())
    }
}

/// The sizes of a type, with the values of those that it leaves open.
fn sizes(known: &[Option<u64>], open: &[Value]) -> Vec<Extent> {
    let mut open = open.iter();
    known
        .iter()
        .filter_map(|size| match size {
            Some(size) => Some(Extent::Fixed(*size)),
            None => open.next().map(|&value| Extent::Open(value)),
        })
        .collect()
}

/// An extent or a stride of a tensor.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extent {
    Fixed(u64),
    Open(Value),
}

/// A scalar constant; a number that does not fit is truncated, which the language leaves undefined.
pub(super) fn constant(cx: &mut Lowering<'_>, number: u64, ty: &TileAaType) -> Value {
    let scalar = ty
        .element()
        .and_then(ElementType::scalar)
        .unwrap_or(ScalarType::I64);
    let value = Dense::Splat(Literal::new(scalar, number));
    cx.value(ArithOp::Constant { value }, ty.clone())
}

/// An unsigned integer, or a tile of them, extended or truncated.
pub(super) fn resized(cx: &mut Lowering<'_>, source: Value, ty: &TileAaType) -> Value {
    let bits = |ty: &TileAaType| ty.element().map_or(0, ElementType::bits);
    let (from, to) = (bits(cx.ty(source)), bits(ty));
    match from.cmp(&to) {
        std::cmp::Ordering::Equal => source,
        std::cmp::Ordering::Less => {
            let signedness = Signedness::Unsigned;
            cx.value(ArithOp::ExtI { source, signedness }, ty.clone())
        }
        std::cmp::Ordering::Greater => cx.value(ArithOp::TruncI { source }, ty.clone()),
    }
}
