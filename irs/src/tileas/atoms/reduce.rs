//! `thread`, `shuffle`, `shared`, `cluster`: communication scope of a reduction along an axis.

use tilewright_layouts::{Dim, LinearLayout};

use super::{Allowed, Refusal, needs};
use crate::core::{Effects, FieldEffects, Resource};
use crate::isa::Target;
use crate::isa::rules::forms;
use crate::machine::weights;

crate::keywords! {
    /// The scope of a reduction or a scan; each includes the ones before it. The wider ones use shared memory, which
    /// they write.
    pub enum ReduceAtom: FieldEffects in Layout {
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

impl FieldEffects for ReduceAtom {
    const EFFECTS: Effects = Effects::updates(Resource::Shared);
    fn refine(&self, effects: Effects) -> Effects {
        match self {
            Self::Thread | Self::Shuffle => effects.without(Resource::Shared),
            Self::Shared | Self::Cluster => effects,
        }
    }
}

impl ReduceAtom {
    /// The narrowest scope that reaches all elements along an axis of this layout.
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

    /// Whether the layout can be reduced along the axis: each basis vector is either zero along it, or has a single bit
    /// along it, which no other has, and is zero along the other axes.
    pub fn takes(layout: &LinearLayout, axis: usize) -> bool {
        layout.bits_along(axis).is_some()
    }

    /// Whether, moreover, elements along the axis are in the order of a scan: consecutive elements in the registers of a thread, then
    /// in the lanes of a warp, then in registers again, then in the warps.
    pub fn takes_in_order(layout: &LinearLayout, axis: usize) -> bool {
        let Some(bits) = layout.bits_along(axis) else {
            return false;
        };
        let first_lane = bits.iter().position(|(dim, _)| *dim == Dim::Lane);
        let is_above_lanes = |at: usize| first_lane.is_some_and(|lane| at > lane);
        // In a thread any register may be the next one.
        let place = |(at, &(dim, bit)): (usize, &(Dim, u32))| match dim {
            Dim::Register if is_above_lanes(at) => (2, 0),
            Dim::Register => (0, 0),
            Dim::Lane => (1, bit),
            _ => (3, bit),
        };
        bits.iter().enumerate().map(place).is_sorted()
    }

    /// In a layout [for scans](Self::takes_in_order), the elements along the axis that a thread holds before those of the next lane: a
    /// warp scans as many at a time as its lanes hold so, and then the next ones.
    pub fn consecutive(layout: &LinearLayout, axis: usize) -> u32 {
        let bits = layout.bits_along(axis).unwrap_or_default();
        1 << bits.iter().take_while(|(dim, _)| *dim == Dim::Register).count()
    }

    /// Checks that the scope reaches all elements along the axis, and that the layout [can be reduced](Self::takes)
    /// along it.
    ///
    /// # Errors
    /// Some elements are in other lanes, warps or blocks than the scope reaches, the layout is not suitable, or the
    /// target has no clusters.
    pub fn check(self, target: Target, layout: &LinearLayout, axis: usize) -> Allowed {
        let least = Self::least(layout, axis);
        if self < least {
            let message = format!("`{self}` does not reach all of axis {axis}, `{least}` does: `{layout}`");
            return Err(Refusal::layout(message));
        }
        if !Self::takes(layout, axis) {
            let message = format!(
                "along axis {axis}, a register, lane or warp moves along another axis too, or by what another one moves: \
                 `{layout}`"
            );
            return Err(Refusal::layout(message));
        }
        match self {
            Self::Thread | Self::Shuffle | Self::Shared => Ok(()),
            Self::Cluster => needs("cluster", target, forms::clusters()),
        }
    }

    /// Checks the layout for a scan, whose elements must be [in order](Self::takes_in_order).
    ///
    /// # Errors
    /// Those of [`check`](Self::check), or the elements are not in order.
    pub fn check_scan(self, target: Target, layout: &LinearLayout, axis: usize) -> Allowed {
        self.check(target, layout, axis)?;
        if Self::takes_in_order(layout, axis) {
            return Ok(());
        }
        let message = format!(
            "a scan along axis {axis} takes consecutive elements in each thread, then in the lanes of a warp, then in \
             registers again, then in warps, in order: `{layout}`"
        );
        Err(Refusal::layout(message))
    }

    /// The weight, in the choice of layouts, of one warp's part of a reduction along the axis: an op for each element,
    /// each exchange, and barriers if the reduction crosses warps.
    pub fn weight(self, layout: &LinearLayout, axis: usize) -> u64 {
        self.weight_of(layout, axis, 1 << bits_along(layout, axis, Dim::Register).min(32))
    }

    /// The [weight](Self::weight) of a scan: its lanes exchange a total for all [consecutive](Self::consecutive) elements of a thread.
    pub fn scan_weight(self, layout: &LinearLayout, axis: usize) -> u64 {
        self.weight_of(layout, axis, u64::from(Self::consecutive(layout, axis)))
    }

    /// The weight where lanes exchange a value for so many elements of a thread.
    fn weight_of(self, layout: &LinearLayout, axis: usize, combined: u64) -> u64 {
        let held = u64::from(layout.in_size(Dim::Register));
        let left = (held >> bits_along(layout, axis, Dim::Register).min(32)).max(1);
        let shuffles = (held / combined).max(1) * bits_along(layout, axis, Dim::Lane);
        let in_warp = held * weights::COMBINATION + shuffles * weights::SHUFFLE;
        let between = |(barriers, element): (u64, u64)| barriers + element * left;
        match self {
            Self::Thread => held * weights::COMBINATION,
            Self::Shuffle => in_warp,
            Self::Shared => in_warp + between(weights::BETWEEN_WARPS),
            Self::Cluster => in_warp + between(weights::BETWEEN_BLOCKS),
        }
    }
}

/// The number of basis vectors of a dimension that move along an axis.
fn bits_along(layout: &LinearLayout, axis: usize, dim: Dim) -> u64 {
    let bases = layout.bases(dim);
    bases
        .filter(|basis| basis.get(axis).is_some_and(|&step| step != 0))
        .count() as u64
}
