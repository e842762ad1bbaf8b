//! Construction and reshaping of tiles.

use crate::core::Value;

crate::dialect! {
    /// Tiles from scalars and from other tiles. Elements are in row-major order.
    pub enum TileOp: "tile" {
        /// A tile of one repeated value.
        Splat "splat" { source: Value } -> 1, Pure, Free [free];
        /// 0, 1, 2, … along the only axis.
        Iota "iota" {} -> 1, Pure, Free;
        /// Repeats a tile along the axes where its extent is 1.
        Broadcast "broadcast" { source: Value } -> 1, Pure, Free [free];
        /// The same elements in row-major order under another shape.
        Reshape "reshape" { source: Value } -> 1, Pure, Free [expensive];
        /// Axis `i` of the result is axis `permutation[i]` of the source.
        Permute "permute" { source: Value, permutation: Vec<u32> } -> 1, Pure, Free [expensive];
        /// Moves pointers by a signed number of elements.
        PtrAdd "ptradd" { pointer: Value, offset: Value } -> 1, Pure, Free [elementwise];
    }
}
