//! `scheduled`: when, and by whom.
//!
//! The body is a list of agents (groups of warps); every op carries its stage and its order within the agent.
//! Barriers between agents and within one are explicit.
//!
//! Gone from here on: memory tokens as the only order; unscheduled async regions.

mod ops;

use tilewright_diagnostics::Code;
use tilewright_layouts::Dim;

use crate::core::{
    Body, Func, Language, NamedTerm, OpId, Operation, Problems, Reader, Region, SideTable, Tag, TermCodec,
};
use crate::tileas::{TileAsAttrs, TileAsDialect, TileAsType, verify};

pub use ops::{ScheduledDialect, ScheduledOp};

/// The language `scheduled`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scheduled;

/// When an op runs: its pipeline stage, and its place among the ops of its agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The pipeline stage.
    pub stage: u32,
    /// The place in the agent's order.
    pub order: u32,
}

// In the text the order is the `slot`: memory ops have an attribute `order` of their own.
impl Tag for Slot {
    fn write(&self, attrs: &mut Vec<NamedTerm>) {
        attrs.push(NamedTerm::new("stage", self.stage.write()));
        attrs.push(NamedTerm::new("slot", self.order.write()));
    }

    fn read(reader: &mut Reader<'_>) -> Self {
        // A wrong slot has been reported; the function is then dropped.
        Self {
            stage: reader.attr("stage").unwrap_or(0),
            order: reader.attr("slot").unwrap_or(0),
        }
    }
}

impl Language for Scheduled {
    const NAME: &'static str = "scheduled";
    type Type = TileAsType;
    type Op = ScheduledOp;
    type Tag = Slot;
    type FuncAttrs = TileAsAttrs;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        fn part(op: &ScheduledOp) -> verify::Part<'_> {
            match op {
                ScheduledOp::Arith(op) => verify::Part::Arith(op),
                ScheduledOp::Scf(op) => verify::Part::Scf(op),
                ScheduledOp::Tile(op) => verify::Part::Tile(op),
                ScheduledOp::TileAs(op) => verify::Part::TileAs(op),
                ScheduledOp::Scheduled(_) => verify::Part::Own,
            }
        }
        let warps = func.attrs.kernel_spec.num_warps;
        let mut warps_of: SideTable<OpId, u32> = SideTable::new(func.body.op_count());
        for id in func.body.walk() {
            if let ScheduledOp::Scheduled(ScheduledDialect::Agent { warps, body, .. }) =
                &func.body.op(id).kind
            {
                let mut inside = Vec::new();
                ops_within(&func.body, *body, &mut inside);
                inside.into_iter().for_each(|op| warps_of.set(op, *warps));
            }
        }
        let executed_by = |op: OpId| warps_of.get(op).copied().unwrap_or(warps);
        verify::verify(&func.body, &func.attrs, part, &executed_by, problems);
        for id in func.body.walk() {
            let op = func.body.op(id);
            if let ScheduledOp::TileAs(TileAsDialect::ConvertLayout { source }) = &op.kind
                && let (Some(from), Some(to)) = (
                    func.body.ty(*source).layout(),
                    func.body.ty(op.result(0)).layout(),
                )
                && to.registers_from(from).is_none()
            {
                let message = format!(
                    "a layout conversion would move elements between threads: from `{from}` to `{to}`; copy through a \
                     buffer instead"
                );
                problems.error(op.origin, Code::BadLayout, message);
            }
        }
        let mut taken = vec![None; warps as usize];
        for id in func.body.walk() {
            let op = func.body.op(id);
            let ScheduledOp::Scheduled(ScheduledDialect::Agent {
                name,
                first_warp,
                warps: count,
                body,
                ..
            }) = &op.kind
            else {
                continue;
            };
            if func
                .body
                .only_block(*body)
                .is_none_or(|block| !func.body.block(block).args.is_empty())
            {
                problems.error(
                    op.origin,
                    Code::RegionCount,
                    "an agent's body is one block without arguments",
                );
            }
            let mut inside = Vec::new();
            ops_within(&func.body, *body, &mut inside);
            for inner in inside {
                let op = func.body.op(inner);
                let mut layouts = op.results().filter_map(|value| func.body.ty(value).layout());
                if layouts.any(|layout| layout.in_size(Dim::Warp) > *count) {
                    let message =
                        format!("agent \"{name}\" has {count} warps, a tile in it is spread over more");
                    problems.error(op.origin, Code::BadLayout, message);
                }
            }
            for warp in *first_warp..first_warp.saturating_add(*count).min(warps.saturating_add(1)) {
                match taken.get_mut(warp as usize) {
                    Some(slot @ None) => *slot = Some(name.clone()),
                    Some(Some(other)) => {
                        let message =
                            format!("warp {warp} belongs to agent \"{other}\" and to agent \"{name}\"");
                        problems.error(op.origin, Code::AttributeValue, message);
                    }
                    None => {
                        let message =
                            format!("agent \"{name}\" has warp {warp}, the kernel has {warps} warps");
                        problems.error(op.origin, Code::AttributeValue, message);
                    }
                }
            }
        }
    }
}

/// The ops of a region, those of regions in it included.
fn ops_within(body: &Body<Scheduled>, region: Region, found: &mut Vec<OpId>) {
    for &block in &body.region(region).blocks {
        for &id in &body.block(block).ops {
            found.push(id);
            for inner in body.op(id).kind.region_list() {
                ops_within(body, inner, found);
            }
        }
    }
}
