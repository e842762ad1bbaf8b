//! `wgmma` fragments against the register tables of the PTX ISA, element by element.

use std::collections::HashSet;

use tilewright_layouts::Dim;
use tilewright_layouts::distributed::{Encoding, WgmmaA, WgmmaAccumulator, WgmmaElement, WgmmaN};

/// The row and column of accumulator value `i` by the PTX ISA.
fn accumulator(thread: u32, i: u32) -> [u32; 2] {
    let (warp, lane) = (thread / 32, thread % 32);
    let (group, in_group) = (lane / 4, lane % 4);
    // Figure of D: each 8 columns are d0 d1 in the upper 8 rows of a warp and d2 d3 in the lower 8.
    let (low, high) = (i % 4, i / 4);
    let row = warp * 16 + group + if low == 2 || low == 3 { 8 } else { 0 };
    [
        row,
        high * 8 + in_group * 2 + if low == 1 || low == 3 { 1 } else { 0 },
    ]
}

/// The row and k of element `i` of operand A.
fn operand(thread: u32, i: u32, bits: u32) -> [u32; 2] {
    let (warp, lane) = (thread / 32, thread % 32);
    let (group, in_group) = (lane / 4, lane % 4);
    let each = 32 / bits;
    // Four registers: upper left, lower left, upper right, lower right quarter of 16 x K.
    let (down, right) = match i / each {
        0 => (0, 0),
        1 => (8, 0),
        2 => (0, 1),
        3 => (8, 1),
        _ => panic!(),
    };
    let half = 256 / bits / 2;
    [
        warp * 16 + group + down,
        right * half + in_group * each + i % each,
    ]
}

#[test]
fn one_instruction_of_every_n_is_the_table() {
    assert_eq!(WgmmaN::all().count(), 32);
    for n in WgmmaN::all() {
        let (tile, shape) = (
            WgmmaAccumulator {
                n,
                warpgroups: [1, 1],
            },
            [64, n.get()],
        );
        assert_eq!(tile.values(shape), Ok(n.get() / 2));
        let linear = tile.to_linear(shape);
        assert_eq!(linear.is_ok(), n.get().is_power_of_two());
        let mut seen = HashSet::new();
        for thread in 0..128 {
            for i in 0..n.get() / 2 {
                let expected = accumulator(thread, i);
                let found = tile.coordinates(shape, i, thread % 32, thread / 32).unwrap();
                assert_eq!(found, Some(expected));
                let holder = tile.holder(shape, expected).unwrap().unwrap();
                assert_eq!(
                    (holder.register, holder.lane, holder.warp),
                    (i, thread % 32, thread / 32)
                );
                if let Ok(linear) = &linear {
                    assert_eq!(linear.at(i, thread % 32, thread / 32, 0)[..], expected);
                }
                seen.insert(expected);
            }
        }
        assert_eq!(seen.len() as u32, 64 * n.get());
    }
}

#[test]
fn a_tile_is_its_instructions() {
    let groups = [[1, 1], [2, 1], [1, 2], [4, 1], [2, 2]];
    for (n, warpgroups) in [8, 24, 64, 96]
        .into_iter()
        .flat_map(|n| groups.map(|groups| (n, groups)))
    {
        let tile = WgmmaAccumulator {
            n: WgmmaN::new(n).unwrap(),
            warpgroups,
        };
        let repeats = [2, 2];
        let shape = [64 * warpgroups[0] * repeats[0], n * warpgroups[1] * repeats[1]];
        let linear = tile.to_linear(shape).ok();
        assert_eq!(linear.is_some(), n.is_power_of_two());
        let mut seen = HashSet::new();
        for (m_step, n_step) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            for (m_group, n_group) in (0..warpgroups[0]).flat_map(|m| (0..warpgroups[1]).map(move |n| (m, n)))
            {
                for (thread, i) in (0..128).flat_map(|thread| (0..n / 2).map(move |i| (thread, i))) {
                    let [row, column] = accumulator(thread, i);
                    let expected = [
                        row + 64 * (m_group + warpgroups[0] * m_step),
                        column + n * (n_group + warpgroups[1] * n_step),
                    ];
                    let register = i + n / 2 * (n_step + 2 * m_step);
                    let warp = thread / 32 + 4 * (m_group + warpgroups[0] * n_group);
                    let found = tile.coordinates(shape, register, thread % 32, warp).unwrap();
                    assert_eq!(found, Some(expected));
                    let holder = tile.holder(shape, expected).unwrap().unwrap();
                    assert_eq!(
                        (holder.register, holder.lane, holder.warp),
                        (register, thread % 32, warp)
                    );
                    if let Some(linear) = &linear {
                        assert_eq!(linear.at(register, thread % 32, warp, 0)[..], expected);
                    }
                    seen.insert(expected);
                }
            }
        }
        assert_eq!(seen.len() as u32, shape[0] * shape[1]);
    }
}

#[test]
fn operand_a_of_every_width_is_the_table() {
    for element in WgmmaElement::ALL {
        let (bits, k) = (element.bits(), element.k());
        let layout = WgmmaA {
            element,
            warpgroups: [1, 1],
        }
        .to_linear([64, k])
        .unwrap();
        assert!(layout.is_invertible());
        assert_eq!(layout.in_size(Dim::Register), 128 / bits);
        for (thread, i) in (0..128).flat_map(|thread| (0..128 / bits).map(move |i| (thread, i))) {
            let found = layout.at(i, thread % 32, thread / 32, 0);
            assert_eq!(
                found[..],
                operand(thread, i, bits),
                "{element:?} thread {thread} a{i}"
            );
        }
        // Two instructions along K, two along M, two warpgroups along each of M and N.
        let tile = WgmmaA {
            element,
            warpgroups: [2, 2],
        }
        .to_linear([256, 2 * k])
        .unwrap();
        for (thread, i) in (0..512)
            .step_by(7)
            .flat_map(|t| (0..512 / bits).map(move |i| (t, i)))
        {
            let (group, own) = (thread / 128, 128 / bits);
            let [row, depth] = operand(thread % 128, i % own, bits);
            let step = i / own;
            let expected = [row + 64 * (group % 2) + 128 * (step / 2), depth + k * (step % 2)];
            assert_eq!(tile.at(i, thread % 32, thread / 32, 0)[..], expected);
        }
    }
}

/// Tiles of every power-of-two shape up to two instructions of each warpgroup: along each axis an
/// element is at its coordinate in the tile of whole instructions, modulo the size of the axis.
fn check_every_shape(
    encoding: &dyn Encoding,
    instruction: [u32; 2],
    warpgroups: [u32; 2],
    at: impl Fn(u32, u32) -> [u32; 2],
) {
    let own = instruction[0] * instruction[1] / 128;
    let covered = [instruction[0] * warpgroups[0], instruction[1] * warpgroups[1]];
    let bits = |size: u32| 0..=size.ilog2() + 1;
    for (m, n) in bits(covered[0]).flat_map(|m| bits(covered[1]).map(move |n| (m, n))) {
        let shape = [1 << m, 1 << n];
        let layout = encoding.to_linear(&shape).unwrap();
        let repeats = [0, 1].map(|axis| (shape[axis] / covered[axis]).max(1));
        assert_eq!(layout.in_size(Dim::Register), own * repeats[0] * repeats[1]);
        assert!(layout.is_surjective());
        let threads = layout.in_size(Dim::Lane) * layout.in_size(Dim::Warp);
        for (thread, register) in (0..threads)
            .step_by(7)
            .flat_map(|thread| (0..layout.in_size(Dim::Register)).map(move |r| (thread, r)))
        {
            let (group, step) = (thread / 128, register / own);
            let element = at(thread % 128, register % own);
            let groups = [group % warpgroups[0], group / warpgroups[0]];
            let steps = [step / repeats[1], step % repeats[1]];
            let expected = [0, 1].map(|axis| {
                let tile = groups[axis] % warpgroups[axis] + warpgroups[axis] * steps[axis];
                (element[axis] + instruction[axis] * tile) % shape[axis]
            });
            assert_eq!(layout.at(register, thread % 32, thread / 32, 0)[..], expected);
        }
    }
}

#[test]
fn tiles_of_every_shape_are_whole_instructions_or_copies() {
    for warpgroups in [[1, 1], [2, 1], [1, 2], [2, 2]] {
        for n in [8, 32, 256] {
            let tile = WgmmaAccumulator {
                n: WgmmaN::new(n).unwrap(),
                warpgroups,
            };
            check_every_shape(&tile, [64, n], warpgroups, accumulator);
            let shape = [128 * warpgroups[0], 4 * n * warpgroups[1]];
            assert_eq!(Encoding::to_linear(&tile, &shape), tile.to_linear(shape));
        }
        for element in WgmmaElement::ALL {
            let tile = WgmmaA { element, warpgroups };
            let (bits, along_m) = (element.bits(), [warpgroups[0], 1]);
            check_every_shape(&tile, [64, element.k()], along_m, |thread, i| {
                operand(thread, i, bits)
            });
            let shape = [128 * warpgroups[0], 4 * element.k()];
            assert_eq!(Encoding::to_linear(&tile, &shape), tile.to_linear(shape));
        }
    }
    let odd = WgmmaAccumulator {
        n: WgmmaN::new(24).unwrap(),
        warpgroups: [1, 1],
    };
    assert!(Encoding::to_linear(&odd, &[64, 32]).is_err());
    assert!(Encoding::to_linear(&odd, &[64]).is_err());
}

#[test]
fn what_does_not_exist_is_refused() {
    for n in [0, 4, 12, 264, u32::MAX] {
        assert!(WgmmaN::new(n).is_err());
    }
    let integers: Vec<u32> = WgmmaN::all()
        .filter(|n| n.has_integers())
        .map(WgmmaN::get)
        .collect();
    let expected: Vec<u32> = [8, 16, 24, 32]
        .into_iter()
        .chain((3..=16).map(|i| 16 * i))
        .collect();
    assert_eq!(integers, expected);
    let tile = WgmmaAccumulator {
        n: WgmmaN::new(24).unwrap(),
        warpgroups: [1, 1],
    };
    assert!(tile.values([64, 32]).is_err());
    assert!(tile.values([0, 24]).is_err());
    assert_eq!(tile.coordinates([64, 24], 12, 0, 0), Ok(None));
    assert_eq!(tile.coordinates([64, 24], 0, 32, 0), Ok(None));
    assert_eq!(tile.coordinates([64, 24], 0, 0, 4), Ok(None));
    assert_eq!(tile.holder([64, 24], [64, 0]), Ok(None));
    let error = tile.to_linear([64, 32]).unwrap_err().to_string();
    assert_eq!(error, "dim1 is of size 32 where 24 is needed");
    let none = WgmmaAccumulator {
        n: WgmmaN::new(8).unwrap(),
        warpgroups: [0, u32::MAX],
    };
    assert!(none.to_linear([64, 8]).is_err());
}
