//! Vectors.

use super::PLAIN;
use super::PLAIN_TO;
use crate::core::Value;
use crate::mlir::declare::mlir_ops;
use crate::mlir::enums::{CombiningKind, FastMath};

mlir_ops! {
    /// Vectors.
    pub enum VectorOp: "vector" in Vector {
        /// An element: at a constant position, or, where that is the least number, at the next of the dynamic ones.
        Extract "extract" { source: Value, dynamic: Vec<Value>, position["static_position"]: Vec<i64> } -> 1 Written, Pure, Other, "!";
        /// A vector of these elements.
        FromElements "from_elements" { elements: Vec<Value> } -> 1 Written, Pure, Other, PLAIN;
        /// A vector of equal elements.
        Broadcast "broadcast" { source: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// The elements combined, after the accumulator if there is one.
        Reduction "reduction" { vector: Value, acc: Option<Value>, fastmath: FastMath, kind: CombiningKind }
            -> 1 Written, Pure, Other, " <{kind}>, {..}(?fastmath: fastmath<{fastmath}>){@} : {T vector} into {R}";
    }
}
