//! Conversions of element types.

use crate::core::{Flag, Value};
use crate::cuda_tile::constraint::Constraint::{
    FloatTile, I8Tile, I64Tile, IntTile, IntTileI4, NumberTile, NumberTileI4, PtrTile,
};
use crate::cuda_tile::declare::tile_ops;
use crate::cuda_tile::enums::{IntegerOverflow, RoundingMode, Signedness};
use crate::cuda_tile::verify;
use crate::cuda_tile::version::Version::V13_4;

tile_ops! {
    /// Conversions of element types.
    pub enum CastOp in Cast {
        /// Reinterprets the bits as another type of the same width.
        Bitcast "bitcast" = 0x09 since V13_1, Pure [elementwise, free] {
            source: Value [of(NumberTile)],
        } -> 1 [result: NumberTile],
        checks [verify::cast::bitcast],
        "{source} : {T source} -> {T result}";

        /// Sign or zero extension.
        ExtI "exti" = 0x25 since V13_1, Pure [elementwise] {
            from: Value [of(IntTileI4)],
            signedness: Signedness,
        } -> 1 [to: IntTileI4],
        checks [verify::same_shapes, verify::cast::extension],
        "{from} {signedness} : {T from} -> {T to}";

        /// Truncation.
        TruncI "trunci" = 0x6B since V13_1, Pure [elementwise] {
            from: Value [of(IntTileI4)],
            overflow: IntegerOverflow [or(IntegerOverflow::None.code())],
        } -> 1 [to: IntTileI4],
        checks [verify::same_shapes, verify::cast::truncation],
        "{from}(?overflow: {overflow:overflow}) : {T from} -> {T to}";

        /// Conversion between float types, rounded.
        FToF "ftof" = 0x2A since V13_1, Pure [elementwise] {
            from: Value [of(FloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code())],
        } -> 1 [to: FloatTile],
        checks [verify::same_shapes, verify::cast::float_to_float],
        "{from} {rounding_mode:rounding} : {T from} -> {T to}";

        /// Float to integer, truncated.
        FToI "ftoi" = 0x2B since V13_1, Pure [elementwise, partial] {
            from: Value [of(FloatTile)],
            signedness: Signedness,
            rounding_mode: RoundingMode [or(RoundingMode::NearestIntToZero.code()), only(&[RoundingMode::NearestIntToZero.code()])],
            /// Values beyond the range of the result become its nearest end.
            saturating: Flag [since(V13_4)],
        } -> 1 [to: IntTile],
        checks [verify::same_shapes],
        "{from} {signedness} {rounding_mode:rounding}(?saturating: saturating) : {T from} -> {T to}";

        /// Integer to float, rounded.
        IToF "itof" = 0x3B since V13_1, Pure [elementwise] {
            from: Value [of(IntTile)],
            signedness: Signedness,
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code()])],
        } -> 1 [to: FloatTile],
        checks [verify::same_shapes, verify::cast::int_to_float],
        "{from} {signedness} {rounding_mode:rounding} : {T from} -> {T to}";

        /// Integer to pointer.
        IntToPtr "int_to_ptr" = 0x33 since V13_1, Pure [elementwise, free] {
            source: Value [of(I64Tile)],
        } -> 1 [result: PtrTile],
        checks [verify::same_shapes],
        "{source} : {T source} -> {T result}";

        /// Pointer to integer.
        PtrToInt "ptr_to_int" = 0x56 since V13_1, Pure [elementwise, free] {
            source: Value [of(PtrTile)],
        } -> 1 [result: I64Tile],
        checks [verify::same_shapes],
        "{source} : {T source} -> {T result}";

        /// Changes the pointee type.
        PtrToPtr "ptr_to_ptr" = 0x57 since V13_1, Pure [elementwise, free] {
            source: Value [of(PtrTile)],
        } -> 1 [result: PtrTile],
        checks [verify::same_shapes],
        "{source} : {T source} -> {T result}";

        /// Reinterprets elements as bytes.
        Pack "pack" = 0x6F since V13_3, Pure [expensive] {
            source: Value [of(NumberTileI4)],
        } -> 1 [result: I8Tile],
        checks [verify::cast::pack],
        "{source} : {T source} -> {T result}";

        /// Reinterprets bytes as elements.
        Unpack "unpack" = 0x70 since V13_3, Pure [expensive] {
            source: Value [of(I8Tile)],
        } -> 1 [result: NumberTileI4],
        checks [verify::cast::unpack],
        "{source} : {T source} -> {T result}";
    }
}
