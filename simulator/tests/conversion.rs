//! Float conversions against the host and the `half` crate, and against manual results for modes that neither
//! supports.

use crate::support::{Numbers, compute};
use half::{bf16, f16};
use tilewright_irs::ptx::Type;

fn one(text: &str, d: Type, source: Type, values: &[u64]) -> Vec<u64> {
    let rows: Vec<Vec<u64>> = values.iter().map(|value| vec![*value]).collect();
    compute(text, d, &[source], &rows)
}

fn singles() -> Vec<f32> {
    let mut numbers = Numbers::new(21);
    let mut all = vec![
        0.0,
        -0.0,
        0.5,
        1.5,
        2.5,
        -0.5,
        -1.5,
        1e10,
        -1e10,
        3e38,
        -3e38,
        255.5,
        65504.0,
        65519.9,
        65520.0,
        1e-8,
        6e-8,
        1e-40,
        f32::INFINITY,
        f32::NEG_INFINITY,
        2147483648.0,
        -2147483648.0,
        9.3e18,
        1.9e19,
    ];
    all.extend(
        (0..3000)
            .map(|_| f32::from_bits(numbers.next() as u32))
            .filter(|value| !value.is_nan()),
    );
    all
}

#[test]
fn floats_become_integers_in_every_direction() {
    let values = singles();
    let bits: Vec<u64> = values.iter().map(|value| u64::from(value.to_bits())).collect();
    type Round = fn(f32) -> f32;
    let modes: [(&str, Round); 4] = [
        ("rni", f32::round_ties_even),
        ("rzi", f32::trunc),
        ("rmi", f32::floor),
        ("rpi", f32::ceil),
    ];
    for (mode, round) in modes {
        let run = |ty: Type| one(&format!("cvt.{mode}.{ty}.f32 $d, $a;"), ty, Type::F32, &bits);
        // Rust's casts clamp, as PTX does.
        for (got, value) in run(Type::S32).iter().zip(&values) {
            assert_eq!(*got as u32 as i32, round(*value) as i32, "{mode} {value:e}");
        }
        for (got, value) in run(Type::U32).iter().zip(&values) {
            assert_eq!(*got as u32, round(*value) as u32, "{mode} {value:e}");
        }
        for (got, value) in run(Type::S64).iter().zip(&values) {
            assert_eq!(*got as i64, round(*value) as i64, "{mode} {value:e}");
        }
        for (got, value) in run(Type::U16).iter().zip(&values) {
            assert_eq!(*got as u16, round(*value) as u16, "{mode} {value:e}");
        }
        let integral = one(
            &format!("cvt.{mode}.f32.f32 $d, $a;"),
            Type::F32,
            Type::F32,
            &bits,
        );
        for (got, value) in integral.iter().zip(&values) {
            assert_eq!(*got as u32, round(*value).to_bits(), "{mode} {value:e}");
        }
    }
    let nan = u64::from(f32::NAN.to_bits());
    assert_eq!(one("cvt.rzi.s32.f32 $d, $a;", Type::S32, Type::F32, &[nan]), [0]);
    assert_eq!(
        one("cvt.rzi.s64.f32 $d, $a;", Type::S64, Type::F32, &[nan]),
        [1 << 63]
    );
    assert_eq!(
        one("cvt.rzi.u64.f32 $d, $a;", Type::U64, Type::F32, &[nan]),
        [1 << 63]
    );
    assert_eq!(
        one(
            "cvt.rzi.u32.f64 $d, $a;",
            Type::U32,
            Type::F64,
            &[f64::NAN.to_bits()]
        ),
        [1 << 31]
    );
}

#[test]
fn integers_become_floats_in_every_direction() {
    let values = [
        0i64,
        1,
        -1,
        16_777_217,
        -16_777_217,
        i64::MAX,
        i64::MIN,
        0x0100_0000_0100_0001,
        12345,
    ];
    let bits: Vec<u64> = values.iter().map(|value| *value as u64).collect();
    for (got, value) in one("cvt.rn.f32.s64 $d, $a;", Type::F32, Type::S64, &bits)
        .iter()
        .zip(values)
    {
        assert_eq!(*got as u32, (value as f32).to_bits());
    }
    for (got, value) in one("cvt.rn.f64.u64 $d, $a;", Type::F64, Type::U64, &bits)
        .iter()
        .zip(values)
    {
        assert_eq!(*got, (value as u64 as f64).to_bits());
    }
    let odd = [16_777_217u64];
    let f = |value: f32| u64::from(value.to_bits());
    assert_eq!(
        one("cvt.rz.f32.u32 $d, $a;", Type::F32, Type::U32, &odd),
        [f(16_777_216.0)]
    );
    assert_eq!(
        one("cvt.rp.f32.u32 $d, $a;", Type::F32, Type::U32, &odd),
        [f(16_777_218.0)]
    );
    let negative = [(-16_777_217i32) as u32 as u64];
    assert_eq!(
        one("cvt.rp.f32.s32 $d, $a;", Type::F32, Type::S32, &negative),
        [f(-16_777_216.0)]
    );
    assert_eq!(
        one("cvt.rm.f32.s32 $d, $a;", Type::F32, Type::S32, &negative),
        [f(-16_777_218.0)]
    );
    assert_eq!(
        one("cvt.rn.f16.s32 $d, $a;", Type::F16, Type::S32, &[2049]),
        [u64::from(f16::from_f32(2048.0).to_bits())]
    );
    assert_eq!(
        one("cvt.rz.f16.u32 $d, $a;", Type::F16, Type::U32, &[100_000]),
        [0x7bff]
    );
    assert_eq!(
        one("cvt.rn.f16.u32 $d, $a;", Type::F16, Type::U32, &[100_000]),
        [0x7c00]
    );
}

#[test]
fn floats_narrow_and_widen() {
    let values = singles();
    let bits: Vec<u64> = values.iter().map(|value| u64::from(value.to_bits())).collect();
    let halves = one("cvt.rn.f16.f32 $d, $a;", Type::F16, Type::F32, &bits);
    let bfloats = one("cvt.rn.bf16.f32 $d, $a;", Type::Bf16, Type::F32, &bits);
    let doubles = one("cvt.f64.f32 $d, $a;", Type::F64, Type::F32, &bits);
    let cut = one("cvt.rz.bf16.f32 $d, $a;", Type::Bf16, Type::F32, &bits);
    for (at, value) in values.iter().enumerate() {
        assert_eq!(halves[at] as u16, f16::from_f32(*value).to_bits(), "{value:e}");
        assert_eq!(bfloats[at] as u16, bf16::from_f32(*value).to_bits(), "{value:e}");
        assert_eq!(doubles[at], f64::from(*value).to_bits());
        assert_eq!(
            cut[at],
            u64::from(value.to_bits() >> 16),
            "cutting is rounding to zero"
        );
    }
    let all: Vec<u64> = (0..=0xffff).collect();
    for (got, half) in one("cvt.f32.f16 $d, $a;", Type::F32, Type::F16, &all)
        .iter()
        .zip(&all)
    {
        let wanted = f16::from_bits(*half as u16).to_f32();
        assert_eq!(
            *got as u32,
            if wanted.is_nan() {
                0x7fff_ffff
            } else {
                wanted.to_bits()
            }
        );
    }
    for (got, half) in one("cvt.f32.bf16 $d, $a;", Type::F32, Type::Bf16, &all)
        .iter()
        .zip(&all)
    {
        let wanted = bf16::from_bits(*half as u16).to_f32();
        assert_eq!(
            *got as u32,
            if wanted.is_nan() {
                0x7fff_ffff
            } else {
                wanted.to_bits()
            }
        );
    }
    let mut numbers = Numbers::new(22);
    let wide: Vec<u64> = (0..2000)
        .map(|_| (numbers.next() & 0x800f_ffff_ffff_ffff) | (870 + numbers.next() % 290) << 52)
        .collect();
    for (got, double) in one("cvt.rn.f32.f64 $d, $a;", Type::F32, Type::F64, &wide)
        .iter()
        .zip(&wide)
    {
        assert_eq!(*got as u32, (f64::from_bits(*double) as f32).to_bits());
    }
    for (got, double) in one("cvt.rm.f32.f64 $d, $a;", Type::F32, Type::F64, &wide)
        .iter()
        .zip(&wide)
    {
        let (got, exact) = (f32::from_bits(*got as u32), f64::from_bits(*double));
        assert!(f64::from(got) <= exact && f64::from(got.next_up()) > exact);
    }
}

#[test]
fn two_floats_pack_first_high() {
    let f = |value: f32| u64::from(value.to_bits());
    let run = |text: &str, a: f32, b: f32| compute(text, Type::B32, &[Type::F32; 2], &[vec![f(a), f(b)]])[0];
    assert_eq!(run("cvt.rn.f16x2.f32 $d, $a, $b;", 1.0, 2.0), 0x3c00_4000);
    assert_eq!(run("cvt.rn.bf16x2.f32 $d, $a, $b;", 1.0, -2.0), 0x3f80_c000);
    assert_eq!(run("cvt.rn.relu.bf16x2.f32 $d, $a, $b;", 1.0, -2.0), 0x3f80_0000);
    assert_eq!(
        run("cvt.rn.satfinite.f16x2.f32 $d, $a, $b;", 1e6, -1e6),
        0x7bff_fbff
    );
}

#[test]
fn eight_bit_floats_round_clamp_and_widen() {
    let f = |value: f32| u64::from(value.to_bits());
    let four = |a: f32, b: f32| {
        compute(
            "cvt.rn.satfinite.e4m3x2.f32 $d, $a, $b;",
            Type::B16,
            &[Type::F32; 2],
            &[vec![f(a), f(b)]],
        )[0]
    };
    let five = |a: f32, b: f32| {
        compute(
            "cvt.rn.satfinite.e5m2x2.f32 $d, $a, $b;",
            Type::B16,
            &[Type::F32; 2],
            &[vec![f(a), f(b)]],
        )[0]
    };
    assert_eq!(four(1.0, -448.0), 0x38fe);
    assert_eq!(four(1e9, f32::NAN), 0x7e7f);
    assert_eq!(
        four(464.0, 0.001_953_125),
        0x7e01,
        "above the largest, and the smallest"
    );
    assert_eq!(four(1.0625, 1.1875), 0x383a, "ties go to even");
    assert_eq!(five(1.0, 57344.0), 0x3c7b);
    assert_eq!(five(f32::NEG_INFINITY, 1e-9), 0xfb00);
    let all: Vec<u64> = (0..256).collect();
    let wide = one("cvt.rn.f16x2.e4m3x2 $d, $a;", Type::B32, Type::B16, &all);
    let back = one(
        "cvt.rn.satfinite.e4m3x2.f16x2 $d, $a;",
        Type::B16,
        Type::B32,
        &wide,
    );
    for (byte, (wide, back)) in all.iter().zip(wide.iter().zip(back)) {
        let exact = if byte & 0x7f == 0x7f { 0x7f } else { *byte };
        assert_eq!(back, exact, "through {wide:x}");
    }
    assert_eq!(wide[0x01], u64::from(f16::from_f32(2f32.powi(-9)).to_bits()));
    assert_eq!(wide[0x7e], u64::from(f16::from_f32(448.0).to_bits()));
    let wide = one("cvt.rn.f16x2.e5m2x2 $d, $a;", Type::B32, Type::B16, &all);
    for byte in (0..0x7c).chain(0x80..0xfc) {
        assert_eq!(
            wide[byte],
            (byte as u64) << 8,
            "the format is the upper half of f16"
        );
    }
}

#[test]
fn tf32_rounds_ties_away() {
    let f = |value: f32| u64::from(value.to_bits());
    let values = [
        1.0 + 2f32.powi(-11),
        1.0 + 2f32.powi(-12),
        -(1.0 + 2f32.powi(-11)),
        3.0,
    ];
    let got = one("cvt.rna.tf32.f32 $d, $a;", Type::B32, Type::F32, &values.map(f));
    assert_eq!(
        got,
        [f(1.0 + 2f32.powi(-10)), f(1.0), f(-1.0 - 2f32.powi(-10)), f(3.0)]
    );
}

#[test]
fn tf32_rounds_ties_to_even_and_toward_zero() {
    let f = |value: f32| u64::from(value.to_bits());
    let step = 2f32.powi(-10);
    let values = [1.0 + step / 2.0, 1.0 + 1.5 * step, -1.0 - 0.75 * step, f32::MAX];
    let got = |name: &str| one(name, Type::B32, Type::F32, &values.map(f));
    assert_eq!(
        got("cvt.rn.tf32.f32 $d, $a;"),
        [f(1.0), f(1.0 + 2.0 * step), f(-1.0 - step), f(f32::INFINITY)]
    );
    assert_eq!(
        got("cvt.rz.tf32.f32 $d, $a;"),
        [f(1.0), f(1.0 + step), f(-1.0), 0x7f7f_e000]
    );
}
