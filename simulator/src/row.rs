//! The value of a register in all lanes of a warp.

/// One value for each lane of a warp.
pub type Row = [u64; 32];
