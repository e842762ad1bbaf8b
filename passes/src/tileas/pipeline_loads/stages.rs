//! The number of stages of the rings of a loop.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Body, OpId, Operation, SideTable, Value};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::machine::Machine;
use tilewright_irs::tileas::{Space, TileAs, TileAsAttrs, TileAsDialect, TileAsOp};

use super::candidates::{Candidate, Uses, Way};
use super::constant;

/// Stages of a ring without a hint.
const USUAL_STAGES: u32 = 4;
/// The most stages, whatever the hint.
const MAX_STAGES: u32 = 8;
/// The warps of a block from which on one block is enough for a multiprocessor.
const BUSY_WARPS: u32 = 8;
/// Bytes that allocation may lose to the alignment of one buffer.
const PADDING: u64 = 128;

/// The stages of a loop's rings: of those that are filled by asynchronous copies, and of those that are filled from
/// registers.
#[derive(Clone, Copy)]
pub(super) struct Stages {
    pub(super) copied: u32,
    pub(super) stored: u32,
}

/// The shared memory that a loop has for its rings.
pub(super) struct Room<'a> {
    attrs: &'a TileAsAttrs,
    /// The number of iterations, if it is known.
    iterations: Option<u64>,
}

impl<'a> Room<'a> {
    pub(super) fn of(uses: &Uses<'_>, attrs: &'a TileAsAttrs, id: OpId) -> Self {
        Self {
            attrs,
            iterations: trip_count(uses, id),
        }
    }

    /// Chooses the stages of the rings of a loop, and the blocks that fit on a multiprocessor then. `None` if two stages
    /// do not fit, or the loop is too short to gain.
    pub(super) fn rotating(&self, uses: &Uses<'_>, id: OpId, rings: &[Candidate]) -> Option<(Stages, u32)> {
        let hint = rings.iter().filter_map(|ring| ring.latency).max();
        let wanted = hint.map_or(USUAL_STAGES, |latency| {
            latency.saturating_add(1).clamp(2, MAX_STAGES)
        });
        let iterations = self.iterations.unwrap_or(u64::MAX);
        let most = u32::try_from(iterations.min(u64::from(wanted))).unwrap_or(wanted);
        if most < 2 {
            return None;
        }
        let (copied, stored) = (bytes(rings, true), bytes(rings, false));
        let most = if copied == 0 { 2 } else { most };
        let others = others(uses.body, id, rings);
        let fits = |stages: &Stages, blocks: u32| {
            let rings = u64::from(stages.copied) * copied + u64::from(stages.stored) * stored;
            others + rings <= budget(self.attrs, blocks)
        };
        [2, 1].into_iter().find_map(|stored| {
            (1..=wanted_blocks(self.attrs)).rev().find_map(|blocks| {
                let mut choices = (2..=most).rev().map(|copied| Stages { copied, stored });
                let found = choices.find(|stages| fits(stages, blocks))?;
                Some((found, blocks))
            })
        })
    }

    /// The blocks that fit on a multiprocessor if each ring has a single stage. `None` if none does, or the loop is too
    /// short to gain.
    pub(super) fn refilled(&self, uses: &Uses<'_>, id: OpId, rings: &[Candidate]) -> Option<u32> {
        if self.iterations.is_some_and(|iterations| iterations < 2) {
            return None;
        }
        let needed = others(uses.body, id, rings) + bytes(rings, true);
        let mut choices = (1..=wanted_blocks(self.attrs)).rev();
        choices.find(|&blocks| needed <= budget(self.attrs, blocks))
    }
}

/// Bytes of one stage of the rings that are filled by asynchronous copies, or from registers.
fn bytes(rings: &[Candidate], is_copied: bool) -> u64 {
    let rings = rings.iter();
    let rings = rings.filter(|ring| matches!(ring.way, Way::Async(..)) == is_copied);
    rings.map(|ring| ring.buffer.bytes() + PADDING).sum()
}

/// The number of iterations of a counted loop, if its bounds are constants.
pub(super) fn trip_count(uses: &Uses<'_>, id: OpId) -> Option<u64> {
    let TileAsOp::Scf(ScfOp::For {
        lower, upper, step, ..
    }) = &uses.body.op(id).kind
    else {
        return None;
    };
    let (lower, upper) = (constant(uses, *lower)?, constant(uses, *upper)?);
    let step = u64::try_from(constant(uses, *step)?)
        .ok()
        .filter(|&step| step > 0)?;
    let distance = upper.checked_sub(lower)?;
    Some(u64::try_from(distance).unwrap_or(0).div_ceil(step))
}

/// The number of blocks on a multiprocessor that keep it busy.
fn wanted_blocks(attrs: &TileAsAttrs) -> u32 {
    match attrs.occupancy {
        Some(blocks) => blocks.clamp(1, Machine::of(attrs.target).multiprocessor.blocks),
        None if attrs.kernel_spec.num_warps < BUSY_WARPS => 2,
        None => 1,
    }
}

/// Shared memory that a block may use, in bytes, if so many fit on a multiprocessor.
fn budget(attrs: &TileAsAttrs, blocks: u32) -> u64 {
    Machine::of(attrs.target).multiprocessor.shared_of(blocks).0
}

/// Bytes of the buffers that are live in a loop besides its rings: those of its body, and those that are allocated
/// before it and used in it or after it.
fn others(body: &Body<TileAs>, around: OpId, rings: &[Candidate]) -> u64 {
    let mut allocations: SideTable<Value, OpId> = body.value_table();
    let mut live: Vec<OpId> = Vec::new();
    let mut begun = false;
    let regions = body.op(around).kind.region_list().into_iter();
    let inside: FxHashSet<OpId> = regions.flat_map(|region| body.walk_region(region)).collect();
    for id in body.walk() {
        begun |= id == around;
        let op = body.op(id);
        let is_own = inside.contains(&id);
        if let TileAsOp::TileAs(TileAsDialect::Alloc { .. }) = &op.kind {
            if is_own {
                live.push(id);
            }
            // What is allocated after the loop is not live in it.
            if is_own || !begun {
                allocations.set(op.result(0), id);
            }
            continue;
        }
        let roots = op.kind.operand_list();
        let roots: Vec<OpId> = roots
            .into_iter()
            .filter_map(|value| allocations.get(value).copied())
            .collect();
        if let [root, ..] = roots.as_slice() {
            op.results()
                .filter(|&result| body.ty(result).buffer().is_some())
                .for_each(|result| allocations.set(result, *root));
        }
        if begun {
            live.extend(roots);
        }
    }
    live.sort_unstable();
    live.dedup();
    live.iter()
        .filter(|&&id| rings.iter().all(|ring| ring.alloc != id))
        .filter_map(|&id| body.ty(body.op(id).result(0)).buffer())
        .filter(|buffer| buffer.space == Space::Shared)
        .map(|buffer| buffer.bytes() + PADDING)
        .sum()
}
