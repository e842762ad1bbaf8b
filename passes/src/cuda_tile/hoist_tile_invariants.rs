//! Moves loop invariants out of `for` and `loop`.
//!
//! In and out: `cuda_tile`. A pure op that stands directly in the body of a loop and depends on nothing in it moves
//! before the loop, out of as many loops as that holds for. An op that is undefined for some operands (a division, a
//! promise of no overflow, an assumption, an index into a tile) moves only when the loop would certainly execute it:
//! the body of a `loop`, or of a `for` whose range is known and not empty, before anything that may end the turn.
//! Loads are not pure and stay.
//!
//! A tile of many elements, kept throughout a loop, takes that many registers. It moves only if it is expensive, as
//! its declaration says: a quotient, a root, a function, a matrix product, or elements that go to other places. Others
//! (constants, numbers in a row, copies, sums, products, comparisons, conversions, addresses) stay where they are used,
//! unless something expensive needs them: to compute them in each turn takes an instruction for each, and the assembler,
//! which counts registers, moves what it has room for.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Cost, Func, OpId, Operation, Origin};
use tilewright_irs::cuda_tile::{ControlOp, CudaTile, TileOp, TileType};

use super::behaviour::{has_result, trip_count};
use crate::cleanup::hoist_loop_invariants::{Defined, HoistPolicy, hoist_loop_invariants};

/// Moves invariants out of loops.
///
/// # Errors
/// None; the type is that of all passes.
pub fn hoist_tile_invariants(func: &Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>> {
    hoist_loop_invariants(func, &TileLoops)
}

struct TileLoops;

/// As many elements as this are one for each thread of a block of the usual size.
const FEW: u64 = 128;

impl HoistPolicy<CudaTile> for TileLoops {
    fn runs(&self, known: Defined<'_, CudaTile>, id: OpId) -> bool {
        match &known.body.op(id).kind {
            TileOp::Control(ControlOp::Loop { .. }) => true,
            op => trip_count(&|value| known.op(value), op).is_some_and(|turns| turns > 0),
        }
    }

    fn is_defined(&self, known: Defined<'_, CudaTile>, id: OpId) -> bool {
        has_result(&|value| known.op(value), &known.body.op(id).kind)
    }

    fn pays(&self, body: &Body<CudaTile>, id: OpId) -> bool {
        let op = body.op(id);
        let elements = |ty: &TileType| ty.as_tile().and_then(|tile| tile.shape.elements()).unwrap_or(0);
        op.results().all(|result| elements(body.ty(result)) <= FEW)
            || op.kind.spec().properties.cost == Cost::Expensive
    }
}
