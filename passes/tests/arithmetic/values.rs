//! Sample numbers: edge cases, and random ones with a fixed seed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::exact::{Direction, Format, Number};

pub(crate) fn generator() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(20)
}

fn mask(bits: u32) -> u64 {
    if bits == 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Integers of this many bits.
pub(crate) fn integers(bits: u32, random: usize) -> Vec<u64> {
    if bits == 1 {
        return vec![0, 1];
    }
    let top = 1u64 << (bits - 1);
    let mut values = vec![0, 1, 2, 3, 5, 7, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100];
    values.extend([
        u64::MAX,
        u64::MAX - 1,
        u64::MAX - 6,
        top,
        top - 1,
        top + 1,
        top | top >> 1,
    ]);
    let mut random_numbers = generator();
    values.extend((0..random).map(|_| {
        let value: u64 = random_numbers.random();
        value >> random_numbers.random_range(0..64)
    }));
    values.into_iter().map(|value| value & mask(bits)).collect()
}

/// Floats of this format.
pub(crate) fn floats(format: Format, random: usize) -> Vec<u64> {
    let infinity = format.infinity(false);
    let top = 1u64 << (format.bits - 1);
    let number = |value: f64| format.round(crate::exact::F64.decode(value.to_bits()), Direction::Nearest);
    let mut values = vec![0, 1, 2, 3, infinity, infinity - 1, format.nan(), infinity + 1];
    // The smallest normal number and its neighbours.
    let fraction = (infinity & infinity.wrapping_neg()).trailing_zeros();
    values.extend([1 << fraction, (1 << fraction) - 1, (1 << fraction) + 1]);
    let numbers = [
        0.5,
        0.99,
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        3.3,
        7.0,
        127.5,
        128.0,
        129.0,
        255.9,
        256.0,
        1000.7,
        32767.5,
        32768.0,
        65503.0,
        65504.0,
        65520.0,
        65536.0,
        1e-3,
        1e-7,
        6e-8,
        1e9,
        2147483647.0,
        2147483648.0,
        4294967295.0,
        4294967296.0,
        9.3e18,
        1.8446744073709552e19,
        1e20,
        1e30,
        1e-30,
        1e-40,
        1e38,
        3.4e38,
        1e200,
        1e-200,
    ];
    values.extend(numbers.into_iter().map(number));
    values.extend(values.clone().into_iter().map(|value| value ^ top));
    let mut random_numbers = generator();
    values.extend((0..random).map(|i| {
        if i % 2 == 0 {
            random_numbers.random::<u64>() & mask(format.bits)
        } else {
            number(random_numbers.random_range(-300.0..300.0))
        }
    }));
    values
}

/// f64 numbers at and near the midpoint of two neighbours of a narrower format, where double rounding is incorrect.
pub(crate) fn near_middles(narrow: Format) -> Vec<u64> {
    let mut values = Vec::new();
    let mut random = generator();
    for _ in 0..400 {
        let bits = random.random::<u64>() & mask(narrow.bits - 1);
        let (Number::Finite(_, low, e), Number::Finite(_, high, f)) =
            (narrow.decode(bits), narrow.decode(bits + 1))
        else {
            continue;
        };
        let base = e.min(f);
        let middle = (low << (e - base)) + (high << (f - base));
        let wide = crate::exact::F64.round(Number::Finite(false, middle, base - 1), Direction::Nearest);
        values.extend([wide, wide + 1, wide - 1, wide | 1 << 63, (wide + 1) | 1 << 63]);
    }
    values
}

/// All combinations of one value from each list if there are few, otherwise random ones.
pub(crate) fn rows(lists: &[Vec<u64>], most: usize) -> Vec<Vec<u64>> {
    let all: usize = lists.iter().map(Vec::len).product();
    if all <= most {
        let mut rows = vec![vec![]];
        for list in lists {
            rows = rows
                .into_iter()
                .flat_map(|row| list.iter().map(move |&value| [row.clone(), vec![value]].concat()))
                .collect();
        }
        return rows;
    }
    let mut random = generator();
    (0..most)
        .map(|_| {
            lists
                .iter()
                .map(|list| list[random.random_range(0..list.len())])
                .collect()
        })
        .collect()
}
