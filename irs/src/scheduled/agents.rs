//! Rules of agents: their warps, their registers, and the values that may cross between them.

use std::collections::BTreeSet;

use tilewright_diagnostics::{Code, counted};
use tilewright_layouts::Dim;
use tilewright_layouts::legality::{TMEM_LANES, TensorMemoryAccess, TensorMemoryAddress};

use super::{Scheduled, ScheduledDialect, ScheduledOp};
use crate::core::{Block, Func, OpId, Operation, Origin, Problems, Region, SideTable, Value, ValueType};
use crate::dialects::pipe::PipeOp;
use crate::dialects::scf::ScfOp;
use crate::isa::limits::{self, Steps};
use crate::isa::rules::forms;
use crate::machine::{GROUP_WARPS, LANES, Multiprocessor, NAMED_BARRIERS, Registers, threads};
use crate::tileas::atoms::WgmmaAtom;
use crate::tileas::{CopyAtom, ProductAtom, TileAsDialect, TileAsType};

/// An agent with its attributes.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// The op.
    pub op: OpId,
    /// Its name.
    pub name: String,
    /// Its first warp.
    pub first_warp: u32,
    /// The number of its warps.
    pub warps: u32,
    /// The number of registers of each of its threads.
    pub registers: Option<u32>,
    /// Its named barrier.
    pub barrier: Option<u32>,
    /// Its body.
    pub body: Region,
}

impl AgentSpec {
    /// The number of its threads.
    pub fn threads(&self) -> u32 {
        threads(self.warps)
    }
}

/// The registers that each thread has when a kernel begins, before agents change their number.
pub fn registers_at_entry(func: &Func<Scheduled>) -> u32 {
    let blocks = func.attrs.kernel_spec.blocks();
    Multiprocessor::thread_registers(threads(func.attrs.kernel_spec.num_warps), blocks).0
}

/// The agents of a function, in order.
pub fn agents(func: &Func<Scheduled>) -> Vec<AgentSpec> {
    let ops = func.body.walk().into_iter();
    ops.filter_map(|id| match &func.body.op(id).kind {
        ScheduledOp::Scheduled(ScheduledDialect::Agent {
            name,
            first_warp,
            warps,
            registers,
            barrier,
            body,
        }) => Some(AgentSpec {
            op: id,
            name: name.clone(),
            first_warp: *first_warp,
            warps: *warps,
            registers: *registers,
            barrier: *barrier,
            body: *body,
        }),
        _ => None,
    })
    .collect()
}

/// Whether there is only one agent, which has all warps.
pub fn is_single(func: &Func<Scheduled>, agents: &[AgentSpec]) -> bool {
    matches!(agents, [only] if only.first_warp == 0 && only.warps == func.attrs.kernel_spec.num_warps)
}

pub(super) fn verify(func: &Func<Scheduled>, problems: &mut Problems) {
    let agents = agents(func);
    let single = is_single(func, &agents);
    warps(func, &agents, problems);
    registers(func, &agents, problems);
    products(func, &agents, problems);
    barriers(func, &agents, problems);
    let mut owner: SideTable<Value, usize> = func.body.value_table();
    for (index, agent) in agents.iter().enumerate() {
        each_block(func, agent.body, &mut |block| {
            let data = func.body.block(block);
            data.args.iter().for_each(|&arg| owner.set(arg, index));
            for &op in &data.ops {
                func.body
                    .op(op)
                    .results()
                    .for_each(|result| owner.set(result, index));
            }
        });
    }
    for (index, agent) in agents.iter().enumerate() {
        let origin = func.body.op(agent.op).origin;
        match func.body.only_block(agent.body) {
            Some(block) if func.body.block(block).args.is_empty() => {}
            _ => problems.error(
                origin,
                Code::RegionCount,
                "an agent's body is one block without arguments",
            ),
        }
        each_block(func, agent.body, &mut |block| {
            for &id in &func.body.block(block).ops {
                inside(func, agent, single, id, problems);
                if single {
                    continue;
                }
                let op = func.body.op(id);
                op.kind.operands(&mut |value| {
                    let foreign = owner.get(value) != Some(&index) && func.body.ty(value).layout().is_some();
                    if foreign {
                        let message = format!(
                            "agent \"{}\" uses a tile that is made outside of it; between agents tiles go through \
                             buffers",
                            agent.name
                        );
                        problems.error(op.origin, Code::MisplacedOp, message);
                    }
                });
            }
        });
    }
}

/// Checks an op in an agent's body.
fn inside(func: &Func<Scheduled>, agent: &AgentSpec, single: bool, id: OpId, problems: &mut Problems) {
    let op = func.body.op(id);
    let name = &agent.name;
    let layouts = op.results().filter_map(|value| func.body.ty(value).layout());
    let spread = layouts.map(|layout| layout.in_size(Dim::Warp)).max().unwrap_or(1);
    if spread > agent.warps && agent.warps > 0 {
        let message = format!(
            "agent \"{name}\" has {}, a tile in it is spread over {spread}",
            counted(agent.warps, "warp")
        );
        problems.error(op.origin, Code::BadLayout, message);
    }
    match &op.kind {
        ScheduledOp::Scf(ScfOp::Return {}) if !single => problems.error(
            op.origin,
            Code::MisplacedOp,
            "`scf.return` ends the kernel, which one of several agents cannot do; end the agent's body",
        ),
        ScheduledOp::TileAs(TileAsDialect::Dot { atom, .. }) if atom.is_by_warp_groups() => {
            group_of(agent, op.origin, &format!("`{}`", atom.word()), problems);
        }
        ScheduledOp::TileAs(TileAsDialect::Copy {
            atom: atom @ (CopyAtom::TensorLd(_) | CopyAtom::TensorSt(_)),
            ..
        }) => lanes_of(agent, op.origin, atom.word(), problems),
        _ => {}
    }
}

fn each_block(func: &Func<Scheduled>, region: Region, visit: &mut impl FnMut(Block)) {
    for &block in &func.body.region(region).blocks {
        visit(block);
        for &op in &func.body.block(block).ops {
            for inner in func.body.op(op).kind.region_list() {
                each_block(func, inner, visit);
            }
        }
    }
}

/// Checks an agent with ops that whole warp groups execute.
fn group_of(agent: &AgentSpec, origin: Origin, what: &str, problems: &mut Problems) {
    if !agent.first_warp.is_multiple_of(GROUP_WARPS) || !agent.warps.is_multiple_of(GROUP_WARPS) {
        let message = format!(
            "{what} is done by groups of {GROUP_WARPS} warps that begin at a multiple of {GROUP_WARPS}; agent \"{}\" has warps {} \
             to {}",
            agent.name,
            agent.first_warp,
            agent.first_warp + agent.warps.saturating_sub(1)
        );
        problems.error(origin, Code::AttributeValue, message);
    }
}

/// The registers that each thread must begin with for a product, if it is one of warp groups.
fn of_product(func: &Func<Scheduled>, id: OpId) -> Option<(WgmmaAtom, Registers)> {
    let op = func.body.op(id);
    let ScheduledOp::TileAs(TileAsDialect::Dot {
        a,
        atom: ProductAtom::Wgmma(atom),
        ..
    }) = &op.kind
    else {
        return None;
    };
    let sum = op.results().find_map(|result| match func.body.ty(result) {
        TileAsType::Pending(Some(pending)) => pending.ready().element()?.scalar(),
        _ => None,
    })?;
    let in_registers = func.body.ty(*a).layout().is_some();
    Some((*atom, atom.registers(sum.bits(), in_registers)))
}

/// The registers that the threads of a kernel must begin with for each of its products of warp groups.
pub fn registers_of_products(func: &Func<Scheduled>) -> Registers {
    let ops = func.body.walk().into_iter();
    let needed = ops.filter_map(|id| of_product(func, id));
    needed.map(|(_, registers)| registers).max().unwrap_or_default()
}

/// Checks that the threads of a kernel begin with the registers of each product. Without changes of their number, a hint for
/// the occupancy gives way.
fn products(func: &Func<Scheduled>, agents: &[AgentSpec], problems: &mut Problems) {
    let warps = func.attrs.kernel_spec.num_warps;
    let blocks = match agents.iter().any(|agent| agent.registers.is_some()) {
        true => func.attrs.kernel_spec.blocks(),
        false => 1,
    };
    let entry = Multiprocessor::thread_registers(threads(warps), blocks);
    for id in func.body.walk() {
        let Some((atom, needed)) = of_product(func, id) else {
            continue;
        };
        if needed > entry {
            let message = format!(
                "`wgmma<n = {}>` needs {} a thread, {} of them for its operands; threads begin with {}, with {} a block and {} \
                 on a multiprocessor, and what `setmaxnreg` gives later does not count",
                atom.n,
                counted(needed.0, "register"),
                needed.0 - Multiprocessor::BESIDE_WGMMA.0,
                entry.0,
                counted(warps, "warp"),
                counted(blocks, "block"),
            );
            problems.error(func.body.op(id).origin, Code::Registers, message);
        }
    }
}

/// Checks that the warps of an agent can access the lanes of tensor memory that they hold: the first one lane 0 and on.
fn lanes_of(agent: &AgentSpec, origin: Origin, atom: &str, problems: &mut Problems) {
    let parts = (0..TMEM_LANES / LANES).cycle();
    for (at, part) in (0..agent.warps).zip(parts) {
        let access = TensorMemoryAccess {
            warp: agent.first_warp.saturating_add(at),
            address: TensorMemoryAddress {
                lane: u16::try_from(part * LANES).unwrap_or(u16::MAX),
                column: 0,
            },
            lanes: LANES,
            columns: 1,
        };
        if let Err(violations) = access.check() {
            let message = format!(
                "`{atom}` in agent \"{}\", whose first warp is {}: warp {} of the block cannot access lanes of its part of tensor \
                 memory: {}",
                agent.name,
                agent.first_warp,
                access.warp,
                violations.to_string().replace('\n', "; "),
            );
            problems.error(origin, Code::TensorMemory, message);
            return;
        }
    }
}

fn warps(func: &Func<Scheduled>, agents: &[AgentSpec], problems: &mut Problems) {
    let warps = func.attrs.kernel_spec.num_warps;
    let mut names = BTreeSet::new();
    let mut taken: Vec<Option<&str>> = vec![None; warps as usize];
    for agent in agents {
        let (op, name) = (func.body.op(agent.op), agent.name.as_str());
        let (origin, warps_are) = (op.origin, op.part("warps"));
        if !names.insert(name) {
            let message = format!("there are two agents \"{name}\"");
            problems.error_at(origin, op.part("name"), Code::DuplicateSymbol, message);
        }
        if agent.warps == 0 {
            let message = format!("agent \"{name}\" has no warps");
            problems.error_at(origin, warps_are, Code::AttributeValue, message);
        } else if !agent.warps.is_power_of_two() {
            let message = format!(
                "agent \"{name}\" has {}; tiles are spread over a power of two",
                counted(agent.warps, "warp")
            );
            problems.error_at(origin, warps_are, Code::AttributeValue, message);
        }
        let end = agent.first_warp.saturating_add(agent.warps);
        if end > warps {
            let message = format!(
                "agent \"{name}\" has warps {} to {}, the kernel has {}",
                agent.first_warp,
                end - 1,
                counted(warps, "warp")
            );
            problems.error_at(origin, warps_are, Code::AttributeValue, message);
        }
        let mut overlap: Option<(u32, &str)> = None;
        for (warp, slot) in (0..).zip(&mut taken) {
            if (agent.first_warp..end).contains(&warp) {
                match slot {
                    Some(other) => overlap = overlap.or(Some((warp, other))),
                    None => *slot = Some(name),
                }
            }
        }
        if let Some((warp, other)) = overlap {
            let message = format!("warp {warp} belongs to agent \"{other}\" and to agent \"{name}\"");
            problems.error_at(origin, op.part("first_warp"), Code::AttributeValue, message);
        }
    }
}

fn registers(func: &Func<Scheduled>, agents: &[AgentSpec], problems: &mut Problems) {
    let Steps { least, most, step } = limits::SETMAXNREG;
    let entry = registers_at_entry(func);
    // What agents have more than the threads of a block begin with; that is all there is. (PTX ISA, `setmaxnreg`.)
    let mut taken = 0i64;
    for agent in agents {
        let Some(registers) = agent.registers else {
            continue;
        };
        let op = func.body.op(agent.op);
        let (origin, registers_are) = (op.origin, op.part("registers"));
        if !limits::SETMAXNREG.contains(registers) {
            let message = format!(
                "agent \"{}\" asks for {} a thread; `setmaxnreg` gives a multiple of {step} from {least} to {most}",
                agent.name,
                counted(registers, "register")
            );
            problems.error_at(origin, registers_are, Code::Registers, message);
        } else if let Some(need) = forms::set_max_registers(registers)
            && !func.attrs.target.provides(need)
        {
            let target = func.attrs.target;
            let message = format!(
                "agent \"{}\" changes its registers: `setmaxnreg` needs {need}; the target is {target}",
                agent.name
            );
            problems.error_at(origin, registers_are, Code::TargetLacksFeature, message);
        }
        group_of(agent, origin, "`setmaxnreg`", problems);
        let (most, begin) = (
            agent.threads().saturating_mul(registers),
            agent.threads().saturating_mul(entry),
        );
        taken = taken.saturating_add(i64::from(most) - i64::from(begin));
    }
    let mut asked = agents.iter().filter_map(|agent| agent.registers);
    if taken > 0 && asked.all(|registers| limits::SETMAXNREG.contains(registers)) {
        let budgets = agents.iter().map(|agent| {
            let registers = agent.registers.unwrap_or(entry);
            format!("{} x {registers}", agent.threads())
        });
        let budgets: Vec<String> = budgets.collect();
        let message = format!(
            "the agents' threads have {} together, {taken} more than they begin with, {entry} a thread",
            budgets.join(" + "),
        );
        problems.error(Origin::FUNCTION, Code::Registers, message);
    }
}

/// The number of named barriers that an op needs: one for an agent that does not have all warps, one for each agent of
/// a mutex.
pub fn named_barriers(kind: &ScheduledOp, warps: u32) -> u32 {
    match kind {
        ScheduledOp::Scheduled(ScheduledDialect::Agent { warps: own, .. }) => u32::from(*own < warps),
        ScheduledOp::Pipe(PipeOp::Mutex { agents, .. }) => u32::try_from(agents.len()).unwrap_or(u32::MAX),
        _ => 0,
    }
}

/// Checks that all named barriers fit, and that assigned ones are distinct. Barrier 0 is that of all warps.
fn barriers(func: &Func<Scheduled>, agents: &[AgentSpec], problems: &mut Problems) {
    let warps = func.attrs.kernel_spec.num_warps;
    let mut taken: BTreeSet<u32> = BTreeSet::from([0]);
    let (mut agents_count, mut mutex_count) = (0, 0);
    for id in func.body.walk() {
        let op = func.body.op(id);
        let count = named_barriers(&op.kind, warps);
        let assigned = match &op.kind {
            ScheduledOp::Scheduled(ScheduledDialect::Agent { barrier, .. }) => {
                agents_count += count;
                barrier.filter(|_| count > 0)
            }
            ScheduledOp::Pipe(PipeOp::Mutex { barrier, .. }) => {
                mutex_count += count;
                *barrier
            }
            _ => None,
        };
        let Some(first) = assigned else { continue };
        for barrier in first..first.saturating_add(count) {
            if barrier >= NAMED_BARRIERS || !taken.insert(barrier) {
                let message = format!(
                    "barrier {barrier} is not free: a block has barriers 0 to {}, 0 is that of all warps",
                    NAMED_BARRIERS - 1
                );
                problems.error(op.origin, Code::HardwareLimit, message);
                break;
            }
        }
    }
    let needed = 1 + agents_count + mutex_count;
    if needed > NAMED_BARRIERS {
        let origin = agents
            .last()
            .map_or(Origin::FUNCTION, |agent| func.body.op(agent.op).origin);
        let message = format!(
            "{needed} named barriers are needed: 1 for all warps, {agents_count} for agents, {mutex_count} for mutexes; \
             a block has {NAMED_BARRIERS}"
        );
        problems.error(origin, Code::HardwareLimit, message);
    }
}
