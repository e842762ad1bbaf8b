//! Writes the agents: which ops each of them executes.

mod control;
mod stages;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, OpId, Operation, Origin, Region, Translate, Translated, Translation, Value,
};
use tilewright_irs::dialects::pipe::{PipeEnd, PipeKind, PipeOp};
use tilewright_irs::scheduled::{Role, Scheduled, ScheduledDialect, ScheduledOp, Slot};
use tilewright_irs::tileas::{TileAsDialect, TileAsType};
use tilewright_layouts::{Dim, LinearLayout};

use control::Frame;

use crate::program_slice::{Places, ProgramSlice};
use crate::scheduled::copy_groups::{Group, Ring};
use crate::scheduled::expand_schedule::is_large;

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

    /// The type of a value in the agent: a tile of one element, which all threads have, is in as many warps as the agent has. An agent
    /// that has larger ones has as many warps as the other.
    fn own_type(&self, ty: &TileAsType) -> TileAsType {
        let [_, loading] = self.warps;
        let own = match ty {
            TileAsType::Tile { element, layout, .. } if self.role == Role::Load && !is_large(layout) => {
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
            if let ScheduledOp::TileAs(TileAsDialect::CopyIn { .. } | TileAsDialect::GatherIn { .. }) =
                &old.kind
            {
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
        ScheduledOp::TileAs(TileAsDialect::CopyIn { after, .. } | TileAsDialect::GatherIn { after, .. }) => {
            *after = None;
        }
        ScheduledOp::TileAs(
            TileAsDialect::Load { ordering, .. } | TileAsDialect::GatherLoad { ordering, .. },
        ) => ordering.after = None,
        _ => {}
    }
    op
}
