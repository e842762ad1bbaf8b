//! What a function does with its arguments, which stands in dictionaries beside them.

use super::PreviewAttr;
use crate::cuda_tile::attrs::{Attr, Dict};
use crate::cuda_tile::enums::PreviewAccess;

/// The key of an argument's dictionary that says what the function does with it.
pub const ACCESS: &str = "cuda_tile.preview$access";

/// What a function does with an argument, by its dictionary; `None` if that does not say.
pub fn access(dict: &Dict) -> Option<PreviewAccess> {
    match dict.get(ACCESS)? {
        Attr::Preview(attr) => match attr.as_ref() {
            PreviewAttr::Access(access) => Some(*access),
            PreviewAttr::Expr(_)
            | PreviewAttr::Layout(_)
            | PreviewAttr::MemorySpace(_)
            | PreviewAttr::Synchronization(_)
            | PreviewAttr::Scratch(_)
            | PreviewAttr::ConstParam(_) => None,
        },
        Attr::Number(_)
        | Attr::Bool(_)
        | Attr::Type(_)
        | Attr::String(_)
        | Attr::Array(_)
        | Attr::Dense(..)
        | Attr::Predicate(_)
        | Attr::Dict(_)
        | Attr::Hints(_)
        | Attr::Reduction(_) => None,
    }
}
