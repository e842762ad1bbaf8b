//! Stages for loops in which one agent both brings tiles to shared memory, ahead of their iterations, and multiplies them.
//!
//! With `n` stages in the rings, the `cp.async` copies of an iteration begin `n - 1` steps before its products. They are waited
//! for at the end of the step before its products, ahead of that step's last product, and the operands of its first product are
//! read there: so tensor cores always have a product to compute meanwhile, and one barrier per step is enough. When a thread
//! reaches it, it has waited for its own copies to the stage that is read next, and has finished reading the stage that is filled
//! next. Tiles that are stored from registers are loaded at the beginning of that same step, and stored at its end, into a ring
//! of two stages (of one, if two do not fit).
//!
//! Asynchronous products leave the threads free: when the last product has begun, they issue copies and wait for those of the next
//! iteration, with many stages in the other order, and then wait for the products. With a single product and many stages, of all
//! rings of the loop, the copies come at the end instead, so that
//! [`overlap_products`](mod@crate::scheduled::overlap_products) can leave that product under way. In such loops, with rings or
//! without, loads of few registers are issued one iteration ahead too (`register_loads`).
//!
//! If two stages do not fit, a single one is refilled between its last read in one iteration and its first in the next. This is
//! done if buffers are read one after the other, as attention reads keys before values: the copy for the next iteration runs
//! while the products of the other buffers are computed.
//!
//! The number of stages follows from the `latency` hint of the loads, else from the `num_stages` of the loop, else it is
//! [`USUAL_STAGES`]. It is lower if shared memory, divided among the blocks on a multiprocessor, does not suffice, or the loop has
//! fewer iterations. If the `occupancy` hint leaves no room for two stages, or for three where it asks for three blocks or more, the
//! occupancy is lowered: a pipeline with fewer blocks is better than none, and one of three stages with three blocks better than one
//! of two with four. (Predicted, for products of few rows.)

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Func, OpId, Operation, Region, Remap, Value};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::machine::Machine;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, Slot};
use tilewright_irs::tileas::{Depth, Space, TileAsAttrs, TileAsDialect, TileAsType};

use super::own_rings::{Candidate, Leading, Loop, is_begun, is_product};
use super::{GOOD_STAGES, HELD_STAGES, latency_of, occupancy_of, plan_of, stages_of, trip_count};
use crate::hints::HintUse;
use crate::program_slice::Places;
use crate::uses::users_of;

/// The stages of a ring without a hint.
const USUAL_STAGES: u32 = 4;
/// The most stages, whatever the hint.
const MAX_STAGES: u32 = 8;
/// A block with this many warps or more keeps a multiprocessor busy by itself.
const BUSY_WARPS: u32 = 8;
/// Bytes that allocation may lose to the alignment of one buffer.
const PADDING: u64 = 128;

/// Assigns stages to the loops of a function in which one agent fills and reads the rings. Returns what it made of hints.
pub(super) fn schedule(func: &mut Func<Scheduled>) -> Vec<HintUse> {
    let plans = plans(func);
    let mut hints: Vec<HintUse> = plans.iter().flat_map(|plan| plan.hints.clone()).collect();
    // Where shared memory does not suffice for more blocks, each may have more registers.
    let blocks = plans.iter().filter_map(|plan| plan.blocks).min();
    hints.extend(blocks.and_then(|blocks| occupancy_of(func, blocks)));
    let occupancy = &mut func.attrs.kernel_spec.occupancy;
    *occupancy = occupancy
        .zip(blocks)
        .map(|(hint, blocks)| hint.min(blocks))
        .or(*occupancy);
    for plan in plans {
        plan.apply(func);
    }
    hints
}

/// The buffers of a loop's body that the multiplying agent may fill ahead, with their sizes in bytes.
pub(super) fn buffers(func: &Func<Scheduled>, places: &Places<'_, Scheduled>) -> Vec<(Block, OpId, u64)> {
    let users = users_of(&func.body);
    let of_loop = |id: OpId| {
        let around = Loop::of(func, places, &users, id)?;
        let rings = around.candidates().into_iter();
        let sizes = rings.map(|ring| (around.block, ring.alloc, ring.buffer.bytes()));
        Some(sizes.collect::<Vec<_>>())
    };
    func.body
        .walk()
        .into_iter()
        .filter_map(of_loop)
        .flatten()
        .collect()
}

/// The schedule of a loop.
struct Plan {
    id: OpId,
    /// The allocations that become rings, each with its number of stages.
    depths: Vec<(OpId, u32)>,
    /// The number of blocks that fit on a multiprocessor then, up to the number wanted, if there are rings.
    blocks: Option<u32>,
    /// What is made of the hints for the latency of its loads, and for its stages.
    hints: Vec<HintUse>,
    /// The ops of a step, in order, each with its stage. An op that two stages execute occurs twice.
    order: Vec<(OpId, u32)>,
}

fn plans(func: &Func<Scheduled>) -> Vec<Plan> {
    let body = &func.body;
    let places = Places::of(body);
    let users = users_of(&func.body);
    let plan = |id: OpId| {
        let around = Loop::of(func, &places, &users, id)?;
        let has_stages = |id: &OpId| body.op(*id).tag.is_some_and(|slot| slot.agent.is_none());
        let rings = around.candidates();
        let loads = around.register_loads(&rings);
        let nothing = rings.is_empty() && loads.is_empty();
        if nothing || around.ops().iter().any(has_stages) {
            return None;
        }
        let room = Room {
            func,
            iterations: trip_count(func, &places, id),
            asked: plan_of(func, &places, around.block).num_stages,
        };
        match room.rotating(id, &rings) {
            Some((stages, blocks)) => Some(Plan {
                id,
                depths: rings.iter().map(|ring| (ring.alloc, stages.of(ring))).collect(),
                blocks: (!rings.is_empty()).then_some(blocks),
                hints: room.hints(id, &rings, stages.copied),
                order: rotating(&around, &rings, &loads, stages),
            }),
            None => {
                let (rings, parts) = parts(&around, rings)?;
                let blocks = room.refilled(id, &rings)?;
                Some(Plan {
                    id,
                    depths: rings.iter().map(|ring| (ring.alloc, 1)).collect(),
                    blocks: Some(blocks),
                    hints: room.hints(id, &rings, 1),
                    order: refilling(&around, &rings, &parts),
                })
            }
        }
    };
    body.walk().into_iter().filter_map(plan).collect()
}

/// The numbers of stages of a loop's rings: of those filled by asynchronous copies, and of those filled from registers.
#[derive(Clone, Copy)]
struct Stages {
    copied: u32,
    stored: u32,
}

impl Stages {
    fn of(self, ring: &Candidate) -> u32 {
        match ring.wait {
            Some(_) => self.copied,
            None => self.stored,
        }
    }
}

/// What limits the rings of a loop: shared memory, and the number of iterations.
struct Room<'a> {
    func: &'a Func<Scheduled>,
    /// The number of iterations, if it is known.
    iterations: Option<u64>,
    /// The number of stages that the loop asks for.
    asked: Option<u32>,
}

impl Room<'_> {
    /// What is made of the hints of a loop whose rings have so many stages: for them, and for the latency of the copies.
    fn hints(&self, id: OpId, rings: &[Candidate], stages: u32) -> Vec<HintUse> {
        let iterations = self.iterations.unwrap_or(u64::MAX);
        let copied = rings.iter().filter(|ring| ring.wait.is_some());
        let hinted = copied.filter_map(|ring| Some((self.func.body.op(ring.alloc).origin, ring.latency?)));
        let asked = self.asked.into_iter();
        asked
            .map(|asked| stages_of(self.func.body.op(id).origin, asked, stages, iterations))
            .chain(hinted.map(|(origin, latency)| latency_of(origin, latency, stages, iterations)))
            .collect()
    }

    /// Chooses the numbers of stages of a loop's rings, and the number of blocks that fit on a multiprocessor with them. `None`
    /// if two stages do not fit, or the loop is too short to gain from them.
    fn rotating(&self, id: OpId, rings: &[Candidate]) -> Option<(Stages, u32)> {
        let hint = rings.iter().filter_map(|ring| ring.latency).max();
        let wanted = match hint {
            Some(latency) => latency.saturating_add(1).clamp(2, MAX_STAGES),
            None => self.asked.map_or(USUAL_STAGES, |asked| asked.min(MAX_STAGES)),
        };
        let iterations = self.iterations.unwrap_or(u64::MAX);
        let most = u32::try_from(iterations.min(u64::from(wanted))).unwrap_or(wanted);
        if most < 2 {
            return None;
        }
        let (copied, stored) = (bytes(rings, true), bytes(rings, false));
        let most = if copied == 0 { 2 } else { most };
        let others = self.others(id, rings);
        let fits = |stages: &Stages, blocks: u32| {
            let rings = u64::from(stages.copied) * copied + u64::from(stages.stored) * stored;
            others + rings <= budget(&self.func.attrs, blocks)
        };
        // Stages gain more than blocks beyond the second.
        let least = |blocks: u32| if blocks > 2 { GOOD_STAGES.min(most) } else { 2 };
        [2, 1].into_iter().find_map(|stored| {
            (1..=wanted_blocks(self.func)).rev().find_map(|blocks| {
                let stages = (least(blocks)..=most).rev();
                let mut choices = stages.map(|copied| Stages { copied, stored });
                let found = choices.find(|stages| fits(stages, blocks))?;
                Some((found, blocks))
            })
        })
    }

    /// The number of blocks that fit on a multiprocessor if each ring has a single stage. `None` if none fits, or the loop is too
    /// short to gain from it.
    fn refilled(&self, id: OpId, rings: &[Candidate]) -> Option<u32> {
        if self.iterations.is_some_and(|iterations| iterations < 2) {
            return None;
        }
        let needed = self.others(id, rings) + bytes(rings, true);
        let mut choices = (1..=wanted_blocks(self.func)).rev();
        choices.find(|&blocks| needed <= budget(&self.func.attrs, blocks))
    }

    /// Bytes of the other buffers that are live in a loop: those of its body, and those that are allocated before it and used in
    /// it or after it.
    fn others(&self, around: OpId, rings: &[Candidate]) -> u64 {
        let body = &self.func.body;
        let mut allocations: FxHashMap<Value, OpId> = FxHashMap::default();
        let mut live: Vec<OpId> = Vec::new();
        let mut begun = false;
        let regions = body.op(around).kind.region_list().into_iter();
        let inside: FxHashSet<OpId> = regions.flat_map(|region| body.walk_region(region)).collect();
        for id in body.walk() {
            begun |= id == around;
            let op = body.op(id);
            let is_own = inside.contains(&id);
            if let ScheduledOp::TileAs(TileAsDialect::Alloc { .. }) = &op.kind {
                if is_own {
                    live.push(id);
                }
                // What is allocated after the loop is not live in it.
                if is_own || !begun {
                    allocations.insert(op.result(0), id);
                }
                continue;
            }
            let operands = op.kind.operand_list().into_iter();
            let roots: Vec<OpId> = operands
                .filter_map(|value| allocations.get(&value).copied())
                .collect();
            if let [root, ..] = roots.as_slice() {
                let views = op.results().filter(|&result| {
                    matches!(body.ty(result), TileAsType::Buffer(_) | TileAsType::Pending(_))
                });
                allocations.extend(views.map(|result| (result, *root)));
            }
            if begun {
                live.extend(roots);
            }
        }
        live.sort_unstable();
        live.dedup();
        let mut shared: FxHashSet<u32> = FxHashSet::default();
        let taken = |id: &OpId| {
            let op = body.op(*id);
            let ScheduledOp::TileAs(TileAsDialect::Alloc { depth, .. }) = &op.kind else {
                return None;
            };
            let buffer = body.ty(op.result(0)).buffer()?;
            // A ring that several buffers share is there once.
            let is_new = depth.and_then(Depth::ring).is_none_or(|ring| shared.insert(ring));
            let is_other =
                is_new && buffer.space == Space::Shared && rings.iter().all(|ring| ring.alloc != *id);
            is_other.then(|| buffer.bytes() * u64::from(depth.map_or(1, Depth::stages)) + PADDING)
        };
        live.iter().filter_map(taken).sum()
    }
}

/// Bytes of one stage of all rings that are filled by asynchronous copies (`is_copied`), or of those filled from registers.
fn bytes(rings: &[Candidate], is_copied: bool) -> u64 {
    let rings = rings.iter().filter(|ring| ring.wait.is_some() == is_copied);
    rings.map(|ring| ring.buffer.bytes() + PADDING).sum()
}

/// The number of blocks that a multiprocessor is to run at a time: that of the hint, or for which there is room beside the rings of
/// another agent, else enough to keep it busy.
fn wanted_blocks(func: &Func<Scheduled>) -> u32 {
    let attrs = &func.attrs;
    let is_other = |slot: Option<Slot>| slot.is_some_and(|slot| slot.agent.is_some());
    match attrs.kernel_spec.occupancy {
        Some(blocks) => blocks.clamp(1, Machine::of(attrs.target).multiprocessor.blocks),
        None if func.body.ops().any(|(_, op)| is_other(op.tag)) => 1,
        None if attrs.kernel_spec.num_warps < BUSY_WARPS => 2,
        None => 1,
    }
}

/// Shared memory per block, in bytes, if this many blocks share a multiprocessor.
fn budget(attrs: &TileAsAttrs, blocks: u32) -> u64 {
    Machine::of(attrs.target).multiprocessor.shared_of(blocks).0
}

/// The ops of a step, with their stages, for a loop whose rings have several stages, with these ops for loads to registers.
fn rotating(
    around: &Loop<'_>,
    rings: &[Candidate],
    register_loads: &FxHashSet<OpId>,
    stages: Stages,
) -> Vec<(OpId, u32)> {
    let last = stages.copied - 1;
    let copied = || rings.iter().filter(|ring| ring.wait.is_some());
    let stored = || rings.iter().filter(|ring| ring.wait.is_none());
    let in_order = |ops: FxHashSet<OpId>, stage: u32| {
        let ops = around.ops().iter().copied().filter(move |id| ops.contains(id));
        ops.map(move |id| (id, stage))
    };
    let copies = copied().flat_map(|ring| ring.slice.iter().copied().chain([ring.alloc, ring.fill]));
    let loads = stored().flat_map(|ring| ring.slice.iter());
    let loads = loads.chain(register_loads).copied();
    let stores = stored().flat_map(|ring| [ring.alloc, ring.fill]);
    let waits = copied().filter_map(|ring| ring.wait);
    let Leading {
        ops: leading,
        last: last_product,
    } = around.leading(rings);
    let mut early: Vec<(OpId, u32)> = in_order(copies.collect(), 0).collect();
    early.extend(
        in_order(loads.collect(), last - 1)
            .filter(|op| !early.contains(op))
            .collect::<Vec<_>>(),
    );
    let mut late: Vec<(OpId, u32)> = in_order(stores.collect(), last - 1).collect();
    late.extend(in_order(waits.collect(), last - 1));
    late.extend(leading.iter().map(|&id| (id, last - 1)));
    let moved: FxHashSet<OpId> = early.iter().chain(&late).map(|&(id, _)| id).collect();
    let stays = needed(around, &moved);
    let own = |ops: &[OpId]| -> Vec<(OpId, u32)> {
        ops.iter()
            .filter(|id| stays.contains(id))
            .map(|&id| (id, last))
            .collect()
    };
    let ops = around.ops();
    if let Some(begun) = ops.iter().rposition(|&id| is_begun(around.kind(id))) {
        let (before, after) = ops.split_at(begun + 1);
        let (before, after) = (own(before), own(after));
        // With many stages, enough copies are under way while the threads wait; the barrier is then beside the product.
        let waits_first = rings.iter().all(|ring| stages.of(ring) >= HELD_STAGES);
        let copies_last = !rings.is_empty() && stays_under_way(around, rings, stages);
        return match (copies_last, waits_first) {
            (true, _) => [before, after, late, early].concat(),
            (false, true) => [before, late, early, after].concat(),
            (false, false) => [before, early, late, after].concat(),
        };
    }
    let position = ops.iter().position(|&id| Some(id) == last_product);
    let (before, after) = ops.split_at(position.unwrap_or(ops.len()));
    [early, own(before), late, own(after)].concat()
}

/// Whether the product of an iteration may be under way until that of the next one has begun: there is a single one, and all rings
/// of the loop have enough stages.
fn stays_under_way(around: &Loop<'_>, rings: &[Candidate], stages: Stages) -> bool {
    let ops = || around.ops().iter().map(|&id| around.kind(id));
    let products = ops().filter(|op| is_product(op)).count();
    let depth = |alloc: OpId| match around.kind(alloc) {
        ScheduledOp::TileAs(TileAsDialect::Alloc { depth, .. }) => depth.map_or(1, Depth::stages),
        _ => 1,
    };
    let others = ops().filter_map(|op| match op {
        ScheduledOp::TileAs(TileAsDialect::CopyIn { to, atom, .. }) if atom.pipe().has_barriers() => {
            around.own_definition(*to).map(depth)
        }
        _ => None,
    });
    let own = rings.iter().map(|ring| stages.of(ring));
    products == 1 && own.chain(others).all(|stages| stages >= HELD_STAGES)
}

/// The ops that the last stage executes, if earlier stages execute `moved`: all other ops, except those of other agents, and the
/// pure ops in `moved` whose results they use, which are executed again.
fn needed(around: &Loop<'_>, moved: &FxHashSet<OpId>) -> FxHashSet<OpId> {
    let body = &around.func.body;
    let is_elsewhere = |id: &OpId| body.op(*id).tag.is_some();
    let mut stays: FxHashSet<OpId> = around
        .ops()
        .iter()
        .copied()
        .filter(|id| !moved.contains(id))
        .collect();
    let handed = body.terminator(around.block);
    for &id in around.ops().iter().rev() {
        let op = body.op(id);
        let again = op.kind.is_pure() && op.kind.region_list().is_empty();
        let used = || {
            let mut users = op.results().flat_map(|result| around.users(result));
            users.any(|&user| Some(user) == handed || holds(around, &stays, user))
        };
        if !stays.contains(&id) && again && used() {
            stays.insert(id);
        }
    }
    stays.retain(|id| !is_elsewhere(id));
    stays
}

/// Whether an op is in a set of ops of the body, or is nested in one of them.
fn holds(around: &Loop<'_>, ops: &FxHashSet<OpId>, id: OpId) -> bool {
    let outer = |id: OpId| {
        around
            .places
            .block(id)
            .and_then(|block| around.places.around(block))
    };
    std::iter::successors(Some(id), |&id| outer(id)).any(|id| ops.contains(&id))
}

/// The part of a body that reads a buffer: the positions of its first and last op.
type Part = (usize, usize);

/// The rings that can be refilled as soon as they have been read, and the parts of the body that read them, in the body's order.
/// `None` unless at least two buffers are read in separate parts.
fn parts(around: &Loop<'_>, rings: Vec<Candidate>) -> Option<(Vec<Candidate>, Vec<Part>)> {
    let ops = around.ops();
    let position = |user: OpId| {
        ops.iter()
            .position(|&id| holds(around, &[id].into_iter().collect(), user))
    };
    let mut parts: Vec<(Part, Candidate)> = Vec::new();
    for ring in rings.into_iter().filter(|ring| ring.wait.is_some()) {
        let readers = around.readers(ring.ready(around.func), ring.fill);
        let positions = readers.into_iter().filter_map(position);
        if let (Some(first), Some(last)) = (positions.clone().min(), positions.max()) {
            parts.push(((first, last), ring));
        }
    }
    parts.sort_by_key(|((first, _), _)| *first);
    let apart = parts.windows(2).all(|pair| match pair {
        [((_, last), _), ((first, _), _)] => last < first,
        _ => true,
    });
    if parts.len() < 2 || !apart {
        return None;
    }
    let (parts, rings) = parts.into_iter().unzip();
    Some((rings, parts))
}

/// The ops of a step, with their stages, for a loop whose rings have a single stage.
fn refilling(around: &Loop<'_>, rings: &[Candidate], parts: &[Part]) -> Vec<(OpId, u32)> {
    let brings = |ring: &Candidate| {
        let ops: FxHashSet<OpId> = ring
            .slice
            .iter()
            .copied()
            .chain([ring.alloc, ring.fill])
            .collect();
        ops
    };
    let moved: FxHashSet<OpId> = rings
        .iter()
        .flat_map(|ring| brings(ring).into_iter().chain(ring.wait))
        .collect();
    let stays = needed(around, &moved);
    let mut order = Vec::new();
    let mut brought: FxHashSet<OpId> = FxHashSet::default();
    for (position, &id) in around.ops().iter().enumerate() {
        for (ring, (first, _)) in rings.iter().zip(parts) {
            order.extend(ring.wait.filter(|_| *first == position).map(|wait| (wait, 1)));
        }
        if stays.contains(&id) {
            order.push((id, 1));
        }
        for (ring, (_, last)) in rings.iter().zip(parts) {
            if *last == position {
                let ops = brings(ring);
                let ops = around
                    .ops()
                    .iter()
                    .copied()
                    .filter(|id| ops.contains(id) && brought.insert(*id));
                order.extend(ops.map(|id| (id, 0)));
            }
        }
    }
    order
}

/// Replaces the operands of an op by the values of its stage.
struct Renamed<'a>(&'a FxHashMap<Value, Value>);

impl Remap for Renamed<'_> {
    fn value(&mut self, value: Value) -> Value {
        self.0.get(&value).copied().unwrap_or(value)
    }

    fn values(&mut self, values: &mut Vec<Value>) {
        values.iter_mut().for_each(|value| *value = self.value(*value));
    }

    fn region(&mut self, region: Region) -> Region {
        region
    }
}

impl Plan {
    /// Writes the schedule to the ops of the loop. An op that two stages execute is copied for the earlier one.
    fn apply(self, func: &mut Func<Scheduled>) {
        let body = &mut func.body;
        for (alloc, stages) in &self.depths {
            if let ScheduledOp::TileAs(TileAsDialect::Alloc { depth, .. }) = &mut body.op_mut(*alloc).kind {
                *depth = Some(Depth::Own(*stages));
            }
        }
        let mut stages: FxHashMap<OpId, Vec<(u32, u32)>> = FxHashMap::default();
        for ((id, stage), order) in self.order.into_iter().zip(0..) {
            stages.entry(id).or_default().push((stage, order));
        }
        let ScheduledOp::Scf(ScfOp::For { body: region, .. }) = &body.op(self.id).kind else {
            return;
        };
        let Some(block) = body.only_block(*region) else {
            return;
        };
        let ops = body.block(block).ops.clone();
        let mut renamed: FxHashMap<u32, FxHashMap<Value, Value>> = FxHashMap::default();
        let mut arranged = Vec::with_capacity(ops.len());
        for id in ops {
            let mut slots = stages.remove(&id).unwrap_or_default();
            slots.sort_unstable();
            let own = slots.pop();
            for (stage, order) in slots {
                let op = body.op(id).clone();
                let mut kind = op.kind.clone();
                kind.remap(&mut Renamed(renamed.entry(stage).or_default()));
                let types: Vec<_> = op.results().map(|result| body.ty(result).clone()).collect();
                let copy = body.add_op(block, kind, types, op.origin, Some(slot(stage, order)));
                let results: Vec<(Value, Value)> = op.results().zip(body.op(copy).results()).collect();
                renamed.entry(stage).or_default().extend(results);
                arranged.push(copy);
            }
            if let Some((stage, order)) = own {
                if let Some(renamed) = renamed.get(&stage) {
                    let inner = body.op(id).kind.region_list().into_iter();
                    let inner: Vec<OpId> = inner.flat_map(|region| body.walk_region(region)).collect();
                    for id in inner.into_iter().chain([id]) {
                        body.op_mut(id).kind.remap(&mut Renamed(renamed));
                    }
                }
                body.op_mut(id).tag = Some(slot(stage, order));
            }
            arranged.push(id);
        }
        body.arrange_ops(block, arranged);
    }
}

fn slot(stage: u32, order: u32) -> Slot {
    Slot {
        agent: None,
        stage,
        order,
    }
}
