//! Passes within `tileas`: placement and lowering of layout conversions, reductions between warps.
//!
//! In order: [`place_conversions()`], [`split_reductions()`], [`lower_conversions()`].

pub mod lower_conversions;
pub mod place_conversions;
pub mod split_reductions;

pub use lower_conversions::lower_conversions;
pub use place_conversions::place_conversions;
pub use split_reductions::split_reductions;
