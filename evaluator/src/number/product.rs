//! Sums of products of many numbers: operands are decoded once, and host arithmetic is used where it rounds
//! correctly.

use super::fast::{self, widen};
use super::format::Format;
use super::round::Direction;

/// Numbers of at most 24 bits of precision as `f32`s, exactly. `None` for wider formats.
pub fn singles(format: Format, numbers: &[u64]) -> Option<Vec<f32>> {
    // Every other format is within the range of an `f32`, including subnormal numbers.
    (format != Format::F64).then(|| numbers.iter().map(|&bits| widen(format, bits) as f32).collect())
}

/// Whether the product of any two of these numbers is exact in an `f32`: numbers of at most 12 bits, not near the
/// ends of the range.
pub fn are_short(format: Format, numbers: &[f32]) -> bool {
    const LEAST: f32 = 1.0 / MOST;
    const MOST: f32 = (1u64 << 60) as f32;
    let inside = |&number: &f32| {
        let size = number.abs();
        (LEAST..=MOST).contains(&size) || size == 0.0 || !size.is_finite()
    };
    format.fraction_bits() < 12 && numbers.iter().all(inside)
}

/// Numbers as `f64`s, exactly.
pub fn doubles(format: Format, numbers: &[u64]) -> Vec<f64> {
    numbers.iter().map(|&bits| widen(format, bits)).collect()
}

/// The bits of `f32`s, with NaNs canonicalised.
pub fn bits_of_singles(numbers: &[f32]) -> Vec<u64> {
    numbers.iter().map(|&number| fast::bits32(number)).collect()
}

/// `f32`s rounded to a format, to nearest even, with NaNs canonicalised.
pub fn rounded_singles(format: Format, numbers: &[f32]) -> Vec<u64> {
    let round = |&number: &f32| fast::narrow(format, Direction::NearestEven, number.into());
    numbers.iter().map(round).collect()
}

/// The bits of `f64`s, with NaNs canonicalised.
pub fn bits_of_doubles(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|&number| fast::bits64(number)).collect()
}

/// A sum rounded once to an `f32`.
pub fn sum_to_single(product: f64, sum: f32) -> f32 {
    fast::sum_to_odd(product, f64::from(sum)) as f32
}
