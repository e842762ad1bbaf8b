//! Predicts the time of a kernel. An analysis of `scheduled`, after all passes of that language.
//!
//! The agents of the blocks that reside on a multiprocessor execute their ops in order, for a few iterations of each loop. An op
//! begins when the agent has issued those before it, its operands are ready, and its unit is free; the units are shared, each busy
//! for the work divided by its rate ([`irs::machine`](tilewright_irs::machine)). Ops on tiles pass on their first elements before
//! they have their last. Copies and products of warp groups go on by themselves, until a wait for them. Consumers wait for the
//! stages of pipes, producers for them to be empty. What an iteration adds in the end is the interval of the steady state. Where a
//! block ends, the next one begins, for a few waves; what a wave adds in the end, the others add too.
//!
//! Not known and assumed, unless it follows from the parameters: which side of a branch is taken (the first one), and the iterations
//! of loops; moreover the grid, and what is found in caches ([`Launch`]).

mod known;
mod registers;
mod run;
mod timeline;
mod trace;

use tilewright_irs::core::Func;
use tilewright_irs::machine::{Chip, Cycles, GROUP_WARPS, Machine, Rates, Registers, Resident};
use tilewright_irs::scheduled::{AgentSpec, Scheduled, ScheduledOp, agents};
use tilewright_irs::tileas::TileAsDialect;
use tilewright_layouts::Bytes;

pub use super::work::Unit;
pub use timeline::{AgentTime, Launch, Limit, LoopTime, Prediction, Span};

use super::work::{Works, vectors};
use crate::program_slice::Places;
use known::Known;
use registers::registers;
use run::{Executed, Record, Run};
use trace::trace;

/// A unit that is busy for this part of the time limits a loop.
const NEARLY_ALWAYS: f64 = 0.85;

/// Waves of blocks that are followed, at most.
const WAVES: u32 = 4;

/// Predicts the time of a kernel.
pub fn predict(func: &Func<Scheduled>, launch: &Launch) -> Prediction {
    let machine = Machine::of(func.attrs.target);
    let machine = Machine {
        chip: launch.chip.or(machine.chip),
        ..machine
    };
    let places = Places::of(&func.body);
    let vectors = vectors(&func.body);
    let registers = registers(func, &places, &vectors);
    let warps = func.attrs.kernel_spec.num_warps;
    let resident = machine.multiprocessor.resident(&Resident {
        warps,
        registers: Registers(registers),
        shared: Bytes(u64::from(func.attrs.shared_bytes)),
    });
    let resident = resident.max(1);
    let multiplies = has_products(func);
    let mut works = Works::of(func, memory_rate(&machine, launch, multiplies), vectors);
    let multiprocessors = u64::from(machine.chip.map_or(1, |chip| chip.multiprocessors));
    let ctas = u64::from(func.attrs.kernel_spec.num_ctas.max(1));
    let grid = launch.grid.map_or(multiprocessors * u64::from(resident), |grid| {
        grid.into_iter().fold(ctas, u64::saturating_mul)
    });

    // The blocks of one multiprocessor, and how many of them reside at a time.
    let each = grid.div_ceil(multiprocessors).max(1);
    let at_a_time = u32::try_from(each).unwrap_or(u32::MAX).min(resident);
    let (full, rest) = (each / u64::from(at_a_time), each % u64::from(at_a_time));
    let executed = executed(func, launch, each <= u64::from(resident));
    let waves = Waves::of(func, &mut works, &executed, at_a_time, full);
    let mut cycles = waves.cycles(full);
    if let Ok(rest @ 1..) = u32::try_from(rest) {
        cycles = cycles + Waves::of(func, &mut works, &executed, rest, 1).first;
    }
    let utilisation = utilisation(&waves.agents, at_a_time);
    let (limit, seconds) = limit(&machine, launch, cycles, &utilisation);
    Prediction {
        agents: waves.agents,
        resident,
        registers,
        grid: grid / ctas,
        grid_assumed: launch.grid.is_none(),
        waves: full + u64::from(rest > 0),
        utilisation,
        limit,
        cycles,
        seconds,
    }
}

/// The agents of the block that is followed: the one in the middle of the grid, whose loops are about as long as those of all blocks
/// on average; of a grid that resides as a whole, one whose loops are longest.
fn executed(func: &Func<Scheduled>, launch: &Launch, resides: bool) -> Vec<Executed> {
    let of = |block: [u64; 3]| -> Vec<Executed> {
        let known = Known::of(&func.body, launch, block);
        let of_agent = |spec: AgentSpec| {
            let trace = trace(&func.body, spec.body, &known);
            let groups = match trace.has_group_products {
                true => (spec.warps / GROUP_WARPS).max(1),
                false => 1,
            };
            Executed { spec, trace, groups }
        };
        agents(func).into_iter().map(of_agent).collect()
    };
    let grid = launch.grid.unwrap_or([1; 3]);
    let middle = of(grid.map(|extent| extent / 2));
    if !resides {
        return middle;
    }
    let ends = [
        of(grid.map(|extent| extent.saturating_sub(1))),
        of([0; 3]),
        middle,
    ];
    let iterations = |executed: &Vec<Executed>| {
        let traces = executed.iter().map(|executed| executed.trace.iterations());
        traces.fold(0, u64::saturating_add)
    };
    ends.into_iter().max_by_key(iterations).unwrap_or_default()
}

fn has_products(func: &Func<Scheduled>) -> bool {
    let mut ops = func.body.ops();
    ops.any(|(_, op)| match &op.kind {
        ScheduledOp::TileAs(TileAsDialect::Dot { atom, .. }) => atom.is_on_tensor_cores(),
        _ => false,
    })
}

/// Bytes of global memory in a cycle of a multiprocessor.
fn memory_rate(machine: &Machine, launch: &Launch, multiplies: bool) -> f64 {
    let cached = f64::from(Rates::L2_BYTES);
    match machine.chip {
        _ if multiplies => f64::from(Rates::SHARED_L2_BYTES),
        Some(chip) if launch.bytes.is_none() => cached.min(chip.reached() / chip.cycles_per_second()),
        _ => cached,
    }
}

fn end(times: &[AgentTime]) -> Cycles {
    times.iter().map(|time| time.end).max().unwrap_or_default()
}

/// Blocks that share a multiprocessor, one wave after the other.
struct Waves {
    /// The agents of one block of the first wave.
    agents: Vec<AgentTime>,
    /// Cycles until all blocks of the first wave have ended.
    first: Cycles,
    /// What each further wave adds: a block begins when one ends, so that blocks that began together go on at different places.
    next: Cycles,
}

impl Waves {
    fn of<'a>(
        func: &'a Func<Scheduled>,
        works: &mut Works<'a>,
        executed: &'a [Executed],
        blocks: u32,
        waves: u64,
    ) -> Self {
        let waves = u32::try_from(waves).unwrap_or(WAVES).clamp(1, WAVES);
        let (records, ends) = Run::of(func, works).execute(executed, blocks, waves);
        let both = executed.iter().zip(&records);
        let agents: Vec<AgentTime> = both.map(|(executed, records)| time(executed, records)).collect();
        // Not all iterations of each block are followed.
        let followed = records
            .iter()
            .flatten()
            .map(|record| record.end)
            .max()
            .unwrap_or(0);
        let more = end(&agents).0.saturating_sub(followed);
        let first = ends.first().copied().unwrap_or(0);
        let last = ends.last().copied().unwrap_or(first);
        let next = match waves {
            1 => first,
            _ => last.saturating_sub(first) / u64::from(waves - 1),
        };
        Self {
            agents,
            first: Cycles(first.saturating_add(more)),
            next: Cycles(next.saturating_add(more)),
        }
    }

    /// Cycles of so many waves.
    fn cycles(&self, waves: u64) -> Cycles {
        self.first + self.next.times(waves.saturating_sub(1))
    }
}

fn time(executed: &Executed, records: &[Record]) -> AgentTime {
    let Executed { spec, trace, groups } = executed;
    let loops: Vec<LoopTime> = trace
        .loops
        .iter()
        .enumerate()
        .map(|(number, each)| {
            let mut interval = 0;
            let mut busy = [0; Unit::ALL.len()];
            for record in records {
                let (cycles, own) = steady(record.begins.get(number).map_or(&[], Vec::as_slice));
                interval = cycles.max(interval);
                busy.iter_mut().zip(own).for_each(|(busy, own)| *busy += own);
            }
            LoopTime {
                op: each.op,
                outer: each.outer,
                iterations: each.iterations.unwrap_or(Launch::ITERATIONS),
                assumed: each.iterations.is_none(),
                followed: each.followed,
                interval: Cycles(interval),
                busy,
            }
        })
        .collect();
    let more: u64 = (0..loops.len())
        .filter(|&number| loops.get(number).is_some_and(|each| each.outer.is_none()))
        .map(|number| remaining(&loops, number))
        .fold(0, u64::saturating_add);
    let mut spans: Vec<Span> = records.iter().flat_map(|record| &record.spans).copied().collect();
    spans.sort_by_key(|span| span.start);
    let end = records.iter().map(|record| record.end).max().unwrap_or(0);
    AgentTime {
        name: spec.name.clone(),
        warps: spec.warps,
        groups: *groups,
        loops,
        spans,
        end: Cycles(end.saturating_add(more)),
    }
}

/// Cycles from one iteration to the next, and those of each unit in one: of the later half of the iterations.
fn steady(begins: &[(u64, [u64; Unit::ALL.len()])]) -> (u64, [u64; Unit::ALL.len()]) {
    let last = begins.len().saturating_sub(1);
    let first = (begins.len() / 2).min(last.saturating_sub(1));
    let (Some(from), Some(to)) = (begins.get(first), begins.get(last)) else {
        return (0, [0; Unit::ALL.len()]);
    };
    let count = (last - first).max(1) as u64;
    let mut busy = to.1;
    let both = busy.iter_mut().zip(from.1);
    both.for_each(|(to, from)| *to = (*to - from) / count);
    ((to.0 - from.0) / count, busy)
}

/// Cycles of the iterations of a loop, and of the loops in it, that have not been followed.
fn remaining(loops: &[LoopTime], number: usize) -> u64 {
    let Some(each) = loops.get(number) else { return 0 };
    let inner = (number + 1..loops.len())
        .filter(|&inner| loops.get(inner).is_some_and(|inner| inner.outer == Some(number)))
        .map(|inner| remaining(loops, inner));
    let inner = inner.fold(0, u64::saturating_add);
    let more = each.iterations.saturating_sub(each.followed);
    let interval = each.interval.0.saturating_add(inner);
    more.saturating_mul(interval)
        .saturating_add(each.followed.saturating_mul(inner))
}

/// Which part of the time each unit is busy in the loops where the agents spend their time, or without loops in all of it.
fn utilisation(times: &[AgentTime], blocks: u32) -> [f64; Unit::ALL.len()] {
    let whole = end(times).0.max(1);
    let mut parts = [0.0; Unit::ALL.len()];
    for time in times {
        let main = time.main_loop().and_then(|number| time.loops.get(number));
        for (unit, part) in Unit::ALL.into_iter().zip(&mut parts) {
            let of_spans = || {
                let own = time.spans.iter().filter(|span| span.unit == unit);
                own.map(|span| span.length.0).sum::<u64>()
            };
            let (busy, interval) = match main {
                Some(main) => (
                    main.busy.get(unit as usize).copied().unwrap_or(0),
                    main.interval.0,
                ),
                None => (of_spans(), whole),
            };
            let all = match unit {
                // Agents wait each for itself.
                Unit::Waiting => 1.0 / (times.len() as f64 * f64::from(time.groups)),
                _ => f64::from(blocks),
            };
            *part += all * busy as f64 / interval.max(1) as f64;
        }
    }
    parts.map(|part| part.min(1.0))
}

fn limit(
    machine: &Machine,
    launch: &Launch,
    cycles: Cycles,
    utilisation: &[f64; Unit::ALL.len()],
) -> (Limit, Option<f64>) {
    let units = Unit::ALL.into_iter().zip(utilisation);
    let busiest = units
        .filter(|(unit, _)| *unit != Unit::Waiting)
        .max_by(|(_, one), (_, other)| one.total_cmp(other));
    let limit = match busiest {
        Some((unit, part)) if *part >= NEARLY_ALWAYS => Limit::Unit(unit),
        _ => Limit::Latency,
    };
    let Some(chip) = machine.chip else {
        return (limit, None);
    };
    let [products, ..] = utilisation;
    let computing = cycles.0 as f64 / (chip.clock(*products) * 1e6);
    let moving = launch.bytes.map_or(0.0, |bytes| bytes as f64 / chip.reached());
    let launching = f64::from(Chip::LAUNCH_NANOSECONDS) * 1e-9;
    let limit = if moving > computing { Limit::Memory } else { limit };
    (limit, Some(launching + computing.max(moving)))
}
