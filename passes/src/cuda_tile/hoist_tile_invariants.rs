//! Hoists loop invariants out of `for` and `loop`.
//!
//! In and out: `cuda_tile`. A pure op directly in the body of a loop whose operands are defined outside is moved
//! before the loop, out of as many loops as possible. An op that is undefined for some operands (a division, a
//! promise about overflow, an assumption, an index into a tile) is moved only if the loop certainly executes it: in
//! the body of a `loop`, or of a `for` whose range is known and not empty, before any early exit. Loads are not pure
//! and are not moved.
//!
//! A large tile that is live throughout a loop takes a register for each of its elements. It is hoisted only if it is
//! expensive by its declaration: a quotient, a root, a function, a matrix product, or a permutation of elements.
//! Others (constants, iotas, broadcasts, sums, products, comparisons, conversions, addresses) stay in the loop unless
//! an expensive op needs them: recomputing them takes one instruction each, and ptxas, which knows the register
//! pressure, hoists those that fit.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Cost, Func, OpId, Operation, Origin};
use tilewright_irs::cuda_tile::{ControlOp, CudaTile, TileOp, TileType};

use super::behaviour::{has_result, trip_count};
use crate::cleanup::hoist_loop_invariants::{Defined, HoistPolicy, hoist_loop_invariants};

/// Hoists invariants out of loops.
///
/// # Errors
/// None; the type is that of all passes.
pub fn hoist_tile_invariants(func: &Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>> {
    hoist_loop_invariants(func, &TileLoops)
}

struct TileLoops;

/// Up to this size a tile has one element for each thread of a typical block.
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
