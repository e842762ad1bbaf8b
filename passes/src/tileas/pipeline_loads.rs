//! Loads the tiles that a loop's iterations store to shared memory ahead of their iterations. `tileas` to `tileas`.
//!
//! In: any function. Out: the same program, where a counted loop with matrix products and without inner loops, whose
//! body loads a tile, stores it to a buffer and reads the buffer,
//!
//! ```text
//! scf.for %lower, %upper, %step, [...] body {
//! ^(%i: i32, ...):
//!   %tile, %token = tileas.load %array, [%x, %i] {atom = ld<128b>}
//!   %b = tileas.alloc : #buffer
//!   tileas.copy %tile, to %b {atom = st<128b>}
//!   tileas.barrier
//!   (reads of %b)
//! ```
//!
//! has a ring of `n` stages instead of the buffer, which asynchronous copies fill `n - 1` iterations ahead:
//!
//! ```text
//! %ring = tileas.alloc : buffer<…, stages = n>
//! (the copies of the first n - 1 iterations)
//! scf.for %lower, %upper, %step, [..., %first_stage, ..., %last_stage, %empty] body {
//! ^(%i: i32, ..., %p0: pending<#buffer>, ..., %empty: #buffer):
//!   %b = tileas.copy_wait %p0 {in_flight = n - 2}
//!   tileas.barrier
//!   %new, %done = tileas.copy_in %array, [%x, %i + (n - 1) * %step], %empty, mask %exists
//!   (reads of %b)
//!   scf.continue [..., %p1, ..., %new, %b]
//! ```
//!
//! The stages rotate through the loop-carried values: the one that was read is empty in the next iteration. One barrier
//! an iteration is enough: before it every thread has waited for its copies of the stage that is read next, and has
//! finished reading the stage that is filled next. A copy for an iteration that does not exist reads nothing, since its
//! mask is 0.
//!
//! A tile qualifies if its index depends on the counter and on values from outside of the loop only, its load is weak
//! and ordered after no memory access of the loop, and `cp.async` can copy it: 4, 8 or 16 bytes that are contiguous in
//! the array and in the buffer, padded with zeros. Any other tile that is computed from the counter and such loads is
//! loaded to registers one iteration ahead, and stored to a ring of two stages (one, where two do not fit).
//!
//! The number of stages follows from the `latency` of the loads, else it is 4; fewer where shared memory for the number
//! of blocks on a multiprocessor does not suffice, or the loop has fewer iterations.

mod candidates;
mod stages;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, OpId, Operation, Origin, Region, Translate, Translated, Translation, Value, ValueType,
    translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileas::{
    Buffer, CopyAtom, Pending, TileAs, TileAsAttrs, TileAsDialect, TileAsOp, TileAsType,
};

use candidates::{Candidate, Loop, Uses, Way};
use stages::Stages;

/// Pipelines the loads of loops.
///
/// # Errors
/// None; the type is that of all passes.
pub fn pipeline_loads(func: &Func<TileAs>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let plans = plans(func);
    if plans.is_empty() {
        return Ok(func.clone());
    }
    let replaced = plans
        .values()
        .flat_map(|plan| plan.rings.iter().flat_map(|ring| ring.replaced.iter().copied()))
        .chain(plans.values().flat_map(|plan| plan.barriers.iter().copied()));
    let mut pass = Pipeline {
        replaced: replaced.collect(),
        plans: &plans,
        carried: Vec::new(),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// The rings of a loop.
struct Plan {
    rings: Vec<Candidate>,
    stages: Stages,
    /// The counter's step.
    step: u64,
    /// The counter's type.
    counter: ScalarType,
    /// Barriers that only separate stores to the buffers from their reads.
    barriers: Vec<OpId>,
}

fn plans(func: &Func<TileAs>) -> FxHashMap<OpId, Plan> {
    let uses = Uses::of(&func.body);
    let mut plans = FxHashMap::default();
    for id in func.body.walk() {
        if let Some(plan) = plan(&uses, &func.attrs, id) {
            plans.insert(id, plan);
        }
    }
    plans
}

fn plan(uses: &Uses<'_>, attrs: &TileAsAttrs, id: OpId) -> Option<Plan> {
    let TileAsOp::Scf(ScfOp::For { step, body, .. }) = &uses.body.op(id).kind else {
        return None;
    };
    let block = uses.body.only_block(*body)?;
    if contains(uses.body, block, |op| {
        matches!(
            op,
            TileAsOp::Scf(ScfOp::For { .. } | ScfOp::Loop { .. } | ScfOp::Return {})
        )
    }) {
        return None;
    }
    let multiplies = |op: &TileAsOp| matches!(op, TileAsOp::TileAs(TileAsDialect::Dot { .. }));
    if !contains(uses.body, block, multiplies) {
        return None;
    }
    let counter = match uses.body.ty(*step) {
        TileAsType::Scalar(ElementType::Scalar(scalar @ (ScalarType::I32 | ScalarType::I64))) => *scalar,
        _ => return None,
    };
    let step = u64::try_from(constant(uses, *step)?)
        .ok()
        .filter(|step| (1..1 << 24).contains(step))?;
    let rings = Loop::new(uses, block, attrs.target, attrs.kernel_spec.num_warps)?.candidates();
    if rings.is_empty() {
        return None;
    }
    let stages = Stages::choose(uses, attrs, (id, block), &rings)?;
    let barriers = idle_barriers(uses.body, block, &rings);
    Some(Plan {
        rings,
        stages,
        step,
        counter,
        barriers,
    })
}

/// The value of a constant.
fn constant(uses: &Uses<'_>, value: Value) -> Option<i64> {
    match &uses.body.op(*uses.definitions.get(value)?).kind {
        TileAsOp::Arith(ArithOp::Constant {
            value: Dense::Splat(literal),
        }) => Some(literal.signed()),
        _ => None,
    }
}

/// Whether a block contains such an op, at any depth.
fn contains(body: &Body<TileAs>, block: Block, is_one: fn(&TileAsOp) -> bool) -> bool {
    body.block(block).ops.iter().any(|&id| {
        let op = &body.op(id).kind;
        is_one(op)
            || op.region_list().into_iter().any(|region| {
                let blocks = body.region(region).blocks.iter();
                blocks.clone().any(|&block| contains(body, block, is_one))
            })
    })
}

/// The barriers of a loop's body before which nothing is written but the buffers of rings, since the barrier before.
fn idle_barriers(body: &Body<TileAs>, block: Block, rings: &[Candidate]) -> Vec<OpId> {
    let mut found = Vec::new();
    let (mut stored, mut others) = (false, false);
    for &id in &body.block(block).ops {
        let op = &body.op(id).kind;
        match op {
            TileAsOp::TileAs(TileAsDialect::Barrier {}) => {
                if stored && !others {
                    found.push(id);
                }
                (stored, others) = (false, false);
            }
            _ if rings.iter().any(|ring| ring.copy == id) => stored = true,
            TileAsOp::TileAs(TileAsDialect::Copy { to: None, .. } | TileAsDialect::Dot { .. }) => {}
            _ => others |= !op.region_list().is_empty() || !op.effects().writes.is_empty(),
        }
    }
    found
}

type Cx<'a> = Translation<'a, TileAs, TileAs>;

struct Pipeline<'a> {
    plans: &'a FxHashMap<OpId, Plan>,
    /// Ops of the old body that have no translation.
    replaced: FxHashSet<OpId>,
    /// For each enclosing loop, innermost last, the values that its iterations pass on in addition.
    carried: Vec<Vec<Value>>,
}

impl Translate<TileAs, TileAs> for Pipeline<'_> {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if self.replaced.contains(&id) {
            return Ok(());
        }
        let op = &cx.old(id).kind;
        if let Some(plan) = self.plans.get(&id) {
            return self.pipelined(cx, id, plan);
        }
        match op {
            TileAsOp::Scf(ScfOp::For { .. } | ScfOp::Loop { .. }) => {
                self.carried.push(Vec::new());
                let carried = cx.carry(id, op, self);
                self.carried.pop();
                carried
            }
            TileAsOp::Scf(ScfOp::Continue { values }) => {
                let mut values: Vec<Value> = values.iter().map(|&value| cx.one(value)).collect();
                values.extend(self.carried.last().into_iter().flatten());
                cx.build().effect(ScfOp::Continue { values });
                Ok(())
            }
            _ => cx.carry(id, op, self),
        }
    }
}

/// A ring in the new body.
struct Ring<'a> {
    plan: &'a Candidate,
    /// The loop-carried values, at the start of the loop or of an iteration: of an asynchronous ring the pending
    /// stages, the next one first, and the empty one; of one that is filled from registers the next tile, the stage
    /// that it is stored to and the other one, unless there is only one.
    values: Vec<Value>,
    /// The only stage.
    single: Option<Value>,
}

/// A counted loop in the new body.
#[derive(Clone, Copy)]
struct Counted {
    lower: Value,
    upper: Value,
    unsigned: bool,
    step: u64,
    scalar: ScalarType,
}

impl Pipeline<'_> {
    fn pipelined(&mut self, cx: &mut Cx<'_>, id: OpId, plan: &Plan) -> Translated {
        let old = cx.old(id);
        let TileAsOp::Scf(ScfOp::For {
            lower,
            upper,
            step,
            inits,
            unsigned,
            body,
        }) = &old.kind
        else {
            return Ok(());
        };
        let Some(old_block) = cx.from.only_block(*body) else {
            return Ok(());
        };
        let counted = Counted {
            lower: cx.one(*lower),
            upper: cx.one(*upper),
            unsigned: unsigned.0,
            step: plan.step,
            scalar: plan.counter,
        };
        let mut rings = self.fill(cx, plan, counted, old_block)?;
        let extra: Vec<Value> = rings
            .iter()
            .flat_map(|ring| ring.values.iter().copied())
            .collect();
        let mut new_inits: Vec<Value> = inits.iter().map(|&init| cx.one(init)).collect();
        new_inits.extend(&extra);
        let region = cx.body_mut().add_region();
        let block = cx.body_mut().add_block(region);
        cx.block_args(old_block, block, self)?;
        let types: Vec<TileAsType> = extra.iter().map(|&value| cx.ty(value).clone()).collect();
        for value in rings.iter_mut().flat_map(|ring| &mut ring.values) {
            let ty = cx.ty(*value).clone();
            *value = cx.body_mut().add_arg(block, ty);
        }
        let origin = cx.origin();
        cx.within(block, |cx| -> Translated {
            let next = self.head(cx, plan, counted, (old_block, &rings))?;
            self.carried.push(next);
            let translated = cx.block_ops(old_block, self);
            self.carried.pop();
            translated
        })?;
        cx.set_origin(origin);
        let result_types = old.results().map(|result| cx.from.ty(result).clone());
        let result_types: Vec<TileAsType> = result_types.chain(types).collect();
        let step = cx.one(*step);
        let new = cx.build().op(
            ScfOp::For {
                lower: counted.lower,
                upper: counted.upper,
                step,
                inits: new_inits,
                unsigned: *unsigned,
                body: region,
            },
            result_types,
        );
        let results: Vec<Value> = cx.new_body().op(new).results().collect();
        cx.bind_results(id, results.iter().copied());
        // The copies of iterations after the last one fill their stages with padding until then.
        let pending = |value: &&Value| matches!(cx.ty(**value), TileAsType::Pending(_));
        if let Some(&last) = results.iter().rev().find(pending) {
            wait(cx, last, 0);
        }
        Ok(())
    }

    /// Allocates the rings and loads the tiles of the first iterations.
    fn fill<'b>(
        &mut self,
        cx: &mut Cx<'_>,
        plan: &'b Plan,
        counted: Counted,
        old_block: Block,
    ) -> Result<Vec<Ring<'b>>, Diagnostic<Origin>> {
        let mut rings: Vec<Ring<'b>> = Vec::new();
        let mut stages: Vec<Vec<Value>> = Vec::new();
        for candidate in &plan.rings {
            let count = match candidate.way {
                Way::Async(..) => plan.stages.copied,
                Way::Registers(_) => plan.stages.stored,
            };
            stages.push(allocated(cx, candidate, count));
            rings.push(Ring {
                plan: candidate,
                values: Vec::new(),
                single: None,
            });
        }
        let counter = cx.from.block(old_block).args.first().copied();
        let begins = below(cx, counted, counted.lower, counted.upper);
        let left = difference(cx, counted);
        for ahead in 0..plan.stages.copied.saturating_sub(1) {
            let mut exists = begins;
            if ahead > 0 {
                let more = farther(cx, counted, left, ahead);
                exists = both(cx, exists, more);
            }
            let at = later(cx, counted, counted.lower, ahead);
            for (ring, stages) in rings.iter_mut().zip(&stages) {
                let Some(counter) = counter else { continue };
                match &ring.plan.way {
                    Way::Async(load, _) => {
                        cx.bind(counter, [at]);
                        self.compute(cx, &ring.plan.slice)?;
                        let Some(&to) = stages.get(ahead as usize) else {
                            continue;
                        };
                        ring.values.extend(copy_in(cx, ring.plan, *load, to, exists));
                    }
                    Way::Registers(tile) if ahead == 0 => {
                        cx.bind(counter, [at]);
                        let tile = self.load(cx, ring.plan, *tile, exists)?;
                        ring.values.push(tile);
                    }
                    Way::Registers(_) => {}
                }
            }
        }
        for (ring, stages) in rings.iter_mut().zip(stages) {
            match (&ring.plan.way, stages.as_slice()) {
                (Way::Async(..), stages) => ring.values.extend(stages.last()),
                (Way::Registers(_), [single]) => ring.single = Some(*single),
                (Way::Registers(_), stages) => ring.values.extend(stages),
            }
        }
        Ok(rings)
    }

    /// The begin of an iteration: makes the tiles of this iteration available and begins to load those of a later one.
    /// Returns the values that it passes on.
    fn head(
        &mut self,
        cx: &mut Cx<'_>,
        plan: &Plan,
        counted: Counted,
        (old_block, rings): (Block, &[Ring<'_>]),
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let Some(&counter) = cx.from.block(old_block).args.first() else {
            return Ok(Vec::new());
        };
        let now = cx.one(counter);
        let counted = Counted {
            lower: now,
            ..counted
        };
        let copied = plan.stages.copied;
        let asynchronous = rings.iter();
        let asynchronous = asynchronous.filter(|ring| matches!(ring.plan.way, Way::Async(..)));
        let groups = u32::try_from(asynchronous.count()).unwrap_or(0);
        // The last copy of the iteration is waited for first: the others are complete then.
        let mut later_copies = groups * copied.saturating_sub(2);
        let mut buffers = vec![None; rings.len()];
        for (ring, buffer) in rings.iter().zip(&mut buffers).rev() {
            *buffer = match (&ring.plan.way, ring.values.as_slice()) {
                (Way::Async(..), [oldest, ..]) => {
                    let ready = wait(cx, *oldest, later_copies);
                    later_copies += 1;
                    ready
                }
                (Way::Registers(_), [_, stage, ..]) => Some(*stage),
                (Way::Registers(_), _) => ring.single,
                _ => None,
            };
        }
        for (ring, buffer) in rings.iter().zip(&buffers) {
            if let (Way::Registers(tile), [own, ..]) = (&ring.plan.way, ring.values.as_slice()) {
                cx.bind(*tile, [*own]);
                let copy = cx.old(ring.plan.copy);
                cx.set_origin(copy.origin);
                if let TileAsOp::TileAs(TileAsDialect::Copy { atom, .. }) = &copy.kind {
                    cx.build().effect(TileAsDialect::Copy {
                        source: *own,
                        to: *buffer,
                        atom: atom.clone(),
                    });
                }
            }
        }
        cx.build().effect(TileAsDialect::Barrier {});
        let left = difference(cx, counted);
        let mut passed = Vec::new();
        for (ring, buffer) in rings.iter().zip(&buffers) {
            let ahead = match ring.plan.way {
                Way::Async(..) => copied.saturating_sub(1),
                Way::Registers(_) => 1,
            };
            let exists = farther(cx, counted, left, ahead);
            let at = later(cx, counted, now, ahead);
            cx.bind(counter, [at]);
            match (&ring.plan.way, ring.values.as_slice()) {
                (Way::Async(load, _), [_, pending @ .., empty]) => {
                    self.compute(cx, &ring.plan.slice)?;
                    passed.extend(pending);
                    passed.extend(copy_in(cx, ring.plan, *load, *empty, exists));
                    passed.extend(buffer);
                }
                (Way::Registers(tile), [own, stages @ ..]) => {
                    let next = self.load(cx, ring.plan, *tile, exists)?;
                    cx.bind(*tile, [*own]);
                    passed.push(next);
                    passed.extend(stages.iter().skip(1));
                    passed.extend(stages.first());
                }
                _ => {}
            }
        }
        cx.bind(counter, [now]);
        for (ring, buffer) in rings.iter().zip(buffers) {
            cx.bind(cx.old(ring.plan.alloc).result(0), buffer);
            for &(token, after) in &ring.plan.tokens {
                let after = match after {
                    Some(after) => cx.one(after),
                    None => cx.value(TileAsDialect::CreateMemToken {}, TileAsType::Token),
                };
                cx.bind(token, [after]);
            }
        }
        Ok(passed)
    }

    /// Executes the ops of a slice for the iteration that the counter is bound to.
    fn compute(&mut self, cx: &mut Cx<'_>, slice: &[OpId]) -> Translated {
        for &id in slice {
            let op = cx.old(id);
            cx.set_origin(op.origin);
            cx.carry(id, &op.kind, self)?;
        }
        Ok(())
    }

    /// The tile of a later iteration if that exists, else zeros.
    fn load(
        &mut self,
        cx: &mut Cx<'_>,
        ring: &Candidate,
        tile: Value,
        exists: Value,
    ) -> Result<Value, Diagnostic<Origin>> {
        let ty = cx.from.ty(tile).clone();
        let (then, then_block) = region(cx);
        let (otherwise, otherwise_block) = region(cx);
        cx.within(then_block, |cx| -> Translated {
            self.compute(cx, &ring.slice)?;
            let values = vec![cx.one(tile)];
            cx.build().effect(ScfOp::Yield { values });
            Ok(())
        })?;
        cx.within(otherwise_block, |cx| {
            let scalar = match ty.element() {
                Some(ElementType::Scalar(scalar)) => scalar,
                Some(ElementType::Ptr(_)) | None => ScalarType::I32,
            };
            let value = Dense::Splat(Literal::new(scalar, 0));
            let zeros = cx.value(ArithOp::Constant { value }, ty.clone());
            cx.build().effect(ScfOp::Yield { values: vec![zeros] });
        });
        let condition = exists;
        Ok(cx.value(
            ScfOp::If {
                condition,
                then,
                otherwise,
            },
            ty,
        ))
    }
}

fn region(cx: &mut Cx<'_>) -> (Region, Block) {
    let region = cx.body_mut().add_region();
    (region, cx.body_mut().add_block(region))
}

/// The stages of a new ring.
fn allocated(cx: &mut Cx<'_>, candidate: &Candidate, count: u32) -> Vec<Value> {
    let op = cx.old(candidate.alloc);
    cx.set_origin(op.origin);
    let TileAsOp::TileAs(alloc) = &op.kind else {
        return Vec::new();
    };
    let ring = Buffer {
        stages: count,
        ..candidate.buffer.clone()
    };
    let buffer = cx.value(alloc.clone(), TileAsType::Buffer(ring));
    if count == 1 {
        return vec![buffer];
    }
    let mut stages = Vec::new();
    for number in 0..count {
        let stage = Some(number_of(cx, ScalarType::I32, u64::from(number)));
        let view = TileAsDialect::Subview {
            buffer,
            stage,
            offsets: Vec::new(),
        };
        stages.push(cx.value(view, TileAsType::Buffer(candidate.buffer.clone())));
    }
    stages
}

/// Begins the copy of a tile to a stage.
fn copy_in(cx: &mut Cx<'_>, ring: &Candidate, load: OpId, to: Value, exists: Value) -> Option<Value> {
    let op = cx.old(load);
    cx.set_origin(op.origin);
    let (
        TileAsOp::TileAs(TileAsDialect::Load {
            memref,
            index,
            after,
            dim_map,
            steps,
            inbounds,
            ..
        }),
        Way::Async(_, atom),
    ) = (&op.kind, &ring.way)
    else {
        return None;
    };
    let copy = TileAsDialect::CopyIn {
        memref: cx.one(*memref),
        index: index.iter().map(|&value| cx.one(value)).collect(),
        to,
        mask: Some(exists),
        after: after.map(|after| cx.one(after)),
        dim_map: dim_map.clone(),
        steps: steps.clone(),
        padding: Some(tilewright_irs::dialects::memory::Padding::Zero),
        inbounds: inbounds.clone(),
        atom: CopyAtom::from(atom.clone()),
    };
    let pending = TileAsType::Pending(Some(Box::new(Pending::Buffer(ring.buffer.clone()))));
    let op = cx.build().op(copy, [pending, TileAsType::Token]);
    Some(cx.new_body().op(op).result(0))
}

/// Waits for a stage, until `in_flight` later copies are pending.
fn wait(cx: &mut Cx<'_>, copy: Value, in_flight: u32) -> Option<Value> {
    let TileAsType::Pending(Some(what)) = cx.ty(copy) else {
        return None;
    };
    let ready = what.ready();
    Some(cx.value(TileAsDialect::CopyWait { copy, in_flight }, ready))
}

fn number_of(cx: &mut Cx<'_>, scalar: ScalarType, number: u64) -> Value {
    let value = Dense::Splat(Literal::new(scalar, number));
    cx.value(
        ArithOp::Constant { value },
        TileAsType::Scalar(ElementType::Scalar(scalar)),
    )
}

fn compare(cx: &mut Cx<'_>, lhs: Value, rhs: Value, unsigned: bool) -> Value {
    let signedness = match unsigned {
        true => Signedness::Unsigned,
        false => Signedness::Signed,
    };
    let op = ArithOp::CmpI {
        lhs,
        rhs,
        predicate: Predicate::Less,
        signedness,
    };
    cx.value(op, TileAsType::Scalar(ElementType::Scalar(ScalarType::I1)))
}

/// Whether the loop runs from `from` on.
fn below(cx: &mut Cx<'_>, counted: Counted, from: Value, to: Value) -> Value {
    compare(cx, from, to, counted.unsigned)
}

fn both(cx: &mut Cx<'_>, lhs: Value, rhs: Value) -> Value {
    cx.value(
        ArithOp::AndI { lhs, rhs },
        TileAsType::Scalar(ElementType::Scalar(ScalarType::I1)),
    )
}

/// What the counter, at `lower`, is below the upper bound; right as an unsigned number if it is below.
fn difference(cx: &mut Cx<'_>, counted: Counted) -> Value {
    let op = ArithOp::SubI {
        lhs: counted.upper,
        rhs: counted.lower,
        overflow: Overflow::Wraps,
    };
    cx.value(op, TileAsType::Scalar(ElementType::Scalar(counted.scalar)))
}

/// Whether the iteration `ahead` steps later exists.
fn farther(cx: &mut Cx<'_>, counted: Counted, left: Value, ahead: u32) -> Value {
    let distance = number_of(cx, counted.scalar, u64::from(ahead) * counted.step);
    compare(cx, distance, left, true)
}

/// The counter `ahead` steps later.
fn later(cx: &mut Cx<'_>, counted: Counted, now: Value, ahead: u32) -> Value {
    if ahead == 0 {
        return now;
    }
    let rhs = number_of(cx, counted.scalar, u64::from(ahead) * counted.step);
    let op = ArithOp::AddI {
        lhs: now,
        rhs,
        overflow: Overflow::Wraps,
    };
    cx.value(op, TileAsType::Scalar(ElementType::Scalar(counted.scalar)))
}
