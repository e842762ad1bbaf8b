//! Unrolls loops so that the loads of several iterations are in flight together. `tileaa` to `tileaa`.
//!
//! In: any function with its number of warps. Out: the same program, where a counted loop over memory has several
//! iterations in its body, the loads of all of them first:
//!
//! ```text
//! scf.for %lower, %upper, 1, [%sum] body {          scf.for %lower, %even, 4, [%sum] body {
//! ^(%i: i32, %s: tile<…>):                          ^(%i: i32, %s: tile<…>):
//!   %x, %t = tileaa.load %m, [%i], after %k           (four loads, at %i, %i + 1, %i + 2, %i + 3)
//!   %r = arith.addf %s, %x                            (four sums, one after another)
//!   scf.continue [%r]                                 scf.continue [%r3]
//! }                                                 }
//!                                                   (the loop as it was, from %even to %upper)
//! ```
//!
//! A memory-bound loop with one load in its body waits for memory once an iteration. Results do not change: only loads
//! move, and [only where tokens allow it](super::early_loads).
//!
//! A loop is unrolled if
//!
//! - its body consists of pure ops, weak loads and weak stores, without control flow, products, and reductions, for which
//!   [`prefetch_loads`](super::prefetch_loads) is;
//! - its step is a positive constant, its counter is signed, and its lower bound is not negative;
//! - two iterations of its loads [fit](super::loads_in_flight) into registers.
//!
//! A loop with a constant number of iterations that fits is replaced by them. The rest of a loop with more than [`MAX_COPIES`]
//! iterations in its body is unrolled again.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Flag, Func, OpId, Operation, Origin, Region, Translate, Translated, Translation, Value,
    translate_func,
};
use tilewright_irs::dialects::arith::Predicate;
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp, TileAaType};

use super::counted_loops::CountedLoop;
use super::early_loads::{EarlyLoads, early_loads, is_weak_load_to_registers};
use super::loads_in_flight::{MAX_COPIES, most_together};
use super::persistent_loops::planned;
use crate::branches::branch;
use crate::scalars::compared;

/// Unrolls loops over memory.
///
/// # Errors
/// None; the type is that of all passes.
pub fn unroll_loops(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut pass = Unroll {
        num_warps: func.attrs.num_warps.unwrap_or(1),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

struct Unroll {
    num_warps: u32,
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

/// A loop that is unrolled.
struct Plan<'a> {
    lower: Value,
    upper: Value,
    step: Value,
    inits: &'a [Value],
    body: Region,
    block: Block,
    counter: Value,
    counted: CountedLoop,
    early: EarlyLoads,
    /// Iterations in the new body.
    copies: u64,
}

impl Translate<TileAa, TileAa> for Unroll {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        match plan(cx, id, self.num_warps) {
            Some(plan) => self.unrolled(cx, id, &plan),
            None => cx.carry(id, &cx.old(id).kind, self),
        }
    }
}

/// Whether an op may be in the body of a loop that is unrolled.
pub(super) fn is_plain(op: &TileAaOp) -> bool {
    let product = matches!(op, TileAaOp::TileAa(TileAaDialect::Dot { .. }));
    (op.is_pure() && !product && op.region_list().is_empty()) || is_weak_load_to_registers(op) || is_store(op)
}

/// Whether an op is a weak store.
fn is_store(op: &TileAaOp) -> bool {
    matches!(
        op,
        TileAaOp::TileAa(TileAaDialect::Store { ordering, .. } | TileAaDialect::ScatterStore { ordering, .. })
            if ordering.is_weak()
    )
}

fn plan<'a>(cx: &Cx<'a>, id: OpId, num_warps: u32) -> Option<Plan<'a>> {
    let op = &cx.old(id).kind;
    let TileAaOp::Scf(ScfOp::For {
        lower,
        upper,
        step,
        inits,
        plan:
            LoopPlan {
                loads_ahead: Flag(false),
                serial: Flag(false),
                ..
            },
        body,
        ..
    }) = op
    else {
        return None;
    };
    let block = cx.from.only_block(*body)?;
    let (last, ops) = cx.from.block(block).ops.split_last()?;
    let ends = matches!(cx.from.op(*last).kind, TileAaOp::Scf(ScfOp::Continue { .. }));
    if !ends || !ops.iter().all(|&id| is_plain(&cx.from.op(id).kind)) {
        return None;
    }
    let counted = CountedLoop::of(cx.from, op)?;
    let early = early_loads(cx.from, block, num_warps)?;
    let stores = ops.iter().any(|&id| is_store(&cx.from.op(id).kind));
    let copies = counted.at_once(most_together(&early, ops.len(), stores));
    (copies >= 2).then_some(Plan {
        lower: *lower,
        upper: *upper,
        step: *step,
        inits,
        body: *body,
        block,
        counter: *cx.from.block(block).args.first()?,
        counted,
        early,
        copies,
    })
}

impl Unroll {
    fn unrolled(&mut self, cx: &mut Cx<'_>, id: OpId, plan: &Plan<'_>) -> Translated {
        let mut values: Vec<Value> = plan.inits.iter().map(|&init| cx.one(init)).collect();
        let lower = cx.one(plan.lower);
        if plan.counted.trips == Some(plan.copies) {
            let values = self.iterations(cx, plan, plan.copies, lower, values)?;
            cx.bind_results(id, values);
            return Ok(());
        }
        if plan.counted.is_multiple_of(plan.copies) {
            let upper = cx.one(plan.upper);
            let values = self.copied(cx, id, plan, plan.copies, (lower, upper), values)?;
            cx.bind_results(id, values);
            return Ok(());
        }
        let even = plan.counted.last_even(cx, plan.copies.min(MAX_COPIES));
        if plan.copies > MAX_COPIES {
            // One comparison for loops of few iterations.
            let condition = compared(cx, even, Predicate::Greater, lower);
            let results: Vec<Value> = cx.old(id).results().collect();
            branch(cx, &results, condition, |cx, holds| match holds {
                true => {
                    let most = plan.counted.last_even(cx, plan.copies);
                    let values = self.copied(cx, id, plan, plan.copies, (lower, most), values.clone())?;
                    self.copied(cx, id, plan, MAX_COPIES, (most, even), values)
                }
                false => Ok(values.clone()),
            })?;
            values = results.into_iter().map(|result| cx.one(result)).collect();
        } else {
            values = self.copied(cx, id, plan, plan.copies, (lower, even), values)?;
        }
        // The rest.
        let region = cx.region(plan.body, self)?;
        let (upper, step) = (cx.one(plan.upper), cx.one(plan.step));
        let values = self.write(cx, id, (even, upper, step), values, region);
        cx.bind_results(id, values);
        Ok(())
    }

    /// A loop with so many iterations in its body.
    fn copied(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        plan: &Plan<'_>,
        copies: u64,
        (lower, upper): (Value, Value),
        inits: Vec<Value>,
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let origin = cx.old(id).origin;
        let region = cx.body_mut().add_region();
        let block = cx.body_mut().add_block(region);
        let types: Vec<TileAaType> = cx
            .from
            .block(plan.block)
            .args
            .iter()
            .map(|&arg| cx.from.ty(arg).clone())
            .collect();
        let args: Vec<Value> = types
            .into_iter()
            .map(|ty| cx.body_mut().add_arg(block, ty))
            .collect();
        let Some((&counter, carried)) = args.split_first() else {
            return Ok(inits);
        };
        let carried = carried.to_vec();
        let step = plan.counted.step_of(cx, copies);
        cx.within(block, |cx| -> Translated {
            let values = self.iterations(cx, plan, copies, counter, carried)?;
            cx.set_origin(origin);
            cx.build().effect(ScfOp::Continue { values });
            Ok(())
        })?;
        Ok(self.write(cx, id, (lower, upper, step), inits, region))
    }

    /// Writes a loop with the results of an old one.
    fn write(
        &self,
        cx: &mut Cx<'_>,
        id: OpId,
        (lower, upper, step): (Value, Value, Value),
        inits: Vec<Value>,
        body: Region,
    ) -> Vec<Value> {
        let old = cx.old(id);
        cx.set_origin(old.origin);
        let types: Vec<TileAaType> = old.results().map(|result| cx.from.ty(result).clone()).collect();
        let unsigned = Flag(false);
        let op = ScfOp::For {
            lower,
            upper,
            step,
            inits,
            unsigned,
            plan: planned(&old.kind).with_loads_ahead(),
            body,
        };
        let new = cx.build().op(op, types);
        cx.new_body().op(new).results().collect()
    }

    /// So many iterations of a body from a counter on: their loads, then the rest of each. Gives the values that the last one
    /// carries on.
    fn iterations(
        &mut self,
        cx: &mut Cx<'_>,
        plan: &Plan<'_>,
        count: u64,
        first: Value,
        carried: Vec<Value>,
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let from = cx.from;
        let ops = &from.block(plan.block).ops;
        let args = from.block(plan.block).args.iter().skip(1);
        let mut copies = Vec::new();
        for copy in 0..count {
            let counter = plan.counted.counter_of(cx, first, copy);
            cx.bind(plan.counter, [counter]);
            for &id in &plan.early.ops {
                cx.set_origin(from.op(id).origin);
                self.op(cx, id)?;
            }
            let early = plan.early.ops.iter().flat_map(|&id| from.op(id).results());
            copies.push((counter, early.map(|old| (old, cx.one(old))).collect::<Vec<_>>()));
        }
        let mut carried = carried;
        for (counter, early) in copies {
            cx.bind(plan.counter, [counter]);
            for (old, new) in early {
                cx.bind(old, [new]);
            }
            for (&arg, &value) in args.clone().zip(&carried) {
                cx.bind(arg, [value]);
            }
            for &id in ops {
                if let TileAaOp::Scf(ScfOp::Continue { values }) = &from.op(id).kind {
                    carried = values.iter().map(|&value| cx.one(value)).collect();
                } else if !plan.early.contains(id) {
                    cx.set_origin(from.op(id).origin);
                    self.op(cx, id)?;
                }
            }
        }
        Ok(carried)
    }
}
