//! Layout algebra of tiles in registers and memory.
//!
//! A tile of a GPU program is distributed over registers, lanes, warps and blocks, or over the bytes
//! of shared memory. All of these are *linear layouts*: maps between index bits that are linear over
//! GF(2), the field of two elements whose addition is exclusive or. A layout is a small bit matrix,
//! and matrix algebra answers the questions of a code generator: vector width of a load, replication
//! among lanes, conversion from one layout to another, and the bank conflicts of an access. The
//! theory is that of *Linear Layouts: Robust Code Generation of Efficient Tensor Computation Using
//! F2* (arXiv 2505.23819).
//!
//! This crate does not depend on the compiler: no types, no ops, no diagnostics.
//!
//! | module | contents |
//! |---|---|
//! | [`linear`] | linear layouts: construction, algebra, reshaping, queries, text form |
//! | [`distributed`] | distributed layouts: encodings of users and fragments of instructions |
//! | [`shared`] | shared-memory layouts |
//! | [`conversion`] | conversions of a tile between two layouts |
//! | [`cute`] | CuTe's algebra of hierarchical shapes and strides |
//! | [`bridge`] | conversions between CuTe layouts and linear layouts |
//! | [`bank`] | the cost of a warp's access to shared memory |
//! | [`descriptor`] | matrix descriptors of tensor cores |
//! | [`span`] | Gaussian elimination over GF(2) |
//! | [`legality`] | hardware limits |
//! | [`units`] | newtypes for bytes, widths and counts |
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
