//! The lowering from `nvvm` to `ptx`: values become virtual registers, block arguments moves.

mod assign;
mod branches;
mod coalescing;
mod emit_ptx;
mod globals;
mod moves;
mod printf;
mod registers;

pub use emit_ptx::emit_ptx;
pub use globals::variable_of;
