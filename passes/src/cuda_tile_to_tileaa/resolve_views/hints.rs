//! Optimisation hints for a target.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Attributes, Func, OpId, Origin, Problem};
use tilewright_irs::cuda_tile::{
    Attr, ControlOp, CudaTile, DEFAULT_HINTS, Dict, EntryAttrs, Hint, HintOverrides, Hints, MemoryOp, TileOp,
    TileType, ViewOp, hint_flag, hint_number,
};
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::TileAaAttrs;

use crate::hints::{AskedHint, Cause, HintUse};

/// The architecture's name in hints: `sm_90` for `sm_90a`.
pub(in crate::cuda_tile_to_tileaa) fn architecture(target: Target) -> String {
    format!("sm_{}", target.sm)
}

/// A hint's value for the target: its own, or else the default, if the target can honour it.
pub(in crate::cuda_tile_to_tileaa) fn lookup(
    hints: Option<&Hints>,
    target: Target,
    hint: Hint,
) -> Option<&Attr> {
    hints?
        .lookup(&architecture(target), hint.word())
        .filter(|value| hint.admits(value, Some(target.sm)).is_ok())
}

/// The latency hint of a memory op.
pub(super) fn latency(hints: Option<&Hints>, target: Target) -> Option<u32> {
    lookup(hints, target, Hint::Latency).and_then(hint_number)
}

/// Whether a memory op may use the tensor memory accelerator.
pub(super) fn allow_tma(hints: Option<&Hints>, target: Target) -> Option<bool> {
    lookup(hints, target, Hint::AllowTma).and_then(hint_flag)
}

/// The attributes of a kernel.
pub(super) fn kernel(func: &Func<CudaTile>, target: Target) -> TileAaAttrs {
    let hint = |hint| lookup(func.attrs.optimization_hints.as_ref(), target, hint).and_then(hint_number);
    TileAaAttrs {
        target,
        num_warps: hint(Hint::NumWarps),
        cluster_hint: hint(Hint::NumCtas),
        num_ctas: None,
        occupancy: hint(Hint::Occupancy),
    }
}

/// The hints for accesses that a kernel has for a target. Those among `of_all` were given for all of its accesses.
pub fn asked_hints(func: &Func<CudaTile>, target: Target, of_all: &HintOverrides) -> Vec<AskedHint> {
    let mut asked = Vec::new();
    let stages = of_all.get(Hint::NumStages);
    for id in func.body.walk() {
        let op = func.body.op(id);
        if is_counted(&op.kind) {
            asked.extend(stages.map(|value| AskedHint {
                origin: op.origin,
                stores: false,
                hint: Hint::NumStages.into(),
                value,
                of_all: true,
            }));
        }
        let Some((hints, stores)) = of_access(&op.kind) else {
            continue;
        };
        for &hint in Hint::of_op(&op.kind) {
            let value = lookup(hints, target, hint);
            let value = value.and_then(|value| hint_number(value).or(hint_flag(value).map(u32::from)));
            asked.extend(value.map(|value| AskedHint {
                origin: op.origin,
                stores,
                hint: hint.into(),
                value,
                of_all: of_all.get(hint).is_some(),
            }));
        }
    }
    asked
}

/// Whether an op is a loop that may have a number of stages.
fn is_counted(op: &TileOp) -> bool {
    matches!(op, TileOp::Control(ControlOp::For { .. }))
}

/// The hints of an access, and whether it stores. `None` for other ops.
fn of_access(op: &TileOp) -> Option<(Option<&Hints>, bool)> {
    let (hints, stores) = match op {
        TileOp::View(ViewOp::LoadViewTko {
            optimization_hints, ..
        })
        | TileOp::Memory(MemoryOp::LoadPtrTko {
            optimization_hints, ..
        }) => (optimization_hints, false),
        TileOp::View(ViewOp::StoreViewTko {
            optimization_hints, ..
        })
        | TileOp::Memory(MemoryOp::StorePtrTko {
            optimization_hints, ..
        }) => (optimization_hints, true),
        _ => return None,
    };
    Some((hints.as_ref(), stores))
}

/// The hints `allow_tma = true` of accesses through gather-scatter views, which cannot be followed.
pub fn gather_hints(func: &Func<CudaTile>, target: Target) -> Vec<HintUse> {
    let of_access = |id: OpId| {
        let op = func.body.op(id);
        let TileOp::View(
            ViewOp::LoadViewTko {
                view,
                optimization_hints,
                ..
            }
            | ViewOp::StoreViewTko {
                view,
                optimization_hints,
                ..
            },
        ) = &op.kind
        else {
            return None;
        };
        let gathers = matches!(func.body.ty(*view), TileType::GatherScatterView(_));
        let asks = allow_tma(optimization_hints.as_ref(), target) == Some(true);
        (gathers && asks).then(|| HintUse {
            origin: op.origin,
            hint: Hint::AllowTma.into(),
            asked: Some(1),
            used: 0,
            why: "each row of a gather-scatter view has an address of its own, and tensor copies move boxes"
                .to_owned(),
            cause: Cause::Forbidden,
        })
    };
    func.body.walk().into_iter().filter_map(of_access).collect()
}

/// Notes on hints for all accesses, in a kernel without any that may have them.
pub fn idle_hints(func: &Func<CudaTile>, of_all: &HintOverrides) -> Vec<Problem> {
    let taken = |hint: Hint| {
        let mut ops = func.body.ops();
        match hint {
            Hint::NumStages => ops.any(|(_, op)| is_counted(&op.kind)),
            hint if Hint::OF_KERNELS.contains(&hint) => true,
            hint => ops.any(|(_, op)| Hint::of_op(&op.kind).contains(&hint)),
        }
    };
    let idle = of_all.iter().filter(|(hint, _)| !taken(*hint));
    let note = |(hint, value): (Hint, Attr)| {
        let value = match hint_flag(&value) {
            Some(flag) => flag.to_string(),
            None => hint_number(&value).unwrap_or_default().to_string(),
        };
        let noun = match hint {
            Hint::NumStages => "counted loop",
            _ => "access",
        };
        let message = format!(
            "the hint `{} = {value}` has no effect: the kernel has no {noun} that may have it",
            hint.word()
        );
        Diagnostic::remark(Code::HintNotFollowed, message)
            .at(Origin::FUNCTION, "")
            .into()
    };
    idle.map(note).collect()
}

/// Warnings about default hints that this target cannot honour, although another one can. The verifier of `cuda_tile`
/// warns about those that none can honour.
pub fn check_hints(func: &Func<CudaTile>, target: Target) -> Vec<Problem> {
    let mut found = Vec::new();
    let Some(hints) = &func.attrs.optimization_hints else {
        return found;
    };
    let own = architecture(target);
    let mut of_all = hints.0.iter().enumerate();
    let Some((i, (_, Dict(entries)))) = of_all.find(|(_, (key, _))| key == DEFAULT_HINTS) else {
        return found;
    };
    let default = EntryAttrs::part("optimization_hints").entry(i);
    // The hints of memory ops are valid for all targets.
    for (j, (name, value)) in entries.iter().enumerate() {
        let overruled = hints.get(&own).is_some_and(|dict| dict.get(name).is_some());
        let Some(hint) = Hint::OF_KERNELS.iter().find(|hint| hint.word() == name) else {
            continue;
        };
        if let (false, Ok(()), Err(wanted)) = (
            overruled,
            hint.admits(value, None),
            hint.admits(value, Some(target.sm)),
        ) {
            let message =
                format!("the hint `{DEFAULT_HINTS}.{name}` is ignored: for {target} it must be {wanted}");
            found.push(Problem {
                diagnostic: Diagnostic::warning(Code::HintOutOfRange, message).at(Origin::FUNCTION, ""),
                part: default.entry(j),
            });
        }
    }
    found
}
