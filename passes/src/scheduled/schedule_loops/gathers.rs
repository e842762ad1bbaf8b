//! Finds the copies by threads that the loading agent can do beside its tensor copies: gathered rows of a product, and tiles of arrays
//! that tensor copies cannot load. The multiplying agent would spend instructions and registers on their addresses, and wait for them
//! between its products.
//!
//! The loading agent then has as many warps as the multiplying one, so that the layouts of copies and of addresses hold in both. It
//! issues the tensor copies of an iteration first, which take one thread, and then computes addresses.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Func, OpId};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::machine::GROUP_WARPS;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, uses};

use super::operands::Preparation;
use crate::program_slice::Places;
use crate::scheduled::copy_groups::{copied_vectors, is_by_threads};
use crate::scheduled::expand_schedule::producer_slice;

/// The fewest vectors of a thread for which that pays. (On an H200, a convolution of tiles of 64 x 16 takes 12 % more time with its
/// one vector in another agent, and one of 64 x 64 tiles 33 % less with its four.)
const LEAST_VECTORS: u32 = 2;

/// The ops of the loading agent, with such copies among them.
pub(super) fn with_gathers(
    func: &Func<Scheduled>,
    places: &Places<'_, Scheduled>,
    loading: Vec<OpId>,
) -> Vec<OpId> {
    let body = &func.body;
    let is_loop = |&block: &Block| {
        let around = places.around(block).map(|id| &body.op(id).kind);
        matches!(around, Some(ScheduledOp::Scf(ScfOp::For { .. }))) && Preparation::of(func, block).is_none()
    };
    let blocks = loading.iter().filter_map(|&id| places.block(id));
    let blocks: FxHashSet<Block> = blocks.filter(is_loop).collect();
    let is_gather = |id: &OpId| {
        let block = places.block(*id);
        let is_worth_it = is_by_threads(&body.op(*id).kind) && copied_vectors(body, *id) >= LEAST_VECTORS;
        is_worth_it && block.is_some_and(|block| blocks.contains(&block))
    };
    let known: FxHashSet<OpId> = loading.iter().copied().collect();
    let all = body.walk().into_iter();
    let all: Vec<OpId> = all.filter(|id| known.contains(id) || is_gather(id)).collect();
    let can_share = func.attrs.kernel_spec.num_warps == GROUP_WARPS && all.len() > loading.len();
    match can_share && producer_slice(func, places, &all).is_some() {
        true => all,
        false => loading,
    }
}

/// Moves the tensor copies of blocks with such copies, and what they need, before everything else there.
pub(super) fn begin_tensor_copies_first(
    func: &mut Func<Scheduled>,
    places: &Places<'_, Scheduled>,
    loading: &[OpId],
) {
    let body = &mut func.body;
    let gathers = loading.iter().filter(|&&id| is_by_threads(&body.op(id).kind));
    let blocks: FxHashSet<Block> = gathers.filter_map(|&id| places.block(id)).collect();
    for block in blocks {
        let inside = |id: &OpId| places.block(*id) == Some(block);
        let tensor_copies = loading
            .iter()
            .copied()
            .filter(|&id| !is_by_threads(&body.op(id).kind));
        let mut open: Vec<OpId> = tensor_copies.filter(inside).collect();
        let mut first = FxHashSet::default();
        while let Some(id) = open.pop() {
            if first.insert(id) {
                let operands = uses(body, id).into_iter();
                open.extend(
                    operands
                        .filter_map(|value| places.definition(value))
                        .filter(inside),
                );
            }
        }
        let ops = body.block(block).ops.iter().copied();
        let (mut order, rest): (Vec<OpId>, Vec<OpId>) = ops.partition(|id| first.contains(id));
        order.extend(rest);
        body.arrange_ops(block, order);
    }
}
