//! Versions tile accesses for full and for partial tiles. `tileaa` to `tileaa`.
//!
//! In: any function, with facts in its types. Out: the same program, where a tiled load or store that would have
//! wider vectors if it were in bounds is duplicated in an `scf.if`: in bounds along all axes, and unchanged. The
//! condition is uniform and scalar: along every axis that may be out of bounds, the index is not negative and at most
//! `(extent - tile) / step`, rounded down.
//!
//! Several such accesses of one block share their branch: from the first of them on, all of the block is duplicated, up to
//! its terminator, under the condition that all of them are in bounds. The accesses of a tile program are then in flight
//! together, with one branch before them. What their indices need is computed before it. An access whose index depends on
//! loaded data has a branch of its own, and so has each where the block is too large to be duplicated, or most of its accesses
//! would gain nothing.
//!
//! Where accesses of rows of an array would have these vectors in partial tiles too, if an extent were a multiple of them, there is a
//! third version for such extents: rows that begin at multiples of 16 bytes mostly end at one.
//!
//! An access that is already versioned is not changed, so the pass is idempotent. Nor are tensor copies, which need no masks:
//! those that load, those that store while a loop goes on, and those whose route is forced, which are guarded. Any other store
//! outside of loops has nothing to overlap with, and becomes a direct one where its tile is full.
//!
//! Most tiles of an array are full; without this, an unknown extent limits all of them to accesses of one element.

mod conditions;
mod units;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, OpId, Operation, Origin, SideTable, Translate, Translated, Translation, Value,
    translate_func,
};
use tilewright_irs::dialects::access::Widest;
use tilewright_irs::dialects::memory::TileAccess;
use tilewright_irs::dialects::route::StoreRoute;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::isa::Target;
use tilewright_irs::tileaa::{MemoryOp, MemoryPlace, TileAa, TileAaDialect, TileAaOp, TileAaType};

use super::choose_copies::Loads;
use super::select_atoms::widest_accesses;
use super::tiled::{Extent, TiledAxis, tiled_axes};
use crate::branches::branch;
use crate::program_slice::Places;
use conditions::{all_of, inside};
use units::Units;

/// Versions the accesses that gain from it.
///
/// # Errors
/// Elements do not fill whole bytes in memory (E0502), with the op's origin.
pub fn split_full_tiles(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut pass = Split {
        accesses: widest_accesses(func).map_err(|problem| vec![problem])?,
        definitions: func.body.definitions(),
        edges: edges(&func.body, func.attrs.target),
        blocks: blocks(&func.body),
        chosen: FxHashMap::default(),
        done: FxHashSet::default(),
        budget: func.body.op_count().max(SMALL),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// Functions with fewer ops may grow as if they had this number.
const SMALL: usize = 512;

struct Split {
    accesses: SideTable<OpId, Widest>,
    definitions: SideTable<Value, OpId>,
    /// The accesses that are left alone: to partial tiles in earlier versionings, loads with a route, and copies from shared
    /// memory in loops, or anywhere if they are forced.
    edges: SideTable<OpId, ()>,
    /// The block of each op.
    blocks: SideTable<OpId, Block>,
    /// The accesses under the current branch, and whether they are in bounds there.
    chosen: FxHashMap<OpId, bool>,
    /// The ops of the current block that were translated before their turn.
    done: FxHashSet<OpId>,
    /// How many ops may still be added.
    budget: usize,
}

/// Accesses of one block that share their branch.
struct Group<'a> {
    /// From the first of the accesses up to the terminator.
    span: &'a [OpId],
    /// The ops in it.
    size: usize,
    accesses: Vec<OpId>,
    /// What the condition needs, in order.
    before: Vec<OpId>,
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

impl Translate<TileAa, TileAa> for Split {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        if self.done.contains(&id) {
            return Ok(());
        }
        if let Some(&inside) = self.chosen.get(&id) {
            let mut op = old.kind.clone();
            if inside {
                in_bounds(&mut op);
            }
            return cx.carry(id, &op, self);
        }
        if !self.gains(id) {
            return cx.carry(id, &old.kind, self);
        }
        if let Some(group) = self.group(cx, id) {
            return self.together(cx, &group);
        }
        match self.inside(cx, id) {
            Some(condition) => self.twice(cx, id, condition),
            None => cx.carry(id, &old.kind, self),
        }
    }
}

impl Split {
    /// Whether an access would have wider vectors if it were in bounds.
    fn gains(&self, id: OpId) -> bool {
        self.accesses
            .get(id)
            .is_some_and(|access| access.vector < access.inside)
            && self.edges.get(id).is_none()
    }

    /// The accesses that share the branch of this one, if there are others.
    fn group<'a>(&mut self, cx: &Cx<'a>, first: OpId) -> Option<Group<'a>> {
        let body = cx.from;
        let ops = &body.block(*self.blocks.get(first)?).ops;
        let (_, ops) = ops.split_last()?;
        let span = ops.get(ops.iter().position(|&id| id == first)?..)?;
        let inner: FxHashSet<OpId> = span.iter().copied().collect();
        let mut before = FxHashSet::default();
        let mut accesses = Vec::new();
        for &id in span {
            if self.chosen.contains_key(&id) || !self.gains(id) {
                continue;
            }
            let Some(axes) = tiled_axes(body, &self.definitions, id) else {
                continue;
            };
            let needed = axes.iter().flat_map(|axis| match axis.extent {
                Extent::Known(_) => vec![axis.index],
                Extent::Value(extent) => vec![axis.index, extent],
            });
            let mut found = before.clone();
            let open = axes.iter().any(|axis| !axis.inbounds);
            if open
                && needed
                    .into_iter()
                    .all(|value| self.precedes(body, value, &inner, &mut found))
            {
                before = found;
                accesses.push(id);
            }
        }
        let size = ops_in(body, span);
        // What does not gain is duplicated for nothing.
        let others = span.iter().filter(|&&id| self.accesses.get(id).is_some()).count() - accesses.len();
        let pays = accesses.len() >= 2 && accesses.len() > others;
        if !pays || !accesses.contains(&first) || size > self.budget {
            return None;
        }
        self.budget -= size;
        let before = span.iter().copied().filter(|id| before.contains(id)).collect();
        Some(Group {
            span,
            size,
            accesses,
            before,
        })
    }

    /// Whether a value is defined before a span, or can be computed before it from such values. Adds the ops to `found`.
    fn precedes(
        &self,
        body: &Body<TileAa>,
        value: Value,
        span: &FxHashSet<OpId>,
        found: &mut FxHashSet<OpId>,
    ) -> bool {
        let Some(&id) = self.definitions.get(value).filter(|id| span.contains(id)) else {
            return true;
        };
        if found.contains(&id) {
            return true;
        }
        let op = &body.op(id).kind;
        let movable = op.is_pure() && op.effects().is_speculatable() && op.region_list().is_empty();
        let moves = movable
            && op
                .operand_list()
                .into_iter()
                .all(|operand| self.precedes(body, operand, span, found));
        if moves {
            found.insert(id);
        }
        moves
    }

    /// The rest of the block under the condition with all accesses of the group in bounds, and otherwise unchanged.
    fn together(&mut self, cx: &mut Cx<'_>, group: &Group<'_>) -> Translated {
        let from = cx.from;
        for &id in &group.before {
            cx.set_origin(from.op(id).origin);
            self.op(cx, id)?;
            self.done.insert(id);
        }
        let mut parts: Vec<Value> = Vec::new();
        let mut known: Vec<TiledAxis> = Vec::new();
        let axes = group
            .accesses
            .iter()
            .filter_map(|&id| tiled_axes(from, &self.definitions, id));
        for axis in axes.flatten().filter(|axis| !axis.inbounds) {
            if !known.contains(&axis) {
                parts.extend(inside(cx, &axis));
                known.push(axis);
            }
        }
        let Some(condition) = all_of(cx, parts) else {
            return Ok(());
        };
        let crossing = self.crossing(from, group);
        let done = self.done.clone();
        let units = self.units(from, &group.accesses, group.span, group.size);
        self.versions(cx, &crossing, condition, &units, &mut |pass, cx, inside| {
            pass.done.clone_from(&done);
            pass.chosen.extend(group.accesses.iter().map(|&id| (id, inside)));
            for &id in group.span {
                cx.set_origin(from.op(id).origin);
                pass.op(cx, id)?;
            }
            Ok(())
        })?;
        for id in &group.accesses {
            self.chosen.remove(id);
        }
        self.done.extend(group.span);
        Ok(())
    }

    /// What has to hold for accesses to have the same vectors in partial tiles; empty where a version for it does not pay, or is
    /// `size` ops too large.
    fn units(&mut self, body: &Body<TileAa>, accesses: &[OpId], span: &[OpId], size: usize) -> Vec<Units> {
        let mut all = Vec::new();
        for &id in accesses {
            let found = self.accesses.get(id);
            let found = found.and_then(|widest| Units::of(body, &self.definitions, id, widest));
            // The array is described before the branch.
            let is_before = |units: &Units| {
                self.definitions
                    .get(units.array)
                    .is_none_or(|id| !span.contains(id))
            };
            if let Some(units) = found.filter(is_before) {
                units.join(&mut all);
            }
        }
        // Of an array of one dimension only one tile is partial.
        let has_rows = |units: &Units| {
            body.ty(units.array)
                .memref()
                .is_some_and(|array| array.rank() > 1)
        };
        if !all.iter().any(has_rows) || size > self.budget {
            return Vec::new();
        }
        self.budget -= size;
        all
    }

    /// What `write` writes, in versions: under the condition that all accesses are in bounds, if not, under that of the units, and
    /// otherwise. It is told which of them are in bounds, and gives values for these results.
    fn versions(
        &mut self,
        cx: &mut Cx<'_>,
        results: &[Value],
        condition: Value,
        units: &[Units],
        write: &mut dyn FnMut(&mut Self, &mut Cx<'_>, bool) -> Translated,
    ) -> Translated {
        branch(cx, results, condition, |cx, inside| {
            if inside || units.is_empty() {
                write(self, cx, inside)?;
            } else {
                let mut conditions = Vec::new();
                for (at, one) in units.iter().enumerate() {
                    let mut before = units.iter().take(at);
                    if !before.any(|other| other.implies(one)) {
                        conditions.push(one.condition(cx));
                    }
                }
                let condition = all_of(cx, conditions).unwrap_or(condition);
                branch(cx, results, condition, |cx, holds| {
                    let arrays: Vec<Value> = units.iter().map(|units| cx.one(units.array)).collect();
                    if holds {
                        self.assume(cx, units)?;
                    }
                    write(self, cx, false)?;
                    for (units, array) in units.iter().zip(arrays) {
                        cx.bind(units.array, [array]);
                    }
                    Ok(results.iter().map(|&result| cx.one(result)).collect())
                })?;
            }
            Ok(results.iter().map(|&result| cx.one(result)).collect())
        })
    }

    /// Describes arrays again, with what holds in their types.
    fn assume(&mut self, cx: &mut Cx<'_>, units: &[Units]) -> Translated {
        for units in units {
            if let Some(&id) = self.definitions.get(units.array) {
                cx.carry(id, &cx.old(id).kind, self)?;
                let array = cx.one(units.array);
                let ty = units.assumed(cx.ty(array));
                cx.body_mut().set_ty(array, ty);
            }
        }
        Ok(())
    }

    /// The values of a group's span that the terminator after it uses.
    fn crossing(&self, body: &Body<TileAa>, group: &Group<'_>) -> Vec<Value> {
        let Some(block) = group.span.first().and_then(|&id| self.blocks.get(id)) else {
            return Vec::new();
        };
        let Some(last) = body.block(*block).ops.last() else {
            return Vec::new();
        };
        let mut crossing: Vec<Value> = Vec::new();
        body.op(*last).kind.operands(&mut |value| {
            let inner = self
                .definitions
                .get(value)
                .is_some_and(|id| group.span.contains(id) && !group.before.contains(id));
            if inner && !crossing.contains(&value) {
                crossing.push(value);
            }
        });
        crossing
    }

    /// The op under the condition with all of its tile in bounds, and otherwise unchanged.
    fn twice(&mut self, cx: &mut Cx<'_>, id: OpId, condition: Value) -> Translated {
        let old = cx.old(id);
        let results: Vec<Value> = old.results().collect();
        let units = self.units(cx.from, &[id], &[], 1);
        self.versions(cx, &results, condition, &units, &mut |pass, cx, inside| {
            let mut op = old.kind.clone();
            if inside {
                in_bounds(&mut op);
            }
            cx.carry(id, &op, pass)
        })
    }

    /// Whether the tile of an access is in bounds, as a scalar i1. `None` if the array's extents are not available,
    /// or no axis may be out of bounds.
    fn inside(&self, cx: &mut Cx<'_>, id: OpId) -> Option<Value> {
        let axes = tiled_axes(cx.from, &self.definitions, id)?;
        let open = axes.iter().filter(|axis| !axis.inbounds);
        let parts: Vec<Value> = open.flat_map(|axis| inside(cx, axis)).collect();
        all_of(cx, parts)
    }
}

/// The block of each op.
fn blocks(body: &Body<TileAa>) -> SideTable<OpId, Block> {
    let mut blocks = SideTable::new(body.op_count());
    let mut open = vec![body.root()];
    while let Some(region) = open.pop() {
        for &block in &body.region(region).blocks {
            for &id in &body.block(block).ops {
                blocks.set(id, block);
                open.extend(body.op(id).kind.region_list());
            }
        }
    }
    blocks
}

/// The number of these ops and of all in their regions.
fn ops_in(body: &Body<TileAa>, ops: &[OpId]) -> usize {
    let inner = |id: &OpId| {
        let regions = body.op(*id).kind.region_list();
        let blocks = regions.iter().flat_map(|&region| &body.region(region).blocks);
        blocks
            .map(|&block| ops_in(body, &body.block(block).ops))
            .sum::<usize>()
    };
    ops.iter().map(|id| 1 + inner(id)).sum()
}

/// Every access of an `otherwise` at whose place the `then` has it in bounds, every load with a route, which is chosen for the
/// access as it is, or that `cp.async` will do, which reads what there is of a vector, and every store by a tensor copy that is under way while a loop goes on, or is forced: it needs no masks.
fn edges(body: &Body<TileAa>, target: Target) -> SideTable<OpId, ()> {
    let mut edges = SideTable::new(body.op_count());
    let ops = |region| body.only_block(region).map(|block| &body.block(block).ops);
    let places = Places::of(body);
    let loads = Loads::of(body);
    for id in body.walk() {
        let is_edge = match &body.op(id).kind {
            TileAaOp::TileAa(TileAaDialect::Load { .. }) if loads.is_copied(id, target) => true,
            TileAaOp::TileAa(
                TileAaDialect::Load { route: Some(_), .. } | TileAaDialect::GatherLoad { route: Some(_), .. },
            ) => true,
            TileAaOp::TileAa(TileAaDialect::Store {
                route: Some(route), ..
            }) => route.boxes().is_some_and(|boxes| boxes.guarded) || places.is_in_loop(id),
            _ => false,
        };
        if is_edge {
            edges.set(id, ());
        }
        if let TileAaOp::Scf(ScfOp::If { then, otherwise, .. }) = &body.op(id).kind
            && let (Some(inside), Some(edge)) = (ops(*then), ops(*otherwise))
        {
            for (&inside, &edge) in inside.iter().zip(last_version(body, edge)) {
                let places = [inside, edge].map(|id| MemoryOp::of(body.op(id)).map(|memory| memory.place));
                if let [Some(MemoryPlace::Tile(inside)), Some(MemoryPlace::Tile(edge_at))] = places
                    && inside.index == edge_at.index
                    && !inside.inbounds.contains(&false)
                    && edge_at.inbounds.contains(&false)
                {
                    edges.set(edge, ());
                }
            }
        }
    }
    edges
}

/// The ops of the last version in those of an `otherwise`, which may compute another condition and branch again.
fn last_version<'a>(body: &'a Body<TileAa>, ops: &'a [OpId]) -> &'a [OpId] {
    let [before @ .., branch, _] = ops else { return ops };
    match &body.op(*branch).kind {
        TileAaOp::Scf(ScfOp::If { otherwise, .. }) if before.iter().all(|&id| body.op(id).kind.is_pure()) => {
            body.only_block(*otherwise)
                .map_or(ops, |block| &body.block(block).ops)
        }
        _ => ops,
    }
}

/// Marks all of an access as in bounds, with vectors of the width that it then has, directly from or to registers.
fn in_bounds(op: &mut TileAaOp) {
    let TileAaOp::TileAa(op) = op else { return };
    let Some(at) = op.field_mut::<TileAccess>() else {
        return;
    };
    at.set_inbounds(vec![true; at.inbounds.len()]);
    if let Some(Some(access)) = op.field_mut::<Option<Widest>>() {
        access.vector = access.inside;
    }
    if let Some(route) = op.field_mut::<Option<StoreRoute>>() {
        *route = None;
    }
}
