//! Writes the agents, the pipes between them, and the rings that an agent fills by itself.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Block, Body, Flag, Func, OpId, Operation, Origin, Region, Translate, Translated, Translation, Value,
};
use tilewright_irs::dialects::pipe::{PipeEnd, PipeKind, PipeOp, PipeType};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::element::ScalarType;
use tilewright_irs::scheduled::{Role, Scheduled, ScheduledDialect, ScheduledOp, Slot};
use tilewright_irs::tileas::{Buffer, TileAsDialect, TileAsType};
use tilewright_layouts::{Dim, LinearLayout};

use crate::program_slice::{Places, ProgramSlice};
use crate::scheduled::copy_groups::{Copy, Group, Ring};

/// Size of an mbarrier, in bytes.
const BARRIER_BYTES: u32 = 8;

type Cx<'a> = Translation<'a, Scheduled, Scheduled>;

/// Translates a function of one agent; if another agent is to issue copies, into a function of two.
pub(super) struct Expansion<'a> {
    groups: &'a [Group],
    rings: &'a [Ring],
    /// The ops that the loading agent executes.
    slice: ProgramSlice,
    /// The numbers of computing and of loading warps.
    warps: [u32; 2],
    /// The number of blocks of a cluster.
    blocks: u32,
    /// For each loop and branch, the rings that tensor copies in it fill.
    inside: FxHashMap<OpId, Vec<usize>>,
    /// For each loop with copies directly in its body, the rings that the computing agent fills there by itself.
    own: FxHashMap<OpId, Vec<usize>>,
    /// Barriers that separate nothing but the copies into those rings from their reads, and waits for copies out of them, which
    /// pipes now order.
    idle: FxHashSet<OpId>,
    /// The allocations that rings replace.
    replaced: FxHashSet<OpId>,
    /// For the ops of loops in which copies take the stages of a ring in turn, their positions in the loading agent.
    turns: FxHashMap<OpId, Slot>,
    /// The ops that only the loading agent executes: copies, tensor maps and the memory of the maps.
    loading: FxHashSet<OpId>,
    /// The agent being written, and its name.
    role: Role,
    name: String,
    pipes: FxHashMap<usize, Value>,
    /// The current state of each end of a pipe in the agent.
    states: FxHashMap<End, Value>,
    /// The token of each group whose stage is being read.
    tokens: FxHashMap<usize, Value>,
    /// A memory token without predecessors, for accesses that nothing precedes.
    first_token: Option<Value>,
    /// The loops and branches around the current op.
    frames: Vec<Frame>,
}

/// The values that the terminator of a loop's body or of a branch passes on.
enum Frame {
    /// Its own operands, unchanged.
    Plain,
    /// Its operands at the positions `kept`, then the states of these ends of pipes.
    States { kept: Vec<usize>, ends: Vec<End> },
}

/// An end of a pipe: the index of its ring, and which end it is.
type End = (usize, PipeEnd);

impl<'a> Expansion<'a> {
    pub(super) fn new(
        func: &Func<Scheduled>,
        (groups, rings): (&'a [Group], &'a [Ring]),
        slice: ProgramSlice,
        warps: [u32; 2],
        places: &Places<'_, Scheduled>,
    ) -> Self {
        let body = &func.body;
        let mut inside: FxHashMap<OpId, Vec<usize>> = FxHashMap::default();
        let mut own: FxHashMap<OpId, Vec<usize>> = FxHashMap::default();
        let mut idle = FxHashSet::default();
        for group in groups.iter().filter(|group| group.is_own()) {
            if let Some(around) = places.around(group.block) {
                let rings = own.entry(around).or_default();
                if !rings.contains(&group.ring) {
                    rings.push(group.ring);
                }
            }
            idle.extend(match group.kind {
                PipeKind::TmaStore => vec![group.last],
                _ => idle_barriers(body, group.block, groups),
            });
        }
        let (mut loading, mut scratch) = (FxHashSet::default(), FxHashSet::default());
        for id in body.walk() {
            let op = &body.op(id).kind;
            match op {
                ScheduledOp::TileAs(TileAsDialect::TensorMap { scratch: room, .. })
                    if slice.ops.contains(&id) =>
                {
                    loading.insert(id);
                    scratch.insert(*room);
                }
                ScheduledOp::Scf(_) => {
                    let regions = op.region_list();
                    let ops: FxHashSet<OpId> = regions
                        .into_iter()
                        .flat_map(|region| body.walk_region(region))
                        .collect();
                    let of = |group: &&Group| {
                        !group.is_own() && group.copies.first().is_some_and(|copy| ops.contains(&copy.op))
                    };
                    let mut within: Vec<usize> = groups.iter().filter(of).map(|group| group.ring).collect();
                    within.sort_unstable();
                    within.dedup();
                    inside.insert(id, within);
                }
                _ => {}
            }
        }
        let allocates = |id: &OpId| scratch.contains(&body.op(*id).result(0));
        loading.extend(body.walk().into_iter().filter(|id| {
            matches!(
                body.op(*id).kind,
                ScheduledOp::TileAs(TileAsDialect::Alloc { .. })
            ) && allocates(id)
        }));
        let copies = || groups.iter().flat_map(|group| &group.copies);
        let loaded = groups.iter().filter(|group| !group.is_own());
        loading.extend(loaded.flat_map(|group| group.copies.iter().map(|copy| copy.op)));
        Self {
            groups,
            rings,
            slice,
            warps,
            blocks: func.attrs.kernel_spec.num_ctas,
            inside,
            own,
            idle,
            replaced: copies().map(|copy| copy.alloc).collect(),
            loading,
            turns: turns(body, groups),
            role: Role::Compute,
            name: Role::Compute.to_string(),
            pipes: FxHashMap::default(),
            states: FxHashMap::default(),
            tokens: FxHashMap::default(),
            first_token: None,
            frames: Vec::new(),
        }
    }

    /// Writes the pipes and both agents.
    fn agents(&mut self, cx: &mut Cx<'_>, body: Region) -> Translated {
        let Some(block) = cx.from.only_block(body) else {
            return Ok(());
        };
        let loaded = |ring: &(usize, &Ring)| ring.1.kind.has_barriers();
        let loaded: Vec<(usize, &Ring)> = self.rings.iter().enumerate().filter(loaded).collect();
        for &(at, ring) in &loaded {
            let pipe = self.pipe(cx, ring)?;
            self.pipes.insert(at, pipe);
        }
        let mut first_warp = 0;
        for (role, warps) in [Role::Compute, Role::Load].into_iter().zip(self.warps) {
            self.role = role;
            self.name = role.to_string();
            let region = cx.body_mut().add_region();
            let inner = cx.body_mut().add_block(region);
            let origin = cx.origin();
            cx.within(inner, |cx| {
                self.states.clear();
                for &(at, ring) in &loaded {
                    self.begin(cx, (at, end_of(role)), ring);
                }
                self.first_token = match role {
                    Role::Load => None,
                    Role::Compute => Some(cx.value(TileAsDialect::CreateMemToken {}, TileAsType::Token)),
                };
                cx.block_ops(block, self)
            })?;
            cx.set_origin(origin);
            cx.build().effect(ScheduledDialect::Agent {
                name: role.to_string(),
                first_warp,
                warps,
                registers: None,
                barrier: None,
                body: region,
            });
            first_warp += warps;
        }
        Ok(())
    }

    /// Creates the state of an end at the first stage of its ring.
    fn begin(&mut self, cx: &mut Cx<'_>, end: End, ring: &Ring) {
        let ty = TileAsType::Pipe(PipeType::State(ring.depth));
        let state = cx.value(PipeOp::State { end: end.1 }, ty);
        self.states.insert(end, state);
    }

    /// Allocates the stages of a ring, and creates the pipe over them.
    fn pipe(&self, cx: &mut Cx<'_>, ring: &Ring) -> Result<Value, Diagnostic<Origin>> {
        let mut allocated = |align: u32, buffer: Buffer| {
            let alloc = TileAsDialect::Alloc {
                align,
                offset: None,
                depth: None,
            };
            cx.value(alloc, TileAsType::Buffer(buffer))
        };
        let buffers = ring.stage.iter().map(|(stage, align)| {
            let stages = Buffer {
                stages: ring.depth,
                ..stage.clone()
            };
            allocated(*align, stages)
        });
        let buffers: Vec<Value> = buffers.collect();
        let (kind, stages) = (ring.kind, ring.depth);
        let ty = TileAsType::Pipe(PipeType::Pipe { kind, stages });
        let [computing, loading] = self.warps;
        let arrivals = kind.arrivals(loading, computing, self.blocks);
        let consumers = |name: &str| vec![name.to_owned()];
        if !ring.kind.has_barriers() {
            let create = PipeOp::Create {
                buffers,
                barriers: None,
                producer: self.name.clone(),
                consumers: consumers(&self.name),
                in_turns: Flag(false),
                full: arrivals.full,
                empty: arrivals.empty,
                bytes: None,
            };
            return Ok(cx.value(create, ty));
        }
        let count = (2 * ring.depth).next_power_of_two();
        let barriers = LinearLayout::identity_1d(count, Dim::Offset, Dim::Axis(0));
        let too_large = |what: &str| Diagnostic::error(Code::BadLayout, what.to_owned());
        let barriers = barriers.map_err(|error| too_large(&format!("no layout for barriers: {error}")))?;
        let barriers = allocated(BARRIER_BYTES, Buffer::shared(ScalarType::I64, barriers));
        let bytes = u32::try_from(ring.bytes());
        let bytes = bytes.map_err(|_| too_large("a stage of 4 GiB or more"))?;
        let create = PipeOp::Create {
            buffers,
            barriers: Some(barriers),
            producer: Role::Load.to_string(),
            consumers: consumers(&Role::Compute.to_string()),
            in_turns: Flag(false),
            full: arrivals.full,
            empty: arrivals.empty,
            bytes: Some(bytes),
        };
        Ok(cx.value(create, ty))
    }

    /// Translates structured control flow through which the agent carries states of pipes. `None` for ops that carry
    /// none.
    fn control(&mut self, cx: &mut Cx<'_>, id: OpId) -> Option<Translated> {
        let ScheduledOp::Scf(scf) = &cx.old(id).kind else {
            return None;
        };
        match scf {
            ScfOp::For { .. } | ScfOp::If { .. } | ScfOp::Loop { .. } => {
                let own = self.own.get(&id).filter(|_| self.role == Role::Compute);
                let own = own.cloned().unwrap_or_default();
                let rings = self.inside.get(&id).into_iter().flatten();
                let mut ends: Vec<End> = rings.map(|&ring| (ring, end_of(self.role))).collect();
                for &ring in &own {
                    if let Err(problem) = self.own_ring(cx, ring) {
                        return Some(Err(problem));
                    }
                    ends.extend([(ring, PipeEnd::Producer), (ring, PipeEnd::Consumer)]);
                }
                let translated = match (scf, self.role) {
                    (ScfOp::If { .. }, Role::Load) => self.branched(cx, id, ends),
                    (_, Role::Load) => self.looped(cx, id, ends),
                    (_, Role::Compute) if ends.is_empty() => {
                        self.frames.push(Frame::Plain);
                        let carried = cx.carry(id, scf, self);
                        self.frames.pop();
                        carried
                    }
                    (ScfOp::If { .. }, Role::Compute) => self.branched(cx, id, ends),
                    (_, Role::Compute) => self.looped(cx, id, ends),
                };
                for ring in own {
                    self.drain_stores(cx, ring);
                }
                Some(translated)
            }
            ScfOp::Continue { values } => {
                let values = self.handed(cx, values)?;
                cx.build().effect(ScfOp::Continue { values });
                Some(Ok(()))
            }
            ScfOp::Yield { values } => {
                let values = self.handed(cx, values)?;
                cx.build().effect(ScfOp::Yield { values });
                Some(Ok(()))
            }
            ScfOp::Break { .. } | ScfOp::Return {} => None,
        }
    }

    /// Allocates a ring that the agent fills by itself, before the loop that fills it. Loops that follow each other may
    /// share a ring.
    fn own_ring(&mut self, cx: &mut Cx<'_>, at: usize) -> Translated {
        let Some(ring) = self.rings.get(at) else {
            return Ok(());
        };
        let pipe = self.pipe(cx, ring)?;
        self.pipes.insert(at, pipe);
        for end in [PipeEnd::Producer, PipeEnd::Consumer] {
            self.begin(cx, (at, end), ring);
        }
        Ok(())
    }

    /// Waits for the copies out of a ring, if there are such: its bytes are then free.
    fn drain_stores(&mut self, cx: &mut Cx<'_>, at: usize) {
        let stores = |ring: &&Ring| ring.kind == PipeKind::TmaStore;
        let state = self.states.get(&(at, PipeEnd::Producer));
        if self.rings.get(at).filter(stores).is_some()
            && let (Some(&state), Some(pipe)) = (state, self.pipes.remove(&at))
        {
            cx.build().effect(PipeOp::Drain { pipe, state });
        }
    }

    /// Translates an op for the loading agent.
    fn load(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if let ScheduledOp::Scheduled(ScheduledDialect::End {}) = &cx.old(id).kind {
            for at in 0..self.rings.len() {
                let state = self.states.get(&(at, PipeEnd::Producer));
                if let (Some(&pipe), Some(&state)) = (self.pipes.get(&at), state) {
                    cx.build().effect(PipeOp::Drain { pipe, state });
                }
            }
            return cx.carry(id, &cx.old(id).kind, self);
        }
        let old = &cx.old(id).kind;
        let ends = old.is_terminator();
        if !ends && (!self.slice.ops.contains(&id) || self.replaced.contains(&id)) {
            return Ok(());
        }
        if let Some(control) = self.control(cx, id) {
            return control;
        }
        let groups = self.groups;
        let last = |group: &Group| group.copies.last().is_some_and(|copy| copy.op == id);
        if let Some(group) = groups.iter().find(|group| last(group)) {
            return self.fill(cx, group);
        }
        if groups
            .iter()
            .flat_map(|group| &group.copies)
            .any(|copy| copy.op == id)
        {
            return Ok(());
        }
        cx.carry(id, &unordered(old), self)
    }

    /// Writes the copies of a group into a stage, with `pipe.acquire` and `pipe.commit`.
    fn fill(&mut self, cx: &mut Cx<'_>, group: &Group) -> Translated {
        if group.is_own() && !self.pipes.contains_key(&group.ring) {
            self.own_ring(cx, group.ring)?;
        }
        let end = (group.ring, PipeEnd::Producer);
        let (Some(&pipe), Some(&state)) = (self.pipes.get(&group.ring), self.states.get(&end)) else {
            return Ok(());
        };
        let acquire = PipeOp::Acquire { pipe, state };
        let (stages, token) = stages(cx, acquire, group, PipeEnd::Producer);
        let mut copies = Vec::with_capacity(group.copies.len());
        for (Copy { op, alloc, .. }, stage) in group.copies.iter().zip(stages) {
            let old = cx.old(*op);
            cx.set_origin(old.origin);
            cx.bind(cx.old(*alloc).result(0), [stage]);
            match group.is_own() {
                true => cx.carry(*op, &old.kind, self)?,
                false => cx.carry(*op, &unordered(&old.kind), self)?,
            }
            copies.extend(old.results().next().map(|pending| cx.one(pending)));
        }
        cx.build().effect(PipeOp::Commit { token, copies });
        self.advance(cx, end, state);
        Ok(())
    }

    /// The type of a value in the agent: a tile of one element, which all threads have, is in as many warps as the agent has.
    fn own_type(&self, ty: &TileAsType) -> TileAsType {
        let [_, loading] = self.warps;
        let own = match ty {
            TileAsType::Tile { element, layout, .. } if self.role == Role::Load => {
                let others = layout.in_dims().filter(|(dim, _)| *dim != Dim::Warp);
                let mut bases: Vec<(Dim, Vec<Vec<u32>>)> = others
                    .map(|(dim, _)| (dim, layout.bases(dim).map(|basis| basis.to_vec()).collect()))
                    .collect();
                let shape = layout.shape();
                bases.push((Dim::Warp, vec![vec![0; shape.len()]; loading.ilog2() as usize]));
                let outs: Vec<(Dim, u32)> = (0..).map(Dim::Axis).zip(shape).collect();
                let layout = LinearLayout::from_bases(&bases, &outs).ok();
                layout.map(|layout| TileAsType::tile(*element, layout))
            }
            _ => None,
        };
        own.unwrap_or_else(|| ty.clone())
    }

    fn advance(&mut self, cx: &mut Cx<'_>, end: End, state: Value) {
        let ty = cx.ty(state).clone();
        let next = cx.value(PipeOp::Advance { state, count: None }, ty);
        self.states.insert(end, next);
    }

    /// Translates an op for the computing agent.
    fn compute(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if let Some(control) = self.control(cx, id) {
            return control;
        }
        let old = cx.old(id);
        if let ScheduledOp::Scheduled(ScheduledDialect::End {}) = &old.kind {
            for at in 0..self.rings.len() {
                self.drain_stores(cx, at);
            }
        }
        let groups = self.groups;
        if self.loading.contains(&id) {
            // What is ordered after a copy comes after its wait in program order.
            if let ScheduledOp::TileAs(TileAsDialect::CopyIn { .. }) = &old.kind {
                cx.bind(old.result(1), self.first_token);
            }
            return Ok(());
        }
        if self.idle.contains(&id) {
            return Ok(());
        }
        let of_own = |group: &&Group| group.is_own() && group.copies.iter().any(|copy| copy.op == id);
        if let Some(group) = groups.iter().find(of_own) {
            // With the last copy of the group; a store from registers is waited for at once.
            if group.copies.last().is_some_and(|copy| copy.op == id) {
                self.fill(cx, group)?;
            }
            if group.copies.iter().all(|copy| copy.wait != id) {
                return Ok(());
            }
        }
        let waits = |group: &Group| group.copies.iter().position(|copy| copy.wait == id);
        let wait = groups
            .iter()
            .enumerate()
            .find_map(|(at, group)| Some((at, group, waits(group)?)));
        match wait {
            Some((at, group, 0)) => self.read(cx, at, group),
            Some(_) => {}
            None if !self.replaced.contains(&id) => cx.carry(id, &old.kind, self)?,
            None => {}
        }
        Ok(())
    }

    /// Releases the stages of which an op is the last reader.
    fn release_after(&mut self, cx: &mut Cx<'_>, id: OpId) {
        for (at, group) in self.groups.iter().enumerate() {
            if group.last == id
                && let Some(token) = self.tokens.remove(&at)
            {
                cx.build().effect(PipeOp::Release { token });
            }
        }
    }

    /// Waits for a stage of a group; `at` is the group's index.
    fn read(&mut self, cx: &mut Cx<'_>, at: usize, group: &Group) {
        let end = (group.ring, PipeEnd::Consumer);
        let (Some(&pipe), Some(&state)) = (self.pipes.get(&group.ring), self.states.get(&end)) else {
            return;
        };
        let is_stored = |copy: &Copy| copy.op == copy.wait;
        let counts_groups = group.is_own() && !group.copies.iter().any(is_stored);
        let wait = PipeOp::Wait {
            pipe,
            state,
            in_flight: counts_groups.then_some(0),
        };
        let (stages, token) = stages(cx, wait, group, PipeEnd::Consumer);
        for (copy, stage) in group.copies.iter().zip(stages) {
            cx.bind(copy.ready, [stage]);
        }
        self.tokens.insert(at, token);
        self.advance(cx, end, state);
    }

    /// The positions in a list of the values that the agent also has.
    fn kept(&self, values: impl Iterator<Item = Value>) -> Vec<usize> {
        let keeps = |value: &Value| match self.role {
            Role::Compute => true,
            Role::Load => self.slice.values.contains(value),
        };
        let kept = values.enumerate().filter(|(_, value)| keeps(value));
        kept.map(|(at, _)| at).collect()
    }

    /// Translates a counted loop, which carries the states of the pipes used in it.
    fn looped(&mut self, cx: &mut Cx<'_>, id: OpId, ends: Vec<End>) -> Translated {
        let old = cx.old(id);
        let ScheduledOp::Scf(looped @ ScfOp::For { inits, body, .. }) = &old.kind else {
            return Ok(());
        };
        let Some(block) = cx.from.only_block(*body) else {
            return Ok(());
        };
        let args = cx.from.block(block).args.as_slice();
        let kept = self.kept(args.iter().skip(1).copied());
        let old_inits = kept.iter().filter_map(|&at| inits.get(at));
        let mut new_inits: Vec<Value> = old_inits.map(|&init| cx.one(init)).collect();
        new_inits.extend(self.states_of(&ends));
        let region = cx.body_mut().add_region();
        let inner = cx.body_mut().add_block(region);
        let counter = args.first().copied().into_iter();
        let carried = kept.iter().filter_map(|&at| args.get(at + 1).copied());
        for arg in counter.chain(carried) {
            let ty = self.own_type(cx.from.ty(arg));
            let new = cx.body_mut().add_arg(inner, ty);
            cx.bind(arg, [new]);
        }
        for &end in &ends {
            self.argument(cx, inner, end);
        }
        let origin = cx.origin();
        self.frames.push(Frame::States {
            kept: kept.clone(),
            ends: ends.clone(),
        });
        let translated = cx.within(inner, |cx| cx.block_ops(block, self));
        self.frames.pop();
        translated?;
        cx.set_origin(origin);
        if let Some(new) = looped.over_range(|bound| cx.one(bound), new_inits, region) {
            self.finish(cx, id, new, &kept, &ends);
        }
        Ok(())
    }

    /// Translates a branch, which yields the states of the pipes used in it.
    fn branched(&mut self, cx: &mut Cx<'_>, id: OpId, ends: Vec<End>) -> Translated {
        let old = cx.old(id);
        let ScheduledOp::Scf(ScfOp::If {
            condition,
            then,
            otherwise,
        }) = &old.kind
        else {
            return Ok(());
        };
        let kept = self.kept(old.results());
        let before = self.states.clone();
        let mut branches = [*then, *otherwise];
        for branch in &mut branches {
            self.states.clone_from(&before);
            self.frames.push(Frame::States {
                kept: kept.clone(),
                ends: ends.clone(),
            });
            let translated = cx.region(*branch, self);
            self.frames.pop();
            *branch = translated?;
        }
        let [then, otherwise] = branches;
        let new = ScfOp::If {
            condition: cx.one(*condition),
            then,
            otherwise,
        };
        self.states = before;
        self.finish(cx, id, new, &kept, &ends);
        Ok(())
    }

    fn states_of(&self, ends: &[End]) -> Vec<Value> {
        ends.iter()
            .filter_map(|end| self.states.get(end).copied())
            .collect()
    }

    /// Adds an argument to a block for the state of a pipe's end.
    fn argument(&mut self, cx: &mut Cx<'_>, block: Block, end: End) {
        if let Some(state) = self.states.get_mut(&end) {
            let ty = cx.ty(*state).clone();
            *state = cx.body_mut().add_arg(block, ty);
        }
    }

    /// Appends a loop or a branch; its results are the old ones at the positions `kept`, then the states of these ends.
    fn finish(&mut self, cx: &mut Cx<'_>, id: OpId, new: ScfOp, kept: &[usize], ends: &[End]) {
        let results: Vec<Value> = cx.old(id).results().collect();
        let results: Vec<Value> = kept.iter().filter_map(|&at| results.get(at).copied()).collect();
        let states = self.states_of(ends);
        let own = results.iter().map(|&result| self.own_type(cx.from.ty(result)));
        let mut types: Vec<TileAsType> = own.collect();
        types.extend(states.iter().map(|&state| cx.ty(state).clone()));
        let new = cx.build().op(new, types);
        let made: Vec<Value> = cx.new_body().op(new).results().collect();
        let (values, states) = made.split_at(results.len().min(made.len()));
        for (&result, &value) in results.iter().zip(values) {
            cx.bind(result, [value]);
        }
        self.states
            .extend(ends.iter().copied().zip(states.iter().copied()));
    }

    /// The operands of a terminator in the agent; `None` if they are unchanged.
    fn handed(&self, cx: &Cx<'_>, values: &[Value]) -> Option<Vec<Value>> {
        let Some(Frame::States { kept, ends }) = self.frames.last() else {
            return None;
        };
        let kept = kept.iter().filter_map(|&at| values.get(at));
        let mut handed: Vec<Value> = kept.map(|&value| cx.one(value)).collect();
        handed.extend(self.states_of(ends));
        Some(handed)
    }
}

impl Translate<Scheduled, Scheduled> for Expansion<'_> {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![self.own_type(ty)])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if let ScheduledOp::Scheduled(ScheduledDialect::Agent { body, name, .. }) = &cx.old(id).kind {
            if self.groups.iter().any(|group| !group.is_own()) {
                return self.agents(cx, *body);
            }
            self.name.clone_from(name);
            return cx.carry(id, &cx.old(id).kind, self);
        }
        match self.role {
            Role::Load => {
                cx.set_tag(self.turns.get(&id).copied());
                self.load(cx, id)?;
                cx.set_tag(None);
                Ok(())
            }
            Role::Compute => {
                cx.set_tag(cx.old(id).tag.filter(|slot| slot.agent.is_none()));
                self.compute(cx, id)?;
                self.release_after(cx, id);
                cx.set_tag(None);
                Ok(())
            }
        }
    }
}

/// The positions of the ops of loops in the loading agent, where several groups take the stages of a ring in turn and ops have
/// positions: each group is copied in the order in which the other agent waits for it, all else comes before.
fn turns(body: &Body<Scheduled>, groups: &[Group]) -> FxHashMap<OpId, Slot> {
    let mut turns = FxHashMap::default();
    let loaded = || groups.iter().filter(|group| !group.is_own());
    let slot = |group: &Group| {
        let (first, last) = (group.copies.first()?, group.copies.last()?);
        let wait = body.op(first.wait).tag?;
        let order = wait.order.saturating_add(1);
        Some((last.op, Slot { order, ..wait }))
    };
    let begins = Slot {
        agent: None,
        stage: 0,
        order: 0,
    };
    for group in loaded() {
        let beside = || loaded().filter(|other| other.block == group.block);
        let takes = beside().filter(|other| other.ring == group.ring);
        let slots: Option<Vec<(OpId, Slot)>> = beside().map(slot).collect();
        let (Some(slots), 2..) = (slots, takes.count()) else {
            continue;
        };
        let ops = body.block(group.block).ops.split_last();
        let ops = ops.map_or(&[][..], |(_, ops)| ops);
        turns.extend(ops.iter().map(|&id| (id, begins)));
        turns.extend(slots);
    }
    turns
}

/// Appends an op that yields the stage of a group in each buffer, and the token.
fn stages(cx: &mut Cx<'_>, op: PipeOp, group: &Group, end: PipeEnd) -> (Vec<Value>, Value) {
    let stages = group
        .copies
        .iter()
        .map(|copy| TileAsType::Buffer(copy.stage.clone()));
    let mut types: Vec<TileAsType> = stages.collect();
    let kind = group.kind;
    types.push(TileAsType::Pipe(PipeType::Token { kind, end }));
    let op = cx.build().op(op, types);
    let op = cx.new_body().op(op);
    let count = group.copies.len();
    (op.results().take(count).collect(), op.result(count))
}

/// The end that an agent has of the pipes that tensor copies fill.
fn end_of(role: Role) -> PipeEnd {
    match role {
        Role::Load => PipeEnd::Producer,
        Role::Compute => PipeEnd::Consumer,
    }
}

/// The barriers of a loop's body that are no longer needed: since the barrier before, nothing but stages of its rings
/// was written.
fn idle_barriers(body: &Body<Scheduled>, block: Block, groups: &[Group]) -> Vec<OpId> {
    let mut found = Vec::new();
    let (mut filled, mut others) = (false, false);
    for &id in &body.block(block).ops {
        let op = &body.op(id).kind;
        match op {
            ScheduledOp::TileAs(TileAsDialect::Barrier {}) => {
                if filled && !others {
                    found.push(id);
                }
                (filled, others) = (false, false);
            }
            _ if groups
                .iter()
                .flat_map(|group| &group.copies)
                .any(|copy| copy.op == id || copy.wait == id) =>
            {
                filled = true;
            }
            ScheduledOp::TileAs(TileAsDialect::Copy { to: None, .. } | TileAsDialect::Dot { .. }) => {}
            _ => others |= !op.region_list().is_empty() || !op.effects().writes.is_empty(),
        }
    }
    found
}

/// A load without a token that orders it after other accesses.
fn unordered(op: &ScheduledOp) -> ScheduledOp {
    let mut op = op.clone();
    match &mut op {
        ScheduledOp::TileAs(TileAsDialect::CopyIn { after, .. }) => *after = None,
        ScheduledOp::TileAs(
            TileAsDialect::Load { ordering, .. } | TileAsDialect::GatherLoad { ordering, .. },
        ) => ordering.after = None,
        _ => {}
    }
    op
}
