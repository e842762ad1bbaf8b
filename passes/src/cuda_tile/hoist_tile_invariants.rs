//! Takes out of `for` and `loop` what is the same in every turn.
//!
//! In and out: `cuda_tile`. A pure op that stands directly in the body of a loop and depends on nothing in it moves
//! before the loop, out of as many loops as that holds for. An op that is undefined for some operands (a division, a
//! promise of no overflow, an assumption, an index into a tile) moves only when the loop would certainly execute it:
//! the body of a `loop`, or of a `for` whose range is known and not empty, before anything that may end the turn.
//! Loads are not pure and stay.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, Operation, Origin, Region};
use tilewright_irs::cuda_tile::{ControlOp, CudaTile, TileOp};

use super::behaviour::{goes_on, has_result, trip_count};
use crate::cleanup::hoist_loop_invariants::{Defined, Loops, hoist_loop_invariants};

/// Moves invariants out of loops.
///
/// # Errors
/// None; the type is that of all passes.
pub fn hoist_tile_invariants(func: &Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>> {
    hoist_loop_invariants(func, &TileLoops)
}

struct TileLoops;

impl Loops<CudaTile> for TileLoops {
    fn body(&self, op: &TileOp) -> Option<Region> {
        let TileOp::Control(ControlOp::For { .. } | ControlOp::Loop { .. }) = op else {
            return None;
        };
        op.region_list().first().copied()
    }

    fn runs(&self, known: &Defined<'_, CudaTile>, op: &TileOp) -> bool {
        match op {
            TileOp::Control(ControlOp::Loop { .. }) => true,
            _ => trip_count(&|value| known.op(value), op).is_some_and(|turns| turns > 0),
        }
    }

    fn is_defined(&self, known: &Defined<'_, CudaTile>, op: &TileOp) -> bool {
        has_result(&|value| known.op(value), op)
    }

    fn goes_on(&self, body: &Body<CudaTile>, op: &TileOp) -> bool {
        goes_on(body, op)
    }
}
