//! Executes blocks op by op. Each group of ops has its own file; control flow, reductions and scans execute the blocks
//! of their regions here.

pub(crate) mod assume;
pub(crate) mod cast;
pub(crate) mod control;
pub(crate) mod float;
pub(crate) mod fold;
pub(crate) mod int;
pub(crate) mod matrix;
pub(crate) mod memory;
pub(crate) mod multimem;
pub(crate) mod pointer;
pub(crate) mod print;
pub(crate) mod shape;
pub(crate) mod view;
pub(crate) mod window;

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Block, OpId};
use tilewright_irs::cuda_tile::{PreviewOp, TileOp};

use crate::fault::{Fault, Outcome};
use crate::frame::{Flow, Frame, Op};
use crate::tile::Runtime;

/// Executes a block with values for its arguments.
pub(crate) fn run(frame: &mut Frame<'_>, block: Block, arguments: Vec<Runtime>) -> Outcome<Flow> {
    let data = frame.body.block(block);
    frame.define(data.args.iter().copied(), arguments)?;
    let outer = std::mem::take(&mut frame.temporaries);
    let flow = run_ops(frame, &data.ops);
    for buffer in std::mem::replace(&mut frame.temporaries, outer) {
        frame.machine.memory.free(buffer);
    }
    flow
}

fn run_ops(frame: &mut Frame<'_>, ops: &[OpId]) -> Outcome<Flow> {
    for &id in ops {
        let op = frame.body.op(id);
        let flow = step(frame, op).map_err(|fault| fault.at(op.origin))?;
        if let Some(flow) = flow {
            return Ok(flow);
        }
    }
    Ok(Flow::Yield(Vec::new()))
}

/// Executes an op. Terminators return the control flow.
fn step(frame: &mut Frame<'_>, op: &Op) -> Outcome<Option<Flow>> {
    let elements = op
        .results()
        .next()
        .and_then(|value| frame.body.ty(value).as_tile());
    let elements = elements.and_then(|tile| tile.shape.elements());
    frame
        .machine
        .spend(elements.and_then(|n| usize::try_from(n).ok()).unwrap_or(0))?;
    let results = match &op.kind {
        TileOp::Float(kind) => float::evaluate(frame, kind)?,
        TileOp::Int(kind) => int::evaluate(frame, op, kind)?,
        TileOp::Cast(kind) => cast::evaluate(frame, op, kind)?,
        TileOp::Shape(kind) => shape::evaluate(frame, op, kind)?,
        TileOp::Memory(kind) => memory::evaluate(frame, op, kind)?,
        TileOp::View(kind) => view::evaluate(frame, op, kind)?,
        TileOp::Control(kind) => match control::evaluate(frame, op, kind)? {
            control::Next::Values(values) => values,
            control::Next::Leave(flow) => return Ok(Some(flow)),
        },
        TileOp::Preview(PreviewOp::Call { callee, .. }) => {
            let message = format!(
                "`preview$call` calls `@{}`, whose body is machine code of a tile library: the evaluator does not have \
                 it",
                callee.0
            );
            return Err(Fault::new(Code::UnsupportedOp, message));
        }
    };
    frame.define(op.results(), results)?;
    Ok(None)
}
