//! Branches on known conditions, and loops with no or one iteration.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, OpId, Operation, Origin, Region, Value};
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
                    self.inline(cx, id, block)?;
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
                        bind(cx, id, inits);
                        Ok(true)
                    }
                    (Some(1), Some(block)) if !jumps(cx.from, block) => {
                        let mut args = vec![cx.one(*lower_bound)];
                        args.extend(inits);
                        self.turn(cx, id, block, args)?;
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
                let args = init_values.iter().map(|&value| cx.one(value)).collect();
                self.turn(cx, id, block, args)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Inlines the only iteration of a loop, with these arguments.
    fn turn(&mut self, cx: &mut Cx<'_>, id: OpId, block: Block, args: Vec<Value>) -> Step<()> {
        let source = cx.from;
        for (&arg, value) in source.block(block).args.iter().zip(args) {
            cx.bind(arg, vec![value]);
        }
        self.inline(cx, id, block)
    }

    /// Inlines the ops of a block; the enclosing op is replaced by the operands of the block's terminator. A
    /// terminator that goes elsewhere ends the current block.
    fn inline(&mut self, cx: &mut Cx<'_>, around: OpId, block: Block) -> Step<()> {
        let source = cx.from;
        let last = source.terminator(block);
        let handed = last.and_then(|last| match (&source.op(around).kind, &source.op(last).kind) {
            (TileOp::Control(ControlOp::If { .. }), TileOp::Control(ControlOp::Yield { operands }))
            | (TileOp::Control(ControlOp::For { .. }), TileOp::Control(ControlOp::Continue { operands }))
            | (TileOp::Control(ControlOp::Loop { .. }), TileOp::Control(ControlOp::Break { operands })) => {
                Some((last, operands))
            }
            _ => None,
        });
        if let Some((last, _)) = handed {
            self.inlined.insert(last);
        }
        cx.block_ops(block, self)?;
        if let (Some((_, operands)), false) = (handed, self.ended) {
            let values = operands.iter().map(|&value| cx.one(value)).collect();
            bind(cx, around, values);
        }
        Ok(())
    }
}

fn bind(cx: &mut Cx<'_>, id: OpId, values: Vec<Value>) {
    for (result, value) in cx.old(id).results().zip(values) {
        cx.bind(result, vec![value]);
    }
}

/// Whether branches in a loop's body may continue or leave it, rather than only its terminator.
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
        matches!(
            last,
            Some(TileOp::Control(
                ControlOp::Break { .. } | ControlOp::Continue { .. }
            ))
        )
    };
    body.region(region)
        .blocks
        .iter()
        .any(|&block| ends(block) || jumps(body, block))
}
