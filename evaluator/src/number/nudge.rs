//! Moves results by as much as another implementation of the language may differ in them.
//!
//! The language leaves open in which order `reduce`, `scan` and matrix products add, and how exactly functions such as
//! `exp` are computed. In a launch with a [`Nudge`] every result that depends on this is moved by the most that may be
//! expected; by how far the memory moves that the kernel writes is how far another implementation may be off there.
//!
//! **Sums.** Numbers `x` are added, `n` of them with the sum `S`, in an order that does not depend on their values. The
//! square of the sum of the first `k` is then `S²(k/n)² + Q·k(n-k)/n²` on average or less, where `Q` is the sum of their
//! squares. An addition rounds its result by at most `u` times it, and on average by a third of that squared. The `n` of
//! them give the variance `u²/3·n(S²/3 + Q/6)`, two orders differ by twice that, and six standard deviations of the
//! difference are [`Summands::spread`], `u·√(n(8S² + 4Q))`. The worst order with the worst rounding, `n·u·Σ|x|`, is no bound to
//! find mistakes with: it exceeds the sum of 2048 halves.
//!
//! **Products of matrices** are sums in the accumulator's format. Tensor cores keep less: they cut where others round,
//! and 13 bits of sums of 8-bit floats (DeepSeek-V3 Technical Report, 3.3.2).
//!
//! **Functions** are off by the units in the last place in the table of [`math`](super::math).

use super::fast::{narrow, widen};
use super::format::Format;
use super::round::Direction;

/// The direction in which results are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nudge {
    /// All of them up.
    Up,
    /// All of them down.
    Down,
    /// Each up or down, as this number decides together with its bits.
    Mixed(u64),
}

impl Nudge {
    /// A finite number moved by a distance.
    pub fn moved(self, format: Format, bits: u64, distance: f64) -> u64 {
        let number = widen(format, bits);
        if !number.is_finite() || distance.is_nan() || distance == 0.0 {
            return bits;
        }
        let is_up = match self {
            Self::Up => true,
            Self::Down => false,
            // The golden ratio's bits mix those of the number into the highest one.
            Self::Mixed(seed) => (bits ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1,
        };
        let to = if is_up {
            number + distance
        } else {
            number - distance
        };
        narrow(format, Direction::NearestEven, to)
    }

    /// A number moved by this many units in its last place.
    pub fn by_units(self, format: Format, bits: u64, units: f64) -> u64 {
        let size = widen(format, bits).abs();
        let unit = (2.0 * unit_roundoff(format) * size).max(format.least_step());
        self.moved(format, bits, units * unit)
    }
}

/// The largest relative error of rounding to the nearest number of a format.
pub fn unit_roundoff(format: Format) -> f64 {
    0.5f64.powi(i32::try_from(format.fraction_bits() + 1).unwrap_or(i32::MAX))
}

/// The relative error of an addition in a product of matrices.
pub fn product_roundoff(from: Format, to: Format) -> f64 {
    let least = match from.fraction_bits() {
        0..=3 => 0.5f64.powi(13),
        _ if to == Format::F64 => 0.0,
        _ => 0.5f64.powi(22),
    };
    unit_roundoff(to).max(least)
}

/// Numbers that are added: what a bound on the error of their sum depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summands {
    /// How many.
    pub count: f64,
    /// Their sum.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
}

impl Summands {
    /// One more.
    pub fn add(&mut self, number: f64) {
        self.count += 1.0;
        self.sum += number;
        self.squares += number * number;
    }

    /// How far two sums of them may differ that are added in different orders.
    pub fn spread(&self, roundoff: f64) -> f64 {
        if self.count < 2.0 {
            return 0.0;
        }
        let squares = 8.0 * self.sum * self.sum + 4.0 * self.squares;
        roundoff * (self.count * squares).sqrt()
    }
}

/// How far an op in the body of a fold of `length` numbers is moved, in units of its own rounding: the additions of a
/// tree are fewer than those of a line one after the other, and stand for them.
pub fn fold_slack(length: usize) -> f64 {
    let length = u32::try_from(length)
        .map_or(f64::from(u32::MAX), f64::from)
        .max(2.0);
    2.0 * length.sqrt() / length.log2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn orders_of_a_sum_differ_by_less_than_its_spread() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for offset in [0.0, 1.0] {
            let mut numbers: Vec<u64> = (0..1024)
                .map(|_| {
                    let number = offset + random.random_range(-1.0..1.0);
                    narrow(Format::F16, Direction::NearestEven, number)
                })
                .collect();
            let mut summands = Summands::default();
            for &bits in &numbers {
                summands.add(widen(Format::F16, bits));
            }
            let spread = summands.spread(unit_roundoff(Format::F16));
            // A bound that finds a summand which is missing in a sum of few, and a tenth of one of many.
            assert!(spread < 0.25 * summands.squares, "{spread}");
            for _ in 0..100 {
                numbers.shuffle(&mut random);
                let sum = numbers.iter().fold(0, |sum, &bits| {
                    let sum = widen(Format::F16, sum) + widen(Format::F16, bits);
                    narrow(Format::F16, Direction::NearestEven, sum)
                });
                let error = (widen(Format::F16, sum) - summands.sum).abs();
                assert!(error < spread, "{error} of {spread}");
            }
        }
    }

    #[test]
    fn a_nudge_moves_by_the_distance_and_leaves_what_is_not_finite() {
        let one = 0x3c00;
        assert_eq!(Nudge::Up.by_units(Format::F16, one, 1.0), one + 1);
        assert_eq!(Nudge::Up.by_units(Format::F16, 3, 2.0), 5, "a subnormal number");
        assert_eq!(Nudge::Down.moved(Format::F16, one, 0.5), 0x3800);
        assert_eq!(
            Nudge::Up.moved(Format::F16, Format::F16.nan(), 1.0),
            Format::F16.nan()
        );
        let mixed = |bits| Nudge::Mixed(3).by_units(Format::F16, bits, 1.0) > bits;
        assert!((one..one + 64).any(mixed) && !(one..one + 64).all(mixed));
    }
}
