//! The number of iterations of a loop.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, OpId, Operation, SideTable, Successor, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::folding::fold;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Llvm, LlvmOp};

use super::MOST_OPS;
use super::candidates::Loop;

/// What is known of the iterations of a loop.
pub(super) struct Trips {
    /// The counters, which are the arguments of the block where an iteration begins on which the condition depends, and what they
    /// are in the first iteration.
    first: FxHashMap<Value, Literal>,
    count: usize,
}

/// What is known of the values that are defined outside of a loop.
#[derive(Clone, Copy)]
pub(super) struct Outside<'a> {
    /// Whether a value is defined there.
    pub(super) is: &'a dyn Fn(Value) -> bool,
    /// The constant that one of these values is, if it is one.
    pub(super) literal: &'a dyn Fn(Value) -> Option<Literal>,
}

/// Limit of the ops between a counter and the condition.
const MOST_DEPTH: usize = 64;

impl Trips {
    /// Counts the iterations of a loop; `None` if their number is not known, or more than can be unrolled.
    pub(super) fn of(
        body: &Body<Llvm>,
        definitions: &SideTable<Value, OpId>,
        one: &Loop,
        outside: Outside<'_>,
    ) -> Option<Self> {
        let (condition, leaves) = one.condition(body)?;
        let args = &body.block(one.head).args;
        let passed = |from| {
            let mut found = None;
            body.op(body.terminator(from)?)
                .kind
                .successors(&mut |successor: &Successor| {
                    if successor.block == one.head {
                        found = Some(successor.args.clone());
                    }
                });
            let values: Vec<Value> = found?;
            let passed: FxHashMap<Value, Value> = args.iter().copied().zip(values).collect();
            Some(passed)
        };
        let (first, next) = (passed(one.before)?, passed(one.latch)?);
        let mut known = Known {
            body,
            definitions,
            outside,
            known: FxHashMap::default(),
        };
        // The arguments on which the condition depends, by way of earlier iterations too.
        let mut counters = Vec::new();
        let mut open = vec![condition];
        while let Some(value) = open.pop() {
            for arg in known.leaves(value)? {
                if !counters.contains(&arg) {
                    counters.push(arg);
                    open.push(*next.get(&arg)?);
                }
            }
        }
        let mut start = FxHashMap::default();
        for &counter in &counters {
            start.insert(counter, known.value(*first.get(&counter)?, 0)?);
        }
        known.known.clone_from(&start);
        for count in 1..=MOST_OPS {
            if (known.value(condition, 0)?.bits == 1) == leaves {
                return Some(Self { first: start, count });
            }
            let mut after = FxHashMap::default();
            for &counter in &counters {
                after.insert(counter, known.value(*next.get(&counter)?, 0)?);
            }
            known.known = after;
        }
        None
    }

    /// The number of iterations; of a loop that is left where an iteration begins, with the last one that leaves it there.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// The counters in the first iteration.
    pub(super) fn first(&self) -> impl Iterator<Item = (Value, Literal)> {
        self.first.iter().map(|(&counter, &literal)| (counter, literal))
    }

    /// The counters.
    pub(super) fn counters(&self) -> impl Iterator<Item = Value> {
        self.first.keys().copied()
    }

    /// Whether a value is a counter.
    pub(super) fn is_counter(&self, value: Value) -> bool {
        self.first.contains_key(&value)
    }
}

/// Values that are computed from constants.
struct Known<'a> {
    body: &'a Body<Llvm>,
    definitions: &'a SideTable<Value, OpId>,
    outside: Outside<'a>,
    /// The counters.
    known: FxHashMap<Value, Literal>,
}

impl Known<'_> {
    fn definition(&self, value: Value) -> Option<&ArithOp> {
        match &self.body.op(*self.definitions.get(value)?).kind {
            LlvmOp::Arith(op) => Some(op),
            LlvmOp::Math(_) | LlvmOp::Llvm(_) | LlvmOp::Target(_) => None,
        }
    }

    /// The arguments of blocks in the loop from which arithmetic computes a value; `None` if something else does.
    fn leaves(&self, value: Value) -> Option<Vec<Value>> {
        let mut leaves = Vec::new();
        let mut open = vec![value];
        let mut steps = 0;
        while let Some(value) = open.pop() {
            steps += 1;
            if steps > MOST_DEPTH {
                return None;
            }
            if (self.outside.is)(value) {
                (self.outside.literal)(value)?;
                continue;
            }
            if self.definitions.get(value).is_none() {
                leaves.push(value);
                continue;
            }
            open.extend(self.definition(value)?.operand_list());
        }
        Some(leaves)
    }

    fn value(&self, value: Value, depth: usize) -> Option<Literal> {
        if let Some(&literal) = self.known.get(&value) {
            return Some(literal);
        }
        if (self.outside.is)(value) {
            return (self.outside.literal)(value);
        }
        let op = self.definition(value)?;
        if let ArithOp::Constant {
            value: Dense::Splat(literal),
        } = op
        {
            return Some(*literal);
        }
        if depth > MOST_DEPTH {
            return None;
        }
        let operands = op.operand_list();
        let operands: Option<Vec<Literal>> = operands
            .iter()
            .map(|&operand| self.value(operand, depth + 1))
            .collect();
        fold(op, &operands?, self.body.ty(value).scalar()?)
    }
}
