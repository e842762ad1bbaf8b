//! Relative costs by which layouts are chosen.
//!
//! All are on one scale, of a sector of global memory that a warp moves; at the rate of the second cache
//! ([`Rates::L2_BYTES`](super::Rates::L2_BYTES)) it takes about a cycle. They are chosen such that kernels are fast, and
//! are less than latencies, which other warps hide.

/// An instruction that accesses global memory, beside its sectors.
pub const GLOBAL_INSTRUCTION: u64 = 8;
/// An instruction of an atomic access that orders others, instead of what it moves: a fence, as measured
/// ([`Costs`](super::Costs)).
pub const ORDERING_INSTRUCTION: u64 = 668;
/// An access of a warp to shared memory in an exchange between layouts.
pub const SHARED_ACCESS: u64 = 12;
/// An exchange through shared memory beside its accesses: two barriers.
pub const EXCHANGE: u64 = 40;
/// A permutation of the registers of each thread.
pub const PERMUTATION: u64 = 1;
/// An element that a thread combines with another in a reduction.
pub const COMBINATION: u64 = 1;
/// A shuffle of a reduction.
pub const SHUFFLE: u64 = 4;
/// A reduction between the warps of a block: its barriers, and an element.
pub const BETWEEN_WARPS: (u64, u64) = (50, 4);
/// A reduction between the blocks of a cluster: its barrier, as measured ([`Costs`](super::Costs)), and an element.
pub const BETWEEN_BLOCKS: (u64, u64) = (358, 8);
