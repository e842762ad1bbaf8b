//! How many iterations of a loop have their loads in flight together, for passes within `tileaa`.
//!
//! The latency of memory is hidden only if enough bytes are under way on each multiprocessor
//! ([`Machine::bytes_in_flight`]). How many blocks share one is not known before the launch: each must be able to do it alone,
//! as far as registers and code allow.

use tilewright_irs::machine::{Machine, threads};

use super::early_loads::EarlyLoads;

/// The most bytes of a thread's registers for loads in flight.
const MAX_BYTES: u64 = 192;
/// The most bytes of a thread's registers for tiles whose successors are loaded to other registers while they are in use.
pub(super) const MAX_DOUBLE_BYTES: u64 = 128;
/// The most iterations in a body.
pub(super) const MAX_COPIES: u64 = 4;
/// The most iterations in a body that load up to [`SMALL_BYTES`] in each thread.
const MAX_SMALL_COPIES: u64 = 8;
/// Bytes of one vector.
const SMALL_BYTES: u64 = 16;
/// The most ops of a body.
const MAX_OPS: u64 = 512;

/// The most iterations of which all loads come first: [`MAX_COPIES`], or [`MAX_SMALL_COPIES`] where each loads at most a vector in
/// each thread and stores nothing, since fewer vectors in flight do not cover the latency of memory.
///
/// Nothing is in flight while they are used, so that they may be more than the latency takes.
pub(super) fn most_together(early: &EarlyLoads, ops: usize, stores: bool) -> u64 {
    let most = match early.bytes <= SMALL_BYTES && !stores {
        true => MAX_SMALL_COPIES,
        false => MAX_COPIES,
    };
    (MAX_BYTES / early.bytes.max(1)).min(fitting(ops)).min(most)
}

/// The most iterations of which the loads are issued one after another, each behind the last use of what the one before it in the
/// same registers loaded: a power of two, no more than a multiprocessor with one block needs.
pub(super) fn most_in_turn(early: &EarlyLoads, ops: usize, num_warps: u32, machine: &Machine) -> u64 {
    let block = early.bytes.max(1) * u64::from(threads(num_warps));
    let most = (MAX_BYTES / early.held.max(1)).min(fitting(ops)).min(MAX_COPIES);
    let needed = (1..most).find(|&copies| {
        let bytes = block.saturating_mul(copies) as f64;
        machine.bytes_in_flight().is_some_and(|needed| bytes >= needed)
    });
    needed.map_or(most, u64::next_power_of_two).min(most)
}

/// How many iterations with so many ops fit into a body.
fn fitting(ops: usize) -> u64 {
    MAX_OPS / ops.max(1) as u64
}
