//! Coalescing: values that share a register, so that no move is needed between them.
//!
//! A value that an instruction updates in place shares the register of the result, and a block argument that of the
//! values that branches pass, unless two of them are live at once. Updates come first: the accumulators of asynchronous
//! matrix products must stay in their registers from one instruction to the next, around loops too, since a move between
//! the start of a product and its wait would read what is not there yet.

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
    liveness: &'a Liveness,
    defined: FxHashMap<Value, (Block, Point)>,
    last_use: FxHashMap<(Value, Block), Point>,
}

impl<'a> Ranges<'a> {
    fn of(body: &'a Body<Nvvm>, liveness: &'a Liveness) -> Self {
        let mut ranges = Self {
            body,
            liveness,
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
                let guarded = matches!(&op.kind, NvvmOp::Target(target) if target.guard.is_some());
                op.kind.operands(&mut |value| {
                    // The values for a false guard, and what is updated, are moved into the results' registers before
                    // the other operands are read.
                    let in_place = !guarded && updates.is_empty()
                        || updates.iter().any(|(updated, _)| *updated == value);
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
        if !ranges.same_class(a, b) {
            return;
        }
        let (to, from) = (self.set(a), self.set(b));
        if to == from {
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
pub(super) fn shared(
    body: &Body<Nvvm>,
    liveness: &Liveness,
    has_register: impl Fn(Value) -> bool,
) -> FxHashMap<Value, Value> {
    let ranges = Ranges::of(body, liveness);
    let mut sets = Sets::default();
    for (_, op) in body.ops() {
        for (value, result) in updates(&op.kind) {
            if has_register(value) {
                sets.join(op.result(result), value, &ranges);
            }
        }
    }
    for &block in &body.region(body.root()).blocks {
        let Some(last) = body.terminator(block) else {
            continue;
        };
        body.op(last).kind.successors(&mut |successor| {
            let args = &body.block(successor.block).args;
            for (&arg, &value) in args.iter().zip(&successor.args) {
                if has_register(value) {
                    sets.join(arg, value, &ranges);
                }
            }
        });
    }
    let mut shared = FxHashMap::default();
    for members in sets.members {
        if let Some(&first) = members.iter().min_by_key(|value| value.index()) {
            shared.extend(members.into_iter().map(|value| (value, first)));
        }
    }
    shared
}
