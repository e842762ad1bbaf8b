//! Chooses the layout of each group of tiles.
//!
//! Groups are processed one after the other: those with candidates first, of these the largest, those of products, then those related
//! to a processed one (through a broadcast, a reshape, a permutation, a reduction, or as its parts) before others.
//!
//! A group's candidates are the layouts that its memory ops prefer, also with warps such that its reductions are within them, those in
//! which products multiply its tiles, those that its reductions take, and those that its processed neighbours suggest. The one with
//! the lowest cost of memory traffic, reductions and conversions is chosen.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, OpData, OpId, Operation, Origin, SideTable, Value};
use tilewright_irs::machine::weights;
use tilewright_irs::tileaa::{MemoryOp, TileAa, TileAaOp};
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

use super::accesses::{Access, Place, shared_accesses};
use super::folds::{FoldLayouts, fold_axis};
use super::groups::Groups;
use super::parts::{Parts, extended, part_of};
use super::products::{ProductLayouts, Sources};
use super::tiles::{default_layout, exchange_bytes, operand_layout, result_layout, wrong};

/// How often a product is assumed to run for one access outside of its loop.
const PRODUCT_REPETITIONS: u64 = 8;

/// Bytes of a pointer.
const POINTER_BYTES: u32 = 8;

/// Chooses a layout for every group, by its representative.
pub(super) fn settle(
    groups: &Groups<'_>,
    products: &SideTable<OpId, ProductLayouts>,
    num_warps: u32,
) -> Result<FxHashMap<Value, LinearLayout>, Diagnostic<Origin>> {
    let body = groups.body;
    let mut members: FxHashMap<Value, Group<'_>> = FxHashMap::default();
    for (value, ty) in body.values() {
        if groups.is_anchored(value) {
            let root = groups.root(value);
            members.entry(root).or_insert_with(|| Group {
                shape: ty.shape().unwrap_or_default().to_vec(),
                memory: Vec::new(),
                relations: Vec::new(),
                parts: Vec::new(),
                folds: Vec::new(),
                products: Vec::new(),
                operands: Vec::new(),
                computed: 0,
                near: false,
            });
        }
    }
    for &id in &groups.memory {
        let op = body.op(id);
        // A scatter's data may be floating while its pointers are not; its preferred layout then applies to them.
        let anchor = MemoryOp::of(op).and_then(|memory| groups.home(&memory));
        if let Some(group) = anchor.and_then(|v| members.get_mut(&groups.root(v))) {
            group.memory.push(id);
        }
    }
    for id in body.walk() {
        let op = body.op(id);
        if op.kind.spec().properties.elementwise
            && let Some(group) = op.results().next().and_then(|v| members.get_mut(&groups.root(v)))
        {
            group.computed += 1;
        }
    }
    let sources = Sources::of(body);
    for &id in &groups.products {
        let result = groups.root(body.op(id).result(0));
        if let Some(group) = members.get_mut(&result) {
            group.products.push(id);
        }
        let layouts = products.get(id).into_iter();
        for (operand, layout) in layouts.flat_map(|it| it.operands_of(groups, &sources, body.op(id))) {
            if let Some(group) = members.get_mut(&groups.root(operand)) {
                group.operands.push((operand, layout));
            }
        }
    }
    for &id in &groups.relations {
        let op = body.op(id);
        let ends = op.kind.operand_list().into_iter().chain(op.results());
        for value in ends.filter(|&v| groups.is_anchored(v)) {
            if let Some(group) = members.get_mut(&groups.root(value)) {
                group.relations.push(id);
            }
        }
    }
    for &id in &groups.parts {
        for value in part_ends(body, id).into_iter().flat_map(<[Value; 2]>::from) {
            if let Some(group) = members.get_mut(&groups.root(value)) {
                group.parts.push(id);
            }
        }
    }
    for &id in &groups.folds {
        let op = body.op(id);
        // The operands are in one group, the results in another.
        for values in [op.kind.operand_list().to_vec(), op.results().collect()] {
            let anchor = values.into_iter().find(|&v| groups.is_anchored(v));
            if let Some(group) = anchor.and_then(|v| members.get_mut(&groups.root(v))) {
                group.folds.push(id);
            }
        }
    }
    let mut open: Vec<Value> = members.keys().copied().collect();
    open.sort_unstable();
    let mut settled: FxHashMap<Value, LinearLayout> = FxHashMap::default();
    loop {
        let rank = |root: &Value| {
            let group = members.get(root);
            group.map(|g| {
                (
                    g.has_candidates(),
                    elements(&g.shape),
                    !g.products.is_empty(),
                    g.near,
                )
            })
        };
        // Of equals the first: `max_by_key` would return the last.
        let Some(next) = open.iter().rev().copied().max_by_key(rank) else {
            return Ok(settled);
        };
        open.retain(|&root| root != next);
        let Some(group) = members.get(&next) else {
            continue;
        };
        let layout = Settling {
            groups,
            products,
            settled: &settled,
            root: next,
            num_warps,
        }
        .choose(group)?;
        let relations = [&group.relations[..], &group.parts, &group.folds].concat();
        settled.insert(next, layout);
        for id in relations {
            let op = body.op(id);
            for value in op.kind.operand_list().into_iter().chain(op.results()) {
                if let Some(group) = members.get_mut(&groups.root(value)) {
                    group.near = true;
                }
            }
        }
    }
}

/// Values that share a layout.
struct Group<'a> {
    shape: Vec<u32>,
    memory: Vec<OpId>,
    relations: Vec<OpId>,
    /// The ops about parts of these values, or whose parts these are.
    parts: Vec<OpId>,
    /// The reductions and scans of these values, or with these results.
    folds: Vec<OpId>,
    /// Products whose result is in the group.
    products: Vec<OpId>,
    /// What products multiply from registers, each with the layout in which they do.
    operands: Vec<(Value, &'a LinearLayout)>,
    /// How many of these values are computed element by element.
    computed: u64,
    /// Whether a related group has been processed.
    near: bool,
}

impl Group<'_> {
    /// Whether an op prefers layouts, or a related group suggests some.
    fn has_candidates(&self) -> bool {
        let lists = [&self.memory, &self.products, &self.folds];
        self.near || lists.into_iter().any(|ops| !ops.is_empty())
    }
}

/// A part and the whole, of an op about parts.
fn part_ends(body: &Body<TileAa>, id: OpId) -> Option<(Value, Value)> {
    let op = body.op(id);
    let TileAaOp::TileAa(own) = &op.kind else {
        return None;
    };
    Some(Parts::of(own)?.ends(op.results().next()?))
}

/// The choice of one group's layout.
struct Settling<'a> {
    groups: &'a Groups<'a>,
    products: &'a SideTable<OpId, ProductLayouts>,
    settled: &'a FxHashMap<Value, LinearLayout>,
    root: Value,
    num_warps: u32,
}

impl Settling<'_> {
    fn choose(&self, group: &Group<'_>) -> Result<LinearLayout, Diagnostic<Origin>> {
        let body = self.groups.body;
        let mut candidates: Vec<LinearLayout> = Vec::new();
        let mut add = |layout: LinearLayout| {
            if !candidates.contains(&layout) {
                candidates.push(layout);
            }
        };
        for &id in &group.products {
            if let Some(product) = self.products.get(id) {
                add(product.acc.clone());
            }
        }
        for (_, layout) in &group.operands {
            add((*layout).clone());
        }
        for &id in &group.memory {
            if let Some(access) = self.groups.accesses.get(id) {
                let layout = access.preferred(&group.shape, self.num_warps);
                add(layout.map_err(|e| wrong(body.op(id).origin, &e))?);
            }
            if let Some((_, layout)) = self.stored(id) {
                add(layout.clone());
            }
        }
        for &id in &group.memory {
            let Some(access) = self.groups.accesses.get(id) else {
                continue;
            };
            for &fold in group.folds.iter().filter(|&&fold| self.is_operand(body.op(fold))) {
                let Some(axis) = fold_axis(&body.op(fold).kind) else {
                    continue;
                };
                let layout = access.preferred_for_fold(&group.shape, axis, self.num_warps);
                if let Some(layout) = layout.map_err(|e| wrong(body.op(id).origin, &e))? {
                    add(layout);
                }
            }
        }
        for &id in &group.relations {
            let op = body.op(id);
            let suggestion = match self.ends(op) {
                (_, Some(result)) => operand_layout(body, op, result),
                (Some(source), None) => result_layout(body, op, source),
                (None, None) => continue,
            };
            add(suggestion.map_err(|e| wrong(op.origin, &e))?);
        }
        for &id in &group.parts {
            let suggestion = match self.part_layouts(id) {
                Some((Some(part), None)) => {
                    extended(&part.drop_copies(Dim::Register), &group.shape).map(Some)
                }
                Some((None, Some(whole))) => part_of(whole, &group.shape),
                _ => continue,
            };
            if let Some(layout) = suggestion.map_err(|e| wrong(body.op(id).origin, &e))? {
                add(layout);
            }
        }
        for &id in &group.folds {
            let op = body.op(id);
            let (operands, results) = self.fold_ends(op);
            let folded =
                FoldLayouts::of(body, op, operands, self.num_warps).map_err(|e| wrong(op.origin, &e))?;
            let suggestion = match (folded, operands, results) {
                (Some(folded), Some(_), _) => folded.results,
                // A layout that the op takes, if there is nothing better.
                (Some(folded), None, _) if self.is_operand(op) => Some(folded.operands),
                _ => None,
            };
            if let Some(layout) = suggestion {
                add(layout);
            }
        }
        if candidates.is_empty() {
            return default_layout(body, self.root, self.num_warps).map_err(|e| wrong(Origin::FUNCTION, &e));
        }
        if let [only] = candidates.as_slice() {
            return Ok(only.clone());
        }
        let mut best: Option<(u64, LinearLayout)> = None;
        for candidate in candidates {
            let cost = self.cost(group, &candidate)?;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, candidate));
            }
        }
        match best {
            Some((_, layout)) => Ok(layout),
            None => default_layout(body, self.root, self.num_warps).map_err(|e| wrong(Origin::FUNCTION, &e)),
        }
    }

    /// The chosen layouts of a shape op's operand and result, except for those of this group.
    fn ends(&self, op: &OpData<TileAa>) -> (Option<&LinearLayout>, Option<&LinearLayout>) {
        let find = |value: Option<Value>| {
            let root = self.groups.root(value?);
            (root != self.root).then(|| self.settled.get(&root)).flatten()
        };
        (
            find(op.kind.operand_list().first().copied()),
            find(op.results().next()),
        )
    }

    /// The chosen layouts of a part and the whole, except for those of this group.
    fn part_layouts(&self, id: OpId) -> Option<(Option<&LinearLayout>, Option<&LinearLayout>)> {
        let (part, whole) = part_ends(self.groups.body, id)?;
        let find = |value: Value| {
            let root = self.groups.root(value);
            (root != self.root).then(|| self.settled.get(&root)).flatten()
        };
        Some((find(part), find(whole)))
    }

    /// The cost of the conversion of the whole, if this group has this layout.
    fn part_cost(&self, id: OpId, layout: &LinearLayout) -> Result<u64, LayoutError> {
        let body = self.groups.body;
        let Some((of_part, of_whole)) = self.part_layouts(id) else {
            return Ok(0);
        };
        let Some((_, whole)) = part_ends(body, id) else {
            return Ok(0);
        };
        let (part, other) = match (of_part, of_whole) {
            (Some(part), None) => (part, layout),
            (None, Some(whole)) => (layout, whole),
            _ => return Ok(0),
        };
        let shape = body.ty(whole).shape().unwrap_or_default();
        let wanted = extended(&part.drop_copies(Dim::Register), shape)?;
        Ok(conversion_cost(other, &wanted, exchange_bytes(body, whole)))
    }

    /// What is stored through pointers of the group, if it has a layout of its own.
    fn stored(&self, id: OpId) -> Option<(Value, &LinearLayout)> {
        let memory = MemoryOp::of(self.groups.body.op(id)).filter(|memory| !memory.loads)?;
        let root = self.groups.root(memory.data);
        let is_other = self.groups.is_anchored(memory.data) && root != self.root;
        Some((memory.data, self.settled.get(&root).filter(|_| is_other)?))
    }

    /// Whether the group holds an operand of a reduction or scan.
    fn is_operand(&self, op: &OpData<TileAa>) -> bool {
        let mut operands = op.kind.operand_list().into_iter();
        operands.any(|v| self.groups.is_anchored(v) && self.groups.root(v) == self.root)
    }

    /// The chosen layouts of a reduction's or scan's operands and results, except for those of this group.
    fn fold_ends(&self, op: &OpData<TileAa>) -> (Option<&LinearLayout>, Option<&LinearLayout>) {
        let find = |values: &[Value]| {
            let anchor = values.iter().copied().find(|&v| self.groups.is_anchored(v))?;
            let root = self.groups.root(anchor);
            (root != self.root).then(|| self.settled.get(&root)).flatten()
        };
        let results: Vec<Value> = op.results().collect();
        (find(&op.kind.operand_list()), find(&results))
    }

    /// The cost of a reduction or scan, with the conversions at its ends, if this group has this layout.
    fn fold_cost(&self, op: &OpData<TileAa>, layout: &LinearLayout) -> Result<u64, LayoutError> {
        let body = self.groups.body;
        let (operands, results) = self.fold_ends(op);
        let own = self.is_operand(op).then_some(layout);
        let home = operands.or(own);
        let Some(folded) = FoldLayouts::of(body, op, home, self.num_warps)? else {
            return Ok(0);
        };
        let bytes = |value: Option<Value>| value.map_or(4, |value| exchange_bytes(body, value));
        let before = home.map_or(0, |home| {
            let bytes = bytes(op.kind.operand_list().first().copied());
            conversion_cost(home, &folded.operands, bytes)
        });
        let holds_result = op
            .results()
            .any(|v| self.groups.is_anchored(v) && self.groups.root(v) == self.root);
        let wanted = results.or(holds_result.then_some(layout));
        let after = match (&folded.results, wanted) {
            (Some(made), Some(wanted)) => conversion_cost(made, wanted, bytes(op.results().next())),
            _ => 0,
        };
        Ok(folded.cost() + before + after)
    }

    fn cost(&self, group: &Group<'_>, layout: &LinearLayout) -> Result<u64, Diagnostic<Origin>> {
        let body = self.groups.body;
        // A thread computes each of its elements, whether other threads have it too or not.
        let mut cost = u64::from(layout.in_size(Dim::Register)) * group.computed.max(1);
        for &id in &group.memory {
            let op = body.op(id);
            // The threads that copy elements need the pointers to them.
            if let Some(threads) = self.groups.copied_by(id) {
                let conversion = conversion_cost(layout, threads, POINTER_BYTES);
                cost = cost.saturating_add(PRODUCT_REPETITIONS * conversion);
                continue;
            }
            if let (Some(access), Some(memory)) = (self.groups.accesses.get(id), MemoryOp::of(op)) {
                let (_, least) = cheapest_access(self.groups, op, access, &memory, layout, self.num_warps)?;
                let converted = self.stored(id).map_or(0, |(data, from)| {
                    conversion_cost(from, layout, exchange_bytes(body, data))
                });
                cost = cost.saturating_add(least).saturating_add(converted);
            }
        }
        for &id in &group.relations {
            let op = body.op(id);
            let wanted =
                |result: &LinearLayout| operand_layout(body, op, result).map_err(|e| wrong(op.origin, &e));
            let Some(&source) = op.kind.operand_list().first() else {
                continue;
            };
            let bytes = exchange_bytes(body, source);
            let conversion = match self.ends(op) {
                (_, Some(result)) => conversion_cost(layout, &wanted(result)?, bytes),
                (Some(source), None) => conversion_cost(source, &wanted(layout)?, bytes),
                (None, None) => 0,
            };
            // A product that is turned.
            let ends = op.kind.operand_list().into_iter().chain(op.results());
            let repetitions = match ends.into_iter().any(|end| self.groups.is_product(end)) {
                true => PRODUCT_REPETITIONS,
                false => 1,
            };
            cost = cost.saturating_add(repetitions * conversion);
        }
        for &id in &group.parts {
            let more = self
                .part_cost(id, layout)
                .map_err(|e| wrong(body.op(id).origin, &e))?;
            cost = cost.saturating_add(more);
        }
        for &id in &group.folds {
            let op = body.op(id);
            let more = self.fold_cost(op, layout).map_err(|e| wrong(op.origin, &e))?;
            cost = cost.saturating_add(more);
        }
        for &id in &group.products {
            if let Some(product) = self.products.get(id) {
                let bytes = exchange_bytes(body, body.op(id).result(0));
                let there_and_back = 2 * conversion_cost(layout, &product.acc, bytes);
                cost = cost.saturating_add(PRODUCT_REPETITIONS * there_and_back);
            }
        }
        for &(operand, wanted) in &group.operands {
            let conversion = conversion_cost(layout, wanted, exchange_bytes(body, operand));
            cost = cost.saturating_add(conversion);
        }
        Ok(cost)
    }
}

/// The cheapest layout for a memory op whose data has the layout `home`, with its cost including the conversion.
pub(super) fn cheapest_access(
    groups: &Groups<'_>,
    op: &OpData<TileAa>,
    access: &Access,
    memory: &MemoryOp<'_>,
    home: &LinearLayout,
    num_warps: u32,
) -> Result<(LinearLayout, u64), Diagnostic<Origin>> {
    let here = access.cost(home);
    if !groups.is_free(memory) {
        return Ok((home.clone(), here));
    }
    let preferred = access
        .preferred(&home.shape(), num_warps)
        .map_err(|e| wrong(op.origin, &e))?;
    let bytes = exchange_bytes(groups.body, memory.data);
    if access.place == Place::Copied {
        return Ok((preferred, here));
    }
    let others = access.in_order(home).into_iter().chain([preferred]);
    let mut best = (home.clone(), here);
    for layout in others {
        let there = access.cost(&layout) + conversion_cost(&layout, home, bytes);
        if there < best.1 {
            best = (layout, there);
        }
    }
    Ok(best)
}

/// The cost for a warp of converting a tile from one layout to another.
fn conversion_cost(from: &LinearLayout, to: &LinearLayout, bytes: u32) -> u64 {
    if from == to {
        return 0;
    }
    if to.registers_from(from).is_some() {
        return weights::PERMUTATION;
    }
    let held = |layout: &LinearLayout| u64::from(layout.in_size(Dim::Register)) * u64::from(bytes);
    let accesses = |layout: &LinearLayout| shared_accesses(layout, bytes);
    let exchange = weights::EXCHANGE + weights::SHARED_ACCESS * (accesses(from) + accesses(to));
    let is_within_warps = [Dim::Warp, Dim::Block]
        .iter()
        .all(|&dim| from.bases(dim).eq(to.bases(dim)));
    if !is_within_warps {
        return exchange;
    }
    // Each bit of the lanes that changes takes half of the registers to other lanes.
    let changed = from
        .bases(Dim::Lane)
        .zip(to.bases(Dim::Lane))
        .filter(|(from, to)| from != to);
    let words = held(from).max(held(to)).div_ceil(4);
    exchange.min(weights::PERMUTATION + weights::SHUFFLE * (changed.count() as u64 * words).div_ceil(2))
}

fn elements(shape: &[u32]) -> u64 {
    shape.iter().map(|&n| u64::from(n)).product()
}
