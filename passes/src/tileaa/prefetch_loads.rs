//! Issues the loads of a loop ahead of their iterations, into registers. `tileaa` to `tileaa`.
//!
//! In: any function with its number of warps. Out: the same program, where a counted loop in whose body something waits, a
//! reduction, scan or loop, carries what its next iteration loads:
//!
//! ```text
//! (the loads of the first iteration, at %lower)
//! scf.for %lower, %upper, %step, [..., %x0, %t0] body {
//! ^(%i: i32, ..., %x: tile<…>, %t: token):
//!   (the body, with %x instead of its load, up to the last use of %x)
//!   %n = (the next counter; %i in the last iteration)
//!   (the load at %n)
//!   (the rest of the body)
//!   scf.continue [..., %xn, %tn]
//! }
//! ```
//!
//! Where the last use of %x comes before the first op that waits, as above, the registers of %x are free for %xn. Else the
//! load at %n comes first; ptxas then copies %xn to the registers of %x at the end of the iteration, and waits for it there.
//!
//! The loads of an iteration are thus under way while the one before reduces and stores. Where these are
//! [too few bytes](super::loads_in_flight), and the first op that waits needs the tiles, and what is computed from them, last, the
//! body has several iterations. The tiles of all of them are then under way while one waits:
//!
//! ```text
//! (the loads of two iterations, at %lower and %lower + %step)
//! scf.for %lower, %even, 2 * %step, [..., %x0, %t0, %y0, %u0] body {
//! ^(%i: i32, ..., %x: tile<…>, %t: token, %y: tile<…>, %u: token):
//!   %n = (the next counter; %i in the last iteration)
//!   (the body with %x; behind the last use of it, the load at %n)
//!   (the body with %y; behind the last use of it, the load at %n + %step)
//!   scf.continue [..., %xn, %tn, %yn, %un]
//! }
//! (the loop as it was, from %even to %upper, with its loads one iteration ahead)
//! ```
//!
//! The last iteration of a loop loads its own tiles again instead of ones that do not exist. Results do not change: only loads
//! move, and [only where tokens allow it](super::early_loads). If such a load may access memory without a check of its bounds, the
//! loop is put into a branch that is taken if there is an iteration; so is one with several iterations in its body.
//!
//! A loop is left alone if it contains a matrix product, whose loads go to shared memory; if it has nothing to wait for, where
//! [`unroll_loops`](super::unroll_loops) suffices; if a branch may end an iteration early; or if the tiles do not fit into
//! [`MAX_DOUBLE_BYTES`] of each thread's registers. Its body has several iterations only if it consists of ops without control flow
//! other than weak loads and stores, and the loop is one that `unroll_loops` could unroll.

mod places;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Flag, Func, OpId, Operation, Origin, Translate, Translated, Translation, Value, ValueType,
    translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::machine::Machine;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp, TileAaType};

use super::counted_loops::CountedLoop;
use super::early_loads::{EarlyLoads, early_loads, is_reduction, is_weak_load_to_registers};
use super::loads_in_flight::{MAX_DOUBLE_BYTES, most_in_turn};
use super::persistent_loops::planned;
use super::unroll_loops::is_plain;
use crate::branches::branch;
use places::{Places, last_unissued_use, last_use, with_inner};

/// Issues loads ahead of their iterations.
///
/// # Errors
/// None; the type is that of all passes.
pub fn prefetch_loads(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut pass = Prefetch {
        num_warps: func.attrs.num_warps.unwrap_or(1),
        machine: Machine::of(func.attrs.target),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

struct Prefetch {
    num_warps: u32,
    machine: Machine,
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
    /// Whether the loop is known to have an iteration.
    runs: bool,
    /// Whether the loads of the first iteration may access memory even if there is none.
    speculatable: bool,
    /// Where the loads of the next iteration are issued.
    next: Places,
    /// The iterations in the body, if there are several, with the places of their loads.
    several: Option<(CountedLoop, u64, Places)>,
}

impl Translate<TileAa, TileAa> for Prefetch {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        match self.plan(cx, id) {
            Some(plan) => self.ahead(cx, id, &plan),
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

/// Whether threads exchange numbers in an op, or go on to a loop.
fn waits(op: &TileAaOp) -> bool {
    is_reduction(op) || matches!(op, TileAaOp::Scf(ScfOp::For { .. } | ScfOp::Loop { .. }))
}

/// The iterations of a loop that one iteration of a new loop executes.
struct Round<'a> {
    /// The loop; `None` if there is only one iteration.
    counted: Option<&'a CountedLoop>,
    copies: u64,
    /// Where the loads of the next round are issued.
    places: &'a Places,
}

impl Round<'_> {
    /// The counter of an iteration from that of the first.
    fn counter_of(&self, cx: &mut Cx<'_>, first: Value, copy: u64) -> Value {
        match self.counted {
            Some(counted) => counted.counter_of(cx, first, copy),
            None => first,
        }
    }
}

/// Between which values of the counter a loop goes on, and from what.
struct Course {
    lower: Value,
    upper: Value,
    step: Value,
    inits: Vec<Value>,
}

/// The loads of one later iteration, as far as they have been issued.
#[derive(Default)]
struct Next {
    /// The counter of that iteration.
    counter: Option<Value>,
    /// What the ops that have been emitted give.
    values: Vec<(Value, Value)>,
}

impl Prefetch {
    fn plan<'a>(&self, cx: &Cx<'a>, id: OpId) -> Option<Plan<'a>> {
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
        let early = early_loads(from, block, self.num_warps)?;
        if early.held > MAX_DOUBLE_BYTES {
            return None;
        }
        let (first, least) = (&from.ty(*lower).facts, &from.ty(*upper).facts);
        let runs = first.max.zip(least.min).is_some_and(|(first, end)| first < end);
        let counter = *from.block(block).args.first()?;
        let wait = ops
            .iter()
            .position(|&id| with_inner(from, id).any(|id| waits(&from.op(id).kind)))?;
        let last = |load| last_unissued_use(from, ops, &early, load);
        Some(Plan {
            lower: *lower,
            upper: *upper,
            step: *step,
            inits,
            unsigned: *unsigned,
            block,
            counter,
            scalar: from.ty(counter).element().and_then(ElementType::scalar)?,
            runs,
            speculatable: early.ops.iter().all(|&id| is_checked(&from.op(id).kind)),
            next: Places::of(from, ops, &early, |load| last(load).filter(|&last| last < wait)),
            several: self.several(from, id, ops, &early, wait),
            early,
        })
    }

    /// The iterations that are in a loop's body if there are several, with the places of their loads.
    fn several(
        &self,
        from: &Body<TileAa>,
        id: OpId,
        ops: &[OpId],
        early: &EarlyLoads,
        wait: usize,
    ) -> Option<(CountedLoop, u64, Places)> {
        let counted = CountedLoop::of(from, &from.op(id).kind)?;
        let is_plain = |&id: &OpId| is_plain(&from.op(id).kind) || is_reduction(&from.op(id).kind);
        let goes_on = |op: &TileAaOp| op.is_pure() && !is_reduction(op);
        let is_used_up = |&id: &OpId| {
            !is_weak_load_to_registers(&from.op(id).kind)
                || last_use(from, ops, id, goes_on).is_some_and(|last| last <= wait)
        };
        if !ops.iter().all(is_plain) || !early.ops.iter().all(is_used_up) {
            return None;
        }
        let all = ops.iter().flat_map(|&id| with_inner(from, id)).count();
        let copies = counted.at_once(most_in_turn(early, all, self.num_warps, &self.machine));
        let last = |load| last_unissued_use(from, ops, early, load);
        (copies > 1).then(|| (counted, copies, Places::of(from, ops, early, last)))
    }

    /// The loop with its loads ahead.
    fn ahead(&mut self, cx: &mut Cx<'_>, id: OpId, plan: &Plan<'_>) -> Translated {
        let whole = Course {
            lower: cx.one(plan.lower),
            upper: cx.one(plan.upper),
            step: cx.one(plan.step),
            inits: plan.inits.iter().map(|&init| cx.one(init)).collect(),
        };
        let one = Round {
            counted: None,
            copies: 1,
            places: &plan.next,
        };
        let Some((counted, copies, places)) = &plan.several else {
            let skippable = !plan.runs && !plan.speculatable;
            return self.rounds(cx, id, plan, &one, whole, skippable);
        };
        let round = Round {
            counted: Some(counted),
            copies: *copies,
            places,
        };
        if counted.trips == Some(*copies) {
            let loaded = self.first_loads(cx, plan, &round, whole.lower)?;
            let before = (whole.inits, loaded.as_slice());
            let (values, _) = self.iterations(cx, plan, &round, whole.lower, before, None)?;
            cx.bind_results(id, values);
            return Ok(());
        }
        let step = counted.step_of(cx, *copies);
        if counted.is_multiple_of(*copies) {
            return self.rounds(cx, id, plan, &round, Course { step, ..whole }, false);
        }
        // There are more iterations than copies, and a rest, if their number is known.
        let is_known = counted.trips.is_some();
        let even = counted.last_even(cx, *copies);
        let main = Course {
            upper: even,
            step,
            ..whole
        };
        self.rounds(cx, id, plan, &round, main, !is_known)?;
        let rest = Course {
            lower: even,
            upper: whole.upper,
            step: whole.step,
            inits: cx.old(id).results().map(|result| cx.one(result)).collect(),
        };
        self.rounds(cx, id, plan, &one, rest, !is_known && !plan.speculatable)
    }

    /// A loop that executes a round in each iteration, and binds its results; in a branch that is taken if it has an iteration, if it
    /// is to be skipped otherwise.
    fn rounds(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        plan: &Plan<'_>,
        round: &Round<'_>,
        course: Course,
        skippable: bool,
    ) -> Translated {
        if !skippable {
            let values = self.looped(cx, id, plan, round, &course)?;
            cx.bind_results(id, values);
            return Ok(());
        }
        let op = ArithOp::CmpI {
            lhs: course.lower,
            rhs: course.upper,
            predicate: Predicate::Less,
            signedness: signedness(plan),
        };
        let condition = cx.value(op, ScalarType::I1.into());
        let results: Vec<Value> = cx.old(id).results().collect();
        branch(cx, &results, condition, |cx, holds| match holds {
            true => self.looped(cx, id, plan, round, &course),
            false => Ok(course.inits.clone()),
        })
    }

    /// The loop, behind the loads of its first round; gives its results.
    fn looped(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        plan: &Plan<'_>,
        round: &Round<'_>,
        course: &Course,
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let (from, old) = (cx.from, cx.old(id));
        let &Course {
            lower, upper, step, ..
        } = course;
        let mut inits = course.inits.clone();
        let own = inits.len();
        inits.extend(self.first_loads(cx, plan, round, lower)?.into_iter().flatten());
        let body = cx.body_mut().add_region();
        let block = cx.body_mut().add_block(body);
        let loaded: Vec<Value> = (0..round.copies)
            .flat_map(|_| plan.early.loaded.clone())
            .collect();
        let args = from.block(plan.block).args.iter().chain(&loaded);
        let args: Vec<Value> = args
            .map(|&value| {
                let ty = from.ty(value).clone();
                cx.body_mut().add_arg(block, ty)
            })
            .collect();
        let Some((&counter, carried)) = args.split_first() else {
            return Ok(Vec::new());
        };
        let (state, tiles) = carried.split_at_checked(own).unwrap_or((carried, &[]));
        let tiles: Vec<Vec<Value>> = tiles
            .chunks(plan.early.loaded.len().max(1))
            .map(<[Value]>::to_vec)
            .collect();
        cx.within(block, |cx| -> Translated {
            let before = (state.to_vec(), tiles.as_slice());
            let (mut values, ahead) =
                self.iterations(cx, plan, round, counter, before, Some((upper, step)))?;
            values.extend(ahead);
            cx.build().effect(ScfOp::Continue { values });
            Ok(())
        })?;
        cx.set_origin(old.origin);
        let results = old.results().chain(loaded);
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

    /// The loads of a round whose first counter this is; gives what each iteration loads.
    fn first_loads(
        &mut self,
        cx: &mut Cx<'_>,
        plan: &Plan<'_>,
        round: &Round<'_>,
        first: Value,
    ) -> Result<Vec<Vec<Value>>, Diagnostic<Origin>> {
        let mut loaded = Vec::new();
        for copy in 0..round.copies {
            let counter = round.counter_of(cx, first, copy);
            cx.bind(plan.counter, [counter]);
            for &id in &plan.early.ops {
                cx.set_origin(cx.from.op(id).origin);
                self.op(cx, id)?;
            }
            loaded.push(plan.early.loaded.iter().map(|&value| cx.one(value)).collect());
        }
        Ok(loaded)
    }

    /// The iterations of a round, from what is carried to them and what they loaded, with the loads of the next round if the bound and
    /// the step of the rounds are given. Gives what is carried on, and what is loaded for the next round.
    fn iterations(
        &mut self,
        cx: &mut Cx<'_>,
        plan: &Plan<'_>,
        round: &Round<'_>,
        first: Value,
        (mut state, loaded): (Vec<Value>, &[Vec<Value>]),
        bounds: Option<(Value, Value)>,
    ) -> Result<(Vec<Value>, Vec<Value>), Diagnostic<Origin>> {
        let from = cx.from;
        let block = from.block(plan.block);
        let mut next_round = None;
        let mut ahead = Vec::new();
        for (copy, tiles) in (0..).zip(loaded) {
            let mut next = Next::default();
            let mut issue = |pass: &mut Self, cx: &mut Cx<'_>, ids: &[OpId]| -> Translated {
                let Some((upper, step)) = bounds.filter(|_| !ids.is_empty()) else {
                    return Ok(());
                };
                let base = *next_round.get_or_insert_with(|| next_counter(cx, plan, (first, upper, step)));
                let counter = *next
                    .counter
                    .get_or_insert_with(|| round.counter_of(cx, base, copy));
                pass.issue(cx, plan, ids, counter, &mut next.values)
            };
            cx.set_origin(block.ops.last().map_or(cx.origin(), |&id| from.op(id).origin));
            let counter = round.counter_of(cx, first, copy);
            issue(self, cx, &round.places.first)?;
            // This iteration's loads were issued before; what else is computed from the counter is computed again.
            cx.bind(plan.counter, [counter]);
            for &id in &plan.early.ops {
                let is_loaded = |result| plan.early.loaded.contains(&result);
                if !from.op(id).results().any(is_loaded) {
                    cx.set_origin(from.op(id).origin);
                    self.op(cx, id)?;
                }
            }
            for (&value, &tile) in plan.early.loaded.iter().zip(tiles) {
                cx.bind(value, [tile]);
            }
            for (&arg, &value) in block.args.iter().skip(1).zip(&state) {
                cx.bind(arg, [value]);
            }
            for &id in &block.ops {
                cx.set_origin(from.op(id).origin);
                if let TileAaOp::Scf(ScfOp::Continue { values }) = &from.op(id).kind {
                    state = values.iter().map(|&value| cx.one(value)).collect();
                } else if !plan.early.contains(id) {
                    self.op(cx, id)?;
                    if let Some(ids) = round.places.behind.get(&id) {
                        issue(self, cx, ids)?;
                    }
                }
            }
            let issued = plan.early.loaded.iter().filter_map(|value| {
                let mut values = next.values.iter();
                values.find(|(old, _)| old == value).map(|&(_, new)| new)
            });
            ahead.extend(issued);
        }
        Ok((state, ahead))
    }

    /// Some of the loads of a later iteration, after those that were issued before. What is bound stays bound.
    fn issue(
        &mut self,
        cx: &mut Cx<'_>,
        plan: &Plan<'_>,
        ids: &[OpId],
        counter: Value,
        issued: &mut Vec<(Value, Value)>,
    ) -> Translated {
        let from = cx.from;
        let results = plan.early.ops.iter().flat_map(|&id| from.op(id).results());
        let bound: Vec<(Value, Vec<Value>)> = results
            .chain([plan.counter])
            .map(|value| (value, cx.all(value).to_vec()))
            .collect();
        cx.bind(plan.counter, [counter]);
        for &(old, new) in &*issued {
            cx.bind(old, [new]);
        }
        for &id in ids {
            cx.set_origin(from.op(id).origin);
            self.op(cx, id)?;
            issued.extend(from.op(id).results().map(|result| (result, cx.one(result))));
        }
        for (value, before) in bound {
            cx.bind(value, before);
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

/// The first counter of the next round; of this one, if it is the last.
fn next_counter(cx: &mut Cx<'_>, plan: &Plan<'_>, (counter, upper, step): (Value, Value, Value)) -> Value {
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
