//! Issues the loads of a loop one iteration ahead, into registers. `tileaa` to `tileaa`.
//!
//! In: any function with its number of warps. Out: the same program, where a counted loop whose body cannot be unrolled
//! carries what its next iteration loads:
//!
//! ```text
//! (the loads of the first iteration, at %lower)
//! scf.for %lower, %upper, %step, [..., %x0, %t0] body {
//! ^(%i: i32, ..., %x: tile<…>, %t: token):
//!   (the body, with %x instead of its loads, up to the last use of %x)
//!   %n = (the next counter; %i in the last iteration)
//!   (the loads at %n)
//!   (the rest of the body)
//!   scf.continue [..., %xn, %tn]
//! }
//! ```
//!
//! Where the last use of %x comes before the first reduction, scan or loop, as above, the registers of %x are free for %xn. Else the
//! loads at %n come first; ptxas then copies %xn to the registers of %x at the end of the iteration, and waits for it there.
//!
//! The loads of an iteration are thus under way while the one before reduces and stores. The last iteration loads its
//! own tiles again instead of ones that do not exist. Results do not change: only loads move, and
//! [only where tokens allow it](super::early_loads). If such a load may access memory without a check of its bounds, the
//! loop is put into a branch that is taken if there is an iteration.
//!
//! A loop is left alone if it contains a matrix product, whose loads go to shared memory; if it has nothing to wait for:
//! no reduction, scan or loop; if a branch may end an iteration early; or if the tiles do not fit into [`MAX_BYTES`] of each
//! thread's registers.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Flag, Func, OpId, Operation, Origin, Translate, Translated, Translation, Value, ValueType,
    translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};

use super::early_loads::{EarlyLoads, early_loads};
use super::persistent_loops::planned;
use crate::branches::branch;

/// The most bytes of a thread's registers for loads in flight.
pub(super) const MAX_BYTES: u64 = 128;

/// Issues loads one iteration ahead.
///
/// # Errors
/// None; the type is that of all passes.
pub fn prefetch_loads(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut pass = Prefetch {
        num_warps: func.attrs.num_warps.unwrap_or(1),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

struct Prefetch {
    num_warps: u32,
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

/// A loop whose loads are issued ahead.
struct Plan<'a> {
    lower: Value,
    upper: Value,
    step: Value,
    inits: &'a [Value],
    unsigned: Flag,
    block: Block,
    counter: Value,
    scalar: ScalarType,
    early: EarlyLoads,
    /// Whether the loads of the first iteration may access memory only if there is one.
    guarded: bool,
    /// The op of the body behind which the loads of the next iteration are issued; before all others if there is none.
    behind: Option<OpId>,
}

impl Translate<TileAa, TileAa> for Prefetch {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        match plan(cx, id, self.num_warps) {
            Some(plan) if plan.guarded => self.branch(cx, id, &plan),
            Some(plan) => {
                let inits = plan.inits.iter().map(|&init| cx.one(init)).collect();
                let values = self.ahead(cx, id, &plan, inits)?;
                cx.bind_results(id, values);
                Ok(())
            }
            None => cx.carry(id, &cx.old(id).kind, self),
        }
    }
}

/// Whether an op is a branch that may end the iteration of the loop around it.
fn ends_iteration(body: &Body<TileAa>, op: &TileAaOp) -> bool {
    let TileAaOp::Scf(ScfOp::If { then, otherwise, .. }) = op else {
        return false;
    };
    let blocks = [then, otherwise]
        .into_iter()
        .flat_map(|&region| &body.region(region).blocks);
    let mut ops = blocks
        .flat_map(|&block| &body.block(block).ops)
        .map(|&id| &body.op(id).kind);
    ops.any(|op| matches!(op, TileAaOp::Scf(ScfOp::Continue { .. })) || ends_iteration(body, op))
}

/// Whether all that a load accesses is checked against the array's bounds.
fn is_checked(op: &TileAaOp) -> bool {
    match op {
        TileAaOp::TileAa(TileAaDialect::Load { at, .. }) => at.inbounds.iter().all(|inside| !inside),
        TileAaOp::TileAa(TileAaDialect::GatherLoad { .. }) => false,
        _ => op.effects().is_speculatable(),
    }
}

fn plan<'a>(cx: &Cx<'a>, id: OpId, num_warps: u32) -> Option<Plan<'a>> {
    let TileAaOp::Scf(ScfOp::For {
        lower,
        upper,
        step,
        inits,
        unsigned,
        plan:
            LoopPlan {
                loads_ahead: Flag(false),
                serial: Flag(false),
                ..
            },
        body,
    }) = &cx.old(id).kind
    else {
        return None;
    };
    let from = cx.from;
    let block = from.only_block(*body)?;
    let inside = from.walk_region(*body);
    let any = |is: &dyn Fn(&TileAaOp) -> bool| inside.iter().any(|&id| is(&from.op(id).kind));
    let multiplies = any(&|op| matches!(op, TileAaOp::TileAa(TileAaDialect::Dot { .. })));
    if multiplies || !any(&waits) {
        return None;
    }
    let (last, ops) = from.block(block).ops.split_last()?;
    let continues = matches!(from.op(*last).kind, TileAaOp::Scf(ScfOp::Continue { .. }));
    if !continues || ops.iter().any(|&id| ends_iteration(from, &from.op(id).kind)) {
        return None;
    }
    let early = early_loads(from, block, num_warps)?;
    if early.held > MAX_BYTES {
        return None;
    }
    let (first, least) = (&from.ty(*lower).facts, &from.ty(*upper).facts);
    let runs = first.max.zip(least.min).is_some_and(|(first, end)| first < end);
    let counter = *from.block(block).args.first()?;
    Some(Plan {
        lower: *lower,
        upper: *upper,
        step: *step,
        inits,
        unsigned: *unsigned,
        block,
        counter,
        scalar: from.ty(counter).element().and_then(ElementType::scalar)?,
        guarded: !runs && !early.ops.iter().all(|&id| is_checked(&from.op(id).kind)),
        behind: last_use(from, ops, &early),
        early,
    })
}

/// Whether threads exchange numbers in an op, or go on to a loop.
fn waits(op: &TileAaOp) -> bool {
    matches!(
        op,
        TileAaOp::TileAa(TileAaDialect::Reduce { .. } | TileAaDialect::Scan { .. })
            | TileAaOp::Scf(ScfOp::For { .. } | ScfOp::Loop { .. })
    )
}

/// The last of the ops that uses what is loaded early, if it comes before the first op that waits.
fn last_use(body: &Body<TileAa>, ops: &[OpId], early: &EarlyLoads) -> Option<OpId> {
    let all = |id: OpId| {
        let regions = body.op(id).kind.region_list().into_iter();
        regions.flat_map(|region| body.walk_region(region)).chain([id])
    };
    let uses = |&id: &OpId| {
        let mut operands = all(id).flat_map(|id| body.op(id).kind.operand_list());
        operands.any(|value| early.loaded.contains(&value) && body.ty(value).kind != TileAaKind::Token)
    };
    let last = ops.iter().rposition(|id| !early.contains(*id) && uses(id))?;
    let first = ops
        .iter()
        .position(|&id| all(id).any(|id| waits(&body.op(id).kind)))?;
    ops.get(last).copied().filter(|_| last < first)
}

impl Prefetch {
    /// The loop in a branch that is taken if it has an iteration.
    fn branch(&mut self, cx: &mut Cx<'_>, id: OpId, plan: &Plan<'_>) -> Translated {
        let (lhs, rhs) = (cx.one(plan.lower), cx.one(plan.upper));
        let op = ArithOp::CmpI {
            lhs,
            rhs,
            predicate: Predicate::Less,
            signedness: signedness(plan),
        };
        let condition = cx.value(op, ScalarType::I1.into());
        let inits: Vec<Value> = plan.inits.iter().map(|&init| cx.one(init)).collect();
        let results: Vec<Value> = cx.old(id).results().collect();
        branch(cx, &results, condition, |cx, holds| match holds {
            true => self.ahead(cx, id, plan, inits.clone()),
            false => Ok(inits.clone()),
        })
    }

    /// The loop with its loads ahead; gives its results.
    fn ahead(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        plan: &Plan<'_>,
        mut inits: Vec<Value>,
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let (from, old) = (cx.from, cx.old(id));
        let own = inits.len();
        let (lower, upper, step) = (cx.one(plan.lower), cx.one(plan.upper), cx.one(plan.step));
        cx.bind(plan.counter, [lower]);
        self.loads(cx, plan)?;
        inits.extend(plan.early.loaded.iter().map(|&value| cx.one(value)));
        let body = cx.body_mut().add_region();
        let block = cx.body_mut().add_block(body);
        let args = from.block(plan.block).args.iter().chain(&plan.early.loaded);
        let args: Vec<Value> = args
            .map(|&value| {
                let ty = from.ty(value).clone();
                cx.body_mut().add_arg(block, ty)
            })
            .collect();
        let (counter, carried) = match args.split_first() {
            Some((counter, carried)) => (*counter, carried),
            None => return Ok(Vec::new()),
        };
        let (state, loaded) = carried.split_at_checked(own).unwrap_or((carried, &[]));
        cx.within(block, |cx| -> Translated {
            cx.set_origin(old.origin);
            let mut ahead = Vec::new();
            if plan.behind.is_none() {
                ahead = self.next_loads(cx, plan, (counter, upper, step))?;
            }
            // This iteration's loads were issued before; what else is computed from the counter is computed again.
            cx.bind(plan.counter, [counter]);
            for &id in &plan.early.ops {
                if !from
                    .op(id)
                    .results()
                    .any(|result| plan.early.loaded.contains(&result))
                {
                    cx.set_origin(from.op(id).origin);
                    self.op(cx, id)?;
                }
            }
            for (&value, &arg) in plan.early.loaded.iter().zip(loaded) {
                cx.bind(value, [arg]);
            }
            for (&arg, &value) in from.block(plan.block).args.iter().skip(1).zip(state) {
                cx.bind(arg, [value]);
            }
            for &id in &from.block(plan.block).ops {
                cx.set_origin(from.op(id).origin);
                if let TileAaOp::Scf(ScfOp::Continue { values }) = &from.op(id).kind {
                    let mut values: Vec<Value> = values.iter().map(|&value| cx.one(value)).collect();
                    values.extend(&ahead);
                    cx.build().effect(ScfOp::Continue { values });
                } else if !plan.early.contains(id) {
                    self.op(cx, id)?;
                    if plan.behind == Some(id) {
                        ahead = self.next_loads(cx, plan, (counter, upper, step))?;
                    }
                }
            }
            Ok(())
        })?;
        cx.set_origin(old.origin);
        let results = old.results().chain(plan.early.loaded.iter().copied());
        let types: Vec<TileAaType> = results.map(|value| from.ty(value).clone()).collect();
        let op = ScfOp::For {
            lower,
            upper,
            step,
            inits,
            unsigned: plan.unsigned,
            plan: planned(&old.kind).with_loads_ahead(),
            body,
        };
        let new = cx.build().op(op, types);
        Ok(cx.new_body().op(new).results().take(own).collect())
    }

    /// The loads of the next iteration; gives what they load. What is bound stays bound.
    fn next_loads(
        &mut self,
        cx: &mut Cx<'_>,
        plan: &Plan<'_>,
        at: (Value, Value, Value),
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let results = plan.early.ops.iter().flat_map(|&id| cx.old(id).results());
        let bound: Vec<(Value, Vec<Value>)> = results
            .chain([plan.counter])
            .map(|value| (value, cx.all(value).to_vec()))
            .collect();
        let next = next(cx, plan, at);
        cx.bind(plan.counter, [next]);
        self.loads(cx, plan)?;
        let loaded = plan.early.loaded.iter().map(|&value| cx.one(value)).collect();
        for (value, before) in bound {
            cx.bind(value, before);
        }
        Ok(loaded)
    }

    /// The early loads and what they need, at the counter that is bound.
    fn loads(&mut self, cx: &mut Cx<'_>, plan: &Plan<'_>) -> Translated {
        for &id in &plan.early.ops {
            cx.set_origin(cx.from.op(id).origin);
            self.op(cx, id)?;
        }
        Ok(())
    }
}

fn signedness(plan: &Plan<'_>) -> Signedness {
    match plan.unsigned {
        Flag(true) => Signedness::Unsigned,
        Flag(false) => Signedness::Signed,
    }
}

/// The counter of the next iteration; of this one, if it is the last.
fn next(cx: &mut Cx<'_>, plan: &Plan<'_>, (counter, upper, step): (Value, Value, Value)) -> Value {
    let ty: TileAaType = plan.scalar.into();
    let overflow = Overflow::Wraps;
    // The counter is less than the bound, so their distance is exact as an unsigned number.
    let (lhs, rhs) = (upper, counter);
    let distance = cx.value(ArithOp::SubI { lhs, rhs, overflow }, ty.clone());
    let op = ArithOp::CmpI {
        lhs: step,
        rhs: distance,
        predicate: Predicate::Less,
        signedness: Signedness::Unsigned,
    };
    let condition = cx.value(op, ScalarType::I1.into());
    let (lhs, rhs) = (counter, step);
    let yes = cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty);
    let op = ArithOp::Select {
        condition,
        yes,
        no: counter,
    };
    cx.value(op, cx.from.ty(plan.counter).clone())
}
