//! `tileaa`: facts and aliasing.
//!
//! Views are lowered to memrefs (base, extents, strides, alias class), assumptions to facts in the types of values,
//! and order to token edges. A tile of rank 0 is a scalar, uniform over the threads.
//!
//! Not representable: views, `assume`. Decided later: layouts, atoms.

mod facts;
mod memory_op;
mod ops;
mod types;
mod verify;

use crate::core::{Func, Language, Problems};

pub use facts::{Facts, MAX_DIVISOR};
pub use memory_op::{MemoryOp, MemoryPlace};
pub use ops::{TileAaDialect, TileAaOp};
pub use types::{MAX_TILE_ELEMENTS, TileAaKind, TileAaType};
pub(crate) use types::{read_tile, write_tile};

/// The language `tileaa`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TileAa;

crate::attributes! {
    /// Function attributes of `tileaa`.
    pub struct TileAaAttrs {
        /// The target GPU.
        target: crate::isa::Target,
        /// The number of warps per block, from the program's hint.
        num_warps: Option<u32>,
        /// The number of blocks per cluster, from the program's hint.
        num_ctas: Option<u32>,
        /// The number of blocks to fit on one multiprocessor, from the program's hint.
        occupancy: Option<u32>,
    }
}

impl Language for TileAa {
    const NAME: &'static str = "tileaa";
    type Type = TileAaType;
    type Op = TileAaOp;
    type Tag = ();
    type FuncAttrs = TileAaAttrs;
    const FOLLOWS_VALUES: bool = true;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        verify::verify(func, problems);
    }
}
