//! `tileaa`: facts and aliasing.
//!
//! Views have become memrefs (base, extents, strides, alias class), assumptions have become facts in the types of
//! values, and order is memory-token edges. A tile of rank 0 is a scalar: the same in all threads.
//!
//! Gone from here on: views, `assume`. Not decided yet: where elements live, how memory is accessed.

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
    /// What `tileaa` records on a function.
    pub struct TileAaAttrs {
        /// The GPU that code is made for.
        target: crate::isa::Target,
        /// The number of warps a block should have, as the program's hint says.
        num_warps: Option<u32>,
        /// The number of blocks in a cluster, as the program's hint says.
        num_ctas: Option<u32>,
        /// How many blocks should fit on one multiprocessor, as the program's hint says.
        occupancy: Option<u32>,
    }
}

impl Language for TileAa {
    const NAME: &'static str = "tileaa";
    type Type = TileAaType;
    type Op = TileAaOp;
    type Tag = ();
    type FuncAttrs = TileAaAttrs;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        verify::verify(func, problems);
    }
}
