//! Integer arithmetic against the host's, for all pairs of 8-bit integers and for special 64-bit ones.

use tilewright_evaluator::number::{Undefined, int};
use tilewright_irs::cuda_tile::{ComparisonPredicate, IntegerOverflow, RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;

use RoundingMode::{NegativeInf, PositiveInf, Zero};
use Signedness::{Signed, Unsigned};

macro_rules! against_host {
    ($test:ident, $ty:ident, $signed:ty, $unsigned:ty, $values:expr) => {
        #[test]
        fn $test() {
            let ty = ScalarType::$ty;
            let values: Vec<$unsigned> = $values;
            for &a in &values {
                let (sa, wide_a) = (a.cast_signed(), u64::from(a));
                let (negated, overflow) = sa.overflowing_neg();
                let found = int::neg(ty, wide_a);
                assert_eq!(
                    (found.bits, found.signed_overflow),
                    (u64::from(negated.cast_unsigned()), overflow)
                );
                assert_eq!(int::abs(ty, wide_a), u64::from(sa.unsigned_abs()));
                for &b in &values {
                    let (sb, wide_b) = (b.cast_signed(), u64::from(b));
                    let binary =
                        |found: int::Wrapped, signed: ($signed, bool), unsigned: ($unsigned, bool)| {
                            assert_eq!(signed.0.cast_unsigned(), unsigned.0);
                            assert_eq!(
                                (found.bits, found.signed_overflow, found.unsigned_overflow),
                                (u64::from(unsigned.0), signed.1, unsigned.1),
                                "{a} {b}"
                            );
                        };
                    binary(
                        int::add(ty, wide_a, wide_b),
                        sa.overflowing_add(sb),
                        a.overflowing_add(b),
                    );
                    binary(
                        int::sub(ty, wide_a, wide_b),
                        sa.overflowing_sub(sb),
                        a.overflowing_sub(b),
                    );
                    binary(
                        int::mul(ty, wide_a, wide_b),
                        sa.overflowing_mul(sb),
                        a.overflowing_mul(b),
                    );
                    assert_eq!(
                        int::mul_high(ty, wide_a, wide_b),
                        u64::from(a.carrying_mul(b, 0).1)
                    );
                    assert_eq!(
                        int::max(ty, Signed, wide_a, wide_b),
                        u64::from(sa.max(sb).cast_unsigned())
                    );
                    assert_eq!(
                        int::min(ty, Signed, wide_a, wide_b),
                        u64::from(sa.min(sb).cast_unsigned())
                    );
                    assert_eq!(int::max(ty, Unsigned, wide_a, wide_b), u64::from(a.max(b)));
                    assert_eq!(int::min(ty, Unsigned, wide_a, wide_b), u64::from(a.min(b)));
                    for &predicate in ComparisonPredicate::ALL {
                        let (signed, unsigned) = match predicate {
                            ComparisonPredicate::Equal => (sa == sb, a == b),
                            ComparisonPredicate::NotEqual => (sa != sb, a != b),
                            ComparisonPredicate::LessThan => (sa < sb, a < b),
                            ComparisonPredicate::LessThanOrEqual => (sa <= sb, a <= b),
                            ComparisonPredicate::GreaterThan => (sa > sb, a > b),
                            ComparisonPredicate::GreaterThanOrEqual => (sa >= sb, a >= b),
                        };
                        assert_eq!(int::compare(ty, Signed, predicate, wide_a, wide_b), signed);
                        assert_eq!(
                            int::compare(ty, Unsigned, predicate, wide_a, wide_b),
                            unsigned
                        );
                    }
                    division(
                        ty,
                        (wide_a, wide_b),
                        sa.checked_div(sb).map(|q| {
                            let floor = sa.div_euclid(sb) - <$signed>::from(sb < 0 && sa.rem_euclid(sb) != 0);
                            let ceiling = floor + <$signed>::from(sa.wrapping_rem(sb) != 0);
                            [q, floor, ceiling].map(|q| u64::from(q.cast_unsigned()))
                        }),
                        a.checked_div(b)
                            .map(|q| [u64::from(q), u64::from(a.div_ceil(b))]),
                    );
                    if b != 0 {
                        assert_eq!(
                            int::rem(ty, Signed, wide_a, wide_b),
                            Ok(u64::from(sa.wrapping_rem(sb).cast_unsigned()))
                        );
                        assert_eq!(int::rem(ty, Unsigned, wide_a, wide_b), Ok(u64::from(a % b)));
                    } else {
                        assert_eq!(
                            int::rem(ty, Signed, wide_a, wide_b),
                            Err(Undefined::DivisionByZero)
                        );
                        assert_eq!(
                            int::rem(ty, Unsigned, wide_a, wide_b),
                            Err(Undefined::DivisionByZero)
                        );
                    }
                    let distance = u32::try_from(b).ok().filter(|&d| d < <$unsigned>::BITS);
                    let too_far = Undefined::ShiftTooFar {
                        amount: wide_b,
                        width: <$unsigned>::BITS,
                    };
                    match distance {
                        Some(d) => {
                            let found = int::shl(ty, wide_a, wide_b).expect("a shift");
                            let (kept, back) = (a << d, (sa << d) >> d);
                            assert_eq!(
                                (found.bits, found.signed_overflow, found.unsigned_overflow),
                                (u64::from(kept), back != sa, kept >> d != a)
                            );
                            let right = u64::from((sa >> d).cast_unsigned());
                            assert_eq!(int::shr(ty, Signed, wide_a, wide_b), Ok(right));
                            assert_eq!(
                                int::shr(ty, Unsigned, wide_a, wide_b),
                                Ok(u64::from(a >> d))
                            );
                        }
                        None => {
                            assert_eq!(int::shl(ty, wide_a, wide_b), Err(too_far));
                            assert_eq!(int::shr(ty, Signed, wide_a, wide_b), Err(too_far));
                        }
                    }
                    assert_eq!(int::and(ty, wide_a, wide_b), u64::from(a & b));
                    assert_eq!(int::or(ty, wide_a, wide_b), u64::from(a | b));
                    assert_eq!(int::xor(ty, wide_a, wide_b), u64::from(a ^ b));
                }
            }
        }
    };
}

/// Quotients: signed ones cut, floored and raised; unsigned ones cut and raised.
fn division(ty: ScalarType, (a, b): (u64, u64), signed: Option<[u64; 3]>, unsigned: Option<[u64; 2]>) {
    let found = [Zero, NegativeInf, PositiveInf].map(|mode| int::div(ty, Signed, mode, a, b));
    match signed {
        Some(expected) => assert_eq!(found, expected.map(Ok), "{a} / {b}"),
        None if b == 0 => assert_eq!(found, [Err(Undefined::DivisionByZero); 3]),
        None => assert_eq!(found, [Err(Undefined::QuotientTooLarge { width: ty.bits() }); 3]),
    }
    let found = [Zero, PositiveInf].map(|mode| int::div(ty, Unsigned, mode, a, b));
    match unsigned {
        Some(expected) => assert_eq!(found, expected.map(Ok), "{a} / {b}"),
        None => assert_eq!(found, [Err(Undefined::DivisionByZero); 2]),
    }
}

/// Numbers around every power of two.
fn special() -> impl Iterator<Item = u64> {
    (0..64).flat_map(|shift| {
        let power = 1u64 << shift;
        [
            power - 1,
            power,
            power + 1,
            power.wrapping_neg(),
            !power,
            power | power >> 3,
        ]
    })
}

against_host!(every_pair_of_8_bits, I8, i8, u8, (0..=u8::MAX).collect());
against_host!(
    special_16_bits,
    I16,
    i16,
    u16,
    special().filter_map(|x| u16::try_from(x).ok()).collect()
);
against_host!(
    special_32_bits,
    I32,
    i32,
    u32,
    special().filter_map(|x| u32::try_from(x).ok()).collect()
);
against_host!(special_64_bits, I64, i64, u64, special().collect());

#[test]
fn one_bit_is_an_integer() {
    let ty = ScalarType::I1;
    assert_eq!(int::value(ty, Signed, 1), -1);
    assert_eq!(int::range(ty, Signed), (-1, 0));
    // -1 + -1 = -2, and 1 + 1 = 2.
    let sum = int::add(ty, 1, 1);
    assert_eq!(
        (sum.bits, sum.signed_overflow, sum.unsigned_overflow),
        (0, true, true)
    );
    // 0 - 1: -1 is the signed reading of 1, which no unsigned bit holds; 0 - -1 = 1 overflows as signed.
    let difference = int::sub(ty, 0, 1);
    assert_eq!(
        (
            difference.bits,
            difference.signed_overflow,
            difference.unsigned_overflow
        ),
        (1, true, true)
    );
    assert_eq!(
        int::div(ty, Signed, Zero, 1, 1),
        Err(Undefined::QuotientTooLarge { width: 1 })
    );
    assert_eq!(int::div(ty, Unsigned, Zero, 1, 1), Ok(1));
    assert_eq!(int::max(ty, Signed, 0, 1), 0);
    assert_eq!(int::max(ty, Unsigned, 0, 1), 1);
    assert_eq!(int::extend(ty, ScalarType::I8, Signed, 1), 0xFF);
    assert_eq!(int::extend(ty, ScalarType::I8, Unsigned, 1), 1);
    assert_eq!(
        int::shl(ty, 1, 1),
        Err(Undefined::ShiftTooFar { amount: 1, width: 1 })
    );
}

#[test]
fn truncation_says_what_it_drops() {
    for value in 0..=u16::MAX {
        let found = int::truncate(ScalarType::I16, ScalarType::I8, u64::from(value));
        let [low, _] = value.to_le_bytes();
        assert_eq!(found.bits, u64::from(low));
        let signed = i16::from(low.cast_signed()) != value.cast_signed();
        assert_eq!(
            (found.signed_overflow, found.unsigned_overflow),
            (signed, u16::from(low) != value)
        );
        let back = int::extend(ScalarType::I8, ScalarType::I16, Signed, found.bits);
        assert_eq!(
            found.keeps(IntegerOverflow::NoSignedWrap),
            back == u64::from(value)
        );
        assert!(found.keeps(IntegerOverflow::None));
        assert_eq!(
            found.keeps(IntegerOverflow::NoWrap),
            found.keeps(IntegerOverflow::NoSignedWrap) && found.keeps(IntegerOverflow::NoUnsignedWrap)
        );
    }
}

#[test]
fn high_bits_of_operands_are_not_read() {
    let (a, b) = (0xFFFF_FF00_0000_0085, 0x1234_0000_0000_0003);
    assert_eq!(int::add(ScalarType::I8, a, b), int::add(ScalarType::I8, 0x85, 3));
    assert_eq!(
        int::mul_high(ScalarType::I8, a, b),
        int::mul_high(ScalarType::I8, 0x85, 3)
    );
    assert_eq!(int::shr(ScalarType::I4, Signed, 0xF8, 0xF1), Ok(0xC));
}
