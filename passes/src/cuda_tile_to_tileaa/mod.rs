//! The lowering from `cuda_tile` to `tileaa`.

mod resolve_views;

pub use resolve_views::{check_hints, resolve_views};
