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
//!   (reads of %b, products)
//! ```
//!
//! has a ring of `n` stages instead of the buffer, which asynchronous copies fill `n - 1` iterations ahead:
//!
//! ```text
//! %ring = tileas.alloc : buffer<…, stages = n>
//! (the copies of the first n - 1 iterations, and what ends an iteration)
//! scf.for %lower, %upper, %step, [..., %first_stage, ..., %last_stage, %slice0] body {
//! ^(%i: i32, ..., %b: #buffer, %p1: pending<#buffer>, ..., %empty: #buffer, %slice0: tile<…>):
//!   %new, %done = tileas.copy_in %array, [%x, %i + (n - 1) * %step], %empty, mask %exists
//!   (reads of %b, all products but the last)
//!   %next = tileas.copy_wait %p1 {in_flight = n - 2}
//!   tileas.barrier
//!   %slice0_next = (the read of %next that the first product needs)
//!   (the last product)
//!   scf.continue [..., %next, %p2, ..., %new, %b, %slice0_next]
//! ```
//!
//! The stages rotate through the loop-carried values: the one that was read is empty in the next iteration. One barrier
//! an iteration is enough: before it every thread has waited for its copies of the stage that is read next, and has
//! finished reading the stage that is filled next. It comes before the last product of an iteration, together with the
//! reads for the first product of the next one, so that there is always a product to compute meanwhile. A copy for an
//! iteration that does not exist reads nothing, since its mask is 0.
//!
//! A tile qualifies if its index depends on the counter and on values from outside of the loop only, its load is weak
//! and ordered after no memory access of the loop, and `cp.async` can copy it: 4, 8 or 16 bytes that are contiguous in
//! the array and in the buffer, padded with zeros. Any other tile that is computed from the counter and such loads is
//! loaded to registers one iteration ahead, and stored to a ring of two stages (one, where two do not fit) at the end
//! of the iteration.
//!
//! Where two stages do not fit, single stages are filled again between their last read and their first one (`refill`),
//! if buffers are read one after the other.
//!
//! The number of stages follows from the `latency` of the loads, else it is 4; fewer where shared memory for the number
//! of blocks on a multiprocessor does not suffice, or the loop has fewer iterations. Two stages on fewer blocks than the
//! `occupancy` hint are better than no pipeline: the hint is lowered then.

mod candidates;
mod emit;
mod expand;
mod refill;
mod stages;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, Flag, Func, OpId, Operation, Origin, Value, translate_func};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::Dense;
use tilewright_irs::tileas::{TileAs, TileAsAttrs, TileAsDialect, TileAsOp, TileAsType};

use candidates::{Candidate, Leading, Loop, Uses};
use expand::Pipeline;
use refill::Refill;
use stages::{Room, Stages};

/// Pipelines the loads of loops.
///
/// # Errors
/// None; the type is that of all passes.
pub fn pipeline_loads(func: &Func<TileAs>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let plans = plans(func);
    if plans.is_empty() {
        return Ok(func.clone());
    }
    let mut attrs = func.attrs.clone();
    // Where shared memory does not suffice for more blocks, each may have more registers.
    let blocks = plans.values().map(|plan| plan.blocks).min();
    attrs.occupancy = attrs.occupancy.zip(blocks).map(|(hint, blocks)| hint.min(blocks));
    translate_func(func, attrs, &mut Pipeline::new(&plans))
}

/// The rings of a loop.
struct Plan {
    rings: Vec<Candidate>,
    means: Means,
    /// The blocks that fit on a multiprocessor then, up to those that are wanted.
    blocks: u32,
    /// The counter's step.
    step: u64,
    /// The counter's type.
    counter: ScalarType,
    /// Barriers that only separate stores to the buffers from their reads.
    barriers: Vec<OpId>,
}

/// How tiles are loaded ahead.
enum Means {
    /// To other stages, one or several iterations ahead.
    Rotate(Rotation),
    /// To the same stage, as soon as it has been read.
    Refill(Refill),
}

/// Rings of several stages.
struct Rotation {
    stages: Stages,
    /// What the first product reads.
    leading: Leading,
}

fn plans(func: &Func<TileAs>) -> FxHashMap<OpId, Plan> {
    if !func.body.ops().any(|(_, op)| is_product(&op.kind)) {
        return FxHashMap::default();
    }
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
    let TileAsOp::Scf(ScfOp::For {
        step,
        body,
        loads_ahead: Flag(false),
        ..
    }) = &uses.body.op(id).kind
    else {
        return None;
    };
    let block = uses.body.only_block(*body)?;
    let inside = uses.body.walk_region(*body);
    let mut ops = inside.iter().map(|&id| &uses.body.op(id).kind);
    if ops.clone().any(|op| {
        matches!(
            op,
            TileAsOp::Scf(ScfOp::For { .. } | ScfOp::Loop { .. } | ScfOp::Return {})
        )
    }) {
        return None;
    }
    if !ops.any(is_product) {
        return None;
    }
    let counter = match uses.body.ty(*step) {
        TileAsType::Scalar(ElementType::Scalar(scalar @ (ScalarType::I32 | ScalarType::I64))) => *scalar,
        _ => return None,
    };
    let step = u64::try_from(constant(uses, *step)?)
        .ok()
        .filter(|step| (1..1 << 24).contains(step))?;
    let around = Loop::new(uses, block, attrs.target, attrs.kernel_spec.num_warps)?;
    let rings = around.candidates();
    if rings.is_empty() {
        return None;
    }
    let room = Room::of(uses, attrs, id);
    let (rings, means, blocks) = match room.rotating(uses, id, &rings) {
        Some((stages, blocks)) => {
            let leading = around.leading(&rings);
            (rings, Means::Rotate(Rotation { stages, leading }), blocks)
        }
        None => {
            let (rings, refill) = Refill::of(uses, block, rings)?;
            let blocks = room.refilled(uses, id, &rings)?;
            (rings, Means::Refill(refill), blocks)
        }
    };
    let barriers = idle_barriers(uses.body, block, &rings);
    Some(Plan {
        rings,
        means,
        blocks,
        step,
        counter,
        barriers,
    })
}

fn is_product(op: &TileAsOp) -> bool {
    matches!(op, TileAsOp::TileAs(TileAsDialect::Dot { .. }))
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
