//! Values that share a register since an instruction updates it in place.
//!
//! The accumulators of asynchronous matrix products stay in their registers from one instruction to the next, around
//! loops too: a move between the start of a product and its wait would read what is not there yet. A value and the
//! result that takes its register share one, and so do these and the block arguments that they become, unless two of
//! them are live at once.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Block, Body, Entity, Operation, Value};
use tilewright_irs::isa::{OpResult, Visitor, Want};
use tilewright_irs::nvvm::{Instruction, Nvvm, NvvmDialect as N, NvvmOp};

use crate::nvvm::liveness::Liveness;

/// The sources that an op updates in place, each with the index of the result that takes its register.
pub(super) fn updates(op: &NvvmOp) -> Vec<(Value, usize)> {
    match op {
        NvvmOp::Nvvm(N::Hold { values }) => values.iter().copied().zip(0..).collect(),
        NvvmOp::Target(target) => updates_of(&target.instruction),
        NvvmOp::Nvvm(_) => Vec::new(),
    }
}

fn updates_of(instruction: &Instruction) -> Vec<(Value, usize)> {
    #[derive(Default)]
    struct Updates {
        results: usize,
        found: Vec<(Value, usize)>,
    }
    impl Visitor<Value> for Updates {
        fn write(&mut self, _: &OpResult, _: Want) {
            self.results += 1;
        }
        fn update(&mut self, value: &Value, _: Want) {
            self.found.push((*value, self.results));
            self.results += 1;
        }
    }
    let mut updates = Updates::default();
    instruction.visit(&mut updates);
    updates.found
}

/// A point of a block: twice the index of an op, plus one for sources that are read after results have been written.
/// The arguments of the block are at -1.
type Point = i64;

/// Where values of shared registers are defined and used.
struct Ranges<'a> {
    body: &'a Body<Nvvm>,
    liveness: Liveness,
    defined: FxHashMap<Value, (Block, Point)>,
    last_use: FxHashMap<(Value, Block), Point>,
}

impl<'a> Ranges<'a> {
    fn of(body: &'a Body<Nvvm>) -> Self {
        let mut ranges = Self {
            body,
            liveness: Liveness::of(body),
            defined: FxHashMap::default(),
            last_use: FxHashMap::default(),
        };
        for &block in &body.region(body.root()).blocks {
            let data = body.block(block);
            for &arg in &data.args {
                ranges.defined.insert(arg, (block, -1));
            }
            for (at, &id) in (0..).zip(&data.ops) {
                let op = body.op(id);
                for result in op.results() {
                    ranges.defined.insert(result, (block, 2 * at));
                }
                let updates = updates(&op.kind);
                op.kind.operands(&mut |value| {
                    // What is not updated is read while the results' registers are already written.
                    let in_place = updates.is_empty() || updates.iter().any(|(updated, _)| *updated == value);
                    let point = 2 * at + i64::from(!in_place);
                    let last = ranges.last_use.entry((value, block)).or_insert(point);
                    *last = (*last).max(point);
                });
            }
        }
        ranges
    }

    /// Whether `value` is read after the definition of `other`.
    fn is_live_at(&self, value: Value, other: Value) -> bool {
        let (Some(&(home, from)), Some(&(block, at))) = (self.defined.get(&value), self.defined.get(&other))
        else {
            return true;
        };
        if home == block && from > at {
            return false;
        }
        let used_later = self.last_use.get(&(value, block)).is_some_and(|&used| used > at);
        used_later || self.liveness.after(block).binary_search(&value).is_ok()
    }

    /// Whether both values are live at some point.
    fn interfere(&self, a: Value, b: Value) -> bool {
        a != b
            && (self.defined.get(&a) == self.defined.get(&b)
                || self.is_live_at(a, b)
                || self.is_live_at(b, a))
    }

    fn same_class(&self, a: Value, b: Value) -> bool {
        self.body.ty(a).class() == self.body.ty(b).class()
    }
}

/// Sets of values in one register.
#[derive(Default)]
struct Sets {
    members: Vec<Vec<Value>>,
    of: FxHashMap<Value, usize>,
}

impl Sets {
    fn set(&mut self, value: Value) -> usize {
        *self.of.entry(value).or_insert_with(|| {
            self.members.push(vec![value]);
            self.members.len() - 1
        })
    }

    /// Joins the sets of two values, unless some of their members interfere.
    fn join(&mut self, a: Value, b: Value, ranges: &Ranges<'_>) {
        let (to, from) = (self.set(a), self.set(b));
        if to == from || !ranges.same_class(a, b) {
            return;
        }
        let (left, right) = (&self.members[to], &self.members[from]);
        if left
            .iter()
            .any(|&one| right.iter().any(|&other| ranges.interfere(one, other)))
        {
            return;
        }
        let moved = std::mem::take(&mut self.members[from]);
        for &value in &moved {
            self.of.insert(value, to);
        }
        self.members[to].extend(moved);
    }
}

/// The values that share the register of another, which represents them; it maps to itself. `has_register` tells which
/// values have one.
pub(super) fn shared(body: &Body<Nvvm>, has_register: impl Fn(Value) -> bool) -> FxHashMap<Value, Value> {
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    for (_, op) in body.ops() {
        for (value, result) in updates(&op.kind) {
            pairs.push((value, op.result(result)));
        }
    }
    if pairs.is_empty() {
        return FxHashMap::default();
    }
    let ranges = Ranges::of(body);
    let mut sets = Sets::default();
    for (value, result) in pairs {
        sets.set(result);
        if has_register(value) {
            sets.join(result, value, &ranges);
        }
    }
    // The arguments of blocks, from one loop to the next.
    let mut grown = true;
    while grown {
        let before = sets.of.len();
        for &block in &body.region(body.root()).blocks {
            let Some(last) = body.terminator(block) else {
                continue;
            };
            body.op(last).kind.successors(&mut |successor| {
                let args = &body.block(successor.block).args;
                for (&arg, &value) in args.iter().zip(&successor.args) {
                    let concerned = sets.of.contains_key(&arg) || sets.of.contains_key(&value);
                    if concerned && has_register(value) {
                        sets.join(arg, value, &ranges);
                    }
                }
            });
        }
        grown = sets.of.len() > before;
    }
    let mut shared = FxHashMap::default();
    for members in sets.members {
        if let Some(&first) = members.iter().min_by_key(|value| value.index()) {
            shared.extend(members.into_iter().map(|value| (value, first)));
        }
    }
    shared
}
