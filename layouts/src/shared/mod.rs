//! Shared-memory layouts: which offset of a buffer holds which element of a tile.
//!
//! Every placement here becomes a [`LinearLayout`](crate::LinearLayout) from
//! [`Dim::Offset`](crate::Dim::Offset), in elements, to the tile's axes.

mod swizzle_mode;

pub use swizzle_mode::SwizzleMode;
