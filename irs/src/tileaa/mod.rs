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

use tilewright_diagnostics::Code;

use crate::core::{Attributes, Func, Language, Origin, Problems};
use crate::isa::limits::MOST_CLUSTER;
use crate::machine::Multiprocessor;

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
        target in Capability: crate::isa::Target,
        /// The number of warps per block, from the program's hint.
        num_warps in KernelSpec: Option<u32>,
        /// The number of blocks per cluster that the program's hint asks for: tiles are not distributed yet.
        cluster_hint in LaunchShape: Option<u32>,
        /// The number of blocks per cluster, each of which computes a part of the tiles: they are distributed.
        num_ctas in KernelSpec: Option<u32>,
        /// The number of blocks to fit on one multiprocessor, from the program's hint.
        occupancy in LaunchShape: Option<u32>,
    }
}

impl TileAaAttrs {
    /// Checks what is said of clusters and of blocks.
    fn verify(&self, problems: &mut Problems) {
        let mut wrong = |name, code, message| {
            problems.error_at(Origin::FUNCTION, Self::part(name), code, message);
        };
        for (name, blocks) in [("cluster_hint", self.cluster_hint), ("num_ctas", self.num_ctas)] {
            if let Some(blocks) = blocks
                && !(blocks.is_power_of_two() && blocks <= MOST_CLUSTER)
            {
                let message =
                    format!("a cluster has a power of two of blocks, up to {MOST_CLUSTER}, not {blocks}");
                wrong(name, Code::LaunchShape, message);
            }
        }
        match self.num_ctas {
            Some(blocks @ 2..) if !self.target.has_clusters() => {
                let message = format!(
                    "tiles are distributed over {blocks} blocks, but {} has no clusters",
                    self.target
                );
                wrong("num_ctas", Code::LaunchShape, message);
            }
            _ => {}
        }
        if let Some(blocks) = self.occupancy
            && !(1..=Multiprocessor::MOST_BLOCKS).contains(&blocks)
        {
            let message = format!(
                "a multiprocessor has 1 to {} blocks, not {blocks}",
                Multiprocessor::MOST_BLOCKS
            );
            wrong("occupancy", Code::AttributeValue, message);
        }
        if let (Some(asked), Some(made)) = (self.cluster_hint, self.num_ctas) {
            let message = format!(
                "a hint asks to distribute tiles over {asked} blocks, but they are distributed already, over {made}"
            );
            wrong("cluster_hint", Code::ConflictingAttributes, message);
        }
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
        func.attrs.verify(problems);
        verify::verify(func, problems);
    }
}
