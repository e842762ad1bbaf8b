//! Elementwise arithmetic on scalars, tiles and fragments.

use crate::core::{Effects, FieldEffects, Flag, Undefined, Value};
use crate::dialects::fast_math::{
    FastMathOfComparison, FastMathOfFunction, FastMathOfNumber, FastMathOfQuotient, FastMathOfSum,
    has_fast_math,
};
use crate::literal::Dense;

crate::keywords! {
    /// The interpretation of an integer's top bit.
    pub enum Signedness {
        /// As part of the magnitude.
        Unsigned = "unsigned",
        /// As the sign.
        Signed = "signed",
    }
}

crate::keywords! {
    /// A promise about integer overflow; if it is violated, the behaviour is undefined.
    pub enum Overflow: FieldEffects in Assumption {
        /// Nothing: the result wraps.
        Wraps = "wraps",
        /// No signed overflow.
        NoSigned = "no_signed",
        /// No unsigned overflow.
        NoUnsigned = "no_unsigned",
        /// Neither.
        None = "none",
    }
}

impl FieldEffects for Overflow {
    const EFFECTS: Effects = Effects::PURE.and_undefined(Undefined::BrokenPromise);
    fn refine(&self, effects: Effects) -> Effects {
        match self {
            Self::Wraps => effects.without_promises(),
            Self::NoSigned | Self::NoUnsigned | Self::None => effects,
        }
    }
}

crate::keywords! {
    /// Rounding of an inexact integer quotient.
    pub enum QuotientRounding {
        /// Toward zero.
        Zero = "zero",
        /// Toward negative infinity.
        Down = "down",
        /// Toward positive infinity.
        Up = "up",
    }
}

crate::keywords! {
    /// Rounding of an inexact float result.
    pub enum FloatRounding in FastMath {
        /// To nearest, ties to even.
        NearestEven = "nearest_even",
        /// To nearest, ties away from zero.
        NearestAway = "nearest_away",
        /// Toward zero.
        Zero = "zero",
        /// Toward negative infinity.
        Down = "down",
        /// Toward positive infinity.
        Up = "up",
    }
}

crate::keywords! {
    /// Required accuracy of a float result.
    pub enum Precision in FastMath {
        /// Correctly rounded: to nearest, ties to even.
        NearestEven = "nearest_even",
        /// Correctly rounded: toward zero.
        Zero = "zero",
        /// Correctly rounded: toward negative infinity.
        Down = "down",
        /// Correctly rounded: toward positive infinity.
        Up = "up",
        /// The hardware's approximation.
        Approx = "approx",
        /// Within 2 ulp over the whole range.
        Full = "full",
    }
}

crate::keywords! {
    /// A comparison.
    pub enum Predicate {
        /// `==`
        Equal = "eq",
        /// `!=`
        NotEqual = "ne",
        /// `<`
        Less = "lt",
        /// `<=`
        LessEqual = "le",
        /// `>`
        Greater = "gt",
        /// `>=`
        GreaterEqual = "ge",
    }
}

crate::keywords! {
    /// The result of a float comparison with a NaN operand.
    pub enum Ordering {
        /// True.
        Unordered = "unordered",
        /// False.
        Ordered = "ordered",
    }
}

crate::dialect! {
    /// Arithmetic. Integers wrap; a shift by the width or more equals repeated shifts by one bit.
    pub enum ArithOp: "arith" {
        /// Constant.
        Constant "constant" { value: Dense } -> 1, Pure, Free [free];
        /// The address of a variable in global memory: an array of `elements` elements, each with this value or with
        /// its own, aligned to `align` bytes. All ops of one symbol mean the same variable. If it is visible, the host
        /// finds it by its symbol.
        Global "global" { symbol: String, value: Dense, elements: u64, align: u32, visible: Flag } -> 1, Pure, Free [free];
        /// Sum.
        AddI "addi" { lhs: Value, rhs: Value, overflow: Overflow } -> 1, Pure, SameInt [elementwise, commutative];
        /// Difference.
        SubI "subi" { lhs: Value, rhs: Value, overflow: Overflow } -> 1, Pure, SameInt [elementwise];
        /// Low half of the product.
        MulI "muli" { lhs: Value, rhs: Value, overflow: Overflow } -> 1, Pure, SameInt [elementwise, commutative];
        /// High half of the unsigned product.
        MulHiU "mulhiu" { lhs: Value, rhs: Value } -> 1, Pure, SameInt [elementwise, commutative];
        /// Quotient; undefined for a zero divisor or a signed quotient that does not fit.
        DivI "divi" { lhs: Value, rhs: Value, signedness: Signedness, rounding: QuotientRounding } -> 1, Pure, SameInt [elementwise, expensive, partial];
        /// Remainder of the quotient that is rounded toward zero; undefined for a zero divisor.
        RemI "remi" { lhs: Value, rhs: Value, signedness: Signedness } -> 1, Pure, SameInt [elementwise, expensive, partial];
        /// Minimum.
        MinI "mini" { lhs: Value, rhs: Value, signedness: Signedness } -> 1, Pure, SameInt [elementwise, commutative];
        /// Maximum.
        MaxI "maxi" { lhs: Value, rhs: Value, signedness: Signedness } -> 1, Pure, SameInt [elementwise, commutative];
        /// Negation.
        NegI "negi" { source: Value, overflow: Overflow } -> 1, Pure, SameInt [elementwise];
        /// Absolute value, as an unsigned number.
        AbsI "absi" { source: Value } -> 1, Pure, SameInt [elementwise];
        /// Bitwise and.
        AndI "andi" { lhs: Value, rhs: Value } -> 1, Pure, SameInt [elementwise, commutative];
        /// Bitwise or.
        OrI "ori" { lhs: Value, rhs: Value } -> 1, Pure, SameInt [elementwise, commutative];
        /// Bitwise exclusive or.
        XorI "xori" { lhs: Value, rhs: Value } -> 1, Pure, SameInt [elementwise, commutative];
        /// Left shift by an unsigned amount.
        ShlI "shli" { lhs: Value, rhs: Value, overflow: Overflow } -> 1, Pure, SameInt [elementwise];
        /// Right shift by an unsigned amount; the signedness is that of the number shifted.
        ShrI "shri" { lhs: Value, rhs: Value, signedness: Signedness } -> 1, Pure, SameInt [elementwise];
        /// Comparison of integers.
        CmpI "cmpi" { lhs: Value, rhs: Value, predicate: Predicate, signedness: Signedness } -> 1, Pure, CompareInt [elementwise];
        /// Sum.
        AddF "addf" { lhs: Value, rhs: Value, rounding: FloatRounding, flush_to_zero in FastMath: Flag, fast_math: FastMathOfSum } -> 1, Pure, SameFloat [elementwise, commutative_numbers];
        /// Difference.
        SubF "subf" { lhs: Value, rhs: Value, rounding: FloatRounding, flush_to_zero in FastMath: Flag, fast_math: FastMathOfSum } -> 1, Pure, SameFloat [elementwise];
        /// Product.
        MulF "mulf" { lhs: Value, rhs: Value, rounding: FloatRounding, flush_to_zero in FastMath: Flag, fast_math: FastMathOfSum } -> 1, Pure, SameFloat [elementwise, commutative_numbers];
        /// Quotient.
        DivF "divf" { lhs: Value, rhs: Value, precision: Precision, flush_to_zero in FastMath: Flag, fast_math: FastMathOfQuotient } -> 1, Pure, SameFloat [elementwise, expensive];
        /// `lhs * rhs + acc` with one rounding.
        Fma "fma" { lhs: Value, rhs: Value, acc: Value, rounding: FloatRounding, flush_to_zero in FastMath: Flag, fast_math: FastMathOfNumber } -> 1, Pure, SameFloat [elementwise, commutative_numbers];
        /// Exact remainder of the quotient that is rounded toward zero; takes the sign of `lhs`.
        RemF "remf" { lhs: Value, rhs: Value, fast_math: FastMathOfNumber } -> 1, Pure, SameFloat [elementwise, expensive];
        /// Minimum; -0 is smaller than +0. With one NaN operand the result is the other one, unless `propagate_nan`
        /// is set.
        MinF "minf" { lhs: Value, rhs: Value, propagate_nan: Flag, flush_to_zero in FastMath: Flag, fast_math: FastMathOfNumber } -> 1, Pure, SameFloat [elementwise, commutative_numbers];
        /// Maximum; +0 is larger than -0. With one NaN operand the result is the other one, unless `propagate_nan` is
        /// set.
        MaxF "maxf" { lhs: Value, rhs: Value, propagate_nan: Flag, flush_to_zero in FastMath: Flag, fast_math: FastMathOfNumber } -> 1, Pure, SameFloat [elementwise, commutative_numbers];
        /// Negation: flips the sign bit.
        NegF "negf" { source: Value, fast_math: FastMathOfNumber } -> 1, Pure, SameFloat [elementwise];
        /// Absolute value: clears the sign bit.
        AbsF "absf" { source: Value, fast_math: FastMathOfNumber } -> 1, Pure, SameFloat [elementwise];
        /// Square root.
        SqrtF "sqrtf" { source: Value, precision: Precision, flush_to_zero in FastMath: Flag, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// Reciprocal of the square root, approximately.
        RsqrtF "rsqrtf" { source: Value, flush_to_zero in FastMath: Flag, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// Largest integral value that is not greater.
        FloorF "floorf" { source: Value, fast_math: FastMathOfNumber } -> 1, Pure, SameFloat [elementwise];
        /// Smallest integral value that is not less.
        CeilF "ceilf" { source: Value, fast_math: FastMathOfNumber } -> 1, Pure, SameFloat [elementwise];
        /// Comparison of floats.
        CmpF "cmpf" { lhs: Value, rhs: Value, predicate: Predicate, ordering: Ordering, fast_math: FastMathOfComparison } -> 1, Pure, CompareFloat [elementwise];
        /// `yes` where the condition is true, `no` elsewhere. A scalar condition selects a whole operand.
        Select "select" { condition: Value, yes: Value, no: Value } -> 1, Pure, Select [elementwise];
        /// Sign or zero extension.
        ExtI "exti" { source: Value, signedness: Signedness } -> 1, Pure, IntExtend [elementwise];
        /// Truncation to the low bits.
        TruncI "trunci" { source: Value } -> 1, Pure, IntTruncate [elementwise];
        /// Conversion between float types.
        FToF "ftof" { source: Value, rounding: FloatRounding } -> 1, Pure, FloatToFloat [elementwise];
        /// Float to integer, toward zero. Out of range: clamped if saturating (NaN gives 0), else undefined.
        FToI "ftoi" { source: Value, signedness: Signedness, saturating: Flag } -> 1, Pure, FloatToInt [elementwise, partial];
        /// Integer to float.
        IToF "itof" { source: Value, signedness: Signedness, rounding: FloatRounding } -> 1, Pure, IntToFloat [elementwise];
        /// Reinterprets the bits as another type.
        Bitcast "bitcast" { source: Value } -> 1, Pure, Bitcast [elementwise, free];
        /// Address to pointer.
        IntToPtr "int_to_ptr" { source: Value } -> 1, Pure, IntToPtr [elementwise, free];
        /// Pointer to address.
        PtrToInt "ptr_to_int" { source: Value } -> 1, Pure, PtrToInt [elementwise, free];
        /// Changes the element type of a pointer.
        PtrToPtr "ptr_to_ptr" { source: Value } -> 1, Pure, PtrToPtr [elementwise, free];
    }
}

has_fast_math!(ArithOp: FastMathOfSum, FastMathOfQuotient, FastMathOfFunction, FastMathOfNumber, FastMathOfComparison);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Operation, Undefined};

    #[test]
    fn every_op_on_elements_is_elementwise() {
        for spec in ArithOp::specs() {
            let takes_operands = spec.fields.iter().any(|field| field.ty == "Value");
            assert_eq!(spec.properties.elementwise, takes_operands, "{}", spec.name);
            assert!(spec.properties.effects.is_pure(), "{}", spec.name);
        }
    }

    #[test]
    fn ops_with_overflow_flags_may_be_undefined() {
        for spec in ArithOp::specs() {
            let promises = spec.fields.iter().any(|field| field.ty == "Overflow");
            assert!(
                !promises || spec.properties.effects.undefined != Undefined::Never,
                "{}",
                spec.name
            );
        }
    }
}
