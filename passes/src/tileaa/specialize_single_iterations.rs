//! Versions loops that read the same tiles for the case of a single iteration. `tileaa` to `tileaa`.
//!
//! In: any function with its number of warps. Out: the same program, where loops with the same bounds, one after another,
//! have a copy without loops that is executed when each of them has one iteration:
//!
//! ```text
//! %sum = scf.for %zero, %n, %one {…load %x, [%i]…}      scf.if (%n == 1) {…load %x, [%zero]… …load %x, [%zero]… store…}
//! scf.for %zero, %n, %one {…load %x, [%i]… store…}      else {the loops as they were}
//! ```
//!
//! A kernel that normalises rows reads each row twice, or more often: in a loop that reduces it, and in one that scales it.
//! Where a tile is as long as the row, which is not known when compiling, [`merge_repeated_loads`](super::merge_repeated_loads())
//! then has one load of both, since the tile stays in registers.
//!
//! Loops are versioned if a later one repeats weak loads of an earlier one, with the same token and the same indices, and
//! what the threads hold for that fits into their registers; if they contain no products and no loads that have a route; and
//! if the code from the first of them to the end of its block is not long.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Flag, Func, OpId, Operation, Origin, Region, SideTable, Translate, Translated, Translation,
    Value, ValueType, WholeEffects, translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate};
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::element::ScalarType;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp, TileAaType};

use super::early_loads::{held_bytes, is_weak_load, is_weak_load_to_registers};
use super::merge_repeated_loads::{MAX_BYTES, pads_alike, stripped};
use crate::branches::branch;
use crate::cleanup::substitute::with_operands;
use crate::scalars::compared;

/// The most ops that are duplicated.
const MAX_OPS: usize = 512;

/// Versions loops for the case of a single iteration.
///
/// # Errors
/// None; the type is that of all passes.
pub fn specialize_single_iterations(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let groups = Finder::of(func).groups();
    if groups.is_empty() {
        return Ok(func.clone());
    }
    let mut pass = Specialize {
        groups,
        single: FxHashSet::default(),
        done: FxHashSet::default(),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// The bounds and the step of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    lower: Value,
    upper: Value,
    step: Value,
}

/// A counted loop.
#[derive(Clone, Copy, Debug)]
struct Loop {
    id: OpId,
    bounds: Bounds,
    block: Block,
    counter: Value,
}

/// Loops of one block with the same bounds.
#[derive(Debug)]
struct Group {
    loops: Vec<Loop>,
    /// From the first of them up to the terminator of their block.
    span: Vec<OpId>,
    /// The values of the span that the terminator uses.
    crossing: Vec<Value>,
}

/// Finds the loops that are versioned.
struct Finder<'a> {
    body: &'a Body<TileAa>,
    definitions: SideTable<Value, OpId>,
    num_warps: u32,
}

impl<'a> Finder<'a> {
    fn of(func: &'a Func<TileAa>) -> Self {
        Self {
            body: &func.body,
            definitions: func.body.definitions(),
            num_warps: func.attrs.num_warps.unwrap_or(1),
        }
    }

    /// The groups, by their first loops.
    fn groups(&self) -> FxHashMap<OpId, Group> {
        let mut groups = FxHashMap::default();
        let mut open = vec![self.body.root()];
        while let Some(region) = open.pop() {
            for &block in &self.body.region(region).blocks {
                if let Some(group) = self.group(block)
                    && let Some(first) = group.loops.first()
                {
                    groups.insert(first.id, group);
                    continue;
                }
                let ops = self.body.block(block).ops.iter();
                open.extend(ops.flat_map(|&id| self.body.op(id).kind.region_list()));
            }
        }
        groups
    }

    fn group(&self, block: Block) -> Option<Group> {
        let (last, ops) = self.body.block(block).ops.split_last()?;
        let loops: Vec<Loop> = ops.iter().filter_map(|&id| self.counted(id)).collect();
        let alike = |first: &Loop| {
            let same = loops.iter().filter(|other| other.bounds == first.bounds);
            same.copied().collect::<Vec<Loop>>()
        };
        let loops = loops.iter().map(alike).find(|loops| self.pays(loops))?;
        let first = loops.first()?;
        let span = ops.get(ops.iter().position(|&id| id == first.id)?..)?;
        if self.count(span)? > MAX_OPS {
            return None;
        }
        let made: FxHashSet<Value> = span.iter().flat_map(|&id| self.body.op(id).results()).collect();
        let mut crossing = Vec::new();
        self.body.op(*last).kind.operands(&mut |value| {
            if made.contains(&value) && !crossing.contains(&value) {
                crossing.push(value);
            }
        });
        let span = span.to_vec();
        Some(Group {
            loops,
            span,
            crossing,
        })
    }

    /// A loop that may be replaced by its body, and whose number of iterations is not known.
    fn counted(&self, id: OpId) -> Option<Loop> {
        let TileAaOp::Scf(ScfOp::For {
            lower,
            upper,
            step,
            unsigned: Flag(false),
            plan: LoopPlan {
                serial: Flag(false), ..
            },
            body,
            ..
        }) = self.body.op(id).kind
        else {
            return None;
        };
        // Neither overflows: the difference of the bounds, and what a constant bound and the step add up to.
        let (number, positive) = (self.number(step), self.body.ty(lower).facts.min);
        if number.is_none_or(|step| step < 1) || positive.is_none_or(|least| least < 0) {
            return None;
        }
        if self.number(lower).is_some() && self.number(upper).is_some() {
            return None;
        }
        let block = self.body.only_block(body)?;
        let mut ops = self.body.block(block).ops.iter();
        let last = self.body.terminator(block)?;
        let leaves = ops.any(|&id| id != last && WholeEffects::leaves(self.body, id));
        let continues = matches!(self.body.op(last).kind, TileAaOp::Scf(ScfOp::Continue { .. }));
        (continues && !leaves).then_some(())?;
        let counter = *self.body.block(block).args.first()?;
        let bounds = Bounds { lower, upper, step };
        Some(Loop {
            id,
            bounds,
            block,
            counter,
        })
    }

    /// The only value of an integer, from its facts.
    fn number(&self, value: Value) -> Option<i64> {
        let facts = &self.body.ty(value).facts;
        facts.min.filter(|_| facts.min == facts.max)
    }

    /// The number of ops, those in regions included. `None` with ops that are not to be duplicated.
    fn count(&self, ops: &[OpId]) -> Option<usize> {
        ops.iter().try_fold(0, |sum, &id| {
            let op = &self.body.op(id).kind;
            let is_routed = is_weak_load(op) && !is_weak_load_to_registers(op);
            let is_product = matches!(op, TileAaOp::TileAa(TileAaDialect::Dot { .. }));
            if is_routed || is_product {
                return None;
            }
            let inner = |region: Region| {
                let blocks = &self.body.region(region).blocks;
                blocks.iter().try_fold(0, |sum, &block| {
                    Some(sum + self.count(&self.body.block(block).ops)?)
                })
            };
            let regions = op.region_list();
            regions
                .into_iter()
                .try_fold(sum + 1, |sum, region| Some(sum + inner(region)?))
        })
    }

    /// Whether later loops repeat loads of earlier ones, and the threads can hold what these load.
    fn pays(&self, loops: &[Loop]) -> bool {
        let mut known: Vec<(Loop, OpId)> = Vec::new();
        let mut held: FxHashSet<OpId> = FxHashSet::default();
        for &this in loops {
            let loads = self.body.block(this.block).ops.iter();
            for &id in loads.filter(|&&id| is_weak_load_to_registers(&self.body.op(id).kind)) {
                match known
                    .iter()
                    .find(|&&(earlier, load)| self.repeats((earlier, load), (this, id)))
                {
                    Some(&(earlier, load)) if earlier.id != this.id => {
                        held.insert(load);
                    }
                    Some(_) => {}
                    None => known.push((this, id)),
                }
            }
        }
        let bytes: u64 = held
            .iter()
            .map(|&id| held_bytes(self.body, id, self.num_warps))
            .sum();
        !held.is_empty() && bytes <= MAX_BYTES
    }

    /// Whether a load in the first iteration of a loop is equal to one in the first iteration of an earlier loop.
    fn repeats(&self, (earlier, first): (Loop, OpId), (later, second): (Loop, OpId)) -> bool {
        let [a, b] = [first, second].map(|id| &self.body.op(id).kind);
        pads_alike(a, b) && self.same_op(&stripped(a), earlier, &stripped(b), later)
    }

    /// Whether ops are equal, when their operands in the first iterations are.
    fn same_op(&self, a: &TileAaOp, earlier: Loop, b: &TileAaOp, later: Loop) -> bool {
        let [of_a, of_b] = [a, b].map(Operation::operand_list);
        let mut pairs = of_a.iter().zip(&of_b);
        of_a.len() == of_b.len()
            && pairs.all(|(&a, &b)| self.same(a, earlier, b, later))
            && with_operands(b, of_a) == *a
    }

    /// Whether values are equal in the first iterations of two loops.
    fn same(&self, a: Value, earlier: Loop, b: Value, later: Loop) -> bool {
        if a == b || (a == earlier.counter && b == later.counter) {
            return true;
        }
        let [Some(&a), Some(&b)] = [a, b].map(|value| self.definitions.get(value)) else {
            return false;
        };
        let [a, b] = [a, b].map(|id| &self.body.op(id).kind);
        let pure = a.is_pure() && a.region_list().is_empty() && b.region_list().is_empty();
        pure && self.same_op(a, earlier, b, later)
    }
}

struct Specialize {
    /// The groups, by their first loops.
    groups: FxHashMap<OpId, Group>,
    /// The loops that have a single iteration where the pass is.
    single: FxHashSet<OpId>,
    /// The ops of the current block that were translated before their turn.
    done: FxHashSet<OpId>,
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

impl Translate<TileAa, TileAa> for Specialize {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if self.done.contains(&id) {
            return Ok(());
        }
        if let Some(group) = self.groups.remove(&id) {
            return self.versioned(cx, &group);
        }
        if self.single.contains(&id) {
            return self.once(cx, id);
        }
        cx.carry(id, &cx.old(id).kind, self)
    }
}

impl Specialize {
    /// The rest of a block from the first loop of a group on, for single iterations and as it is.
    fn versioned(&mut self, cx: &mut Cx<'_>, group: &Group) -> Translated {
        let Some(first) = group.loops.first() else {
            return Ok(());
        };
        let condition = single_iteration(cx, first.bounds);
        branch(cx, &group.crossing, condition, |cx, single| {
            if single {
                self.single.extend(group.loops.iter().map(|each| each.id));
            }
            for &id in &group.span {
                cx.set_origin(cx.from.op(id).origin);
                self.op(cx, id)?;
            }
            for each in &group.loops {
                self.single.remove(&each.id);
            }
            Ok(group.crossing.iter().map(|&value| cx.one(value)).collect())
        })?;
        self.done.extend(&group.span);
        Ok(())
    }

    /// The first iteration of a loop in place of it.
    fn once(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let TileAaOp::Scf(ScfOp::For {
            lower, inits, body, ..
        }) = &cx.old(id).kind
        else {
            return Ok(());
        };
        let Some(block) = cx.from.only_block(*body) else {
            return Ok(());
        };
        let args: Vec<Value> = std::iter::once(lower)
            .chain(inits)
            .map(|&value| cx.one(value))
            .collect();
        if let Some(values) = cx.inline(id, block, args, self)? {
            cx.bind_results(id, values);
        }
        Ok(())
    }
}

/// Whether a loop has a single iteration, as a scalar i1: its upper bound is above the lower one by at most a step.
fn single_iteration(cx: &mut Cx<'_>, bounds: Bounds) -> Value {
    let [lower, upper, step] = [bounds.lower, bounds.upper, bounds.step].map(|value| cx.one(value));
    // The facts of the upper bound do not hold for the distance.
    let ty = cx.from.ty(bounds.upper).bare();
    let lhs = compared(cx, upper, Predicate::Greater, lower);
    let op = ArithOp::SubI {
        lhs: upper,
        rhs: lower,
        overflow: Overflow::Wraps,
    };
    let distance = cx.value(op, ty);
    let rhs = compared(cx, distance, Predicate::LessEqual, step);
    cx.value(ArithOp::AndI { lhs, rhs }, ScalarType::I1.into())
}
