//! Addresses of the shared memory of a cluster: an offset in the block's own memory, or with the rank of a block, plus
//! one, in the upper bits.

/// The bits of an offset in one block's shared memory.
pub(crate) const OFFSET_BITS: u32 = 24;

/// Whether an address of shared memory names a block.
pub(crate) const fn names_block(address: u64) -> bool {
    address >> OFFSET_BITS != 0
}

/// The address of an offset in the memory of the block of a rank.
pub(crate) const fn address_in(rank: u64, offset: u64) -> u64 {
    (rank + 1) << OFFSET_BITS | offset
}

/// The offset of an address that names the block of this rank.
pub(crate) fn own_offset(rank: usize, address: u64) -> Option<u64> {
    let named = address >> OFFSET_BITS == rank as u64 + 1;
    named.then_some(address & ((1 << OFFSET_BITS) - 1))
}
