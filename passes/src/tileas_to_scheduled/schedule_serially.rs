//! Schedules all ops on one agent, in program order. `tileas` to `scheduled`.
//!
//! In: any function. Out: one agent, "all", of all warps, that contains the whole body; `scf.return` after it.
//! Program order respects the token edges, since a token is defined before it is used; no op gets a slot. An
//! `scf.return` that leaves early stays where it is.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Func, OpId, Origin, Region, Translate, Translated, Translation, translate_func,
};
use tilewright_irs::scheduled::{Scheduled, ScheduledDialect};
use tilewright_irs::tileas::{TileAs, TileAsOp, TileAsType};

/// Moves the body into one agent, in program order.
///
/// # Errors
/// None; the type is that of all passes.
pub fn schedule_serially(func: &Func<TileAs>) -> Result<Func<Scheduled>, Vec<Diagnostic<Origin>>> {
    let mut pass = Serial {
        warps: func.attrs.kernel_spec.num_warps,
        agent: None,
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

struct Serial {
    warps: u32,
    /// The agent's body, and the enclosing block.
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
                barrier: None,
                body: region,
            });
        }
        match &cx.old(id).kind {
            TileAsOp::Arith(op) => cx.carry(id, op, self),
            TileAsOp::Math(op) => cx.carry(id, op, self),
            TileAsOp::Scf(op) => cx.carry(id, op, self),
            TileAsOp::Tile(op) => cx.carry(id, op, self),
            TileAsOp::TileAs(op) => cx.carry(id, op, self),
        }
    }
}
