//! `thread`, `shuffle`, `shared`, `cluster`: communication scope of a reduction along an axis.

use tilewright_layouts::{Dim, LinearLayout};

use super::{Allowed, Refusal, needs};
use crate::ptx::Target;

crate::keywords! {
    /// The scope of a reduction; each includes the ones before it.
    pub enum ReduceAtom {
        /// Within each thread, which holds the whole axis.
        Thread = "thread",
        /// Between the lanes of a warp. (PTX ISA, `shfl.sync`.)
        Shuffle = "shuffle",
        /// Between the warps of a block, through shared memory.
        Shared = "shared",
        /// Between the blocks of a cluster. (PTX ISA, distributed shared memory; sm_90 and later.)
        Cluster = "cluster",
    }
}

impl ReduceAtom {
    /// The narrowest scope for a reduction along an axis of this layout.
    pub fn least(layout: &LinearLayout, axis: usize) -> Self {
        let spread = |dim: Dim| {
            let mut bases = layout.bases(dim);
            bases.any(|basis| basis.get(axis).is_some_and(|&step| step != 0))
        };
        if spread(Dim::Block) {
            Self::Cluster
        } else if spread(Dim::Warp) {
            Self::Shared
        } else if spread(Dim::Lane) {
            Self::Shuffle
        } else {
            Self::Thread
        }
    }

    /// Checks whether the scope covers all elements along the axis.
    ///
    /// # Errors
    /// It does not cover those in other lanes, warps or blocks, or the target has no clusters.
    pub fn check(self, target: Target, layout: &LinearLayout, axis: usize) -> Allowed {
        let least = Self::least(layout, axis);
        if self < least {
            let message = format!("`{self}` does not reach all of axis {axis}, `{least}` does: `{layout}`");
            return Err(Refusal::layout(message));
        }
        match self {
            Self::Thread | Self::Shuffle | Self::Shared => Ok(()),
            Self::Cluster => needs("cluster", target, target.sm >= 90, "sm_90 or later"),
        }
    }

    /// The cost of a reduction along the axis for one warp: an op for each element, some cycles for each exchange,
    /// and a barrier if it crosses warps.
    pub fn cost(self, layout: &LinearLayout, axis: usize) -> u64 {
        let held = u64::from(layout.in_size(Dim::Register));
        let bits = |dim: Dim| {
            let bases = layout.bases(dim);
            bases
                .filter(|basis| basis.get(axis).is_some_and(|&step| step != 0))
                .count() as u64
        };
        let along: u64 = 1 << bits(Dim::Register).min(32);
        let left = (held / along).max(1);
        let exchanges = 4 * left * bits(Dim::Lane);
        match self {
            Self::Thread => held,
            Self::Shuffle => held + exchanges,
            Self::Shared => held + exchanges + 50 + 4 * left,
            Self::Cluster => held + exchanges + 400 + 8 * left,
        }
    }
}
