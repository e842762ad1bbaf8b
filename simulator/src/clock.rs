//! Vector clocks of a block: what each warp knows of the progress of all others.

/// The most warps of a block.
pub(crate) const WARPS: usize = 32;

/// Those whose accesses are ordered: the warps, the copies of each warp, and the mbarriers.
const PARTIES: usize = 2 * WARPS + 1;
/// The party of the mbarriers.
pub(crate) const MBARRIERS: u8 = 2 * WARPS as u8;
/// The party of a warp's asynchronous copies.
pub(crate) const fn copies_of(warp: usize) -> u8 {
    (WARPS + warp) as u8
}

/// What each warp knows of every party's progress.
pub(crate) type Clock = [u32; PARTIES];

/// The clock of who knows of nothing.
pub(crate) const NOTHING_KNOWN: Clock = [0; PARTIES];

/// Takes over what another clock knows.
pub(crate) fn join(clock: &mut Clock, other: &Clock) {
    for (own, other) in clock.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}
