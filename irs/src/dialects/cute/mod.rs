//! The primitives of CuTe's algebra: what `cute_desugared` has of layouts, tuples and pointers.
//!
//! Static leaves of a tuple are part of its type; dynamic leaves are its run-time content. Ops that have a public name of
//! `cute` mean the same here; `flat` and `address` have no counterpart there.

mod ops;
mod rules;

pub use ops::CuteOp;
pub use rules::{AlgebraValue, check, machine_integer};
