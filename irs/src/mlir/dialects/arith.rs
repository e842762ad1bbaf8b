//! Arithmetic on integers and floats, and vectors of them.

use super::PLAIN;
use super::PLAIN_TO;
use crate::core::Value;
use crate::mlir::attribute::Attribute;
use crate::mlir::declare::mlir_ops;
use crate::mlir::enums::{FastMath, FloatPredicate, IntPredicate, Overflow};

/// `%a, %b fastmath<fast> : T`
const FLOAT: &str = " {..}(?fastmath: fastmath<{fastmath}>){@} : {R}";
/// `%a, %b overflow<nsw> : T`
const INTEGER: &str = " {..}(?overflowFlags: overflow<{overflowFlags}>){@} : {R}";
/// `%a overflow<nsw> : T to T`
const CAST: &str = " {..}(?overflowFlags: overflow<{overflowFlags}>){@} : {T ..} to {R}";
/// `%a fastmath<fast> : T to T`
const FLOAT_CAST: &str = " {..}(?fastmath: fastmath<{fastmath}>){@} : {T ..} to {R}";

mlir_ops! {
    /// Arithmetic on integers and floats.
    pub enum ArithOp: "arith" in Arith {
        /// A constant.
        Constant "constant" { value: Attribute } -> 1 OfValue, Pure, Other, "!";
        /// Compares integers.
        CmpI "cmpi" { lhs: Value, rhs: Value, predicate: IntPredicate } -> 1 Boolean, Pure, Other, " {predicate}, {..}{@} : {T lhs}";
        /// Compares floats.
        CmpF "cmpf" { lhs: Value, rhs: Value, fastmath: FastMath, predicate: FloatPredicate } -> 1 Boolean, Pure, Other, " {predicate}, {..}(?fastmath: fastmath<{fastmath}>){@} : {T lhs}";
        /// The first value if the condition holds, else the second.
        Select "select" { condition: Value, on_true: Value, on_false: Value } -> 1 Written, Pure, Other, "!";
        /// The sum.
        AddF "addf" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The difference.
        SubF "subf" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The product.
        MulF "mulf" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The quotient.
        DivF "divf" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The remainder.
        RemF "remf" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The greater one, or a NaN.
        MaximumF "maximumf" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The lesser one, or a NaN.
        MinimumF "minimumf" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The greater number that is no NaN.
        MaxNumF "maxnumf" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The lesser number that is no NaN.
        MinNumF "minnumf" { lhs: Value, rhs: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The negative.
        NegF "negf" { operand: Value, fastmath: FastMath } -> 1 Written, Pure, Other, FLOAT;
        /// The sum.
        AddI "addi" { lhs: Value, rhs: Value, overflow["overflowFlags"]: Overflow } -> 1 Written, Pure, Other, INTEGER;
        /// The difference.
        SubI "subi" { lhs: Value, rhs: Value, overflow["overflowFlags"]: Overflow } -> 1 Written, Pure, Other, INTEGER;
        /// The product.
        MulI "muli" { lhs: Value, rhs: Value, overflow["overflowFlags"]: Overflow } -> 1 Written, Pure, Other, INTEGER;
        /// The low and the high half of the unsigned product.
        MulUiExtended "mului_extended" { lhs: Value, rhs: Value } -> 2 Written, Pure, Other, " {..}{@} : {R1}";
        /// Shifted left.
        ShlI "shli" { lhs: Value, rhs: Value, overflow["overflowFlags"]: Overflow } -> 1 Written, Pure, Other, INTEGER;
        /// Shifted right, with copies of the sign.
        ShrSI "shrsi" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// Shifted right.
        ShrUI "shrui" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// Bits of both.
        AndI "andi" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// Bits of either.
        OrI "ori" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// Bits of one.
        XorI "xori" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// The signed quotient, rounded to zero.
        DivSI "divsi" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// The unsigned quotient.
        DivUI "divui" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// The signed remainder.
        RemSI "remsi" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// The unsigned remainder.
        RemUI "remui" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// The signed quotient, rounded down.
        FloorDivSI "floordivsi" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// The signed quotient, rounded up.
        CeilDivSI "ceildivsi" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// The unsigned quotient, rounded up.
        CeilDivUI "ceildivui" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// The greater signed one.
        MaxSI "maxsi" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// The greater unsigned one.
        MaxUI "maxui" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// The lesser signed one.
        MinSI "minsi" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// The lesser unsigned one.
        MinUI "minui" { lhs: Value, rhs: Value } -> 1 Written, Pure, Other, PLAIN;
        /// An integer with zeros above.
        ExtUI "extui" { source["in"]: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// An integer with copies of its sign above.
        ExtSI "extsi" { source["in"]: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// An integer as an index, or an index as an integer.
        IndexCast "index_cast" { source["in"]: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// A signed integer as a float.
        SiToFp "sitofp" { source["in"]: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// An unsigned integer as a float.
        UiToFp "uitofp" { source["in"]: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// A float as a signed integer.
        FpToSi "fptosi" { source["in"]: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// A float as an unsigned integer.
        FpToUi "fptoui" { source["in"]: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// The same bits.
        Bitcast "bitcast" { source["in"]: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// The low bits of an integer.
        TruncI "trunci" { source["in"]: Value, overflow["overflowFlags"]: Overflow } -> 1 Written, Pure, Other, CAST;
        /// A wider float.
        ExtF "extf" { source["in"]: Value, fastmath: Option<FastMath> } -> 1 Written, Pure, Other, FLOAT_CAST;
        /// A narrower float.
        TruncF "truncf" { source["in"]: Value, fastmath: Option<FastMath> } -> 1 Written, Pure, Other, FLOAT_CAST;
    }
}
