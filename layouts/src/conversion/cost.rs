//! The cost model of conversions, and the permitted means.

use super::{Conversion, LaneShuffles, SharedRoundTrip};
use crate::units::Bytes;

/// The means that a code generator has to convert a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Means {
    /// Whether warp shuffles may be used.
    pub lane_shuffles: bool,
    /// The size limit of a buffer in shared memory; `None` without shared memory.
    pub shared: Option<Bytes>,
}

impl Means {
    /// All means, and shared memory without a limit.
    pub const ALL: Means = Means {
        lane_shuffles: true,
        shared: Some(Bytes(u64::MAX)),
    };
    /// All means but warp shuffles.
    pub const WITHOUT_SHUFFLES: Means = Means {
        lane_shuffles: false,
        shared: Some(Bytes(u64::MAX)),
    };
    /// Register permutations only.
    pub const REGISTERS: Means = Means {
        lane_shuffles: false,
        shared: None,
    };
}

/// What a conversion costs, in any unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CostModel {
    /// One `shfl.sync` of a warp.
    pub shuffle: u64,
    /// One selection or byte permutation of a warp.
    pub select: u64,
    /// One cycle of the banks of shared memory for a warp.
    pub bank_cycle: u64,
    /// One barrier of all warps; a round trip has two for each piece.
    pub barrier: u64,
}

impl CostModel {
    /// The cost of shuffles.
    pub fn of_shuffles(self, plan: &LaneShuffles) -> u64 {
        let shuffles = plan.shuffles.saturating_mul(self.shuffle);
        shuffles.saturating_add(plan.selects.saturating_mul(self.select))
    }

    /// The cost of a round trip.
    pub fn of_round_trip(self, trip: &SharedRoundTrip) -> u64 {
        let barriers = u64::from(trip.pieces)
            .saturating_mul(2)
            .saturating_mul(self.barrier);
        barriers.saturating_add(trip.cycles().saturating_mul(self.bank_cycle))
    }

    /// The cost of any conversion; register permutations are free.
    ///
    /// ```
    /// use tilewright_layouts::{Blocked, Conversion};
    /// use tilewright_layouts::conversion::CostModel;
    /// let rows = Blocked::coalesced(&[32, 32], 4, &[1, 0], 1)?.to_linear(&[32, 32])?;
    /// let prices = CostModel { shuffle: 2, select: 1, bank_cycle: 2, barrier: 50 };
    /// assert_eq!(prices.of(&Conversion::plan(&rows, &rows, 4, prices)?), 0);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn of(self, conversion: &Conversion) -> u64 {
        match conversion {
            Conversion::Noop | Conversion::RegisterPermutation(_) => 0,
            Conversion::LaneShuffles(plan) => self.of_shuffles(plan),
            Conversion::SharedRoundTrip(trip) => self.of_round_trip(trip),
        }
    }
}
