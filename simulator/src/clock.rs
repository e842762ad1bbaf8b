//! Vector clocks of a block, for race detection.

/// The maximum number of warps of a block.
pub(crate) const WARPS: usize = 32;

/// The parties of race detection: the warps, the copies of each warp, and the mbarriers.
const PARTIES: usize = 2 * WARPS + 1;
/// The party of the mbarriers.
pub(crate) const MBARRIERS: u8 = 2 * WARPS as u8;
/// The party of a warp's asynchronous copies.
pub(crate) const fn copies_of(warp: usize) -> u8 {
    (WARPS + warp) as u8
}

/// The latest time of every party that a warp is ordered after.
pub(crate) type Clock = [u32; PARTIES];

/// The clock that is ordered after nothing.
pub(crate) const NOTHING_KNOWN: Clock = [0; PARTIES];

/// Joins another clock.
pub(crate) fn join(clock: &mut Clock, other: &Clock) {
    for (own, other) in clock.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}
