//! Atomic accesses, through pointers and through views.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::cuda_tile::{AtomicRmwMode, MemoryOp, MemoryOrdering, MemoryScope, ViewOp};
use tilewright_irs::dialects::memory::{AtomicOp, AtomicOrder, AtomicOrdering};
use tilewright_irs::tileaa::{TileAaDialect, TileAaKind, TileAaType};

use super::pass::{Lowering, Pass, Problem};
use super::types::{self, unsupported};
use super::views::{tile_access, tiling};

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

fn ordering(
    cx: &Lowering<'_>,
    token: Option<Value>,
    order: MemoryOrdering,
    scope: MemoryScope,
    op: &str,
) -> Result<AtomicOrdering, Problem> {
    let order = match order {
        MemoryOrdering::Relaxed => AtomicOrder::Relaxed,
        MemoryOrdering::Acquire => AtomicOrder::Acquire,
        MemoryOrdering::Release => AtomicOrder::Release,
        MemoryOrdering::AcqRel => AtomicOrder::AcqRel,
        // Refused by the language's verifier.
        MemoryOrdering::Weak => {
            let what = format!("`{op}` with ordering `{order}`");
            return Err(unsupported(Code::UnsupportedFeature, what));
        }
    };
    Ok(AtomicOrdering {
        after: token.map(|v| cx.one(v)),
        order,
        scope: types::scope(scope),
    })
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
                ordering: order,
                scope,
                mode,
            } => {
                let [pointers, value] = [*pointers, *arg].map(|v| cx.one(v));
                let mask = mask.map(|v| cx.one(v));
                let op = operation(*mode);
                let ordering = ordering(cx, *token, *order, *scope, name)?;
                let access = None;
                let (old_values, after) = (cx.old(id).result(0), cx.old(id).result(1));
                if self.uses.get(old_values).is_none_or(|&uses| uses == 0) {
                    let scatter = TileAaDialect::AtomicScatter {
                        pointers,
                        value,
                        mask,
                        op,
                        ordering,
                        access,
                    };
                    let done = cx.value(scatter, TileAaType::new(TileAaKind::Token));
                    cx.bind(after, [done]);
                    return Ok(());
                }
                let rmw = TileAaDialect::AtomicRmw {
                    pointers,
                    value,
                    mask,
                    op,
                    ordering,
                    access,
                };
                Self::replace(cx, id, rmw)
            }
            MemoryOp::AtomicCasTko {
                pointers,
                cmp,
                val,
                mask,
                token,
                ordering: order,
                scope,
            } => {
                let cas = TileAaDialect::AtomicCas {
                    pointers: cx.one(*pointers),
                    compare: cx.one(*cmp),
                    value: cx.one(*val),
                    mask: mask.map(|v| cx.one(v)),
                    ordering: ordering(cx, *token, *order, *scope, name)?,
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
            ordering: order,
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
            at: tile_access(cx, *view, tiling, index, inbounds)?,
            value: cx.one(*value),
            op: operation(*mode),
            ordering: ordering(cx, *token, *order, *scope, name)?,
            access: None,
        };
        Self::replace(cx, id, atomic)
    }
}
