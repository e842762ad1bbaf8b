//! `tileas`: where things live and how work is done.
//!
//! Every tile has a distributed layout; every memory op has an atom, the witness of how it moves its data; a layout
//! changes only where `tileas.convert_layout` says so; the function has its kernel spec.
//!
//! Gone from here on: tiles without a layout, memory ops without an atom, facts.

mod atoms;
mod movement;
mod ops;
mod types;
pub(crate) mod verify;

use crate::core::{Func, Language, Problems};

pub use atoms::{CopyAtom, CopyKind, Exchange, KernelSpec};
pub use movement::shape_registers;
pub use ops::{TileAsDialect, TileAsOp};
pub use types::TileAsType;

/// The language `tileas`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TileAs;

crate::attributes! {
    /// What `tileas` and `scheduled` record on a function.
    pub struct TileAsAttrs {
        /// The GPU that code is made for.
        target: crate::isa::Target,
        /// How many warps and blocks run the kernel together.
        kernel_spec: KernelSpec,
        /// How many blocks should fit on one multiprocessor.
        occupancy: Option<u32>,
        /// Bytes of shared memory that the body uses.
        shared_bytes: u32,
    }
}

impl Language for TileAs {
    const NAME: &'static str = "tileas";
    type Type = TileAsType;
    type Op = TileAsOp;
    type Tag = ();
    type FuncAttrs = TileAsAttrs;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        verify::verify(
            &func.body,
            &func.attrs,
            |op| match op {
                TileAsOp::Arith(op) => verify::Part::Arith(op),
                TileAsOp::Scf(op) => verify::Part::Scf(op),
                TileAsOp::Tile(op) => verify::Part::Tile(op),
                TileAsOp::TileAs(op) => verify::Part::TileAs(op),
            },
            problems,
        );
    }
}
