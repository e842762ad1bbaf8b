//! How a function accesses its arguments, which the dictionaries of the arguments say.

use super::PreviewAttr;
use crate::cuda_tile::attrs::{Attr, Dict};
use crate::cuda_tile::enums::PreviewAccess;

/// The key in an argument's dictionary for how the function accesses it.
pub const ACCESS: &str = "cuda_tile.preview$access";

/// How a function accesses an argument, by the argument's dictionary; `None` if that does not say.
pub fn access(dict: &Dict) -> Option<PreviewAccess> {
    let Attr::Preview(attr) = dict.get(ACCESS)? else {
        return None;
    };
    let PreviewAttr::Access(access) = attr.as_ref() else {
        return None;
    };
    Some(*access)
}
