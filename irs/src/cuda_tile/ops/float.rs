//! Float arithmetic and functions, element by element.

use crate::core::{Flag, Value};
use crate::cuda_tile::constraint::Constraint::{BaseFloatTile, IntTile};
use crate::cuda_tile::declare::tile_ops;
use crate::cuda_tile::enums::{ComparisonOrdering, ComparisonPredicate, RoundingMode};
use crate::cuda_tile::verify;
use crate::cuda_tile::version::Version::{V13_2, V13_3};

tile_ops! {
    /// Float arithmetic and functions, element by element.
    pub enum FloatOp in Float {
        /// Element-wise |x| of floats.
        AbsF "absf" = 0x00 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Element-wise floating-point sum.
        AddF "addf" = 0x02 since V13_1, Pure {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code(), RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code()])],
            flush_to_zero: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Element-wise floating-point difference.
        SubF "subf" = 0x67 since V13_1, Pure {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code(), RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code()])],
            flush_to_zero: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Element-wise floating-point product.
        MulF "mulf" = 0x4C since V13_1, Pure {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code(), RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code()])],
            flush_to_zero: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Element-wise floating-point quotient.
        DivF "divf" = 0x14 since V13_1, Pure {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code())],
            flush_to_zero: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::approx_and_full_need_f32, verify::flush_needs_f32],
        "{lhs}, {rhs} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Element-wise floating-point remainder.
        RemF "remf" = 0x59 since V13_1, Pure {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{lhs}, {rhs} : {T result}";

        /// Element-wise fused multiply-add.
        Fma "fma" = 0x28 since V13_1, Pure {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            acc: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code(), RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code()])],
            flush_to_zero: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs}, {acc} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Element-wise -x of floats.
        NegF "negf" = 0x4F since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Element-wise floating-point maximum.
        MaxF "maxf" = 0x45 since V13_1, Pure {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            propagate_nan: Flag,
            flush_to_zero: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs}(?flush_to_zero: flush_to_zero)(?propagate_nan: propagate_nan) : {T result}";

        /// Element-wise floating-point minimum.
        MinF "minf" = 0x47 since V13_1, Pure {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            propagate_nan: Flag,
            flush_to_zero: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{lhs}, {rhs}(?flush_to_zero: flush_to_zero)(?propagate_nan: propagate_nan) : {T result}";

        /// Element-wise round up to an integer value.
        Ceil "ceil" = 0x0D since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Element-wise round down to an integer value.
        Floor "floor" = 0x27 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Element-wise square root.
        Sqrt "sqrt" = 0x64 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [or(RoundingMode::NearestEven.code()), only(&[RoundingMode::NearestEven.code(), RoundingMode::Zero.code(), RoundingMode::NegativeInf.code(), RoundingMode::PositiveInf.code(), RoundingMode::Approx.code()])],
            flush_to_zero: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::approx_needs_f32, verify::flush_needs_f32],
        "{source} {rounding_mode:rounding}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Element-wise 1/sqrt(x).
        Rsqrt "rsqrt" = 0x5D since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
            flush_to_zero: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{source}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Element-wise e**x.
        Exp "exp" = 0x17 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [since(V13_3), or(RoundingMode::Full.code()), only(&[RoundingMode::Full.code(), RoundingMode::Approx.code()])],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::approx_needs_f32],
        "{source} {rounding_mode:rounding} : {T result}";

        /// Element-wise 2**x.
        Exp2 "exp2" = 0x18 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
            flush_to_zero: Flag,
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::flush_needs_f32],
        "{source}(?flush_to_zero: flush_to_zero) : {T result}";

        /// Element-wise natural logarithm.
        Log "log" = 0x3F since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Element-wise base-2 logarithm.
        Log2 "log2" = 0x40 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Element-wise x**y (float exponent).
        PowF "fpowf" = 0x54 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
            exponent: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source}, {exponent} : {T result}";

        /// Element-wise x**n (integer exponent).
        PowI "fpowi" = 0x79 since V13_4, Pure {
            source: Value [of(BaseFloatTile)],
            exponent: Value [of(IntTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::float::power],
        "{source}, {exponent} : {T result}, {T exponent}";

        /// Element-wise sine.
        Sin "sin" = 0x62 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Element-wise cosine.
        Cos "cos" = 0x12 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Element-wise tangent.
        Tan "tan" = 0x69 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Element-wise hyperbolic sine.
        Sinh "sinh" = 0x63 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Element-wise hyperbolic cosine.
        Cosh "cosh" = 0x13 since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{source} : {T result}";

        /// Element-wise hyperbolic tangent.
        Tanh "tanh" = 0x6A since V13_1, Pure {
            source: Value [of(BaseFloatTile)],
            rounding_mode: RoundingMode [since(V13_2), or(RoundingMode::Full.code()), only(&[RoundingMode::Full.code(), RoundingMode::Approx.code()])],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types, verify::approx_needs_f32],
        "{source} {rounding_mode:rounding} : {T result}";

        /// Element-wise two-argument arc tangent.
        Atan2 "atan2" = 0x6E since V13_2, Pure {
            x: Value [of(BaseFloatTile)],
            y: Value [of(BaseFloatTile)],
        } -> 1 [result: BaseFloatTile],
        checks [verify::same_types],
        "{x}, {y} : {T result}";

        /// Element-wise float comparison.
        CmpF "cmpf" = 0x0E since V13_1, Pure {
            lhs: Value [of(BaseFloatTile)],
            rhs: Value [of(BaseFloatTile)],
            predicate: ComparisonPredicate,
            ordering: ComparisonOrdering,
        } -> 1 [result: I1Tile],
        checks [verify::compare],
        "{predicate} {ordering} {lhs}, {rhs} : {T lhs} -> {T result}";
    }
}
