//! Shared-memory layouts against elementwise definitions.

use proptest::prelude::*;
use tilewright_layouts::bank::{Access, access_cost, layout_cost};
use tilewright_layouts::shared::{Nvmma, NvmmaElement, SwizzleMode, Swizzled, TileOrder};
use tilewright_layouts::{Dim, LinearLayout};

/// The patterns in the PTX ISA: for each 128-byte line, the 16-byte source cell at each position.
fn pattern(mode: SwizzleMode) -> Vec<[u64; 8]> {
    match mode {
        SwizzleMode::None => vec![[0, 1, 2, 3, 4, 5, 6, 7]],
        SwizzleMode::B32 => vec![[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]],
        SwizzleMode::B64 => vec![
            [0, 1, 2, 3, 4, 5, 6, 7],
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
        ],
        SwizzleMode::B128 => vec![
            [0, 1, 2, 3, 4, 5, 6, 7],
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [5, 4, 7, 6, 1, 0, 3, 2],
            [6, 7, 4, 5, 2, 3, 0, 1],
            [7, 6, 5, 4, 3, 2, 1, 0],
        ],
        SwizzleMode::B128Atom32 | SwizzleMode::B128Atom32Flip8 => vec![
            [0, 1, 2, 3, 4, 5, 6, 7],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [6, 7, 4, 5, 2, 3, 0, 1],
        ],
        SwizzleMode::B128Atom64 => vec![[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 0, 1, 2, 3]],
    }
}

#[test]
fn a_swizzle_mode_is_its_pattern() {
    for mode in SwizzleMode::ALL {
        let lines = pattern(mode);
        assert_eq!(mode.repeat().0, 128 * lines.len() as u64);
        for (line, cells) in (0..16).zip(lines.iter().cycle()) {
            for (place, cell) in (0..8).zip(cells) {
                for byte in 0..16 {
                    let flip = if mode == SwizzleMode::B128Atom32Flip8 && line % 2 == 1 {
                        8
                    } else {
                        0
                    };
                    let source = line * 128 + cell * 16 + byte;
                    let goes_to = line * 128 + place * 16 + (byte ^ flip);
                    assert_eq!(mode.apply(source), goes_to, "{mode} line {line} place {place}");
                    assert_eq!(mode.apply(goes_to), source);
                    assert_eq!(source / mode.span().0, goes_to / mode.span().0);
                }
            }
        }
    }
}

#[test]
fn a_swizzle_mode_is_the_swizzle_of_cute() {
    for mode in SwizzleMode::ALL {
        let Some((b, m, s)) = mode.cute_parameters() else {
            assert_eq!(mode, SwizzleMode::B128Atom32Flip8);
            continue;
        };
        assert_eq!(SwizzleMode::of_cute_parameters(b, m, s), Some(mode));
        for offset in 0..4096u64 {
            let mask = ((1 << b) - 1) << (m + s);
            assert_eq!(mode.apply(offset), offset ^ (offset & mask) >> s);
        }
        assert_eq!(mode.atom().0, 1 << m);
    }
}

#[test]
fn swizzle_modes_have_the_codes_and_names_of_the_driver() {
    for (code, mode) in (0..).zip(SwizzleMode::ALL) {
        assert_eq!(mode.driver_code(), code);
        let short = mode.driver_name().strip_prefix("CU_TENSOR_MAP_SWIZZLE_").unwrap();
        assert!(short.eq_ignore_ascii_case(&mode.to_string()));
    }
}

fn power(bits: std::ops::Range<u32>) -> impl Strategy<Value = u32> {
    bits.prop_map(|bits| 1 << bits)
}

/// All elements of a shape.
fn elements(shape: &[u32]) -> impl Iterator<Item = Vec<u32>> + '_ {
    (0..shape.iter().product()).map(move |mut index: u32| {
        let mut element = vec![0; shape.len()];
        for (coordinate, size) in element.iter_mut().zip(shape).rev() {
            *coordinate = index % size;
            index /= size;
        }
        element
    })
}

/// The bit offset of an element of an [`Nvmma`] tile: the tile is split into atoms, and the position
/// of each chunk is looked up in the pattern of the PTX ISA.
fn nvmma_bit(tile: Nvmma, rows: u64, row: u64, column: u64) -> u64 {
    let span = tile.swizzle.span().0;
    let bit = match tile.element {
        // Eight bytes, eight unused ones.
        NvmmaElement::Fp4Padded => (column / 8 * 16 + column % 8) * 8,
        _ => column * u64::from(tile.element.bits()),
    };
    let (atom_column, bit) = (bit / (8 * span), bit % (8 * span));
    let (atom_row, row) = (row / 8, row % 8);
    let atom = (atom_column * (rows / 8) + atom_row) * 8 * span;
    let plain = row * span + bit / 8;
    // The 16 bytes and the 128-byte line.
    let lines = pattern(tile.swizzle);
    let line = plain / 128;
    let cells = lines[((atom / 128 + line) % lines.len() as u64) as usize];
    let place = cells.iter().position(|cell| *cell == plain % 128 / 16).unwrap() as u64;
    let flips = tile.swizzle == SwizzleMode::B128Atom32Flip8 && line % 2 == 1;
    let flip = if flips { 8 } else { 0 };
    let within = (plain % 16) ^ flip;
    (atom + line * 128 + place * 16 + within) * 8 + bit % 8
}

#[test]
fn an_nvmma_tile_is_its_atoms() {
    for (swizzle, element) in SwizzleMode::ALL
        .into_iter()
        .flat_map(|m| NvmmaElement::ALL.map(|e| (m, e)))
    {
        for (order, batch, rows, spans) in [
            (TileOrder::RowMajor, 1, 8, 1),
            (TileOrder::RowMajor, 2, 16, 2),
            (TileOrder::ColumnMajor, 1, 32, 4),
            (TileOrder::ColumnMajor, 4, 8, 2),
        ] {
            let tile = Nvmma {
                swizzle,
                element,
                order,
            };
            let padded = element == NvmmaElement::Fp4Padded;
            let bits = u64::from(element.bits());
            let in_span = swizzle.span().0 * 8 / bits / if padded { 2 } else { 1 };
            let columns = (in_span * spans) as u32;
            let shape = match order {
                TileOrder::RowMajor => [batch, rows, columns],
                TileOrder::ColumnMajor => [batch, columns, rows],
            };
            let layout = tile.to_linear(&shape).unwrap();
            assert!(layout.is_surjective());
            assert_eq!(layout.is_injective(), !padded);
            for element in elements(&shape) {
                let (row, column) = match order {
                    TileOrder::RowMajor => (element[1], element[2]),
                    TileOrder::ColumnMajor => (element[2], element[1]),
                };
                let row = u64::from(row + element[0] * rows);
                let bit = nvmma_bit(tile, u64::from(rows * batch), row, u64::from(column));
                let offset = (bit / bits) as u32;
                assert_eq!(
                    layout.apply(&[(Dim::Offset, offset)])[..],
                    element,
                    "{tile:?} {shape:?}"
                );
                if padded {
                    let unused = offset ^ 8;
                    assert_eq!(layout.apply(&[(Dim::Offset, unused)])[..], element);
                }
            }
            let wider = [&shape[..1], &[shape[1] / 2, shape[2] / 2]].concat();
            assert_eq!(tile.to_linear(&wider).is_err(), spans == 1);
        }
    }
}

/// The canonical layouts of the PTX ISA, for example `((8,m),(T,2k)):((8T,SBO),(1,T))`, whose strides
/// between atoms are 8 spans along the rows and all rows along the columns.
#[test]
fn an_nvmma_tile_is_a_canonical_layout() {
    for swizzle in SwizzleMode::ATOM_16 {
        let tile = Nvmma {
            swizzle,
            element: NvmmaElement::B16,
            order: TileOrder::RowMajor,
        };
        let (t, chunks) = (8, swizzle.span().0 / 16);
        let [rows, columns] = [32, 2 * t * chunks];
        let layout = tile.to_linear(&[rows as u32, columns as u32]).unwrap();
        let (stride, leading) = (8 * t * chunks, rows * t * chunks);
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let within = row % 8 * t * chunks + column % t + column / t % chunks * t;
            let plain = within + row / 8 * stride + column / t / chunks * leading;
            let offset = swizzle.apply(2 * plain) / 2;
            let found = layout.apply(&[(Dim::Offset, offset as u32)]);
            assert_eq!(found[..], [row as u32, column as u32]);
        }
    }
}

#[test]
fn blocks_of_a_cluster_have_parts_of_a_tile() {
    let tile = Nvmma {
        swizzle: SwizzleMode::B64,
        element: NvmmaElement::B32,
        order: TileOrder::RowMajor,
    };
    let blocks = LinearLayout::from_parts(&[(Dim::Block, vec![vec![0, 1], vec![1, 0], vec![0, 0]])], &[2, 2]);
    let whole = tile.to_linear_over(&[32, 64], &blocks.unwrap()).unwrap();
    let part = tile.to_linear(&[16, 32]).unwrap();
    for (block, offset) in (0..8).flat_map(|block| (0..512).map(move |offset| (block, offset))) {
        let inside = part.apply(&[(Dim::Offset, offset)]);
        let expected = [inside[0] + 16 * (block / 2 % 2), inside[1] + 32 * (block % 2)];
        assert_eq!(
            whole.apply(&[(Dim::Offset, offset), (Dim::Block, block)])[..],
            expected
        );
    }
    let three = LinearLayout::identity_1d(2, Dim::Block, Dim::Axis(0)).unwrap();
    assert!(tile.to_linear_over(&[32, 64], &three).is_err());
}

/// Eight lanes read a 16-byte column of eight rows, as one matrix of `ldmatrix` or one phase of a
/// vector load: with the 128-byte swizzle the eight chunks cover all banks; without, they share four.
#[test]
fn columns_of_chunks_are_free_of_conflicts_under_the_128_byte_swizzle() {
    let shape = [32, 64];
    let swizzled = Nvmma {
        swizzle: SwizzleMode::B128,
        element: NvmmaElement::B16,
        order: TileOrder::RowMajor,
    };
    let to_offset = |layout: LinearLayout| layout.invert().unwrap();
    let swizzled = to_offset(swizzled.to_linear(&shape).unwrap());
    let plain = to_offset(Swizzled::plain(&[1, 0]).to_linear(&shape).unwrap());
    // Lane l has row l, chunk by chunk.
    let access: LinearLayout = "linear<register = [[0,1],[0,2],[0,4],[0,8],[0,16],[0,32]], \
         lane = [[1,0],[2,0],[4,0],[8,0],[16,0]], shape = [32, 64]>"
        .parse()
        .unwrap();
    let cost =
        |memory: &LinearLayout| layout_cost(Access::Store, &access.compose(memory).unwrap(), 8, 2).unwrap();
    assert_eq!((cost(&swizzled).cycles, cost(&swizzled).conflicts()), (8 * 4, 0));
    assert_eq!((cost(&plain).cycles, cost(&plain).minimum), (8 * 32, 8 * 4));
    // Also chunk by chunk on the hardware's own addresses, for every column of chunks.
    for chunk in 0..8 {
        let addresses =
            std::array::from_fn(|lane| SwizzleMode::B128.apply(lane as u64 * 128 + chunk * 16) as u32);
        assert_eq!(access_cost(Access::Store, &addresses, 16).unwrap().conflicts(), 0);
    }
}

proptest! {
    #[test]
    fn a_swizzled_tile_is_its_definition(
        bits in prop::collection::vec(0u32..5, 1..4), shuffle in any::<prop::sample::Index>(),
        vec in power(0..4), per_phase in power(0..4), max_phase in power(0..4),
    ) {
        let shape: Vec<u32> = bits.iter().map(|bits| 1 << bits).collect();
        let mut order: Vec<usize> = (0..shape.len()).collect();
        order.rotate_left(shuffle.index(shape.len()));
        order.reverse();
        let layout = Swizzled { vec, per_phase, max_phase, order: order.clone() }.to_linear(&shape).unwrap();
        prop_assert!(layout.is_invertible());
        for element in elements(&shape) {
            let column = element[order[0]];
            let row = order.get(1).map_or(0, |axis| element[*axis]);
            let turn = vec * (row / per_phase % max_phase) % shape[order[0]];
            let rotated = column ^ turn;
            let (mut offset, mut step) = (rotated, shape[order[0]]);
            for axis in &order[1..] {
                offset += element[*axis] * step;
                step *= shape[*axis];
            }
            prop_assert_eq!(&layout.apply(&[(Dim::Offset, offset)])[..], &element[..]);
        }
    }
}

#[test]
fn what_is_no_tile_is_refused() {
    let zero = Swizzled {
        vec: 0,
        per_phase: 1,
        max_phase: 1,
        order: vec![0],
    };
    assert_eq!(
        zero.to_linear(&[8]).unwrap_err().to_string(),
        "vec is 0; it has to be a power of two"
    );
    assert!(Swizzled::plain(&[0, 0]).to_linear(&[8, 8]).is_err());
    assert!(Swizzled::plain(&[0]).to_linear(&[12]).is_err());
    let tile = Nvmma {
        swizzle: SwizzleMode::B128,
        element: NvmmaElement::B16,
        order: TileOrder::RowMajor,
    };
    assert_eq!(
        tile.to_linear(&[64]).unwrap_err().to_string(),
        "rank is 1; it has to be 2 or more"
    );
    assert_eq!(
        tile.to_linear(&[8, 32]).unwrap_err().to_string(),
        "dim1 is of size 32 where 64 is needed"
    );
    assert!(tile.to_linear(&[1; 9]).is_err());
}
