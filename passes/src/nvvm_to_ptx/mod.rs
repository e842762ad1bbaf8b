//! From `nvvm` to `ptx`: values become virtual registers, block arguments moves.

mod branches;
mod moves;
mod registers;

pub mod emit_ptx;
