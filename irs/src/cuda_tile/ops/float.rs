//! Elementwise float arithmetic and functions.

use crate::core::{Flag, Value};
use crate::cuda_tile::constraint::Constraint::{BaseFloatTile, IntTile};
use crate::cuda_tile::declare::tile_ops;
use crate::cuda_tile::enums::{ComparisonOrdering, ComparisonPredicate, RoundingMode};
use crate::cuda_tile::verify;
use crate::cuda_tile::version::Version::{V13_2, V13_3};

tile_ops! {
    /// Elementwise float arithmetic and functions.
    pub enum FloatOp in Float {
        /// Absolute value of floats.
        AbsF "absf" = 0x00 since V13_1, Pure [elementwise] {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Floating-point sum.
        AddF "addf" = 0x02 since V13_1, Pure [elementwise, commutative_numbers] {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code(), RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code()])],
            /// Subnormal inputs and results become zero of the same sign.
            flush_to_zero in FastMath: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Floating-point difference.
        SubF "subf" = 0x67 since V13_1, Pure [elementwise] {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code(), RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code()])],
            /// Subnormal inputs and results become zero of the same sign.
            flush_to_zero in FastMath: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Floating-point product.
        MulF "mulf" = 0x4C since V13_1, Pure [elementwise, commutative_numbers] {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code(), RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code()])],
            /// Subnormal inputs and results become zero of the same sign.
            flush_to_zero in FastMath: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Floating-point quotient.
        DivF "divf" = 0x14 since V13_1, Pure [elementwise, expensive] {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code(), RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code(), RoundingMode::Approx.code(), RoundingMode::Full.code()])],
            /// Subnormal inputs and results become zero of the same sign.
            flush_to_zero in FastMath: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::approx_and_full_need_f32, verify::flush_needs_f32],
        "{lhs}, {rhs} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Floating-point remainder.
        RemF "remf" = 0x59 since V13_1, Pure [elementwise, expensive] {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{lhs}, {rhs} : {T result}";

        /// Fused multiply-add: `lhs * rhs + acc`, rounded once.
        Fma "fma" = 0x28 since V13_1, Pure [elementwise, commutative_numbers] {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            acc: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code(), RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code()])],
            /// Subnormal inputs and results become zero of the same sign.
            flush_to_zero in FastMath: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs}, {acc} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Negation of floats.
        NegF "negf" = 0x4F since V13_1, Pure [elementwise] {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Floating-point maximum.
        MaxF "maxf" = 0x45 since V13_1, Pure [elementwise, commutative_numbers] {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            /// A NaN operand gives NaN, instead of the other operand.
            propagate_nan: Flag,
            /// Subnormal inputs and results become zero of the same sign.
            flush_to_zero in FastMath: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs}(?flush_to_zero: flush_to_zero)(?propagate_nan: propagate_nan) : {T result}";

        /// Floating-point minimum.
        MinF "minf" = 0x47 since V13_1, Pure [elementwise, commutative_numbers] {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            /// A NaN operand gives NaN, instead of the other operand.
            propagate_nan: Flag,
            /// Subnormal inputs and results become zero of the same sign.
            flush_to_zero in FastMath: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs}(?flush_to_zero: flush_to_zero)(?propagate_nan: propagate_nan) : {T result}";

        /// Round up to an integer value.
        Ceil "ceil" = 0x0D since V13_1, Pure [elementwise] {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Round down to an integer value.
        Floor "floor" = 0x27 since V13_1, Pure [elementwise] {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Square root.
        Sqrt "sqrt" = 0x64 since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code(), RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code(), RoundingMode::Approx.code()])],
            /// Subnormal inputs and results become zero of the same sign.
            flush_to_zero in FastMath: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::approx_needs_f32, verify::flush_needs_f32],
        "{source} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Reciprocal of the square root.
        Rsqrt "rsqrt" = 0x5D since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
            /// Subnormal inputs and results become zero of the same sign.
            flush_to_zero in FastMath: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{source}(?flush_to_zero: flush_to_zero) : {T result}";

        /// `e^x`.
        Exp "exp" = 0x17 since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [since(V13_3), or(RoundingMode::Full.code()), only(&[RoundingMode::Full.code(), RoundingMode::Approx.code()])],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::approx_needs_f32],
        "{source} {rounding_mode:rounding} : {T result}";

        /// `2^x`.
        Exp2 "exp2" = 0x18 since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
            /// Subnormal inputs and results become zero of the same sign.
            flush_to_zero in FastMath: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{source}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Natural logarithm.
        Log "log" = 0x3F since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Base-2 logarithm.
        Log2 "log2" = 0x40 since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// `x^y` with a float exponent.
        PowF "fpowf" = 0x54 since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
            exponent: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source}, {exponent} : {T result}";

        /// `x^n` with an integer exponent.
        PowI "fpowi" = 0x79 since V13_4, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
            exponent: Value [of(IntTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::float::power],
        "{source}, {exponent} : {T result}, {T exponent}";

        /// Sine.
        Sin "sin" = 0x62 since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Cosine.
        Cos "cos" = 0x12 since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Tangent.
        Tan "tan" = 0x69 since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Hyperbolic sine.
        Sinh "sinh" = 0x63 since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Hyperbolic cosine.
        Cosh "cosh" = 0x13 since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Hyperbolic tangent.
        Tanh "tanh" = 0x6A since V13_1, Pure [elementwise, expensive] {
            source: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [since(V13_2), or(RoundingMode::Full.code()), only(&[RoundingMode::Full.code(), RoundingMode::Approx.code()])],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::approx_needs_f32],
        "{source} {rounding_mode:rounding} : {T result}";

        /// The arc tangent of `x / y` in the quadrant that both signs give; `x` is the first argument of `atan2` in C.
        Atan2 "atan2" = 0x6E since V13_2, Pure [elementwise, expensive] {
            x: Value [of(BaseFloatTile)],
            y: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{x}, {y} : {T result}";

        /// Float comparison.
        CmpF "cmpf" = 0x0E since V13_1, Pure [elementwise] {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            predicate: ComparisonPredicate,
            ordering: ComparisonOrdering,
        } -> 1 [result: I1Tile],
        checks [verify::compare],
        "{predicate} {ordering} {lhs}, {rhs} : {T lhs} -> {T result}";
    }
}
