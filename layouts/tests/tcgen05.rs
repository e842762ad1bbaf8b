//! Tensor-memory accesses and layouts, element by element.
//!
//! The definitions of the accesses follow the figures of the PTX ISA in the form that CUTLASS uses: the bit of the
//! accessed box (rows of tensor memory of a fixed number of bits) at which the bits of a thread's register start.

use tilewright_layouts::distributed::tcgen05::{
    Repeat, TmemAccess, TmemAccumulator, TmemScales, TmemShape, TmemValues,
};
use tilewright_layouts::{Dim, LinearLayout};

/// Every shape with each of its counts.
fn shapes() -> Vec<TmemShape> {
    let split = |repeat: Repeat<128>| TmemShape::Lanes16x32bx2 {
        repeat,
        split: 2 * repeat.get(),
    };
    let mut shapes: Vec<TmemShape> = Repeat::all().map(TmemShape::Lanes32x32b).collect();
    shapes.extend(Repeat::all().map(TmemShape::Lanes16x64b));
    shapes.extend(Repeat::all().map(TmemShape::Lanes16x128b));
    shapes.extend(Repeat::all().map(TmemShape::Lanes16x256b));
    shapes.extend(Repeat::all().map(split));
    shapes
}

/// The row and 32-bit word of a register, by strides in bits of a box whose rows have `width` bits.
fn word(shape: TmemShape, register: u32, lane: u32) -> [u32; 2] {
    let (width, bit) = match shape {
        TmemShape::Lanes32x32b(repeat) => {
            let width = 32 * repeat.get();
            (width, lane * width + 32 * register)
        }
        TmemShape::Lanes16x64b(repeat) => {
            let width = 64 * repeat.get();
            let thread = lane % 2 * (8 * width) + lane / 2 % 2 * 32 + lane / 4 * width;
            (width, thread + 64 * register)
        }
        TmemShape::Lanes16x128b(repeat) => {
            let width = 128 * repeat.get();
            let thread = lane % 4 * 32 + lane / 4 * width;
            (width, thread + register % 2 * (8 * width) + register / 2 * 128)
        }
        TmemShape::Lanes16x256b(repeat) => {
            let width = 256 * repeat.get();
            let thread = lane % 4 * 64 + lane / 4 * width;
            let value = register % 2 * 32 + register / 2 % 2 * (8 * width) + register / 4 * 256;
            (width, thread + value)
        }
        TmemShape::Lanes16x32bx2 { split, .. } => {
            return [lane % 16, register + if lane < 16 { 0 } else { split }];
        }
    };
    [bit / width, bit % width / 32]
}

/// The registers of the PTX ISA's table of `.num` and `.shape`.
#[test]
fn register_counts_are_those_of_the_table() {
    let text: Vec<String> = shapes()
        .iter()
        .map(|shape| format!("{shape} {}", shape.registers()))
        .collect();
    assert_eq!(text.len(), 8 + 8 + 7 + 6 + 8);
    for row in [
        "32x32b.x128 128",
        "16x64b.x1 1",
        "16x128b.x64 128",
        "16x256b.x1 4",
        "16x256b.x32 128",
    ] {
        assert!(text.iter().any(|each| each == row), "{row}");
    }
    assert_eq!(Repeat::<32>::of(64), None);
    assert_eq!(Repeat::<128>::of(3), None);
}

#[test]
fn an_access_is_its_figure() {
    for shape in shapes() {
        let access = TmemAccess {
            shape,
            values: TmemValues::Whole,
        };
        let layout = access.to_linear().unwrap();
        assert_eq!(layout.in_size(Dim::Register), shape.registers());
        assert!(layout.is_injective(), "{shape}");
        for (warp, lane) in (0..4).flat_map(|warp| (0..32).map(move |lane| (warp, lane))) {
            for register in 0..shape.registers() {
                let [row, column] = word(shape, register, lane);
                let found = layout.at(register, lane, warp, 0);
                assert_eq!(
                    found[..],
                    [32 * warp + row, column],
                    "{shape} r{register} lane {lane}"
                );
            }
        }
    }
}

/// A packed register contains the lower halves of two adjacent columns.
#[test]
fn a_packed_access_takes_pairs_of_columns() {
    for shape in shapes() {
        let access = TmemAccess {
            shape,
            values: TmemValues::Pairs16,
        };
        let layout = access.to_linear().unwrap();
        assert_eq!(layout.in_size(Dim::Register), 2 * shape.registers());
        assert!(layout.is_injective());
        for (register, lane) in (0..shape.registers()).flat_map(|r| (0..32).map(move |lane| (r, lane))) {
            let mut first = word(shape, register, lane);
            first[1] *= 2;
            if let (TmemShape::Lanes16x32bx2 { split, .. }, 16..) = (shape, lane) {
                // The split is in columns of the memory, packed or not.
                first[1] -= split;
            }
            for half in 0..2 {
                let found = layout.at(2 * register + half, lane, 0, 0);
                assert_eq!(
                    found[..],
                    [first[0], first[1] + half],
                    "{shape} r{register} lane {lane}"
                );
            }
        }
    }
}

#[test]
fn a_split_that_overlaps_is_refused() {
    let access = |count, split| {
        let repeat = Repeat::of(count).unwrap();
        let shape = TmemShape::Lanes16x32bx2 { repeat, split };
        TmemAccess {
            shape,
            values: TmemValues::Whole,
        }
        .to_linear()
    };
    let error = access(8, 12).unwrap_err().to_string();
    assert_eq!(
        error,
        "split is 12; it has to be a multiple of the columns of one half, at most 256"
    );
    assert!(access(8, u32::MAX - 7).is_err());
    let odd = access(8, 24).unwrap();
    assert_eq!(*odd.at(7, 16, 0, 0), [0, 31]);
}

/// Lanes and columns of the figures of "Data Path Layout Organization".
fn cell(accumulator: TmemAccumulator, n: u32, row: u32, column: u32) -> (u32, u32, u32) {
    match accumulator {
        TmemAccumulator::M256Pair => (row / 128, row % 128, column),
        TmemAccumulator::M128Pair if column < n / 2 => (row / 64, row % 64, column),
        TmemAccumulator::M128Pair => (row / 64, 64 + row % 64, column - n / 2),
        TmemAccumulator::M128PairSparse => (row / 64, row % 64 / 16 * 32 + row % 16, column),
        TmemAccumulator::M128 => (0, row, column),
        TmemAccumulator::M64Stationary if column < n / 2 => (0, row, column),
        TmemAccumulator::M64Stationary => (0, row + 64, column - n / 2),
        TmemAccumulator::M64 => (0, row / 16 * 32 + row % 16, column),
        TmemAccumulator::M32Stationary => (0, row + 32 * (column / (n / 4)), column % (n / 4)),
    }
}

#[test]
fn an_accumulator_is_its_figure() {
    let mut checked = 0;
    for accumulator in TmemAccumulator::ALL {
        for n in (0..=264).filter(|n| accumulator.columns(*n).is_ok()) {
            let linear = accumulator.to_linear(n);
            assert_eq!(linear.is_ok(), n.is_power_of_two());
            let step = if n.is_power_of_two() { 1 } else { 7 };
            for (row, column) in
                (0..accumulator.m()).flat_map(|row| (0..n).step_by(step).map(move |column| (row, column)))
            {
                let (block, lane, place) = cell(accumulator, n, row, column);
                let found = accumulator.cell(n, [row, column]).unwrap().unwrap();
                assert_eq!((found.block, found.lane, found.column), (block, lane, place));
                if let Ok(linear) = &linear {
                    let at = [
                        (Dim::Block, block),
                        (Dim::TmemLane, lane),
                        (Dim::TmemColumn, place),
                    ];
                    assert_eq!(linear.apply(&at)[..], [row, column]);
                }
            }
            assert_eq!(accumulator.cell(n, [accumulator.m(), 0]), Ok(None));
            assert_eq!(accumulator.cell(n, [0, n]), Ok(None));
            checked += 1;
        }
    }
    // 16 each with two blocks, 32 each with one, 3 each with a stationary A.
    assert_eq!(checked, 3 * 16 + 2 * 32 + 2 * 3);
}

/// A whole tile, moved by any shape: every element is reached once, and each thread gets the elements
/// at the positions that the instruction reads.
#[test]
fn a_load_of_a_tile_is_its_instructions() {
    let tiles = [
        (
            TmemAccumulator::M128.to_linear_tile(64, [256, 128]).unwrap(),
            false,
        ),
        (
            TmemAccumulator::M64.to_linear_tile(128, [128, 256]).unwrap(),
            false,
        ),
        (TmemAccumulator::M64.to_linear(128).unwrap(), true),
        (TmemAccumulator::M256Pair.to_linear(128).unwrap(), false),
        (TmemAccumulator::M128Pair.to_linear(256).unwrap(), false),
    ];
    for (tile, half) in &tiles {
        for shape in shapes() {
            for values in [TmemValues::Whole, TmemValues::Pairs16] {
                load(tile, *half, TmemAccess { shape, values });
            }
        }
    }
}

fn load(tile: &LinearLayout, half: bool, access: TmemAccess) {
    let one = access.to_linear().unwrap();
    let columns = tile.in_size(Dim::TmemColumn);
    if one.out_size(Dim::TmemColumn).unwrap() > columns {
        assert!(access.of_tile(tile, 1).is_err());
        return;
    }
    // All lanes of a half-used tile would hold copies.
    let upper_only = half && matches!(access.shape, TmemShape::Lanes32x32b(_));
    let all = access.of_tile(tile, 1).unwrap();
    assert!(all.is_surjective());
    assert_eq!(all.is_injective(), !upper_only, "{}", access.shape);
    for register in 0..one.in_size(Dim::Register) {
        for (warp, lane) in (0..4).flat_map(|warp| (0..32).map(move |lane| (warp, lane))) {
            let at = one.at(register, lane, warp, 0);
            let place = [(Dim::TmemLane, at[0]), (Dim::TmemColumn, at[1]), (Dim::Block, 0)];
            assert_eq!(all.at(register, lane, warp, 0), tile.apply(&place));
        }
    }
    // Two warpgroups split the accesses of one: the most significant register bit is the new warp
    // bit.
    let registers = all.in_size(Dim::Register);
    if let Ok(shared) = access.of_tile(tile, 2) {
        for (register, warp) in (0..registers).flat_map(|r| (0..4).map(move |warp| (r, warp))) {
            let half = registers / 2;
            let theirs = shared.at(register % half, 9, warp + 4 * (register / half), 0);
            assert_eq!(theirs, all.at(register, 9, warp, 0));
        }
    } else {
        assert_eq!(registers, one.in_size(Dim::Register));
    }
}

#[test]
fn scale_factors_repeat_in_every_warp() {
    for (rows, factors) in [(64, 4), (128, 4), (128, 16), (256, 8)] {
        let layout = TmemScales { rows, factors }.to_linear().unwrap();
        assert!(layout.is_surjective());
        for (row, factor) in (0..rows).flat_map(|row| (0..factors).map(move |factor| (row, factor))) {
            for warp in 0..4 {
                let place = [
                    (Dim::Register, factor % 4),
                    (Dim::TmemLane, 32 * warp + row % 32),
                    (Dim::TmemColumn, row / 32 + factor / 4 * (rows / 32)),
                ];
                assert_eq!(layout.apply(&place)[..], [row, factor]);
            }
        }
    }
    assert!(TmemScales { rows: 64, factors: 2 }.to_linear().is_err());
    assert!(TmemScales { rows: 96, factors: 4 }.to_linear().is_err());
}
