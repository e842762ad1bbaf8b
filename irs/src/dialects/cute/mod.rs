//! CuTe's layout algebra, with its public names and semantics (`cute` in NVIDIA/cutlass), shared by `cute` and
//! `cute_desugared`.
//!
//! Static leaves of a tuple are part of its type; dynamic leaves are its run-time content. Types are inferred and
//! checked by [`tilewright_layouts::cute`].

mod infer;
mod ops;
mod rules;
mod types;

pub use infer::{Inferred, Operands, layout_type};
pub use ops::CuteOp;
pub use rules::{AlgebraValue, check_cached, check_inferred, check_primitive, infer_primitive, leaf_scalar};
pub use types::{AlgebraType, CuteSpace, Pointer, View, operand_leaf};
