//! Distributed layouts: which register of which thread holds which element of a tile.
//!
//! Every placement here becomes a [`LinearLayout`](crate::LinearLayout) from (register, lane, warp,
//! block) to the tile's axes.

mod blocked;

pub use blocked::Blocked;
