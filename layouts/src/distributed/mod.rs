//! Distributed layouts: from (register, lane, warp, block) to the elements of a tile.
//!
//! Every encoding here converts to a [`LinearLayout`](crate::LinearLayout) from (register, lane,
//! warp, block) to the tile's axes.
//!
//! An [`Encoding`] distributes tiles of any shape: [`Blocked`] for memory accesses, [`MmaTile`] for
//! matrix multiplications by warps, [`WgmmaAccumulator`] and [`WgmmaA`] for those by warpgroups,
//! [`InstructionTile`] for any other instruction, [`Slice`] for the result of a reduction,
//! [`InCluster`] for a tile over several CTAs. An instruction has one fragment, which does not depend
//! on a tile: [`MmaSync`], [`MmaVolta`], and for moves between registers and shared memory
//! [`MatrixMove`], for which [`MatrixPlan`] tests whether it can move a given tile. [`tcgen05`] has
//! the layouts of tensor memory and of its loads and stores.

mod blocked;
mod cluster;
mod encoding;
mod grid;
mod instruction_tile;
mod matrix_move;
mod matrix_plan;
mod mma_sync;
mod mma_tile;
mod mma_volta;
mod slice;
pub mod tcgen05;
mod wgmma;

pub use blocked::Blocked;
pub use cluster::{Cluster, InCluster};
pub use encoding::Encoding;
pub use instruction_tile::{InstructionTile, WarpsAlong};
pub use matrix_move::{ByteSource, MatrixMove, NarrowSource, PairCount};
pub use matrix_plan::{MatrixPlan, NotServed};
pub use mma_sync::{MmaOperand, MmaShape, MmaSync};
pub use mma_tile::MmaTile;
pub use mma_volta::{MajorOrder, MmaVolta, VoltaAccumulator};
pub use slice::Slice;
pub use wgmma::{Holder, WgmmaA, WgmmaAccumulator, WgmmaElement, WgmmaN};

pub use crate::units::MatrixCount;
