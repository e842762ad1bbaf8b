//! The text of preview content: types, attributes, expressions, functions that are implemented outside of the module.

mod attrs;
mod call;
mod expr;
mod functions;
mod types;

pub(super) use attrs::{at_preview_attr, preview_attr};
pub(super) use expr::constant;
pub(super) use types::{any_type, at_any_type};
