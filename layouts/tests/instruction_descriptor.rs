//! The instruction descriptor of `tcgen05.mma`, against the table of the PTX ISA.

use proptest::prelude::*;
use tilewright_layouts::descriptor::{
    ByteType, Columns, FloatSum, HalfType, InstructionField, Kind, Major, MaxShift, MetadataSelector,
    MmaInstruction, Negate, Rows, SmallFloat, Sparsity, Types,
};

const KINDS: [Kind; 4] = [Kind::F16, Kind::Tf32, Kind::F8f6f4, Kind::I8];

fn plain(types: Types, n: u32) -> MmaInstruction {
    MmaInstruction {
        types,
        sparsity: Sparsity::Dense,
        major_a: Major::K,
        major_b: Major::K,
        m: Rows::M128,
        n: Columns::new(n).unwrap(),
        max_shift: MaxShift::None,
    }
}

/// Constants of public kernels, from their compiled form.
#[test]
fn known_words() {
    let negate = Negate::default();
    let half = |a, b| Types::F16 {
        a,
        b,
        d: FloatSum::F32,
        negate,
    };
    let f16 = plain(half(HalfType::F16, HalfType::F16), 128);
    assert_eq!(f16.encode(), 136_314_896);
    assert_eq!(
        MmaInstruction {
            major_b: Major::Mn,
            ..f16
        }
        .encode(),
        136_380_432
    );
    assert_eq!(
        MmaInstruction {
            major_a: Major::Mn,
            major_b: Major::Mn,
            ..f16
        }
        .encode(),
        136_413_200
    );
    let bf16 = plain(half(HalfType::BF16, HalfType::BF16), 256);
    assert_eq!(bf16.encode(), 1 << 4 | 1 << 7 | 1 << 10 | 32 << 17 | 8 << 24);
}

#[test]
fn columns_are_multiples_of_eight() {
    for n in 0..600 {
        let legal = n % 8 == 0 && (8..=256).contains(&n);
        assert_eq!(Columns::new(n).map(Columns::get).ok(), legal.then_some(n));
    }
    assert!(Columns::new(u32::MAX).is_err());
    assert!(Columns::new(256 * 8 + 8).is_err());
}

/// Whether the table of the PTX ISA defines every bit of the word.
fn listed(word: u32, kind: Kind) -> bool {
    let field = |low: u32, bits: u32| word >> low & ((1 << bits) - 1);
    let (d, a, b) = (field(4, 2), field(7, 3), field(10, 3));
    let types = match kind {
        Kind::F16 => d < 2 && a < 2 && b < 2,
        Kind::Tf32 => d == 1 && a == 2 && b == 2,
        Kind::F8f6f4 => d < 2 && [0, 1, 3, 4, 5].contains(&a) && [0, 1, 3, 4, 5].contains(&b),
        Kind::I8 => d == 2 && a < 2 && b < 2,
    };
    let zeros = field(6, 1) == 0 && field(23, 1) == 0 && field(29, 1) == 0;
    let own = if kind == Kind::I8 {
        field(13, 2) == 0
    } else {
        field(3, 1) == 0
    };
    let dense = field(2, 1) == 1 || field(0, 2) == 0;
    let n = (1..=32).contains(&field(17, 6));
    let m = [2, 4, 8, 16].contains(&field(24, 5));
    types && zeros && own && dense && n && m
}

/// Words that are probably legal, with a few random bits changed.
fn word() -> impl Strategy<Value = (u32, Kind)> {
    let kind = prop::sample::select(&KINDS[..]);
    let m = prop::sample::select(&[2u32, 4, 8, 16][..]);
    (any::<u32>(), kind, m, 1u32..33, 0u32..3, any::<(u32, u32)>()).prop_map(
        |(noise, kind, m, n, changes, (one, two))| {
            let types = match kind {
                Kind::F16 | Kind::F8f6f4 => noise & (1 << 4 | 1 << 7 | 1 << 10 | 3 << 13),
                Kind::Tf32 => 1 << 4 | 2 << 7 | 2 << 10 | noise & 3 << 13,
                Kind::I8 => 2 << 4 | noise & (1 << 3 | 1 << 7 | 1 << 10),
            };
            let sparse = if noise >> 2 & 1 == 1 { noise & 7 } else { 0 };
            let word = types | sparse | noise & 3 << 15 | n << 17 | m << 24 | noise & 3 << 30;
            let changed = [one, two].into_iter().take(changes as usize);
            (changed.fold(word, |word, bit| word ^ 1 << (bit % 32)), kind)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]
    #[test]
    fn decoding_is_the_inverse_of_encoding((word, kind) in word()) {
        let decoded = MmaInstruction::decode(word, kind);
        prop_assert_eq!(decoded.is_ok(), listed(word, kind), "{:#x} {:?}", word, kind);
        if let Ok(fields) = decoded {
            prop_assert_eq!(fields.encode(), word);
        }
    }

    #[test]
    fn random_words_decode_exactly_if_listed(word: u32) {
        for kind in KINDS {
            let decoded = MmaInstruction::decode(word, kind);
            prop_assert_eq!(decoded.is_ok(), listed(word, kind));
        }
    }
}

/// Every value of every type, and of every other field alone, round-trips.
#[test]
fn encoding_is_undone_by_decoding() {
    let mut count = 0;
    let mut check = |fields: MmaInstruction, kind| {
        assert_eq!(MmaInstruction::decode(fields.encode(), kind), Ok(fields));
        count += 1;
    };
    let signs = [false, true]
        .map(|a| [false, true].map(|b| Negate { a, b }))
        .concat();
    for negate in signs {
        check(plain(Types::Tf32 { negate }, 8), Kind::Tf32);
        for &d in FloatSum::ALL {
            for &a in HalfType::ALL {
                for &b in HalfType::ALL {
                    check(plain(Types::F16 { a, b, d, negate }, 64), Kind::F16);
                }
            }
            for &a in SmallFloat::ALL {
                for &b in SmallFloat::ALL {
                    check(plain(Types::F8f6f4 { a, b, d, negate }, 64), Kind::F8f6f4);
                }
            }
        }
    }
    for &a in ByteType::ALL {
        for &b in ByteType::ALL {
            for saturate in [false, true] {
                let base = plain(Types::I8 { a, b, saturate }, 8);
                for &m in Rows::ALL {
                    for n in (8..=256).step_by(8).map(|n| Columns::new(n).unwrap()) {
                        check(MmaInstruction { m, n, ..base }, Kind::I8);
                    }
                }
                for &max_shift in MaxShift::ALL {
                    check(MmaInstruction { max_shift, ..base }, Kind::I8);
                }
                for &selector in MetadataSelector::ALL {
                    let sparsity = Sparsity::Sparse(selector);
                    check(MmaInstruction { sparsity, ..base }, Kind::I8);
                }
                for major_a in [Major::K, Major::Mn] {
                    for major_b in [Major::K, Major::Mn] {
                        check(
                            MmaInstruction {
                                major_a,
                                major_b,
                                ..base
                            },
                            Kind::I8,
                        );
                    }
                }
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn errors_name_the_field() {
    let field = |word, kind| MmaInstruction::decode(word, kind).unwrap_err().field;
    let good = 136_314_896;
    assert_eq!(field(good | 1 << 6, Kind::F16), InstructionField::Reserved);
    assert_eq!(field(good | 1, Kind::F16), InstructionField::SparsitySelector);
    assert_eq!(field(good ^ 3 << 4, Kind::F16), InstructionField::TypeD);
    assert_eq!(field(good | 2 << 7, Kind::F16), InstructionField::TypeA);
    assert_eq!(field(good | 2 << 10, Kind::F16), InstructionField::TypeB);
    assert_eq!(field(good | 32 << 17, Kind::F16), InstructionField::N);
    assert_eq!(field(good | 1 << 24, Kind::F16), InstructionField::M);
    assert_eq!(
        MmaInstruction::decode(good | 2 << 7, Kind::F16)
            .unwrap_err()
            .to_string(),
        "0x2 is no value of the type of A of an instruction descriptor"
    );
}
