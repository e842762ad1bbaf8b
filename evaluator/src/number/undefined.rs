//! Operands for which an op is undefined.

use std::fmt;

/// The reason why an op is undefined for its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// Integer division by zero.
    DivisionByZero,
    /// The quotient of the minimum and -1, which is out of range.
    QuotientTooLarge {
        /// The width of the type.
        width: u32,
    },
    /// A shift by the width or more.
    ShiftTooFar {
        /// The shift amount.
        amount: u64,
        /// The width of the type.
        width: u32,
    },
    /// Conversion of a NaN to an integer.
    NanToInteger,
    /// Conversion of a float whose integral part is out of range.
    FloatTooLarge {
        /// The width of the integer type.
        width: u32,
        /// Whether the type is signed.
        signed: bool,
    },
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DivisionByZero => f.write_str("division by zero"),
            Self::QuotientTooLarge { width } => {
                write!(f, "the least {width}-bit integer divided by -1")
            }
            Self::ShiftTooFar { amount, width } => write!(f, "a {width}-bit integer shifted by {amount}"),
            Self::NanToInteger => f.write_str("NaN converted to an integer"),
            Self::FloatTooLarge { width, signed } => {
                let kind = if *signed { "a signed" } else { "an unsigned" };
                write!(
                    f,
                    "a float converted to {kind} {width}-bit integer that does not hold it"
                )
            }
        }
    }
}

impl std::error::Error for Undefined {}
