//! Replaces hints of a program by those of whoever compiles it, which is how autotuners try values, or leaves out those for other
//! targets.

use std::borrow::Cow;

use tilewright_irs::core::Func;
use tilewright_irs::cuda_tile::{CudaTile, Hint, HintOverrides, Hints, MemoryOp, TileOp, ViewOp};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{TileAa, TileAaOp};

/// The kernel with these hints for a target, in the kernel itself and in every access that may have them. Its hints for other
/// targets stay.
pub fn override_hints<'a>(
    func: &'a Func<CudaTile>,
    overrides: &HintOverrides,
    target: Target,
) -> Cow<'a, Func<CudaTile>> {
    if overrides.is_empty() {
        return Cow::Borrowed(func);
    }
    let mut func = func.clone();
    let architecture = super::resolve_views::architecture(target);
    change(&mut func, |hints, admitted| {
        for (hint, value) in overrides.iter().filter(|(hint, _)| admitted.contains(hint)) {
            let hints = hints.get_or_insert_default();
            hints.set(&architecture, hint.word(), value);
        }
    });
    Cow::Owned(func)
}

/// The kernel, lowered, with a hint for its loops.
pub fn override_stages(mut func: Func<TileAa>, overrides: &HintOverrides) -> Func<TileAa> {
    if let Some(stages) = overrides.get(Hint::NumStages) {
        for id in func.body.walk() {
            if let TileAaOp::Scf(ScfOp::For { plan, .. }) = &mut func.body.op_mut(id).kind {
                plan.num_stages = Some(stages);
            }
        }
    }
    func
}

/// The kernel with the hints only that it has for a target and that the target can honour.
pub fn hints_for(func: &Func<CudaTile>, target: Target) -> Func<CudaTile> {
    let mut func = func.clone();
    let architecture = super::resolve_views::architecture(target);
    change(&mut func, |hints, admitted| {
        let mut own = Hints::default();
        for &hint in admitted {
            if let Some(value) = super::resolve_views::lookup(hints.as_ref(), target, hint) {
                own.set(&architecture, hint.word(), value.clone());
            }
        }
        *hints = hints.take().filter(|_| !own.0.is_empty()).map(|_| own);
    });
    func
}

/// The kernel without any hints.
pub fn without_hints(func: &Func<CudaTile>) -> Func<CudaTile> {
    let mut func = func.clone();
    change(&mut func, |hints, _| *hints = None);
    func
}

/// Changes the hints of the kernel and of every access that may have some, given which those are.
fn change(func: &mut Func<CudaTile>, change: impl Fn(&mut Option<Hints>, &[Hint])) {
    change(&mut func.attrs.optimization_hints, Hint::OF_KERNELS);
    for op in func.body.walk() {
        let op = &mut func.body.op_mut(op).kind;
        let admitted = Hint::of_op(op);
        if let TileOp::View(
            ViewOp::LoadViewTko {
                optimization_hints, ..
            }
            | ViewOp::StoreViewTko {
                optimization_hints, ..
            },
        )
        | TileOp::Memory(
            MemoryOp::LoadPtrTko {
                optimization_hints, ..
            }
            | MemoryOp::StorePtrTko {
                optimization_hints, ..
            },
        ) = op
        {
            change(optimization_hints, admitted);
        }
    }
}
