//! Parses preview content: types, attributes, expressions.

mod attrs;
mod expr;
mod types;

pub(super) use attrs::{at_preview_attr, preview_attr, scratch, synchronization};
pub(super) use expr::{constant, constants};
pub(super) use types::{any_type, at_any_type, kind, param_name};
