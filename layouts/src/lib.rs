//! Layout mathematics: where each element of a tile lives.
//!
//! A tile of a GPU program is spread over registers, lanes, warps and blocks, or over the bytes of
//! shared memory. All of these placements are *linear layouts*: maps between index bits that are
//! linear over GF(2), the field of two elements whose addition is exclusive or. One small matrix of
//! bits says everything about a placement, and matrix algebra answers the questions a code generator
//! asks: how wide can this load be, which lanes hold copies, how does a value get from here to there,
//! and how many bank conflicts does that cost. The theory is that of *Linear Layouts: Robust Code
//! Generation of Efficient Tensor Computation Using F2* (arXiv 2505.23819).
//!
//! This crate knows nothing of the compiler: no types, no ops, no diagnostics.
//!
//! | module | what it answers |
//! |---|---|
//! | [`linear`] | the map itself: construction, algebra, shape changes, questions, written form |
//! | [`distributed`] | which thread holds which element: placements that users and instructions ask for |
//! | [`shared`] | which offset of shared memory holds which element |
//! | [`conversion`] | how a tile gets from one placement to another |
//! | [`cute`] | CuTe's algebra of hierarchical shapes and strides |
//! | [`bridge`] | which CuTe layout and which linear layout are the same function |
//! | [`bank`] | what a warp's access to shared memory costs |
//! | [`descriptor`] | the words by which tensor cores find an operand in shared memory |
//! | [`span`] | which vectors over GF(2) are sums of which others |
//! | [`legality`] | what the hardware admits, and which rule a shape breaks |
//! | [`units`] | bytes, widths and counts that cannot be mistaken for each other |
//!
//! ```
//! use tilewright_layouts::{Blocked, Dim};
//!
//! // 1024 elements over four warps, four consecutive elements to a thread at a time.
//! let layout = Blocked::coalesced(&[1024], 4, &[0], 4)?.to_linear(&[1024])?;
//! assert_eq!(layout.in_size(Dim::Register), 8);
//! assert_eq!(*layout.at(1, 2, 0, 0), [9]);
//! # Ok::<(), tilewright_layouts::LayoutError>(())
//! ```

pub mod bank;
pub mod bridge;
pub mod conversion;
pub mod cute;
pub mod descriptor;
mod dim;
pub mod distributed;
mod error;
pub mod legality;
pub mod linear;
pub mod shared;
pub mod span;
pub mod units;

pub use bank::BankCost;
pub use conversion::{Conversion, LaneShuffles, SharedRoundTrip};
pub use dim::{Coordinates, Dim, MAX_DIM_BITS, MAX_RANK, MAX_TOTAL_BITS, UnknownDim};
pub use distributed::Blocked;
pub use error::LayoutError;
pub use linear::{ColumnAction, LinearLayout, ParseLayoutError, RegisterMap, Spread};
pub use shared::SwizzleMode;
pub use units::{Bytes, ElementWidth};
