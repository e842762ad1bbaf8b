//! Ops on whole tiles: constants, shapes, selection, reductions, matrix products.

use crate::core::{Flag, Region, Value};
use crate::cuda_tile::attrs::{Attr, Predicate};
use crate::cuda_tile::constraint::Constraint::{
    AnyTile, F32Tile, I1Tile, I8Tile, I32Scalar, I32Tile, MmaFloatAccTile, MmaFloatTile, MmaScaledTile,
    ScaleTile,
};
use crate::cuda_tile::declare::tile_ops;
use crate::cuda_tile::enums::Signedness;
use crate::cuda_tile::verify;
use crate::cuda_tile::version::Version::V13_3;
use crate::literal::Dense;

tile_ops! {
    /// Ops on whole tiles: constants, shapes, selection, reductions, matrix products.
    pub enum ShapeOp in Shape {
        /// Constant tile.
        Constant "constant" = 0x10 since V13_1, Pure [free] {
            /// The elements: one for all of them, or each one.
            value: Dense,
        } -> 1 [result: NumberTile],
        checks [verify::shape::constant],
        "@";

        /// 0, 1, 2, … as a one-dimensional tile.
        Iota "iota" = 0x3A since V13_1, Pure {} -> 1 [result: IntTile],
        checks [verify::shape::iota],
        ": {T result}";

        /// The same elements, in row-major order, with another shape.
        Reshape "reshape" = 0x5B since V13_1, Pure [expensive] {
            source: Value [of(AnyTile)],
        } -> 1 [result: AnyTile],
        checks [verify::shape::reshape],
        "{source} : {T source} -> {T result}";

        /// Repeats dimensions of extent 1.
        Broadcast "broadcast" = 0x0B since V13_1, Pure [free] {
            source: Value [of(AnyTile)],
        } -> 1 [result: AnyTile],
        checks [verify::shape::broadcast],
        "{source} : {T source} -> {T result}";

        /// Permutes dimensions: dimension `i` of the result is dimension `permutation[i]` of the source.
        Permute "permute" = 0x53 since V13_1, Pure [expensive] {
            source: Value [of(AnyTile)],
            /// The dimension of the source for each dimension of the result.
            permutation: Vec<i32>,
        } -> 1 [result: AnyTile],
        checks [verify::shape::permute],
        "{source} {permutation} : {T source} -> {T result}";

        /// Concatenates two tiles.
        Cat "cat" = 0x0C since V13_1, Pure [expensive] {
            lhs: Value [of(AnyTile)],
            rhs: Value [of(AnyTile)],
            /// The dimension along which the tiles are joined.
            dim: i64,
        } -> 1 [result: AnyTile],
        checks [verify::shape::cat],
        "{lhs}, {rhs} dim = {dim} : {T lhs}, {T rhs} -> {T result}";

        /// Extracts a part of a tile; the indices count parts, not elements.
        Extract "extract" = 0x26 since V13_1, Pure [expensive, partial] {
            source: Value [of(AnyTile)],
            indices: Vec<Value> [of(I32Scalar)],
        } -> 1 [result: AnyTile],
        checks [verify::shape::extract],
        "{source}[{indices}] : {T source} -> {T result}";

        /// Replaces a part of a tile; the indices count parts, not elements.
        Insert "insert" = 0x76 since V13_4, Pure [expensive, partial] {
            source: Value [of(AnyTile)],
            destination: Value [of(AnyTile)],
            indices: Vec<Value> [of(I32Scalar)],
        } -> 1 [result: AnyTile = destination],
        checks [verify::shape::insert],
        "{source}, {destination}[{indices}] : {T source}, {T destination}";

        /// Elementwise selection.
        Select "select" = 0x5F since V13_1, Pure [elementwise] {
            cond: Value [of(I1Tile)],
            val_if_true: Value [of(AnyTile)],
            val_if_false: Value [of(AnyTile)],
        } -> 1 [result: AnyTile],
        checks [verify::shape::select],
        "{cond}, {val_if_true}, {val_if_false} : {T cond}, {T result}";

        /// The value, with a predicate that is assumed; a false one is undefined behaviour.
        Assume "assume" = 0x06 since V13_1, Pure [free, partial] {
            value: Value,
            /// What is assumed.
            predicate: Predicate,
        } -> 1 [result: Any = value],
        checks [verify::assume::assume],
        "{predicate}, {value} : {T value}";

        /// Reduction along a dimension by the op of the body, in unspecified order. The body takes, for each operand, what
        /// earlier and what later elements were combined to.
        Reduce "reduce" = 0x58 since V13_1, Regions [expensive] {
            operands: Vec<Value> [of(AnyTile)],
            /// The dimension that is reduced.
            dim: i32,
            /// The neutral element of each operand, which the first element is combined with.
            identities: Vec<Attr>,
            body: Region,
        } -> * [results: AnyTile],
        checks [verify::fold::reduce],
        "@";

        /// Inclusive scan along a dimension by the op of the body, which takes, for each operand, what earlier and what later
        /// elements, in the direction of the scan, were combined to. (So code of tileiras does; NVIDIA's description of the
        /// op has the two the other way round.)
        Scan "scan" = 0x5E since V13_1, Regions [expensive] {
            operands: Vec<Value> [of(AnyTile)],
            /// The dimension that is scanned.
            dim: i32,
            /// The scan goes from the last element to the first.
            reverse: bool,
            /// The neutral element of each operand, which the first element is combined with.
            identities: Vec<Attr>,
            body: Region,
        } -> * [results: AnyTile],
        checks [verify::fold::scan],
        "@";

        /// Floating-point matrix multiply-accumulate.
        MmaF "mmaf" = 0x49 since V13_1, Pure [expensive] {
            lhs: Value [of(MmaFloatTile)],
            rhs: Value [of(MmaFloatTile)],
            acc: Value [of(MmaFloatAccTile)],
            /// Sums may be kept with fewer bits than those of an `f32`.
            fast_acc in FastMath: Flag [since(V13_3)],
        } -> 1 [result: MmaFloatAccTile = acc],
        checks [verify::matrix::product, verify::matrix::float_types],
        "{lhs}, {rhs}, {acc}(?fast_acc: fast_acc) : {T lhs}, {T rhs}, {T acc}";

        /// Integer matrix multiply-accumulate.
        MmaI "mmai" = 0x4A since V13_1, Pure [expensive] {
            lhs: Value [of(I8Tile)],
            rhs: Value [of(I8Tile)],
            acc: Value [of(I32Tile)],
            signedness_lhs: Signedness,
            signedness_rhs: Signedness,
        } -> 1 [result: I32Tile = acc],
        checks [verify::matrix::product],
        "{lhs}, {rhs}, {acc} {signedness_lhs} {signedness_rhs} : {T lhs}, {T rhs}, {T acc}";

        /// Block-scaled low-precision matrix multiply-accumulate.
        MmaFScaled "mmaf_scaled" = 0x72 since V13_3, Pure [expensive] {
            lhs: Value [of(MmaScaledTile)],
            rhs: Value [of(MmaScaledTile)],
            acc: Value [of(F32Tile)],
            lhs_scale: Value [of(ScaleTile)],
            rhs_scale: Value [of(ScaleTile)],
        } -> 1 [result: F32Tile = acc],
        checks [verify::matrix::product, verify::matrix::scales],
        "{lhs}, {rhs}, {acc}, {lhs_scale}, {rhs_scale} : {T lhs}, {T rhs}, {T acc}, {T lhs_scale}, {T rhs_scale}";
    }
}
