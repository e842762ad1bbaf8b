//! Units of what is counted.

use std::ops::Add;

/// Clock cycles of a multiprocessor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cycles(pub u64);

impl Cycles {
    /// More than anything takes: of what does not exist.
    pub const NEVER: Self = Self(u64::MAX);

    /// The time for `work` at a rate of `rate` in a cycle, rounded up; [`NEVER`](Self::NEVER) at no rate.
    pub const fn of(work: u64, rate: u32) -> Self {
        if rate == 0 {
            return Self::NEVER;
        }
        Self(work.div_ceil(rate as u64))
    }

    /// So many times these cycles.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }
}

/// One after the other.
impl Add for Cycles {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// Registers of 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Registers(pub u32);

impl Registers {
    /// Down to a multiple of a unit.
    #[must_use]
    pub const fn round_down(self, unit: Self) -> Self {
        Self(self.0 / unit.0 * unit.0)
    }

    /// Up to a multiple of a unit.
    #[must_use]
    pub const fn round_up(self, unit: Self) -> Self {
        Self(self.0.next_multiple_of(unit.0))
    }
}
