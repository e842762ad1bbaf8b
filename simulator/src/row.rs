//! A register as a warp sees it.

/// One value for each lane of a warp.
pub type Row = [u64; 32];
