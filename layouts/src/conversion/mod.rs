//! Conversions of a tile between two layouts.
//!
//! | means | moves values | planned by |
//! |---|---|---|
//! | none | | [`Conversion::Noop`] |
//! | register permutation | within a thread | [`RegisterMap`] |
//! | warp shuffles | within a warp | [`LaneShuffles`] |
//! | a buffer in shared memory | within a block | [`SharedRoundTrip`] |
//!
//! [`Conversion::plan`] takes the cheapest by a [`CostModel`], [`Conversion::plan_with`] the cheapest
//! of some [`Means`]. (arXiv 2505.23819, §5.4: layout conversions.)
//!
//! [`SharedSlices`] plans the buffer of a tile that is stored once and loaded slice by slice.

mod cost;
mod optimal_swizzle;
mod shared_access;
mod shared_round_trip;
mod shared_slices;
mod shuffle;
mod subspace;

pub use cost::{CostModel, Means};
pub use shared_access::SharedAccess;
pub use shared_round_trip::SharedRoundTrip;
pub use shared_slices::{LoadKind, SharedSlices, SliceLoad};
pub use shuffle::LaneShuffles;

use crate::bank::check_bytes;
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::{LinearLayout, RegisterMap};

/// A conversion of a tile between two layouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Nothing to do.
    Noop,
    /// A register permutation in every thread.
    RegisterPermutation(RegisterMap),
    /// Shuffles within each warp.
    LaneShuffles(Box<LaneShuffles>),
    /// A store to shared memory, a barrier, and a load.
    SharedRoundTrip(Box<SharedRoundTrip>),
}

impl Conversion {
    /// Plans the cheapest conversion of a tile of elements of `element_bytes` bytes from layout
    /// `source` to layout `wanted`.
    ///
    /// # Errors
    /// The layouts are of different tensors, `source` lacks elements of `wanted`, a value would have
    /// to change blocks, or `element_bytes` is not a power of two from 1 to 16.
    ///
    /// ```
    /// use tilewright_layouts::conversion::CostModel;
    /// use tilewright_layouts::{Blocked, Conversion};
    /// let prices = CostModel { shuffle: 2, select: 1, bank_cycle: 2, barrier: 50 };
    /// let rows = Blocked::coalesced(&[32, 32], 4, &[1, 0], 4)?.to_linear(&[32, 32])?;
    /// let columns = Blocked::coalesced(&[32, 32], 4, &[0, 1], 4)?.to_linear(&[32, 32])?;
    /// assert_eq!(Conversion::plan(&rows, &rows, 4, prices)?, Conversion::Noop);
    /// // A warp's part of the columns is in all four warps.
    /// let Conversion::SharedRoundTrip(trip) = Conversion::plan(&rows, &columns, 4, prices)? else { panic!() };
    /// assert_eq!(trip.bytes, 4096);
    /// assert_eq!(trip.conflicts(), 0);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn plan(
        source: &LinearLayout,
        wanted: &LinearLayout,
        element_bytes: u32,
        prices: CostModel,
    ) -> Result<Conversion, LayoutError> {
        Self::plan_with(source, wanted, element_bytes, Means::ALL, prices)
    }

    /// Like [`Conversion::plan`], with these means only. Of equal costs shuffles are
    /// preferred.
    ///
    /// # Errors
    /// As there; or [`LayoutError::OutOfMeans`] if values have to leave their thread and no means
    /// allow that, or [`LayoutError::BufferTooSmall`] if only shared memory would do and its limit is
    /// too low.
    ///
    /// ```
    /// use tilewright_layouts::{Conversion, LinearLayout};
    /// use tilewright_layouts::conversion::{CostModel, Means};
    /// let a: LinearLayout = "linear<lane = [[1],[2],[4],[8],[16]], shape = [32]>".parse()?;
    /// let b: LinearLayout = "linear<lane = [[2],[1],[4],[8],[16]], shape = [32]>".parse()?;
    /// let prices = CostModel { shuffle: 2, select: 1, bank_cycle: 2, barrier: 50 };
    /// let plan = |means| Conversion::plan_with(&a, &b, 4, means, prices);
    /// assert!(matches!(plan(Means::ALL)?, Conversion::LaneShuffles(_)));
    /// assert!(matches!(plan(Means::WITHOUT_SHUFFLES)?, Conversion::SharedRoundTrip(_)));
    /// assert!(plan(Means::REGISTERS).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan_with(
        source: &LinearLayout,
        wanted: &LinearLayout,
        element_bytes: u32,
        means: Means,
        prices: CostModel,
    ) -> Result<Conversion, LayoutError> {
        check_bytes(element_bytes)?;
        source.check_same_outs(wanted)?;
        match wanted.registers_from(source) {
            // Replicated registers are unchanged, too.
            Some(_) if wanted.words(Dim::Register) == source.words(Dim::Register) => {
                return Ok(Conversion::Noop);
            }
            Some(map) => return Ok(Conversion::RegisterPermutation(map)),
            None => {}
        }
        let shuffles = match means.lane_shuffles {
            true => LaneShuffles::plan(source, wanted, element_bytes)?,
            false => None,
        };
        let trip = match means.shared {
            Some(limit) => SharedRoundTrip::plan_within(source, wanted, element_bytes, limit),
            None => Err(LayoutError::OutOfMeans),
        };
        match (shuffles, trip) {
            (Some(plan), Ok(trip)) if prices.of_shuffles(&plan) > prices.of_round_trip(&trip) => {
                Ok(Conversion::SharedRoundTrip(Box::new(trip)))
            }
            (Some(plan), _) => Ok(Conversion::LaneShuffles(Box::new(plan))),
            (None, trip) => trip.map(|trip| Conversion::SharedRoundTrip(Box::new(trip))),
        }
    }
}
