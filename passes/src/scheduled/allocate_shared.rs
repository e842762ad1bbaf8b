//! Allocates buffers in shared memory, by liveness. `scheduled` to `scheduled`.
//!
//! In: any function. Out: the same function, where every `tileas.alloc` of shared memory has its `offset`, and
//! `shared_bytes` is their total size and `shared_align` the largest alignment, if above 16. A size beyond the
//! target's limit is E0702.
//!
//! A buffer is live from its allocation to the last use of it or of a view of it; if that is in a loop that does not
//! contain the allocation, to the end of the loop. A buffer that is passed through control flow is live to the end of its
//! agent. Buffers whose live ranges overlap get different bytes, others may share them.
//!
//! The ring of a pipe within one agent is live to the last op on the pipe. The ring of a pipe between agents is live to the end
//! of the kernel, with one exception: if tensor copies fill it and one agent alone reads it, that agent may reuse its bytes for
//! its own buffers after its last op on any pipe between agents. Agents run concurrently: buffers of different agents never share bytes, and a
//! buffer that two agents access is live throughout both.
//!
//! The largest buffer is placed first; each is placed at the lowest offset that is free throughout its live range.

use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::SharedAlign;
use tilewright_irs::core::{Body, Func, OpId, Operation, Origin, Region, SideTable, Value};
use tilewright_irs::dialects::pipe::{PipeKind, PipeOp, PipeType, PipeValue};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::machine::Machine;
use tilewright_irs::scheduled::{Scheduled, ScheduledDialect, ScheduledOp};
use tilewright_irs::tileas::{Space, TileAsDialect};

use super::buffers::Allocations;

/// Allocates shared memory.
///
/// # Errors
/// The buffers exceed the target's shared memory (E0702); the error is at the buffer that ends at the highest offset.
pub fn allocate_shared(func: &Func<Scheduled>) -> Result<Func<Scheduled>, Vec<Diagnostic<Origin>>> {
    let mut buffers = Lives::of(&func.body).buffers();
    buffers.sort_by_key(|buffer| std::cmp::Reverse(buffer.bytes));
    let mut placed: Vec<(&Buffer, u64)> = Vec::new();
    for buffer in &buffers {
        let mut taken: Vec<(u64, u64)> = placed
            .iter()
            .filter(|(other, _)| other.meets(buffer))
            .map(|(other, at)| (*at, at + other.bytes))
            .collect();
        taken.sort_unstable();
        let mut at = 0;
        for (begin, end) in taken {
            if at + buffer.bytes <= begin {
                break;
            }
            at = at.max(end.next_multiple_of(u64::from(buffer.align)));
        }
        placed.push((buffer, at));
    }
    let limit = Machine::of(func.attrs.target).multiprocessor.shared_static.0;
    let highest = placed.iter().max_by_key(|(buffer, at)| at + buffer.bytes);
    let bytes = highest.map_or(0, |(buffer, at)| at + buffer.bytes);
    let Some(shared_bytes) = u32::try_from(bytes)
        .ok()
        .filter(|&bytes| u64::from(bytes) <= limit)
    else {
        let origin = highest.map_or(Origin::FUNCTION, |(buffer, _)| func.body.op(buffer.op).origin);
        // The first words are those of ptxas, which autotuners look for.
        let message = format!(
            "entry function '{}' uses too much shared data ({bytes:#x} bytes, {limit:#x} max): its buffers need {bytes} \
             bytes of shared memory at once; a block on {} has at most {limit}",
            func.name, func.attrs.target
        );
        return Err(vec![
            Diagnostic::error(Code::SharedMemory, message)
                .at(origin, "")
                .help("use smaller tiles, fewer stages or a smaller element type"),
        ]);
    };
    let align = buffers.iter().map(|buffer| buffer.align).max();
    let mut func = func.clone();
    for (buffer, at) in placed {
        if let ScheduledOp::TileAs(TileAsDialect::Alloc { offset, .. }) =
            &mut func.body.op_mut(buffer.op).kind
        {
            *offset = u32::try_from(at).ok();
        }
    }
    func.attrs.shared_bytes = shared_bytes;
    func.attrs.shared_align = align
        .and_then(SharedAlign::new)
        .filter(|&align| align > SharedAlign::default());
    Ok(func)
}

/// A buffer in shared memory and its live range.
struct Buffer {
    /// The op that allocates it.
    op: OpId,
    bytes: u64,
    align: u32,
    /// Its live range, as positions of ops in textual order.
    lives: RangeInclusive<usize>,
    /// The agents that access it.
    agents: Vec<OpId>,
    /// For a ring that one agent alone reads: that agent, and the position after which it may reuse the ring's bytes.
    released: Option<(OpId, usize)>,
}

impl Buffer {
    fn meets(&self, other: &Self) -> bool {
        let apart = self.agents.iter().all(|agent| !other.agents.contains(agent));
        let follows = |ring: &Self, other: &Self| {
            ring.released
                .is_some_and(|(agent, from)| other.agents == [agent] && *other.lives.start() > from)
        };
        if follows(self, other) || follows(other, self) {
            return false;
        }
        let concurrent = apart && !self.agents.is_empty() && !other.agents.is_empty();
        concurrent || (self.lives.start() <= other.lives.end() && other.lives.start() <= self.lives.end())
    }
}

/// Computes the live ranges of buffers, which are identified by their allocations.
struct Lives<'a> {
    body: &'a Body<Scheduled>,
    allocations: Allocations,
    /// The position of the current op.
    place: usize,
    /// The positions at which the enclosing loops begin.
    loops: Vec<usize>,
    /// The current agent, and the positions of each agent's body.
    agent: Option<OpId>,
    agents: SideTable<OpId, RangeInclusive<usize>>,
    begins: SideTable<OpId, usize>,
    ends: SideTable<OpId, usize>,
    touched_by: SideTable<OpId, Vec<OpId>>,
    /// Uses in a loop of allocations before the loop: their live ranges extend to the end of the loop.
    open: Vec<(usize, OpId)>,
    /// Allocations passed through control flow.
    carried: Vec<OpId>,
    /// The rings of each pipe within one agent, by the pipe and by the tokens of its stages.
    own: FxHashMap<Value, Vec<OpId>>,
    /// For each ring that tensor copies fill, the names of its pipe's consumers.
    consumers: FxHashMap<OpId, Vec<String>>,
    /// For each agent, the position after its last op on a pipe between agents, or after the outermost loop around that op.
    pipes_end: FxHashMap<OpId, usize>,
    /// Whether the current outermost loop contains such an op.
    loop_has_pipes: bool,
}

impl<'a> Lives<'a> {
    fn of(body: &'a Body<Scheduled>) -> Self {
        let table = || SideTable::new(body.op_count());
        let mut lives = Self {
            body,
            allocations: Allocations::of(body),
            place: 0,
            loops: Vec::new(),
            agent: None,
            agents: SideTable::new(body.op_count()),
            begins: table(),
            ends: table(),
            touched_by: SideTable::new(body.op_count()),
            open: Vec::new(),
            carried: Vec::new(),
            own: FxHashMap::default(),
            consumers: FxHashMap::default(),
            pipes_end: FxHashMap::default(),
            loop_has_pipes: false,
        };
        lives.region(body.root());
        lives
    }

    fn region(&mut self, region: Region) {
        for &block in &self.body.region(region).blocks {
            for &id in &self.body.block(block).ops {
                self.op(id);
            }
        }
    }

    fn op(&mut self, id: OpId) {
        let op = self.body.op(id);
        let place = self.place;
        self.place += 1;
        for value in op.kind.operand_list() {
            let roots: Vec<OpId> = self.allocations.roots(value).collect();
            for root in roots {
                self.uses(root, place);
                // Rings and barriers are accessed through pipes, those between agents by all of these.
                if matches!(op.kind, ScheduledOp::Scf(_)) || self.is_between_agents(id) {
                    self.carried.push(root);
                }
            }
        }
        if let ScheduledOp::Pipe(pipe) = &op.kind {
            self.pipe(pipe, id, place);
        }
        match &op.kind {
            ScheduledOp::TileAs(TileAsDialect::Alloc { .. }) => {
                self.begins.set(id, place);
                self.uses(id, place);
            }
            ScheduledOp::Scf(ScfOp::For { body, .. } | ScfOp::Loop { body, .. }) => {
                self.loops.push(place);
                self.region(*body);
                self.loops.pop();
                // The position of the last op of the loop: an allocation right after it may take the bytes.
                let end = self.place - 1;
                let (ended, open) = std::mem::take(&mut self.open)
                    .into_iter()
                    .partition(|(begin, _)| *begin == place);
                self.open = open;
                for (_, root) in ended {
                    self.uses(root, end);
                }
                if self.loops.is_empty() && std::mem::take(&mut self.loop_has_pipes) {
                    self.ends_pipes(end);
                }
            }
            ScheduledOp::Scheduled(ScheduledDialect::Agent { body, .. }) => {
                let outer = self.agent.replace(id);
                self.region(*body);
                self.agent = outer;
                self.agents.set(id, place..=self.place);
            }
            other => {
                for region in other.region_list() {
                    self.region(region);
                }
            }
        }
    }

    /// Whether an op creates a pipe between agents.
    fn is_between_agents(&self, id: OpId) -> bool {
        let made = self.body.op(id).results().next();
        let kind = made.and_then(|made| match self.body.ty(made).pipe() {
            Some(PipeType::Pipe { kind, .. }) => Some(kind),
            _ => None,
        });
        kind.is_some_and(PipeKind::has_barriers)
    }

    /// Records the rings of a pipe, or an agent's last op on a pipe between agents.
    fn pipe(&mut self, op: &PipeOp, id: OpId, place: usize) {
        match op {
            PipeOp::Create {
                buffers, consumers, ..
            } => {
                let pipe = self.body.op(id).result(0);
                let kind = self.body.ty(pipe).pipe().and_then(PipeType::kind);
                let roots = buffers.iter().flat_map(|&buffer| self.allocations.roots(buffer));
                let roots: Vec<OpId> = roots.collect();
                for &root in &roots {
                    let known = self.consumers.entry(root).or_default();
                    match kind {
                        Some(PipeKind::Tma | PipeKind::TmaMulticast) => {
                            known.extend(consumers.iter().cloned())
                        }
                        // Another use of the ring.
                        _ => known.extend([String::new(), String::new()]),
                    }
                }
                if kind.is_some_and(|kind| !kind.has_barriers()) {
                    self.own.insert(pipe, roots);
                    return;
                }
            }
            PipeOp::Acquire { pipe: value, .. }
            | PipeOp::Wait { pipe: value, .. }
            | PipeOp::Drain { pipe: value, .. }
            | PipeOp::Commit { token: value, .. }
            | PipeOp::Release { token: value } => {
                if let Some(roots) = self.own.get(value).cloned() {
                    for &root in &roots {
                        self.uses(root, place);
                    }
                    let token = self.body.op(id).results().last();
                    self.own.extend(token.map(|token| (token, roots)));
                    return;
                }
            }
            // They access no stage.
            PipeOp::State { .. } | PipeOp::Advance { .. } | PipeOp::Index { .. } => return,
            PipeOp::Barrier { .. } | PipeOp::Mutex { .. } | PipeOp::Lock { .. } | PipeOp::Unlock { .. } => {}
        }
        self.loop_has_pipes |= !self.loops.is_empty();
        self.ends_pipes(place);
    }

    fn ends_pipes(&mut self, place: usize) {
        if let Some(agent) = self.agent {
            self.pipes_end.insert(agent, place);
        }
    }

    /// For a ring that tensor copies fill and one agent alone reads: that agent, and the position after which it may reuse the
    /// ring's bytes.
    fn released(&self, ring: OpId) -> Option<(OpId, usize)> {
        let [consumer] = self.consumers.get(&ring)?.as_slice() else {
            return None;
        };
        let is_consumer = |id: &OpId| {
            matches!(
                &self.body.op(*id).kind,
                ScheduledOp::Scheduled(ScheduledDialect::Agent { name, .. }) if name == consumer
            )
        };
        let (&agent, &end) = self.pipes_end.iter().find(|(agent, _)| is_consumer(agent))?;
        Some((agent, end))
    }

    fn uses(&mut self, root: OpId, place: usize) {
        let begin = self.begins.get(root).copied().unwrap_or(place);
        if let Some(&outermost) = self.loops.iter().find(|&&at| at > begin) {
            self.open.push((outermost, root));
        }
        let end = self.ends.get(root).copied().unwrap_or(place).max(place);
        self.ends.set(root, end);
        if let Some(agent) = self.agent {
            let mut agents = self.touched_by.get(root).cloned().unwrap_or_default();
            if !agents.contains(&agent) {
                agents.push(agent);
            }
            self.touched_by.set(root, agents);
        }
    }

    fn buffers(self) -> Vec<Buffer> {
        let mut buffers = Vec::new();
        for id in self.body.walk() {
            let op = self.body.op(id);
            let ScheduledOp::TileAs(TileAsDialect::Alloc { align, .. }) = &op.kind else {
                continue;
            };
            let Some(buffer) = self.body.ty(op.result(0)).buffer() else {
                continue;
            };
            if buffer.space != Space::Shared {
                continue;
            }
            let mut begin = self.begins.get(id).copied().unwrap_or(0);
            let mut end = self.ends.get(id).copied().unwrap_or(begin);
            let agents = self.touched_by.get(id).cloned().unwrap_or_default();
            let through = agents.len() > 1 || self.carried.contains(&id);
            for agent in agents.iter().filter(|_| through) {
                if let Some(places) = self.agents.get(*agent) {
                    begin = begin.min(*places.start());
                    end = end.max(*places.end());
                }
            }
            if through && agents.is_empty() {
                end = self.place;
            }
            buffers.push(Buffer {
                op: id,
                bytes: buffer.bytes(),
                align: (*align).max(1),
                lives: begin..=end,
                agents,
                released: self.released(id),
            });
        }
        buffers
    }
}
