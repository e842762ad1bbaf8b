//! Writes loops whose loads are ahead: with rings of several stages, or with single stages (`refill`).

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Flag, OpId, Origin, Region, Translate, Translated, Value, ValueType};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileas::{TileAs, TileAsDialect, TileAsOp, TileAsType};

use super::candidates::{Candidate, Way};
use super::emit::{
    Counted, Cx, allocated, begins, bind_buffer, both, compute, copy_in, difference, is_farther, later, wait,
};
use super::refill::{Refill, Refilling};
use super::{Means, Plan, Rotation};

/// The translation of a function with these loops.
pub(super) struct Pipeline<'a> {
    plans: &'a FxHashMap<OpId, Plan>,
    /// Ops of the old body that have no translation.
    replaced: FxHashSet<OpId>,
    /// The enclosing loops, innermost last.
    loops: Vec<Around<'a>>,
}

/// An enclosing loop, in its current iteration.
enum Around<'a> {
    Plain,
    Rotating(Iteration<'a>),
    Refilling(Refilling<'a>),
}

/// An iteration of a loop with rings.
struct Iteration<'a> {
    means: &'a Rotation,
    rings: Vec<Ring<'a>>,
    /// The tiles that the first product reads.
    tiles: Vec<Value>,
    /// The values for the next iteration, in addition to those of the old loop, once they are available.
    next: Option<Vec<Value>>,
}

/// A ring within an iteration.
struct Ring<'a> {
    plan: &'a Candidate,
    /// The stage with the iteration's tile.
    ready: Value,
    others: Others,
    /// The tile of a later iteration, whose load has begun: a pending stage, or a tile in registers.
    coming: Option<Value>,
}

/// The other stages of a ring.
enum Others {
    /// Those that are being filled by copies, the next one first, and the one that is empty.
    Copied { pending: Vec<Value>, empty: Value },
    /// The one that the next tile is stored to, unless that is the one that is ready now.
    Stored(Option<Value>),
}

impl Ring<'_> {
    /// The loop-carried values.
    fn values(&self) -> Vec<Value> {
        match &self.others {
            Others::Copied { pending, empty } => {
                let mut values = vec![self.ready];
                values.extend(pending);
                values.push(*empty);
                values
            }
            Others::Stored(Some(other)) => vec![self.ready, *other],
            Others::Stored(None) => Vec::new(),
        }
    }

    /// The ring with other loop-carried values.
    fn with(&self, replace: &mut impl FnMut(Value) -> Value) -> Self {
        let is_carried = !matches!(self.others, Others::Stored(None));
        Self {
            plan: self.plan,
            ready: if is_carried {
                replace(self.ready)
            } else {
                self.ready
            },
            others: match &self.others {
                Others::Copied { pending, empty } => Others::Copied {
                    pending: pending.iter().map(|&stage| replace(stage)).collect(),
                    empty: replace(*empty),
                },
                Others::Stored(other) => Others::Stored(other.map(replace)),
            },
            coming: None,
        }
    }
}

/// The state of a loop before its first iteration.
enum State<'a> {
    Rotating(&'a Rotation, Vec<Ring<'a>>, Vec<Value>),
    Refilling(&'a Refill, Vec<Value>),
}

impl State<'_> {
    /// The loop-carried values.
    fn values(&self) -> Vec<Value> {
        match self {
            State::Rotating(_, rings, tiles) => {
                let mut values: Vec<Value> = rings.iter().flat_map(Ring::values).collect();
                values.extend(tiles);
                values
            }
            State::Refilling(_, pending) => pending.clone(),
        }
    }
}

impl Translate<TileAs, TileAs> for Pipeline<'_> {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if self.replaced.contains(&id) {
            return Ok(());
        }
        let plans = self.plans;
        if let Some(plan) = plans.get(&id) {
            return self.pipelined(cx, id, plan);
        }
        self.before(cx, id)?;
        let op = &cx.old(id).kind;
        match op {
            TileAsOp::Scf(ScfOp::For { .. } | ScfOp::Loop { .. }) => {
                self.loops.push(Around::Plain);
                let carried = cx.carry(id, op, self);
                self.loops.pop();
                carried?;
            }
            TileAsOp::Scf(ScfOp::Continue { values }) => {
                let next = match self.loops.last() {
                    Some(Around::Rotating(iteration)) => iteration.next.clone(),
                    Some(Around::Refilling(iteration)) => Some(iteration.pending()),
                    Some(Around::Plain) | None => Some(Vec::new()),
                };
                let next = match next {
                    Some(next) => next,
                    None => self.end_iteration(cx)?,
                };
                let mut values: Vec<Value> = values.iter().map(|&value| cx.one(value)).collect();
                values.extend(next);
                cx.build().effect(ScfOp::Continue { values });
            }
            _ => cx.carry(id, op, self)?,
        }
        self.after(cx, id)
    }
}

impl<'a> Pipeline<'a> {
    pub(super) fn new(plans: &'a FxHashMap<OpId, Plan>) -> Self {
        let mut replaced = FxHashSet::default();
        for plan in plans.values() {
            replaced.extend(plan.rings.iter().flat_map(|ring| &ring.replaced));
            replaced.extend(&plan.barriers);
            if let Means::Rotate(rotation) = &plan.means {
                replaced.extend(&rotation.leading.reads);
            }
        }
        Self {
            plans,
            replaced,
            loops: Vec::new(),
        }
    }

    /// What happens before an op of an iteration.
    fn before(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let origin = cx.origin();
        match self.loops.last_mut() {
            Some(Around::Rotating(iteration)) if iteration.means.leading.last == Some(id) => {
                let next = self.end_iteration(cx)?;
                if let Some(Around::Rotating(iteration)) = self.loops.last_mut() {
                    iteration.next = Some(next);
                }
            }
            Some(Around::Refilling(iteration)) => iteration.wait_before(cx, id),
            Some(Around::Rotating(_) | Around::Plain) | None => {}
        }
        cx.set_origin(origin);
        Ok(())
    }

    /// What happens after an op of an iteration.
    fn after(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let is_last =
            matches!(self.loops.last(), Some(Around::Refilling(iteration)) if iteration.is_last_use(id));
        if is_last && let Some(Around::Refilling(mut iteration)) = self.loops.pop() {
            let origin = cx.origin();
            let refilled = iteration.refill_after(cx, id, self);
            self.loops.push(Around::Refilling(iteration));
            cx.set_origin(origin);
            refilled?;
        }
        Ok(())
    }

    fn pipelined(&mut self, cx: &mut Cx<'_>, id: OpId, plan: &'a Plan) -> Translated {
        let old = cx.old(id);
        let TileAsOp::Scf(ScfOp::For {
            lower,
            upper,
            step,
            inits,
            unsigned,
            loads_ahead: _,
            body,
        }) = &old.kind
        else {
            return Ok(());
        };
        let Some(old_block) = cx.from.only_block(*body) else {
            return Ok(());
        };
        let Some(&counter) = cx.from.block(old_block).args.first() else {
            return Ok(());
        };
        let origin = cx.origin();
        let counted = Counted {
            from: cx.one(*lower),
            upper: cx.one(*upper),
            unsigned: unsigned.0,
            step: plan.step,
            scalar: plan.counter,
        };
        let state = match &plan.means {
            Means::Rotate(rotation) => {
                let rings = self.fill(cx, plan, rotation, counted, counter)?;
                let (rings, tiles) = self.turn(cx, rotation, &rings)?;
                State::Rotating(rotation, rings, tiles)
            }
            Means::Refill(refill) => State::Refilling(refill, refill.fill(cx, plan, counted, counter, self)?),
        };
        let extra = state.values();
        let mut new_inits: Vec<Value> = inits.iter().map(|&init| cx.one(init)).collect();
        new_inits.extend(&extra);
        let region = cx.body_mut().add_region();
        let block = cx.body_mut().add_block(region);
        cx.block_args(old_block, block, self)?;
        let mut argument = |value: Value| {
            let ty = cx.ty(value).clone();
            cx.body_mut().add_arg(block, ty)
        };
        let mut around = match state {
            State::Rotating(means, rings, tiles) => Around::Rotating(Iteration {
                means,
                rings: rings.iter().map(|ring| ring.with(&mut argument)).collect(),
                tiles: tiles.into_iter().map(&mut argument).collect(),
                next: None,
            }),
            State::Refilling(refill, pending) => {
                let pending = pending.into_iter().map(&mut argument).collect();
                Around::Refilling(Refilling::new(plan, refill, pending, counted, counter))
            }
        };
        cx.within(block, |cx| -> Translated {
            for &(token, after) in plan.rings.iter().flat_map(|ring| &ring.tokens) {
                let after = match after {
                    Some(after) => cx.one(after),
                    None => cx.value(TileAsDialect::CreateMemToken {}, TileAsType::Token),
                };
                cx.bind(token, [after]);
            }
            if let Around::Rotating(iteration) = &mut around {
                self.begin_iteration(cx, iteration, counted, counter)?;
                bind(cx, iteration);
            }
            self.loops.push(around);
            let translated = cx.block_ops(old_block, self);
            self.loops.pop();
            translated
        })?;
        cx.set_origin(origin);
        let result_types = old.results().map(|result| cx.from.ty(result).clone());
        let mut result_types: Vec<TileAsType> = result_types.collect();
        result_types.extend(extra.iter().map(|&value| cx.ty(value).clone()));
        let step = cx.one(*step);
        let new = cx.build().op(
            ScfOp::For {
                lower: counted.from,
                upper: counted.upper,
                step,
                inits: new_inits,
                unsigned: *unsigned,
                loads_ahead: Flag(true),
                body: region,
            },
            result_types,
        );
        let results: Vec<Value> = cx.new_body().op(new).results().collect();
        cx.bind_results(id, results.iter().copied());
        // The copies for iterations after the last one write zeros to their stages until then.
        let is_pending = |value: &&Value| matches!(cx.ty(**value), TileAsType::Pending(_));
        if let Some(&last) = results.iter().rev().find(is_pending) {
            wait(cx, last, 0);
        }
        Ok(())
    }

    /// Allocates the rings and begins to load the tiles of the first iterations: the state at the end of an iteration
    /// before the first one.
    fn fill(
        &mut self,
        cx: &mut Cx<'_>,
        plan: &'a Plan,
        means: &Rotation,
        counted: Counted,
        counter: Value,
    ) -> Result<Vec<Ring<'a>>, Diagnostic<Origin>> {
        let mut stages: Vec<Vec<Value>> = Vec::new();
        let mut loading: Vec<Vec<Value>> = vec![Vec::new(); plan.rings.len()];
        for ring in &plan.rings {
            let count = match ring.way {
                Way::Async(..) => means.stages.copied,
                Way::Registers(_) => means.stages.stored,
            };
            stages.push(allocated(cx, ring, count));
        }
        let begins = begins(cx, counted);
        let left = difference(cx, counted);
        for ahead in 0..means.stages.copied.saturating_sub(1) {
            let mut exists = begins;
            if ahead > 0 {
                let farther = is_farther(cx, counted, left, ahead);
                exists = both(cx, exists, farther);
            }
            let at = later(cx, counted, ahead);
            for ((ring, stages), loading) in plan.rings.iter().zip(&stages).zip(&mut loading) {
                cx.bind(counter, [at]);
                match (&ring.way, stages.get(ahead as usize)) {
                    (Way::Async(load, _), Some(&stage)) => {
                        compute(cx, &ring.slice, self)?;
                        loading.extend(copy_in(cx, ring, *load, stage, exists));
                    }
                    (Way::Registers(tile), _) if ahead == 0 => {
                        loading.push(self.load(cx, ring, *tile, exists)?);
                    }
                    (Way::Async(..) | Way::Registers(_), _) => {}
                }
            }
        }
        let mut rings = Vec::new();
        for ((ring, stages), mut loading) in plan.rings.iter().zip(stages).zip(loading) {
            let coming = loading.pop();
            let (Some(&first), Some(&last)) = (stages.first(), stages.last()) else {
                continue;
            };
            rings.push(Ring {
                plan: ring,
                // As if it had been read just now.
                ready: last,
                others: match ring.way {
                    Way::Async(..) => Others::Copied {
                        pending: loading,
                        empty: last,
                    },
                    Way::Registers(_) => Others::Stored((stages.len() > 1).then_some(first)),
                },
                coming,
            });
        }
        Ok(rings)
    }

    /// Begins to load tiles of later iterations.
    fn begin_iteration(
        &mut self,
        cx: &mut Cx<'_>,
        iteration: &mut Iteration<'a>,
        counted: Counted,
        counter: Value,
    ) -> Translated {
        let now = cx.one(counter);
        let counted = counted.from(now);
        let left = difference(cx, counted);
        for is_copied in [true, false] {
            let ahead = if is_copied {
                iteration.means.stages.copied.saturating_sub(1)
            } else {
                1
            };
            let mut rings = iteration.rings.iter_mut();
            let mut rings = rings
                .by_ref()
                .filter(|ring| matches!(ring.plan.way, Way::Async(..)) == is_copied)
                .peekable();
            if rings.peek().is_none() {
                continue;
            }
            let exists = is_farther(cx, counted, left, ahead);
            let at = later(cx, counted, ahead);
            cx.bind(counter, [at]);
            for ring in rings {
                ring.coming = match (&ring.plan.way, &ring.others) {
                    (Way::Async(load, _), Others::Copied { empty, .. }) => {
                        compute(cx, &ring.plan.slice, self)?;
                        copy_in(cx, ring.plan, *load, *empty, exists)
                    }
                    (Way::Registers(tile), _) => Some(self.load(cx, ring.plan, *tile, exists)?),
                    (Way::Async(..), Others::Stored(_)) => None,
                };
            }
        }
        cx.bind(counter, [now]);
        Ok(())
    }

    /// Ends the current iteration as far as its rings are concerned. Returns the values for the next one.
    fn end_iteration(&mut self, cx: &mut Cx<'_>) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let iteration = match self.loops.pop() {
            Some(Around::Rotating(iteration)) => iteration,
            other => {
                self.loops.extend(other);
                return Ok(Vec::new());
            }
        };
        let turned = self.turn(cx, iteration.means, &iteration.rings);
        bind(cx, &iteration);
        self.loops.push(Around::Rotating(iteration));
        let (rings, tiles) = turned?;
        let mut next: Vec<Value> = rings.iter().flat_map(Ring::values).collect();
        next.extend(tiles);
        Ok(next)
    }

    /// Turns the rings by one stage: the tiles of the next iteration become available, and those that its first
    /// product needs are read.
    fn turn(
        &mut self,
        cx: &mut Cx<'_>,
        means: &Rotation,
        rings: &[Ring<'a>],
    ) -> Result<(Vec<Ring<'a>>, Vec<Value>), Diagnostic<Origin>> {
        let copied = means.stages.copied;
        let groups = rings
            .iter()
            .filter(|ring| matches!(ring.plan.way, Way::Async(..)));
        let groups = u32::try_from(groups.count()).unwrap_or(0);
        // The last copy of an iteration is waited for first: the others are complete then.
        let mut later_copies = groups * copied.saturating_sub(2);
        let mut turned: Vec<Ring<'a>> = Vec::new();
        for ring in rings.iter().rev() {
            let Some(coming) = ring.coming else { continue };
            let (ready, others) = match &ring.others {
                Others::Copied { pending, .. } => {
                    let mut queue = pending.clone();
                    queue.push(coming);
                    let ready = wait(cx, queue.remove(0), later_copies);
                    later_copies += 1;
                    let others = Others::Copied {
                        pending: queue,
                        empty: ring.ready,
                    };
                    (ready.unwrap_or(coming), others)
                }
                Others::Stored(other) => {
                    let to = other.unwrap_or(ring.ready);
                    store(cx, ring.plan, coming, to);
                    (to, Others::Stored(other.map(|_| ring.ready)))
                }
            };
            turned.push(Ring {
                plan: ring.plan,
                ready,
                others,
                coming: None,
            });
        }
        turned.reverse();
        cx.build().effect(TileAsDialect::Barrier {});
        for ring in &turned {
            bind_buffer(cx, ring.plan, ring.ready);
        }
        let results = means.leading.ops.iter().flat_map(|&id| cx.old(id).results());
        let own: Vec<(Value, Vec<Value>)> = results.map(|value| (value, cx.all(value).to_vec())).collect();
        compute(cx, &means.leading.ops, self)?;
        let reads = means.leading.reads.iter();
        let tiles = reads.map(|&read| cx.one(cx.old(read).result(0))).collect();
        for (value, bound) in own {
            cx.bind(value, bound);
        }
        Ok((turned, tiles))
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
            compute(cx, &ring.slice, self)?;
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
        let op = ScfOp::If {
            condition,
            then,
            otherwise,
        };
        Ok(cx.value(op, ty))
    }
}

/// Binds the buffers of the old body and the tiles that its first product reads.
fn bind(cx: &mut Cx<'_>, iteration: &Iteration<'_>) {
    for ring in &iteration.rings {
        bind_buffer(cx, ring.plan, ring.ready);
    }
    for (&read, &tile) in iteration.means.leading.reads.iter().zip(&iteration.tiles) {
        cx.bind(cx.old(read).result(0), [tile]);
    }
}

/// Stores a tile to a stage.
fn store(cx: &mut Cx<'_>, ring: &Candidate, source: Value, to: Value) {
    let op = cx.old(ring.copy);
    cx.set_origin(op.origin);
    if let TileAsOp::TileAs(TileAsDialect::Copy { atom, .. }) = &op.kind {
        cx.build().effect(TileAsDialect::Copy {
            source,
            to: Some(to),
            atom: atom.clone(),
        });
    }
}

fn region(cx: &mut Cx<'_>) -> (Region, Block) {
    let region = cx.body_mut().add_region();
    (region, cx.body_mut().add_block(region))
}
