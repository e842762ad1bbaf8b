//! Adds and multiplies the terms of a chain in pairs where the flag `reassoc` of each of its ops allows it.
//!
//! In and out: `llvm_like`. A chain is ops of one kind in one block, each the only use of the one before it. With four terms
//! or more, `((a + b) + c) + d` becomes `(a + b) + (c + d)`: the terms are combined as they come, always two results of as
//! many terms. Of n terms, about log2 n ops rather than n - 1 wait for each other, and no more than that many results are
//! live at a time. The number of ops stays.
//!
//! The error of a sum grows with the logarithm of the number of its terms rather than with that number.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Flag, Func, OpData, OpId, Origin, Value, reverse_postorder};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding};
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag};
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};

use super::rewrite::{Rewrite, Rewriter, Rewritten, rewrite};
use super::scalars::product_or_sum;
use crate::uses::use_counts;

/// The least number of ops in a chain that pairs make shorter.
const LEAST: usize = 3;

/// Balances chains; see [the module](self).
pub fn balance_sums(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    rewrite(func, &mut BalanceSums::of(&func.body))
}

/// What the ops of a chain have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    multiplies: bool,
    flush: Flag,
    ty: LlvmType,
}

/// The kind of an op that may be part of a chain, its operands and its flags.
fn link(body: &Body<Llvm>, op: &OpData<Llvm>) -> Option<(Kind, [Value; 2], FastMath)> {
    let (lhs, rhs, flush, fast_math, multiplies) = match op.kind {
        LlvmOp::Arith(ArithOp::AddF {
            lhs,
            rhs,
            rounding: FloatRounding::NearestEven,
            flush_to_zero,
            fast_math,
        }) => (lhs, rhs, flush_to_zero, fast_math, false),
        LlvmOp::Arith(ArithOp::MulF {
            lhs,
            rhs,
            rounding: FloatRounding::NearestEven,
            flush_to_zero,
            fast_math,
        }) => (lhs, rhs, flush_to_zero, fast_math, true),
        _ => return None,
    };
    let kind = Kind {
        multiplies,
        flush,
        ty: *body.ty(op.result(0)),
    };
    let flags = fast_math.get();
    flags
        .has(FastMathFlag::Reassociate)
        .then_some((kind, [lhs, rhs], flags))
}

/// A chain of ops.
struct Chain {
    kind: Kind,
    ops: Vec<OpId>,
    /// The flags that all ops have.
    flags: FastMath,
    /// The results so far that are still to be combined, each with the number of its terms.
    results: Vec<(usize, Value)>,
}

/// The place of an op in its chain.
#[derive(Clone, Copy)]
struct Place {
    chain: usize,
    /// The terms that it adds; the first op has two.
    terms: [Option<Value>; 2],
}

struct BalanceSums {
    chains: Vec<Chain>,
    places: FxHashMap<OpId, Place>,
}

impl BalanceSums {
    fn of(body: &Body<Llvm>) -> Self {
        let uses = use_counts(body);
        let mut pass = Self {
            chains: Vec::new(),
            places: FxHashMap::default(),
        };
        for &block in &reverse_postorder(body, body.root()) {
            // The chain that ends with a value.
            let mut ends: FxHashMap<Value, usize> = FxHashMap::default();
            for &id in &body.block(block).ops {
                let op = body.op(id);
                let Some((kind, [lhs, rhs], flags)) = link(body, op) else {
                    continue;
                };
                let continued = |value: Value, chains: &[Chain]| {
                    let &chain = ends.get(&value)?;
                    let fits = uses.get(value) == Some(&1) && chains.get(chain)?.kind == kind;
                    fits.then_some(chain)
                };
                let left = continued(lhs, &pass.chains).map(|chain| (chain, lhs, rhs));
                let found = left.or_else(|| continued(rhs, &pass.chains).map(|chain| (chain, rhs, lhs)));
                let (chain, terms) = match found {
                    Some((chain, before, term)) => {
                        ends.remove(&before);
                        (chain, [Some(term), None])
                    }
                    None => {
                        pass.chains.push(Chain {
                            kind,
                            ops: Vec::new(),
                            flags: FastMath::ALL,
                            results: Vec::new(),
                        });
                        (pass.chains.len() - 1, [Some(lhs), Some(rhs)])
                    }
                };
                let Some(data) = pass.chains.get_mut(chain) else {
                    continue;
                };
                data.ops.push(id);
                data.flags = data.flags.and(flags);
                ends.insert(op.result(0), chain);
                pass.places.insert(id, Place { chain, terms });
            }
        }
        pass
    }
}

impl Chain {
    /// Combines the last two results.
    fn combine(&mut self, cx: &mut Rewrite<'_>) {
        let (Some((right, rhs)), Some((left, lhs))) = (self.results.pop(), self.results.pop()) else {
            return;
        };
        let op = product_or_sum(self.kind.multiplies, [lhs, rhs], self.kind.flush, self.flags);
        self.results.push((left + right, cx.value(op, self.kind.ty)));
    }

    fn add(&mut self, cx: &mut Rewrite<'_>, term: Value) {
        self.results.push((1, cx.new_value(term)));
        while let [.., (left, _), (right, _)] = self.results.as_slice()
            && left == right
        {
            self.combine(cx);
        }
    }
}

impl Rewriter for BalanceSums {
    fn concerns(&self, body: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        link(body, op).is_some()
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        let place = self.places.get(&id).copied();
        let chain = place.and_then(|place| self.chains.get_mut(place.chain));
        let (Some(place), Some(chain)) = (place, chain.filter(|chain| chain.ops.len() >= LEAST)) else {
            cx.keep(id);
            return Ok(());
        };
        for term in place.terms.into_iter().flatten() {
            chain.add(cx, term);
        }
        if chain.ops.last() != Some(&id) {
            return Ok(());
        }
        while chain.results.len() > 1 {
            chain.combine(cx);
        }
        if let Some((_, value)) = chain.results.pop() {
            cx.bind(cx.old(id).result(0), value);
        }
        Ok(())
    }
}
