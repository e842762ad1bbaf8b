//! The cost of the algebra on a 128 by 256 tile over eight warps: `cargo bench -p tilewright-layouts`.

use divan::{Bencher, black_box};
use tilewright_layouts::bank::{Access, layout_cost};
use tilewright_layouts::conversion::CostModel;
use tilewright_layouts::{Blocked, Conversion, Dim, LinearLayout};

const SHAPE: [u32; 2] = [128, 256];
const WARPS: u32 = 8;
const PRICES: CostModel = CostModel {
    shuffle: 2,
    select: 1,
    bank_cycle: 2,
    barrier: 50,
};

fn main() {
    divan::main();
}

/// Rows of the tile, eight consecutive elements to a thread: 7 register, 5 lane and 3 warp bits.
fn rows() -> LinearLayout {
    let blocked = Blocked::coalesced(&SHAPE, 8, &[1, 0], WARPS).expect("a valid description");
    blocked.to_linear(&SHAPE).expect("powers of two")
}

/// From the tile's axes to an offset in memory whose rows are swizzled in units of eight elements.
fn memory() -> LinearLayout {
    let columns = (0..8).map(|bit| vec![1 << bit]).collect();
    let rows = (0..7).map(|bit| vec![(256 << bit) ^ (8 << bit & 0xff)]).collect();
    LinearLayout::from_bases(
        &[(Dim::Axis(0), rows), (Dim::Axis(1), columns)],
        &[(Dim::Offset, SHAPE[0] * SHAPE[1])],
    )
    .expect("in range")
}

#[divan::bench]
fn apply(bencher: Bencher) {
    let layout = rows();
    bencher.bench(|| black_box(&layout).at(black_box(77), black_box(21), black_box(5), 0));
}

#[divan::bench]
fn compose(bencher: Bencher) {
    let (layout, memory) = (rows(), memory());
    bencher.bench(|| black_box(&layout).compose(black_box(&memory)));
}

#[divan::bench]
fn invert_and_compose(bencher: Bencher) {
    let layout = rows();
    let offsets = memory().invert().expect("a bijection");
    bencher.bench(|| black_box(&layout).invert_and_compose(black_box(&offsets)));
}

#[divan::bench]
fn product(bencher: Bencher) {
    let layout = rows();
    let vector = LinearLayout::identity_1d(8, Dim::Register, Dim::Axis(1)).expect("powers of two");
    bencher.bench(|| black_box(&vector).product(black_box(&layout)));
}

#[divan::bench]
fn divide_left(bencher: Bencher) {
    let layout = rows();
    let vector = LinearLayout::identity_1d(8, Dim::Register, Dim::Axis(1)).expect("powers of two");
    bencher.bench(|| black_box(&layout).divide_left(black_box(&vector)));
}

#[divan::bench]
fn divide_right(bencher: Bencher) {
    let layout = rows();
    let warps = LinearLayout::identity_1d(WARPS, Dim::Warp, Dim::Axis(0)).expect("powers of two");
    let larger = layout.product(&warps).expect("few bits");
    bencher.bench(|| black_box(&larger).divide_right(black_box(&warps)));
}

#[divan::bench]
fn pseudo_inverse(bencher: Bencher) {
    let layout = rows();
    bencher.bench(|| black_box(&layout).pseudo_inverse());
}

#[divan::bench]
fn registers_from(bencher: Bencher) {
    let layout = rows();
    let reversed: Vec<usize> = (0..layout.in_bits(Dim::Register) as usize).rev().collect();
    let other = layout
        .permute_bits(Dim::Register, &reversed)
        .expect("a permutation");
    bencher.bench(|| black_box(&layout).registers_from(black_box(&other)));
}

#[divan::bench]
fn clone(bencher: Bencher) {
    let layout = rows();
    bencher.bench(|| black_box(&layout).clone());
}

/// Operations of CuTe layouts on a 128 by 256 tile in core matrices of 8 by 64.
mod cute {
    use super::{Bencher, black_box};
    use tilewright_layouts::cute::{Layout, Tiler};

    fn tile() -> Layout {
        "((8,16),(64,4)):((64,512),(1,8192))".parse().expect("a layout")
    }

    #[divan::bench]
    fn at(bencher: Bencher) {
        let tile = tile();
        bencher.bench(|| black_box(&tile).at(black_box(12345)));
    }

    #[divan::bench]
    fn coalesce(bencher: Bencher) {
        let tile = tile();
        bencher.bench(|| black_box(&tile).coalesce());
    }

    #[divan::bench]
    fn composition(bencher: Bencher) {
        let tile = tile();
        let threads: Layout = "((4,8),(2,2,4)):((256,1),(128,8,1024))"
            .parse()
            .expect("a layout");
        assert!(tile.composition(&threads).is_ok());
        bencher.bench(|| black_box(&tile).composition(black_box(&threads)));
    }

    #[divan::bench]
    fn complement(bencher: Bencher) {
        let layout: Layout = "(2,2,8):(1,8,64)".parse().expect("a layout");
        let room = 4096.into();
        bencher.bench(|| black_box(&layout).complement(black_box(&room)));
    }

    #[divan::bench]
    fn right_inverse(bencher: Bencher) {
        let tile = tile();
        bencher.bench(|| black_box(&tile).right_inverse());
    }

    #[divan::bench]
    fn left_inverse(bencher: Bencher) {
        let tile = tile();
        bencher.bench(|| black_box(&tile).left_inverse());
    }

    #[divan::bench]
    fn zipped_divide(bencher: Bencher) {
        let tile = tile();
        let tiler: Tiler = "[64:1;64:1]".parse().expect("a tiler");
        assert!(tile.zipped_divide(&tiler).is_ok());
        bencher.bench(|| black_box(&tile).zipped_divide(black_box(&tiler)));
    }

    #[divan::bench]
    fn blocked_product(bencher: Bencher) {
        let block: Layout = "(8,64):(64,1)".parse().expect("a layout");
        let tiler: Layout = "(16,4):(1,16)".parse().expect("a layout");
        bencher.bench(|| black_box(&block).blocked_product(black_box(&tiler)));
    }

    #[divan::bench]
    fn parse(bencher: Bencher) {
        bencher.bench(|| black_box("((8,16),(64,4)):((64,512),(1,8192))").parse::<Layout>());
    }
}

/// Columns of the tile, `vector` consecutive elements to a thread.
fn columns(vector: u32) -> LinearLayout {
    let blocked = Blocked::coalesced(&SHAPE, vector, &[0, 1], WARPS).expect("a valid description");
    blocked.to_linear(&SHAPE).expect("powers of two")
}

/// Rows to columns: a swizzled round trip through shared memory.
#[divan::bench(args = [1, 2, 4])]
fn plan_conversion(bencher: Bencher, element_bytes: u32) {
    let (source, wanted) = (rows(), columns(8));
    bencher.bench(|| Conversion::plan(black_box(&source), black_box(&wanted), element_bytes, PRICES));
}

/// Registers and lanes of each warp in another order: shuffles or a round trip.
#[divan::bench]
fn plan_conversion_within_warps(bencher: Bencher) {
    let source = rows();
    let lanes = source
        .permute_bits(Dim::Lane, &[4, 3, 2, 1, 0])
        .expect("five bits");
    bencher.bench(|| Conversion::plan(black_box(&source), black_box(&lanes), 2, PRICES));
}

#[divan::bench]
fn count_bank_cycles(bencher: Bencher) {
    let offsets = rows().compose(&memory()).expect("the axes of the tile");
    bencher.bench(|| layout_cost(Access::Load, black_box(&offsets), 8, 2));
}
