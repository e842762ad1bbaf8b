//! Integers of which more is known than their width, and what divides by them.

use std::fmt;
use std::num::NonZeroU64;

use tilewright_layouts::cute::Bits;

use super::reader::{Family, Reader, TypeError, part, words};

/// An integer with a known divisor: `!cute.i32<divby 4>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Integer {
    /// Its width.
    pub width: Bits,
    /// A number that divides it.
    pub divisor: NonZeroU64,
    /// Whether it is a power of two.
    pub power_of_two: bool,
}

impl Integer {
    fn read_facts(&mut self, reader: &mut Reader<'_>) -> Result<(), TypeError> {
        if !reader.take("<") {
            return Ok(());
        }
        self.power_of_two = reader.take("pow2");
        if !self.power_of_two || reader.take(",") {
            reader.literal("divby")?;
            self.divisor = reader.number("a divisor above 0")?;
        }
        reader.literal(">")
    }
}

impl Family for Integer {
    fn word(&self) -> &'static str {
        match self.width {
            Bits::B8 => "cute.i8",
            Bits::B16 => "cute.i16",
            Bits::B32 => "cute.i32",
            Bits::B64 => "cute.i64",
        }
    }

    fn after(word: &str, reader: &mut Reader<'_>) -> Option<Result<Self, TypeError>> {
        let width = match word {
            "cute.i8" => Bits::B8,
            "cute.i16" => Bits::B16,
            "cute.i32" => Bits::B32,
            "cute.i64" => Bits::B64,
            _ => return None,
        };
        let (divisor, power_of_two) = (NonZeroU64::MIN, false);
        let mut integer = Self {
            width,
            divisor,
            power_of_two,
        };
        Some(integer.read_facts(reader).map(|()| integer))
    }

    fn write_after(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.power_of_two, self.divisor.get()) {
            (false, 1) => Ok(()),
            (true, 1) => f.write_str("<pow2>"),
            (false, divisor) => write!(f, "<divby {divisor}>"),
            (true, divisor) => write!(f, "<pow2, divby {divisor}>"),
        }
    }
}

words! {
    /// The width of a division.
    pub enum DivisorWidth {
        /// 32 bits.
        B32 = "32",
        /// 64 bits.
        B64 = "64",
    }
}

part! {
    /// A divisor with the numbers that make dividing by it fast: `!cute.fast_divmod_divisor<32>`.
    pub struct FastDivisor {
        /// The width of the division.
        width: DivisorWidth,
        /// Whether the divisor is a power of two.
        power_of_two: bool,
    }
    width [", is_pow_2" if power_of_two]
}
