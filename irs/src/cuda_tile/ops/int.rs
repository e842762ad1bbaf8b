//! Elementwise integer arithmetic and bitwise ops.

use crate::core::Value;
use crate::cuda_tile::constraint::Constraint::IntTile;
use crate::cuda_tile::declare::tile_ops;
use crate::cuda_tile::enums::{ComparisonPredicate, IntegerOverflow, RoundingMode, Signedness};
use crate::cuda_tile::verify;
use crate::cuda_tile::version::Version::V13_2;

tile_ops! {
    /// Elementwise integer arithmetic and bitwise ops.
    pub enum IntOp in Int {
        /// Integer absolute value.
        AbsI "absi" = 0x01 since V13_1, Pure [elementwise] {
            source: Value [of(IntTile)],
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Integer sum.
        AddI "addi" = 0x03 since V13_1, Pure [elementwise, commutative] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
            overflow: IntegerOverflow [or(IntegerOverflow::None.code())],
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{lhs}, {rhs}(?overflow: {overflow:overflow}) : {T result}";

        /// Integer difference.
        SubI "subi" = 0x68 since V13_1, Pure [elementwise] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
            overflow: IntegerOverflow [or(IntegerOverflow::None.code())],
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{lhs}, {rhs}(?overflow: {overflow:overflow}) : {T result}";

        /// Integer product (low half).
        MulI "muli" = 0x4E since V13_1, Pure [elementwise, commutative] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
            overflow: IntegerOverflow [or(IntegerOverflow::None.code())],
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{lhs}, {rhs}(?overflow: {overflow:overflow}) : {T result}";

        /// Unsigned product (high half).
        MulHiI "mulhii" = 0x4D since V13_1, Pure [elementwise, commutative] {
            x: Value [of(IntTile)],
            y: Value [of(IntTile)],
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{x}, {y} : {T result}";

        /// Integer quotient.
        DivI "divi" = 0x15 since V13_1, Pure [elementwise, expensive, partial] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
            signedness: Signedness,
            rounding: RoundingMode [or(RoundingMode::Zero.code()), only(&[RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code()])],
        } -> 1 [result: IntTile],
        checks [verify::same_types, verify::int::division],
        "{lhs}, {rhs} {signedness}(?rounding: {rounding:rounding}) : {T result}";

        /// Integer remainder.
        RemI "remi" = 0x5A since V13_1, Pure [elementwise, expensive, partial] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
            signedness: Signedness,
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{lhs}, {rhs} {signedness} : {T result}";

        /// Integer negation.
        NegI "negi" = 0x50 since V13_1, Pure [elementwise] {
            source: Value [of(IntTile)],
            overflow: IntegerOverflow [since(V13_2), or(IntegerOverflow::None.code()), only(&[IntegerOverflow::None.code(), IntegerOverflow::NoSignedWrap.code(), IntegerOverflow::NoWrap.code()])],
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{source}(?overflow: {overflow:overflow}) : {T result}";

        /// Integer maximum.
        MaxI "maxi" = 0x46 since V13_1, Pure [elementwise, commutative] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
            signedness: Signedness,
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{lhs}, {rhs} {signedness} : {T result}";

        /// Integer minimum.
        MinI "mini" = 0x48 since V13_1, Pure [elementwise, commutative] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
            signedness: Signedness,
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{lhs}, {rhs} {signedness} : {T result}";

        /// Bitwise AND.
        AndI "andi" = 0x04 since V13_1, Pure [elementwise, commutative] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{lhs}, {rhs} : {T result}";

        /// Bitwise OR.
        OrI "ori" = 0x52 since V13_1, Pure [elementwise, commutative] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{lhs}, {rhs} : {T result}";

        /// Bitwise exclusive OR.
        XorI "xori" = 0x6C since V13_1, Pure [elementwise, commutative] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{lhs}, {rhs} : {T result}";

        /// Shift left.
        ShlI "shli" = 0x60 since V13_1, Pure [elementwise, partial] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
            overflow: IntegerOverflow [or(IntegerOverflow::None.code())],
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{lhs}, {rhs}(?overflow: {overflow:overflow}) : {T result}";

        /// Shift right.
        ShrI "shri" = 0x61 since V13_1, Pure [elementwise, partial] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
            signedness: Signedness,
        } -> 1 [result: IntTile],
        checks [verify::same_types],
        "{lhs}, {rhs} {signedness} : {T result}";

        /// Integer comparison.
        CmpI "cmpi" = 0x0F since V13_1, Pure [elementwise] {
            lhs: Value [of(IntTile)],
            rhs: Value [of(IntTile)],
            predicate: ComparisonPredicate,
            signedness: Signedness,
        } -> 1 [result: I1Tile],
        checks [verify::compare],
        "{predicate} {lhs}, {rhs}, {signedness} : {T lhs} -> {T result}";
    }
}
