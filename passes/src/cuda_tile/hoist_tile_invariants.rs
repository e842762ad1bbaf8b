//! Takes out of `for` and `loop` what is the same in every turn.
//!
//! In and out: `cuda_tile`. A pure op that stands directly in the body of a loop and depends on nothing in it moves
//! before the loop, out of as many loops as that holds for. An op that is undefined for some operands (a division, a
//! promise of no overflow, an assumption, an index into a tile) moves only when the loop would certainly execute it:
//! the body of a `loop`, or of a `for` whose range is known and not empty, before anything that may end the turn.
//! Loads are not pure and stay.
//!
//! A tile of many elements, kept throughout a loop, takes that many registers. It moves only if it is dear: a quotient, a
//! root, a function, a matrix product, or elements that go to other places. Others (constants, numbers in a row, copies,
//! sums, products, comparisons, conversions, addresses) stay where they are used, unless something dear needs them:
//! to compute them in each turn takes an instruction for each, and the assembler, which counts registers, moves what it
//! has room for.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, OpId, Operation, Origin, Region};
use tilewright_irs::cuda_tile::{
    CastOp, ControlOp, CudaTile, FloatOp, IntOp, MemoryOp, ShapeOp, TileOp, TileType,
};

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

/// As many elements as this are one for each thread of a block of the usual size.
const FEW: u64 = 128;

/// Whether an op takes more than an instruction or two for each element.
fn is_dear(op: &TileOp) -> bool {
    match op {
        TileOp::Float(op) => match op {
            FloatOp::AddF { .. }
            | FloatOp::SubF { .. }
            | FloatOp::MulF { .. }
            | FloatOp::Fma { .. }
            | FloatOp::AbsF { .. }
            | FloatOp::NegF { .. }
            | FloatOp::MaxF { .. }
            | FloatOp::MinF { .. }
            | FloatOp::Ceil { .. }
            | FloatOp::Floor { .. }
            | FloatOp::CmpF { .. } => false,
            FloatOp::DivF { .. }
            | FloatOp::RemF { .. }
            | FloatOp::Sqrt { .. }
            | FloatOp::Rsqrt { .. }
            | FloatOp::Exp { .. }
            | FloatOp::Exp2 { .. }
            | FloatOp::Log { .. }
            | FloatOp::Log2 { .. }
            | FloatOp::PowF { .. }
            | FloatOp::PowI { .. }
            | FloatOp::Sin { .. }
            | FloatOp::Cos { .. }
            | FloatOp::Tan { .. }
            | FloatOp::Sinh { .. }
            | FloatOp::Cosh { .. }
            | FloatOp::Tanh { .. }
            | FloatOp::Atan2 { .. } => true,
        },
        TileOp::Int(op) => matches!(op, IntOp::DivI { .. } | IntOp::RemI { .. }),
        TileOp::Cast(op) => matches!(op, CastOp::Pack { .. } | CastOp::Unpack { .. }),
        TileOp::Shape(op) => match op {
            ShapeOp::Constant { .. }
            | ShapeOp::Iota { .. }
            | ShapeOp::Broadcast { .. }
            | ShapeOp::Select { .. }
            | ShapeOp::Assume { .. } => false,
            ShapeOp::Reshape { .. }
            | ShapeOp::Permute { .. }
            | ShapeOp::Cat { .. }
            | ShapeOp::Extract { .. }
            | ShapeOp::Insert { .. }
            | ShapeOp::Reduce { .. }
            | ShapeOp::Scan { .. }
            | ShapeOp::MmaF { .. }
            | ShapeOp::MmaI { .. }
            | ShapeOp::MmaFScaled { .. } => true,
        },
        TileOp::Memory(op) => !matches!(op, MemoryOp::Offset { .. }),
        TileOp::View(_) | TileOp::Control(_) | TileOp::Preview(_) => true,
    }
}

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

    fn pays(&self, body: &Body<CudaTile>, id: OpId) -> bool {
        let op = body.op(id);
        let elements = |ty: &TileType| ty.as_tile().and_then(|tile| tile.shape.elements()).unwrap_or(0);
        op.results().all(|result| elements(body.ty(result)) <= FEW) || is_dear(&op.kind)
    }

    fn goes_on(&self, body: &Body<CudaTile>, op: &TileOp) -> bool {
        goes_on(body, op)
    }
}
