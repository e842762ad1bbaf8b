//! Layouts by name, and pictures of layouts: what people ask of a layout, and no compiler.
//!
//! | module | what it answers |
//! |---|---|
//! | [`catalogue`] | which layout has a name such as `mma.m16n8k16.b16.a` |
//! | [`picture`] | what a layout looks like: tables, pictures for terminals, SVG |
//!
//! The mathematics is that of [`tilewright_layouts`], which knows nothing of this crate. Only the
//! command line uses it.

pub mod catalogue;
pub mod picture;
