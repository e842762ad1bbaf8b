//! The lowering from `tileaa` to `tileas`: number of warps, atoms, layouts.
//!
//! In order: [`attach_kernel_spec()`], [`select_atoms()`](crate::tileaa::select_atoms()), [`assign_layouts()`].

pub mod assign_layouts;
pub mod attach_kernel_spec;

pub use assign_layouts::assign_layouts;
pub use attach_kernel_spec::attach_kernel_spec;
