//! Conversion rules of the language, PTX and CUDA: saturation, formats without sign or zero, integers, bytes.

use tilewright_evaluator::number::{Format, Overflow, Undefined, convert, pack};
use tilewright_irs::cuda_tile::{RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;

use RoundingMode::{NearestEven, PositiveInf, Zero};
use Signedness::{Signed, Unsigned};

const F: Format = Format::F32;
const NAN: u64 = 0x7FFF_FFFF;
const INFINITY: u64 = 0x7F80_0000;
const MINUS: u64 = 0x8000_0000;

fn f(value: f32) -> u64 {
    value.to_bits().into()
}

#[test]
fn small_formats_saturate_where_they_are_converted_to() {
    let convert = |to, value| convert::float_to_float(F, to, NearestEven, convert::overflow_of(to), value);
    for (value, expected) in [
        (f(1e9), [0x7E, 0x7B, 7]),
        (f(-1e9), [0xFE, 0xFB, 15]),
        (INFINITY, [0x7E, 0x7B, 7]),
    ] {
        let found = [Format::F8E4M3FN, Format::F8E5M2, Format::F4E2M1FN].map(|to| convert(to, value));
        assert_eq!(found, expected);
    }
    assert_eq!(convert(Format::F16, f(1e9)), 0x7C00);
    assert_eq!(convert(Format::F4E2M1FN, NAN | MINUS), 7);
    assert_eq!(convert(Format::F8E4M3FN, NAN), 0x7F);
    let ieee = |to, value| convert::float_to_float(F, to, NearestEven, Overflow::Ieee, value);
    assert_eq!(
        [Format::F8E4M3FN, Format::F8E5M2].map(|to| ieee(to, f(1e9))),
        [0x7F, 0x7C]
    );
}

#[test]
fn powers_of_two_have_no_zero_and_no_sign() {
    let to = Format::F8E8M0FNU;
    let convert = |mode, value| convert::float_to_float(F, to, mode, Overflow::Saturate, value);
    for (value, down, up) in [
        (f(1.0), 127, 127),
        (f(3.0), 128, 129),
        (f(-3.0), 128, 129),
        (0, 0, 0),
        (MINUS, 0, 0),
        (1, 0, 0),
        // 2^-127, and a little more.
        (1 << 22, 0, 0),
        ((1 << 22) + 1, 0, 1),
        (f(f32::MAX), 254, 254),
        (INFINITY, 254, 254),
        (NAN, 255, 255),
    ] {
        assert_eq!(
            (convert(Zero, value), convert(PositiveInf, value)),
            (down, up),
            "{value:#x}"
        );
    }
    assert_eq!(
        convert::float_to_float(to, F, NearestEven, Overflow::Ieee, 0),
        1 << 22
    );
}

#[test]
fn floats_are_cut_to_integers() {
    let convert =
        |saturating, to, signedness, value| convert::float_to_int(F, to, signedness, saturating, value);
    let i8 = ScalarType::I8;
    assert_eq!(convert(false, i8, Signed, f(-128.99)), Ok(0x80));
    let too_large = Undefined::FloatTooLarge {
        width: 8,
        signed: true,
    };
    assert_eq!(convert(false, i8, Signed, f(-129.0)), Err(too_large));
    assert_eq!(convert(false, i8, Signed, f(128.0)), Err(too_large));
    assert_eq!(convert(false, i8, Unsigned, f(255.5)), Ok(255));
    assert_eq!(convert(false, i8, Unsigned, f(-0.5)), Ok(0));
    assert_eq!(convert(false, i8, Unsigned, NAN), Err(Undefined::NanToInteger));
    assert_eq!(convert(true, i8, Unsigned, NAN), Ok(0));
    assert_eq!(convert(true, i8, Unsigned, f(-5.0)), Ok(0));
    assert_eq!(convert(true, i8, Signed, INFINITY | MINUS), Ok(0x80));
    assert_eq!(convert(true, ScalarType::I1, Signed, f(1.0)), Ok(0));
    assert_eq!(convert(true, ScalarType::I1, Signed, f(-1.0)), Ok(1));
    let huge = f64::MAX.to_bits();
    for to in [ScalarType::I1, ScalarType::I64] {
        let found = convert::float_to_int(Format::F64, to, Unsigned, true, huge);
        assert_eq!(found, Ok(to.mask()));
        let found = convert::float_to_int(Format::F64, to, Unsigned, false, huge);
        assert_eq!(
            found,
            Err(Undefined::FloatTooLarge {
                width: to.bits(),
                signed: false
            })
        );
    }
    let to = ScalarType::I64;
    assert_eq!(convert(false, to, Unsigned, f(1.5 * 63f32.exp2())), Ok(3 << 62));
    assert_eq!(convert(false, to, Signed, f(-63f32.exp2())), Ok(1 << 63));
}

#[test]
fn integers_become_floats() {
    let convert =
        |to, from, signedness, value| convert::int_to_float(from, signedness, to, NearestEven, value);
    assert_eq!(convert(F, ScalarType::I1, Signed, 1), f(-1.0));
    assert_eq!(convert(F, ScalarType::I1, Unsigned, 1), f(1.0));
    assert_eq!(convert(F, ScalarType::I64, Unsigned, u64::MAX), f(64f32.exp2()));
    assert_eq!(convert(Format::F16, ScalarType::I32, Signed, 70_000), 0x7C00);
    assert_eq!(convert(Format::F8E4M3FN, ScalarType::I32, Signed, 70_000), 0x7F);
    assert_eq!(convert(Format::F4E2M1FN, ScalarType::I8, Signed, 0x80), 15);
    assert_eq!(convert(Format::F8E4M3FN, ScalarType::I32, Signed, 464), 0x7E);
    assert_eq!(convert(Format::F8E4M3FN, ScalarType::I32, Signed, 465), 0x7F);
}

#[test]
fn packed_numbers_come_back() {
    assert_eq!(pack::pack(ScalarType::I4, &[0x1, 0xF2, 0x3, 0xC]), [0x21, 0xC3]);
    assert_eq!(pack::pack(ScalarType::I1, &[1, 0, 1, 1, 0, 0, 0, 1]), [0x8D]);
    assert_eq!(pack::pack(ScalarType::TF32, &[0x1_FC00]), [0, 0, 0x80, 0x3F]);
    for &ty in ScalarType::ALL {
        let numbers: Vec<u64> = (0..64u64)
            .map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) & ty.mask())
            .collect();
        let bytes = pack::pack(ty, &numbers);
        assert_eq!(bytes.len() * 8, 64 * pack::packed_bits(ty) as usize);
        assert_eq!(pack::unpack(ty, &bytes), numbers, "{ty}");
    }
}
