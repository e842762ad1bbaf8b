//! Layouts of this crate against Triton's for the same parameters.
//!
//! `tests/tools/diff_triton_encodings.py` records some cases. It also compares many more, through the file in
//! `TRITON_ENCODINGS`.

use tilewright_layouts::distributed::tcgen05::{
    Repeat, TmemAccess, TmemAccumulator, TmemScales, TmemShape, TmemValues,
};
use tilewright_layouts::distributed::{WgmmaA, WgmmaAccumulator, WgmmaElement, WgmmaN};
use tilewright_layouts::shared::{Nvmma, NvmmaElement, Swizzled, TileOrder};
use tilewright_layouts::{Dim, LinearLayout, SwizzleMode};

fn numbers(word: &str) -> Vec<u32> {
    word.split(',').map(|digits| digits.parse().unwrap()).collect()
}

fn pair(word: &str) -> [u32; 2] {
    numbers(word).try_into().unwrap()
}

/// The blocks of a cluster that share a tile, with one number for each axis.
fn blocks(text: &str) -> LinearLayout {
    text.trim().parse().unwrap()
}

fn swizzled(words: &[&str], over: &LinearLayout) -> LinearLayout {
    let [vec, per_phase, max_phase, order, shape] = words else {
        panic!()
    };
    let layout = Swizzled {
        vec: vec.parse().unwrap(),
        per_phase: per_phase.parse().unwrap(),
        max_phase: max_phase.parse().unwrap(),
        order: numbers(order).into_iter().map(|axis| axis as usize).collect(),
    };
    layout.to_linear_over(&numbers(shape), over).unwrap()
}

fn nvmma(words: &[&str], over: &LinearLayout) -> LinearLayout {
    let [span, bits, transposed, padded, shape] = words else {
        panic!()
    };
    let shape = numbers(shape);
    let swizzle = match *span {
        "0" => {
            let mut order: Vec<usize> = (0..shape.len()).rev().collect();
            if *transposed == "1" {
                order.reverse();
            }
            return Swizzled::plain(&order).to_linear_over(&shape, over).unwrap();
        }
        "32" => SwizzleMode::B32,
        "64" => SwizzleMode::B64,
        "128" => SwizzleMode::B128,
        _ => panic!(),
    };
    let element = match (*bits, *padded) {
        ("8", "1") => NvmmaElement::Fp4Padded,
        ("8", _) => NvmmaElement::B8,
        ("16", _) => NvmmaElement::B16,
        ("32", _) => NvmmaElement::B32,
        ("64", _) => NvmmaElement::B64,
        _ => panic!(),
    };
    let order = if *transposed == "1" {
        TileOrder::ColumnMajor
    } else {
        TileOrder::RowMajor
    };
    let tile = Nvmma {
        swizzle,
        element,
        order,
    };
    tile.to_linear_over(&shape, over).unwrap()
}

fn wgmma(words: &[&str]) -> LinearLayout {
    let [n, groups, shape] = words else { panic!() };
    let n = WgmmaN::new(n.parse().unwrap()).unwrap();
    let tile = WgmmaAccumulator {
        n,
        warpgroups: pair(groups),
    };
    tile.to_linear(pair(shape)).unwrap()
}

fn wgmma_a(words: &[&str]) -> LinearLayout {
    let [bits, groups, shape] = words else { panic!() };
    let bits: u32 = bits.parse().unwrap();
    let element = WgmmaElement::ALL
        .into_iter()
        .find(|each| each.bits() == bits)
        .unwrap();
    let operand = WgmmaA {
        element,
        warpgroups: pair(groups),
    };
    operand.to_linear(pair(shape)).unwrap()
}

fn accumulator(m: &str, pair: bool) -> TmemAccumulator {
    match (m, pair) {
        ("64", false) => TmemAccumulator::M64,
        ("128", false) => TmemAccumulator::M128,
        ("64", true) => TmemAccumulator::M128Pair,
        ("128", true) => TmemAccumulator::M256Pair,
        _ => panic!(),
    }
}

/// Triton's layouts of tensor memory have no blocks.
fn tmem(words: &[&str]) -> LinearLayout {
    let [m, n, two, shape] = words else { panic!() };
    let tile = accumulator(m, *two == "1");
    let tile = tile.to_linear_tile(n.parse().unwrap(), pair(shape)).unwrap();
    tile.sublayout(&[Dim::TmemLane, Dim::TmemColumn], &[Dim::Axis(0), Dim::Axis(1)])
}

/// Triton uses the largest repeat count without exposing it; the layout is the same for any.
fn tmem_access(words: &[&str]) -> LinearLayout {
    let [m, n, variant, groups, shape] = words else {
        panic!()
    };
    let tile = accumulator(m, false)
        .to_linear_tile(n.parse().unwrap(), pair(shape))
        .unwrap();
    let shape = match *variant {
        "32x32b" => TmemShape::Lanes32x32b(Repeat::of(1).unwrap()),
        "16x64b" => TmemShape::Lanes16x64b(Repeat::of(1).unwrap()),
        "16x128b" => TmemShape::Lanes16x128b(Repeat::of(1).unwrap()),
        "16x256b" => TmemShape::Lanes16x256b(Repeat::of(1).unwrap()),
        _ => panic!(),
    };
    let access = TmemAccess {
        shape,
        values: TmemValues::Whole,
    };
    access.of_tile(&tile, groups.parse().unwrap()).unwrap()
}

/// Triton counts bytes along the columns.
fn scales(words: &[&str]) -> LinearLayout {
    let [shape] = words else { panic!() };
    let [rows, factors] = pair(shape);
    let ours = TmemScales { rows, factors }.to_linear().unwrap();
    let bases = |dim| ours.bases(dim).map(|vector| vector.to_vec()).collect::<Vec<_>>();
    let bytes = [bases(Dim::Register), bases(Dim::TmemColumn)].concat();
    LinearLayout::from_bases(
        &[(Dim::TmemLane, bases(Dim::TmemLane)), (Dim::TmemColumn, bytes)],
        &[(Dim::Axis(0), rows), (Dim::Axis(1), factors)],
    )
    .unwrap()
}

/// Compares every case; returns their number.
fn compare(text: &str) -> usize {
    let mut cases = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (ours, theirs) = line.rsplit_once('|').unwrap();
        let (ours, over) = ours.split_once('|').unwrap_or((ours, ""));
        let words: Vec<&str> = ours.split_whitespace().collect();
        let (kind, words) = words.split_first().unwrap();
        let ours = match *kind {
            "swizzled" => swizzled(words, &blocks(over)),
            "nvmma" => nvmma(words, &blocks(over)),
            "wgmma" => wgmma(words),
            "wgmma_a" => wgmma_a(words),
            "tmem" => tmem(words),
            "tmem_access" => tmem_access(words),
            "scales" => scales(words),
            _ => panic!("{kind}"),
        };
        let theirs: LinearLayout = theirs.trim().parse().unwrap();
        assert_eq!(ours.to_string(), theirs.to_string(), "{line}");
        cases += 1;
    }
    cases
}

#[test]
fn recorded_layouts_are_those_of_triton() {
    assert!(compare(include_str!("data/triton_encodings.txt")) > 300);
    if let Ok(path) = std::env::var("TRITON_ENCODINGS") {
        assert!(compare(&std::fs::read_to_string(path).unwrap()) > 0);
    }
}
