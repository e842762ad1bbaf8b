//! `scheduled`: agents and pipes.
//!
//! The body is a list of agents (groups of warps), each with its registers; pipes and mutexes connect them. An op
//! that a scheduler has placed carries its stage and its order within the agent.
//!
//! Removed: memory tokens as the only order, unscheduled asynchronous regions.

mod agents;
mod ops;
mod pending;
mod pipes;
mod shared_rings;
mod staged_loop;
mod tensor_maps;

use tilewright_diagnostics::Code;

use crate::core::{
    Body, Family, FieldSpec, Func, Language, NamedTerm, OpId, Operation, Problems, Reader, Region, SideTable,
    Tag, TermCodec,
};
use crate::tileas::{TileAsAttrs, TileAsDialect, TileAsType, replicated_lanes, verify};

pub use agents::{AgentSpec, agents, is_single, named_barriers, registers_at_entry, registers_of_products};
pub use ops::{ScheduledDialect, ScheduledOp};
pub use pipes::pipes_of_tokens;
pub use staged_loop::{Carried, StagedLoop, uses};

/// The language `scheduled`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scheduled;

crate::keywords! {
    /// What an agent does for the others.
    pub enum Role {
        /// It issues copies.
        Load = "load",
        /// It computes.
        Compute = "compute",
    }
}

/// The position of an op in the schedule: the agent that will execute it, its pipeline stage, and its order among the ops of
/// its agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The agent; `None` for the one that the op is in.
    pub agent: Option<Role>,
    /// The pipeline stage.
    pub stage: u32,
    /// The position in the agent's order.
    pub order: u32,
}

// The text calls the order `slot`, since memory ops have an attribute `order` of their own.
impl Tag for Option<Slot> {
    const SPECS: &'static [FieldSpec] = &[
        FieldSpec::of::<u32>("stage", "u32", "The pipeline stage.", Family::Staging),
        FieldSpec::of::<u32>(
            "slot",
            "u32",
            "The position in the agent's order.",
            Family::Staging,
        ),
        FieldSpec::of::<Role>(
            "agent",
            "Role",
            "The agent that will execute it.",
            Family::Staging,
        ),
    ];
    fn write(&self, attrs: &mut Vec<NamedTerm>) {
        if let Some(slot) = self {
            attrs.push(NamedTerm::new("stage", slot.stage.write()));
            attrs.push(NamedTerm::new("slot", slot.order.write()));
            attrs.extend(slot.agent.map(|agent| NamedTerm::new("agent", agent.write())));
        }
    }

    fn read(reader: &mut Reader<'_>) -> Self {
        // A malformed slot has been reported; the function is then dropped.
        let stage = reader.optional_attr("stage").flatten();
        let order = reader.optional_attr("slot").flatten();
        let agent = reader.optional_attr("agent").flatten();
        if stage.is_some() != order.is_some() {
            let message = "`stage` and `slot` are given together, by what has decided when the op runs";
            reader.report(
                Code::MissingAttribute,
                message.to_owned(),
                "the other one is missing",
            );
        }
        Some(Slot {
            agent,
            stage: stage?,
            order: order?,
        })
    }
}

impl Language for Scheduled {
    const NAME: &'static str = "scheduled";
    type Type = TileAsType;
    type Op = ScheduledOp;
    type Tag = Option<Slot>;
    type FuncAttrs = TileAsAttrs;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        fn part(op: &ScheduledOp) -> verify::Part<'_> {
            match op {
                ScheduledOp::Arith(op) => verify::Part::Arith(op),
                ScheduledOp::Scf(op) => verify::Part::Scf(op),
                ScheduledOp::Tile(op) => verify::Part::Tile(op),
                ScheduledOp::TileAs(op) => verify::Part::TileAs(op),
                ScheduledOp::Math(_)
                | ScheduledOp::Pipe(_)
                | ScheduledOp::Grid(_)
                | ScheduledOp::Scheduled(_) => verify::Part::Own,
            }
        }
        let warps = func.attrs.kernel_spec.num_warps;
        let mut warps_of: SideTable<OpId, u32> = SideTable::new(func.body.op_count());
        for agent in agents(func) {
            let mut inside = Vec::new();
            ops_within(&func.body, agent.body, &mut inside);
            inside.into_iter().for_each(|op| warps_of.set(op, agent.warps));
        }
        let executed_by = |op: OpId| warps_of.get(op).copied().unwrap_or(warps);
        verify::verify(&func.body, &func.attrs, part, &executed_by, problems);
        conversions(func, problems);
        agreements(func, &executed_by, problems);
        agents::verify(func, problems);
        pipes::verify(func, problems);
        shared_rings::verify(func, problems);
        tensor_maps::verify(func, problems);
        pending::verify(func, problems);
        staged_loop::verify(&func.body, problems);
        for (_, op) in func.body.ops() {
            if let ScheduledOp::Grid(own) = &op.kind
                && let Err((code, message)) = own.check(func.attrs.target)
            {
                problems.error(op.origin, code, message);
            }
        }
    }
}

/// Checks that layout conversions move no element to another thread: those that do go through buffers.
fn conversions(func: &Func<Scheduled>, problems: &mut Problems) {
    for (_, op) in func.body.ops() {
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
}

/// Checks that `agree` is only needed within warps: an element that other warps need goes through a buffer.
fn agreements(func: &Func<Scheduled>, executed_by: &impl Fn(OpId) -> u32, problems: &mut Problems) {
    for (id, op) in func.body.ops() {
        if let ScheduledOp::TileAs(TileAsDialect::Agree { source }) = &op.kind
            && replicated_lanes(func.body.ty(*source).layout(), executed_by(id)).is_none()
        {
            let message = "`tileas.agree` would move elements between warps; copy through a buffer instead";
            problems.error(op.origin, Code::BadLayout, message);
        }
    }
}

/// The ops of a region, including nested ones.
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
