//! What a function does with its arguments, which stands in dictionaries beside them.

use super::PreviewAttr;
use crate::cuda_tile::attrs::{Attr, Dict};
use crate::cuda_tile::enums::PreviewAccess;

/// The key of an argument's dictionary that says what the function does with it.
pub const ACCESS: &str = "cuda_tile.preview$access";

/// What a function does with an argument, by its dictionary; `None` if that does not say.
pub fn access(dict: &Dict) -> Option<PreviewAccess> {
    let Attr::Preview(attr) = dict.get(ACCESS)? else {
        return None;
    };
    let PreviewAttr::Access(access) = attr.as_ref() else {
        return None;
    };
    Some(*access)
}
