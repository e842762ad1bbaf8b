//! CuTe's layout algebra, with its public names and meaning (`cute` in NVIDIA/cutlass): what `cute` and
//! `cute_desugared` share.
//!
//! What is known before the program runs is in the type of a value; the other leaves of a tuple are its run-time
//! content. Types are inferred and checked by [`tilewright_layouts::cute`].

mod infer;
mod ops;
mod rules;
mod types;

pub use infer::{Inferred, Operands, layout_type};
pub use ops::CuteOp;
pub use rules::{AlgebraValue, check_inferred, check_primitive, infer_primitive, leaf_scalar};
pub use types::{AlgebraType, CuteSpace, Pointer, View, operand_leaf};
