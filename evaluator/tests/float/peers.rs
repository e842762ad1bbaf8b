//! Float arithmetic and conversions against the crates `rustc_apfloat` and `half`.

use crate::oracle::MODES;
use crate::samples::samples;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use tilewright_evaluator::number::{Format, Overflow, convert, float};
use tilewright_irs::cuda_tile::{RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;

const ROUNDS: [Round; 5] = [
    Round::NearestTiesToEven,
    Round::NearestTiesToAway,
    Round::TowardZero,
    Round::TowardNegative,
    Round::TowardPositive,
];

const INTS: [ScalarType; 4] = [ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64];

/// The bits, with one NaN for all.
fn bits<F: Float>(format: Format, value: F) -> u64 {
    if value.is_nan() {
        format.nan()
    } else {
        u64::try_from(value.to_bits()).expect("64 bits")
    }
}

fn arithmetic<F: Float>(format: Format, count: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let codes = samples(format, count, &mut rng);
    for (i, &a) in codes.iter().enumerate() {
        let (b, c) = (codes[(i * 7 + 3) % count], codes[(i * 11 + 5) % count]);
        let [x, y, z] = [a, b, c].map(|bits| F::from_bits(bits.into()));
        let case = format!("{} {a:#x} {b:#x} {c:#x}", format.ty());
        for (mode, round) in MODES.into_iter().zip(ROUNDS) {
            let found = [
                float::add(format, mode, false, a, b),
                float::sub(format, mode, false, a, b),
                float::mul(format, mode, false, a, b),
                float::div(format, mode, false, a, b),
                float::fma(format, mode, false, a, b, c),
            ];
            let expected = [
                x.add_r(y, round),
                x.sub_r(y, round),
                x.mul_r(y, round),
                x.div_r(y, round),
                x.mul_add_r(y, z, round),
            ];
            assert_eq!(
                found,
                expected.map(|result| bits(format, result.value)),
                "{case} {mode}"
            );
        }
        assert_eq!(
            float::rem(format, a, b),
            bits(format, x.c_fmod(y).value),
            "{case}"
        );
        let rounded =
            [Round::TowardPositive, Round::TowardNegative].map(|round| x.round_to_integral(round).value);
        assert_eq!(
            [float::ceil(format, a), float::floor(format, a)],
            rounded.map(|x| bits(format, x)),
            "{case}"
        );
        assert_eq!(float::order(format, a, b), x.partial_cmp(&y), "{case}");
        integers(format, a, x);
    }
}

fn integers<F: Float>(format: Format, a: u64, x: F) {
    for ty in INTS {
        let width = usize::try_from(ty.bits()).expect("a width");
        let signed = x
            .to_i128_r(width, Round::TowardZero, &mut false)
            .value
            .cast_unsigned();
        let unsigned = x.to_u128_r(width, Round::TowardZero, &mut false).value;
        for (signedness, expected) in [(Signedness::Signed, signed), (Signedness::Unsigned, unsigned)] {
            let found = convert::float_to_int(format, ty, signedness, true, a);
            let expected = expected & u128::from(ty.mask());
            assert_eq!(
                found.map(u128::from),
                Ok(expected),
                "{} {a:#x} to {ty}",
                format.ty()
            );
        }
    }
    for (mode, round) in MODES.into_iter().zip(ROUNDS) {
        let found = [Signedness::Signed, Signedness::Unsigned]
            .map(|signedness| convert::int_to_float(ScalarType::I64, signedness, format, mode, a << 7));
        let expected = [
            F::from_i128_r((a << 7).cast_signed().into(), round),
            F::from_u128_r((a << 7).into(), round),
        ];
        assert_eq!(
            found,
            expected.map(|x| bits(format, x.value)),
            "{:#x} to {} {mode}",
            a << 7,
            format.ty()
        );
    }
}

fn conversion<F: Float + FloatConvert<G>, G: Float>(from: Format, to: Format) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for a in samples(from, 3000, &mut rng) {
        for (mode, round) in MODES.into_iter().zip(ROUNDS) {
            let expected: G = F::from_bits(a.into()).convert_r(round, &mut false).value;
            let found = convert::float_to_float(from, to, mode, Overflow::Ieee, a);
            assert_eq!(
                found,
                bits(to, expected),
                "{} {a:#x} to {} {mode}",
                from.ty(),
                to.ty()
            );
        }
    }
}

#[test]
fn arithmetic_of_f16() {
    arithmetic::<Half>(Format::F16, 20_000);
}

#[test]
fn arithmetic_of_bf16() {
    arithmetic::<BFloat>(Format::BF16, 20_000);
}

#[test]
fn arithmetic_of_f32() {
    arithmetic::<Single>(Format::F32, 20_000);
}

#[test]
fn arithmetic_of_f64() {
    arithmetic::<Double>(Format::F64, 20_000);
}

#[test]
fn arithmetic_of_f8e5m2() {
    arithmetic::<Float8E5M2>(Format::F8E5M2, 5000);
}

#[test]
fn conversions() {
    conversion::<Double, Single>(Format::F64, Format::F32);
    conversion::<Double, Half>(Format::F64, Format::F16);
    conversion::<Double, BFloat>(Format::F64, Format::BF16);
    conversion::<Double, Float8E5M2>(Format::F64, Format::F8E5M2);
    conversion::<Single, Half>(Format::F32, Format::F16);
    conversion::<Single, BFloat>(Format::F32, Format::BF16);
    conversion::<Single, Float8E5M2>(Format::F32, Format::F8E5M2);
    conversion::<Single, Double>(Format::F32, Format::F64);
    conversion::<Half, BFloat>(Format::F16, Format::BF16);
    conversion::<Float8E4M3FN, Single>(Format::F8E4M3FN, Format::F32);
    conversion::<Float8E5M2, Half>(Format::F8E5M2, Format::F16);
}

#[test]
fn half_agrees_about_every_16_bit_number() {
    let convert =
        |from, to, bits| convert::float_to_float(from, to, RoundingMode::NearestEven, Overflow::Ieee, bits);
    let wide = |value: f32| u64::from(value.to_bits());
    let to_f16 = |value| u64::from(half::f16::from_f32(value).to_bits());
    let to_bf16 = |value| u64::from(half::bf16::from_f32(value).to_bits());
    for code in 0..=u16::MAX {
        let bits = u64::from(code);
        let (half, brain) = (half::f16::from_bits(code), half::bf16::from_bits(code));
        if !half.is_nan() {
            assert_eq!(convert(Format::F16, Format::F32, bits), wide(half.to_f32()));
            assert_eq!(convert(Format::F16, Format::F64, bits), half.to_f64().to_bits());
            assert_eq!(convert(Format::F16, Format::BF16, bits), to_bf16(half.to_f32()));
        }
        if !brain.is_nan() {
            assert_eq!(convert(Format::BF16, Format::F32, bits), wide(brain.to_f32()));
            assert_eq!(convert(Format::BF16, Format::F64, bits), brain.to_f64().to_bits());
            assert_eq!(convert(Format::BF16, Format::F16, bits), to_f16(brain.to_f32()));
        }
        // A number of each upper half, its lower one varied around the ties.
        for low in [0, 1, 0x0FFF, 0x1000, 0x1001, 0x7FFF, 0x8000, 0x8001, 0xFFFF] {
            let single = f32::from_bits(u32::from(code) << 16 | low);
            if !single.is_nan() {
                assert_eq!(convert(Format::F32, Format::F16, wide(single)), to_f16(single));
                assert_eq!(convert(Format::F32, Format::BF16, wide(single)), to_bf16(single));
            }
        }
    }
}
