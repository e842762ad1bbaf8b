//! Elementary functions.

use crate::core::Value;
use crate::mlir::declare::mlir_ops;
use crate::mlir::enums::FastMath;

/// `%a fastmath<fast> : T`
const FLOAT: &str = " {..}(?fastmath: fastmath<{fastmath}>){@} : {R}";

mlir_ops! {
    /// Elementary functions.
    pub enum MathOp: "math" in Math {
        /// The power of two.
        Exp2 "exp2" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The power of Euler's number.
        Exp "exp" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The natural logarithm.
        Log "log" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The binary logarithm.
        Log2 "log2" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The error function.
        Erf "erf" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// One over the root.
        Rsqrt "rsqrt" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The root.
        Sqrt "sqrt" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The sine.
        Sin "sin" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The cosine.
        Cos "cos" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The hyperbolic tangent.
        Tanh "tanh" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The decimal logarithm.
        Log10 "log10" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The tangent.
        Tan "tan" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The arc sine.
        Asin "asin" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The arc cosine.
        Acos "acos" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The arc tangent.
        Atan "atan" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The angle of the point whose ordinate comes first.
        Atan2 "atan2" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// A power.
        PowF "powf" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The first float's magnitude with the second's sign.
        CopySign "copysign" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The next integer above.
        Ceil "ceil" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The magnitude.
        AbsF "absf" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The next integer below.
        Floor "floor" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The next integer towards zero.
        Trunc "trunc" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The nearest integer, of two the one that is farther from zero.
        Round "round" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The nearest integer, of two the even one.
        RoundEven "roundeven" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The power of Euler's number, less one.
        ExpM1 "expm1" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The natural logarithm of a number and one.
        Log1P "log1p" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The hyperbolic sine.
        Sinh "sinh" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The hyperbolic cosine.
        Cosh "cosh" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The number whose hyperbolic sine this is.
        Asinh "asinh" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The number whose hyperbolic cosine this is.
        Acosh "acosh" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The number whose hyperbolic tangent this is.
        Atanh "atanh" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The cube root.
        Cbrt "cbrt" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The sine and the cosine.
        SinCos "sincos" { operand: Value, fastmath: FastMath } -> 2 Written, Pure, Other, " {..}(?fastmath: fastmath<{fastmath}>){@} : {R1}";
        /// A product and a sum, rounded once.
        Fma "fma" { a: Value, b: Value, c: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The number of zeros below the lowest one.
        Cttz "cttz" { operand: Value } -> 1 Written, Pure, Other, super::PLAIN;
        /// The number of zeros above the highest one.
        Ctlz "ctlz" { operand: Value } -> 1 Written, Pure, Other, super::PLAIN;
        /// The number of ones.
        Ctpop "ctpop" { operand: Value } -> 1 Written, Pure, Other, super::PLAIN;
        /// The magnitude of a signed integer.
        AbsI "absi" { operand: Value } -> 1 Written, Pure, Other, super::PLAIN;
    }
}
