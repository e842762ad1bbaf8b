//! Control flow, grid coordinates, assertions.
//!
//! Loops and branches are executed recursively; the readers bound their nesting depth.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Region, Value};
use tilewright_irs::cuda_tile::{ControlOp, Signedness};

use super::{print, run};
use crate::fault::{Fault, Outcome};
use crate::frame::{Flow, Frame, Op};
use crate::number::int;
use crate::tile::{Runtime, TileValue};

/// The continuation after an op.
pub(crate) enum Next {
    /// The next op, with these results.
    Values(Vec<Runtime>),
    /// An exit from the block.
    Leave(Flow),
}

pub(crate) fn evaluate(frame: &mut Frame<'_>, op: &Op, kind: &ControlOp) -> Outcome<Next> {
    let values = |frame: &Frame<'_>, operands: &[Value]| -> Outcome<Vec<Runtime>> {
        operands
            .iter()
            .map(|&value| frame.value(value).cloned())
            .collect()
    };
    Ok(match kind {
        ControlOp::For {
            lower_bound,
            upper_bound,
            step,
            init_values,
            unsigned_cmp,
            body,
        } => {
            let bounds = [*lower_bound, *upper_bound, *step];
            let signedness = if unsigned_cmp.0 {
                Signedness::Unsigned
            } else {
                Signedness::Signed
            };
            let carried = values(frame, init_values)?;
            counted_loop(frame, op, bounds, signedness, carried, *body)?
        }
        ControlOp::If {
            condition,
            then_region,
            else_region,
        } => {
            let taken = if frame.scalar(*condition, "the condition")? != 0 {
                *then_region
            } else {
                *else_region
            };
            if frame.body.region(taken).blocks.is_empty() {
                return Ok(Next::Values(Vec::new()));
            }
            let block = frame.only_block(taken)?;
            match run(frame, block, Vec::new())? {
                Flow::Yield(values) => Next::Values(values),
                flow @ (Flow::Continue(_) | Flow::Break(_) | Flow::Return) => Next::Leave(flow),
            }
        }
        ControlOp::Loop { init_values, body } => {
            let mut carried = values(frame, init_values)?;
            let block = frame.only_block(*body)?;
            loop {
                frame.machine.spend(0)?;
                match run(frame, block, carried)? {
                    Flow::Continue(next) => carried = next,
                    Flow::Break(results) => return Ok(Next::Values(results)),
                    Flow::Return => return Ok(Next::Leave(Flow::Return)),
                    Flow::Yield(_) => return Err(Fault::broken("a `loop` that ends in `yield`")),
                }
            }
        }
        ControlOp::Break { operands } => Next::Leave(Flow::Break(values(frame, operands)?)),
        ControlOp::Continue { operands } => Next::Leave(Flow::Continue(values(frame, operands)?)),
        ControlOp::Yield { operands } => Next::Leave(Flow::Yield(values(frame, operands)?)),
        ControlOp::Return { .. } => Next::Leave(Flow::Return),
        ControlOp::GetTileBlockId {} => Next::Values(frame.place.id.map(|n| TileValue::i32(n).into()).into()),
        ControlOp::GetNumTileBlocks {} => {
            Next::Values(frame.place.grid.map(|n| TileValue::i32(n).into()).into())
        }
        ControlOp::Assert { condition, message } => {
            let condition = frame.tile(*condition)?;
            frame.decides(&condition, "the condition of an assertion")?;
            if let Some(at) = condition.bits.iter().position(|&bits| bits == 0) {
                let place = condition.place(at);
                return Err(Fault::new(
                    Code::AssertionFailed,
                    format!("an assertion does not hold{place}: {message}"),
                ));
            }
            Next::Values(Vec::new())
        }
        ControlOp::PrintTko { args, token, str } => {
            let args = args
                .iter()
                .map(|&value| frame.tile(value))
                .collect::<Outcome<Vec<_>>>()?;
            let text = print::format(str, &args);
            frame.machine.print(&text)?;
            let after = frame.token(*token)?;
            let event = frame.machine.memory.event([after])?;
            // Before 13.2 there is no token result.
            let results = op.results().map(|_| event.into()).collect();
            Next::Values(results)
        }
    })
}

/// `for`: the counter is compared before each iteration, without wrapping.
fn counted_loop(
    frame: &mut Frame<'_>,
    op: &Op,
    bounds: [Value; 3],
    signedness: Signedness,
    mut carried: Vec<Runtime>,
    body: Region,
) -> Outcome<Next> {
    let tiles = [
        frame.tile(bounds[0])?,
        frame.tile(bounds[1])?,
        frame.tile(bounds[2])?,
    ];
    let ty = tiles[0].scalar_type()?;
    let mut numbers = [0i128; 3];
    for (number, tile) in numbers.iter_mut().zip(&tiles) {
        frame.decides(tile, "a bound or the step of a `for`")?;
        *number = int::value(ty, signedness, tile.single()?);
    }
    let [lower, upper, step] = numbers;
    if step <= 0 {
        let message = format!("the step of a `for` is {step}, which is not positive");
        return Err(Fault::new(Code::UndefinedResult, message));
    }
    let block = frame.only_block(body)?;
    let mut counter = lower;
    while counter < upper {
        frame.machine.spend(0)?;
        let mut arguments = vec![TileValue::scalar(ty, int::bits(ty, counter)).into()];
        arguments.append(&mut carried);
        match run(frame, block, arguments)? {
            Flow::Continue(next) => carried = next,
            Flow::Return => return Ok(Next::Leave(Flow::Return)),
            Flow::Break(_) | Flow::Yield(_) => {
                return Err(Fault::broken("a `for` that ends in no `continue`"));
            }
        }
        counter = counter.saturating_add(step);
    }
    let (_, most) = int::range(ty, signedness);
    if counter > most {
        frame.machine.warn(Code::CounterOverflow, op.origin, || {
            let message = format!("the counter of a `for` comes to {counter}, and {ty} holds {most} at most");
            Diagnostic::warning(Code::CounterOverflow, message)
                .at(
                    op.origin,
                    "the loop ends here; the hardware goes on with what is left of the number",
                )
                .help("let the counter have a wider type")
        });
    }
    Ok(Next::Values(carried))
}
