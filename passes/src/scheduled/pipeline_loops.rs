//! Software-pipelines loops by the stages of their ops. `scheduled` to `scheduled`.
//!
//! In: any function. Out: the same program, where a loop whose ops have stages (see
//! [`schedule_loops`](mod@super::schedule_loops)) executes stage 0 of an iteration together with stage 1 of the one before, in the
//! order of the `slot`s. With two stages,
//!
//! ```text
//! scf.for %lower, %upper, %step, [%init] body {
//! ^(%i: i32, %carried: …):
//!   (ops of stage 0, of stage 1)
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! %exists = arith.cmpi %lower, %upper {predicate = lt, …}
//! scf.if %exists then {
//!   (stage 0 of the first iteration)
//!   %second = arith.addi %lower, %step
//!   scf.for %second, %upper, %step, [%init, …] body {
//!   ^(%i: i32, %carried: …, (the values of stage 0 that stage 1 uses)):
//!     (stage 0 of this iteration and stage 1 of the one before, in order)
//!   }
//!   (stage 1 of the last iteration)
//! } else {
//!   (the loop as it was; with two stages it has no iterations)
//! }
//! ```
//!
//! without the branch where the number of iterations is known. Where ops of several stages of the loop take stages of one pipe, each
//! takes the next one in this order, and so does the other end of the pipe, whose loop has the same stages. Sometimes all stages but the last may also be executed for
//! iterations that do not exist, as when `cp.async` fills rings ahead. Then the loop runs for all iterations of the last stage,
//! without a branch and without an epilogue, and the copies of iterations that do not exist are masked (`extra`).
//!
//! Each wait for products or for groups of copies permits as many later ones in flight as are begun, in the new order, between
//! the awaited one and the wait.

mod extra;

use std::ops::RangeInclusive;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Func, OpId, Operation, Origin, Translate, Translated, Value, translate_func};
use tilewright_irs::dialects::pipe::PipeOp;
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, StagedLoop, uses};
use tilewright_irs::tileas::{TileAsDialect, TileAsType};

use super::loop_parts::{Cx, less, next, region};
use super::schedule_loops::trip_count;
use crate::branches::branch;
use crate::program_slice::Places;
use extra::{Extra, Masks, groups_in_flight};

/// Pipelines the loops of a function.
///
/// # Errors
/// Invalid stages, which the verifier refuses as well.
pub fn pipeline_loops(func: &Func<Scheduled>) -> Result<Func<Scheduled>, Vec<Diagnostic<Origin>>> {
    let mut loops: FxHashMap<OpId, StagedLoop> = FxHashMap::default();
    for (id, _) in func.body.ops() {
        let staged = StagedLoop::of(&func.body, id).map_err(|problem| vec![problem])?;
        // A loop with ops for another agent is not expanded yet.
        let whole = |staged: &StagedLoop| staged.ops.len() + 1 == func.body.block(staged.block).ops.len();
        loops.extend(staged.filter(whole).map(|staged| (id, staged)));
    }
    if loops.is_empty() {
        return Ok(func.clone());
    }
    let places = Places::of(&func.body);
    let mut used = FxHashSet::default();
    for (_, op) in func.body.ops() {
        used.extend(op.kind.operand_list());
    }
    let mut pass = Pipelining {
        func,
        places: &places,
        loops: &loops,
        used: &used,
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

struct Pipelining<'a> {
    func: &'a Func<Scheduled>,
    places: &'a Places<'a, Scheduled>,
    loops: &'a FxHashMap<OpId, StagedLoop>,
    /// All values that are operands of ops.
    used: &'a FxHashSet<Value>,
}

/// A value of the body that later steps need.
struct Kept {
    old: Value,
    /// For a loop-carried value, the value that the next iteration receives.
    next: Option<Value>,
    /// Its values from the last steps, the latest first; `None` for an iteration that does not exist.
    held: Vec<Option<Value>>,
}

/// Writes the steps of a loop, one after the other.
struct Steps<'a> {
    staged: &'a StagedLoop,
    counter: Value,
    kept: Vec<Kept>,
    /// For each wait, the number of groups of copies that are begun between the awaited ones and the wait.
    groups: FxHashMap<OpId, u32>,
}

/// Which iteration a step executes stage 0 of.
#[derive(Clone, Copy)]
enum Newest {
    /// The iteration with this counter; `None` if the step does not execute stage 0.
    At(Option<Value>),
    /// An iteration that may not exist.
    Extra(Extra),
}

impl<'a> Steps<'a> {
    /// `later` gives, for a loop-carried value by its position and stage, how many steps its results are kept at least.
    fn new(
        cx: &Cx<'_>,
        staged: &'a StagedLoop,
        counter: Value,
        inits: &[Value],
        later: impl Fn(usize, u32) -> usize,
    ) -> Self {
        let distances = staged.distances(cx.from);
        let distance = |value: Value| distances.get(&value).copied().unwrap_or(0) as usize;
        let mut kept = Vec::new();
        for (position, (carried, &init)) in staged.carried.iter().zip(inits).enumerate() {
            let distance = distance(carried.arg).max(later(position, carried.stage));
            kept.push(Kept {
                old: carried.arg,
                next: Some(carried.next),
                held: vec![Some(cx.one(init)); distance + 1],
            });
        }
        let results = staged.ops.iter().flat_map(|&(id, _)| cx.from.op(id).results());
        for value in [counter].into_iter().chain(results) {
            if distance(value) > 0 {
                kept.push(Kept {
                    old: value,
                    next: None,
                    held: vec![None; distance(value) + 1],
                });
            }
        }
        Self {
            staged,
            counter,
            kept,
            groups: groups_in_flight(cx.from, staged),
        }
    }

    /// Does not keep the counters of earlier steps, for a loop in which each step computes them.
    fn without_counter(mut self) -> Self {
        self.kept.retain(|kept| kept.old != self.counter);
        self
    }

    /// The values from the steps so far that later steps need.
    fn state(&self) -> Vec<Value> {
        let held = self.kept.iter().flat_map(|kept| kept.held.split_last());
        held.flat_map(|(_, held)| held.iter().copied().flatten())
            .collect()
    }

    /// Replaces the values of [`state`](Self::state), as by the arguments of a new block.
    fn set_state(&mut self, values: impl IntoIterator<Item = Value>) {
        let mut values = values.into_iter();
        for kept in &mut self.kept {
            if let Some((_, held)) = kept.held.split_last_mut() {
                held.iter_mut().for_each(|held| *held = values.next());
            }
        }
    }

    /// The loop-carried values as they were `back` steps before the last one; `back` takes the stage that computes a value.
    fn results(&self, back: impl Fn(u32) -> usize) -> Vec<Value> {
        let carried = self.kept.iter().zip(&self.staged.carried);
        let held = carried.filter_map(|(kept, carried)| {
            let held = kept.held.get(back(carried.stage)).or(kept.held.last());
            held.copied().flatten()
        });
        held.collect()
    }

    /// Writes a step that executes these stages, each for its iteration; `newest` is that of stage 0.
    fn step(
        &mut self,
        cx: &mut Cx<'_>,
        stages: &RangeInclusive<u32>,
        newest: Newest,
        pass: &mut Pipelining<'_>,
    ) -> Translated {
        let counter = match newest {
            Newest::At(counter) => counter,
            Newest::Extra(_) => None,
        };
        let mut masks = Masks::default();
        for kept in &mut self.kept {
            kept.held.rotate_right(1);
            let before = kept.held.get(1).copied().flatten();
            if let Some(latest) = kept.held.first_mut() {
                *latest = match kept.next {
                    // Until this step computes the next one.
                    Some(_) => before,
                    None if kept.old == self.counter => counter,
                    None => None,
                };
            }
        }
        cx.bind(self.counter, counter);
        let mut begun = 0;
        let mut products: FxHashMap<Value, u32> = FxHashMap::default();
        for &(id, stage) in self.staged.ops.iter().filter(|(_, stage)| stages.contains(stage)) {
            self.bind(cx, id, stage);
            let old = cx.old(id);
            cx.set_origin(old.origin);
            let mut exists = None;
            if let Newest::Extra(extra) = newest
                && extra::depends_on_iteration(cx.from, pass.places, id, self.counter)
            {
                let (at, mask) = masks.of(cx, extra, stage);
                cx.bind(self.counter, [at]);
                exists = mask;
            }
            match &old.kind {
                ScheduledOp::TileAs(TileAsDialect::Dot { .. }) => {
                    cx.carry(id, &old.kind, pass)?;
                    products.insert(cx.one(old.result(0)), begun);
                    begun += 1;
                }
                ScheduledOp::TileAs(TileAsDialect::DotWait { product, in_flight }) => {
                    let later = products.get(&cx.one(*product)).map(|&at| begun - 1 - at);
                    let wait = TileAsDialect::DotWait {
                        product: *product,
                        in_flight: later.unwrap_or(*in_flight),
                    };
                    cx.carry(id, &wait, pass)?;
                }
                ScheduledOp::Pipe(PipeOp::Wait { pipe, state, .. }) if self.groups.contains_key(&id) => {
                    let wait = PipeOp::Wait {
                        pipe: *pipe,
                        state: *state,
                        in_flight: match newest {
                            // Not all groups of these steps are begun.
                            Newest::At(None) => Some(0),
                            Newest::At(Some(_)) | Newest::Extra(_) => self.groups.get(&id).copied(),
                        },
                    };
                    cx.carry(id, &wait, pass)?;
                }
                kind => match exists {
                    Some(exists) => extra::masked(cx, id, exists, pass)?,
                    None => pass.carry(cx, id, kind)?,
                },
            }
            for result in old.results() {
                // Of states that are used in turn, each is the latest one.
                let turns = self.staged.turns.get(&result);
                let computes = |kept: &&mut Kept| {
                    kept.next.unwrap_or(kept.old) == result || turns.is_some_and(|&end| kept.old == end)
                };
                for kept in self.kept.iter_mut().filter(computes) {
                    if let Some(latest) = kept.held.first_mut() {
                        *latest = Some(cx.one(result));
                    }
                }
            }
        }
        Ok(())
    }

    /// Maps the operands of an op in a stage to the values of the iteration that the stage executes.
    fn bind(&self, cx: &mut Cx<'_>, id: OpId, stage: u32) {
        for value in uses(cx.from, id) {
            let Some(back) = self.staged.distance(value, stage, self.counter) else {
                continue;
            };
            let kept_as = self.staged.turns.get(&value).copied().unwrap_or(value);
            let kept = self.kept.iter().find(|kept| kept.old == kept_as);
            if let Some(&held) = kept.and_then(|kept| kept.held.get(back as usize)) {
                cx.bind(value, held);
            }
        }
    }
}

impl Pipelining<'_> {
    fn carry(&mut self, cx: &mut Cx<'_>, id: OpId, kind: &ScheduledOp) -> Translated {
        cx.carry(id, kind, self)
    }

    fn pipelined(&mut self, cx: &mut Cx<'_>, id: OpId, staged: &StagedLoop) -> Translated {
        let old = cx.old(id);
        let ScheduledOp::Scf(ScfOp::For {
            lower,
            upper,
            unsigned,
            ..
        }) = &old.kind
        else {
            return Ok(());
        };
        if staged.turns.is_empty() && extra::is_harmless(cx.from, self.places, staged) {
            let results = self.whole(cx, id, staged)?;
            cx.bind_results(id, results);
            return Ok(());
        }
        let ahead = u64::from(staged.stages - 1);
        match trip_count(self.func, self.places, id) {
            Some(count) if count < ahead => return self.carry(cx, id, &old.kind),
            Some(_) => {
                let results = self.steps(cx, id, staged)?;
                cx.bind_results(id, results);
                return Ok(());
            }
            None => {}
        }
        let mut last = cx.one(*lower);
        for _ in 1..ahead {
            last = self.after(cx, id, last);
        }
        let upper = cx.one(*upper);
        let exists = less(cx, last, upper, unsigned.0);
        let results: Vec<Value> = old.results().collect();
        branch(cx, &results, exists, |cx, holds| {
            if holds {
                return self.steps(cx, id, staged);
            }
            if let (1, ScheduledOp::Scf(ScfOp::For { inits, .. })) = (ahead, &old.kind) {
                return Ok(inits.iter().map(|&init| cx.one(init)).collect());
            }
            self.carry(cx, id, &old.kind)?;
            Ok(old.results().map(|result| cx.one(result)).collect())
        })
    }

    /// The counter of the next iteration.
    fn after(&self, cx: &mut Cx<'_>, id: OpId, counter: Value) -> Value {
        let ScheduledOp::Scf(ScfOp::For { step, .. }) = &cx.old(id).kind else {
            return counter;
        };
        let step = cx.one(*step);
        next(cx, counter, step)
    }

    /// Writes a loop that is known to have enough iterations to fill all stages but one: prologue, loop and epilogue. Returns its
    /// results.
    fn steps(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        staged: &StagedLoop,
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let old = cx.old(id);
        let ScheduledOp::Scf(ScfOp::For {
            lower, inits, plan, ..
        }) = &old.kind
        else {
            return Ok(Vec::new());
        };
        let Some(&counter) = cx.from.block(staged.block).args.first() else {
            return Ok(Vec::new());
        };
        let origin = cx.origin();
        let mut steps = Steps::new(cx, staged, counter, inits, |_, _| 0);
        let mut at = cx.one(*lower);
        for newest in 0..staged.stages - 1 {
            steps.step(cx, &(0..=newest), Newest::At(Some(at)), self)?;
            cx.set_origin(origin);
            at = self.after(cx, id, at);
        }
        self.steady(cx, id, &mut steps, (at, *plan), |counter| {
            Newest::At(Some(counter))
        })?;
        for oldest in 1..staged.stages {
            steps.step(cx, &(oldest..=staged.stages - 1), Newest::At(None), self)?;
        }
        cx.set_origin(origin);
        Ok(steps.results(|_| 0))
    }

    /// Writes the loop between prologue and epilogue, from this counter on; `newest` gives the iteration of stage 0 in a step from
    /// the loop's counter.
    fn steady(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        steps: &mut Steps<'_>,
        (lower, plan): (Value, LoopPlan),
        newest: impl FnOnce(Value) -> Newest,
    ) -> Translated {
        let ScheduledOp::Scf(ScfOp::For {
            upper,
            step,
            unsigned,
            ..
        }) = &cx.old(id).kind
        else {
            return Ok(());
        };
        let origin = cx.origin();
        let inits = steps.state();
        let types: Vec<TileAsType> = inits.iter().map(|&value| cx.ty(value).clone()).collect();
        let (body, block) = region(cx);
        let counter_type = cx.ty(lower).clone();
        let counter = cx.body_mut().add_arg(block, counter_type);
        let args: Vec<Value> = types
            .iter()
            .map(|ty| cx.body_mut().add_arg(block, ty.clone()))
            .collect();
        steps.set_state(args);
        let last = steps.staged.stages - 1;
        cx.within(block, |cx| -> Translated {
            steps.step(cx, &(0..=last), newest(counter), self)?;
            cx.set_origin(origin);
            let values = steps.state();
            cx.build().effect(ScfOp::Continue { values });
            Ok(())
        })?;
        let kernel = ScfOp::For {
            lower,
            upper: cx.one(*upper),
            step: cx.one(*step),
            inits,
            unsigned: *unsigned,
            plan,
            body,
        };
        let kernel = cx.build().op(kernel, types);
        let results: Vec<Value> = cx.new_body().op(kernel).results().collect();
        steps.set_state(results);
        Ok(())
    }

    /// Writes a loop over all iterations of the last stage; the other stages also run for iterations that do not exist. Returns
    /// its results.
    fn whole(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        staged: &StagedLoop,
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let old = cx.old(id);
        let ScheduledOp::Scf(ScfOp::For {
            lower,
            upper,
            step,
            inits,
            unsigned,
            body: _,
            plan,
        }) = &old.kind
        else {
            return Ok(Vec::new());
        };
        let Some(&counter) = cx.from.block(staged.block).args.first() else {
            return Ok(Vec::new());
        };
        let origin = cx.origin();
        // After the last iteration of the last stage, an earlier one has been executed for some that do not exist.
        let last = staged.stages - 1;
        let results: Vec<Value> = old.results().collect();
        let later = |position: usize, stage: u32| match results.get(position) {
            Some(result) if self.used.contains(result) => (last - stage) as usize + 1,
            _ => 0,
        };
        let mut steps = Steps::new(cx, staged, counter, inits, later).without_counter();
        let mut extra = Extra {
            counter: cx.one(*lower),
            upper: cx.one(*upper),
            step: cx.one(*step),
            unsigned: unsigned.0,
            ahead: 0,
            is_first: true,
        };
        for newest in 0..last {
            extra.ahead = newest;
            steps.step(cx, &(0..=newest), Newest::Extra(extra), self)?;
            cx.set_origin(origin);
        }
        let within = |counter: Value| {
            Newest::Extra(Extra {
                counter,
                ahead: last,
                is_first: false,
                ..extra
            })
        };
        self.steady(
            cx,
            id,
            &mut steps,
            (extra.counter, plan.with_loads_ahead()),
            within,
        )?;
        // The copies for iterations that do not exist write zeros to their stages until then.
        for (pipe, state) in extra::filled(cx.from, staged) {
            let kept = steps.kept.iter().find(|kept| kept.old == state);
            if let Some(&Some(state)) = kept.and_then(|kept| kept.held.first()) {
                let pipe = cx.one(pipe);
                cx.build().effect(PipeOp::Drain { pipe, state });
            }
        }
        Ok(steps.results(|stage| (last - stage) as usize))
    }
}

impl Translate<Scheduled, Scheduled> for Pipelining<'_> {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        match self.loops.get(&id) {
            Some(staged) => self.pipelined(cx, id, staged),
            None => self.carry(cx, id, &cx.old(id).kind),
        }
    }
}
