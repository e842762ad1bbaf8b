//! Within `tileas`: layout conversions are moved to where the fewest are needed, then become copies through buffers.
//!
//! In order: [`place_conversions()`], [`lower_conversions()`].

pub mod lower_conversions;
pub mod place_conversions;

pub use lower_conversions::lower_conversions;
pub use place_conversions::place_conversions;
