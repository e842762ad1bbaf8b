//! The iterations of loops, one after the other.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Body, OpId, Operation, SideTable, Successor, Value};
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp, Unrolling};

use super::MOST_OPS;
use super::candidates::Loop;
use super::trips::{Outside, Trips};
use crate::llvm::rewrite::Rewrite;
use crate::llvm::simplify::Simplify;

/// Copies a function with loops unrolled, and folds its ops on the way.
pub(super) struct Unroll<'a> {
    from: &'a Body<Llvm>,
    loops: &'a [Loop],
    /// The loop that has a block as its head.
    heads: SideTable<Block, usize>,
    /// The op that defines each old value, and the block where it is defined.
    definitions: SideTable<Value, OpId>,
    homes: SideTable<Value, Block>,
    fold: Simplify<'a>,
    /// Blocks that are written: those of the current iteration, and those of no loop.
    written: SideTable<Block, bool>,
    /// Loops that are about to be entered by a branch alone, which was left out.
    entered: FxHashMap<usize, (Trips, Edge)>,
    /// The loops being unrolled, the innermost last.
    active: Vec<Active>,
    /// Loops whose iterations are counted in the limit of one around them.
    counted: FxHashSet<usize>,
    changed: bool,
}

/// A branch that is not written: what comes next is written in the same block, for which it passes these values.
struct Edge {
    from: Block,
    args: Vec<Value>,
}

/// A loop being unrolled.
struct Active {
    at: usize,
    /// Whether this is its last iteration.
    last: bool,
    /// The branch back of this iteration.
    back: Option<Edge>,
}

impl<'a> Unroll<'a> {
    pub(super) fn new(from: &'a Body<Llvm>, loops: &'a [Loop]) -> Self {
        let mut heads = SideTable::new(0);
        for (at, one) in loops.iter().enumerate() {
            heads.set(one.head, at);
        }
        let mut homes = from.value_table();
        for &block in &from.region(from.root()).blocks {
            let data = from.block(block);
            let results = data.ops.iter().flat_map(|&id| from.op(id).results());
            for value in data.args.iter().copied().chain(results) {
                homes.set(value, block);
            }
        }
        Self {
            from,
            loops,
            heads,
            definitions: from.definitions(),
            homes,
            fold: Simplify::new(from),
            written: SideTable::new(0),
            entered: FxHashMap::default(),
            active: Vec::new(),
            counted: FxHashSet::default(),
            changed: false,
        }
    }

    /// Whether a loop was unrolled.
    pub(super) const fn changed(&self) -> bool {
        self.changed
    }

    /// The counters of a loop, evaluated where some of the values outside of these blocks are known.
    fn counters(&self, cx: &Rewrite<'_>, one: &Loop, inside: &FxHashSet<Block>) -> Option<Trips> {
        let literal = |value: Value| self.fold.literal(cx.new_value(value));
        let is_outside = |value: Value| {
            let home = self.homes.get(value);
            home.is_none_or(|home| !inside.contains(home))
        };
        let outside = Outside {
            is: &is_outside,
            literal: &literal,
        };
        let trips = Trips::of(self.from, &self.definitions, one, outside)?;
        let wanted = match one.unrolling(self.from) {
            Some(Unrolling::Full) => true,
            Some(Unrolling::Never) => false,
            None => one.indexes_arrays(self.from, &self.definitions, |value| trips.is_counter(value)),
        };
        wanted.then_some(trips)
    }

    /// The iterations of a loop that is to be unrolled where it is entered now.
    fn trips(&mut self, cx: &Rewrite<'_>, at: usize) -> Option<Trips> {
        let loops = self.loops;
        let one = loops.get(at)?;
        let trips = self.counters(cx, one, &one.inside)?;
        (self.counted.contains(&at) || self.fits(cx, at, &trips)).then_some(trips)
    }

    /// Whether the iterations of a loop, with those of the loops in it, are within the limit.
    fn fits(&mut self, cx: &Rewrite<'_>, at: usize, trips: &Trips) -> bool {
        let loops = self.loops;
        let Some(one) = loops.get(at) else { return false };
        let inner = loops.iter().enumerate();
        let inner: Vec<(usize, &Loop, Trips)> = inner
            .filter(|&(other, inner)| other != at && one.inside.contains(&inner.head))
            .filter_map(|(other, inner)| Some((other, inner, self.counters(cx, inner, &one.inside)?)))
            .collect();
        let mut known: FxHashSet<Value> = FxHashSet::default();
        for trips in inner.iter().map(|(.., trips)| trips).chain([trips]) {
            known.extend(trips.counters());
        }
        let mut ops = 0_usize;
        for &block in &one.blocks {
            let mut kept = 0_usize;
            for &id in &self.from.block(block).ops {
                let op = self.from.op(id);
                let mut folds = matches!(op.kind, LlvmOp::Arith(_));
                op.kind.operands(&mut |operand| {
                    let outside = self
                        .homes
                        .get(operand)
                        .is_none_or(|home| !one.inside.contains(home));
                    folds &= match outside {
                        true => self.fold.literal(cx.new_value(operand)).is_some(),
                        false => known.contains(&operand),
                    };
                });
                match folds {
                    true => known.extend(op.results()),
                    false => kept += 1,
                }
            }
            let around = inner.iter().filter(|(_, inner, _)| inner.inside.contains(&block));
            let times = around.map(|(.., trips)| trips.count()).chain([trips.count()]);
            ops = ops.saturating_add(times.fold(kept, usize::saturating_mul));
        }
        if ops > MOST_OPS {
            return false;
        }
        self.counted.extend(inner.into_iter().map(|(other, ..)| other));
        true
    }

    /// Writes blocks in reverse postorder.
    pub(super) fn list(&mut self, cx: &mut Rewrite<'_>, order: &[Block]) {
        for &block in order {
            if self.written.get(block) == Some(&true) {
                continue;
            }
            if let Some(&at) = self.heads.get(block) {
                if let Some((trips, edge)) = self.entered.remove(&at) {
                    self.iterations(cx, at, &trips, Some(edge));
                    continue;
                }
                if let Some(trips) = self.trips(cx, at) {
                    self.iterations(cx, at, &trips, None);
                    continue;
                }
            }
            cx.enter(block);
            self.block(cx, block);
        }
    }

    /// Writes a block at the current place, and those that are merged with it.
    fn block(&mut self, cx: &mut Rewrite<'_>, first: Block) {
        let mut next = Some(first);
        while let Some(block) = next.take() {
            self.written.set(block, true);
            for &id in &self.from.block(block).ops {
                cx.at(id);
                next = self.write(cx, id, block);
            }
        }
    }

    /// Writes an op; the old block that is merged with the current one by a branch is returned.
    fn write(&mut self, cx: &mut Rewrite<'_>, id: OpId, block: Block) -> Option<Block> {
        match &self.from.op(id).kind {
            LlvmOp::Llvm(LlvmDialect::Br { target }) => self.go(cx, block, target),
            LlvmOp::Llvm(LlvmDialect::CondBr {
                condition, yes, no, ..
            }) => {
                let loops = self.loops;
                let left = self.active.iter().rev().find_map(|active| {
                    let one = loops.get(active.at).filter(|one| one.exit == block)?;
                    Some((yes.block == one.after) == active.last)
                });
                let holds = || {
                    let literal = self.fold.literal(cx.new_value(*condition))?;
                    Some(literal.bits == 1)
                };
                match left.or_else(holds) {
                    Some(true) => self.go(cx, block, yes),
                    Some(false) => self.go(cx, block, no),
                    None => self.fold.write(cx, id),
                }
            }
            _ => self.fold.write(cx, id),
        }
    }

    /// Goes from an old block to another: to the first or the next iteration of a loop that is unrolled, or by a branch.
    fn go(&mut self, cx: &mut Rewrite<'_>, from: Block, target: &Successor) -> Option<Block> {
        let args: Vec<Value> = target.args.iter().map(|&value| cx.new_value(value)).collect();
        let edge = |args| Edge {
            from: cx.block(),
            args,
        };
        if let Some(&at) = self.heads.get(target.block) {
            if let Some(active) = self.active.iter_mut().find(|active| active.at == at) {
                active.back = Some(edge(args));
                return None;
            }
            let enters = self.loops.get(at).is_some_and(|one| one.before == from);
            if enters && let Some(trips) = self.trips(cx, at) {
                self.entered.insert(at, (trips, edge(args)));
                return None;
            }
        }
        let to = Rewrite::to(cx.new_block_of(target.block), args);
        self.fold.branch(cx, to, target.block)
    }

    /// Writes the iterations of a loop; without an edge, at its head's new block.
    fn iterations(&mut self, cx: &mut Rewrite<'_>, at: usize, trips: &Trips, entry: Option<Edge>) {
        let loops = self.loops;
        let Some(one) = loops.get(at) else { return };
        self.changed = true;
        self.active.push(Active {
            at,
            last: false,
            back: entry,
        });
        for iteration in 1..=trips.count() {
            let is_last = iteration == trips.count();
            let edge = self.active.last_mut().and_then(|active| {
                active.last = is_last;
                active.back.take()
            });
            one.blocks
                .iter()
                .for_each(|&block| self.written.set(block, false));
            if iteration > 1 {
                one.blocks.iter().skip(1).for_each(|&block| cx.renew(block));
            }
            match edge {
                Some(Edge { from, args }) => {
                    for (&arg, value) in self.from.block(one.head).args.iter().zip(args) {
                        cx.bind(arg, value);
                    }
                    cx.go_on_in(from);
                }
                None => {
                    cx.enter(one.head);
                    for (counter, literal) in trips.first() {
                        let value = self.fold.constant(cx, literal);
                        cx.bind(counter, value);
                    }
                }
            }
            self.block(cx, one.head);
            // A loop that is left where an iteration begins has nothing after that in the last one.
            if !is_last || one.exit != one.head {
                self.list(cx, one.blocks.get(1..).unwrap_or_default());
            }
        }
        self.active.pop();
        one.blocks.iter().for_each(|&block| self.written.set(block, true));
    }
}
