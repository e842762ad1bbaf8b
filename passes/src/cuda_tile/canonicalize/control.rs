//! Branches on known conditions, and loops with no or one iteration.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, Exit, Flow, OpId, Operation, Origin, Region, Translated, Value};
use tilewright_irs::cuda_tile::{ControlOp, CudaTile, TileOp};

use super::look::{Cx, Look};
use super::state::Canonicalize;
use crate::cuda_tile::behaviour::trip_count;

type Step<T> = Result<T, Diagnostic<Origin>>;

impl Canonicalize {
    /// Replaces a control op; false if it is kept.
    pub(super) fn control(&mut self, cx: &mut Cx<'_>, id: OpId, op: &ControlOp) -> Step<bool> {
        match op {
            ControlOp::If {
                condition,
                then_region,
                else_region,
            } => {
                let look = Look {
                    cx,
                    defined: &self.defined,
                };
                let condition = cx.one(*condition);
                let around = self.known.iter().find(|(asked, _)| *asked == condition);
                let splat = look.splat(condition).map(|literal| literal.bits == 1);
                let Some(known) = splat.or(around.map(|&(_, known)| known)) else {
                    return Ok(false);
                };
                let region = if known { *then_region } else { *else_region };
                // Without an else region there are no results.
                if let Some(block) = cx.from.only_block(region) {
                    self.inline(cx, id, block, [])?;
                }
                Ok(true)
            }
            ControlOp::For {
                lower_bound,
                init_values,
                body,
                ..
            } => {
                let look = Look {
                    cx,
                    defined: &self.defined,
                };
                let turns = trip_count(&|value| look.op(cx.one(value)), &cx.old(id).kind);
                let inits: Vec<Value> = init_values.iter().map(|&value| cx.one(value)).collect();
                match (turns, cx.from.only_block(*body)) {
                    (Some(0), _) => {
                        cx.bind_results(id, inits);
                        Ok(true)
                    }
                    (Some(1), Some(block)) if !jumps(cx.from, block) => {
                        let first = cx.one(*lower_bound);
                        self.inline(cx, id, block, std::iter::once(first).chain(inits))?;
                        Ok(true)
                    }
                    _ => Ok(false),
                }
            }
            ControlOp::Loop { init_values, body } => {
                let Some(block) = cx.from.only_block(*body) else {
                    return Ok(false);
                };
                let last = cx.from.terminator(block).map(|last| &cx.from.op(last).kind);
                let leaves = matches!(
                    last,
                    Some(TileOp::Control(
                        ControlOp::Break { .. } | ControlOp::Return { .. }
                    ))
                );
                if !leaves || jumps(cx.from, block) {
                    return Ok(false);
                }
                let args: Vec<Value> = init_values.iter().map(|&value| cx.one(value)).collect();
                self.inline(cx, id, block, args)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Writes a region's block in place of the op around it.
    fn inline(
        &mut self,
        cx: &mut Cx<'_>,
        around: OpId,
        block: Block,
        args: impl IntoIterator<Item = Value>,
    ) -> Translated {
        if let Some(values) = cx.inline(around, block, args, self)? {
            cx.bind_results(around, values);
        }
        Ok(())
    }
}

/// Whether control may go on or leave from within the branches of a loop's body, and not only at its end.
fn jumps(body: &Body<CudaTile>, block: Block) -> bool {
    let nested = |&id: &OpId| {
        let op = &body.op(id).kind;
        matches!(op, TileOp::Control(ControlOp::If { .. }))
            && op.region_list().iter().any(|&region| region_jumps(body, region))
    };
    body.block(block).ops.iter().any(nested)
}

fn region_jumps(body: &Body<CudaTile>, region: Region) -> bool {
    let ends = |block: Block| {
        let last = body.terminator(block).map(|last| &body.op(last).kind);
        last.is_some_and(|last| last.effects().flow == Flow::Exit(Exit::Loop))
    };
    body.region(region)
        .blocks
        .iter()
        .any(|&block| ends(block) || jumps(body, block))
}
