//! Vectors.

use super::{PLAIN, PLAIN_TO};
use crate::core::Value;
use crate::mlir::declare::mlir_ops;
use crate::mlir::enums::{CombiningKind, FastMath};
use crate::mlir::property::IntegerArray;

mlir_ops! {
    /// Vectors.
    pub enum VectorOp: "vector" in Vector {
        /// An element: at a constant position, or, where that is the least number, at the next of the dynamic ones.
        Extract "extract" { source: Value, dynamic: Vec<Value>, position["static_position"]: Vec<i64> } -> 1 Written, Pure, Other, "!";
        /// The vector with an element replaced, at a position as that of `extract`.
        Insert "insert" { value["valueToStore"]: Value, dest: Value, dynamic["dynamic_position"]: Vec<Value>, position["static_position"]: Vec<i64> }
            -> 1 Second, Pure, Other, "!";
        /// The elements from these offsets on, so many along the first dimensions and all along the others.
        ExtractStridedSlice "extract_strided_slice" { source: Value, offsets: IntegerArray, sizes: IntegerArray, strides: IntegerArray }
            -> 1 Written, Pure, Other, PLAIN_TO;
        /// The second vector with the first one in the place of the elements from these offsets on.
        InsertStridedSlice "insert_strided_slice" { value["valueToStore"]: Value, dest: Value, offsets: IntegerArray, strides: IntegerArray }
            -> 1 Second, Pure, Other, " {..}{@} : {T valueToStore} into {T dest}";
        /// The elements of a vector in order.
        ToElements "to_elements" { source: Value } -> * Elements, Pure, Other, " {source}{@} : {T source}";
        /// Elements of two vectors of one dimension, by their numbers in both.
        Shuffle "shuffle" { first["v1"]: Value, second["v2"]: Value, mask: Vec<i64> } -> 1 Shuffled, Pure, Other, " {v1}, {v2} [{mask}]{@} : {T ..}";
        /// The same elements, in row-major order, as a vector of other extents.
        ShapeCast "shape_cast" { source: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// The same bits as a vector of other elements.
        Bitcast "bitcast" { source: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// The product of each element of the first vector with each of the second.
        OuterProduct "outerproduct" { lhs: Value, rhs: Value, kind: CombiningKind } -> 1 Outer, Pure, Other, " {..}{@} : {T ..}";
        /// A vector of these elements.
        FromElements "from_elements" { elements: Vec<Value> } -> 1 Written, Pure, Other, PLAIN;
        /// A scalar or a vector, repeated along dimensions that are added before its own, and along its own of extent 1.
        Broadcast "broadcast" { source: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// The elements along these dimensions combined, after those of the accumulator.
        MultiReduction "multi_reduction" { source: Value, acc: Value, kind: CombiningKind, dims["reduction_dims"]: Vec<i64> }
            -> 1 Written, Pure, Other, " <{kind}>, {..} [{reduction_dims}]{@} : {T source} to {R}";
        /// The elements combined, after the accumulator if there is one.
        Reduction "reduction" { vector: Value, acc: Option<Value>, fastmath: FastMath, kind: CombiningKind }
            -> 1 Written, Pure, Other, " <{kind}>, {..}(?fastmath: fastmath<{fastmath}>){@} : {T vector} into {R}";
    }
}
