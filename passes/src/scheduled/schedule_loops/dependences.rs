//! The ops of a loop's iteration with what they cost, and what they need of each other.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, OpId, Operation, Value};
use tilewright_irs::machine::GROUP_WARPS;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, uses};
use tilewright_irs::tileas::TileAsDialect;

use super::modulo::{Claim, Dependence, Problem};
use crate::scheduled::products::{Product, Products};
use crate::scheduled::work::{Unit, Work, Works};

/// The number of the resource by which an agent issues instructions, beside those of the units.
const ISSUE: usize = Unit::ALL.len();

/// Steps of a loop that are followed until they take the same time.
const STEPS: u64 = 8;

/// What an op is to the agent that executes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It begins a product, which goes on by itself.
    Product,
    /// It waits for a product or for a copy.
    Wait,
    Other,
}

/// An op of an iteration.
struct Node {
    kind: Kind,
    /// `None` if it takes no time of the agent.
    work: Option<Work>,
    /// The part of one of the agent's groups of warps.
    part: Option<Work>,
    /// The ops whose results it uses, by number, each with the number of iterations in between: 1 for a value that the iteration
    /// before hands on.
    needs: Vec<(usize, u64)>,
}

/// The ops of an iteration, by their numbers in the order of the text.
pub(super) struct Dependences {
    nodes: Vec<Node>,
    /// The groups of the agent's warps.
    groups: u32,
}

/// When a result is ready: its first elements, and all of it.
type Ready = (u64, u64);

/// Warps that execute steps of a loop.
struct Executing {
    /// Their number among all.
    group: usize,
    now: u64,
    step: u64,
    /// The ops of the step that are issued.
    issued: usize,
    /// The product that they wait for.
    waits: Option<Product>,
    /// For the last iterations of each op, when the result is ready, and the product under way, with its latency.
    ready: Vec<Ready>,
    products: Vec<Option<(Product, u64)>>,
    /// When half of the steps were done that count.
    middle: u64,
}

/// What the units do.
#[derive(Default)]
struct Busy {
    /// When each unit is free.
    free: [u64; Unit::ALL.len()],
    products: Products,
}

impl Dependences {
    /// Those of the ops of a body, which an agent of so many warps executes. `carried` gives, for each loop-carried argument, the
    /// value that the next iteration receives.
    pub(super) fn of(
        body: &Body<Scheduled>,
        ops: &[OpId],
        carried: &FxHashMap<Value, Value>,
        (works, warps): (&mut Works<'_>, u32),
    ) -> Self {
        let results =
            |(number, &id): (usize, &OpId)| body.op(id).results().map(move |result| (result, number));
        let groups = (warps / GROUP_WARPS).max(1);
        let made: FxHashMap<Value, usize> = ops.iter().enumerate().flat_map(results).collect();
        let node = |&id: &OpId| {
            let need = |value: Value| match carried.get(&value) {
                Some(next) => Some((*made.get(next)?, 1)),
                None => Some((*made.get(&value)?, 0)),
            };
            let mut needs: Vec<(usize, u64)> = uses(body, id).into_iter().filter_map(need).collect();
            needs.sort_unstable();
            needs.dedup();
            let [work, part] = [1, groups].map(|groups| work(body, id, works, [warps, groups]));
            let kind = match &body.op(id).kind {
                ScheduledOp::TileAs(TileAsDialect::DotWait { .. } | TileAsDialect::CopyWait { .. }) => {
                    Kind::Wait
                }
                ScheduledOp::TileAs(TileAsDialect::Dot { .. })
                    if work.is_some_and(|work| work.is_asynchronous) =>
                {
                    Kind::Product
                }
                _ => Kind::Other,
            };
            Node {
                kind,
                work,
                part,
                needs,
            }
        };
        Self {
            nodes: ops.iter().map(node).collect(),
            groups,
        }
    }

    /// The ops whose results an op uses, each with the number of iterations in between.
    pub(super) fn needs(&self, op: usize) -> &[(usize, u64)] {
        &self.nodes[op].needs
    }

    /// The ops as a problem of modulo scheduling.
    pub(super) fn problem(&self) -> Problem {
        let claims = self.nodes.iter().map(|node| {
            let work = node.work.iter();
            let claims = work.flat_map(|work| {
                let (own, beside) = match work.unit {
                    Unit::Arithmetic => (work.busy + work.arithmetic, 0),
                    _ => (work.busy, work.arithmetic),
                };
                [
                    (work.unit.shared_with() as usize, own),
                    (Unit::Arithmetic as usize, beside),
                    (ISSUE, work.issue),
                ]
            });
            claims
                .map(|(resource, cycles)| Claim { resource, cycles })
                .collect()
        });
        let entering = |(to, node): (usize, &Node)| -> Vec<Dependence> {
            let needs = node.needs.iter().map(|&(from, distance)| Dependence {
                from,
                to,
                latency: self.latency(from, to),
                distance,
            });
            needs.collect()
        };
        let dependences = self.nodes.iter().enumerate().flat_map(entering).collect();
        Problem::new(claims.collect(), dependences)
    }

    /// Cycles from the begin of an op to that of one that uses its result.
    fn latency(&self, from: usize, to: usize) -> u64 {
        let (
            Node {
                kind,
                work: Some(work),
                ..
            },
            to,
        ) = (&self.nodes[from], &self.nodes[to])
        else {
            return 0;
        };
        let streams = work.streams && to.work.is_some_and(|to| to.streams);
        match kind {
            // A product that adds to another one follows it in any case.
            Kind::Product if to.kind != Kind::Wait => work.issue,
            _ if streams => work.latency,
            _ => work.length() + work.latency,
        }
    }

    /// Cycles from one step of the loop to the next, if the ops of a step are executed in this order, each of a stage: warps wait
    /// until the operands of an op are there, units do one op after the other, and products go on by themselves. Groups of warps that
    /// have begun together may stay together, or alternate on the units: the mean of both.
    pub(super) fn interval(&self, order: &[(usize, u32)]) -> u64 {
        (self.interval_of(order, 1) + self.interval_of(order, self.groups)) / 2
    }

    /// The interval, if the agent's warps execute the ops as so many groups that do not wait for each other: one or all.
    fn interval_of(&self, order: &[(usize, u32)], groups: u32) -> u64 {
        let last = order
            .iter()
            .map(|&(_, stage)| u64::from(stage))
            .max()
            .unwrap_or(0);
        let (end, middle) = (last + STEPS, last + STEPS / 2);
        // The iterations of which a step uses results.
        let kept = last as usize + 2;
        let executing = |group: u32| Executing {
            group: group as usize,
            now: 0,
            step: 0,
            issued: 0,
            waits: None,
            ready: vec![(0, 0); self.nodes.len() * kept],
            products: vec![None; self.nodes.len() * kept],
            middle: 0,
        };
        let mut all: Vec<Executing> = (0..groups).map(executing).collect();
        let mut busy = Busy::default();
        loop {
            let mut open: Vec<&mut Executing> = all.iter_mut().filter(|one| one.step < end).collect();
            // What a product shares the tensor cores with is known when all others wait.
            let all_wait = open.iter().all(|one| one.waits.is_some());
            let next = open.iter_mut().min_by_key(|one| match one.waits {
                None => (0, one.now),
                Some(product) if all_wait => (1, busy.products.expected(product).1),
                Some(_) => (1, 0),
            });
            let Some(next) = next else { break };
            let Some(&(op, stage)) = order.get(next.issued) else {
                (next.step, next.issued) = (next.step + 1, 0);
                if next.step == middle {
                    next.middle = next.now;
                }
                continue;
            };
            let is_issued = match next.step.checked_sub(u64::from(stage)) {
                Some(iteration) => self.issue(op, iteration, (next, kept), &mut busy, groups),
                None => true,
            };
            next.issued += usize::from(is_issued);
        }
        let intervals = all.iter().map(|one| (one.now - one.middle) / (end - middle));
        intervals.max().unwrap_or(0)
    }

    /// Issues an op of an iteration; `false` if others may come before it: its operands are not ready yet, or it waits for a product
    /// that may yet share the tensor cores.
    fn issue(
        &self,
        op: usize,
        iteration: u64,
        (by, kept): (&mut Executing, usize),
        busy: &mut Busy,
        groups: u32,
    ) -> bool {
        let node = &self.nodes[op];
        let place = |op: usize, iteration: u64| op * kept + (iteration % kept as u64) as usize;
        let needs = node.needs.iter();
        let mut needs = needs.filter_map(|&(from, back)| Some(place(from, iteration.checked_sub(back)?)));
        let (first, whole) = needs.clone().fold((0, 0), |(first, whole): Ready, at| {
            (first.max(by.ready[at].0), whole.max(by.ready[at].1))
        });
        let work = if groups == 1 { node.work } else { node.part };
        let own = place(op, iteration);
        by.ready[own] = match (node.kind, work) {
            (Kind::Wait, _) => {
                let mut until = whole;
                if let Some((product, latency)) = needs.find_map(|at| by.products[at]) {
                    if busy.products.ended(product).is_none() && by.waits.is_none() {
                        by.waits = Some(product);
                        return false;
                    }
                    by.waits = None;
                    until = until.max(busy.products.finish(product).1 + latency);
                }
                by.now = by.now.max(until);
                (by.now, by.now)
            }
            (_, None) => (first, whole),
            (kind, Some(work)) => {
                let until = if work.streams { first } else { whole };
                if until > by.now {
                    by.now = until;
                    return false;
                }
                if kind == Kind::Product {
                    let product = busy.products.add(by.group, by.now, work.busy);
                    by.products[own] = Some((product, work.latency));
                    by.ready[own] = (by.now, by.now);
                    by.now += work.issue;
                    return true;
                }
                let free = &mut busy.free;
                let unit = work.unit.shared_with() as usize;
                let begin = by.now.max(free[unit]);
                free[unit] = begin + work.busy;
                let mut end = begin + work.length();
                if work.arithmetic > 0 {
                    let beside = &mut free[Unit::Arithmetic as usize];
                    *beside = begin.max(*beside) + work.arithmetic;
                    end = end.max(*beside);
                }
                let goes_on = work.is_asynchronous || work.unit.has_queue();
                by.now = if goes_on { by.now } else { begin } + work.issue;
                match work.streams {
                    true => (begin + work.latency, end.max(whole) + work.latency),
                    false => (end + work.latency, end + work.latency),
                }
            }
        };
        true
    }
}

/// What an op costs one of so many groups of an agent's warps, or all ops inside it, one after the other. What another agent
/// executes costs nothing.
fn work(body: &Body<Scheduled>, id: OpId, works: &mut Works<'_>, [warps, groups]: [u32; 2]) -> Option<Work> {
    match &body.op(id).kind {
        ScheduledOp::TileAs(TileAsDialect::CopyIn { atom, .. }) if atom.pipe().has_barriers() => None,
        ScheduledOp::Scf(op) => {
            let inside = op
                .region_list()
                .into_iter()
                .flat_map(|region| body.walk_region(region));
            let inside = inside.filter_map(|id| works.get(id, warps, groups));
            inside.reduce(Work::then)
        }
        _ => works.get(id, warps, groups),
    }
}
