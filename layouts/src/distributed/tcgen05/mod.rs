//! Tensor memory: layouts of tiles in it, and of its loads and stores.
//!
//! Tensor memory has 128 lanes ([`Dim::TmemLane`](crate::Dim::TmemLane)) of columns
//! ([`Dim::TmemColumn`](crate::Dim::TmemColumn)) of 32 bits. A [`TmemAccumulator`] gives the layout from
//! (lane, column) to the axes of an accumulator, a [`TmemAccess`] the layout from (register, lane, warp) to
//! (tensor-memory lane, column) of one load or store, and
//! [`TmemAccess::of_tile`] the two composed.
//! [`TmemScales`] is the layout of scale factors.
//!
//! Sources: PTX ISA, sections "Tensor Memory", "Data Movement Shape" and "Data Path Layout
//! Organization" of `tcgen05`, whose figures CUTLASS has as layouts in `copy_traits_sm100.hpp` and
//! `mma_traits_sm100_frag.hpp`.

mod access;
mod accumulator;
mod scales;

pub use access::{Repeat, TmemAccess, TmemShape, TmemValues};
pub use accumulator::{Cell, TmemAccumulator};
pub use scales::TmemScales;
