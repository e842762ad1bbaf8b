//! The agents of all resident blocks, each executing its steps in order, on units that they share.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Func, OpId, Operation, SideTable, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::pipe::{PipeOp, PipeType};
use tilewright_irs::literal::Dense;
use tilewright_irs::machine::{Costs, Cycles, Machine};
use tilewright_irs::scheduled::{AgentSpec, Scheduled, ScheduledOp};
use tilewright_irs::tileas::{TileAsDialect, TileAsType};

use super::timeline::Span;
use super::trace::{Step, Trace};
use crate::scheduled::products::{Product, Products};
use crate::scheduled::work::{Unit, Works};

/// When a value is ready, and what it is.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    /// Its first elements.
    first: u64,
    /// All of it.
    last: u64,
    /// The number of the stage, of a state or a token.
    stage: u64,
    /// The pipe of a token.
    pipe: Option<Value>,
    /// The product of a warp group that makes it.
    product: Option<Product>,
}

/// What an agent waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    No,
    /// For a product of its own.
    Product(Product),
    /// For other agents.
    Others,
}

/// A product that has been issued.
struct Issued {
    /// The agent, by its number.
    agent: usize,
    op: OpId,
    iteration: Option<(usize, u64)>,
    latency: u64,
}

/// What agents tell each other: of a pipe or a mutex of a block, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Event {
    Full,
    Empty,
    Unlocked,
}

/// An agent with what it executes.
pub(super) struct Executed {
    pub(super) spec: AgentSpec,
    pub(super) trace: Trace,
    /// The warp groups that go on independently; 1 if the agent stays together.
    pub(super) groups: u32,
}

/// What one agent of one block has done, or one group of its warps.
struct Agent<'a> {
    /// Its number among all.
    number: usize,
    block: u32,
    group: u32,
    groups: u32,
    spec: &'a AgentSpec,
    trace: &'a Trace,
    at: usize,
    now: u64,
    values: SideTable<Value, Held>,
    /// When the accesses to shared memory are complete that a barrier waits for.
    accessed: u64,
    waits: Waits,
    /// Whether its block resides already.
    resides: bool,
    /// The iteration that it is in, for each loop from the outermost on.
    inside: Vec<(usize, u64)>,
    record: Record,
}

/// What is known of an agent in the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    pub(super) spans: Vec<Span>,
    /// The begins of the iterations of each loop, and its end, when it was last executed; with what each unit had done by then.
    pub(super) begins: Vec<Vec<(u64, [u64; Unit::ALL.len()])>>,
    pub(super) busy: [u64; Unit::ALL.len()],
    pub(super) end: u64,
}

/// The blocks that reside on a multiprocessor.
pub(super) struct Run<'a, 'w> {
    func: &'a Func<Scheduled>,
    costs: Costs,
    works: &'w mut Works<'a>,
    definitions: SideTable<Value, OpId>,
    /// The groups of each agent.
    groups: FxHashMap<&'a str, u32>,
    /// When each unit is free.
    free: [u64; Unit::ALL.len()],
    events: FxHashMap<(u32, Value, Event, u64), (u32, u64)>,
    products: Products,
    /// The products of warp groups, by their numbers.
    issued: Vec<Issued>,
}

impl<'a, 'w> Run<'a, 'w> {
    pub(super) fn of(func: &'a Func<Scheduled>, works: &'w mut Works<'a>) -> Self {
        Self {
            func,
            costs: Machine::of(func.attrs.target).costs,
            works,
            definitions: func.body.definitions(),
            groups: FxHashMap::default(),
            free: [0; Unit::ALL.len()],
            events: FxHashMap::default(),
            products: Products::default(),
            issued: Vec::new(),
        }
    }

    /// Executes the agents of `blocks` blocks that reside at a time, each of which `waves - 1` blocks follow, one after the other.
    /// The records of the first block, in the order of its agents and their groups, and when the last block of each wave has ended.
    pub(super) fn execute(
        mut self,
        agents: &'a [Executed],
        blocks: u32,
        waves: u32,
    ) -> (Vec<Vec<Record>>, Vec<u64>) {
        self.groups = agents
            .iter()
            .map(|agent| (agent.spec.name.as_str(), agent.groups))
            .collect();
        let values = self.func.body.value_count();
        let blocks = blocks.max(1);
        let mut running: Vec<Agent<'a>> = (0..blocks * waves.max(1))
            .flat_map(|block| agents.iter().map(move |agent| (block, agent)))
            .flat_map(|(block, agent)| (0..agent.groups).map(move |group| (block, agent, group)))
            .enumerate()
            .map(
                |(number, (block, Executed { spec, trace, groups }, group))| Agent {
                    number,
                    block,
                    group,
                    groups: *groups,
                    spec,
                    trace,
                    at: 0,
                    now: 0,
                    values: SideTable::new(values),
                    accessed: 0,
                    waits: Waits::No,
                    resides: block < blocks,
                    inside: Vec::new(),
                    record: Record {
                        begins: vec![Vec::new(); trace.loops.len()],
                        ..Record::default()
                    },
                },
            )
            .collect();
        loop {
            let waiting = running
                .iter_mut()
                .filter(|agent| agent.resides && agent.at < agent.trace.steps.len());
            // What a product shares the tensor cores with is known when all others wait. If all wait for others, what is waited for
            // comes with iterations that are not followed.
            let next = waiting.min_by_key(|agent| match agent.waits {
                Waits::No => (0, agent.now),
                Waits::Product(product) => (1, self.products.expected(product).1),
                Waits::Others => (2, agent.now),
            });
            let Some(agent) = next else { break };
            let forced = agent.waits != Waits::No;
            let told = self.step(agent, forced);
            let block = agent.block;
            if agent.at >= agent.trace.steps.len() {
                follow(&mut running, block, block + blocks);
            }
            if told {
                let mut others = running.iter_mut().filter(|agent| agent.waits == Waits::Others);
                others.by_ref().for_each(|agent| agent.waits = Waits::No);
            }
        }
        for (product, issued) in self.issued.iter().enumerate() {
            let (begin, end) = self.products.finish(product);
            let Some(agent) = running.get_mut(issued.agent) else {
                continue;
            };
            agent.record.end = agent.record.end.max(end + issued.latency);
            agent.record.spans.push(Span {
                op: issued.op,
                group: agent.group,
                unit: Unit::Products,
                start: Cycles(begin),
                length: Cycles(end - begin),
                iteration: issued.iteration,
            });
        }
        let mut ends = vec![0; waves.max(1) as usize];
        for agent in &running {
            if let Some(end) = ends.get_mut((agent.block / blocks) as usize) {
                *end = agent.end().max(*end);
            }
        }
        let mut records = running.into_iter().map(|mut agent| {
            agent.record.end = agent.end();
            agent.record
        });
        let of_agent = |agent: &Executed| records.by_ref().take(agent.groups as usize).collect();
        (agents.iter().map(of_agent).collect(), ends)
    }

    /// Executes a step; says whether it told something to other agents.
    fn step(&mut self, agent: &mut Agent<'a>, forced: bool) -> bool {
        let Some(step) = agent.trace.steps.get(agent.at) else {
            return false;
        };
        match step {
            Step::Pass(pairs) => {
                let held: Vec<Held> = pairs.iter().map(|&(_, from)| agent.held(from)).collect();
                for (&(to, _), held) in pairs.iter().zip(held) {
                    agent.values.set(to, held);
                }
            }
            Step::Iteration(number, iteration) => {
                if *iteration > 0 {
                    agent.inside.pop();
                } else if let Some(begins) = agent.record.begins.get_mut(*number) {
                    begins.clear();
                }
                agent.inside.push((*number, *iteration));
                agent.mark(*number);
            }
            Step::End(number) => {
                if agent.inside.last().is_some_and(|(inside, _)| inside == number) {
                    agent.inside.pop();
                }
                agent.mark(*number);
            }
            Step::Op(id) => match self.stalled(agent, *id) {
                Some(until) => {
                    agent.now = until;
                    return false;
                }
                None => match self.op(agent, *id, forced) {
                    Some(told) => {
                        agent.at += 1;
                        agent.waits = Waits::No;
                        return told;
                    }
                    None => {
                        if agent.waits == Waits::No {
                            agent.waits = Waits::Others;
                        }
                        return false;
                    }
                },
            },
        }
        agent.at += 1;
        false
    }

    /// Executes an op; `None` if it waits for what has not happened yet.
    fn op(&mut self, agent: &mut Agent<'a>, id: OpId, forced: bool) -> Option<bool> {
        let op = self.func.body.op(id);
        match &op.kind {
            ScheduledOp::Pipe(own) => return self.pipe(agent, id, own, forced),
            ScheduledOp::TileAs(TileAsDialect::DotWait { product: of, .. }) => {
                let until = match agent.held(*of).product {
                    Some(product) => self.end(agent, product, forced)?,
                    None => agent.held(*of).last,
                };
                agent.wait_until(id, until);
                agent.set_all(op.results(), agent.now);
            }
            ScheduledOp::TileAs(TileAsDialect::CopyWait { copy: of, .. }) => {
                agent.wait_until(id, agent.held(*of).last);
                agent.set_all(op.results(), agent.now);
            }
            ScheduledOp::TileAs(TileAsDialect::Barrier {}) => {
                let until = agent.now.max(agent.accessed) + self.costs.barrier.0;
                agent.wait_until(id, until);
            }
            // Arrays whose elements overlap are rare.
            ScheduledOp::TileAs(TileAsDialect::OverlapBarrier { .. }) => {}
            _ => self.ordinary(agent, id),
        }
        Some(false)
    }

    /// When the result of a product is ready; `None` if it may yet share the tensor cores with others.
    fn end(&mut self, agent: &mut Agent<'a>, product: Product, forced: bool) -> Option<u64> {
        if self.products.ended(product).is_none() && !forced {
            agent.waits = Waits::Product(product);
            return None;
        }
        let latency = self.issued.get(product).map_or(0, |issued| issued.latency);
        Some(self.products.finish(product).1 + latency)
    }

    /// When the operands are ready of an op that an agent is about to issue, if they are not yet. What other agents issue until then
    /// comes before it.
    fn stalled(&mut self, agent: &Agent<'a>, id: OpId) -> Option<u64> {
        let op = self.func.body.op(id);
        if !matches!(
            &op.kind,
            ScheduledOp::TileAs(_) | ScheduledOp::Arith(_) | ScheduledOp::Math(_) | ScheduledOp::Tile(_)
        ) {
            return None;
        }
        let work = self.works.get(id, agent.spec.warps, agent.groups)?;
        let (first, last) = agent.ready(&op.kind.operand_list());
        let until = if work.streams { first } else { last };
        (until > agent.now).then_some(until)
    }

    fn ordinary(&mut self, agent: &mut Agent<'a>, id: OpId) {
        let op = self.func.body.op(id);
        let (first, last) = agent.ready(&op.kind.operand_list());
        let Some(work) = self.works.get(id, agent.spec.warps, agent.groups) else {
            // It takes no time: its results are there when its operands are.
            for result in op.results() {
                agent.values.set(
                    result,
                    Held {
                        first,
                        last,
                        ..Held::default()
                    },
                );
            }
            return;
        };
        if let ScheduledOp::TileAs(TileAsDialect::Dot { atom, .. }) = &op.kind
            && atom.is_by_warp_groups()
            && work.is_asynchronous
        {
            let issued = agent.now;
            let product = self.products.add(agent.number, issued, work.busy);
            self.issued.push(Issued {
                agent: agent.number,
                op: id,
                iteration: agent.inside.last().copied(),
                latency: work.latency,
            });
            agent.record.busy[Unit::Products as usize] += work.busy;
            agent.now = issued + work.issue;
            // A product that adds to this one follows it in any case.
            let held = Held {
                first: issued,
                last: issued,
                product: Some(product),
                ..Held::default()
            };
            op.results().for_each(|result| agent.values.set(result, held));
            return;
        }
        let at = work.unit.shared_with() as usize;
        let free = self.free.get(at).copied().unwrap_or(0);
        let issued = agent.now;
        let start = issued.max(free);
        if let Some(free) = self.free.get_mut(at) {
            *free = start + work.busy;
        }
        // Arithmetic beside the work of another unit waits for its own.
        let beside = self.free.get(Unit::Arithmetic as usize).copied().unwrap_or(0);
        let beside = beside.max(start) + work.arithmetic;
        if work.arithmetic > 0
            && let Some(free) = self.free.get_mut(Unit::Arithmetic as usize)
        {
            *free = beside;
        }
        for (unit, cycles) in [(work.unit, work.busy), (Unit::Arithmetic, work.arithmetic)] {
            if let Some(busy) = agent.record.busy.get_mut(unit as usize) {
                *busy += cycles;
            }
        }
        let mut length = work.length();
        if work.arithmetic > 0 {
            length = length.max(beside - start);
        }
        let done = match work.streams {
            true => (start + length).max(last) + work.latency,
            false => start + length + work.latency,
        };
        agent.now = match work.is_asynchronous || work.unit.has_queue() {
            true => issued + work.issue,
            false => start + work.issue,
        };
        if work.unit == Unit::Shared {
            agent.accessed = agent.accessed.max(done);
        }
        agent.span(id, work.unit, start, length);
        let begun = if work.streams { start + work.latency } else { done };
        for result in op.results() {
            agent.values.set(
                result,
                Held {
                    first: begun,
                    last: done,
                    ..Held::default()
                },
            );
        }
        agent.record.end = agent.record.end.max(done);
    }

    fn pipe(&mut self, agent: &mut Agent<'a>, id: OpId, own: &PipeOp, forced: bool) -> Option<bool> {
        let op = self.func.body.op(id);
        let block = agent.block;
        match own {
            PipeOp::Acquire { pipe, state } | PipeOp::Wait { pipe, state, .. } => {
                let stage = agent.held(*state).stage;
                let (event, number, arrivals) = match own {
                    PipeOp::Acquire { .. } => {
                        let stages = match self.func.body.ty(*pipe) {
                            TileAsType::Pipe(PipeType::Pipe { stages, .. }) => u64::from(*stages),
                            _ => 1,
                        };
                        (
                            Event::Empty,
                            stage.checked_sub(stages),
                            self.arrivals(*pipe, Event::Empty),
                        )
                    }
                    _ => (Event::Full, Some(stage), self.arrivals(*pipe, Event::Full)),
                };
                if let Some(number) = number {
                    let told = self.events.get(&(block, *pipe, event, number));
                    let at = told.filter(|(count, _)| *count >= arrivals || forced);
                    match at {
                        Some(&(_, at)) => agent.wait_until(id, at),
                        None if forced => {}
                        None => return None,
                    }
                }
                let held = Held {
                    first: agent.now,
                    last: agent.now,
                    stage,
                    pipe: Some(*pipe),
                    ..Held::default()
                };
                op.results().for_each(|result| agent.values.set(result, held));
            }
            PipeOp::Commit { token, copies } => {
                let held = agent.held(*token);
                let arrived = copies.iter().map(|&copy| agent.held(copy).last).max();
                let at = arrived.unwrap_or(agent.now + self.arrival(held.pipe));
                return Some(self.tell(block, held.pipe, Event::Full, held.stage, at));
            }
            PipeOp::Release { token } => {
                let held = agent.held(*token);
                let at = agent.now + self.arrival(held.pipe);
                return Some(self.tell(block, held.pipe, Event::Empty, held.stage, at));
            }
            PipeOp::Advance { state, count } => {
                let count = count.map_or(Some(1), |count| self.constant(count)).unwrap_or(1);
                let stage = agent.held(*state).stage + count;
                let held = Held {
                    stage,
                    ..Held::default()
                };
                op.results().for_each(|result| agent.values.set(result, held));
            }
            PipeOp::Lock { mutex } | PipeOp::Unlock { mutex } => {
                // The state of a mutex is the number of times that the agent has had its turn.
                let turns = agent.held(*mutex).stage;
                let (place, agents) = self.order(*mutex, &agent.spec.name);
                let ticket = turns * agents + place;
                if let PipeOp::Unlock { .. } = own {
                    let held = Held {
                        stage: turns + 1,
                        ..Held::default()
                    };
                    agent.values.set(*mutex, held);
                    let at = agent.now + self.costs.barrier.0;
                    return Some(self.tell(block, Some(*mutex), Event::Unlocked, ticket, at));
                }
                if let Some(before) = ticket.checked_sub(1) {
                    let told = self.events.get(&(block, *mutex, Event::Unlocked, before));
                    let waits = told.is_none_or(|(count, _)| *count < agent.groups);
                    match told {
                        Some(&(_, at)) if !waits || forced => agent.wait_until(id, at),
                        None if forced => {}
                        _ => return None,
                    }
                }
            }
            PipeOp::Create { .. }
            | PipeOp::State { .. }
            | PipeOp::Index { .. }
            | PipeOp::Barrier { .. }
            | PipeOp::Drain { .. }
            | PipeOp::Mutex { .. } => {}
        }
        Some(false)
    }

    fn tell(&mut self, block: u32, pipe: Option<Value>, event: Event, number: u64, at: u64) -> bool {
        if let Some(pipe) = pipe {
            let told = self.events.entry((block, pipe, event, number)).or_default();
            *told = (told.0 + 1, told.1.max(at));
        }
        true
    }

    /// Cycles from an arrival to whoever waits for it.
    fn arrival(&self, pipe: Option<Value>) -> u64 {
        let kind = pipe.and_then(|pipe| match self.func.body.ty(pipe) {
            TileAsType::Pipe(PipeType::Pipe { kind, .. }) => Some(*kind),
            _ => None,
        });
        match kind.is_some_and(|kind| kind.has_barriers()) {
            true => self.costs.mbarrier.0,
            false => 0,
        }
    }

    fn definition(&self, value: Value) -> Option<&'a ScheduledOp> {
        let id = *self.definitions.get(value)?;
        Some(&self.func.body.op(id).kind)
    }

    /// The arrivals that make a stage full or empty: each group of an agent arrives for itself, and those of all consumers unless
    /// they take turns.
    fn arrivals(&self, pipe: Value, event: Event) -> u32 {
        let Some(ScheduledOp::Pipe(PipeOp::Create {
            producer,
            consumers,
            in_turns,
            ..
        })) = self.definition(pipe)
        else {
            return 1;
        };
        let groups = |agent: &String| self.groups.get(agent.as_str()).copied().unwrap_or(1);
        let mut emptying = consumers.iter().map(groups);
        match event {
            Event::Empty if in_turns.0 => emptying.next().unwrap_or(1),
            Event::Empty => emptying.sum(),
            Event::Full | Event::Unlocked => groups(producer),
        }
    }

    /// The place of an agent among those of a mutex, and their number.
    fn order(&self, mutex: Value, name: &str) -> (u64, u64) {
        let Some(ScheduledOp::Pipe(PipeOp::Mutex { agents, .. })) = self.definition(mutex) else {
            return (0, 1);
        };
        let place = agents.iter().position(|agent| agent == name);
        (place.unwrap_or(0) as u64, agents.len().max(1) as u64)
    }

    fn constant(&self, value: Value) -> Option<u64> {
        match self.definition(value)? {
            ScheduledOp::Arith(ArithOp::Constant {
                value: Dense::Splat(literal),
            }) => u64::try_from(literal.signed()).ok(),
            _ => None,
        }
    }
}

/// If all agents of a block have ended, those of the next one begin.
fn follow(running: &mut [Agent<'_>], block: u32, next: u32) {
    let own = running.iter().filter(|agent| agent.block == block);
    if own.clone().any(|agent| agent.at < agent.trace.steps.len()) {
        return;
    }
    let end = own.map(Agent::end).max().unwrap_or(0);
    for agent in running.iter_mut().filter(|agent| agent.block == next) {
        (agent.now, agent.resides) = (end, true);
    }
}

impl Agent<'_> {
    /// When all that it has begun so far is done, but for products of warp groups.
    fn end(&self) -> u64 {
        self.now.max(self.record.end)
    }

    fn held(&self, value: Value) -> Held {
        self.values.get(value).copied().unwrap_or_default()
    }

    /// When the first elements of all of these are ready, and all of them.
    fn ready(&self, values: &[Value]) -> (u64, u64) {
        let held = values.iter().map(|&value| self.held(value));
        held.fold((0, 0), |(first, last), held| {
            (first.max(held.first), last.max(held.last))
        })
    }

    fn set_all(&mut self, values: impl Iterator<Item = Value>, at: u64) {
        for value in values {
            let held = Held {
                first: at,
                last: at,
                ..Held::default()
            };
            self.values.set(value, held);
        }
    }

    fn wait_until(&mut self, id: OpId, until: u64) {
        if until > self.now {
            self.span(id, Unit::Waiting, self.now, until - self.now);
            let waited = &mut self.record.busy[Unit::Waiting as usize];
            *waited += until - self.now;
            self.now = until;
        }
    }

    fn span(&mut self, op: OpId, unit: Unit, start: u64, length: u64) {
        self.record.spans.push(Span {
            op,
            group: self.group,
            unit,
            start: Cycles(start),
            length: Cycles(length),
            iteration: self.inside.last().copied(),
        });
    }

    fn mark(&mut self, number: usize) {
        let (now, busy) = (self.now, self.record.busy);
        if let Some(begins) = self.record.begins.get_mut(number) {
            begins.push((now, busy));
        }
    }
}
