//! What a prediction consists of.

use tilewright_irs::core::OpId;
use tilewright_irs::machine::{Chip, Cycles};

use crate::scheduled::work::Unit;

/// What is known of a launch beyond the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The extents of the grid (with clusters, in clusters). By default as many blocks as reside on the GPU at a time.
    pub grid: Option<[u64; 3]>,
    /// The parameters of the kernel, as far as they are integers and known: loops and branches may depend on them.
    pub parameters: Vec<Option<i64>>,
    /// The iterations of loops whose bounds are not known. By default [`Launch::ITERATIONS`].
    pub iterations: Option<u64>,
    /// The bytes of memory that the grid accesses, each counted once. By default all accesses are to memory, and in kernels with
    /// matrix products all find what they read in the second cache.
    pub bytes: Option<u64>,
    /// The GPU. By default the usual one of the target.
    pub chip: Option<Chip>,
}

impl Launch {
    /// The default of [`Launch::iterations`].
    pub const ITERATIONS: u64 = 32;
}

/// An op on the timeline of its agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The op.
    pub op: OpId,
    /// The warp group of the agent that executes it, if they go on independently; else 0.
    pub group: u32,
    /// What it keeps busy.
    pub unit: Unit,
    /// When it begins.
    pub start: Cycles,
    /// How long it takes.
    pub length: Cycles,
    /// The innermost loop around it, by its number among those of the agent, and the iteration.
    pub iteration: Option<(usize, u64)>,
}

/// A loop of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopTime {
    /// The op.
    pub op: OpId,
    /// The loop around it, by its number.
    pub outer: Option<usize>,
    /// Its iterations, and whether they are an assumption.
    pub iterations: u64,
    /// Whether [`iterations`](Self::iterations) are the default.
    pub assumed: bool,
    /// The iterations that have been followed.
    pub followed: u64,
    /// Cycles from one iteration to the next in the steady state, all resident blocks together.
    pub interval: Cycles,
    /// How long each unit is busy in an iteration of one block, in the order of [`Unit::ALL`].
    pub busy: [u64; Unit::ALL.len()],
}

/// An agent of one block, followed for some iterations of each loop.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentTime {
    /// Its name.
    pub name: String,
    /// Its warps.
    pub warps: u32,
    /// The parts that go on independently: warp groups, if it has products of warp groups, else one.
    pub groups: u32,
    /// Its loops, outer ones first.
    pub loops: Vec<LoopTime>,
    /// Its ops that take time, by their begin.
    pub spans: Vec<Span>,
    /// When it ends, with all iterations.
    pub end: Cycles,
}

impl AgentTime {
    /// The name of one of its groups.
    pub fn group_name(&self, group: u32) -> String {
        match self.groups {
            1 => self.name.clone(),
            _ => format!("{} {group}", self.name),
        }
    }

    /// The loop in which it spends most of its time, by its number.
    pub fn main_loop(&self) -> Option<usize> {
        let time = |each: &LoopTime| each.interval.times(each.iterations);
        // Of a nest, the innermost loop that takes half of the time.
        let all: Cycles = Cycles(self.loops.iter().map(|each| time(each).0).max()?);
        let mut long = self.loops.iter().enumerate();
        let of_nest = |each: &LoopTime| {
            let outer = std::iter::successors(each.outer, |&outer| self.loops.get(outer)?.outer);
            outer
                .filter_map(|outer| self.loops.get(outer))
                .fold(time(each), |time, outer| time.times(outer.iterations))
        };
        let longest = long.clone().map(|(_, each)| of_nest(each)).max()?;
        let enough = |each: &LoopTime| of_nest(each).0.saturating_mul(2) >= longest.0.max(all.0);
        let found = long.rfind(|(_, each)| enough(each));
        found.map(|(number, _)| number)
    }
}

/// What limits a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A unit that is busy nearly all the time.
    Unit(Unit),
    /// The latency of what follows from each other.
    Latency,
    /// The bytes that come from memory.
    Memory,
}

impl Limit {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unit(unit) => unit.name(),
            Self::Latency => "latency",
            Self::Memory => "memory",
        }
    }
}

/// The predicted time of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The agents of one block.
    pub agents: Vec<AgentTime>,
    /// The blocks that reside on a multiprocessor at a time.
    pub resident: u32,
    /// The registers of a thread that this follows from.
    pub registers: u32,
    /// The blocks of the grid.
    pub grid: u64,
    /// Whether [`grid`](Self::grid) is the default.
    pub grid_assumed: bool,
    /// The times that multiprocessors are filled with blocks.
    pub waves: u64,
    /// Which part of the time each unit is busy in the steady state, in the order of [`Unit::ALL`].
    pub utilisation: [f64; Unit::ALL.len()],
    /// What limits the steady state, or the kernel.
    pub limit: Limit,
    /// Cycles of the kernel.
    pub cycles: Cycles,
    /// Its time in seconds; `None` if there is no GPU for the target yet.
    pub seconds: Option<f64>,
}
