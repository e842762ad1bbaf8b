//! Within `tileas`: layout conversions become copies through buffers.

pub mod lower_conversions;

pub use lower_conversions::lower_conversions;
