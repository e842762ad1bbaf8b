//! Issues loads before the reductions that precede them. `tileaa` to `tileaa`.
//!
//! In: any function with its number of warps. Out: the same program, where a weak load behind a `tileaa.reduce` or a
//! `tileaa.scan` of its block, whose operands follow from what was computed before by pure ops, comes before it, directly behind
//! the loads that precede the reduction:
//!
//! ```text
//! %x, %t = tileaa.load …               %x, %t = tileaa.load …
//! %sum = tileaa.reduce [%x] …          %w, %u = tileaa.load …
//! %w, %u = tileaa.load …               %sum = tileaa.reduce [%x] …
//! ```
//!
//! So the tiles by which a row is scaled are under way while the row is reduced. Threads exchange values through shared memory in a
//! reduction, and ptxas moves no load over the barriers of that.
//!
//! Tokens order memory ops, and tokens are operands, so results do not change. A load stays behind ops that may end the kernel or
//! an iteration before it, and where it is if it is for the next iteration. At most [`MAX_BYTES`] of each thread's registers are loaded earlier than the program says.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, Func, OpId, Operation, Origin, Region};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::tileaa::{TileAa, TileAaOp};

use super::early_loads::{is_reduction, is_weak_load_to_registers, loaded_bytes};

/// The most bytes of a thread's registers for the loads of a block that are moved.
const MAX_BYTES: u64 = 64;

/// Moves loads before reductions.
///
/// # Errors
/// None; the type is that of all passes.
pub fn hoist_loads(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut func = func.clone();
    let num_warps = func.attrs.num_warps.unwrap_or(1);
    let root = func.body.root();
    if region(&mut func.body, root, num_warps) {
        func.body = func.body.renumbered();
    }
    Ok(func)
}

/// Moves the loads of a region, and of those within. Whether there were any.
fn region(body: &mut Body<TileAa>, of: Region, num_warps: u32) -> bool {
    let mut changed = false;
    for block in body.region(of).blocks.clone() {
        for id in body.block(block).ops.clone() {
            for inner in body.op(id).kind.region_list() {
                changed |= region(body, inner, num_warps);
            }
        }
        changed |= hoist(body, block, num_warps);
    }
    changed
}

/// Moves the loads of one block. Whether there were any.
fn hoist(body: &mut Body<TileAa>, block: Block, num_warps: u32) -> bool {
    let mut order = body.block(block).ops.clone();
    let mut room = MAX_BYTES;
    let mut changed = false;
    let mut at = 0;
    // What is for the next iteration was put where registers are free.
    let carried = match order.last().map(|&id| &body.op(id).kind) {
        Some(TileAaOp::Scf(ScfOp::Continue { values })) => values.clone(),
        _ => Vec::new(),
    };
    while let Some(&id) = order.get(at) {
        at += 1;
        let bytes = loaded_bytes(body, id, num_warps);
        let is_ahead = body.op(id).results().any(|result| carried.contains(&result));
        if !is_weak_load_to_registers(&body.op(id).kind) || is_ahead || bytes > room {
            continue;
        }
        if let Some(moved) = moved_before_reduction(body, &order, at - 1) {
            order = moved;
            room -= bytes;
            changed = true;
        }
    }
    if changed {
        body.arrange_ops(block, order);
    }
    changed
}

/// The order of a block's ops in which the load at a position, with what it needs, comes before the first reduction that it can
/// come before. `None` if there is no such reduction.
fn moved_before_reduction(body: &Body<TileAa>, order: &[OpId], load: usize) -> Option<Vec<OpId>> {
    let kind = |id: OpId| &body.op(id).kind;
    // No op may be passed that can end the kernel or the iteration.
    let before = order.get(..load)?;
    let passed = before.iter().rposition(|&id| !may_be_passed(kind(id)));
    let first = passed.map_or(0, |position| position + 1);
    let mut place = first;
    for (position, &id) in before.iter().enumerate().skip(first) {
        if is_weak_load_to_registers(kind(id)) {
            place = position + 1;
        }
        if is_reduction(kind(id)) {
            // Behind the loads before the reduction, else directly before it.
            let found = [place, position]
                .into_iter()
                .find_map(|place| moved(body, order, load, place));
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// The order in which the op at a position, and the pure ops that it needs, come at an earlier position. `None` if something else
/// that it needs is in between.
fn moved(body: &Body<TileAa>, order: &[OpId], position: usize, place: usize) -> Option<Vec<OpId>> {
    let between = order.get(place..=position)?;
    let (&last, others) = between.split_last()?;
    let mut needed = vec![last];
    let mut values = body.op(last).kind.operand_list();
    let mut stay = Vec::with_capacity(others.len());
    for &id in others.iter().rev() {
        let op = body.op(id);
        if !op.results().any(|result| values.contains(&result)) {
            stay.push(id);
            continue;
        }
        if !op.kind.is_pure() || !op.kind.region_list().is_empty() {
            return None;
        }
        values.extend(op.kind.operand_list());
        needed.push(id);
    }
    let (head, tail) = (order.get(..place)?, order.get(position + 1..)?);
    let middle = needed.into_iter().rev().chain(stay.into_iter().rev());
    Some(
        head.iter()
            .copied()
            .chain(middle)
            .chain(tail.iter().copied())
            .collect(),
    )
}

/// Whether what follows an op is always executed after it.
fn may_be_passed(op: &TileAaOp) -> bool {
    is_reduction(op) || (op.region_list().is_empty() && op.effects().goes_on())
}
