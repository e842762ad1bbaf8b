//! Assigns the sixteen named barriers of a block. `scheduled` to `scheduled`.
//!
//! In: any function. Out: the same function, where every agent of fewer than all warps has a barrier, and every mutex
//! one for each of its agents, consecutively. Barrier 0 is that of all warps. The others are assigned from 1 on in
//! textual order; existing assignments are kept.
//! Ill-formed: more than sixteen are an error of the verifier (E0705).

use std::collections::BTreeSet;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, OpId, Origin};
use tilewright_irs::dialects::pipe::PipeOp;
use tilewright_irs::machine::NAMED_BARRIERS;
use tilewright_irs::scheduled::{Scheduled, ScheduledDialect, ScheduledOp, named_barriers};

/// Assigns barriers.
///
/// # Errors
/// There are not enough barriers; the error is at the first op that gets none.
pub fn assign_barriers(func: &Func<Scheduled>) -> Result<Func<Scheduled>, Vec<Diagnostic<Origin>>> {
    let mut func = func.clone();
    let warps = func.attrs.kernel_spec.num_warps;
    let mut taken = BTreeSet::from([0]);
    let mut open: Vec<(OpId, u32)> = Vec::new();
    for id in func.body.walk() {
        let kind = &mut func.body.op_mut(id).kind;
        let count = named_barriers(kind, warps);
        match slot(kind) {
            Some(Some(first)) => taken.extend(*first..first.saturating_add(count)),
            Some(None) if count > 0 => open.push((id, count)),
            Some(None) | None => {}
        }
    }
    for (id, count) in open {
        let free = |first: &u32| (*first..first + count).all(|barrier| !taken.contains(&barrier));
        let Some(first) = (1..=NAMED_BARRIERS.saturating_sub(count)).find(free) else {
            let message = format!("no {count} of the {NAMED_BARRIERS} named barriers of a block are left");
            let origin = func.body.op(id).origin;
            return Err(vec![
                Diagnostic::error(Code::HardwareLimit, message).at(origin, ""),
            ]);
        };
        taken.extend(first..first + count);
        if let Some(slot) = slot(&mut func.body.op_mut(id).kind) {
            *slot = Some(first);
        }
    }
    Ok(func)
}

/// The field of an op that holds its first barrier.
fn slot(kind: &mut ScheduledOp) -> Option<&mut Option<u32>> {
    match kind {
        ScheduledOp::Scheduled(ScheduledDialect::Agent { barrier, .. })
        | ScheduledOp::Pipe(PipeOp::Mutex { barrier, .. }) => Some(barrier),
        ScheduledOp::Arith(_)
        | ScheduledOp::Math(_)
        | ScheduledOp::Scf(_)
        | ScheduledOp::Tile(_)
        | ScheduledOp::TileAs(_)
        | ScheduledOp::Pipe(_)
        | ScheduledOp::Grid(_)
        | ScheduledOp::Scheduled(_) => None,
    }
}
