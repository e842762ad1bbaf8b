//! Passes within `tileas`: placement and lowering of layout conversions.
//!
//! In order: [`place_conversions()`], [`lower_conversions()`].

pub mod lower_conversions;
pub mod place_conversions;

pub use lower_conversions::lower_conversions;
pub use place_conversions::place_conversions;
