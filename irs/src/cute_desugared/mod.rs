//! `cute_desugared`: which thread holds what.
//!
//! The code of one thread: tiles are fragments (a thread's elements in register order), addresses are layout algebra
//! on the thread's coordinate, memory moves in vectors. Control flow is still structured.
//!
//! Gone from here on: tiles, tokens, agents, layouts in types.

mod ops;
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
        verify::verify(func, problems);
    }
}
