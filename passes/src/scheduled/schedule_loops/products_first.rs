//! Begins the asynchronous products of a loop's iteration before what they do not need, but for loads: the factors by which their
//! results are scaled arrive, and are computed, while the products are under way.
//!
//! Loops in which a product needs another one are left to the modulo scheduler ([`stages`](super::stages)).

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Func, OpId, Operation, Resource, Value};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, uses};
use tilewright_irs::tileas::TileAsDialect;

use super::iteration::{definitions, may_move};
use super::own_rings::is_begun;
use super::stages::needs_another;

/// Orders the bodies of the loops of a function.
pub(super) fn begin_products_first(mut func: Cow<'_, Func<Scheduled>>) -> Cow<'_, Func<Scheduled>> {
    let block_of = |id: OpId| match &func.body.op(id).kind {
        ScheduledOp::Scf(ScfOp::For { body, .. }) => func.body.only_block(*body),
        _ => None,
    };
    let blocks: Vec<Block> = func.body.walk().into_iter().filter_map(block_of).collect();
    for block in blocks {
        if let Some(order) = order(&func, block) {
            func.to_mut().body.arrange_ops(block, order);
        }
    }
    func
}

/// The ops of a body in their new order; `None` if it is the old one.
fn order(func: &Func<Scheduled>, block: Block) -> Option<Vec<OpId>> {
    let body = &func.body;
    let ops = &body.block(block).ops;
    let last = ops.iter().rposition(|&id| is_begun(&body.op(id).kind))?;
    if needs_another(func, ops) {
        return None;
    }
    let definitions = definitions(body, ops);
    let mut needed: FxHashSet<OpId> = FxHashSet::default();
    let mut open: Vec<OpId> = ops
        .iter()
        .copied()
        .filter(|&id| is_begun(&body.op(id).kind))
        .collect();
    while let Some(id) = open.pop() {
        if needed.insert(id) {
            open.extend(uses(body, id).iter().filter_map(|value| definitions.get(value)));
        }
    }
    let moves = |&id: &OpId| {
        may_move(body, id)
            || matches!(
                body.op(id).kind,
                ScheduledOp::TileAs(TileAsDialect::GatherIn { .. })
            )
    };
    let (before, after) = ops.split_at(last + 1);
    let (first, others): (Vec<OpId>, Vec<OpId>) = before.iter().partition(|id| needed.contains(id));
    // A product in flight changes its accumulator: it would be copied for what reads it then.
    let accumulators: FxHashSet<Value> = first
        .iter()
        .filter_map(|&id| accumulator(&body.op(id).kind))
        .collect();
    let reads_accumulator = |&id: &OpId| uses(body, id).iter().any(|value| accumulators.contains(value));
    // What writes to shared memory writes to buffers of its own, which products do not read, or is a barrier.
    let is_needed = |value: &Value| definitions.get(value).is_none_or(|id| needed.contains(id));
    let is_written = |&id: &OpId| {
        let regions = body.op(id).kind.region_list().into_iter();
        let mut all = regions.flat_map(|region| body.walk_region(region)).chain([id]);
        let writes = all.any(|id| body.op(id).kind.effects().writes.contains(Resource::Shared));
        let buffers = uses(body, id);
        let mut buffers = buffers
            .iter()
            .filter(|&&value| body.ty(value).buffer().is_some())
            .peekable();
        writes && (buffers.peek().is_none() || buffers.any(is_needed))
    };
    let waits = |id: &OpId| is_written(id) || reads_accumulator(id);
    let stays = others.is_empty() || !first.iter().all(moves) || others.iter().any(waits);
    (!stays).then(|| [first, others, after.to_vec()].concat())
}

/// The accumulator of an asynchronous product.
fn accumulator(op: &ScheduledOp) -> Option<Value> {
    match op {
        ScheduledOp::TileAs(TileAsDialect::Dot { acc, .. }) if is_begun(op) => Some(*acc),
        _ => None,
    }
}
