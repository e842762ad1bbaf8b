//! Waits for asynchronous products as late as their results allow: before the first op that uses one, or at the end of the block.
//! Until then tensor cores compute several products of an iteration, and threads what does not need them. A product that adds to
//! the result of another one needs no wait in between: those of a warp group are computed in order. (PTX ISA,
//! `wgmma.mma_async`: accumulators of the same shape.)
//!
//! Loops that the modulo scheduler may order ([`stages`](super::stages)), and those in which threads prepare operands
//! ([`operands`](super::operands)), are left to these.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Body, Func, OpId, Operation, Value};
use tilewright_irs::scheduled::{Scheduled, ScheduledDialect, ScheduledOp, uses};
use tilewright_irs::tileas::TileAsDialect;

use super::operands::Preparation;
use super::own_rings::is_begun;
use super::stages::may_be_ordered;

/// Moves the waits for the products of a function.
pub(super) fn wait_late(mut func: Cow<'_, Func<Scheduled>>) -> Cow<'_, Func<Scheduled>> {
    let regions = func.body.ops().flat_map(|(_, op)| op.kind.region_list());
    let regions = regions.chain([func.body.root()]);
    let blocks: Vec<Block> = regions
        .filter_map(|region| func.body.only_block(region))
        .collect();
    for block in blocks {
        let Some(waits) = Waits::of(&func, block) else {
            continue;
        };
        let Moved { order, in_flight } = waits.moved(&func.body, block);
        if order == func.body.block(block).ops {
            continue;
        }
        let body = &mut func.to_mut().body;
        for (id, later) in in_flight {
            if let ScheduledOp::TileAs(TileAsDialect::DotWait { in_flight, .. }) = &mut body.op_mut(id).kind {
                *in_flight = later;
            }
        }
        for (id, begun) in waits.added {
            if let ScheduledOp::TileAs(TileAsDialect::Dot { acc, .. }) = &mut body.op_mut(id).kind {
                *acc = begun;
            }
        }
        body.arrange_ops(block, order);
    }
    func
}

/// The waits of a block for products that it begins.
struct Waits {
    /// The product that each wait is for.
    products: FxHashMap<OpId, OpId>,
    /// The products that add to the result of another one, which is under way, and has no other use.
    added: FxHashMap<OpId, Value>,
    /// The waits for such a result, which are not needed.
    needless: FxHashSet<OpId>,
}

/// The ops of a block in their new order, and for each wait the number of products that are begun between its own and it.
struct Moved {
    order: Vec<OpId>,
    in_flight: Vec<(OpId, u32)>,
}

impl Waits {
    /// `None` if the block has none, if it waits for other products too, or if another part of the scheduler orders it.
    fn of(func: &Func<Scheduled>, block: Block) -> Option<Self> {
        let body = &func.body;
        let ops = &body.block(block).ops;
        let begun = |&id: &OpId| is_begun(&body.op(id).kind).then(|| (body.op(id).result(0), id));
        let begun: FxHashMap<Value, OpId> = ops.iter().filter_map(begun).collect();
        let mut products = FxHashMap::default();
        for &id in ops {
            if let ScheduledOp::TileAs(TileAsDialect::DotWait { product, in_flight }) = &body.op(id).kind {
                let has_result = body.op(id).results().next().is_some();
                products.insert(id, *begun.get(product).filter(|_| *in_flight == 0 && has_result)?);
            }
        }
        if products.is_empty() || may_be_ordered(func, block) || Preparation::of(func, block).is_some() {
            return None;
        }
        let mut users: FxHashMap<Value, Vec<OpId>> = FxHashMap::default();
        for &id in ops {
            for value in uses(body, id) {
                users.entry(value).or_default().push(id);
            }
        }
        let (mut added, mut needless) = (FxHashMap::default(), FxHashSet::default());
        for (&wait, &product) in &products {
            let sum = body.op(wait).result(0);
            if let Some([user]) = users.get(&sum).map(Vec::as_slice)
                && let op @ ScheduledOp::TileAs(TileAsDialect::Dot { a, b, acc, .. }) = &body.op(*user).kind
                && is_begun(op)
                && *acc == sum
                && ![a, b].contains(&&sum)
            {
                added.insert(*user, body.op(product).result(0));
                needless.insert(wait);
            }
        }
        Some(Self {
            products,
            added,
            needless,
        })
    }

    fn moved(&self, body: &Body<Scheduled>, block: Block) -> Moved {
        let ops = &body.block(block).ops;
        let mut order = Vec::with_capacity(ops.len());
        let mut in_flight = Vec::new();
        // The number of products that are begun before each one, and the waits that are not written yet.
        let mut begun: FxHashMap<OpId, usize> = FxHashMap::default();
        let mut open: Vec<OpId> = Vec::new();
        for &id in ops {
            if self.products.contains_key(&id) {
                open.extend((!self.needless.contains(&id)).then_some(id));
                continue;
            }
            let used = uses(body, id);
            let needs = |wait: &OpId| body.op(*wait).results().any(|result| used.contains(&result));
            let count = match ends_motion(&body.op(id).kind) {
                true => open.len(),
                // Whoever waits for a product has waited for those begun before it.
                false => open.iter().rposition(needs).map_or(0, |last| last + 1),
            };
            for wait in open.drain(..count) {
                let before = begun.get(&self.products[&wait]).copied().unwrap_or(0);
                let later = begun.len().saturating_sub(before + 1);
                in_flight.push((wait, u32::try_from(later).unwrap_or(u32::MAX)));
                order.push(wait);
            }
            if is_begun(&body.op(id).kind) {
                begun.insert(id, begun.len());
            }
            order.push(id);
        }
        order.extend(open);
        Moved { order, in_flight }
    }
}

/// Whether no wait moves past an op: it may begin or await other products, lets others write what products read, or ends the block.
fn ends_motion(op: &ScheduledOp) -> bool {
    let orders = matches!(
        op,
        ScheduledOp::Pipe(_)
            | ScheduledOp::Scf(_)
            | ScheduledOp::Scheduled(ScheduledDialect::End {})
            | ScheduledOp::TileAs(TileAsDialect::Barrier {} | TileAsDialect::OverlapBarrier { .. })
    );
    orders || !op.region_list().is_empty()
}
