//! What is made of hints for accesses and loops that no schedule has followed.

use tilewright_irs::core::{Func, Operation, Origin, Value};
use tilewright_irs::cuda_tile::Hint;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::TileAsDialect;

use crate::hints::{Cause, HintUse};
use crate::program_slice::Places;

const BY_THREADS: &str =
    "threads load the tile to registers, and only copies to shared memory are begun so many iterations ahead";
const IN_TURN: &str = "each iteration waits for the copy that it begins";
const NO_LOOP: &str = "the access is in no loop, so that there are no iterations to begin it ahead of";
const STORED: &str = "nothing waits for a store";
const NO_RING: &str = "no copy of the loop is begun ahead of its iteration";
const NO_COPY: &str = "the threads of the kernel access the tile";

/// What is made of the hints of the accesses and the loops of a function whose loops are scheduled, if a schedule has not followed
/// them.
pub(super) fn access_hints(func: &Func<Scheduled>) -> Vec<HintUse> {
    let mut places = None;
    let mut uses = Vec::new();
    for id in func.body.walk() {
        let op = func.body.op(id);
        let own = match &op.kind {
            ScheduledOp::TileAs(own) => own,
            ScheduledOp::Scf(own) => {
                let asked = own.plan().num_stages.filter(|_| !has_ring(func, own));
                uses.extend(asked.map(|asked| idle(op.origin, Hint::NumStages, asked, NO_RING)));
                continue;
            }
            _ => continue,
        };
        let (latency, why, to) = match own {
            TileAsDialect::Load { latency, .. } | TileAsDialect::GatherLoad { latency, .. } => {
                (*latency, BY_THREADS, None)
            }
            TileAsDialect::CopyIn { latency, to, .. } | TileAsDialect::GatherIn { latency, to, .. } => {
                (*latency, IN_TURN, Some(*to))
            }
            TileAsDialect::Store { latency, .. } | TileAsDialect::ScatterStore { latency, .. } => {
                (*latency, STORED, None)
            }
            _ => continue,
        };
        if let TileAsDialect::Load {
            allow_tma: Some(true),
            ..
        }
        | TileAsDialect::Store {
            allow_tma: Some(true),
            ..
        } = own
        {
            uses.push(idle(op.origin, Hint::AllowTma, 1, NO_COPY));
        }
        if let Some(latency) = latency {
            let places = places.get_or_insert_with(|| Places::of(&func.body));
            let is_allocated = |to: Value| {
                let alloc = places.definition(to).map(|id| &func.body.op(id).kind);
                matches!(alloc, Some(ScheduledOp::TileAs(TileAsDialect::Alloc { .. })))
            };
            // A stage of a pipe is filled as far ahead as the pipe has stages.
            if to.is_none_or(is_allocated) {
                let why = match why == STORED || places.is_in_loop(id) {
                    true => why,
                    false => NO_LOOP,
                };
                uses.push(idle(op.origin, Hint::Latency, latency, why));
            }
        }
    }
    uses
}

/// Whether a stage of a ring is filled or read in a loop, and in no loop in it.
fn has_ring(func: &Func<Scheduled>, op: &ScfOp) -> bool {
    op.region_list().into_iter().any(|region| {
        let blocks = func.body.region(region).blocks.iter();
        let mut inside = blocks.flat_map(|&block| &func.body.block(block).ops);
        inside.any(|&id| match &func.body.op(id).kind {
            ScheduledOp::Pipe(_) | ScheduledOp::TileAs(TileAsDialect::Alloc { depth: Some(_), .. }) => true,
            ScheduledOp::Scf(inner @ ScfOp::If { .. }) => has_ring(func, inner),
            _ => false,
        })
    })
}

fn idle(origin: Origin, hint: Hint, asked: u32, why: &str) -> HintUse {
    HintUse {
        origin,
        hint: hint.into(),
        asked: Some(asked),
        used: 0,
        why: why.to_owned(),
        cause: Cause::Free,
    }
}
