//! Loops whose tiles have a single stage each, which is filled again as soon as it has been read.
//!
//! Where two stages of every tile do not fit in shared memory, but each buffer is read in a part of the body of its own,
//! as attention reads keys before values, the copy for the next iteration begins after the last read of a buffer, and is
//! waited for before the first one: it runs while the products of the other buffers are computed.
//!
//! ```text
//! %k0 = tileas.copy_in %keys, [%lower], %k
//! %v0 = tileas.copy_in %values, [%lower], %v
//! scf.for %lower, %upper, %step, [..., %k0, %v0] body {
//! ^(%i: i32, ..., %pk: pending<#buffer>, %pv: pending<#buffer>):
//!   %key = tileas.copy_wait %pk {in_flight = 1}
//!   tileas.barrier
//!   (reads of %key, products)
//!   tileas.barrier
//!   %nk = tileas.copy_in %keys, [%i + %step], %k, mask %exists
//!   %value = tileas.copy_wait %pv {in_flight = 1}
//!   tileas.barrier
//!   (reads of %value, products)
//!   tileas.barrier
//!   %nv = tileas.copy_in %values, [%i + %step], %v, mask %exists
//!   scf.continue [..., %nk, %nv]
//! ```

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, OpId, Operation, Origin, Translate, Translated, Value};
use tilewright_irs::tileas::{TileAs, TileAsDialect, TileAsOp};

use super::Plan;
use super::candidates::{Candidate, Uses, Way, leaves};
use super::emit::{
    Counted, Cx, allocated, begins, bind_buffer, compute, copy_in, difference, is_farther, later, wait,
};

/// The part of a body that reads each buffer, in the order of the parts.
pub(super) struct Refill {
    /// The first and the last op of each part, for each ring.
    parts: Vec<(OpId, OpId)>,
}

impl Refill {
    /// The rings that can be refilled, in the order of their parts. `None` if fewer than two buffers are read in parts
    /// of their own, or an iteration may end early.
    pub(super) fn of(uses: &Uses<'_>, block: Block, rings: Vec<Candidate>) -> Option<(Vec<Candidate>, Self)> {
        let ops = &uses.body.block(block).ops;
        let (_, inner) = ops.split_last()?;
        if inner.iter().any(|&id| leaves(uses.body, &uses.body.op(id).kind)) {
            return None;
        }
        let mut place: FxHashMap<OpId, usize> = FxHashMap::default();
        for (position, &id) in ops.iter().enumerate() {
            let regions = uses.body.op(id).kind.region_list().into_iter();
            let inner = regions.flat_map(|region| uses.body.walk_region(region));
            place.extend(inner.chain([id]).map(|id| (id, position)));
        }
        let mut parts: Vec<(usize, usize, Candidate)> = Vec::new();
        for ring in rings {
            if !matches!(ring.way, Way::Async(..)) {
                continue;
            }
            let mut users = Vec::new();
            readers(uses, uses.body.op(ring.alloc).result(0), ring.copy, &mut users);
            let positions = users.iter().filter_map(|user| place.get(user).copied());
            if let (Some(first), Some(last)) = (positions.clone().min(), positions.max()) {
                parts.push((first, last, ring));
            }
        }
        parts.sort_by_key(|(first, ..)| *first);
        let apart = parts.windows(2).all(|pair| match pair {
            [(_, last, _), (first, ..)] => last < first,
            _ => true,
        });
        if parts.len() < 2 || !apart {
            return None;
        }
        let mut rings = Vec::new();
        let mut bounds = Vec::new();
        for (first, last, ring) in parts {
            bounds.push((*ops.get(first)?, *ops.get(last)?));
            rings.push(ring);
        }
        Some((rings, Self { parts: bounds }))
    }

    /// Allocates the buffers and begins the copies of the first iteration.
    pub(super) fn fill(
        &self,
        cx: &mut Cx<'_>,
        plan: &Plan,
        counted: Counted,
        counter: Value,
        pass: &mut (impl Translate<TileAs, TileAs> + ?Sized),
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let exists = begins(cx, counted);
        let mut pending = Vec::new();
        for ring in &plan.rings {
            let stages = allocated(cx, ring, 1);
            cx.bind(counter, [counted.from]);
            if let (Way::Async(load, _), Some(&stage)) = (&ring.way, stages.first()) {
                compute(cx, &ring.slice, pass)?;
                pending.extend(copy_in(cx, ring, *load, stage, exists));
            }
        }
        Ok(pending)
    }
}

/// An iteration of a loop with single stages.
pub(super) struct Refilling<'a> {
    plan: &'a Plan,
    parts: &'a [(OpId, OpId)],
    /// The copy of each ring: for this iteration until its part ends, then for the next one.
    pending: Vec<Value>,
    /// The stage that a ring's copy has filled, in its part.
    ready: Option<Value>,
    counted: Counted,
    counter: Value,
}

impl<'a> Refilling<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        refill: &'a Refill,
        pending: Vec<Value>,
        counted: Counted,
        counter: Value,
    ) -> Self {
        Self {
            plan,
            parts: &refill.parts,
            pending,
            ready: None,
            counted,
            counter,
        }
    }

    /// The copies for the next iteration, at the end of this one.
    pub(super) fn pending(&self) -> Vec<Value> {
        self.pending.clone()
    }

    /// Whether this op ends the part of a ring.
    pub(super) fn is_last_use(&self, id: OpId) -> bool {
        self.parts.iter().any(|&(_, last)| last == id)
    }

    /// Waits for the copy of the ring whose part begins with this op.
    pub(super) fn wait_before(&mut self, cx: &mut Cx<'_>, id: OpId) {
        let Some(number) = self.parts.iter().position(|&(first, _)| first == id) else {
            return;
        };
        let (Some(ring), Some(&copy)) = (self.plan.rings.get(number), self.pending.get(number)) else {
            return;
        };
        // Since this copy, each other ring began one.
        let others = u32::try_from(self.parts.len()).unwrap_or(1).saturating_sub(1);
        self.ready = wait(cx, copy, others);
        cx.build().effect(TileAsDialect::Barrier {});
        if let Some(ready) = self.ready {
            bind_buffer(cx, ring, ready);
        }
    }

    /// Begins the copy for the next iteration to the ring whose part ends with this op.
    pub(super) fn refill_after(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        pass: &mut (impl Translate<TileAs, TileAs> + ?Sized),
    ) -> Translated {
        let Some(number) = self.parts.iter().position(|&(_, last)| last == id) else {
            return Ok(());
        };
        let Some(ring) = self.plan.rings.get(number) else {
            return Ok(());
        };
        let (Way::Async(load, _), Some(ready)) = (&ring.way, self.ready.take()) else {
            return Ok(());
        };
        cx.build().effect(TileAsDialect::Barrier {});
        let now = cx.one(self.counter);
        let counted = self.counted.from(now);
        let left = difference(cx, counted);
        let exists = is_farther(cx, counted, left, 1);
        let next = later(cx, counted, 1);
        // The values of this iteration that the index depends on stay bound for the ops that follow.
        let results = ring.slice.iter().flat_map(|&id| cx.old(id).results());
        let own: Vec<(Value, Vec<Value>)> = results.map(|value| (value, cx.all(value).to_vec())).collect();
        cx.bind(self.counter, [next]);
        compute(cx, &ring.slice, pass)?;
        let copy = copy_in(cx, ring, *load, ready, exists);
        cx.bind(self.counter, [now]);
        for (value, bound) in own {
            cx.bind(value, bound);
        }
        if let (Some(pending), Some(copy)) = (self.pending.get_mut(number), copy) {
            *pending = copy;
        }
        Ok(())
    }
}

/// The ops that use a buffer or a view of it, but for the one that fills it.
fn readers(uses: &Uses<'_>, buffer: Value, filled_by: OpId, into: &mut Vec<OpId>) {
    for &user in uses.users(buffer).iter().filter(|&&user| user != filled_by) {
        into.push(user);
        if let TileAsOp::TileAs(
            TileAsDialect::Subview { .. }
            | TileAsDialect::Transpose { .. }
            | TileAsDialect::Reinterpret { .. },
        ) = &uses.body.op(user).kind
        {
            readers(uses, uses.body.op(user).result(0), filled_by, into);
        }
    }
}
