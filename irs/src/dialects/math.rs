//! Elementary functions of floats, element by element.
//!
//! Accuracy: that of the CUDA math library (CUDA C++ Programming Guide, "Mathematical Functions"), over the whole range,
//! with the special cases of C. An approximate function is as accurate as the hardware's instruction.

use crate::core::{Flag, Value};
use crate::dialects::fast_math::{FastMathOfFunction, has_fast_math};

crate::dialect! {
    /// Elementary functions of floats, with the accuracy of the CUDA math library and the special cases of C.
    pub enum MathOp: "math" {
        /// `e^x`.
        Exp "exp" { source: Value, approximate in FastMath: Flag, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// `2^x`; a subnormal result is zero if `flush_to_zero` is set.
        Exp2 "exp2" { source: Value, flush_to_zero in FastMath: Flag, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// Natural logarithm: negative infinity for a zero, NaN for a negative number.
        Log "log" { source: Value, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// Logarithm to base 2.
        Log2 "log2" { source: Value, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// Sine of an angle in radians.
        Sin "sin" { source: Value, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// Cosine of an angle in radians.
        Cos "cos" { source: Value, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// Tangent of an angle in radians.
        Tan "tan" { source: Value, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// Hyperbolic sine.
        Sinh "sinh" { source: Value, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// Hyperbolic cosine.
        Cosh "cosh" { source: Value, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// Hyperbolic tangent.
        Tanh "tanh" { source: Value, approximate in FastMath: Flag, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// The error function: twice the integral of `e^(-t^2)` from 0, over the root of pi.
        Erf "erf" { source: Value, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// The angle of the point (`x`, `y`): the arc tangent of `y / x` in the quadrant that both signs give.
        Atan2 "atan2" { y: Value, x: Value, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// `base` to the power of a float.
        PowF "powf" { base: Value, exponent: Value, fast_math: FastMathOfFunction } -> 1, Pure, SameFloat [elementwise, expensive];
        /// `base` to the power of a signed integer.
        PowI "powi" { base: Value, exponent: Value, fast_math: FastMathOfFunction } -> 1, Pure, FloatPower [elementwise, expensive];
    }
}

has_fast_math!(MathOp: FastMathOfFunction);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Cost, Operation};

    #[test]
    fn every_function_is_elementwise_pure_and_expensive() {
        for spec in MathOp::specs() {
            assert!(spec.properties.elementwise, "{}", spec.name);
            assert!(spec.properties.effects.is_pure(), "{}", spec.name);
            assert_eq!(spec.properties.cost, Cost::Expensive, "{}", spec.name);
        }
    }
}
