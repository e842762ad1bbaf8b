//! Memory accesses through pointers, globals, tokens and fences.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Flag, OpId, Translated, Value};
use tilewright_irs::cuda_tile::MemoryOp;
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::memory::FenceKind;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::{TileAaDialect, TileAaKind, TileAaType};

use super::pass::{Lowering, Pass, Problem};
use super::{hints, types};

impl Pass<'_> {
    pub(super) fn memory(
        &mut self,
        cx: &mut Lowering<'_>,
        id: OpId,
        op: &MemoryOp,
        name: &str,
    ) -> Translated {
        match op {
            MemoryOp::LoadPtrTko {
                source,
                mask,
                padding_value,
                token,
                ordering,
                scope,
                optimization_hints,
            } => {
                types::whole_bytes(cx.from.ty(*source), name)?;
                let load = TileAaDialect::GatherLoad {
                    pointers: cx.one(*source),
                    mask: mask.map(|v| cx.one(v)),
                    // Without a mask there is no padding.
                    other: padding_value.filter(|_| mask.is_some()).map(|v| cx.one(v)),
                    ordering: Self::ordering(cx, *token, *ordering, *scope, name)?,
                    latency: hints::latency(optimization_hints.as_ref(), self.target),
                    access: None,
                    route: None,
                };
                Self::replace(cx, id, load)
            }
            MemoryOp::StorePtrTko {
                destination,
                value,
                mask,
                token,
                ordering,
                scope,
                optimization_hints,
            } => {
                types::whole_bytes(cx.from.ty(*destination), name)?;
                let store = TileAaDialect::ScatterStore {
                    pointers: cx.one(*destination),
                    value: cx.one(*value),
                    mask: mask.map(|v| cx.one(v)),
                    ordering: Self::ordering(cx, *token, *ordering, *scope, name)?,
                    latency: hints::latency(optimization_hints.as_ref(), self.target),
                    access: None,
                };
                Self::replace(cx, id, store)
            }
            MemoryOp::Offset { ptr, offset } => {
                types::whole_bytes(cx.from.ty(*ptr), name)?;
                let moved = TileOp::PtrAdd {
                    pointer: cx.one(*ptr),
                    offset: cx.one(*offset),
                };
                Self::replace(cx, id, moved)
            }
            MemoryOp::MakeToken {} => Self::replace(cx, id, TileAaDialect::CreateMemToken {}),
            MemoryOp::JoinTokens { tokens } => {
                let tokens = tokens.iter().map(|&v| cx.one(v)).collect();
                Self::replace(cx, id, TileAaDialect::JoinMemTokens { tokens })
            }
            MemoryOp::AtomicRmwTko { .. } | MemoryOp::AtomicCasTko { .. } => self.atomic(cx, id, op, name),
            MemoryOp::GetGlobal { name } => {
                let global = self.globals.iter().find(|global| global.name == name.0);
                let Some(global) = global else {
                    let message = format!("the module has no global `{}`", name.0);
                    return Err(Problem::error(Code::UnknownSymbol, message));
                };
                let align = u32::try_from(global.alignment).map_err(|_| {
                    let what = format!("a global aligned to {} bytes", global.alignment);
                    types::unsupported(Code::UnsupportedFeature, what)
                })?;
                let align = align.max(global.value.ty().bytes().unwrap_or(1));
                let address = ArithOp::Global {
                    symbol: global.name.clone(),
                    value: global.value.clone(),
                    elements: global.ty.shape.iter().product(),
                    align,
                    visible: Flag(!global.private),
                };
                Self::replace(cx, id, address)
            }
            MemoryOp::Alloca { .. } => self.alloca(cx, id, name),
            MemoryOp::MemoryFenceAliasTko { token } => Self::fence(cx, id, FenceKind::Alias, Some(*token)),
            // Grids that depend on each other run one after the other before `sm_90`.
            MemoryOp::GdcLaunchDependentsTko { token } | MemoryOp::GdcWaitTko { token }
                if self.target.sm < 90 =>
            {
                let token = match token {
                    Some(token) => cx.one(*token),
                    None => cx.value(
                        TileAaDialect::CreateMemToken {},
                        TileAaType::new(TileAaKind::Token),
                    ),
                };
                cx.bind(cx.old(id).result(0), vec![token]);
                Ok(())
            }
            MemoryOp::GdcLaunchDependentsTko { token } => {
                Self::fence(cx, id, FenceKind::LaunchDependents, *token)
            }
            MemoryOp::GdcWaitTko { token } => Self::fence(cx, id, FenceKind::WaitForGrids, *token),
        }
    }

    fn fence(cx: &mut Lowering<'_>, id: OpId, kind: FenceKind, token: Option<Value>) -> Translated {
        let after = token.map(|token| cx.one(token));
        Self::replace(cx, id, TileAaDialect::Fence { kind, after })
    }
}
