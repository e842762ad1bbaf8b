//! The lowering from `cuda_tile` to `tileaa`.

mod override_hints;
mod resolve_views;

pub use override_hints::{hints_for, override_hints, override_stages, without_hints};
pub use resolve_views::{
    asked_hints, check_hints, gather_hints, idle_hints, ignored_attributes, resolve_views,
};
