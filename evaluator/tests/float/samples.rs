//! Sample codes.

use crate::oracle::layout;
use rand::{Rng, RngExt};
use tilewright_evaluator::number::Format;

/// Codes of a format: special ones, and random ones of which many have exponents near to each other.
pub(crate) fn samples(format: Format, count: usize, rng: &mut impl Rng) -> Vec<u64> {
    let layout = layout(format);
    let width = layout.exponent_bits + layout.fraction_bits;
    let mask = (1u64 << width) - 1;
    let one = ((1 << (layout.exponent_bits - 1)) - 1) << layout.fraction_bits;
    let leading = 1 << layout.fraction_bits;
    let mut codes = vec![
        0,
        1,
        2,
        3,
        leading - 1,
        leading,
        leading + 1,
        one - 1,
        one,
        one + 1,
        one + leading,
    ];
    codes.extend([layout.end() - 1, layout.end(), mask].map(|code| code & mask));
    while codes.len() < count {
        let random = rng.random::<u64>() & mask;
        codes.push(match rng.random_range(0..4) {
            0 => random,
            // Near 1.
            1 => one.wrapping_add(random % (4 * leading)).wrapping_sub(2 * leading) & mask,
            // Few bits.
            2 => random & !((leading - 1) >> rng.random_range(0..4)),
            _ => random % (4 * leading),
        });
    }
    codes
        .iter()
        .map(|code| code | if rng.random() { layout.sign_bit() } else { 0 })
        .collect()
}
