//! Accesses through multicast addresses: loads that combine all replicas of an element, stores and reductions to all.

use tilewright_irs::core::{OpId, Translated, ValueType};
use tilewright_irs::cuda_tile::{MultimemReduction, ViewOp};
use tilewright_irs::dialects::memory::AtomicOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileaa::TileAaDialect;

use super::pass::{Lowering, Pass};
use super::types;
use super::views::{promises, steps, tiling};

fn operation(reduction: MultimemReduction, element: Option<ElementType>) -> AtomicOp {
    let float = element
        .and_then(ElementType::scalar)
        .is_some_and(ScalarType::is_float);
    match reduction {
        MultimemReduction::Add if float => AtomicOp::AddF,
        MultimemReduction::Add => AtomicOp::Add,
        MultimemReduction::Min if float => AtomicOp::MinF,
        MultimemReduction::Min => AtomicOp::MinSigned,
        MultimemReduction::Max if float => AtomicOp::MaxF,
        MultimemReduction::Max => AtomicOp::MaxSigned,
        MultimemReduction::UMin => AtomicOp::MinUnsigned,
        MultimemReduction::UMax => AtomicOp::MaxUnsigned,
        MultimemReduction::And => AtomicOp::And,
        MultimemReduction::Or => AtomicOp::Or,
        MultimemReduction::Xor => AtomicOp::Xor,
    }
}

impl Pass<'_> {
    /// Lowers an access to a tile of a view of replicated memory.
    pub(super) fn multimem(cx: &mut Lowering<'_>, id: OpId, op: &ViewOp, name: &str) -> Translated {
        let (ViewOp::MultimemLoadReduceViewTko { view, .. }
        | ViewOp::MultimemReduceViewTko { view, .. }
        | ViewOp::MultimemStoreViewTko { view, .. }) = op
        else {
            return Self::unsupported_op(name);
        };
        // The language's verifier refuses views whose tiles are not in a grid.
        let Some(tiling) = tiling(cx.from.ty(*view)) else {
            return Self::unsupported_op(name);
        };
        let memref = cx.one(*view);
        let (dim_map, steps) = (tiling.dim_map.clone(), steps(&tiling)?);
        let new = match op {
            ViewOp::MultimemLoadReduceViewTko {
                index,
                token,
                ordering,
                scope,
                reduction,
                inbounds,
                ..
            } => TileAaDialect::MultimemLoad {
                memref,
                index: index.iter().map(|&v| cx.one(v)).collect(),
                after: token.map(|v| cx.one(v)),
                steps,
                inbounds: promises(inbounds, dim_map.len()),
                dim_map,
                padding: tiling.padding.map(types::padding),
                op: operation(*reduction, Self::result_type(cx, id)?.element()),
                order: types::order(*ordering, name)?,
                scope: scope.map(types::scope),
                access: None,
            },
            ViewOp::MultimemReduceViewTko {
                tile,
                index,
                token,
                ordering,
                scope,
                reduction,
                inbounds,
                ..
            } => TileAaDialect::MultimemReduce {
                memref,
                index: index.iter().map(|&v| cx.one(v)).collect(),
                value: cx.one(*tile),
                after: token.map(|v| cx.one(v)),
                steps,
                inbounds: promises(inbounds, dim_map.len()),
                dim_map,
                op: {
                    let value = cx.one(*tile);
                    operation(*reduction, cx.ty(value).element())
                },
                order: types::order(*ordering, name)?,
                scope: Some(types::scope(*scope)),
                access: None,
            },
            ViewOp::MultimemStoreViewTko {
                tile,
                index,
                token,
                ordering,
                scope,
                inbounds,
                ..
            } => TileAaDialect::MultimemStore {
                memref,
                index: index.iter().map(|&v| cx.one(v)).collect(),
                value: cx.one(*tile),
                after: token.map(|v| cx.one(v)),
                steps,
                inbounds: promises(inbounds, dim_map.len()),
                dim_map,
                order: types::order(*ordering, name)?,
                scope: scope.map(types::scope),
                access: None,
            },
            _ => return Self::unsupported_op(name),
        };
        Self::replace(cx, id, new)
    }
}
