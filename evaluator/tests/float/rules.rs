//! Rules of the language and IEEE 754 for single cases: NaNs, zeros, infinities, flushing, modes.

use crate::dispatch::Operation;
use crate::oracle::MODES;
use crate::samples::samples;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tilewright_evaluator::number::{Format, convert, float, math};
use tilewright_irs::cuda_tile::{ComparisonOrdering, ComparisonPredicate, RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;

use RoundingMode::{Approx, Full, NearestAway, NearestEven, NegativeInf, PositiveInf, Zero};
use Signedness::Signed;

const F: Format = Format::F32;
const NAN: u64 = 0x7FFF_FFFF;
const INFINITY: u64 = 0x7F80_0000;
const MINUS: u64 = 0x8000_0000;
/// The smallest normal number, and the largest below it.
const SMALLEST_NORMAL: u64 = 0x0080_0000;
const SUBNORMAL: u64 = SMALLEST_NORMAL - 1;

fn f(value: f32) -> u64 {
    value.to_bits().into()
}

#[test]
fn codes_of_the_formats() {
    let expected = [
        (Format::F16, 0x7BFF, Some(0x7C00), 0x7FFF),
        (Format::BF16, 0x7F7F, Some(0x7F80), 0x7FFF),
        (Format::F32, 0x7F7F_FFFF, Some(INFINITY), NAN),
        (Format::TF32, 0x3_FBFF, Some(0x3_FC00), 0x3_FFFF),
        (
            Format::F64,
            0x7FEF_FFFF_FFFF_FFFF,
            Some(0x7FF0_0000_0000_0000),
            0x7FF8_0000_0000_0000,
        ),
        (Format::F8E4M3FN, 0x7E, None, 0x7F),
        (Format::F8E5M2, 0x7B, Some(0x7C), 0x7F),
        (Format::F8E8M0FNU, 0xFE, None, 0xFF),
        (Format::F4E2M1FN, 7, None, 7),
        (Format::F8E5M3FNU, 0xFE, None, 0xFF),
    ];
    assert_eq!(expected.map(|(format, ..)| format), Format::ALL);
    for (format, max, infinity, nan) in expected {
        assert_eq!(
            (format.max_finite(), format.infinity(), format.nan()),
            (max, infinity, nan),
            "{format:?}"
        );
        assert_eq!(Format::of(format.ty()), Some(format));
    }
    let largest = Format::ALL.map(|format| convert::to_f64(format.ty(), Signed, format.max_finite()));
    assert_eq!(largest[5..], [448.0, 57344.0, 127f64.exp2(), 6.0, 114_688.0]);
    let smallest =
        Format::ALL.map(|format| convert::to_f64(format.ty(), Signed, u64::from(format.has_zero())));
    assert_eq!(smallest[5..], [-9f64, -16.0, -127.0, -1.0, -17.0].map(f64::exp2));
}

#[test]
fn zeros_have_signs() {
    for mode in [NearestEven, Zero, PositiveInf, NearestAway] {
        assert_eq!(float::add(F, mode, false, f(1.0), f(-1.0)), 0);
        assert_eq!(float::fma(F, mode, false, f(2.0), f(3.0), f(-6.0)), 0);
    }
    assert_eq!(float::add(F, NegativeInf, false, f(1.0), f(-1.0)), MINUS);
    assert_eq!(float::fma(F, NegativeInf, false, f(2.0), f(3.0), f(-6.0)), MINUS);
    assert_eq!(float::add(F, NegativeInf, false, 0, 0), 0);
    assert_eq!(float::add(F, NearestEven, false, MINUS, MINUS), MINUS);
    assert_eq!(float::sub(F, NegativeInf, false, 0, 0), MINUS);
    assert_eq!(float::mul(F, NearestEven, false, f(-3.0), 0), MINUS);
    assert_eq!(float::sqrt(F, PositiveInf, false, MINUS), MINUS);
    assert_eq!(float::rsqrt(F, false, MINUS), MINUS | INFINITY);
    assert_eq!(float::rem(F, f(-6.0), f(3.0)), MINUS);
    assert_eq!(float::ceil(F, f(-0.5)), MINUS);
    assert_eq!(float::floor(F, f(-0.5)), f(-1.0));
    assert_eq!(float::floor(F, MINUS), MINUS);
    for odd in [math::sin, math::tan, math::sinh, math::tanh] {
        assert_eq!([0, MINUS].map(|zero| odd(F, zero)), [0, MINUS]);
    }
    assert_eq!(math::atan2(F, MINUS | 1, f(1e30)), MINUS);
    assert_eq!(math::powi(F, MINUS, ScalarType::I32, 3), MINUS);
}

#[test]
fn nans_are_canonical() {
    let payload = 0xFFC1_2345;
    for mode in [NearestEven, Zero, NegativeInf, PositiveInf, Approx, Full] {
        assert_eq!(float::add(F, mode, false, payload, f(1.0)), NAN);
        assert_eq!(float::sub(F, mode, false, f(1.0), payload), NAN);
        assert_eq!(float::mul(F, mode, false, 0, INFINITY), NAN);
        assert_eq!(float::div(F, mode, false, 0, 0), NAN);
        assert_eq!(float::fma(F, mode, false, INFINITY, 0, f(1.0)), NAN);
        assert_eq!(
            float::fma(F, mode, false, INFINITY, f(1.0), INFINITY | MINUS),
            NAN
        );
        assert_eq!(float::sqrt(F, mode, false, f(-1.0)), NAN);
    }
    assert_eq!(float::rem(F, f(1.0), 0), NAN);
    assert_eq!(float::rem(F, INFINITY, f(1.0)), NAN);
    assert_eq!(float::rem(F, f(1.5), INFINITY), f(1.5));
    assert_eq!(float::neg(F, payload), payload ^ MINUS);
    assert_eq!(float::abs(F, payload), payload ^ MINUS);
    assert_eq!(float::max(F, false, false, payload, f(-2.0)), f(-2.0));
    assert_eq!(float::min(F, false, false, f(-2.0), payload), f(-2.0));
    assert_eq!(float::max(F, true, false, payload, f(-2.0)), NAN);
    assert_eq!(float::min(F, true, false, f(-2.0), payload), NAN);
    assert_eq!(float::min(F, false, false, payload, payload), NAN);
    assert_eq!(math::log(F, f(-1.0)), NAN);
    assert_eq!(math::log2(F, MINUS), MINUS | INFINITY);
    assert_eq!(math::sin(F, INFINITY), NAN);
    assert_eq!(math::exp(Format::F64, u64::MAX), Format::F64.nan());
    assert_eq!(math::pow(F, payload, 0), f(1.0));
    assert_eq!(math::pow(F, f(1.0), payload), f(1.0));
    assert_eq!(math::powi(F, f(-2.0), ScalarType::I8, 0xFD), f(-0.125));
    assert_eq!(math::powi(F, f(2.0), ScalarType::I1, 1), f(0.5));
    // The angle of (y = 0, x = -1) is π when C's atan2 gets 0 first.
    assert_eq!(math::atan2(F, 0, f(-1.0)), f(std::f32::consts::PI));
    assert_eq!(math::atan2(F, f(-1.0), 0), f(-std::f32::consts::FRAC_PI_2));
}

#[test]
fn zeros_are_ordered_by_max_and_min_but_equal() {
    for (a, b) in [(0, MINUS), (MINUS, 0)] {
        assert_eq!(float::max(F, false, false, a, b), 0);
        assert_eq!(float::min(F, true, false, a, b), MINUS);
        assert!(float::compare(
            F,
            ComparisonPredicate::Equal,
            ComparisonOrdering::Ordered,
            a,
            b
        ));
        assert!(!float::compare(
            F,
            ComparisonPredicate::LessThan,
            ComparisonOrdering::Unordered,
            a,
            b
        ));
    }
}

#[test]
fn comparisons_with_nan_are_what_the_ordering_says() {
    for &predicate in ComparisonPredicate::ALL {
        for (a, b) in [(NAN, f(1.0)), (f(1.0), NAN), (NAN, NAN)] {
            assert!(!float::compare(F, predicate, ComparisonOrdering::Ordered, a, b));
            assert!(float::compare(F, predicate, ComparisonOrdering::Unordered, a, b));
        }
    }
    let less = |a, b| {
        float::compare(
            F,
            ComparisonPredicate::LessThan,
            ComparisonOrdering::Ordered,
            a,
            b,
        )
    };
    assert!(
        less(INFINITY | MINUS, f(-1.0))
            && less(f(-2.0), f(-1.0))
            && less(f(-1.0), 0)
            && less(f(1.0), INFINITY)
    );
}

#[test]
fn subnormals_are_flushed_to_zeros_of_their_sign() {
    let minus_subnormal = SUBNORMAL | MINUS;
    assert_eq!(float::add(F, NearestEven, true, minus_subnormal, MINUS), MINUS);
    assert_eq!(
        float::add(F, NearestEven, false, minus_subnormal, MINUS),
        minus_subnormal
    );
    assert_eq!(float::mul(F, NearestEven, true, f(-0.5), SMALLEST_NORMAL), MINUS);
    assert_eq!(float::div(F, NearestEven, true, f(1.0), SUBNORMAL), INFINITY);
    assert_eq!(float::fma(F, Zero, true, SUBNORMAL, f(1e30), f(1.0)), f(1.0));
    assert_eq!(float::sqrt(F, NearestEven, true, minus_subnormal), MINUS);
    assert_eq!(float::rsqrt(F, true, SUBNORMAL), INFINITY);
    assert_eq!(float::max(F, false, true, SUBNORMAL, MINUS), 0);
    assert_eq!(math::exp2(F, true, f(-130.0)), 0);
    assert_eq!(math::exp2(F, false, f(-130.0)), 1 << 19);
    // Rounded first: this product is below the smallest normal number, and rounds to it.
    let just_below_one = f(1.0) - 1;
    assert_eq!(
        float::mul(F, NearestEven, true, just_below_one, SMALLEST_NORMAL),
        SMALLEST_NORMAL
    );
}

#[test]
fn every_operation_flushes_its_operands_and_its_result() {
    let flushed = |bits: u64| {
        if bits & !MINUS < SMALLEST_NORMAL {
            bits & MINUS
        } else {
            bits
        }
    };
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for &[a, b, c] in samples(F, 3000, &mut rng).as_chunks().0 {
        for mode in MODES {
            let operations = |flush, [a, b, c]: [u64; 3]| {
                [
                    float::add(F, mode, flush, a, b),
                    float::sub(F, mode, flush, a, b),
                    float::mul(F, mode, flush, a, b),
                    float::div(F, mode, flush, a, b),
                    float::fma(F, mode, flush, a, b, c),
                    float::sqrt(F, mode, flush, a),
                    float::rsqrt(F, flush, a),
                    float::max(F, false, flush, a, b),
                    float::min(F, false, flush, a, b),
                    math::exp2(F, flush, a),
                ]
            };
            let expected = operations(false, [a, b, c].map(flushed)).map(flushed);
            assert_eq!(
                operations(true, [a, b, c]),
                expected,
                "{a:#x} {b:#x} {c:#x} {mode}"
            );
        }
    }
}

#[test]
fn high_bits_of_operands_are_not_read() {
    let names = [
        "add", "sub", "mul", "div", "rem", "fma", "max", "min", "less", "equal", "sqrt", "rsqrt", "ceil",
    ];
    let more = ["exp", "sin", "atan2", "pow", "ftof", "ftof_saturating"];
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for format in Format::ALL.into_iter().filter(|&format| format != Format::F64) {
        let garbage = 0xA5A5_A5A5_A5A5_A5A5 & !format.ty().mask();
        for &operands in samples(format, 300, &mut rng).as_chunks::<3>().0 {
            for (name, mode) in names
                .into_iter()
                .chain(more)
                .flat_map(|name| MODES.map(|mode| (name, mode)))
            {
                let operation = Operation {
                    name,
                    from: format.ty(),
                    to: ScalarType::BF16,
                    mode,
                };
                for arity in 1..=3 {
                    let dirty = operands.map(|bits| bits | garbage);
                    let (dirty, clean) = (
                        operation.apply(&dirty[..arity]),
                        operation.apply(&operands[..arity]),
                    );
                    assert_eq!(dirty, clean, "{operation:?} {operands:x?}");
                }
            }
            for negate in [float::neg, float::abs] {
                assert_eq!(negate(format, operands[0] | garbage), negate(format, operands[0]));
            }
        }
    }
}

#[test]
fn overflow_follows_the_direction() {
    let max = F.max_finite();
    let double = |mode, bits| float::add(F, mode, false, bits, bits);
    for (mode, plus, minus) in [
        (NearestEven, INFINITY, INFINITY),
        (NearestAway, INFINITY, INFINITY),
        (Zero, max, max),
        (NegativeInf, max, INFINITY),
        (PositiveInf, INFINITY, max),
    ] {
        assert_eq!(
            (double(mode, max), double(mode, max | MINUS)),
            (plus, minus | MINUS),
            "{mode:?}"
        );
        assert_eq!(double(mode, INFINITY), INFINITY);
    }
}

#[test]
fn approximate_division_by_huge_numbers_is_what_the_language_says() {
    let huge = f(1.5 * 126f32.exp2());
    assert_eq!(float::div(F, Approx, false, f(-1e38), huge), MINUS);
    assert_eq!(float::div(F, Approx, false, INFINITY, huge), NAN);
    assert_eq!(float::div(F, Full, false, INFINITY, huge), INFINITY);
    assert_ne!(float::div(F, Full, false, f(1e38), huge), 0);
    assert_eq!(
        float::div(F, Approx, false, f(126f32.exp2()), f(126f32.exp2())),
        f(1.0)
    );
    assert_eq!(float::div(F, Approx, false, INFINITY, INFINITY), NAN);
}

/// The nearest number of a format.
fn nearest(to: Format, value: f64) -> u64 {
    convert::float_to_float(
        Format::F64,
        to,
        NearestEven,
        convert::overflow_of(to),
        value.to_bits(),
    )
}

#[test]
fn matrix_products_round_once() {
    let f16 = |value: f64| nearest(Format::F16, value);
    // 2049 is no f16, and the sum is exact in f32.
    let product = float::multiply_accumulate(Format::F16, F, f16(2048.0), f16(1.0), f(1.0));
    assert_eq!(product, f(2049.0));
    let product = float::multiply_accumulate(Format::F16, Format::F16, f16(2048.0), f16(1.0), f16(1.0));
    assert_eq!(product, f16(2048.0));
    let (f4, power) = (|value| nearest(Format::F4E2M1FN, value), Format::F8E8M0FNU);
    let scaled = |a, b, scale_a, scale_b, c| {
        float::scaled_multiply_accumulate(Format::F4E2M1FN, power, [f4(a), scale_a], [f4(b), scale_b], f(c))
    };
    assert_eq!(scaled(1.5, -3.0, 128, 124, 0.25), f(-4.5 * 2.0 / 8.0 + 0.25));
    assert_eq!(scaled(1.5, -3.0, 0xFF, 124, 0.25), NAN);
    // The scales alone leave the range of f32.
    assert_eq!(scaled(1.0, 1.0, 254, 0, 0.0), f(1.0));
    assert_eq!(scaled(1.0, 1.0, 254, 254, 0.0), INFINITY);
}
