//! Accesses through multicast addresses: loads that combine all replicas of an element, stores and reductions to all.

use tilewright_irs::core::{OpId, Translated, ValueType};
use tilewright_irs::cuda_tile::{MultimemReduction, ViewOp};
use tilewright_irs::dialects::memory::{AtomicOp, TileAccess};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileaa::TileAaDialect;

use super::pass::{Lowering, Pass};
use super::types;
use super::views::{tile_access, tiling};

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
        let (ViewOp::MultimemLoadReduceViewTko {
            view,
            index,
            inbounds,
            ..
        }
        | ViewOp::MultimemReduceViewTko {
            view,
            index,
            inbounds,
            ..
        }
        | ViewOp::MultimemStoreViewTko {
            view,
            index,
            inbounds,
            ..
        }) = op
        else {
            return Self::unsupported_op(name);
        };
        // The language's verifier refuses views whose tiles are not in a grid.
        let Some(tiling) = tiling(cx.from.ty(*view)) else {
            return Self::unsupported_op(name);
        };
        let padding = tiling.padding.map(types::padding);
        let at = tile_access(cx, *view, tiling, index, inbounds)?;
        let new = match op {
            ViewOp::MultimemLoadReduceViewTko {
                token,
                ordering,
                scope,
                reduction,
                ..
            } => TileAaDialect::MultimemLoad {
                at: TileAccess { padding, ..at },
                op: operation(*reduction, Self::result_type(cx, id)?.element()),
                ordering: Self::ordering(cx, *token, *ordering, *scope, name)?,
                access: None,
            },
            ViewOp::MultimemReduceViewTko {
                tile,
                token,
                ordering,
                scope,
                reduction,
                ..
            } => {
                let value = cx.one(*tile);
                TileAaDialect::MultimemReduce {
                    at,
                    value,
                    op: operation(*reduction, cx.ty(value).element()),
                    ordering: Self::ordering(cx, *token, *ordering, Some(*scope), name)?,
                    access: None,
                }
            }
            ViewOp::MultimemStoreViewTko {
                tile,
                token,
                ordering,
                scope,
                ..
            } => TileAaDialect::MultimemStore {
                at,
                value: cx.one(*tile),
                ordering: Self::ordering(cx, *token, *ordering, *scope, name)?,
                access: None,
            },
            _ => return Self::unsupported_op(name),
        };
        Self::replace(cx, id, new)
    }
}
