//! Matrix descriptors: words, and the addresses that the hardware reads through them.

use proptest::prelude::*;
use tilewright_layouts::descriptor::{
    BaseOffset, Canonical, Field, Instruction, LeadingMode, Major, MatrixDescriptor, Operand, Refusal,
    SharedOffset, Tcgen05Descriptor, Tcgen05Swizzle, WgmmaDescriptor, WgmmaSwizzle,
};
use tilewright_layouts::shared::{Nvmma, NvmmaElement, SwizzleMode, TileOrder};
use tilewright_layouts::{Bytes, Dim, ElementWidth, LinearLayout};

fn offset(bytes: u64) -> SharedOffset {
    SharedOffset::new(Field::StrideByteOffset, Bytes(bytes)).unwrap()
}

#[test]
fn words_of_public_kernels_decode() {
    // A K-major bf16 operand with the 128-byte swizzle, as in common Hopper kernels.
    let word = WgmmaDescriptor {
        start: offset(0x400),
        leading: offset(16),
        stride: offset(1024),
        base_offset: BaseOffset::ALIGNED,
        swizzle: WgmmaSwizzle::B128,
    };
    assert_eq!(word.encode(), 0x40 | 1 << 16 | 64 << 32 | 1 << 62);
    // The same on Blackwell: version bit, and the swizzle in three bits.
    let word = Tcgen05Descriptor {
        start: offset(0x400),
        leading: offset(16),
        leading_mode: LeadingMode::Relative,
        stride: offset(1024),
        base_offset: BaseOffset::ALIGNED,
        swizzle: Tcgen05Swizzle::B128,
    };
    assert_eq!(word.encode(), 0x40 | 1 << 16 | 64 << 32 | 1 << 46 | 2 << 61);
}

#[test]
fn fields_hold_fourteen_bits_of_sixteen_bytes() {
    assert_eq!(offset((1 << 18) - 16).bits(), 0x3FFF);
    for bytes in [1, 8, 17, 1 << 18, u64::MAX] {
        assert!(
            SharedOffset::new(Field::StartAddress, Bytes(bytes)).is_err(),
            "{bytes}"
        );
    }
}

proptest! {
    #[test]
    fn decoding_is_the_inverse_of_encoding(word: u64) {
        if let Ok(fields) = WgmmaDescriptor::decode(word) {
            prop_assert_eq!(fields.encode(), word);
        }
        let clean = word & (0x3FFF | 0x3FFF << 16 | 0x3FFF << 32 | 7 << 49 | 3 << 62);
        prop_assert_eq!(WgmmaDescriptor::decode(clean).unwrap().encode(), clean);
        prop_assert_eq!(WgmmaDescriptor::decode(word).is_ok(), clean == word);

        let clean = word & (0x3FFF | 0x3FFF << 16 | 0x3FFF << 32 | 15 << 49 | 7 << 61) | 1 << 46;
        let known = [0, 1, 2, 4, 6].contains(&(word >> 61));
        prop_assert_eq!(Tcgen05Descriptor::decode(clean).is_ok(), known);
        if let Ok(fields) = Tcgen05Descriptor::decode(clean) {
            prop_assert_eq!(fields.encode(), clean);
        }
        prop_assert!(Tcgen05Descriptor::decode(clean ^ 1 << 46).is_err());
    }
}

/// The address of an element in bits by the tables of canonical layouts: the address bits that the
/// swizzle changes and reads, the bytes of a line, and the lines of a group.
fn by_the_tables(
    mode: SwizzleMode,
    major: Major,
    width: u64,
    [start, leading, stride]: [u64; 3],
    [mn, k]: [u64; 2],
) -> u64 {
    let (from, to, mask, line, group) = match mode {
        SwizzleMode::None => (0, 0, 0, 16, 8),
        SwizzleMode::B32 => (7, 4, 1, 32, 8),
        SwizzleMode::B64 => (7, 4, 3, 64, 8),
        SwizzleMode::B128 => (7, 4, 7, 128, 8),
        SwizzleMode::B128Atom32 => (7, 5, 3, 128, 4),
        SwizzleMode::B128Atom32Flip8 | SwizzleMode::B128Atom64 => panic!("no descriptor has it"),
    };
    let elements = 128 / width;
    let (inner, bytes) = match (major, mode) {
        (Major::K, SwizzleMode::None) => (k, mn % 8 * 16 + mn / 8 * stride + k / elements * leading),
        (Major::K, _) => (k, mn % 8 * line + mn / 8 * stride + k / elements * 16),
        (Major::Mn, SwizzleMode::None) => (mn, k % 8 * 16 + k / 8 * leading + mn / elements * stride),
        (Major::Mn, _) => {
            let (chunk, chunks) = (mn / elements, line / 16);
            let along = chunk % chunks * 16 + chunk / chunks * leading;
            (mn, along + k % group * line + k / group * stride)
        }
    };
    let bit = inner % elements * width;
    let address = start + bytes + bit / 8;
    (address ^ (address >> from & mask) << to) * 8 + bit % 8
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn addresses_are_those_of_the_tables(
        mode in 0usize..5, width in 2u32..8, units in prop::array::uniform3(0u64..1 << 14),
        mn in 0u32..512, k in 0u32..512,
    ) {
        let width = ElementWidth::of_bits(1 << width).unwrap();
        let [start, leading, stride] = units.map(|units| offset(units * 16));
        let base_offset = BaseOffset::ALIGNED;
        let leading_mode = LeadingMode::Relative;
        let swizzle = Tcgen05Swizzle::ALL[mode];
        let blackwell = Tcgen05Descriptor { start, leading, leading_mode, stride, base_offset, swizzle };
        let numbers = units.map(|units| units * 16);
        for major in [Major::K, Major::Mn] {
            let mode = swizzle.mode();
            let place = [u64::from(mn), u64::from(k)];
            let expected = by_the_tables(mode, major, u64::from(width.bits()), numbers, place);
            prop_assert_eq!(blackwell.canonical(major, width).bit_address(mn, k), expected);
            let swizzle = WgmmaSwizzle::ALL.into_iter().find(|swizzle| swizzle.mode() == mode);
            if let Some(swizzle) = swizzle {
                let hopper = WgmmaDescriptor { start, leading, stride, base_offset, swizzle };
                prop_assert_eq!(hopper.canonical(major, width).bit_address(mn, k), expected);
            }
        }
    }
}

#[test]
fn patterns_begin_where_the_buffer_does() {
    let instruction = Instruction { mn: 64, k: 16 };
    for (swizzle, repeat) in [
        (SwizzleMode::B32, 256),
        (SwizzleMode::B64, 512),
        (SwizzleMode::B128, 1024),
    ] {
        let tile = Nvmma {
            swizzle,
            element: NvmmaElement::B16,
            order: TileOrder::RowMajor,
        };
        let memory = tile.to_linear(&[64, swizzle.span().0 as u32 / 2]).unwrap();
        for start in (0..4096).step_by(16) {
            let found =
                Operand::<WgmmaDescriptor>::derive(&memory, ElementWidth::B16, instruction, Bytes(start));
            match found {
                Ok(operand) => {
                    assert_eq!((start % repeat, operand.descriptor.swizzle.mode()), (0, swizzle));
                }
                Err(refusal) => {
                    let alignment = Bytes(repeat);
                    let (start, mode) = (Bytes(start), swizzle);
                    assert_eq!(
                        refusal,
                        Refusal::StartAlignment {
                            start,
                            alignment,
                            mode
                        }
                    );
                    assert_ne!(start.0 % repeat, 0);
                }
            }
        }
    }
}

/// The layout of a tile whose elements are at these bit addresses, if it is linear and without gaps.
fn layout_of(
    mn: u32,
    k: u32,
    width: ElementWidth,
    address: impl Fn(u32, u32) -> u64,
) -> Option<LinearLayout> {
    let elements = mn * k;
    let place = |mn, k| {
        u32::try_from(address(mn, k) / u64::from(width.bits()))
            .ok()
            .filter(|at| *at < elements)
    };
    let column = |mn, k| place(mn, k).map(|at| vec![at]);
    let bits = |size: u32| (0..size.ilog2()).map(|bit| 1 << bit);
    let rows = bits(mn).map(|mn| column(mn, 0)).collect::<Option<Vec<_>>>()?;
    let columns = bits(k).map(|k| column(0, k)).collect::<Option<Vec<_>>>()?;
    let places = LinearLayout::from_bases(
        &[(Dim::Axis(0), rows), (Dim::Axis(1), columns)],
        &[(Dim::Offset, elements)],
    )
    .unwrap();
    for m in 0..mn {
        for k in 0..k {
            let linear = places.apply(&[(Dim::Axis(0), m), (Dim::Axis(1), k)])[0];
            if place(m, k) != Some(linear) {
                return None;
            }
        }
    }
    places.invert().ok()
}

/// Whether the descriptors of every instruction read each element at its position in the layout.
fn reads_right<D: MatrixDescriptor>(
    operand: &Operand<D>,
    memory: &LinearLayout,
    width: ElementWidth,
    instruction: Instruction,
    start: Bytes,
    canonical: impl Fn(D) -> Canonical,
) -> bool {
    let places = memory.invert().unwrap();
    let (rows, columns) = (
        memory.out_size(Dim::Axis(0)).unwrap(),
        memory.out_size(Dim::Axis(1)).unwrap(),
    );
    let mut read = 0;
    for m0 in (0..rows).step_by(instruction.mn as usize) {
        for k0 in (0..columns).step_by(instruction.k as usize) {
            let word = canonical(operand.at(m0, k0).unwrap().unwrap());
            for m in 0..instruction.mn {
                for k in 0..instruction.k {
                    let at = places.apply(&[(Dim::Axis(0), m0 + m), (Dim::Axis(1), k0 + k)])[0];
                    let wanted = start.0 * 8 + u64::from(at) * u64::from(width.bits());
                    if word.bit_address(m, k) != wanted {
                        return false;
                    }
                    read += 1;
                }
            }
        }
    }
    read == rows * columns
}

const WIDTHS: [ElementWidth; 4] = [
    ElementWidth::B4,
    ElementWidth::B8,
    ElementWidth::B16,
    ElementWidth::B32,
];

/// Canonical layouts without gaps, constructed from the definition, with both orders of the free
/// distances.
#[test]
fn every_dense_canonical_layout_has_its_descriptor() {
    let mut found = 0;
    for mode in Tcgen05Descriptor::MODES.iter().copied() {
        for width in WIDTHS {
            let per_chunk = 128 / width.bits();
            let instruction_k = 256 / width.bits();
            for (mn, k) in [(8, 1), (64, 1), (64, 2), (128, 4), (256, 1)] {
                let k = k * instruction_k;
                let tile_bytes = u64::from(mn * k * width.bits() / 8);
                for major in [Major::K, Major::Mn] {
                    for leading in (4..18).map(|bit| 1 << bit).filter(|bytes| *bytes <= tile_bytes) {
                        for stride in (4..18).map(|bit| 1 << bit).filter(|bytes| *bytes <= tile_bytes) {
                            let start = Bytes(1024);
                            let layout = Canonical {
                                start: offset(0),
                                leading: offset(leading % (1 << 18)),
                                stride: offset(stride % (1 << 18)),
                                mode,
                                major,
                                width,
                            };
                            let chunks = match major {
                                Major::K => k,
                                Major::Mn => mn,
                            } / per_chunk;
                            if major == Major::K
                                && mode != SwizzleMode::None
                                && u64::from(chunks) * 16 > mode.span().0
                            {
                                continue;
                            }
                            let Some(memory) = layout_of(mn, k, width, |m, k| layout.bit_address(m, k))
                            else {
                                continue;
                            };
                            let instruction = Instruction {
                                mn: mn.min(64),
                                k: instruction_k,
                            };
                            let operand =
                                Operand::<Tcgen05Descriptor>::derive(&memory, width, instruction, start)
                                    .unwrap_or_else(|refusal| panic!("{layout:?} {mn}x{k}: {refusal}"));
                            let reads = |word: Tcgen05Descriptor| word.canonical(operand.major, width);
                            assert!(
                                reads_right(&operand, &memory, width, instruction, start, reads),
                                "{layout:?} {mn}x{k}"
                            );
                            found += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(found > 200, "only {found} layouts were dense");
}

/// Random bijections of an 8 by 16 tile of 16-bit elements: a descriptor is found exactly if there is one.
fn bijection() -> impl Strategy<Value = LinearLayout> {
    let order = Just((0..7).collect::<Vec<usize>>()).prop_shuffle();
    let sums = prop::collection::vec((0usize..7, 0usize..7), 0..3);
    // Orders that start with a run along one axis are the relevant ones.
    let kept = prop_oneof![Just(0usize), Just(3usize), Just(6usize)];
    (order, sums, kept, any::<bool>()).prop_map(|(shuffled, sums, kept, rows_first)| {
        let natural: Vec<usize> = if rows_first {
            (0..7).collect()
        } else {
            (3..7).chain(0..3).collect()
        };
        let mut order: Vec<usize> = natural.iter().copied().take(kept).collect();
        order.extend(
            shuffled
                .iter()
                .copied()
                .filter(|bit| !natural[..kept].contains(bit)),
        );
        let mut columns: Vec<Vec<u32>> = order
            .iter()
            .map(|&bit| {
                if bit < 3 {
                    vec![1 << bit, 0]
                } else {
                    vec![0, 1 << (bit - 3)]
                }
            })
            .collect();
        for (to, from) in sums {
            if to != from {
                let added = columns[from].clone();
                columns[to]
                    .iter_mut()
                    .zip(added)
                    .for_each(|(sum, more)| *sum ^= more);
            }
        }
        LinearLayout::from_bases(
            &[(Dim::Offset, columns)],
            &[(Dim::Axis(0), 8), (Dim::Axis(1), 16)],
        )
        .unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn a_layout_is_refused_exactly_if_no_descriptor_reads_it(memory in bijection()) {
        let (width, start) = (ElementWidth::B16, Bytes(1024));
        let instruction = Instruction { mn: 8, k: 16 };
        let places = memory.invert().unwrap();
        let reads_all = |word: Canonical| {
            (0..8).all(|m| (0..16).all(|k| {
                let at = places.apply(&[(Dim::Axis(0), m), (Dim::Axis(1), k)])[0];
                word.bit_address(m, k) == start.0 * 8 + u64::from(at) * 16
            }))
        };
        let mut possible = false;
        for swizzle in WgmmaSwizzle::ALL {
            for major in [Major::K, Major::Mn] {
                for (leading, stride) in (4..9).flat_map(|a| (4..9).map(move |b| (1 << a, 1 << b))) {
                    possible |= reads_all(Canonical {
                        start: offset(start.0), leading: offset(leading), stride: offset(stride),
                        mode: swizzle.mode(), major, width,
                    });
                }
            }
        }
        match Operand::<WgmmaDescriptor>::derive(&memory, width, instruction, start) {
            Ok(operand) => prop_assert!(reads_all(operand.descriptor.canonical(operand.major, width))),
            Err(refusal) => prop_assert!(!possible, "{}: {}", memory, refusal),
        }
    }
}

#[test]
fn refusals_name_the_field() {
    let rows = |order: &[(usize, u32)]| {
        let columns = order.iter().map(|&(axis, bit)| {
            if axis == 0 {
                vec![1 << bit, 0]
            } else {
                vec![0, 1 << bit]
            }
        });
        LinearLayout::from_bases(
            &[(Dim::Offset, columns.collect())],
            &[(Dim::Axis(0), 8), (Dim::Axis(1), 16)],
        )
        .unwrap()
    };
    let derive = |memory: &LinearLayout, start| {
        let instruction = Instruction { mn: 8, k: 16 };
        Operand::<WgmmaDescriptor>::derive(memory, ElementWidth::B16, instruction, Bytes(start))
    };
    // Row-major with rows of 32 bytes, which only the 32-byte swizzle has, and then swizzled.
    let plain = rows(&[(1, 0), (1, 1), (1, 2), (1, 3), (0, 0), (0, 1), (0, 2)]);
    let refusal = derive(&plain, 0).unwrap_err();
    assert!(
        matches!(
            refusal,
            Refusal::NotCanonical {
                field: Field::Swizzle,
                ..
            }
        ),
        "{refusal}"
    );
    // Core matrices are valid, at an address that fits the field.
    let cores = rows(&[(1, 0), (1, 1), (1, 2), (0, 0), (0, 1), (0, 2), (1, 3)]);
    assert!(derive(&cores, 128).is_ok());
    assert_eq!(
        derive(&cores, 129).unwrap_err().to_string(),
        "the start address of 129 bytes is not a multiple of 16 bytes"
    );
    assert!(matches!(derive(&cores, 1 << 18), Err(Refusal::Range(_))));
    let copies = LinearLayout::zeros_1d(8, Dim::Offset, Dim::Axis(0), 8).unwrap();
    assert!(matches!(derive(&copies, 0), Err(Refusal::NotMatrix(_))));
}
