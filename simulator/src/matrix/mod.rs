//! Matrix products of a warp: `mma.sync`, and the fragments that `ldmatrix` and `stmatrix` move.
//!
//! Pure functions from the registers of 32 lanes to the registers of 32 lanes. The fragments follow the formulas of
//! the PTX ISA (section "Matrix multiply-accumulate operation using mma instruction"), written down here a second
//! time on purpose: this crate does not know the layouts of the compiler, so that it can disagree with them.
//!
//! How sums are made:
//! - integers: exactly, then wrapped to 32 bits or, with `.satfinite`, clamped;
//! - floats of up to 32 bits: every product and the whole sum `A*B + C` exactly, then one rounding to nearest even in
//!   the type of D. Hardware adds the products of a step after aligning them to the largest and cutting what is more
//!   than about 24 bits below it, so it may differ by a few units in the last place of the largest term;
//! - `f64`: one fused multiply-add after the other, in the order of k, each rounded to nearest even.
//!
//! An exact sum of zero is positive. A NaN result is the canonical one. Of a `tf32` operand the low 13 bits are not
//! read. Subnormal numbers count.

mod element;
mod exact;
mod fragment;
mod moves;
mod product;

pub use element::{Element, Scale};
pub use moves::{MatrixLoad, MatrixStore, Unpacking};
pub use product::{Accumulator, BitOperation, Major, Product, ProductKind, Scaling, ScalingOperand, Shape};

/// One register of each lane.
pub use crate::row::Row;
