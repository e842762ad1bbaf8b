//! CuTe's layout algebra: nested shapes and strides.

mod swizzle;

pub use swizzle::{MAX_SWIZZLE_BITS, Swizzle, SwizzleError};
