//! Optimisation hints for a target.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Attributes, Func, Origin, Problem};
use tilewright_irs::cuda_tile::{
    Attr, CudaTile, DEFAULT_HINTS, Dict, EntryAttrs, Hint, Hints, hint_flag, hint_number,
};
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::TileAaAttrs;

/// The architecture's name in hints: `sm_90` for `sm_90a`.
pub(in crate::cuda_tile_to_tileaa) fn architecture(target: Target) -> String {
    format!("sm_{}", target.sm)
}

/// A hint's value for the target: its own, or else the default, if the target can honour it.
fn lookup(hints: Option<&Hints>, target: Target, hint: Hint) -> Option<&Attr> {
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
