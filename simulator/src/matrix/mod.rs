//! Matrix products of a warp, `mma.sync`, and of a warp group, `wgmma`; and the fragments that `ldmatrix` and
//! `stmatrix` move.
//!
//! Pure functions from the registers of 32 lanes to the registers of 32 lanes. The fragments follow the formulas of
//! the PTX ISA (section "Matrix multiply-accumulate operation using mma instruction"), deliberately independent of
//! the compiler's layouts, so that each can check the other.
//!
//! Summation:
//! - integers: exact, then wrapped to 32 bits or, with `.satfinite`, clamped;
//! - floats of up to 32 bits: every product and the whole sum `A*B + C` are exact, then rounded once to nearest even
//!   in the type of D. Hardware aligns the products of a step to the largest one and truncates them about 24 bits
//!   below it, so it may differ by a few units in the last place of the largest term;
//! - `f64`: consecutive fused multiply-adds, in the order of k, each rounded to nearest even.
//!
//! An exact sum of zero is positive. A NaN result is the canonical one. The low 13 bits of a `tf32` operand are
//! ignored. Subnormal numbers are not flushed.

mod descriptor;
mod element;
mod exact;
mod fragment;
mod group;
mod moves;
mod product;

pub(crate) use descriptor::{CHUNK, Contiguous, Descriptor};
pub use element::{Element, Scale};
pub(crate) use group::{GroupKind, GroupProduct, ROWS};
pub use moves::{MatrixLoad, MatrixStore, Unpacking};
pub use product::{Accumulator, BitOperation, Major, Product, ProductKind, Scaling, ScalingOperand, Shape};

/// One register of each lane.
pub use crate::row::Row;
