//! Hints: wishes for a target, which never change what a program computes.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::cuda_tile::{Attr, CudaTile, Dict, Hints, MemoryOp, TileOp, ViewOp};
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::TileAaAttrs;

/// A hint and where it may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hint {
    NumCtas,
    NumWarps,
    Occupancy,
    AllowTma,
    Latency,
}

impl Hint {
    const OF_KERNELS: [Self; 3] = [Self::NumCtas, Self::NumWarps, Self::Occupancy];
    const OF_VIEW_OPS: [Self; 2] = [Self::AllowTma, Self::Latency];
    const OF_POINTER_OPS: [Self; 1] = [Self::Latency];

    fn name(self) -> &'static str {
        match self {
            Self::NumCtas => "num_cta_in_cga",
            Self::NumWarps => "num_worker_warps_per_cta",
            Self::Occupancy => "occupancy",
            Self::AllowTma => "allow_tma",
            Self::Latency => "latency",
        }
    }

    /// Whether a value is one that the target can follow, and what those are.
    fn admits(self, value: &Attr, target: Target) -> (bool, &'static str) {
        let number = number(value);
        let power = |most: u32| number.is_some_and(|n| n.is_power_of_two() && n <= most);
        match self {
            Self::NumCtas if target.sm < 90 => (number == Some(1), "1 (the target has no clusters)"),
            Self::NumCtas => (power(16), "a power of two from 1 to 16"),
            Self::NumWarps => (power(32), "a power of two from 1 to 32"),
            Self::Occupancy => (
                number.is_some_and(|n| (1..=32).contains(&n)),
                "a number from 1 to 32",
            ),
            Self::AllowTma => (flag(value).is_some(), "true or false"),
            Self::Latency => (
                number.is_some_and(|n| (1..=10).contains(&n)),
                "a number from 1 to 10",
            ),
        }
    }
}

fn number(value: &Attr) -> Option<u32> {
    match value {
        Attr::Number(literal) if literal.ty.is_int() => u32::try_from(literal.signed()).ok(),
        Attr::Number(_)
        | Attr::Bool(_)
        | Attr::Type(_)
        | Attr::String(_)
        | Attr::Array(_)
        | Attr::Dense(..)
        | Attr::Predicate(_)
        | Attr::Dict(_)
        | Attr::Hints(_)
        | Attr::Reduction(_) => None,
    }
}

fn flag(value: &Attr) -> Option<bool> {
    match value {
        Attr::Bool(value) => Some(*value),
        Attr::Number(_)
        | Attr::Type(_)
        | Attr::String(_)
        | Attr::Array(_)
        | Attr::Dense(..)
        | Attr::Predicate(_)
        | Attr::Dict(_)
        | Attr::Hints(_)
        | Attr::Reduction(_) => None,
    }
}

/// The architecture's name in hints: `sm_90` for `sm_90a`.
fn architecture(target: Target) -> String {
    format!("sm_{}", target.sm)
}

/// A hint's value for the target: its own, or else the default one, if the target can follow it.
fn lookup(hints: Option<&Hints>, target: Target, hint: Hint) -> Option<&Attr> {
    hints?
        .lookup(&architecture(target), hint.name())
        .filter(|value| hint.admits(value, target).0)
}

/// What a memory op is told.
pub(super) fn latency(hints: Option<&Hints>, target: Target) -> Option<u32> {
    lookup(hints, target, Hint::Latency).and_then(number)
}

/// Whether a memory op may use the tensor memory accelerator.
pub(super) fn allow_tma(hints: Option<&Hints>, target: Target) -> Option<bool> {
    lookup(hints, target, Hint::AllowTma).and_then(flag)
}

/// The attributes of a kernel.
pub(super) fn kernel(func: &Func<CudaTile>, target: Target) -> TileAaAttrs {
    let hint = |hint| lookup(func.attrs.optimization_hints.as_ref(), target, hint).and_then(number);
    TileAaAttrs {
        target,
        num_warps: hint(Hint::NumWarps),
        num_ctas: hint(Hint::NumCtas),
        occupancy: hint(Hint::Occupancy),
    }
}

/// Warnings about hints for the target that are not known, or have values that it cannot follow; both are ignored.
pub fn check_hints(func: &Func<CudaTile>, target: Target) -> Vec<Diagnostic<Origin>> {
    let mut found = Vec::new();
    let mut check = |hints: Option<&Hints>, allowed: &[Hint], origin: Origin| {
        let own = architecture(target);
        let dicts = [own.as_str(), "default"];
        for dict in dicts
            .into_iter()
            .filter_map(|name| hints.and_then(|hints| hints.get(name)))
        {
            let Dict(entries) = dict;
            for (name, value) in entries {
                let Some(hint) = allowed.iter().find(|hint| hint.name() == name) else {
                    let names: Vec<_> = allowed.iter().map(|hint| format!("`{}`", hint.name())).collect();
                    let message = format!("`{name}` is no hint here, and is ignored");
                    found.push(
                        Diagnostic::warning(Code::UnknownHint, message)
                            .at(origin, "")
                            .help(format!("the hints here are {}", names.join(", "))),
                    );
                    continue;
                };
                let (fits, wanted) = hint.admits(value, target);
                if !fits {
                    let message = format!("the hint `{name}` is ignored: for {target} it must be {wanted}");
                    found.push(Diagnostic::warning(Code::HintOutOfRange, message).at(origin, ""));
                }
            }
        }
    };
    check(
        func.attrs.optimization_hints.as_ref(),
        &Hint::OF_KERNELS,
        Origin::FUNCTION,
    );
    for id in func.body.walk() {
        let op = func.body.op(id);
        match &op.kind {
            TileOp::View(
                ViewOp::LoadViewTko {
                    optimization_hints, ..
                }
                | ViewOp::StoreViewTko {
                    optimization_hints, ..
                },
            ) => check(optimization_hints.as_ref(), &Hint::OF_VIEW_OPS, op.origin),
            TileOp::Memory(
                MemoryOp::LoadPtrTko {
                    optimization_hints, ..
                }
                | MemoryOp::StorePtrTko {
                    optimization_hints, ..
                },
            ) => check(optimization_hints.as_ref(), &Hint::OF_POINTER_OPS, op.origin),
            TileOp::View(_) | TileOp::Memory(_) => {}
            TileOp::Float(_) | TileOp::Int(_) | TileOp::Cast(_) | TileOp::Shape(_) | TileOp::Control(_) => {}
        }
    }
    found
}
