//! Computes tiles whose accumulators do not fit in registers in parts, one after the other. `tileaa` to `tileaa`.
//!
//! In: any function. Out: the same program, where a loop of products whose accumulators need more than
//! [`ACCUMULATOR_BYTES`] is repeated for each part of their rows, or columns, with all that the tiles are computed from
//! and all that is computed from them:
//!
//! ```text
//! %c = scf.for ..., [%zeros] : tile<256x256xf32> body {...}    %c0 = (the loop for rows 0 to 127)
//! %h = arith.ftof %c : tile<256x256xf16>                       %h0 = arith.ftof %c0 : tile<128x256xf16>
//! %t = tileaa.store %C, [%x, %y], %h {steps = [256, 256]}      %t0 = tileaa.store %C, [2 * %x, %y], %h0 {steps = [128, 256]}
//!                                                              %c1 = (the loop for rows 128 to 255)
//!                                                              ...
//!                                                              %t = tileaa.join_mem_tokens [%t0, %t1]
//! ```
//!
//! Else most of the accumulators would be in local memory, and every product would read and write them there. What is
//! repeated, the other operand's loads, costs much less.
//!
//! Parts are possible if the elements along the axis are used [one by one](super::axis_classes) by ops of one block and
//! the loops and branches in it, which have no effects but weak loads and stores, and if no op of them is ordered after
//! another one by a token: the first part may then be finished before the second one begins.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, OpId, Operation, Origin, SideTable, Translate, Translated, Translation, Value,
    ValueType, translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::dialects::memory::MemoryOrder;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};

use super::axis_classes::{Classes, ROWS, with_extents};

/// Accumulators of a block that its registers hold beside operands and addresses: 128 registers of each of 256 threads,
/// or 160 while a product's operand is computed by another product.
const ACCUMULATOR_BYTES: u64 = 160 << 10;

/// Splits the accumulators of products that do not fit in registers.
///
/// # Errors
/// None; the type is that of all passes.
pub fn split_accumulators(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    match plan(&func.body) {
        Some(plan) => {
            let mut pass = Split { plan, part: None };
            translate_func(func, func.attrs.clone(), &mut pass)
        }
        None => Ok(func.clone()),
    }
}

/// What is split, and how.
struct Plan {
    /// The number of parts.
    parts: u32,
    /// The extent of a part.
    extent: u32,
    /// The axis that is split, of each tile that is.
    axes: SideTable<Value, usize>,
    /// The ops of a block that are repeated for each part, in order.
    split: Vec<OpId>,
    /// Ops between these that must be computed before them.
    hoisted: Vec<OpId>,
    /// Ops before the block that make tiles from scalars or nothing.
    leaves: Vec<OpId>,
    /// The ops of the block that are not where they were: `split` and `hoisted`.
    moved: FxHashSet<OpId>,
    /// The dynamic extents of arrays that are 32-bit numbers, by memref: whether all are.
    narrow: SideTable<Value, bool>,
}

fn plan(body: &Body<TileAa>) -> Option<Plan> {
    let mut loops = body.walk().into_iter().filter_map(|id| {
        let products = products(body, id)?;
        (accumulator_bytes(body, id, &products, &|_| 1) > ACCUMULATOR_BYTES).then_some((id, products))
    });
    let (id, products) = loops.next()?;
    let mut classes = Classes::of(body);
    let &first = products.first()?;
    let rank = body.ty(first).shape()?.len();
    let axes = [rank.checked_sub(2)?, rank - 1];
    axes.into_iter().find_map(|axis| {
        let class = classes.class_of(first, axis)?;
        let extent = *body.ty(first).shape()?.get(axis)?;
        classes
            .is_separable(class)
            .then(|| plan_along(body, &mut classes, class, extent, id, &products))?
    })
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

/// Bytes of the tiles that a loop carries, and of the largest product beside them, each divided by its number of parts.
fn accumulator_bytes(body: &Body<TileAa>, id: OpId, products: &[Value], parts: &dyn Fn(Value) -> u32) -> u64 {
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
        if is_tile {
            elements * u64::from(element) / u64::from(parts(value).max(1))
        } else {
            0
        }
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
    let others = products.iter().filter(|product| !passed.contains(product));
    carried + others.map(|&product| bytes(product)).max().unwrap_or(0)
}

fn plan_along(
    body: &Body<TileAa>,
    classes: &mut Classes,
    class: usize,
    whole: u32,
    around: OpId,
    products: &[Value],
) -> Option<Plan> {
    let mut axes: SideTable<Value, usize> = body.value_table();
    let mut members = Vec::new();
    for (value, ty) in body.values() {
        let rank = ty.shape().unwrap_or_default().len();
        let own = (0..rank).filter(|&axis| classes.class_of(value, axis) == Some(class));
        match own.collect::<Vec<usize>>()[..] {
            [] => {}
            [axis] => {
                axes.set(value, axis);
                members.push(value);
            }
            // A part along both axes would be a quarter.
            _ => return None,
        }
    }
    // A product without the axis would be computed for each part.
    if !products.iter().all(|&product| axes.get(product).is_some()) {
        return None;
    }
    let parts = std::iter::successors(Some(2), |parts| Some(parts * 2))
        .take_while(|&parts| whole / parts >= ROWS)
        .find(|&parts| {
            let parts_of = |value: Value| axes.get(value).map_or(1, |_| parts);
            accumulator_bytes(body, around, products, &parts_of) <= ACCUMULATOR_BYTES
        })?;
    let extent = whole / parts;
    let block = home(body, around)?;
    let scope = Scope {
        body,
        axes: &axes,
        extent,
    };
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
        values.iter().any(|&value| axes.get(value).is_some())
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
        parts,
        extent,
        split,
        hoisted,
        leaves: body.walk().into_iter().filter(|id| leaves.contains(id)).collect(),
        moved,
        narrow: narrow_arrays(body),
        axes,
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

/// For each memref whether its extents are below 2^31.
fn narrow_arrays(body: &Body<TileAa>) -> SideTable<Value, bool> {
    let mut narrow = body.value_table();
    for (_, op) in body.ops() {
        if let TileAaOp::TileAa(TileAaDialect::Memref { extents, .. }) = &op.kind {
            let memref = op.result(0);
            let is_narrow =
                |&value: &Value| body.ty(value).element() == Some(ElementType::Scalar(ScalarType::I32));
            let known = body.ty(memref).memref().map_or(&[][..], |memref| &memref.extents);
            let small = known.iter().flatten().all(|&extent| extent < 1 << 31);
            narrow.set(memref, small && extents.iter().all(is_narrow));
        }
    }
    narrow
}

/// The values that are split, for questions about ops.
struct Scope<'a> {
    body: &'a Body<TileAa>,
    axes: &'a SideTable<Value, usize>,
    extent: u32,
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
                .all(|&value| self.axes.get(value).is_none())
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
                TileAaDialect::Load {
                    order: MemoryOrder::Weak,
                    steps,
                    ..
                } => self.has_steps(self.body.op(id).result(0), steps),
                TileAaDialect::Store {
                    order: MemoryOrder::Weak,
                    steps,
                    value,
                    ..
                } => self.axes.get(*value).is_some() && self.has_steps(*value, steps),
                TileAaDialect::GatherLoad {
                    order: MemoryOrder::Weak,
                    ..
                }
                | TileAaDialect::Reduce { .. }
                | TileAaDialect::Scan { .. } => true,
                TileAaDialect::ScatterStore {
                    order: MemoryOrder::Weak,
                    value,
                    ..
                } => self.axes.get(*value).is_some(),
                _ => op.is_pure(),
            },
            TileAaOp::Scf(_) => false,
            TileAaOp::Arith(_) | TileAaOp::Math(_) | TileAaOp::Tile(_) => op.is_pure(),
        }
    }

    /// Whether tiles are whole numbers of parts away from each other.
    fn has_steps(&self, tile: Value, steps: &[u32]) -> bool {
        let axis = self.axes.get(tile);
        axis.is_none_or(|&axis| {
            steps
                .get(axis)
                .is_some_and(|step| step.is_multiple_of(self.extent))
        })
    }
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

struct Split {
    plan: Plan,
    /// The part that is being written.
    part: Option<u32>,
}

impl Translate<TileAa, TileAa> for Split {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if let Some(part) = self.part {
            return self.part_of(cx, id, part);
        }
        if self.plan.split.first() == Some(&id) {
            self.all_parts(cx)?;
        }
        if self.plan.moved.contains(&id) {
            return Ok(());
        }
        cx.carry(id, &cx.old(id).kind, self)
    }
}

impl Split {
    /// The ops that are split, part after part.
    fn all_parts(&mut self, cx: &mut Cx<'_>) -> Translated {
        for id in self.plan.hoisted.clone() {
            cx.set_origin(cx.old(id).origin);
            cx.carry(id, &cx.old(id).kind, self)?;
        }
        let (leaves, split) = (self.plan.leaves.clone(), self.plan.split.clone());
        let made = leaves.iter().map(|&id| cx.old(id).result(0));
        let made: Vec<(Value, Value)> = made.map(|old| (old, cx.one(old))).collect();
        let tokens = split.iter().flat_map(|&id| cx.old(id).results());
        let tokens: Vec<Value> = tokens
            .filter(|&value| cx.from.ty(value).kind == TileAaKind::Token)
            .collect();
        let mut joined: Vec<Vec<Value>> = vec![Vec::new(); tokens.len()];
        for part in 0..self.plan.parts {
            self.part = Some(part);
            for &id in leaves.iter().chain(&split) {
                cx.set_origin(cx.old(id).origin);
                self.op(cx, id)?;
            }
            for (&old, joined) in tokens.iter().zip(&mut joined) {
                joined.push(cx.one(old));
            }
        }
        self.part = None;
        for (old, new) in made {
            cx.bind(old, [new]);
        }
        for (old, tokens) in tokens.into_iter().zip(joined) {
            let op = TileAaDialect::JoinMemTokens { tokens };
            let token = cx.value(op, TileAaType::new(TileAaKind::Token));
            cx.bind(old, [token]);
        }
        Ok(())
    }

    /// An op for one part.
    fn part_of(&mut self, cx: &mut Cx<'_>, id: OpId, part: u32) -> Translated {
        let old = cx.old(id);
        let mut kind = old.kind.clone();
        match &mut kind {
            TileAaOp::TileAa(TileAaDialect::Load { steps, .. }) => {
                self.retile(old.result(0), steps);
            }
            TileAaOp::TileAa(TileAaDialect::Store { steps, value, .. }) => self.retile(*value, steps),
            _ => {}
        }
        let place = match &old.kind {
            TileAaOp::TileAa(TileAaDialect::Load {
                memref, index, steps, ..
            }) => Some((old.result(0), *memref, index, steps)),
            TileAaOp::TileAa(TileAaDialect::Store {
                memref,
                index,
                steps,
                value,
                ..
            }) => Some((*value, *memref, index, steps)),
            _ => None,
        };
        // The part's index replaces that of the whole tile while the access is copied.
        let replaced = place.and_then(|(tile, memref, index, steps)| {
            let &axis = self.plan.axes.get(tile)?;
            let (&index, &step) = (index.get(axis)?, steps.get(axis)?);
            let narrow = self.plan.narrow.get(memref) == Some(&true);
            let new = self.index_of_part(cx, index, step / self.plan.extent, part, narrow);
            Some((axis, new))
        });
        cx.carry(id, &kind, self)?;
        if let Some((axis, new)) = replaced {
            self.set_index(cx, axis, new);
        }
        self.narrow_results(cx, id);
        if let TileAaOp::Tile(TileOp::Iota {}) = &old.kind
            && self.plan.axes.get(old.result(0)).is_some()
        {
            self.offset(cx, old.result(0), part);
        }
        Ok(())
    }

    /// Tiles of parts are side by side.
    fn retile(&self, tile: Value, steps: &mut [u32]) {
        if let Some(&axis) = self.plan.axes.get(tile)
            && let Some(step) = steps.get_mut(axis)
        {
            *step = self.plan.extent;
        }
    }

    /// Sets an index of the access that was written last.
    fn set_index(&self, cx: &mut Cx<'_>, axis: usize, new: Value) {
        let block = cx.current();
        let Some(&last) = cx.new_body().block(block).ops.last() else {
            return;
        };
        if let TileAaOp::TileAa(TileAaDialect::Load { index, .. } | TileAaDialect::Store { index, .. }) =
            &mut cx.body_mut().op_mut(last).kind
            && let Some(slot) = index.get_mut(axis)
        {
            *slot = new;
        }
    }

    /// The index of a part of a tile among parts, of which `factor` begin between this tile and the next one: as a 32-bit
    /// number, limited so that what is outside of an array of fewer than 2^31 elements stays outside, or as a 64-bit
    /// number.
    fn index_of_part(&self, cx: &mut Cx<'_>, index: Value, factor: u32, part: u32, narrow: bool) -> Value {
        let mut new = cx.one(index);
        let element = cx.from.ty(index).element();
        let is_i32 = element == Some(ElementType::Scalar(ScalarType::I32));
        let signedness = Signedness::Signed;
        let scalar = if is_i32 && narrow {
            ScalarType::I32
        } else {
            ScalarType::I64
        };
        let ty: TileAaType = scalar.into();
        if scalar == ScalarType::I32 {
            let limit = i64::from(i32::MAX) / i64::from(factor.max(1)) - 1;
            let (lhs, rhs) = (new, integer(cx, scalar, limit));
            new = cx.value(ArithOp::MinI { lhs, rhs, signedness }, ty.clone());
            let (lhs, rhs) = (new, integer(cx, scalar, -limit));
            new = cx.value(ArithOp::MaxI { lhs, rhs, signedness }, ty.clone());
        } else if element != Some(ElementType::Scalar(ScalarType::I64)) {
            new = cx.value(
                ArithOp::ExtI {
                    source: new,
                    signedness,
                },
                ty.clone(),
            );
        }
        let overflow = Overflow::Wraps;
        if factor != 1 {
            let (lhs, rhs) = (new, integer(cx, scalar, factor.into()));
            new = cx.value(ArithOp::MulI { lhs, rhs, overflow }, ty.clone());
        }
        if part != 0 {
            let (lhs, rhs) = (new, integer(cx, scalar, part.into()));
            new = cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty);
        }
        new
    }

    /// Adds the number of elements before a part to a part of 0, 1, 2, ….
    fn offset(&self, cx: &mut Cx<'_>, old: Value, part: u32) {
        if part == 0 {
            return;
        }
        let lhs = cx.one(old);
        let ty = TileAaType::new(cx.ty(lhs).kind.clone());
        let Some(ElementType::Scalar(scalar)) = ty.element() else {
            return;
        };
        let source = integer(cx, scalar, i64::from(part) * i64::from(self.plan.extent));
        let rhs = cx.value(TileOp::Splat { source }, ty.clone());
        let overflow = Overflow::Wraps;
        let moved = cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty);
        cx.bind(old, [moved]);
    }

    /// Gives the results of an op, and the arguments of its regions, the extent of a part.
    fn narrow_results(&self, cx: &mut Cx<'_>, id: OpId) {
        let op = cx.old(id);
        let mut values: Vec<Value> = op.results().collect();
        for region in op.kind.region_list() {
            let blocks = cx.from.region(region).blocks.iter();
            values.extend(blocks.flat_map(|&block| &cx.from.block(block).args));
        }
        for old in values {
            let Some(&axis) = self.plan.axes.get(old) else {
                continue;
            };
            let ty = cx.from.ty(old).clone();
            let mut extents = ty.shape().unwrap_or_default().to_vec();
            if let Some(extent) = extents.get_mut(axis) {
                *extent = self.plan.extent;
            }
            let new = cx.one(old);
            cx.body_mut().set_ty(new, with_extents(&ty, extents));
        }
    }
}

/// A constant.
fn integer(cx: &mut Cx<'_>, scalar: ScalarType, number: i64) -> Value {
    let value = Dense::Splat(Literal::new(scalar, number.cast_unsigned()));
    cx.value(ArithOp::Constant { value }, scalar.into())
}
