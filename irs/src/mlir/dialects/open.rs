//! Layout algebra that only the open `cute` dialect has, or has with other operands than the library's.

use super::{ARROW, CALL, GENERIC, OF_OPERANDS};
use crate::core::Value;
use crate::mlir::declare::mlir_ops;

mlir_ops! {
    /// Layout algebra of the open dialect, whose names begin with `cute` there.
    pub enum OpenOp: "cute_open" in Open {
        /// The index of a coordinate in a shape, the first mode fastest.
        Crd2idx "crd2idx" { coord: Value, shape: Value } -> 1 Written, Pure, Checked, GENERIC, open as "cute.crd2idx" CALL;
        /// The part of a tuple that a coordinate keeps.
        Dice "dice" { input: Value, coord: Value } -> 1 Algebra, Pure, Checked, GENERIC, open as "cute.dice" OF_OPERANDS;
        /// The leaves as modes, without nesting.
        Flatten "flatten" { input: Value } -> 1 Written, Pure, Algebra, GENERIC, open as "cute.flatten" CALL;
        /// A tuple of integers as a coordinate.
        ToCoord "to_coord" { src: Value } -> 1 Written, Pure, Algebra, GENERIC, open as "cute.to_coord" ARROW;
        /// A tuple of integers as a shape.
        ToShape "to_shape" { src: Value } -> 1 Written, Pure, Algebra, GENERIC, open as "cute.to_shape" ARROW;
        /// A tuple of integers as a stride.
        ToStride "to_stride" { src: Value } -> 1 Written, Pure, Algebra, GENERIC, open as "cute.to_stride" ARROW;
    }
}
