//! Passes within `tileas`: placement and lowering of layout conversions, reductions between warps, and copies of what
//! is printed.
//!
//! In order: [`place_conversions()`], [`split_reductions()`], [`stage_prints()`], [`lower_conversions()`].

pub mod lower_conversions;
pub mod place_conversions;
pub mod split_reductions;
pub mod stage_prints;

pub use lower_conversions::lower_conversions;
pub use place_conversions::place_conversions;
pub use split_reductions::split_reductions;
pub use stage_prints::stage_prints;
