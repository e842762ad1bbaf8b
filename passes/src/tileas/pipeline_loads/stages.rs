//! The number of stages of the rings of a loop.

use tilewright_irs::core::{Block, Body, OpId, Operation};
use tilewright_irs::dialects::scf::ScfOp;
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
/// Shared memory that the system takes for each block, in bytes. (CUDA C++ Programming Guide, technical
/// specifications per compute capability.)
const SYSTEM_BYTES: u32 = 1024;

/// The stages of a loop's rings: of those that are filled by asynchronous copies, and of those that are filled from
/// registers. `None` if the rings do not fit, or the loop is too short to gain.
#[derive(Clone, Copy)]
pub(super) struct Stages {
    pub(super) copied: u32,
    pub(super) stored: u32,
}

impl Stages {
    /// Chooses the stages of the rings of a loop.
    pub(super) fn choose(
        uses: &Uses<'_>,
        attrs: &TileAsAttrs,
        (id, block): (OpId, Block),
        rings: &[Candidate],
    ) -> Option<Self> {
        let hint = rings.iter().filter_map(|ring| ring.latency).max();
        let wanted = hint.map_or(USUAL_STAGES, |latency| {
            latency.saturating_add(1).clamp(2, MAX_STAGES)
        });
        let iterations = trip_count(uses, id).unwrap_or(u64::MAX);
        let most = u32::try_from(iterations.min(u64::from(wanted))).unwrap_or(wanted);
        if most < 2 {
            return None;
        }
        let room = u64::from(budget(attrs)).checked_sub(others(uses.body, block, rings))?;
        let sum = |is_copied: bool| -> u64 {
            let rings = rings.iter();
            let rings = rings.filter(|ring| matches!(ring.way, Way::Async(..)) == is_copied);
            rings.map(|ring| ring.buffer.bytes() + PADDING).sum()
        };
        let (copied, stored) = (sum(true), sum(false));
        let most = if copied == 0 { 2 } else { most };
        let fits =
            |stages: &Self| u64::from(stages.copied) * copied + u64::from(stages.stored) * stored <= room;
        let mut choices = [2, 1]
            .into_iter()
            .flat_map(|stored| (2..=most).rev().map(move |copied| Self { copied, stored }));
        choices.find(fits)
    }
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

/// Shared memory that a block may use, so that as many blocks fit on a multiprocessor as keep it busy.
fn budget(attrs: &TileAsAttrs) -> u32 {
    let blocks = match attrs.occupancy {
        Some(blocks) => blocks.max(1),
        None if attrs.kernel_spec.num_warps < BUSY_WARPS => 2,
        None => 1,
    };
    let share = attrs.target.shared_bytes_of_multiprocessor() / blocks;
    share
        .saturating_sub(SYSTEM_BYTES)
        .min(attrs.target.static_shared_bytes())
}

/// Bytes of the buffers that are live in a loop besides its rings.
fn others(body: &Body<TileAs>, block: Block, rings: &[Candidate]) -> u64 {
    let mut live = Vec::new();
    allocations(body, block, &mut live);
    let definitions = body.definitions();
    let mut used = Vec::new();
    operands(body, block, &mut used);
    for value in used {
        if let Some(&id) = definitions.get(value)
            && is_allocation(body, id)
            && !live.contains(&id)
        {
            live.push(id);
        }
    }
    let live = live
        .iter()
        .filter(|&&id| rings.iter().all(|ring| ring.alloc != id));
    let buffers = live.filter_map(|&id| body.ty(body.op(id).result(0)).buffer());
    buffers
        .filter(|buffer| buffer.space == Space::Shared)
        .map(|buffer| buffer.bytes() + PADDING)
        .sum()
}

fn is_allocation(body: &Body<TileAs>, id: OpId) -> bool {
    matches!(body.op(id).kind, TileAsOp::TileAs(TileAsDialect::Alloc { .. }))
}

fn allocations(body: &Body<TileAs>, block: Block, into: &mut Vec<OpId>) {
    for &id in &body.block(block).ops {
        if is_allocation(body, id) {
            into.push(id);
        }
        for region in body.op(id).kind.region_list() {
            for &inner in &body.region(region).blocks {
                allocations(body, inner, into);
            }
        }
    }
}

fn operands(body: &Body<TileAs>, block: Block, into: &mut Vec<tilewright_irs::core::Value>) {
    for &id in &body.block(block).ops {
        let op = &body.op(id).kind;
        op.operands(&mut |value| into.push(value));
        for region in op.region_list() {
            for &inner in &body.region(region).blocks {
                operands(body, inner, into);
            }
        }
    }
}
