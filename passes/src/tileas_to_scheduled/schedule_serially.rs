//! Schedules everything in the order of the program. `tileas` to `scheduled`.
//!
//! In: any function. Out: one agent, "all", of all warps, that holds the whole body; `scf.return` after it. Every op
//! of the agent is in stage 0; the orders count up in textual order, through nested regions. That is a valid order of
//! the token edges: a token is defined before it is used. An `scf.return` that leaves early stays where it is.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Func, OpId, Operation, Origin, Region, Translate, Translated, Translation, translate_func,
};
use tilewright_irs::scheduled::{Scheduled, ScheduledDialect, ScheduledOp, Slot};
use tilewright_irs::tileas::{TileAs, TileAsOp, TileAsType};

/// Puts the body into one agent, in program order.
///
/// # Errors
/// None; the type is that of all passes.
pub fn schedule_serially(func: &Func<TileAs>) -> Result<Func<Scheduled>, Vec<Diagnostic<Origin>>> {
    let mut pass = Serial {
        warps: func.attrs.kernel_spec.num_warps,
        agent: None,
    };
    let mut scheduled = translate_func(func, func.attrs.clone(), &mut pass)?;
    number_slots(&mut scheduled);
    Ok(scheduled)
}

/// Numbers the ops of every agent in textual order, all in stage 0.
pub(super) fn number_slots(func: &mut Func<Scheduled>) {
    fn region(func: &mut Func<Scheduled>, region_id: Region, order: &mut u32) {
        for block in func.body.region(region_id).blocks.clone() {
            for id in func.body.block(block).ops.clone() {
                func.body.op_mut(id).tag = Slot {
                    stage: 0,
                    order: *order,
                };
                *order += 1;
                for inner in func.body.op(id).kind.region_list() {
                    region(func, inner, order);
                }
            }
        }
    }
    let mut agents: Vec<Region> = Vec::new();
    for id in func.body.walk() {
        if let ScheduledOp::Scheduled(ScheduledDialect::Agent { body, .. }) = &func.body.op(id).kind {
            agents.push(*body);
        }
    }
    for agent in agents {
        region(func, agent, &mut 0);
    }
}

struct Serial {
    warps: u32,
    /// The agent's body, and the block that it stands in.
    agent: Option<(Region, Block)>,
}

impl Translate<TileAs, Scheduled> for Serial {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Translation<'_, TileAs, Scheduled>, id: OpId) -> Translated {
        let (region, root) = *self.agent.get_or_insert_with(|| {
            let root = cx.current();
            let region = cx.body_mut().add_region();
            let block = cx.body_mut().add_block(region);
            cx.go_on_in(block);
            (region, root)
        });
        if cx.from.entry().and_then(|entry| cx.from.terminator(entry)) == Some(id) {
            cx.build().effect(ScheduledDialect::End {});
            cx.go_on_in(root);
            let warps = self.warps;
            cx.build().effect(ScheduledDialect::Agent {
                name: "all".to_owned(),
                first_warp: 0,
                warps,
                registers: None,
                body: region,
            });
        }
        match &cx.old(id).kind {
            TileAsOp::Arith(op) => cx.carry(id, op, self),
            TileAsOp::Scf(op) => cx.carry(id, op, self),
            TileAsOp::Tile(op) => cx.carry(id, op, self),
            TileAsOp::TileAs(op) => cx.carry(id, op, self),
        }
    }
}
