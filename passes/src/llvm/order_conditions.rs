//! Orders conjunctions, so that they share what they have in common.
//!
//! In and out: `llvm_like`. The mask of an access is a conjunction of `i1`s: of conditions of its own (of its row, say)
//! and of some that other accesses have too. In each block, the operands of the conjunctions are ordered by the number
//! of conjunctions that they occur in, the most frequent first, and each conjunction is a chain of `and`s that begins
//! with what another one has computed already. A block changes only if it gets fewer `and`s. ptxas recomputes
//! comparisons rather than keeping them, since a thread has seven predicate registers: with the common part in one of
//! them, each access costs one comparison that combines with it.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, Builder, Func, OpId, Operation, Origin, SideTable, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::element::ScalarType;
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};

use crate::cleanup::without_common_subexpressions;

const CONDITION: LlvmType = LlvmType::Scalar(ScalarType::I1);
/// Limit of the operands of a conjunction; one with more is an operand of its own in others.
const MAX_OPERANDS: usize = 16;

/// Orders the operands of conjunctions; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn order_conditions(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let body = &func.body;
    let used = used_otherwise(body);
    let ordered: Vec<(Block, Vec<Conjunction>)> = body
        .region(body.root())
        .blocks
        .iter()
        .filter_map(|&block| Some((block, conjunctions(body, block, &used)?)))
        .collect();
    if ordered.is_empty() {
        return Ok(func.clone());
    }
    let mut body = body.clone();
    for (block, conjunctions) in ordered {
        rebuild(&mut body, block, &conjunctions);
    }
    // A later block may compute a part that is a chain's now.
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: without_common_subexpressions(body).renumbered(),
    })
}

/// An `and` that is used by more than other `and`s of its block.
struct Conjunction {
    op: OpId,
    /// What it is a conjunction of, in the order of evaluation.
    operands: Vec<Value>,
}

/// The operands of an `and` of conditions.
fn and(op: &LlvmOp) -> Option<[Value; 2]> {
    match op {
        LlvmOp::Arith(ArithOp::AndI { lhs, rhs }) => Some([*lhs, *rhs]),
        _ => None,
    }
}

/// The `and`s of conditions of a block, in order, each with its result and operands.
fn ands(body: &Body<Llvm>, block: Block) -> impl Iterator<Item = (OpId, Value, [Value; 2])> + '_ {
    body.block(block).ops.iter().filter_map(|&id| {
        let op = body.op(id);
        let operands = and(&op.kind)?;
        let result = op.result(0);
        (*body.ty(result) == CONDITION).then_some((id, result, operands))
    })
}

/// The values that other ops use than `and`s of conditions in the block of their definition.
fn used_otherwise(body: &Body<Llvm>) -> SideTable<Value, ()> {
    let mut used = body.value_table();
    for &block in &body.region(body.root()).blocks {
        let here: FxHashSet<Value> = ands(body, block).map(|(_, result, _)| result).collect();
        for &id in &body.block(block).ops {
            let op = body.op(id);
            let conjunction = op.results().any(|result| here.contains(&result));
            op.kind.operands(&mut |operand| {
                if !conjunction || !here.contains(&operand) {
                    used.set(operand, ());
                }
            });
        }
    }
    used
}

/// The conjunctions of a block in a better order, if there is one.
fn conjunctions(body: &Body<Llvm>, block: Block, used: &SideTable<Value, ()>) -> Option<Vec<Conjunction>> {
    let mut operands: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    // Those whose parts are too many to be taken apart again.
    let mut whole: FxHashSet<Value> = FxHashSet::default();
    let mut parts: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    for (_, result, sides) in ands(body, block) {
        let mut all: Vec<Value> = Vec::new();
        for side in sides {
            for &operand in parts.get(&side).map_or(&[side][..], Vec::as_slice) {
                if !all.contains(&operand) {
                    all.push(operand);
                }
            }
        }
        if all.len() > MAX_OPERANDS {
            whole.insert(result);
        } else {
            parts.insert(result, all.clone());
        }
        operands.insert(result, all);
    }
    let before = operands.len();
    if before < 3 {
        return None;
    }
    let mut roots: Vec<Conjunction> = ands(body, block)
        .filter(|(_, result, _)| whole.contains(result) || used.get(*result).is_some())
        .filter_map(|(op, result, _)| {
            let operands = operands.remove(&result)?;
            Some(Conjunction { op, operands })
        })
        .collect();
    let mut frequency: FxHashMap<Value, usize> = FxHashMap::default();
    for &operand in roots.iter().flat_map(|root| &root.operands) {
        *frequency.entry(operand).or_default() += 1;
    }
    let mut prefixes: FxHashSet<&[Value]> = FxHashSet::default();
    for root in &mut roots {
        root.operands
            .sort_by_key(|operand| (std::cmp::Reverse(frequency.get(operand).copied()), *operand));
    }
    let mut count = 0;
    for root in &roots {
        let length = root.operands.len();
        count += (2..length)
            .filter(|&end| prefixes.insert(&root.operands[..end]))
            .count();
        // Its own `and` stays.
        count += 1;
    }
    (count < before).then_some(roots)
}

/// Replaces the `and`s of a block by the chains of its conjunctions.
fn rebuild(body: &mut Body<Llvm>, block: Block, conjunctions: &[Conjunction]) {
    let old = body.block(block).ops.clone();
    let replaced: FxHashSet<OpId> = ands(body, block).map(|(id, ..)| id).collect();
    let chains: FxHashMap<OpId, &[Value]> = conjunctions
        .iter()
        .map(|root| (root.op, root.operands.as_slice()))
        .collect();
    let mut known: FxHashMap<(Value, Value), Value> = FxHashMap::default();
    let mut new = Vec::with_capacity(old.len());
    for id in old {
        match chains.get(&id) {
            Some([first, between @ .., last]) => {
                let origin = body.op(id).origin;
                let mut lhs = *first;
                for &rhs in between {
                    lhs = *known.entry((lhs, rhs)).or_insert_with(|| {
                        let and = ArithOp::AndI { lhs, rhs };
                        let and = Builder::new(body, block, origin).op(and, [CONDITION]);
                        new.push(and);
                        body.op(and).result(0)
                    });
                }
                let rhs = *last;
                body.op_mut(id).kind = ArithOp::AndI { lhs, rhs }.into();
                known.entry((lhs, rhs)).or_insert(body.op(id).result(0));
                new.push(id);
            }
            // The conjunction of a condition with itself.
            Some(_) => new.push(id),
            None if replaced.contains(&id) => {}
            None => new.push(id),
        }
    }
    body.arrange_ops(block, new);
}
