//! Atomic accesses, through pointers and through views.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{OpId, Translated};
use tilewright_irs::cuda_tile::{AtomicRmwMode, MemoryOp, MemoryOrdering, ViewOp};
use tilewright_irs::dialects::memory::{AtomicOp, AtomicOrder};
use tilewright_irs::tileaa::TileAaDialect;

use super::pass::{Lowering, Pass, Problem};
use super::types::{self, unsupported};
use super::views::{promises, steps, tiling};

fn operation(mode: AtomicRmwMode) -> AtomicOp {
    match mode {
        AtomicRmwMode::And => AtomicOp::And,
        AtomicRmwMode::Or => AtomicOp::Or,
        AtomicRmwMode::Xor => AtomicOp::Xor,
        AtomicRmwMode::Add => AtomicOp::Add,
        AtomicRmwMode::AddF => AtomicOp::AddF,
        AtomicRmwMode::Max => AtomicOp::MaxSigned,
        AtomicRmwMode::Min => AtomicOp::MinSigned,
        AtomicRmwMode::UMax => AtomicOp::MaxUnsigned,
        AtomicRmwMode::UMin => AtomicOp::MinUnsigned,
        AtomicRmwMode::Xchg => AtomicOp::Exchange,
    }
}

fn order(ordering: MemoryOrdering, op: &str) -> Result<AtomicOrder, Problem> {
    match ordering {
        MemoryOrdering::Relaxed => Ok(AtomicOrder::Relaxed),
        MemoryOrdering::Acquire => Ok(AtomicOrder::Acquire),
        MemoryOrdering::Release => Ok(AtomicOrder::Release),
        MemoryOrdering::AcqRel => Ok(AtomicOrder::AcqRel),
        // Refused by the language's verifier.
        MemoryOrdering::Weak => Err(unsupported(
            Code::UnsupportedFeature,
            format!("`{op}` with ordering `{ordering}`"),
        )),
    }
}

impl Pass<'_> {
    /// Lowers an atomic access through pointers.
    pub(super) fn atomic(
        &mut self,
        cx: &mut Lowering<'_>,
        id: OpId,
        op: &MemoryOp,
        name: &str,
    ) -> Translated {
        match op {
            MemoryOp::AtomicRmwTko {
                pointers,
                arg,
                mask,
                token,
                ordering,
                scope,
                mode,
            } => {
                let rmw = TileAaDialect::AtomicRmw {
                    pointers: cx.one(*pointers),
                    value: cx.one(*arg),
                    mask: mask.map(|v| cx.one(v)),
                    after: token.map(|v| cx.one(v)),
                    op: operation(*mode),
                    order: order(*ordering, name)?,
                    scope: types::scope(*scope),
                    access: None,
                };
                Self::replace(cx, id, rmw)
            }
            MemoryOp::AtomicCasTko {
                pointers,
                cmp,
                val,
                mask,
                token,
                ordering,
                scope,
            } => {
                let cas = TileAaDialect::AtomicCas {
                    pointers: cx.one(*pointers),
                    compare: cx.one(*cmp),
                    value: cx.one(*val),
                    mask: mask.map(|v| cx.one(v)),
                    after: token.map(|v| cx.one(v)),
                    order: order(*ordering, name)?,
                    scope: types::scope(*scope),
                    access: None,
                };
                Self::replace(cx, id, cas)
            }
            _ => Self::unsupported_op(name),
        }
    }

    /// Lowers an atomic reduction into a tile of a view.
    pub(super) fn atomic_view(
        &mut self,
        cx: &mut Lowering<'_>,
        id: OpId,
        op: &ViewOp,
        name: &str,
    ) -> Translated {
        let ViewOp::AtomicRedViewTko {
            view,
            index,
            value,
            token,
            ordering,
            scope,
            mode,
            inbounds,
        } = op
        else {
            return Self::unsupported_op(name);
        };
        // The language's verifier refuses views whose tiles are not in a grid.
        let Some(tiling) = tiling(cx.from.ty(*view)) else {
            return Self::unsupported_op(name);
        };
        let atomic = TileAaDialect::AtomicTile {
            memref: cx.one(*view),
            index: index.iter().map(|&v| cx.one(v)).collect(),
            value: cx.one(*value),
            after: token.map(|v| cx.one(v)),
            steps: steps(&tiling)?,
            inbounds: promises(inbounds, tiling.dim_map.len()),
            dim_map: tiling.dim_map,
            op: operation(*mode),
            order: order(*ordering, name)?,
            scope: types::scope(*scope),
            access: None,
        };
        Self::replace(cx, id, atomic)
    }
}
