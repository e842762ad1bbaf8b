//! Chooses what is loaded ahead of a loop's iterations, by whom, and how far. `scheduled` to `scheduled`.
//!
//! In: a function of one agent. Out: the same function, where
//!
//! - the loads by tensor maps, and their maps, are placed on the agent `load`: they have `agent = load`, stage 0 and their order
//!   as `slot`;
//! - so are the copies by threads (`cp.async`) in the same loops that such an agent can do (`gathers`);
//! - the buffers that they fill have a `depth`, the number of stages of the rings that will take their places: one outside of
//!   loops, in loops as many as fit into shared memory beside all other buffers, up to the iterations, and to one more than the
//!   largest `latency` of the copies, if there is a hint, else to the `num_stages` of the loop, else to [`USUAL_STAGES`];
//! - where that leaves the rings of a loop fewer than [`GOOD_STAGES`], and their stages are of one size, the copies take the stages
//!   of one ring in turn, if its number allows to load further ahead: three stages that two tiles take in turn, where each would
//!   have a ring of one stage;
//! - other loops begin their products before what these do not need (`products_first`), and wait for them where their results are
//!   used (`late_waits`);
//! - the ops of loops in which a product needs another one have a stage and an order, in which
//!   [`pipeline_loops`](mod@super::pipeline_loops) writes them, where a modulo scheduler finds any that make an iteration faster
//!   (`stages`);
//! - the ops of loops in which threads prepare operands of products have stages and an order too, and the buffers of these operands
//!   a `depth` (`operands`);
//! - the ops of loops in which the multiplying agent itself brings other tiles to shared memory have stages and an order too, and
//!   the buffers of those tiles a `depth`, and so have loops that load few registers ahead (`ahead`);
//! - the copies of tiles that all blocks of a cluster load are multicast ones (`multicast`);
//! - the buffers from which copies by tensor maps store have a `depth` too (`store_rings`);
//! - the `occupancy` is the number of blocks that share a multiprocessor: the largest for which the accumulators leave registers,
//!   and enough stages fit into shared memory: [`GOOD_STAGES`], two up to the number of blocks that a hint asks for, or one where
//!   a loop reads several rings. Where tensor cores wait for the threads of a block, since these compute between products or after
//!   them, more blocks may share a multiprocessor by having a single warp that loads.
//!
//! Nothing is placed if another agent cannot compute the operands of the copies, if a token orders one of the copies after
//! anything but loads, or if one is in a loop that is `serial`, of which nothing is issued ahead.

mod ahead;
mod dependences;
mod gathers;
mod iteration;
mod late_waits;
mod modulo;
mod multicast;
mod operands;
mod own_rings;
mod pauses;
mod products_first;
mod register_loads;
mod stages;
mod store_rings;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::counted;
use tilewright_irs::core::{Block, Func, OpId, Operation, Origin, Region, Value};
use tilewright_irs::cuda_tile::Hint;
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::literal::Dense;
use tilewright_irs::machine::{GROUP_WARPS, Machine, Multiprocessor, threads};
use tilewright_irs::scheduled::{
    Role, Scheduled, ScheduledOp, Slot, agents, is_single, registers_of_products,
};
use tilewright_irs::tileas::{Depth, Space, TileAsDialect, TileAsType};
use tilewright_layouts::Dim;

use super::copy_groups::{Group, Ring, copied_vectors, groups, is_within, out_of_turn, sent_buffers};
use super::expand_schedule::producer_slice;
use crate::hints::{Cause, HintUse, Warned};
use crate::program_slice::Places;
use crate::register_division::{computing_registers, loading_registers, loading_warps};
use late_waits::wait_late;
use operands::Preparation;
use products_first::begin_products_first;
use stages::stages;

/// The most stages of a ring without a hint, and with one.
pub const USUAL_STAGES: u64 = 6;
const MAX_STAGES: u64 = 8;
/// The stages from which on more blocks on a multiprocessor gain more than more stages.
pub const GOOD_STAGES: u32 = 3;
/// The least stages of rings from which threads prepare operands while products of the stage before are under way.
const PREPARED_STAGES: u64 = 2;
/// The fewest stages of a ring whose stages may be held for another iteration. (On an H200, products of 64 x 128 x 64 tiles in
/// rings of four stages take 10 % less time so, and persistent ones of 256 x 128 x 64 tiles in rings of three 3 % more.)
pub const HELD_STAGES: u32 = 4;
/// The most blocks on a multiprocessor that a schedule makes room for by itself.
const MAX_BLOCKS: u32 = 4;
/// 32-bit registers of a thread beside the accumulators of products: their left operands, addresses and temporaries.
const OTHER_REGISTERS: u32 = 64;
/// 32-bit registers of a thread beside the accumulators and the left operands of products: addresses and temporaries.
pub(crate) const TEMPORARY_REGISTERS: u32 = 48;
/// 32-bit registers of a thread beside the accumulators of products, if another agent computes all addresses.
const REGISTERS_BESIDE_SUMS: u32 = 40;
/// Bytes that a buffer may lose to the alignment of another, and those of the barriers of a ring.
const PADDING: u64 = 256;

/// Chooses the schedule of a function.
pub fn schedule_loops(func: &Func<Scheduled>) -> Warned<Func<Scheduled>> {
    let func = wait_late(begin_products_first(store_rings::schedule(func)));
    let mut scheduled = by_other_agents(&func);
    let ahead = ahead::schedule(&mut scheduled.func);
    let Warned { func, mut hints } = scheduled;
    hints.extend(ahead);
    let body = func.body.renumbered();
    Warned {
        func: Func { body, ..func },
        hints,
    }
}

/// What is made of a hint for the occupancy, where there is one.
fn occupancy_of(func: &Func<Scheduled>, blocks: u32) -> Option<HintUse> {
    func.attrs.kernel_spec.occupancy.map(|_| HintUse {
        origin: Origin::FUNCTION,
        hint: Hint::Occupancy.into(),
        asked: None,
        used: blocks,
        why: format!(
            "the shared memory and the registers of a multiprocessor have room for {}, with stages for its loops",
            counted(blocks, "block")
        ),
        cause: Cause::Forbidden,
    })
}

/// What is made of a hint for the latency of a copy in a loop with so many iterations, whose ring has so many stages.
fn latency_of(origin: Origin, latency: u32, stages: u32, iterations: u64) -> HintUse {
    let ahead = stages.saturating_sub(1);
    let (cause, why) = match ahead > latency {
        true => (
            Cause::Free,
            format!(
                "the hints of all copies of a loop decide together how many stages its buffers have, which are {stages}"
            ),
        ),
        false => (
            Cause::Forbidden,
            format!(
                "it asks for {} of the loop's buffers, of which there are {stages}: as many as fit in shared memory beside \
                 other blocks, and at most {MAX_STAGES}",
                counted(latency.saturating_add(1), "stage")
            ),
        ),
    };
    HintUse {
        origin,
        hint: Hint::Latency.into(),
        asked: Some(latency),
        // A loop with fewer iterations has nothing to load further ahead.
        used: match iterations > u64::from(latency) {
            true => ahead,
            false => latency,
        },
        why,
        cause,
    }
}

/// What is made of the `num_stages` of a loop with so many iterations, whose rings have so many stages.
fn stages_of(origin: Origin, asked: u32, stages: u32, iterations: u64) -> HintUse {
    let (cause, why) = match stages > asked {
        true => (
            Cause::Free,
            "the `latency` of a copy of the loop asks for more".to_owned(),
        ),
        false => (
            Cause::Forbidden,
            format!(
                "as many fit in shared memory beside other blocks, at most {MAX_STAGES}, and no more than the `latency` of \
                 the loop's copies asks for"
            ),
        ),
    };
    HintUse {
        origin,
        hint: Hint::NumStages.into(),
        asked: Some(asked),
        // A loop with fewer iterations has no use for more.
        used: match iterations < u64::from(asked) && stages < asked {
            true => asked,
            false => stages,
        },
        why,
        cause,
    }
}

/// The innermost counted loop around the ops of a block.
fn loop_around(func: &Func<Scheduled>, places: &Places<'_, Scheduled>, block: Block) -> Option<OpId> {
    let outer = |id: &OpId| places.around(places.block(*id)?);
    std::iter::successors(places.around(block), outer)
        .find(|&id| matches!(func.body.op(id).kind, ScheduledOp::Scf(ScfOp::For { .. })))
}

/// What is asked of the schedule of the innermost loop around the ops of a block.
fn plan_of(func: &Func<Scheduled>, places: &Places<'_, Scheduled>, block: Block) -> LoopPlan {
    match loop_around(func, places, block).map(|id| &func.body.op(id).kind) {
        Some(ScheduledOp::Scf(op)) => op.plan(),
        _ => LoopPlan::default(),
    }
}

/// Places the copies by tensor maps on another agent.
fn by_other_agents(func: &Func<Scheduled>) -> Warned<Func<Scheduled>> {
    let places = Places::of(&func.body);
    let Some(loading) = loading(func, &places) else {
        return Warned::silent(func.clone());
    };
    let loading = gathers::with_gathers(func, &places, loading);
    let (groups, rings) = groups(func, &places, &loading, &[]);
    let prepared = with_rings(func, &prepared_loops(func, &places, &groups));
    let beside = |block: &Block| groups.iter().any(|group| group.block == *block);
    let is_loaded = |alloc: OpId| {
        let mut copies = groups.iter().flat_map(|group| &group.copies);
        copies.any(|copy| copy.alloc == alloc)
    };
    let vectors: u32 = loading.iter().map(|&id| copied_vectors(&func.body, id)).sum();
    let own = ahead::buffers(func, &places).into_iter();
    let mut loops = Loops {
        func: &prepared,
        places: &places,
        loading: &loading,
        groups: &groups,
        rings: &rings,
        vectors,
        own: own
            .filter(|(block, alloc, _)| beside(block) && !is_loaded(*alloc))
            .map(|(_, alloc, bytes)| (alloc, bytes))
            .collect(),
    };
    let mut room = loops.room();
    if room.stages < PREPARED_STAGES {
        loops.func = func;
        room = loops.room();
    }
    let func = loops.func;
    let depths: Vec<(OpId, Depth)> = groups
        .iter()
        .flat_map(|group| {
            let depth = loops.depth(group, room);
            let of_copy = move |at: u32| match depth {
                Depth::Shared { stages, .. } => Depth::Shared { stages, ring: at },
                own @ Depth::Own(_) => own,
            };
            (0..)
                .zip(&group.copies)
                .map(move |(at, copy)| (copy.alloc, of_copy(at)))
        })
        .collect();
    let mut hints: Vec<HintUse> = occupancy_of(func, room.blocks).into_iter().collect();
    hints.extend(groups.iter().flat_map(|group| loops.latencies(group, room)));
    hints.extend(groups.iter().filter_map(|group| loops.num_stages(group, room)));
    let mut scheduled = func.clone();
    let hinted = func.attrs.kernel_spec.occupancy.is_some();
    scheduled.attrs.kernel_spec.occupancy = (room.blocks > 1 || hinted).then_some(room.blocks);
    for (id, slot) in loops.stages(room) {
        scheduled.body.op_mut(id).tag = Some(slot);
    }
    for (order, &id) in loading.iter().enumerate() {
        scheduled.body.op_mut(id).tag = Some(Slot {
            agent: Some(Role::Load),
            stage: 0,
            order: u32::try_from(order).unwrap_or(u32::MAX),
        });
    }
    for (id, chosen) in depths {
        if let ScheduledOp::TileAs(TileAsDialect::Alloc { depth, .. }) = &mut scheduled.body.op_mut(id).kind {
            *depth = Some(chosen);
        }
    }
    multicast::share_copies(&mut scheduled, &loading);
    gathers::begin_tensor_copies_first(&mut scheduled, &places, &loading);
    Warned {
        func: scheduled,
        hints,
    }
}

/// The loops with these copies in which threads prepare operands.
fn prepared_loops<'a>(
    func: &'a Func<Scheduled>,
    places: &Places<'_, Scheduled>,
    groups: &[Group],
) -> Vec<Preparation<'a>> {
    let mut blocks: Vec<Block> = groups.iter().map(|group| group.block).collect();
    blocks.dedup();
    let looped = |block: &Block| {
        let around = places.around(*block).map(|around| &func.body.op(around).kind);
        matches!(around, Some(ScheduledOp::Scf(ScfOp::For { .. })))
    };
    let blocks = blocks.into_iter().filter(looped);
    blocks.filter_map(|block| Preparation::of(func, block)).collect()
}

/// The function with a depth for the buffers of prepared operands.
fn with_rings(func: &Func<Scheduled>, prepared: &[Preparation<'_>]) -> Func<Scheduled> {
    let mut func = func.clone();
    for (id, stages) in prepared.iter().flat_map(Preparation::depths) {
        if let ScheduledOp::TileAs(TileAsDialect::Alloc { depth, .. }) = &mut func.body.op_mut(id).kind {
            *depth = Some(Depth::Own(stages));
        }
    }
    func
}

/// The ops that another agent is to execute: loads by tensor maps, and their maps. `None` if there are no such copies, or another
/// agent cannot execute them.
fn loading(func: &Func<Scheduled>, places: &Places<'_, Scheduled>) -> Option<Vec<OpId>> {
    let copies = |op: &ScheduledOp| matches!(op, ScheduledOp::TileAs(TileAsDialect::CopyIn { atom, .. }) if atom.pipe().has_barriers());
    let kind = |id: &OpId| &func.body.op(*id).kind;
    let ops = func.body.walk();
    let used: Vec<Value> = ops
        .iter()
        .filter_map(|id| match kind(id) {
            ScheduledOp::TileAs(TileAsDialect::CopyIn { map, .. }) => *map,
            _ => None,
        })
        .collect();
    let maps = |id: &OpId| {
        matches!(kind(id), ScheduledOp::TileAs(TileAsDialect::TensorMap { .. }))
            && used.contains(&func.body.op(*id).result(0))
    };
    if !ops.iter().any(|id| copies(kind(id))) || !is_single(func, &agents(func)) {
        return None;
    }
    let loading: Vec<OpId> = ops
        .into_iter()
        .filter(|id| copies(kind(id)) || maps(id))
        .collect();
    producer_slice(func, places, &loading)?;
    let is_serial = |id: &OpId| {
        let around = |block: Block| places.block(places.around(block)?);
        std::iter::successors(places.block(*id), |&block| around(block))
            .any(|block| plan_of(func, places, block).serial.0)
    };
    (!loading.iter().any(is_serial)).then_some(loading)
}

/// What the blocks that share a multiprocessor have shared memory for.
#[derive(Clone, Copy)]
struct Room {
    /// The number of blocks.
    blocks: u32,
    /// The number of stages of each ring of a loop.
    stages: u64,
    /// Whether there is room for another stage of the rings of tensor copies, beside rings that threads fill.
    another: bool,
    /// The number of stages of one ring in the place of these, if the copies of loops take its stages in turn.
    turns: Option<u32>,
}

/// The copies of a function, with the loops around them.
struct Loops<'a> {
    func: &'a Func<Scheduled>,
    places: &'a Places<'a, Scheduled>,
    loading: &'a [OpId],
    groups: &'a [Group],
    rings: &'a [Ring],
    /// The vectors that a thread of the loading agent copies by `cp.async`.
    vectors: u32,
    /// The buffers that the multiplying agent fills ahead in the same loops, which are to have as many stages, and their bytes.
    own: Vec<(OpId, u64)>,
}

impl Loops<'_> {
    /// The copies of a group with hints for their latency, and those hints.
    fn hinted(&self, group: &Group) -> impl Iterator<Item = (OpId, u32)> {
        group
            .copies
            .iter()
            .filter_map(|copy| match &self.func.body.op(copy.op).kind {
                ScheduledOp::TileAs(TileAsDialect::CopyIn { latency, .. }) => Some((copy.op, (*latency)?)),
                _ => None,
            })
    }

    /// What is made of the hints for the latency of a group's copies.
    fn latencies(&self, group: &Group, room: Room) -> Vec<HintUse> {
        let stages = self.stages_of_ring(group, room);
        let Some(iterations) = self.iterations(group) else {
            return Vec::new();
        };
        let origin = |id: OpId| self.func.body.op(id).origin;
        self.hinted(group)
            .map(|(id, latency)| latency_of(origin(id), latency, stages, iterations))
            .collect()
    }

    /// What is made of the number of stages that is asked for in the loop around a group.
    fn num_stages(&self, group: &Group, room: Room) -> Option<HintUse> {
        let asked = self.asked(group)?;
        let around = loop_around(self.func, self.places, group.block)?;
        let origin = self.func.body.op(around).origin;
        let stages = self.stages_of_ring(group, room);
        Some(stages_of(origin, asked, stages, self.iterations(group)?))
    }

    /// The number of stages that the loop around a group asks for.
    fn asked(&self, group: &Group) -> Option<u32> {
        plan_of(self.func, self.places, group.block).num_stages
    }

    /// The number of stages that a group's ring should have; `None` outside of loops.
    fn wanted(&self, group: &Group) -> Option<u64> {
        // What is to be issued `latency` iterations ahead has one stage more.
        let latency = self.hinted(group).map(|(_, latency)| latency).max();
        let wanted = match latency {
            Some(latency) => u64::from(latency).saturating_add(1).max(2),
            None => self.asked(group).map_or(USUAL_STAGES, u64::from),
        };
        self.iterations(group).map(|count| count.min(wanted))
    }

    /// The number of stages of a group's ring, or its share of a ring that several groups take in turn.
    fn stages_of_ring(&self, group: &Group, room: Room) -> u32 {
        match self.depth(group, room) {
            Depth::Own(stages) => stages,
            Depth::Shared { stages, .. } => stages.div_ceil(self.rings_of_loop()),
        }
    }

    /// The ring of a group.
    fn depth(&self, group: &Group, room: Room) -> Depth {
        match (self.wanted(group), room.turns) {
            (None, _) => Depth::Own(1),
            (Some(_), Some(stages)) => Depth::Shared { stages, ring: 0 },
            (Some(wanted), None) => {
                let more = room.another && group.kind.copies_tensors();
                Depth::Own(u32::try_from((room.stages + u64::from(more)).min(wanted)).unwrap_or(1))
            }
        }
    }

    /// The number of iterations for whose copies a group's ring has stages.
    fn iterations_ahead(&self, group: &Group, room: Room) -> u32 {
        match self.depth(group, room) {
            Depth::Own(stages) => stages,
            Depth::Shared { stages, .. } => stages / self.rings_of_loop(),
        }
    }

    /// Stages for the ops of loops.
    fn stages(&self, room: Room) -> Vec<(OpId, Slot)> {
        let all_registers = self.computing_registers(self.warps(room.blocks), room.blocks);
        let registers = u64::from(all_registers.saturating_sub(TEMPORARY_REGISTERS));
        let mut blocks: Vec<Block> = self.groups.iter().map(|group| group.block).collect();
        blocks.dedup();
        let of_block = |block: Block| {
            let around = self.places.around(block)?;
            let ScheduledOp::Scf(ScfOp::For { .. }) = &self.func.body.op(around).kind else {
                return None;
            };
            let own = self.groups.iter().filter(|group| group.block == block);
            let own: Vec<(&Group, u32)> = own
                .map(|group| (group, self.iterations_ahead(group, room)))
                .collect();
            let is_prepared = |preparation: &Preparation<'_>| {
                let depth = |id: OpId| match self.func.body.op(id).kind {
                    ScheduledOp::TileAs(TileAsDialect::Alloc { depth, .. }) => depth,
                    _ => None,
                };
                preparation.depths().all(|(id, _)| depth(id).is_some()) && preparation.fits(all_registers)
            };
            match Preparation::of(self.func, block).filter(is_prepared) {
                Some(preparation) => Some(preparation.slots()),
                None => stages(self.func, block, &own, registers),
            }
        };
        blocks.into_iter().filter_map(of_block).flatten().collect()
    }

    /// The number of iterations of the loop around a group; [`u64::MAX`] if it is unknown. `None` if there is at most one
    /// iteration, or if the loop contains another loop with copies.
    fn iterations(&self, group: &Group) -> Option<u64> {
        let copy = group.copies.first()?.op;
        let holds =
            |other: &Group| other.block != group.block && is_within(self.places, other.block, group.block);
        let count = iterations(self.func, self.places, copy)?;
        (count > 1 && !self.groups.iter().any(holds)).then_some(count)
    }

    /// How many blocks share a multiprocessor, and how many stages fit then.
    fn room(&self) -> Room {
        let bytes = |looped: bool| -> u64 {
            let rings = self.rings.iter().enumerate().filter(|(at, _)| {
                let mut groups = self.groups.iter().filter(|group| group.ring == *at);
                groups.any(|group| self.iterations(group).is_some()) == looped
            });
            rings.map(|(_, ring)| ring.bytes() + PADDING).sum()
        };
        let own: u64 = self.own.iter().map(|(_, bytes)| bytes + PADDING).sum();
        let (each, fixed) = ((bytes(true) + own).max(1), bytes(false) + self.others());
        let machine = Machine::of(self.func.attrs.target).multiprocessor;
        let stages = |blocks: u32| {
            let room = machine.shared_of(blocks).0.saturating_sub(fixed);
            (room / each).min(MAX_STAGES)
        };
        let hint = self.func.attrs.kernel_spec.blocks();
        let most = self.blocks_by_registers();
        let asked = self.groups.iter().filter_map(|group| self.asked(group)).max();
        let asked = u64::from(asked.unwrap_or(GOOD_STAGES));
        // Rings of one loop, which are read one after the other, hide each other's latency.
        let least = |blocks: u32| match self.rings_of_loop() {
            0 | 1 if blocks > hint => asked,
            0 | 1 => asked.min(2),
            _ => 1,
        };
        let fits = |blocks: &u32| stages(*blocks) >= least(*blocks);
        let blocks = (2..=most).rev().find(fits).unwrap_or(1);
        let stages = stages(blocks).max(1);
        let bytes = |tensors: bool| -> u64 {
            let rings = self
                .rings
                .iter()
                .filter(|ring| ring.kind.copies_tensors() == tensors);
            rings.map(Ring::bytes).sum()
        };
        let taken = fixed + each + (stages - 1) * (bytes(true) + bytes(false) + own);
        let left = machine.shared_of(blocks).0.saturating_sub(taken);
        Room {
            blocks,
            stages,
            another: self.vectors > 0 && bytes(true) <= left,
            turns: self.turns(stages, machine.shared_of(blocks).0.saturating_sub(fixed)),
        }
    }

    /// The number of stages of one ring of so many bytes, whose stages the copies of loops take in turn; `None` if they cannot, or
    /// if that loads no further ahead than rings with so many stages each.
    fn turns(&self, stages: u64, bytes: u64) -> Option<u32> {
        let looped: Vec<&Group> = self
            .groups
            .iter()
            .filter(|group| self.iterations(group).is_some())
            .collect();
        let first = looped.first()?;
        let is_alike = |group: &&Group| {
            let mut pairs = group.copies.iter().zip(&first.copies);
            group.kind == first.kind
                && group.copies.len() == first.copies.len()
                && pairs.all(|(copy, other)| copy.stage.shares_bytes_with(&other.stage))
        };
        let stage: u64 = first.copies.iter().map(|copy| copy.stage.bytes()).sum();
        let takes = u64::from(self.rings_of_loop());
        let late = out_of_turn(&self.func.body, looped.iter().copied());
        if stages >= u64::from(GOOD_STAGES) || takes < 2 || !looped.iter().all(is_alike) || late.is_some() {
            return None;
        }
        let wanted = |block: Block| -> u64 {
            let own = looped.iter().filter(|group| group.block == block);
            own.filter_map(|group| self.wanted(group)).sum()
        };
        let wanted = looped.iter().map(|group| wanted(group.block)).max()?;
        let count = (bytes.saturating_sub(PADDING) / stage.max(1)).min(wanted);
        // Where nothing is loaded ahead, one stage more is much; else one more for each copy of an iteration.
        let least = if stages < 2 {
            takes + 1
        } else {
            takes * (stages + 1)
        };
        u32::try_from(count).ok().filter(|_| count >= least)
    }

    /// The most rings that one loop fills.
    fn rings_of_loop(&self) -> u32 {
        let blocks = self.looped_blocks();
        let count = |block: &Block| blocks.iter().filter(|other| *other == block).count();
        let most = blocks.iter().map(count).max().unwrap_or(0);
        u32::try_from(most).unwrap_or(u32::MAX)
    }

    /// The block of each group of copies in a loop.
    fn looped_blocks(&self) -> Vec<Block> {
        let looped = self
            .groups
            .iter()
            .filter(|group| self.iterations(group).is_some());
        looped.map(|group| group.block).collect()
    }

    /// The number of blocks, up to [`MAX_BLOCKS`], whose registers fit on a multiprocessor, estimated from the accumulators of one
    /// loop, and from what each product needs. Without products, copies are those of persistent kernels, whose blocks are alone
    /// unless a hint says otherwise.
    fn blocks_by_registers(&self) -> u32 {
        let mut accumulators: FxHashMap<Option<Block>, u32> = FxHashMap::default();
        for (id, op) in self.func.body.ops() {
            if let ScheduledOp::TileAs(TileAsDialect::DotWait { .. }) = &op.kind {
                let layouts = op
                    .results()
                    .filter_map(|result| self.func.body.ty(result).layout());
                let held: u32 = layouts.map(|layout| layout.in_size(Dim::Register)).sum();
                *accumulators.entry(self.places.block(id)).or_default() += held;
            }
        }
        let Some(held) = accumulators.into_values().max() else {
            return self.func.attrs.kernel_spec.blocks().min(MAX_BLOCKS);
        };
        let wanted = held.saturating_add(match self.vectors {
            0 => OTHER_REGISTERS,
            _ => REGISTERS_BESIDE_SUMS,
        });
        let products = registers_of_products(self.func);
        // More blocks than a loading group leaves room for have fewer stages each. That pays where tensor cores wait for threads.
        let has_pauses = self.has_pauses();
        let warps = |blocks| match has_pauses {
            true => self.warps(blocks),
            false => [self.func.attrs.kernel_spec.num_warps, GROUP_WARPS],
        };
        let fits = |blocks: &u32| {
            let warps = warps(*blocks);
            let begin = Multiprocessor::thread_registers(threads(warps.iter().sum()), *blocks);
            self.computing_registers(warps, *blocks) >= wanted && begin >= products
        };
        (2..=MAX_BLOCKS).rev().find(fits).unwrap_or(1)
    }

    /// The registers of a computing thread if `blocks` blocks of these computing and loading warps share a multiprocessor.
    fn computing_registers(&self, warps: [u32; 2], blocks: u32) -> u32 {
        let kept = loading_registers(self.vectors);
        computing_registers(self.func.attrs.target, warps, blocks, kept)
    }

    /// The warps that compute and those that load, if `blocks` blocks share a multiprocessor.
    fn warps(&self, blocks: u32) -> [u32; 2] {
        let computing = self.func.attrs.kernel_spec.num_warps;
        [
            computing,
            match self.vectors {
                0 => loading_warps(self.func.attrs.target, computing, blocks),
                _ => computing,
            },
        ]
    }

    /// Bytes of the buffers that are not rings, at most at once. Buffers that are allocated after the last read of a copy reuse the
    /// bytes of the rings.
    fn others(&self) -> u64 {
        let body = &self.func.body;
        let sent = sent_buffers(body);
        let ops = body.walk();
        let is_ring = |id: &OpId| {
            let mut copies = self.groups.iter().flat_map(|group| &group.copies);
            copies.any(|copy| copy.alloc == *id) || self.own.iter().any(|(own, _)| own == id)
        };
        let shared = |id: &OpId| {
            let op = body.op(*id);
            let ScheduledOp::TileAs(TileAsDialect::Alloc { depth, .. }) = op.kind else {
                return None;
            };
            let buffer = body.ty(op.result(0)).buffer()?;
            let is_other = buffer.space == Space::Shared && !is_ring(id) && !sent.contains(&op.result(0));
            is_other.then(|| u64::from(depth.map_or(1, Depth::stages)) * (buffer.bytes() + PADDING))
        };
        let before = ops.get(..self.last_use(&ops)).unwrap_or_default();
        let begun = before
            .iter()
            .enumerate()
            .filter_map(|(at, id)| Some((at, shared(id)?)));
        let lives: Vec<(usize, usize, u64)> = begun
            .map(|(at, bytes)| (at, self.last_reader(&ops, at), bytes))
            .collect();
        let at_once = |&(at, ..): &(usize, usize, u64)| -> u64 {
            let live = lives
                .iter()
                .filter(|(begin, end, _)| (*begin..=*end).contains(&at));
            live.map(|(.., bytes)| bytes).sum()
        };
        let most = lives.iter().map(at_once).max().unwrap_or(0);
        most + store_rings::bytes(self.func, self.places, before)
    }

    /// The position of the last op that uses the buffer that the op at a position allocates, or a view or a product of it.
    fn last_reader(&self, ops: &[OpId], at: usize) -> usize {
        let body = &self.func.body;
        let mut held: FxHashSet<Value> = FxHashSet::default();
        let mut last = at;
        for (position, &id) in ops.iter().enumerate().skip(at) {
            let op = body.op(id);
            let mut uses = op.kind.operand_list().into_iter();
            if position == at || uses.any(|value| held.contains(&value)) {
                last = position;
                let views = op.results().filter(|&result| {
                    matches!(body.ty(result), TileAsType::Buffer(_) | TileAsType::Pending(_))
                });
                held.extend(views);
            }
        }
        last
    }

    /// The position, among all ops, at which the last loop with a copy ends, or two branches with copies, or of the last copy outside
    /// of these if that is later; or the end of a branch that reads a copy from before it, which is released after it.
    fn last_use(&self, ops: &[OpId]) -> usize {
        let body = &self.func.body;
        let copies = |region: &Region| {
            let mut inside = body.walk_region(*region).into_iter();
            inside.any(|id| self.loading.contains(&id))
        };
        // Branches that both copy share the rings.
        let is_whole = |id: &OpId| match &body.op(*id).kind {
            ScheduledOp::Scf(ScfOp::For { .. } | ScfOp::Loop { .. }) => true,
            ScheduledOp::Scf(ScfOp::If { then, otherwise, .. }) => copies(then) && copies(otherwise),
            _ => false,
        };
        let around = |op: &OpId| {
            let around = self.places.around(self.places.block(*op)?)?;
            matches!(body.op(around).kind, ScheduledOp::Scf(_)).then_some(around)
        };
        let position = |id: OpId| ops.iter().position(|&op| op == id).unwrap_or(0);
        let end = |id: OpId| {
            let inside = body.op(id).kind.region_list().into_iter();
            let inside: usize = inside.map(|region| body.walk_region(region).len()).sum();
            position(id) + inside + 1
        };
        let copied = self.loading.iter().map(|&copy| {
            let outermost = std::iter::successors(Some(copy), around)
                .filter(is_whole)
                .last()
                .unwrap_or(copy);
            end(outermost)
        });
        let allocated = self.groups.iter().flat_map(|group| &group.copies);
        let read = allocated.filter_map(|copy| {
            let block = self.places.block(copy.alloc)?;
            let reader = *ops.get(self.last_reader(ops, position(copy.alloc)))?;
            let outermost = std::iter::successors(Some(reader), around)
                .take_while(|id| self.places.block(*id) != Some(block))
                .last()?;
            around(&outermost).map(end)
        });
        copied.chain(read).max().unwrap_or(0)
    }
}

/// The number of iterations of the innermost loop around an op; [`u64::MAX`] if it is unknown. `None` outside of loops.
fn iterations(func: &Func<Scheduled>, places: &Places<'_, Scheduled>, id: OpId) -> Option<u64> {
    let around = loop_around(func, places, places.block(id)?)?;
    Some(trip_count(func, places, around).unwrap_or(u64::MAX))
}

/// The number of iterations of a counted loop, if its bounds are constants.
pub(super) fn trip_count(func: &Func<Scheduled>, places: &Places<'_, Scheduled>, id: OpId) -> Option<u64> {
    let body = &func.body;
    let ScheduledOp::Scf(ScfOp::For {
        lower, upper, step, ..
    }) = &body.op(id).kind
    else {
        return None;
    };
    let constant = |value: Value| match &body.op(places.definition(value)?).kind {
        ScheduledOp::Arith(ArithOp::Constant {
            value: Dense::Splat(literal),
        }) => Some(literal.signed()),
        _ => None,
    };
    let (lower, upper, step) = (constant(*lower)?, constant(*upper)?, constant(*step)?);
    let distance = u64::try_from(upper.checked_sub(lower)?).unwrap_or(0);
    Some(distance.div_ceil(u64::try_from(step).ok()?.max(1)))
}
