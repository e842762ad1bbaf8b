//! Begins the asynchronous products of a loop's iteration before what they do not need, but for loads: the factors by which their
//! results are scaled arrive, and are computed, while the products are under way.
//!
//! Loops in which a product needs another one are left to the modulo scheduler ([`stages`](super::stages)). Where that may not order
//! them, as with stores in the loop, their ops come in the order of the products that they need one after the other: first all that
//! need none, with the products that these begin.

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Body, Func, OpId, Operation, Resource, Value};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, uses};
use tilewright_irs::tileas::TileAsDialect;

use super::iteration::{definitions, may_move};
use super::operands::Preparation;
use super::own_rings::is_begun;
use super::stages::{may_be_ordered, needs_another};

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
        let may_be_ordered = may_be_ordered(func, block) || Preparation::of(func, block).is_some();
        return (!may_be_ordered).then(|| in_turn(body, ops));
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

/// The ops of a block, where those that need the results of products come behind those that do not.
fn in_turn(body: &Body<Scheduled>, ops: &[OpId]) -> Vec<OpId> {
    let mut ordered: Vec<OpId> = Vec::with_capacity(ops.len());
    let mut later = Later::default();
    for &id in ops {
        if !passes_products(body, id) {
            ordered.extend(later.take(body));
            ordered.push(id);
        } else if later.holds_back(body, id) {
            later.add(body, id);
        } else {
            ordered.push(id);
        }
    }
    ordered.extend(later.take(body));
    ordered
}

/// Ops that need the results of products, from the first wait on.
#[derive(Default)]
struct Later {
    ops: Vec<OpId>,
    results: FxHashSet<Value>,
    used: FxHashSet<Value>,
}

impl Later {
    /// Whether an op has to stay behind these: it is a wait, or uses a result; or it writes to what they use, a buffer or, as a product
    /// does, the registers of an accumulator.
    fn holds_back(&self, body: &Body<Scheduled>, id: OpId) -> bool {
        let kind = &body.op(id).kind;
        let written = match kind {
            ScheduledOp::TileAs(TileAsDialect::DotWait { .. }) => return true,
            ScheduledOp::TileAs(TileAsDialect::Copy { to, .. }) => *to,
            op => accumulator(op),
        };
        written.is_some_and(|value| self.used.contains(&value))
            || uses(body, id).iter().any(|value| self.results.contains(value))
    }

    fn add(&mut self, body: &Body<Scheduled>, id: OpId) {
        self.ops.push(id);
        self.results.extend(body.op(id).results());
        self.used.extend(uses(body, id));
    }

    /// These ops, of which those that need the results of the others come last.
    fn take(&mut self, body: &Body<Scheduled>) -> Vec<OpId> {
        let Self { ops, .. } = std::mem::take(self);
        match ops.split_first() {
            Some((&first, others)) => [vec![first], in_turn(body, others)].concat(),
            None => ops,
        }
    }
}

/// Whether an op may be executed before waits for products, and what needs their results: [`may_move`], or it stores a tile to a
/// buffer, as operands are.
fn passes_products(body: &Body<Scheduled>, id: OpId) -> bool {
    let stores = matches!(
        body.op(id).kind,
        ScheduledOp::TileAs(TileAsDialect::Copy { to: Some(_), .. })
    );
    stores || may_move(body, id)
}

/// The accumulator of an asynchronous product.
fn accumulator(op: &ScheduledOp) -> Option<Value> {
    match op {
        ScheduledOp::TileAs(TileAsDialect::Dot { acc, .. }) if is_begun(op) => Some(*acc),
        _ => None,
    }
}
