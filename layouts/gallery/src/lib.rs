//! Named layouts, and pictures of layouts, for the command line.
//!
//! | module | contents |
//! |---|---|
//! | [`catalogue`] | named layouts, such as `mma.m16n8k16.b16.a` |
//! | [`picture`] | pictures of layouts: tables, terminal graphics, SVG |
//!
//! The layout algebra is [`tilewright_layouts`], which does not depend on this crate. Only the
//! command line uses this crate.

pub mod catalogue;
pub mod picture;
