//! Every limit of `wgmma`, of `tcgen05.mma` and of tensor memory, at and beyond the boundary.

use tilewright_layouts::SwizzleMode;
use tilewright_layouts::descriptor::Major;
use tilewright_layouts::legality::*;

use crate::violations::fields;

fn wgmma(input: WgmmaInput) -> Wgmma {
    let d_type = if input.is_integer() {
        WgmmaAccumulator::S32
    } else {
        WgmmaAccumulator::F32
    };
    Wgmma {
        m: 64,
        n: 64,
        k: Wgmma::k_of(input, false),
        sparse: false,
        a_type: input,
        b_type: input,
        d_type,
        a: PLAIN,
        b: PLAIN,
    }
}

#[test]
fn wgmma_shapes() {
    let ks = [16, 16, 8, 32, 32, 32, 32, 256];
    for (input, k) in WgmmaInput::ALL.into_iter().zip(ks) {
        let legal = wgmma(input);
        assert_eq!(legal.k, k);
        assert_eq!(legal.check(), Ok(()), "{input:?}");
        assert_eq!(fields(Wgmma { m: 128, ..legal }.check()), [MatrixField::M]);
        assert_eq!(fields(Wgmma { k: k * 2, ..legal }.check()), [MatrixField::K]);
        for n in 0..=272 {
            // The list of the PTX ISA.
            let short = [8, 16, 24, 32];
            let listed = if input.is_integer() {
                short.contains(&n) || (48..=256).step_by(16).any(|listed| listed == n)
            } else {
                (8..=256).step_by(8).any(|listed| listed == n)
            };
            assert_eq!(Wgmma { n, ..legal }.check().is_ok(), listed, "{input:?} {n}");
        }
        let sparse = Wgmma {
            sparse: true,
            k: k * 2,
            ..legal
        };
        assert_eq!(sparse.check().is_ok(), input != WgmmaInput::B1);
    }
}

#[test]
fn wgmma_operands() {
    for input in WgmmaInput::ALL {
        for major in [Major::K, Major::Mn] {
            for swizzle in SwizzleMode::ALL {
                let operand = OperandPlace::Shared { major, swizzle };
                let transposes = [WgmmaInput::F16, WgmmaInput::BF16].contains(&input);
                let legal = (major == Major::K || transposes) && swizzle.atom().0 == 16;
                let one = Wgmma {
                    a: operand,
                    ..wgmma(input)
                };
                assert_eq!(one.check().is_ok(), legal, "{input:?} {major} {swizzle}");
                let other = Wgmma {
                    b: operand,
                    ..wgmma(input)
                };
                assert_eq!(other.check().is_ok(), legal);
            }
        }
        let registers = Wgmma {
            a: OperandPlace::Fragment,
            ..wgmma(input)
        };
        assert_eq!(registers.check(), Ok(()));
        let wrong = Wgmma {
            b: OperandPlace::Fragment,
            ..wgmma(input)
        };
        assert_eq!(fields(wrong.check()), [MatrixField::PlaceB]);
    }
}

#[test]
fn wgmma_types() {
    use WgmmaAccumulator::{F16, F32, S32};
    // Each row of the table: A, B and every D.
    for a_type in WgmmaInput::ALL {
        for b_type in WgmmaInput::ALL {
            for d_type in [F16, F32, S32] {
                let byte_floats = [WgmmaInput::E4M3, WgmmaInput::E5M2];
                let legal = match a_type {
                    WgmmaInput::U8 | WgmmaInput::S8 | WgmmaInput::B1 => b_type == a_type && d_type == S32,
                    WgmmaInput::F16 => b_type == a_type && d_type != S32,
                    WgmmaInput::BF16 | WgmmaInput::TF32 => b_type == a_type && d_type == F32,
                    WgmmaInput::E4M3 | WgmmaInput::E5M2 => byte_floats.contains(&b_type) && d_type != S32,
                };
                let one = Wgmma {
                    b_type,
                    d_type,
                    ..wgmma(a_type)
                };
                assert_eq!(one.check().is_ok(), legal, "{a_type:?} {b_type:?} {d_type:?}");
            }
        }
    }
}

fn mma(kind: Tcgen05Kind) -> Tcgen05Mma {
    Tcgen05Mma {
        target: Target::Sm100a,
        kind,
        cta_group: CtaGroup::One,
        weight_stationary: false,
        sparse: false,
        m: 128,
        n: 128,
        k: kind.k(false),
        a: PLAIN,
        b: PLAIN,
        narrow: false,
    }
}

/// The rows of the table of shapes: M and N for a kind, a group, `.ws` and sparsity.
fn listed(one: &Tcgen05Mma) -> bool {
    use Tcgen05Kind::{I8, Mxf4, Mxf4nvf4, Mxf8f6f4};
    let scaled = matches!(one.kind, Mxf8f6f4 | Mxf4 | Mxf4nvf4);
    let pair = one.cta_group == CtaGroup::Two;
    if one.weight_stationary {
        let ns: &[u32] = if one.sparse { &[64, 128] } else { &[64, 128, 256] };
        return !scaled && !pair && [32, 64, 128].contains(&one.m) && ns.contains(&one.n);
    }
    let ms: &[u32] = match (pair, scaled, one.sparse) {
        (false, false, _) => &[64, 128],
        (false, true, _) => &[128],
        (true, true, true) => &[256],
        (true, ..) => &[128, 256],
    };
    let n = one.n;
    let ns = match (one.kind, pair) {
        (I8, false) => [8, 16, 24, 32].contains(&n) || n.is_multiple_of(16) && (48..=256).contains(&n),
        (I8, true) => n.is_multiple_of(32) && (32..=256).contains(&n),
        (_, false) => n.is_multiple_of(8) && (8..=256).contains(&n),
        (_, true) => n.is_multiple_of(16) && (16..=256).contains(&n),
    };
    ms.contains(&one.m) && ns
}

#[test]
fn tcgen05_shapes() {
    let ks = [16, 8, 32, 32, 32, 64, 64];
    for (kind, k) in Tcgen05Kind::ALL.into_iter().zip(ks) {
        for (cta_group, weight_stationary, sparse) in [CtaGroup::One, CtaGroup::Two]
            .into_iter()
            .flat_map(|group| [(group, false), (group, true)])
            .flat_map(|(group, ws)| [(group, ws, false), (group, ws, true)])
        {
            let k = if sparse { 2 * k } else { k };
            let base = Tcgen05Mma {
                cta_group,
                weight_stationary,
                sparse,
                k,
                ..mma(kind)
            };
            for m in [16, 32, 64, 96, 128, 192, 256, 512] {
                for n in 0..=264 {
                    let one = Tcgen05Mma { m, n, ..base };
                    assert_eq!(one.check().is_ok(), listed(&one), "{one:?}");
                }
            }
        }
        assert_eq!(
            fields(
                Tcgen05Mma {
                    k: k + 8,
                    ..mma(kind)
                }
                .check()
            ),
            [MatrixField::K]
        );
    }
    // K of 96 on one target, for four-bit elements, with two blocks.
    let wide = Tcgen05Mma {
        target: Target::Sm103a,
        cta_group: CtaGroup::Two,
        m: 256,
        k: 96,
        ..mma(Tcgen05Kind::Mxf4)
    };
    assert_eq!(wide.check(), Ok(()));
    assert_eq!(
        fields(
            Tcgen05Mma {
                target: Target::Sm100a,
                ..wide
            }
            .check()
        ),
        [MatrixField::K]
    );
    assert_eq!(fields(Tcgen05Mma { m: 128, ..wide }.check()), [MatrixField::K]);
    let hopper = Tcgen05Mma {
        target: Target::Sm90a,
        ..mma(Tcgen05Kind::F16)
    };
    assert_eq!(fields(hopper.check()), [MatrixField::Target]);
}

#[test]
fn tcgen05_operands() {
    for kind in Tcgen05Kind::ALL {
        for major in [Major::K, Major::Mn] {
            for swizzle in SwizzleMode::ALL {
                let operand = OperandPlace::Shared { major, swizzle };
                let sixteen = swizzle.atom().0 == 16;
                let legal = match (kind, major) {
                    (_, Major::K) => sixteen,
                    (Tcgen05Kind::Tf32, Major::Mn) => swizzle == SwizzleMode::B128Atom32,
                    (Tcgen05Kind::Mxf4 | Tcgen05Kind::Mxf4nvf4, Major::Mn) => false,
                    (_, Major::Mn) => sixteen,
                };
                let one = Tcgen05Mma {
                    a: operand,
                    ..mma(kind)
                };
                assert_eq!(one.check().is_ok(), legal, "{kind:?} {major} {swizzle}");
                let one = Tcgen05Mma {
                    b: operand,
                    ..mma(kind)
                };
                assert_eq!(one.check().is_ok(), legal, "{kind:?} {major} {swizzle}");
            }
        }
    }
    // Eight bits, B transposed: N in steps of 16, and of 32 with two blocks.
    let b = OperandPlace::Shared {
        major: Major::Mn,
        swizzle: SwizzleMode::B64,
    };
    let bytes = Tcgen05Mma {
        b,
        ..mma(Tcgen05Kind::F8f6f4)
    };
    assert_eq!(fields(Tcgen05Mma { n: 48, ..bytes }.check()), []);
    assert_eq!(fields(Tcgen05Mma { n: 40, ..bytes }.check()), [MatrixField::N]);
    let pair = Tcgen05Mma {
        cta_group: CtaGroup::Two,
        ..bytes
    };
    assert_eq!(fields(Tcgen05Mma { n: 64, ..pair }.check()), []);
    assert_eq!(fields(Tcgen05Mma { n: 48, ..pair }.check()), [MatrixField::N]);
    assert_eq!(
        fields(
            Tcgen05Mma {
                narrow: true,
                ..bytes
            }
            .check()
        ),
        [MatrixField::MajorB]
    );
}

#[test]
fn tensor_memory_columns() {
    for columns in 0..=1100 {
        let legal = [32, 64, 128, 256, 512].contains(&columns);
        assert_eq!(Allocation { columns }.check().is_ok(), legal, "{columns}");
        let smallest = [32, 64, 128, 256, 512]
            .into_iter()
            .find(|found| *found >= columns);
        assert_eq!(
            Allocation::for_columns(columns).map(|found| found.columns),
            smallest
        );
    }
    assert_eq!(Allocation::for_columns(u32::MAX), None);
}

#[test]
fn tensor_memory_lives() {
    use AllocationEvent::{Alloc, Dealloc, Relinquish};
    let of = |columns| Alloc(Allocation { columns });
    let check = |events: &[AllocationEvent]| fields(check_allocations(events));
    assert_eq!(check(&[]), []);
    assert_eq!(check(&[of(256), of(256), Relinquish, Dealloc(0), Dealloc(1)]), []);
    assert_eq!(check(&[of(512), Dealloc(0), of(512), Dealloc(1)]), []);
    assert_eq!(check(&[of(32)]), [TensorMemoryField::Allocation]);
    assert_eq!(
        check(&[of(32), Dealloc(0), Dealloc(0)]),
        [TensorMemoryField::Allocation]
    );
    assert_eq!(check(&[Dealloc(0)]), [TensorMemoryField::Allocation]);
    assert_eq!(
        check(&[Relinquish, of(32), Dealloc(0)]),
        [TensorMemoryField::Allocation]
    );
    assert_eq!(
        check(&[of(32), of(64), Dealloc(0), Dealloc(1)]),
        [TensorMemoryField::Columns]
    );
    assert_eq!(
        check(&[of(512), of(32), Dealloc(0), Dealloc(1)]),
        [TensorMemoryField::LiveColumns]
    );
}

#[test]
fn tensor_memory_lanes() {
    for warp in 0..8 {
        for lane in (0..160).step_by(16) {
            let address = TensorMemoryAddress { lane, column: 0 };
            for lanes in [16, 32] {
                let access = TensorMemoryAccess {
                    warp,
                    address,
                    lanes,
                    columns: 1,
                };
                let first = (warp % 4) * 32;
                let legal = u32::from(lane) >= first && u32::from(lane) + lanes <= first + 32;
                assert_eq!(access.check().is_ok(), legal, "{access:?}");
            }
        }
    }
    let columns = |column, columns| {
        let address = TensorMemoryAddress { lane: 0, column };
        fields(
            TensorMemoryAccess {
                warp: 0,
                address,
                lanes: 32,
                columns,
            }
            .check(),
        )
    };
    assert_eq!(columns(511, 1), []);
    assert_eq!(columns(511, 2), [TensorMemoryField::ColumnEnd]);
    assert_eq!(columns(512, 0), [TensorMemoryField::Column]);
    assert!(TensorMemoryAddress { lane: 96, column: 8 }.check_shift().is_ok());
    assert!(TensorMemoryAddress { lane: 16, column: 8 }.check_shift().is_err());
}

const PLAIN: OperandPlace = OperandPlace::Shared {
    major: Major::K,
    swizzle: SwizzleMode::B128,
};
