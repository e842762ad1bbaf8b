//! From `tileaa` to `tileas`: how many warps, which instruction moves what, which thread holds what.
//!
//! In order: [`attach_kernel_spec()`], [`lower_to_tileas()`] (which asks [`select_atoms`] and [`assign_layouts`]).

pub mod assign_layouts;
pub mod attach_kernel_spec;
mod group_tiles;
pub mod lower_to_tileas;
pub mod select_atoms;
mod settle_groups;

pub use attach_kernel_spec::attach_kernel_spec;
pub use lower_to_tileas::lower_to_tileas;
