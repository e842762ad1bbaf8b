//! Tests that host arithmetic gives the same bits as exact arithmetic.

use super::fast;
use super::float::{exact_product, exact_product_sum, exact_quotient, exact_square_root, exact_sum};
use super::format::Format;
use super::product;
use super::round::Direction::{Down, NearestAway, NearestEven, Up, Zero};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Special codes, any ones, and ones near 1 or with few bits, so that sums cancel and products are ties.
fn code(format: Format, rng: &mut impl Rng) -> u64 {
    let one = format.max_finite() / 2;
    let any = rng.random::<u64>();
    let magnitude = match rng.random_range(0..8) {
        0 => [
            0,
            1,
            one,
            format.max_finite(),
            format.max_finite() + 1,
            format.nan(),
        ][rng.random_range(0..6)],
        1 => any,
        2 => any >> 1 & !(u64::MAX >> rng.random_range(1..40)),
        3 => any % (4 << format.fraction_bits()),
        _ => one
            .wrapping_add(any % (8 << format.fraction_bits()))
            .wrapping_sub(4 << format.fraction_bits()),
    };
    format.with_sign(rng.random(), format.magnitude(magnitude))
}

#[test]
fn fast_and_exact_arithmetic_agree() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for format in Format::ALL {
        let mut fast_results = 0;
        for _ in 0..8000 {
            let [a, b, c] = [(); 3].map(|()| code(format, &mut rng));
            for direction in [NearestEven, NearestAway, Zero, Down, Up] {
                let pairs = [
                    (
                        fast::sum(format, direction, a, b),
                        exact_sum(format, direction, a, b),
                    ),
                    (
                        fast::product(format, direction, a, b),
                        exact_product(format, direction, a, b),
                    ),
                    (
                        fast::quotient(format, direction, a, b),
                        exact_quotient(format, direction, a, b),
                    ),
                    (
                        fast::square_root(format, direction, a),
                        exact_square_root(format, direction, a),
                    ),
                    (
                        fast::product_sum(format, format, direction, [a, b, c]),
                        exact_product_sum(format, format, direction, [a, b, c]),
                    ),
                ];
                for (i, (fast, exact)) in pairs.into_iter().enumerate() {
                    let case = || format!("{} {a:#x} {b:#x} {c:#x} {direction:?} {i}", format.ty());
                    assert!(
                        fast.is_none_or(|fast| fast == exact),
                        "{fast:x?} {exact:x}: {}",
                        case()
                    );
                    fast_results += u32::from(fast.is_some());
                }
            }
        }
        assert!(fast_results >= 5 * 8000, "{} {fast_results}", format.ty());
    }
}

#[test]
fn matrix_products_agree() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for factors in Format::ALL {
        for result in [Format::F16, Format::F32, Format::F64] {
            for _ in 0..2000 {
                let operands = [
                    code(factors, &mut rng),
                    code(factors, &mut rng),
                    code(result, &mut rng),
                ];
                let exact = exact_product_sum(factors, result, NearestEven, operands);
                let fast = fast::product_sum(factors, result, NearestEven, operands);
                assert!(
                    fast.is_none_or(|fast| fast == exact),
                    "{operands:x?}: {fast:x?} {exact:x}"
                );
            }
        }
    }
}

#[test]
fn products_of_short_numbers_are_exact() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for format in Format::ALL {
        let mut found = 0;
        for _ in 0..8000 {
            let factors = [code(format, &mut rng), code(format, &mut rng)];
            let c = code(Format::F32, &mut rng);
            let Some(numbers) = product::singles(format, &factors) else {
                continue;
            };
            if product::are_short(format, &numbers) {
                let sum = numbers[0] * numbers[1] + f32::from_bits(c as u32);
                let exact = exact_product_sum(format, Format::F32, NearestEven, [factors[0], factors[1], c]);
                assert_eq!(fast::bits32(sum), exact, "{} {factors:x?} {c:#x}", format.ty());
                found += 1;
            }
        }
        // Of formats with a longer fraction there are none.
        assert_eq!(
            found > 1000,
            format.fraction_bits() < 12,
            "{} {found}",
            format.ty()
        );
    }
}

#[test]
fn quotients_and_roots_next_to_a_number_or_a_tie_agree() {
    let format = Format::F32;
    let bits = |value: u64| u64::from((value as f32).to_bits());
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let check = |a, b| {
        for direction in [NearestEven, NearestAway, Zero, Down, Up] {
            let quotient = fast::quotient(format, direction, a, b);
            assert_eq!(
                quotient,
                Some(exact_quotient(format, direction, a, b)),
                "{a:#x} {b:#x} {direction:?}"
            );
            let root = fast::square_root(format, direction, a);
            assert_eq!(
                root,
                Some(exact_square_root(format, direction, a)),
                "{a:#x} {direction:?}"
            );
        }
    };
    for _ in 0..20_000 {
        let divisor = rng.random_range(1u64 << 23..1 << 24) | 1;
        // `number * divisor` is one more than a multiple of 2^24 (2^25 for a tie), by Newton's iteration.
        let power: u64 = rng.random_range(24..26);
        let mut number = 1u64;
        for _ in 0..6 {
            number = number.wrapping_mul(2u64.wrapping_sub(divisor.wrapping_mul(number)));
        }
        number &= (1 << power) - 1;
        let dividend = (number * divisor) >> power;
        check(bits(dividend), bits(divisor));
        // And one less.
        check(bits(divisor - dividend), bits(divisor));
    }
    // The root of (2^23 + 1)^2 - 1, and of others that are next to a square.
    for number in (1u64 << 23) + 1..(1 << 23) + 2000 {
        check(bits(number * number - 1), bits(number));
        check(bits(number * number), bits(number));
    }
}
