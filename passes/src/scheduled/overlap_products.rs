//! Keeps the products of a loop in flight until the next ones have begun. `scheduled` to `scheduled`.
//!
//! In: any function. Out: the same program, where a loop that only accumulates products of the stages of pipes waits for the
//! product of an iteration, and releases the stages that it reads, when the product of the next iteration has begun:
//!
//! ```text
//! scf.for %lower, %upper, %step, [%acc, %state] body {
//! ^(%i: i32, %sum: tile<…>, %at: pipe_state<6>):
//!   %a, %b, %token = pipe.wait %pipe, %at : …
//!   %next = pipe.advance %at : …
//!   %begun = tileas.dot %a, %b, %sum : pending<tile<…>>
//!   %product = tileas.dot_wait %begun {in_flight = 0} : tile<…>
//!   pipe.release %token
//!   scf.continue [%product, %next]
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! scf.if (there is an iteration) then {
//!   %a, %b, %token = pipe.wait … ; the first product, %begun
//!   scf.for (the other iterations), [%begun, %token, …] body {
//!   ^(%i: i32, %before: pending<tile<…>>, %held: pipe_token<…>, …):
//!     %a, %b, %token = pipe.wait …
//!     %begun = tileas.dot %a, %b, %before : pending<tile<…>>
//!     tileas.dot_wait %before {in_flight = 1}
//!     pipe.release %held
//!     scf.continue [%begun, %token, …]
//!   }
//!   tileas.dot_wait … {in_flight = 0} ; pipe.release …
//! }
//! ```
//!
//! without the branch where the number of iterations is known. So the tensor cores have the next product before they are done with
//! one (CUTLASS's main loops do the same). An iteration may begin several products, before it waits for any: all of them are then
//! under way until those of the next one have begun. A stage is held for one iteration longer, which a ring of fewer than
//! [`HELD_STAGES`] cannot spare.
//!
//! The agent may also fill rings for later iterations by itself (`cp.async`), and read the stage of one that it has waited for in the
//! iteration before. What it does for that after it has released its stages stays there, while the next product is under way.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Func, OpId, Operation, Origin, Translate, Translated, Value, translate_func,
};
use tilewright_irs::dialects::pipe::{PipeOp, PipeType, PipeValue};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::{TileAsDialect, TileAsType};

use super::loop_parts::{Cx, less, next, region};
use super::schedule_loops::{HELD_STAGES, trip_count};
use crate::branches::branch;
use crate::program_slice::Places;

/// Overlaps the products of the loops of a function.
///
/// # Errors
/// None; all passes return this type.
pub fn overlap_products(func: &Func<Scheduled>) -> Result<Func<Scheduled>, Vec<Diagnostic<Origin>>> {
    let places = Places::of(&func.body);
    let found = func
        .body
        .ops()
        .filter_map(|(id, _)| Some((id, Accumulation::of(func, id)?)));
    let loops: FxHashMap<OpId, Accumulation> = found
        .filter(|(id, _)| trip_count(func, &places, *id).is_none_or(|count| count > 1))
        .collect();
    if loops.is_empty() {
        return Ok(func.clone());
    }
    let mut pass = Overlapping {
        func,
        places: &places,
        loops: &loops,
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// A loop that accumulates products.
struct Accumulation {
    block: Block,
    /// The ops that begin the products, with what they need, in order.
    ops: Vec<OpId>,
    /// The number of products that an iteration begins.
    begun: u32,
    /// The sums, in the order of the waits for them.
    sums: Vec<Sum>,
    /// The ops for later iterations that follow, in order.
    rest: Vec<OpId>,
    /// The tokens that are released when the products are complete.
    held: Vec<Value>,
    releases: Vec<OpId>,
}

/// A sum of products.
struct Sum {
    /// The last product that an iteration adds.
    product: Value,
    wait: OpId,
    /// The position among the loop-carried values.
    position: usize,
}

impl Accumulation {
    /// `None` if the loop does anything else, or its rings have too few stages.
    fn of(func: &Func<Scheduled>, id: OpId) -> Option<Self> {
        let body = &func.body;
        let kind = |id: OpId| &body.op(id).kind;
        let ScheduledOp::Scf(ScfOp::For { body: region, .. }) = kind(id) else {
            return None;
        };
        let block = body.only_block(*region)?;
        let (&last, inner) = body.block(block).ops.split_last()?;
        let ScheduledOp::Scf(ScfOp::Continue { values }) = kind(last) else {
            return None;
        };
        let (mut ops, mut held, mut releases) = (Vec::new(), Vec::new(), Vec::new());
        let (mut products, mut waits, mut rest) = (FxHashMap::default(), Vec::new(), Vec::new());
        // The stages of a pipe that an iteration waits for.
        let taken = |pipe: Value| {
            let waits = inner.iter().filter(
                |&&id| matches!(kind(id), ScheduledOp::Pipe(PipeOp::Wait { pipe: own, .. }) if *own == pipe),
            );
            u32::try_from(waits.count()).unwrap_or(u32::MAX)
        };
        let deep = |pipe: Value, barriers: bool| match body.ty(pipe).pipe() {
            Some(PipeType::Pipe { kind, stages }) => {
                kind.has_barriers() == barriers && stages >= HELD_STAGES.saturating_mul(taken(pipe))
            }
            _ => false,
        };
        for &id in inner {
            match kind(id) {
                ScheduledOp::TileAs(TileAsDialect::Dot { .. }) if waits.is_empty() => {
                    products.insert(body.op(id).result(0), kind(id));
                    ops.push(id);
                }
                ScheduledOp::TileAs(TileAsDialect::DotWait { product, .. })
                    if held.is_empty() && rest.is_empty() =>
                {
                    waits.push((id, *product));
                }
                ScheduledOp::Pipe(PipeOp::Release { token }) if !waits.is_empty() && rest.is_empty() => {
                    held.push(*token);
                    releases.push(id);
                }
                ScheduledOp::Pipe(PipeOp::Wait { pipe, .. }) if rest.is_empty() && deep(*pipe, true) => {
                    ops.push(id);
                }
                ScheduledOp::Pipe(PipeOp::Wait { pipe, .. } | PipeOp::Acquire { pipe, .. })
                    if !waits.is_empty() && deep(*pipe, false) =>
                {
                    rest.push(id);
                }
                ScheduledOp::Pipe(PipeOp::Commit { .. })
                | ScheduledOp::TileAs(TileAsDialect::CopyIn { .. } | TileAsDialect::GatherIn { .. })
                    if !rest.is_empty() =>
                {
                    rest.push(id);
                }
                kind if kind.is_pure() && kind.region_list().is_empty() => {
                    match rest.is_empty() {
                        true => ops.push(id),
                        false => rest.push(id),
                    };
                }
                _ => return None,
            }
        }
        let results = ops.iter().flat_map(|&id| body.op(id).results());
        let args = body.block(block).args.iter().copied();
        let made: FxHashSet<Value> = results.chain(args).collect();
        let used = |value: Value| {
            let operands = inner.iter().flat_map(|&id| kind(id).operand_list());
            operands.filter(|&operand| operand == value).count()
        };
        let handed = |value: Value| values.iter().filter(|&&other| other == value).count();
        let own = |value: &Value| made.contains(value);
        let mut sums = Vec::with_capacity(waits.len());
        let mut added = 0;
        for (wait, product) in waits {
            let done = body.op(wait).results().next()?;
            let position = values.iter().position(|&value| value == done)?;
            let sum = *body.block(block).args.get(position + 1)?;
            // From the last product back to the sum.
            let mut value = product;
            while value != sum {
                let ScheduledOp::TileAs(TileAsDialect::Dot { a, b, acc, .. }) = products.get(&value)? else {
                    return None;
                };
                // Operands in registers would be overwritten while the product reads them.
                let mut operands = [a, b].into_iter();
                let in_stages = operands.all(|value| body.ty(*value).buffer().is_some() && own(value));
                if !in_stages || used(value) != 1 || handed(value) > 0 {
                    return None;
                }
                added += 1;
                value = *acc;
            }
            if used(sum) != 1 || handed(sum) > 0 || used(done) > 0 || handed(done) != 1 {
                return None;
            }
            sums.push(Sum {
                product,
                wait,
                position,
            });
        }
        let accumulates = added == products.len() && added > 0 && !held.is_empty() && held.iter().all(own);
        accumulates.then_some(Self {
            block,
            ops,
            begun: u32::try_from(added).ok()?,
            sums,
            rest,
            held,
            releases,
        })
    }
}

struct Overlapping<'a> {
    func: &'a Func<Scheduled>,
    places: &'a Places<'a, Scheduled>,
    loops: &'a FxHashMap<OpId, Accumulation>,
}

impl Overlapping<'_> {
    fn overlapped(&mut self, cx: &mut Cx<'_>, id: OpId, found: &Accumulation) -> Translated {
        let old = cx.old(id);
        let ScheduledOp::Scf(ScfOp::For {
            lower,
            upper,
            inits,
            unsigned,
            ..
        }) = &old.kind
        else {
            return Ok(());
        };
        if trip_count(self.func, self.places, id).is_some() {
            let results = self.peeled(cx, id, found)?;
            cx.bind_results(id, results);
            return Ok(());
        }
        let (lower, upper) = (cx.one(*lower), cx.one(*upper));
        let exists = less(cx, lower, upper, unsigned.0);
        let results: Vec<Value> = cx.old(id).results().collect();
        branch(cx, &results, exists, |cx, holds| match holds {
            true => self.peeled(cx, id, found),
            false => Ok(inits.iter().map(|&init| cx.one(init)).collect()),
        })
    }

    /// Writes the first product, the loop of the others, and the wait for the last one. Returns the results of the loop.
    fn peeled(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        found: &Accumulation,
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let ScheduledOp::Scf(ScfOp::For {
            lower,
            upper,
            step,
            inits,
            unsigned,
            plan,
            body: _,
        }) = &cx.old(id).kind
        else {
            return Ok(Vec::new());
        };
        let origin = cx.origin();
        let old_args: Vec<Value> = cx.from.block(found.block).args.clone();
        for (&arg, &first) in old_args.iter().zip([lower].into_iter().chain(inits)) {
            let first = cx.one(first);
            cx.bind(arg, [first]);
        }
        let held = self.begin(cx, found)?;
        self.continued(cx, found)?;
        let begun = Self::next(cx, found, held);
        cx.set_origin(origin);
        let lower = cx.one(*lower);
        let counter_type = cx.ty(lower).clone();
        let step = cx.one(*step);
        let second = next(cx, lower, step);
        let types: Vec<TileAsType> = begun.iter().map(|&value| cx.ty(value).clone()).collect();
        let (body, block) = region(cx);
        let counter = cx.body_mut().add_arg(block, counter_type);
        let args: Vec<Value> = types
            .iter()
            .map(|ty| cx.body_mut().add_arg(block, ty.clone()))
            .collect();
        let (carried, held) = args.split_at(inits.len());
        for (&old, new) in old_args.iter().zip([counter].iter().chain(carried)) {
            cx.bind(old, [*new]);
        }
        cx.within(block, |cx| -> Translated {
            let tokens = self.begin(cx, found)?;
            self.end(cx, found, carried, held, found.begun)?;
            self.continued(cx, found)?;
            let values = Self::next(cx, found, tokens);
            cx.set_origin(origin);
            cx.build().effect(ScfOp::Continue { values });
            Ok(())
        })?;
        let others = ScfOp::For {
            lower: second,
            upper: cx.one(*upper),
            step,
            inits: begun,
            unsigned: *unsigned,
            plan: *plan,
            body,
        };
        let others = cx.build().op(others, types);
        let mut results: Vec<Value> = cx.new_body().op(others).results().collect();
        let held = results.split_off(inits.len());
        self.end(cx, found, &results, &held, 0)?;
        for sum in &found.sums {
            if let Some(result) = results.get_mut(sum.position) {
                *result = cx.one(cx.old(sum.wait).result(0));
            }
        }
        Ok(results)
    }

    /// Writes the ops that begin the products of an iteration. Returns the tokens of the stages that it reads.
    fn begin(&mut self, cx: &mut Cx<'_>, found: &Accumulation) -> Result<Vec<Value>, Diagnostic<Origin>> {
        self.written(cx, &found.ops)?;
        Ok(found.held.iter().map(|&token| cx.one(token)).collect())
    }

    /// Writes what an iteration does for later ones.
    fn continued(&mut self, cx: &mut Cx<'_>, found: &Accumulation) -> Translated {
        self.written(cx, &found.rest)
    }

    fn written(&mut self, cx: &mut Cx<'_>, ops: &[OpId]) -> Translated {
        for &id in ops {
            let old = cx.old(id);
            cx.set_origin(old.origin);
            cx.carry(id, &old.kind, self)?;
        }
        Ok(())
    }

    /// The loop-carried values after an iteration, with products under way in the places of their sums, and the tokens of the stages
    /// that these read.
    fn next(cx: &Cx<'_>, found: &Accumulation, held: Vec<Value>) -> Vec<Value> {
        let last = cx.from.block(found.block).ops.last();
        let values = last.map(|&last| cx.old(last).kind.operand_list());
        let begun = |position: usize| found.sums.iter().find(|sum| sum.position == position);
        let next = values.into_iter().flatten().enumerate();
        let next = next.map(|(position, value)| begun(position).map_or(value, |sum| sum.product));
        next.map(|value| cx.one(value)).chain(held).collect()
    }

    /// Writes the waits for the products of an iteration, with as many later ones in flight, and releases the stages that they read.
    fn end(
        &mut self,
        cx: &mut Cx<'_>,
        found: &Accumulation,
        carried: &[Value],
        held: &[Value],
        in_flight: u32,
    ) -> Translated {
        for (at, sum) in (1..).zip(&found.sums) {
            let Some(&product) = carried.get(sum.position) else {
                return Ok(());
            };
            let old = cx.old(sum.wait);
            cx.set_origin(old.origin);
            let wait = TileAsDialect::DotWait { product, in_flight };
            if in_flight == 0 {
                let ty = cx.from.ty(old.result(0)).clone();
                let done = cx.value(wait, ty);
                cx.bind_results(sum.wait, [done]);
            } else if at == found.sums.len() {
                // The products that were begun before are complete as well.
                cx.build().effect(wait);
            }
        }
        for (&release, &token) in found.releases.iter().zip(held) {
            cx.set_origin(cx.old(release).origin);
            cx.build().effect(PipeOp::Release { token });
        }
        Ok(())
    }
}

impl Translate<Scheduled, Scheduled> for Overlapping<'_> {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        match self.loops.get(&id) {
            Some(found) => self.overlapped(cx, id, found),
            None => cx.carry(id, &cx.old(id).kind, self),
        }
    }
}
