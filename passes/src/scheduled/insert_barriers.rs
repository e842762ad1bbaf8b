//! Inserts barriers between conflicting accesses of different threads. `scheduled` to `scheduled`.
//!
//! In: a function whose buffers are allocated; existing barriers count. Out: the same function with a
//! `tileas.barrier` before every memory op that is ordered after an access of the same memory by another thread,
//! unless there is a barrier between the two.
//!
//! Accesses to buffers are ordered by program order. Two of them need a barrier in between if one of them writes and they have
//! bytes in common, in the same buffer or in two buffers that share bytes; different stages of a ring have none in common. An
//! access in a loop may still be outstanding when the next iteration begins. A buffer that is passed through control flow may
//! alias any other. An asynchronous copy writes its buffer from its beginning on, and other threads see the data only after a
//! barrier that follows the wait.
//!
//! Buffers from a pipe are ordered by the pipe, and its states count stages: they depend on no access. A pipe of kind
//! `cp_async_group` has no barriers of its own: there is a `tileas.barrier` after `pipe.wait`, and before a `pipe.acquire`
//! that may follow a `pipe.release` of the pipe without a barrier in between.
//!
//! Tokens order accesses to global memory. So do data dependences, if several threads load the same elements: the
//! store of a loaded value must not be visible to a thread that executes the load later.
//!
//! Two ordered accesses need a barrier in between if one of them writes (or orders others: the earlier one acquires,
//! the later one releases), their arrays may overlap, and it is not known that each thread accesses only its own
//! elements. That is known for two tiled accesses of one memref with the same tile, steps, map of axes and layout,
//! where the layout gives each element to one thread, and where
//!
//! - both access the same tile: the same index values, none of which is defined inside a loop; or
//! - their tiles are the same or disjoint: the steps are not smaller than the tile, and no two elements of the array
//!   have the same address. Where that depends on dynamic extents and strides, the barrier is a
//!   `tileas.overlap_barrier`, which tests them.
//!
//! Where all accesses that an access in a loop conflicts with are before the loop, so is the barrier.
//!
//! Nothing is assumed about back edges: a loop-carried value depends on every access in the loop. Barriers are placed
//! where all threads of the agent pass, since all conditions and bounds are uniform.

mod conflicts;

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Flow, Func, OpId, Operation, Origin, Region, Translate, Translated, Translation, Value,
    translate_func,
};
use tilewright_irs::dialects::pipe::{PipeKind, PipeOp, PipeType, PipeValue};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledDialect, ScheduledOp, pipes_of_tokens};
use tilewright_irs::tileas::{TileAsDialect, TileAsType};

use super::buffers::{Allocations, Touch, rings, touched};
use conflicts::{Access, Buffered, Conflict};

/// Inserts the barriers.
///
/// # Errors
/// None; all passes return this type.
pub fn insert_barriers(func: &Func<Scheduled>) -> Result<Func<Scheduled>, Vec<Diagnostic<Origin>>> {
    let allocations = Allocations::of(&func.body);
    let mut search = Search {
        body: &func.body,
        warps: func.attrs.kernel_spec.num_warps,
        varying: FxHashSet::default(),
        pending: FxHashMap::default(),
        rings: rings(&func.body, &allocations),
        allocations,
        pipe_of: pipes_of_tokens(&func.body),
        buffered: BTreeSet::new(),
        has_waited: false,
        covered: BTreeSet::new(),
        before: FxHashSet::default(),
        before_loops: FxHashSet::default(),
        overlaps: FxHashMap::default(),
        loops: Vec::new(),
        block: None,
    };
    search.find_varying(func.body.root(), false);
    if let Some(entry) = func.body.entry() {
        search.run(entry);
    }
    search.before.extend(&search.before_loops);
    let mut pass = Insert {
        before: search.before,
        overlaps: search.overlaps,
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// Memory ops, in textual order.
type Accesses = BTreeSet<OpId>;

/// The search for barrier positions.
struct Search<'a> {
    body: &'a Body<Scheduled>,
    /// The warps of the current agent.
    warps: u32,
    /// Values defined inside a loop.
    varying: FxHashSet<Value>,
    /// For each value, the accesses that it depends on without a barrier since: for a token those that it orders, for
    /// data the loads by several threads that it is computed from. `None` for a value that is not in scope.
    pending: FxHashMap<Value, Accesses>,
    /// The allocation of each buffer.
    allocations: Allocations,
    /// The allocations of each pipe's rings.
    rings: FxHashMap<Value, Vec<OpId>>,
    /// The pipe of each token that an op yields.
    pipe_of: FxHashMap<Value, Value>,
    /// The accesses to buffers since the last barrier.
    buffered: BTreeSet<Buffered>,
    /// Whether the threads have waited for their own copies since the last barrier.
    has_waited: bool,
    /// Accesses since which there was an `overlap_barrier` of their array.
    covered: BTreeSet<OpId>,
    /// The ops that need a barrier before them.
    before: FxHashSet<OpId>,
    /// The loops that need one before them, for accesses in them that conflict with earlier ones only.
    before_loops: FxHashSet<OpId>,
    /// The arrays whose `overlap_barrier` an op needs before it.
    overlaps: FxHashMap<OpId, BTreeSet<Value>>,
    /// The loops around, the outermost first, with the accesses in them.
    loops: Vec<(OpId, Accesses)>,
    /// The current block.
    block: Option<Block>,
}

impl<'a> Search<'a> {
    /// Searches until no barrier moves in front of a loop any more.
    fn run(&mut self, entry: Block) {
        loop {
            let moved = self.before_loops.len();
            self.passed();
            self.before.clear();
            self.overlaps.clear();
            self.block(entry);
            if self.before_loops.len() == moved {
                break;
            }
        }
    }

    fn find_varying(&mut self, region: Region, in_loop: bool) {
        let body = self.body;
        for &block in &body.region(region).blocks {
            if in_loop {
                self.varying.extend(body.block(block).args.iter().copied());
            }
            for &id in &body.block(block).ops {
                let op = body.op(id);
                if in_loop {
                    self.varying.extend(op.results());
                }
                let is_loop = op.kind.effects().flow == Flow::Loop;
                for inner in op.kind.region_list() {
                    self.find_varying(inner, in_loop || is_loop);
                }
            }
        }
    }

    fn waits_for(&self, value: Value) -> Accesses {
        self.pending.get(&value).cloned().unwrap_or_default()
    }

    fn wait(&mut self, value: Value, accesses: Accesses) {
        if !accesses.is_empty() {
            self.pending.insert(value, accesses);
        }
    }

    /// The accesses that the operands of an op depend on: its tokens if `tokens`, else its other operands.
    fn operands(&self, id: OpId, tokens: bool) -> Accesses {
        let mut all = Accesses::new();
        self.body.op(id).kind.operands(&mut |value| {
            if self.is_token(value) == tokens
                && let Some(accesses) = self.pending.get(&value)
            {
                all.extend(accesses);
            }
        });
        all
    }

    fn is_token(&self, value: Value) -> bool {
        *self.body.ty(value) == TileAsType::Token
    }

    /// The results of an op depend on what its operands depend on.
    fn compute(&mut self, id: OpId) {
        let mut all = self.operands(id, false);
        all.extend(self.operands(id, true));
        for result in self.body.op(id).results() {
            self.wait(result, all.clone());
        }
    }

    fn region(&mut self, region: Region) {
        if let Some(block) = self.body.only_block(region) {
            self.block(block);
        }
    }

    fn block(&mut self, block: Block) {
        let body = self.body;
        let outer = self.block.replace(block);
        for &id in &body.block(block).ops {
            if self.has_waited && self.may_read(id) {
                self.before.insert(id);
            }
            if self.before.contains(&id) || self.before_loops.contains(&id) {
                self.passed();
            }
            for memref in self.overlaps.get(&id).cloned().unwrap_or_default() {
                self.passed_overlaps(memref);
            }
            match &body.op(id).kind {
                ScheduledOp::Arith(_)
                | ScheduledOp::Math(_)
                | ScheduledOp::Tile(_)
                | ScheduledOp::Grid(_) => {
                    self.compute(id);
                }
                ScheduledOp::Pipe(op) => self.stages(id, op),
                ScheduledOp::Scf(op) => self.control(id, op),
                ScheduledOp::TileAs(op) => {
                    self.buffers(id, op);
                    self.memory(id, op);
                }
                ScheduledOp::Scheduled(ScheduledDialect::Agent { body, warps, .. }) => {
                    let outer = std::mem::take(&mut self.buffered);
                    let all = std::mem::replace(&mut self.warps, *warps);
                    self.region(*body);
                    self.warps = all;
                    self.buffered = outer;
                }
                ScheduledOp::Scheduled(ScheduledDialect::End {}) => {}
            }
        }
        self.block = outer;
    }

    /// Records that a barrier is passed: no dependence is left.
    fn passed(&mut self) {
        self.pending.clear();
        self.buffered.clear();
        self.covered.clear();
        self.has_waited = false;
    }

    /// Records that an `overlap_barrier` of an array is passed.
    fn passed_overlaps(&mut self, memref: Value) {
        let accesses: BTreeSet<OpId> = self.pending.values().flatten().copied().collect();
        let of_array = |&id: &OpId| {
            self.access(id)
                .is_some_and(|access| access.memref() == Some(memref))
        };
        let covered: Vec<OpId> = accesses.into_iter().filter(of_array).collect();
        self.covered.extend(covered);
    }

    /// Whether an op may read a stage of a pipe, or ends the block.
    fn may_read(&self, id: OpId) -> bool {
        match &self.body.op(id).kind {
            ScheduledOp::Pipe(_)
            | ScheduledOp::TileAs(TileAsDialect::Barrier {} | TileAsDialect::OverlapBarrier { .. }) => false,
            // A store from registers.
            ScheduledOp::TileAs(TileAsDialect::Copy { source, .. }) => {
                self.body.ty(*source).layout().is_none()
            }
            kind => !kind.is_pure(),
        }
    }

    /// The bytes of an allocation in shared memory, if allocated.
    fn bytes(&self, allocation: OpId) -> Option<Range<u64>> {
        let op = self.body.op(allocation);
        match &op.kind {
            ScheduledOp::TileAs(TileAsDialect::Alloc {
                offset: Some(offset), ..
            }) => {
                let bytes = self.body.ty(op.result(0)).buffer()?.bytes();
                Some(u64::from(*offset)..u64::from(*offset) + bytes)
            }
            _ => None,
        }
    }

    /// Records the accesses of an op on a pipe. The reads of stages must be complete before the agent writes other buffers that
    /// share their bytes. All other accesses to stages are ordered by the pipe itself, if it has barriers.
    fn stages(&mut self, id: OpId, op: &PipeOp) {
        match op {
            PipeOp::Wait { pipe, .. } => {
                let reads = self.ring(*pipe, Touch::Reads);
                self.buffered.extend(reads);
                self.has_waited |= self.is_own(*pipe);
            }
            // Products may have read the stage until now, past barriers after the wait for it.
            PipeOp::Release { token } => {
                let is_pipe = |pipe: &Value| self.pipe_of.get(token).is_none_or(|own| own == pipe);
                let pipes = self.rings.keys().copied().filter(is_pipe);
                let reads: Vec<Buffered> = pipes.flat_map(|pipe| self.ring(pipe, Touch::Reads)).collect();
                self.buffered.extend(reads);
            }
            PipeOp::Acquire { pipe, .. } if self.is_own(*pipe) => {
                let begins = self.ring(*pipe, Touch::Begins);
                // The stages that are being filled are others.
                let conflict = |later: &Buffered| {
                    let mut earlier = self
                        .buffered
                        .iter()
                        .filter(|earlier| earlier.touch != Touch::Begins);
                    earlier.any(|earlier| earlier.conflicts_with(later))
                };
                if begins.iter().any(conflict) {
                    self.before.insert(id);
                    self.passed();
                }
                self.buffered.extend(begins);
            }
            PipeOp::Drain { pipe, .. } if self.is_own(*pipe) => {
                let ends = self.ring(*pipe, Touch::Ends);
                self.buffered.extend(ends);
            }
            _ => {}
        }
    }

    /// Whether one agent both fills and reads the stages of a pipe, which then has no barriers.
    fn is_own(&self, pipe: Value) -> bool {
        self.body.ty(pipe).pipe().and_then(PipeType::kind) == Some(PipeKind::CpAsyncGroup)
    }

    /// An access to an unknown stage of a pipe.
    fn ring(&self, pipe: Value, touch: Touch) -> Vec<Buffered> {
        let rings = self.rings.get(&pipe).map_or(&[][..], Vec::as_slice);
        let bytes = rings.iter().filter_map(|&ring| self.bytes(ring));
        let accesses = bytes.map(|bytes| Buffered {
            begin: bytes.start,
            end: bytes.end,
            location: None,
            touch,
        });
        accesses.collect()
    }

    /// The accesses of an op to buffers.
    fn buffers(&mut self, id: OpId, op: &TileAsDialect) {
        let mut accesses = Vec::new();
        for (buffer, touch) in touched(op) {
            if self.allocations.is_carried(buffer) {
                accesses.push(Buffered {
                    begin: 0,
                    end: u64::MAX,
                    location: None,
                    touch,
                });
            }
            for &location in self.allocations.locations(buffer) {
                let bytes = self.bytes(location.root);
                accesses.extend(bytes.map(|bytes| Buffered {
                    begin: bytes.start,
                    end: bytes.end,
                    location: Some(location),
                    touch,
                }));
            }
        }
        let conflict = |later: &Buffered| self.buffered.iter().any(|earlier| earlier.conflicts_with(later));
        if accesses.iter().any(conflict) {
            self.before.insert(id);
            self.passed();
        }
        self.buffered.extend(accesses);
    }

    fn memory(&mut self, id: OpId, op: &TileAsDialect) {
        match op {
            TileAsDialect::Barrier {} => return self.passed(),
            TileAsDialect::OverlapBarrier { memref } => return self.passed_overlaps(*memref),
            _ => {}
        }
        let Some(access) = Access::of(self.body, id, op) else {
            return self.compute(id);
        };
        let mut earlier = self.operands(id, true);
        let mut sources = self.operands(id, false);
        let conflicting = |conflict: Conflict| -> Accesses {
            let all = earlier.iter().chain(&sources).copied();
            all.filter(|&other| self.conflict(other, id) == Some(conflict))
                .collect()
        };
        let (always, overlapping) = (
            conflicting(Conflict::Always),
            conflicting(Conflict::IfOverlapping),
        );
        if !always.is_empty() {
            match self.loops.iter().find(|(_, inside)| inside.is_disjoint(&always)) {
                Some(&(around, _)) => self.before_loops.insert(around),
                None => self.before.insert(id),
            };
            self.passed();
            earlier.clear();
            sources.clear();
        } else if let Some(memref) = access.memref().filter(|_| !overlapping.is_empty()) {
            let place = self.earliest(id, memref, &overlapping);
            self.overlaps.entry(place).or_default().insert(memref);
            self.passed_overlaps(memref);
        }
        self.covered.remove(&id);
        earlier.insert(id);
        earlier.extend(&sources);
        if !self.has_one_owner(access.layout) {
            sources.insert(id);
        }
        for result in self.body.op(id).results() {
            let waits = if self.is_token(result) { &earlier } else { &sources };
            self.wait(result, waits.clone());
        }
    }

    /// The first op of an access's block before which the earlier accesses, and the definition of the array, are complete.
    /// There the barrier keeps the access and what is computed for it together.
    fn earliest(&self, id: OpId, memref: Value, earlier: &Accesses) -> OpId {
        let ops = self.block.map_or(&[][..], |block| &self.body.block(block).ops);
        let before = ops.split(|&op| op == id).next().unwrap_or_default();
        let ends = |&op: &OpId| {
            let op = self.body.op(op);
            let mut inside = Accesses::new();
            op.kind.regions(&mut |inner| self.collect(inner, &mut inside));
            !inside.is_disjoint(earlier) || op.results().any(|result| result == memref)
        };
        let last = before.iter().rposition(|op| earlier.contains(op) || ends(op));
        before.get(last.map_or(0, |last| last + 1)).copied().unwrap_or(id)
    }

    fn control(&mut self, id: OpId, op: &ScfOp) {
        let body = self.body;
        match op {
            ScfOp::For {
                inits, body: inner, ..
            } => self.repeat(id, inits, *inner, 1),
            ScfOp::Loop { inits, body: inner } => self.repeat(id, inits, *inner, 0),
            ScfOp::If { then, otherwise, .. } => {
                let entry = self.pending.clone();
                let buffered = self.buffered.clone();
                let covered = self.covered.clone();
                let mut covered_ends: Option<BTreeSet<OpId>> = None;
                let mut ends: FxHashMap<Value, Accesses> = FxHashMap::default();
                let mut buffered_ends = BTreeSet::new();
                for &branch in &[*then, *otherwise] {
                    self.pending = entry.clone();
                    self.buffered = buffered.clone();
                    self.covered = covered.clone();
                    self.region(branch);
                    buffered_ends.extend(&self.buffered);
                    let end = body.only_block(branch).and_then(|block| body.terminator(block));
                    // A branch that leaves a loop or the kernel does not continue after the `if`.
                    if let Some(ScheduledOp::Scf(ScfOp::Yield { values })) = end.map(|end| &body.op(end).kind)
                    {
                        covered_ends = Some(match covered_ends {
                            Some(ends) => &ends & &self.covered,
                            None => self.covered.clone(),
                        });
                        for (result, &value) in body.op(id).results().zip(values) {
                            ends.entry(result).or_default().extend(self.waits_for(value));
                        }
                        for (&token, accesses) in &self.pending {
                            if entry.contains_key(&token) {
                                ends.entry(token).or_default().extend(accesses);
                            }
                        }
                    }
                }
                self.pending = ends;
                self.buffered = buffered_ends;
                self.covered = covered_ends.unwrap_or_default();
            }
            ScfOp::Yield { .. } | ScfOp::Continue { .. } | ScfOp::Break { .. } | ScfOp::Return {} => {}
        }
    }

    /// A loop, whose body has the loop-carried values as its arguments from `first` on.
    fn repeat(&mut self, id: OpId, inits: &[Value], inner: Region, first: usize) {
        let body = self.body;
        let mut inside = Accesses::new();
        self.collect(inner, &mut inside);
        let copies: Accesses = inside
            .iter()
            .copied()
            .filter(|&id| {
                self.access(id)
                    .is_some_and(|access| !self.has_one_owner(access.layout))
            })
            .collect();
        let args = body
            .only_block(inner)
            .map_or(&[][..], |block| &body.block(block).args);
        let before: Accesses = inits.iter().flat_map(|&init| self.waits_for(init)).collect();
        // A loop may have no iterations, so earlier dependences remain.
        for value in args.iter().copied().skip(first).chain(body.op(id).results()) {
            let within = if self.is_token(value) { &inside } else { &copies };
            self.wait(value, before.union(within).copied().collect());
        }
        let entry = self.pending.clone();
        let covered = &self.covered - &inside;
        self.loops.push((id, inside));
        // Barriers found in one round are kept; each round starts with at least the dependences of the previous one.
        loop {
            let begin = self.buffered.clone();
            self.pending = entry.clone();
            self.covered.clone_from(&covered);
            self.region(inner);
            self.buffered.extend(&begin);
            if self.buffered == begin {
                break;
            }
        }
        self.loops.pop();
        self.pending = entry;
        self.covered = covered;
    }

    fn collect(&self, region: Region, into: &mut Accesses) {
        for &block in &self.body.region(region).blocks {
            for &id in &self.body.block(block).ops {
                let op = self.body.op(id);
                if let ScheduledOp::TileAs(own) = &op.kind
                    && Access::of(self.body, id, own).is_some()
                {
                    into.insert(id);
                }
                op.kind.regions(&mut |inner| self.collect(inner, into));
            }
        }
    }
}

struct Insert {
    before: FxHashSet<OpId>,
    overlaps: FxHashMap<OpId, BTreeSet<Value>>,
}

impl Translate<Scheduled, Scheduled> for Insert {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Translation<'_, Scheduled, Scheduled>, id: OpId) -> Translated {
        if self.before.contains(&id) {
            cx.build().effect(TileAsDialect::Barrier {});
        }
        for &memref in self.overlaps.get(&id).into_iter().flatten() {
            let memref = cx.one(memref);
            cx.build().effect(TileAsDialect::OverlapBarrier { memref });
        }
        let old = cx.old(id);
        cx.set_tag(old.tag);
        let carried = cx.carry(id, &old.kind, self);
        cx.set_tag(None);
        carried
    }
}
