//! Matrix descriptors: refused exactly if a rule of the PTX ISA is violated, otherwise encoded by its tables.

use proptest::prelude::*;
use tilewright_layouts::SwizzleMode;
use tilewright_layouts::descriptor::{LeadingMode, Major, Tcgen05Descriptor, WgmmaDescriptor};
use tilewright_layouts::legality::{
    DescriptorField, DescriptorFormat, DescriptorValues, Limit, Target, Value, Violations,
};

const FORMATS: [DescriptorFormat; 3] = [
    DescriptorFormat::Wgmma,
    DescriptorFormat::Tcgen05 {
        leading: LeadingMode::Relative,
    },
    DescriptorFormat::Tcgen05 {
        leading: LeadingMode::Absolute,
    },
];

fn plain(format: DescriptorFormat) -> DescriptorValues {
    DescriptorValues {
        target: match format {
            DescriptorFormat::Wgmma => Target::Sm90a,
            DescriptorFormat::Tcgen05 { .. } => Target::Sm103a,
        },
        format,
        major: Major::K,
        swizzle: SwizzleMode::B128,
        start: 1024,
        leading: 16,
        stride: 1024,
        base_offset: 0,
    }
}

/// The code of a swizzle in the table of the format.
fn code(format: DescriptorFormat, swizzle: SwizzleMode) -> Option<u64> {
    use SwizzleMode::{B32, B64, B128, B128Atom32, B128Atom32Flip8, B128Atom64, None as Plain};
    match (format, swizzle) {
        (_, Plain) => Some(0),
        (DescriptorFormat::Wgmma, B128) => Some(1),
        (DescriptorFormat::Wgmma, B64) => Some(2),
        (DescriptorFormat::Wgmma, B32) => Some(3),
        (DescriptorFormat::Tcgen05 { .. }, B128Atom32) => Some(1),
        (DescriptorFormat::Tcgen05 { .. }, B128) => Some(2),
        (DescriptorFormat::Tcgen05 { .. }, B64) => Some(4),
        (DescriptorFormat::Tcgen05 { .. }, B32) => Some(6),
        (DescriptorFormat::Wgmma, B128Atom32) | (_, B128Atom32Flip8 | B128Atom64) => None,
    }
}

/// The word by the tables, if the values can be encoded.
fn word(values: &DescriptorValues) -> Option<u64> {
    let swizzle = code(values.format, values.swizzle)?;
    let in_bytes = [values.start, values.leading, values.stride];
    if in_bytes.iter().any(|bytes| bytes % 16 != 0 || bytes >> 18 != 0) || values.base_offset > 7 {
        return None;
    }
    let base = u64::from(values.base_offset);
    let fields = (values.start >> 4) | (values.leading >> 4) << 16 | (values.stride >> 4) << 32 | base << 49;
    let target = values.target;
    match values.format {
        DescriptorFormat::Wgmma => {
            let based = values.swizzle != SwizzleMode::None || base == 0;
            (target == Target::Sm90a && based).then_some(fields | swizzle << 62)
        }
        DescriptorFormat::Tcgen05 { leading } => {
            let fields = fields | 0b001 << 46 | swizzle << 61;
            match leading {
                LeadingMode::Relative => {
                    let targets = [Target::Sm100a, Target::Sm103a, Target::Sm110a];
                    targets.contains(&target).then_some(fields)
                }
                LeadingMode::Absolute => (target == Target::Sm103a
                    && values.swizzle == SwizzleMode::B128
                    && values.major == Major::K
                    && base == 0)
                    .then_some(fields | 1 << 52),
            }
        }
    }
}

fn bytes() -> impl Strategy<Value = u64> {
    prop_oneof![
        8 => (0u64..1 << 14).prop_map(|units| units * 16),
        1 => 0u64..1 << 18,
        1 => (0u64..1 << 16).prop_map(|units| units * 16),
        1 => any::<u64>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn descriptors_are_refused_exactly_by_the_rules(
        target in prop::sample::select(Target::ALL.to_vec()),
        format in prop::sample::select(FORMATS.to_vec()),
        swizzle in prop::sample::select(SwizzleMode::ALL.to_vec()),
        major in prop::sample::select(vec![Major::K, Major::K, Major::Mn]),
        base_offset in prop_oneof![4 => Just(0u32), 4 => 0u32..8, 1 => any::<u32>()],
        numbers in prop::array::uniform3(bytes()),
        usual in any::<bool>(),
    ) {
        let [start, leading, stride] = numbers;
        let mut values = DescriptorValues { target, format, major, swizzle, start, leading, stride, base_offset };
        if usual {
            (values.target, values.swizzle) = (plain(format).target, SwizzleMode::B128);
        }
        let expected = word(&values);
        prop_assert_eq!(values.encode().ok(), expected);
        prop_assert_eq!(values.check().is_ok(), expected.is_some());
        if let Some(word) = expected {
            match format {
                DescriptorFormat::Wgmma => prop_assert_eq!(WgmmaDescriptor::decode(word).unwrap().encode(), word),
                DescriptorFormat::Tcgen05 { .. } => {
                    prop_assert_eq!(Tcgen05Descriptor::decode(word).unwrap().encode(), word);
                }
            }
        }
    }
}

fn fields(result: Result<(), Violations<DescriptorField>>) -> Vec<DescriptorField> {
    let found = result.expect_err("a rule is broken");
    found.iter().map(|violation| violation.field).collect()
}

#[test]
fn each_rule_names_its_field_value_limit_and_source() {
    use DescriptorField as F;
    let [wgmma, relative, absolute] = FORMATS.map(plain);
    for format in FORMATS {
        assert!(plain(format).check().is_ok());
        let odd = |change: fn(&mut DescriptorValues)| {
            let mut values = plain(format);
            change(&mut values);
            fields(values.check())
        };
        assert_eq!(odd(|values| values.start = 8), [F::StartAddress]);
        assert_eq!(odd(|values| values.leading = 1 << 18), [F::LeadingByteOffset]);
        assert_eq!(
            odd(|values| values.stride = (1 << 18) + 8),
            [F::StrideByteOffset; 2]
        );
        assert_eq!(
            odd(|values| values.swizzle = SwizzleMode::B128Atom64)[0],
            F::Swizzle
        );
        assert_eq!(odd(|values| values.target = Target::Sm80)[0], F::Target);
        assert_eq!(odd(|values| values.base_offset = 8)[0], F::BaseOffset);
    }
    let flat = DescriptorValues {
        swizzle: SwizzleMode::None,
        base_offset: 1,
        ..wgmma
    };
    assert_eq!(fields(flat.check()), [F::BaseOffset]);
    let based = DescriptorValues {
        base_offset: 1,
        ..relative
    };
    assert!(based.check().is_ok());
    let elsewhere = DescriptorValues {
        target: Target::Sm100a,
        major: Major::Mn,
        base_offset: 1,
        swizzle: SwizzleMode::B64,
        ..absolute
    };
    assert_eq!(
        fields(elsewhere.check()),
        [F::LeadingMode, F::Swizzle, F::Major, F::BaseOffset]
    );
    let far = DescriptorValues {
        stride: 1 << 18,
        ..relative
    };
    let found = far.check().expect_err("too far");
    assert_eq!(
        (found[0].value, found[0].limit),
        (Value::Number(1 << 18), Limit::Below(1 << 18))
    );
    assert_eq!(
        found.to_string(),
        "stride dimension byte offset is 262144; it has to be less than 262144 \
         (PTX ISA, tcgen05, shared memory descriptor)"
    );
}
