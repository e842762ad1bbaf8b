//! Chooses what to split: the loop, the axis and the number of parts, and the ops that are repeated for each part.

use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Body, Func, OpId, Operation, SideTable, Value, ValueType};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::memory::{Memref, TileAccess};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::Dense;
use tilewright_irs::machine::Machine;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp};

use super::super::axis_classes::{Classes, ROWS};
use super::super::own_sums;
use super::super::propagate_facts;
use super::super::tile_parts::TileParts;

/// Bytes of accumulators that the registers of a block hold beside slices of operands and addresses: 160 registers of each of 256
/// threads.
pub(super) const ACCUMULATOR_BYTES: u64 = 160 << 10;

/// Bytes of accumulators and operands that they hold beside addresses.
const TILE_BYTES: u64 = 192 << 10;

/// Parts of a tile; they are split again if they are still too large.
const PARTS: u32 = 2;

/// What is split, and how.
pub(super) struct Plan {
    /// The parts of each tile that is split.
    pub(super) parts: Rc<TileParts>,
    /// The ops of a block that are repeated for each part, in order.
    pub(super) split: Vec<OpId>,
    /// Ops between these that must be computed before them.
    pub(super) hoisted: Vec<OpId>,
    /// Ops before the block that make tiles from scalars or nothing.
    pub(super) leaves: Vec<OpId>,
    /// The ops of the block that are not where they were: `split` and `hoisted`.
    pub(super) moved: FxHashSet<OpId>,
}

/// The plan for the first loop that can be split, along the longer axis of its products if possible.
pub(super) fn plan(func: &Func<TileAa>) -> Option<Plan> {
    let body = &func.body;
    let seen = Seen {
        func,
        definitions: body.definitions(),
        known: OnceCell::new(),
    };
    let loops = body.walk().into_iter().filter_map(|id| {
        let products = products(body, id)?;
        is_too_large(&seen, id, &products).then_some((id, products))
    });
    let loops: Vec<(OpId, Vec<Value>)> = loops.collect();
    if loops.is_empty() {
        return None;
    }
    let mut classes = Classes::of(body);
    loops.into_iter().find_map(|(id, products)| {
        let &first = products.first()?;
        let shape = body.ty(first).shape()?;
        let columns = shape.len().checked_sub(1)?;
        let mut axes = [columns.checked_sub(1)?, columns];
        // Of equal extents, the one of the operand that threads read, which each part reads anew.
        if products
            .iter()
            .all(|&product| reads_right_along_columns(&seen, product))
        {
            axes.reverse();
        }
        axes.sort_by_key(|&axis| std::cmp::Reverse(shape.get(axis)));
        axes.into_iter().find_map(|axis| {
            let class = classes.class_of(first, axis)?;
            let extent = *shape.get(axis)?;
            classes
                .is_separable(class)
                .then(|| plan_along(body, &mut classes, class, extent, id, &products))?
        })
    })
}

/// A function, and what is computed once of it.
struct Seen<'a> {
    func: &'a Func<TileAa>,
    definitions: SideTable<Value, OpId>,
    /// The function with facts in its types, from which follows which arrays a tensor map can describe.
    known: OnceCell<Option<Func<TileAa>>>,
}

impl<'a> Seen<'a> {
    fn known(&self) -> Option<&Func<TileAa>> {
        self.known
            .get_or_init(|| propagate_facts(self.func).ok())
            .as_ref()
    }

    fn definition(&self, value: Value) -> Option<&'a TileAaOp> {
        let &id = self.definitions.get(value)?;
        Some(&self.func.body.op(id).kind)
    }

    /// The place and the array from which a tile is loaded, and whether it is converted on the way.
    fn loaded(&self, value: Value) -> Option<(&'a TileAccess, &'a Memref, bool)> {
        let (source, converts) = match self.definition(value)? {
            TileAaOp::Arith(ArithOp::FToF { source, .. }) => (*source, true),
            _ => (value, false),
        };
        match self.definition(source)? {
            TileAaOp::TileAa(TileAaDialect::Load { at, .. }) => {
                Some((at, self.func.body.ty(at.memref).memref()?, converts))
            }
            _ => None,
        }
    }
}

/// The results of the products of a counted loop, if there are any.
fn products(body: &Body<TileAa>, id: OpId) -> Option<Vec<Value>> {
    let TileAaOp::Scf(ScfOp::For { body: inner, .. }) = &body.op(id).kind else {
        return None;
    };
    let block = body.only_block(*inner)?;
    let ops = body.block(block).ops.iter().map(|&id| body.op(id));
    let products = ops.filter(|op| matches!(op.kind, TileAaOp::TileAa(TileAaDialect::Dot { .. })));
    let products: Vec<Value> = products.map(|op| op.result(0)).collect();
    (!products.is_empty()).then_some(products)
}

/// Whether the tiles that a loop carries do not fit in registers, with the largest product beside them, and with operands that
/// threads convert.
fn is_too_large(seen: &Seen<'_>, id: OpId, products: &[Value]) -> bool {
    let body = &seen.func.body;
    let bytes = |value: Value| -> u64 {
        let ty = body.ty(value);
        let elements: u64 = ty
            .shape()
            .unwrap_or_default()
            .iter()
            .map(|&n| u64::from(n))
            .product();
        let element = match ty.element() {
            Some(ElementType::Scalar(scalar)) => scalar.bits().div_ceil(8),
            Some(ElementType::Ptr(_)) => 8,
            None => return 0,
        };
        let is_tile = ty.shape().is_some_and(|shape| !shape.is_empty());
        if is_tile { elements * u64::from(element) } else { 0 }
    };
    let op = body.op(id);
    let carried: u64 = op.results().map(bytes).sum();
    let block = op
        .kind
        .region_list()
        .first()
        .and_then(|&region| body.only_block(region));
    let passed: Vec<Value> = block
        .and_then(|block| body.terminator(block))
        .map_or_else(Vec::new, |last| body.op(last).kind.operand_list().to_vec());
    // The next product of a chain has the registers of the one before.
    let is_added_to = |value: &Value| {
        let mut ops = body.ops();
        ops.any(
            |(_, op)| matches!(&op.kind, TileAaOp::TileAa(TileAaDialect::Dot { acc, .. }) if acc == value),
        )
    };
    let others = products
        .iter()
        .filter(|&product| !passed.contains(product) && !is_added_to(product) || has_own_sum(seen, *product));
    let converted = products.iter().map(|&product| -> u64 {
        let operands = converted_operands(seen, product).into_iter();
        operands.map(bytes).sum()
    });
    let accumulators = carried + others.map(|&product| bytes(product)).max().unwrap_or(0);
    accumulators > ACCUMULATOR_BYTES || accumulators + converted.max().unwrap_or(0) > TILE_BYTES
}

/// The operands of a product that threads convert from what they load, where products read others from shared memory. Tensor copies
/// round to `tf32` on the way.
fn converted_operands(seen: &Seen<'_>, product: Value) -> Vec<Value> {
    let body = &seen.func.body;
    let target = seen.func.attrs.target;
    let is_rounded_by_copies = |value: Value, at: &TileAccess| {
        let to = body.ty(value);
        let array = seen.known().and_then(|known| known.body.ty(at.memref).memref());
        to.element() == Some(ElementType::Scalar(ScalarType::TF32))
            && array
                .zip(to.shape())
                .is_some_and(|(array, shape)| Boxes::plan(array, &at.dim_map, shape, target).is_ok())
    };
    let is_converted = |value: &Value| {
        let converts = seen.loaded(*value).filter(|(.., converts)| *converts);
        converts.is_some_and(|(at, ..)| !is_rounded_by_copies(*value, at))
    };
    match seen.definition(product) {
        Some(TileAaOp::TileAa(TileAaDialect::Dot { a, b, .. }))
            if Machine::of(target).rates.wgmma.tf32 > 0 =>
        {
            [*a, *b].into_iter().filter(is_converted).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the right operand of a product is in memory along its columns, and its elements are not of 16 bits. `wgmma` reads no such
/// operand in shared memory, so threads do, for the transposed product (see [`choose_routes`](mod@super::super::choose_routes)).
fn reads_right_along_columns(seen: &Seen<'_>, product: Value) -> bool {
    let body = &seen.func.body;
    let Some(TileAaOp::TileAa(TileAaDialect::Dot { b, .. })) = seen.definition(product) else {
        return false;
    };
    let has_wgmma = Machine::of(seen.func.attrs.target).rates.wgmma.tf32 > 0;
    let is_of_16_bits = body.ty(*b).element().is_some_and(|element| element.bits() == 16);
    let last = body.ty(*b).shape().map_or(0, <[u32]>::len).saturating_sub(1);
    let along = seen.loaded(*b).and_then(|(at, array, _)| at.unit_axis(array));
    has_wgmma && !is_of_16_bits && along == Some(last)
}

/// Whether a product has a sum of its own beside the accumulator.
fn has_own_sum(seen: &Seen<'_>, product: Value) -> bool {
    let has_wgmma = Machine::of(seen.func.attrs.target).rates.wgmma.f8 > 0;
    let definition = |value: Value| seen.definitions.get(value).copied();
    match seen.definition(product) {
        Some(TileAaOp::TileAa(op)) => has_wgmma && own_sums::has_own_sum(&seen.func.body, definition, op),
        _ => false,
    }
}

fn plan_along(
    body: &Body<TileAa>,
    classes: &mut Classes,
    class: usize,
    whole: u32,
    around: OpId,
    products: &[Value],
) -> Option<Plan> {
    // A part along both axes of a tile would be a quarter.
    let parts = TileParts::along(body, classes, &[class], PARTS)?;
    let members = body.values().map(|(value, _)| value);
    let members: Vec<Value> = members.filter(|&value| parts.axis(value).is_some()).collect();
    // A product without the axis would be computed for each part.
    if !products.iter().all(|&product| parts.axis(product).is_some()) {
        return None;
    }
    if whole / PARTS < ROWS {
        return None;
    }
    let block = home(body, around)?;
    let scope = Scope { body, parts: &parts };
    let mut inside: FxHashSet<Value> = FxHashSet::default();
    let ops = &body.block(block).ops;
    for &id in ops {
        inside.extend(results_within(body, id));
    }
    let definitions = body.definitions();
    let mut leaves: FxHashSet<OpId> = FxHashSet::default();
    for value in members.into_iter().filter(|value| !inside.contains(value)) {
        let id = *definitions.get(value)?;
        if !scope.is_leaf(id) {
            return None;
        }
        leaves.insert(id);
    }
    let is_split = |id: &OpId| {
        let mut values = results_within(body, *id);
        values.extend(operands_within(body, *id));
        values.iter().any(|&value| parts.axis(value).is_some())
    };
    let split: Vec<OpId> = ops.iter().copied().filter(is_split).collect();
    let (&begin, &end) = (split.first()?, split.last()?);
    if !split.iter().all(|&id| scope.is_repeatable(id)) {
        return None;
    }
    let chosen: FxHashSet<OpId> = split.iter().copied().collect();
    // Values that are known when all parts are finished.
    let mut late: FxHashSet<Value> = FxHashSet::default();
    // What is split is known to ops of its own part.
    let mut own: FxHashSet<Value> = FxHashSet::default();
    let mut hoisted = Vec::new();
    let from = ops.iter().position(|&id| id == begin)?;
    let to = ops.iter().position(|&id| id == end)?;
    for &id in ops.get(from..=to)? {
        let operands = operands_within(body, id);
        if chosen.contains(&id) {
            if operands.iter().any(|value| late.contains(value)) {
                return None;
            }
            let results = body.op(id).results();
            let (tokens, others): (Vec<Value>, Vec<Value>) =
                results.partition(|&value| body.ty(value).kind == TileAaKind::Token);
            late.extend(tokens);
            own.extend(others);
        } else if operands
            .iter()
            .any(|value| late.contains(value) || own.contains(value))
        {
            late.extend(results_within(body, id));
        } else {
            hoisted.push(id);
        }
    }
    let moved = split.iter().chain(&hoisted).copied().collect();
    Some(Plan {
        split,
        hoisted,
        leaves: body.walk().into_iter().filter(|id| leaves.contains(id)).collect(),
        moved,
        parts: Rc::new(parts),
    })
}

/// The block that an op is in.
fn home(body: &Body<TileAa>, op: OpId) -> Option<Block> {
    fn find(body: &Body<TileAa>, block: Block, op: OpId) -> Option<Block> {
        let ops = &body.block(block).ops;
        if ops.contains(&op) {
            return Some(block);
        }
        let regions = ops.iter().flat_map(|&id| body.op(id).kind.region_list());
        let mut blocks = regions.flat_map(|region| &body.region(region).blocks);
        blocks.find_map(|&block| find(body, block, op))
    }
    find(body, body.entry()?, op)
}

/// The values that an op and those in its regions define.
fn results_within(body: &Body<TileAa>, id: OpId) -> Vec<Value> {
    let op = body.op(id);
    let mut values: Vec<Value> = op.results().collect();
    for region in op.kind.region_list() {
        for &block in &body.region(region).blocks {
            values.extend(&body.block(block).args);
            for &inner in &body.block(block).ops {
                values.extend(results_within(body, inner));
            }
        }
    }
    values
}

/// The values that an op and those in its regions use.
fn operands_within(body: &Body<TileAa>, id: OpId) -> Vec<Value> {
    let op = &body.op(id).kind;
    let mut values = op.operand_list().to_vec();
    for region in op.region_list() {
        for &block in &body.region(region).blocks {
            for &inner in &body.block(block).ops {
                values.extend(operands_within(body, inner));
            }
        }
    }
    values
}

/// The values that are split, for questions about ops.
struct Scope<'a> {
    body: &'a Body<TileAa>,
    parts: &'a TileParts,
}

impl Scope<'_> {
    /// Whether an op makes a tile that can be made again for each part.
    fn is_leaf(&self, id: OpId) -> bool {
        let op = &self.body.op(id).kind;
        let makes = matches!(
            op,
            TileAaOp::Arith(ArithOp::Constant {
                value: Dense::Splat(_),
            }) | TileAaOp::Tile(TileOp::Splat { .. } | TileOp::Iota {} | TileOp::Broadcast { .. })
        );
        makes
            && op
                .operand_list()
                .iter()
                .all(|&value| self.parts.axis(value).is_none())
    }

    /// Whether an op and those in its regions may be executed once for each part.
    fn is_repeatable(&self, id: OpId) -> bool {
        let op = &self.body.op(id).kind;
        match op {
            TileAaOp::Scf(ScfOp::For { .. } | ScfOp::If { .. }) => {
                op.region_list().into_iter().all(|region| {
                    let mut blocks = self.body.region(region).blocks.iter();
                    blocks.all(|&block| {
                        self.body
                            .block(block)
                            .ops
                            .iter()
                            .all(|&id| self.is_repeatable(id))
                    })
                })
            }
            TileAaOp::Scf(ScfOp::Yield { .. } | ScfOp::Continue { .. }) => true,
            TileAaOp::TileAa(own) => match own {
                TileAaDialect::Load { at, ordering, .. } if ordering.is_weak() => {
                    self.parts
                        .divide(self.body, self.body.op(id).result(0), &at.steps)
                }
                TileAaDialect::Store {
                    at, value, ordering, ..
                } if ordering.is_weak() => {
                    self.parts.axis(*value).is_some() && self.parts.divide(self.body, *value, &at.steps)
                }
                TileAaDialect::GatherLoad { ordering, .. } if ordering.is_weak() => true,
                TileAaDialect::Reduce { .. } | TileAaDialect::Scan { .. } => true,
                TileAaDialect::ScatterStore { value, ordering, .. } if ordering.is_weak() => {
                    self.parts.axis(*value).is_some()
                }
                _ => op.is_pure(),
            },
            TileAaOp::Scf(_) => false,
            TileAaOp::Arith(_) | TileAaOp::Math(_) | TileAaOp::Tile(_) => op.is_pure(),
        }
    }
}
