//! Division by a number that is prepared once: by a multiplication and two shifts.
//!
//! (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994, figure 4.1.)

use tilewright_diagnostics::Code;

use super::rules::AlgebraValue;
use crate::core::{Body, Language, OpData, Operation, Value, ValueType as _};
use crate::cute_types::{CuteType, DivisorWidth, FastDivisor, Kind};
use crate::element::{ElementType, ScalarType};

crate::dialect! {
    /// Division by prepared divisors, of numbers without a sign.
    pub enum DivisionOp: "cute" {
        /// A divisor of its number, its multiplier and its two shifts, which are i8.
        MakeDivisor "fast_divmod.make_divisor" { divisor: Value, multiplier: Value, shift1: Value, shift2: Value } -> 1, Pure, Free;
        /// Quotient and remainder of a number of the width of the divisor.
        Divide "fast_divmod.compute" { dividend: Value, divisor: Value } -> 2, Pure, Free;
        /// The number that a divisor divides by.
        GetDivisor "fast_divmod.get_divisor" { divisor: Value } -> 1, Pure, Free [free];
    }
}

/// The integer type of numbers that are divided.
#[must_use]
pub fn number(divisor: &FastDivisor) -> ScalarType {
    match divisor.width {
        DivisorWidth::B32 => ScalarType::I32,
        DivisorWidth::B64 => ScalarType::I64,
    }
}

/// Verifies an op.
///
/// # Errors
/// The error.
pub fn check<L: Language<Type: AlgebraValue>>(
    body: &Body<L>,
    op: &OpData<L>,
    own: &DivisionOp,
) -> Result<(), (Code, String)> {
    let name = own.name();
    let divisor_of = |value: Value| match body.ty(value).algebra().map(CuteType::kind) {
        Some(Kind::FastDivisor(divisor)) => Ok(number(divisor)),
        _ => Err((
            Code::OperandType,
            format!("the divisor of `{name}` is a `cute.fast_divmod_divisor`"),
        )),
    };
    let is = |value: Value, what: &str, expected: ScalarType| {
        let ty = body.ty(value);
        match ty.is_single() && ty.element() == Some(ElementType::Scalar(expected)) {
            true => Ok(()),
            false => Err((Code::OperandType, format!("{what} of `{name}` is an {expected}"))),
        }
    };
    match own {
        DivisionOp::MakeDivisor {
            divisor,
            multiplier,
            shift1,
            shift2,
        } => {
            let number = divisor_of(op.result(0))?;
            is(*divisor, "the number", number)?;
            is(*multiplier, "the multiplier", number)?;
            is(*shift1, "a shift", ScalarType::I8)?;
            is(*shift2, "a shift", ScalarType::I8)
        }
        DivisionOp::Divide { dividend, divisor } => {
            let number = divisor_of(*divisor)?;
            is(*dividend, "the dividend", number)?;
            is(op.result(0), "the quotient", number)?;
            is(op.result(1), "the remainder", number)
        }
        DivisionOp::GetDivisor { divisor } => is(op.result(0), "the number", divisor_of(*divisor)?),
    }
}
