//! What each op does, in one file a group of ops.

pub(crate) mod assume;
pub(crate) mod cast;
pub(crate) mod control;
pub(crate) mod float;
pub(crate) mod fold;
pub(crate) mod int;
pub(crate) mod matrix;
pub(crate) mod memory;
pub(crate) mod multimem;
pub(crate) mod pointer;
pub(crate) mod print;
pub(crate) mod shape;
pub(crate) mod view;
pub(crate) mod window;
