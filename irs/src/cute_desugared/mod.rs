//! `cute_desugared`: per-thread code.
//!
//! Tiles are fragments (a thread's elements in register order), addresses are computed from the thread index by
//! layout algebra, memory accesses are vectors. Control flow is structured.
//!
//! Removed: tiles, tokens, agents, layouts in types.

mod checked;
mod hopper;
mod ops;
mod shared_addresses;
mod types;
mod verify;

use crate::core::{Func, Language, Problems};
use crate::tileas::TileAsAttrs;

pub use ops::CuteDesugaredOp;
pub use types::DesugaredType;

/// The language `cute_desugared`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CuteDesugared;

impl Language for CuteDesugared {
    const NAME: &'static str = "cute_desugared";
    type Type = DesugaredType;
    type Op = CuteDesugaredOp;
    type Tag = ();
    type FuncAttrs = TileAsAttrs;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        func.attrs.verify(problems);
        verify::verify(func, problems);
    }
}
