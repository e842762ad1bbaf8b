//! Operands for which an op has no value.

use std::fmt;

/// Why an op has no value for its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// An integer was divided by zero.
    DivisionByZero,
    /// The quotient of the most negative integer and -1, which the type does not hold.
    QuotientTooLarge {
        /// The bits of the type.
        width: u32,
    },
    /// A shift by the width or more.
    ShiftTooFar {
        /// How far.
        amount: u64,
        /// The bits of the type.
        width: u32,
    },
    /// A NaN was converted to an integer.
    NanToInteger,
    /// A float whose integer part the integer type does not hold was converted to it.
    FloatTooLarge {
        /// The bits of the integer type.
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
