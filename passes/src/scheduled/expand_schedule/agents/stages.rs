//! The rings of stages: the pipes over them, and how an agent fills a stage, waits for one and releases it.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Flag, OpId, Origin, Translated, Value};
use tilewright_irs::dialects::pipe::{PipeEnd, PipeKind, PipeOp, PipeType};
use tilewright_irs::element::ScalarType;
use tilewright_irs::scheduled::Role;
use tilewright_irs::tileas::{Buffer, TileAsDialect, TileAsType};
use tilewright_layouts::{Dim, LinearLayout};

use super::{Cx, End, Expansion, unordered};
use crate::scheduled::copy_groups::{Copy, Group, Ring};

/// Size of an mbarrier, in bytes.
const BARRIER_BYTES: u32 = 8;

impl Expansion<'_> {
    /// Creates the state of an end at the first stage of its ring.
    pub(super) fn begin(&mut self, cx: &mut Cx<'_>, end: End, ring: &Ring) {
        let ty = TileAsType::Pipe(PipeType::State(ring.depth));
        let state = cx.value(PipeOp::State { end: end.1 }, ty);
        self.states.insert(end, state);
    }

    /// Allocates the stages of a ring, and creates the pipe over them.
    pub(super) fn pipe(&self, cx: &mut Cx<'_>, ring: &Ring) -> Result<Value, Diagnostic<Origin>> {
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
            bytes: ring.kind.counts_bytes().then_some(bytes),
        };
        Ok(cx.value(create, ty))
    }

    /// Allocates a ring that the agent fills by itself, before the loop that fills it. Loops that follow each other may
    /// share a ring.
    pub(super) fn own_ring(&mut self, cx: &mut Cx<'_>, at: usize) -> Translated {
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
    pub(super) fn drain_stores(&mut self, cx: &mut Cx<'_>, at: usize) {
        let stores = |ring: &&Ring| ring.kind == PipeKind::TmaStore;
        let state = self.states.get(&(at, PipeEnd::Producer));
        if self.rings.get(at).filter(stores).is_some()
            && let (Some(&state), Some(pipe)) = (state, self.pipes.remove(&at))
        {
            cx.build().effect(PipeOp::Drain { pipe, state });
        }
    }

    /// Writes the copies of a group into a stage, with `pipe.acquire` and `pipe.commit`.
    pub(super) fn fill(&mut self, cx: &mut Cx<'_>, group: &Group) -> Translated {
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

    fn advance(&mut self, cx: &mut Cx<'_>, end: End, state: Value) {
        let ty = cx.ty(state).clone();
        let next = cx.value(PipeOp::Advance { state, count: None }, ty);
        self.states.insert(end, next);
    }

    /// Releases the stages of which an op is the last reader.
    pub(super) fn release_after(&mut self, cx: &mut Cx<'_>, id: OpId) {
        for (at, group) in self.groups.iter().enumerate() {
            if group.last == id
                && let Some(token) = self.tokens.remove(&at)
            {
                cx.build().effect(PipeOp::Release { token });
            }
        }
    }

    /// Waits for a stage of a group; `at` is the group's index.
    pub(super) fn read(&mut self, cx: &mut Cx<'_>, at: usize, group: &Group) {
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
