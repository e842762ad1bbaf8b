//! The primitives of CuTe's algebra: what `cute_desugared` has of layouts, tuples and pointers.
//!
//! Static leaves of a tuple are part of its type; dynamic leaves are its run-time content. Ops that have a public name of
//! `cute` mean the same here; `flat`, `address`, `tiled_remainder` and iterators over tiles have no counterpart there.

pub mod algebra;
pub mod division;
pub mod iterator;
mod ops;
mod rules;

pub use algebra::{AlgebraOp, PublicType};
pub use division::DivisionOp;
pub use iterator::IteratorOp;
pub use ops::CuteOp;
pub use rules::{AlgebraValue, check, machine_integer};
