//! The error function.
//!
//! Near zero it is x + x P(x^2). Beyond, it is 1 - e^q, where q interpolates the logarithm of 1 - erf x: in f32 x times one polynomial,
//! in f64 one of three, of the distance to the middle of its interval.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::Predicate;

use super::floats::Floats;
use super::{exponential, single as functions};

/// erf x / x - 1 at x^2, from 0 to 0.87, for f32.
const SMALL_F32: &[f64] = &[
    0.128379166602,
    -0.376126333343,
    0.112836887246,
    -0.0268589974238,
    0.00519998925456,
    -0.000813044467024,
    8.31687971775e-5,
];

/// The logarithm of 1 - erf x, over x, from 0.92 to 4, for f32.
const LARGE_F32: &[f64] = &[
    -1.12873424114,
    -0.634838628201,
    -0.106669021921,
    0.0240203030405,
    -0.00366869723072,
    0.00027624483116,
    1.27936821333e-5,
    -4.49995517381e-6,
    2.77485312892e-7,
];

/// erf x / x - 1 at x^2, from 0 to 1, for f64.
const SMALL_F64: &[f64] = &[
    0.128_379_167_095_512_57,
    -0.376_126_389_031_837_5,
    0.112_837_916_709_548_79,
    -0.026_866_170_645_076_793,
    0.005_223_977_624_818_014_5,
    -0.000_854_832_698_083_379,
    0.000_120_553_311_116_427_1,
    -1.492_559_526_683_118_2e-5,
    1.646_100_048_412_136_8e-6,
    -1.635_031_270_105_469_5e-7,
    1.465_977_527_404_743_6e-8,
    -1.137_284_885_679_167_4e-9,
    5.957_176_147_748_911e-11,
];

/// The logarithm of 1 - erf x on an interval.
struct Interval {
    /// Where it begins.
    from: f64,
    /// Its middle.
    middle: f64,
    /// The polynomial of the distance to the middle.
    terms: [f64; 14],
}

/// The intervals from 1 to [`END_F64`], for f64.
const LARGE_F64: [Interval; 3] = [
    Interval {
        from: 1.0,
        middle: 1.5,
        terms: [
            -3.384_492_089_551_552_7,
            -3.508_800_801_779_527_7,
            -0.892_640_330_615_044_4,
            -0.025_824_140_633_640_05,
            0.006_006_746_386_931_638,
            -0.001_257_216_687_068_208,
            0.000_215_963_293_307_985_4,
            -2.247_368_271_423_938_2e-5,
            -2.646_702_231_129_118_4e-6,
            2.370_782_685_840_741e-6,
            -8.195_344_671_585_508e-7,
            1.929_123_162_077_101_5e-7,
            -2.565_359_514_899_401e-8,
            -1.958_789_192_886_594_6e-9,
        ],
    },
    Interval {
        from: 2.0,
        middle: 2.625,
        terms: [
            -8.490_669_397_237_283,
            -5.589_146_738_801_657,
            -0.947_770_444_574_243_5,
            -0.009_838_202_011_019_157,
            0.001_919_605_785_061_827_7,
            -0.000_367_156_361_651_149_83,
            6.661_728_609_417_836e-5,
            -1.107_674_480_448_743e-5,
            1.587_756_841_855_898_5e-6,
            -1.637_019_563_378_087_3e-7,
            -6.754_926_199_518_904e-10,
            6.565_272_523_297_442e-9,
            -2.524_893_386_449_616e-9,
            6.213_351_076_382_075e-10,
        ],
    },
    Interval {
        from: 3.25,
        middle: 4.625,
        terms: [
            -23.516_610_805_305_115,
            -9.457_121_380_494_313,
            -0.979_386_017_915_138_3,
            -0.002_634_284_451_858_948_6,
            0.000_365_090_831_532_351,
            -5.203_819_476_465_734e-5,
            7.443_573_187_234_849e-6,
            -1.053_014_677_465_669_2e-6,
            1.456_974_745_475_910_7e-7,
            -1.950_084_197_128_077_4e-8,
            2.490_213_842_239_83e-9,
            -2.977_441_792_915_345e-10,
            3.194_885_139_826_99e-11,
            -2.415_997_866_718_774e-12,
        ],
    },
];

/// From there on the result is 1.
const END_F32: f64 = 4.0;
const END_F64: f64 = 6.0;

/// x + x P(x^2).
fn near(m: &mut Floats<'_, '_>, terms: &[f64], size: Value) -> Value {
    let square = m.mul(size, size);
    let polynomial = m.polynomial(terms, square);
    m.fma(size, polynomial, size)
}

/// The lesser of a number and a limit; a NaN stays.
fn at_most(m: &mut Floats<'_, '_>, size: Value, limit: f64) -> Value {
    let limit = m.number(limit);
    let beyond = m.compare(size, Predicate::Greater, limit);
    m.select(beyond, limit, size)
}

/// 1 - e^q, unless the number is small, with the sign of x.
fn joined(m: &mut Floats<'_, '_>, x: Value, (size, limit): (Value, f64), near: Value, power: Value) -> Value {
    let one = m.number(1.0);
    let far = m.sub(one, power);
    let small = m.compare_to(size, Predicate::Less, limit);
    let result = m.select(small, near, far);
    m.with_sign_of(result, x)
}

/// In f32.
pub(super) fn single(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let size = m.abs(x);
    let near = near(m, SMALL_F32, size);
    let limited = at_most(m, size, END_F32);
    let polynomial = m.polynomial(LARGE_F32, limited);
    let exponent = m.mul(polynomial, limited);
    let power = functions::exp(m, exponent);
    joined(m, x, (size, 0.93), near, power)
}

/// In f64.
pub(super) fn double(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let size = m.abs(x);
    let near = near(m, SMALL_F64, size);
    let limited = at_most(m, size, END_F64);
    let [first, rest @ ..] = &LARGE_F64;
    let mut middle = m.number(first.middle);
    let mut terms = first.terms.map(|term| m.number(term));
    for interval in rest {
        let from = m.number(interval.from);
        let within = m.compare(limited, Predicate::GreaterEqual, from);
        let own = m.number(interval.middle);
        middle = m.select(within, own, middle);
        for (term, own) in terms.iter_mut().zip(interval.terms) {
            let own = m.number(own);
            *term = m.select(within, own, *term);
        }
    }
    let distance = m.sub(limited, middle);
    let mut exponent = m.number(0.0);
    for term in terms.into_iter().rev() {
        exponent = m.fma(exponent, distance, term);
    }
    let power = exponential::exp(m, exponent);
    joined(m, x, (size, first.from), near, power)
}
