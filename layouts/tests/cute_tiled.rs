//! Recasts, tiles and partitions, element by element; the atoms of instructions against the formulas of the PTX ISA.

use proptest::prelude::*;
use tilewright_layouts::bridge;
use tilewright_layouts::cute::{
    Composed, Coord, CopyAtom, CopyEnd, CuteError, IntTuple, Layout, MatrixCount, MmaMatrix, Swizzle,
    TiledCopy, TiledMma, Tiler,
};
use tilewright_layouts::distributed::{MmaSync, WgmmaElement, WgmmaN};
use tilewright_layouts::{Dim, ElementWidth};

fn layout(text: &str) -> Layout {
    text.parse().unwrap()
}

fn size(layout: &Layout) -> u64 {
    layout.size().unwrap().as_static().unwrap()
}

fn index(layout: &Layout, coord: &[u64]) -> u64 {
    layout
        .index(&Coord::from(IntTuple::from(coord)))
        .unwrap()
        .as_static()
        .unwrap()
}

fn composed_index(layout: &Composed, coord: &[u64]) -> u64 {
    layout
        .index(&Coord::from(IntTuple::from(coord)))
        .unwrap()
        .as_static()
        .unwrap()
}

/// Flat layouts of power-of-two leaves.
fn flat() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let powers = |most: u32| (0..=most).prop_map(|bit| 1u64 << bit);
    let stride = prop_oneof![9 => powers(6), 1 => Just(0u64)];
    prop::collection::vec((powers(3), stride), 1..4)
}

fn of_leaves(leaves: &[(u64, u64)]) -> Layout {
    Layout::from_modes(
        leaves
            .iter()
            .map(|(size, stride)| Layout::strided(*size, *stride).unwrap()),
    )
}

/// Compact layouts of up to four leaves in any order of strides.
fn compact() -> impl Strategy<Value = Layout> {
    let sizes = prop::collection::vec(1u64..5, 1..5);
    sizes.prop_flat_map(|sizes| {
        let order = Just((0..sizes.len() as u64).collect::<Vec<_>>()).prop_shuffle();
        order.prop_map(move |order| {
            Layout::ordered(&sizes.as_slice().into(), &order.as_slice().into()).unwrap()
        })
    })
}

/// Two compact layouts of one shape.
fn compact_pair() -> impl Strategy<Value = (Layout, Layout)> {
    let sizes = prop::collection::vec(1u64..5, 1..5);
    sizes.prop_flat_map(|sizes| {
        let order = || Just((0..sizes.len() as u64).collect::<Vec<_>>()).prop_shuffle();
        let layout = {
            let sizes = sizes.clone();
            move |order: Vec<u64>| {
                Layout::ordered(&sizes.as_slice().into(), &order.as_slice().into()).unwrap()
            }
        };
        (order(), order()).prop_map(move |(a, b)| (layout(a), layout(b)))
    })
}

fn coords(sizes: &[u64]) -> Vec<Vec<u64>> {
    sizes.iter().fold(vec![vec![]], |all, size| {
        let extend = |c: &Vec<u64>| {
            (0..*size)
                .map(|i| [c.as_slice(), &[i]].concat())
                .collect::<Vec<_>>()
        };
        all.iter().flat_map(extend).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn upcast_says_which_wide_element(leaves in flat(), log in 0u32..5) {
        let (n, narrow) = (1u64 << log, of_leaves(&leaves));
        let sizes: Vec<_> = leaves.iter().map(|(size, _)| *size).collect();
        let each = |size: u64, stride: u64| n.checked_div(stride).unwrap_or(1).max(1).min(size);
        let merged: Vec<_> = leaves.iter().map(|(size, stride)| each(*size, *stride)).collect();
        let scaled = |coord: &[u64]| coord.iter().zip(&merged).map(|(c, m)| c / m).collect::<Vec<_>>();
        match narrow.upcast(n) {
            Ok(wide) => {
                for coord in coords(&sizes) {
                    prop_assert_eq!(index(&wide, &scaled(&coord)), index(&narrow, &coord) / n);
                }
            }
            // Refused exactly if merged leaves exceed one wide element.
            Err(_) => {
                let parts = coords(&merged);
                let small = |(c, (_, d)): (&u64, &(u64, u64))| if d % n == 0 { 0 } else { c * d };
                let crosses = parts.iter().any(|coord| coord.iter().zip(&leaves).map(small).sum::<u64>() >= n);
                prop_assert!(crosses);
            }
        }
    }

    #[test]
    fn downcast_splits_every_element(layout in compact(), log in 0u32..4) {
        let n = 1u64 << log;
        let Ok(wide) = layout.downcast(n) else {
            prop_assert!(size(&layout) == 1);
            return Ok(());
        };
        let sizes: Vec<_> = layout.modes().map(|mode| size(&mode)).collect();
        let along = layout.modes().position(|mode| mode.stride() == IntTuple::from(1)).unwrap();
        for coord in coords(&sizes) {
            for part in 0..n {
                let mut fine = coord.clone();
                fine[along] = coord[along] * n + part;
                prop_assert_eq!(index(&wide, &fine), index(&layout, &coord) * n + part);
            }
        }
        prop_assert_eq!(wide.upcast(n), Ok(layout));
    }

    #[test]
    fn a_recast_swizzle_moves_the_same_bytes(bits in 0u32..4, base in 0u32..5, more in 0i32..3, log in 0u32..4) {
        let sw = Swizzle::new(bits, base, bits as i32 + more).unwrap();
        let narrow = Composed::new(sw, 0, layout("(8,64):(64,1)"));
        let n = 1u64 << log;
        if let Ok(wide) = narrow.upcast(n) {
            for row in 0..8 {
                for column in 0..64 {
                    prop_assert_eq!(
                        composed_index(&narrow, &[row, column]),
                        composed_index(&wide, &[row, column / n]) * n + column % n
                    );
                }
            }
            prop_assert_eq!(wide.downcast(n), Ok(narrow));
        } else {
            prop_assert!(bits > 0 && base < log);
        }
    }

    #[test]
    fn what_changes_the_domain_carries_through_a_swizzle((a, b) in compact_pair(), offset in 0u64..20) {
        let swizzled = Composed::new(Swizzle::new(2, 1, 2).unwrap(), offset, a.clone());
        let at = |layout: &Layout, i: u64| swizzled.swizzle().apply(offset + layout.at(i).unwrap());
        if let Ok(composed) = swizzled.composition(&b) {
            for i in 0..size(&b) {
                prop_assert_eq!(composed.at(i).unwrap(), swizzled.at(b.at(i).unwrap()).unwrap());
            }
        }
        let tiler = Tiler::Layout(Layout::strided(2, 1).unwrap());
        let kinds = [
            (swizzled.logical_divide(&tiler), a.logical_divide(&tiler)),
            (swizzled.zipped_divide(&tiler), a.zipped_divide(&tiler)),
            (swizzled.tiled_divide(&tiler), a.tiled_divide(&tiler)),
            (swizzled.flat_divide(&tiler), a.flat_divide(&tiler)),
            (swizzled.logical_product(&tiler), a.logical_product(&tiler)),
            (swizzled.blocked_product(&b), a.blocked_product(&b)),
            (swizzled.raked_product(&b), a.raked_product(&b)),
        ];
        for (carried, plain) in kinds {
            match (carried, plain) {
                (Ok(carried), Ok(plain)) => {
                    prop_assert!((0..size(&plain)).all(|i| carried.at(i).unwrap() == at(&plain, i)));
                }
                (Err(carried), Err(plain)) => prop_assert_eq!(carried, plain),
                (carried, plain) => prop_assert!(false, "{:?} {:?}", carried, plain),
            }
        }
    }

    #[test]
    fn what_is_common_is_contiguous_in_both((a, b) in compact_pair(), base in 0u32..3) {
        let Ok(common) = a.max_common_layout(&b) else { return Ok(()) };
        for i in 0..size(&common) {
            let place = common.at(i).unwrap();
            prop_assert_eq!((a.at(place).unwrap(), b.at(place).unwrap()), (i, i));
        }
        prop_assert_eq!(a.max_common_vector(&b), Ok(size(&common)));
        // A compact layout has all elements in common with itself.
        prop_assert_eq!(a.max_common_vector(&a), Ok(size(&a)));
        let swizzled = Composed::new(Swizzle::new(2, base, 2).unwrap(), 0, a.clone());
        let vector = swizzled.max_common_vector(&b.clone().into()).unwrap();
        let cut = swizzled.max_common_layout(&b.clone().into());
        prop_assert_eq!(vector, size(&common).min(1 << base));
        // The swizzle may be on either side; an offset that is no multiple reduces the result
        // further.
        let other = Composed::new(swizzled.swizzle(), 0, b.clone());
        prop_assert_eq!(Composed::from(a.clone()).max_common_vector(&other), Ok(vector));
        let moved = Composed::new(swizzled.swizzle(), 2, b.clone());
        prop_assert_eq!(Composed::from(a.clone()).max_common_vector(&moved), Ok(vector.min(2)));
        for i in 0..vector {
            prop_assert_eq!(swizzled.at(common.at(i).unwrap()).unwrap(), i);
        }
        if let Ok(cut) = cut {
            prop_assert_eq!(size(&cut), vector);
        }
        prop_assert_eq!(swizzled.max_common_vector(&swizzled), Ok(size(&a)));
    }

    #[test]
    fn tiles_fill_the_shape(
        block in prop::collection::vec(1u64..5, 1..4),
        repeats in prop::collection::vec(1u64..4, 3),
        row_major in any::<bool>(),
    ) {
        let compact = Layout::row_major(&block.as_slice().into()).unwrap();
        let rank = block.len();
        let target: Vec<_> = block.iter().zip(&repeats).map(|(b, r)| b * r).collect();
        let order: Vec<_> = (0..rank as u64).rev().collect();
        let order = IntTuple::from(order.as_slice());
        let order = row_major.then_some(&order);
        let whole = compact.tile_to_shape(&target.as_slice().into(), order).unwrap();
        let counted: Vec<_> = repeats.iter().take(rank).copied().collect();
        let numbers = match row_major {
            true => Layout::row_major(&counted.as_slice().into()),
            false => Layout::column_major(&counted.as_slice().into()),
        }.unwrap();
        for coord in coords(&target) {
            let inside: Vec<_> = coord.iter().zip(&block).map(|(c, b)| c % b).collect();
            let tile: Vec<_> = coord.iter().zip(&block).map(|(c, b)| c / b).collect();
            let expected = index(&compact, &inside) + size(&compact) * index(&numbers, &tile);
            prop_assert_eq!(index(&whole, &coord), expected);
        }
    }

    #[test]
    fn local_tiles_are_where_they_belong(
        tile in prop::collection::vec(1u64..5, 2),
        count in prop::collection::vec(1u64..4, 2),
        which in any::<u64>(),
        offset in 0u64..50,
    ) {
        let sizes: Vec<_> = tile.iter().zip(&count).map(|(t, c)| t * c).collect();
        let plain = Layout::row_major(&sizes.as_slice().into()).unwrap();
        let whole = Composed::new(Swizzle::new(2, 1, 2).unwrap(), offset, plain);
        let tiler = Tiler::from_shape(&tile.as_slice().into()).unwrap();
        let (p, q) = (which % count[0], which / 7 % count[1]);
        let place = |i: u64, j: u64, p: u64, q: u64| composed_index(&whole, &[p * tile[0] + i, q * tile[1] + j]);
        let one = whole.local_tile(&tiler, &format!("({p},{q})").parse().unwrap()).unwrap();
        let flat = whole.local_tile(&tiler, &Coord::from(p + count[0] * q)).unwrap();
        let row = whole.local_tile(&tiler, &format!("({p},_)").parse().unwrap()).unwrap();
        let short = whole.local_tile(&tiler, &format!("({p})").parse().unwrap()).unwrap();
        prop_assert_eq!(&row, &short);
        for c in coords(&[tile[0], tile[1], count[1]]) {
            prop_assert_eq!(composed_index(&one, &c[..2]), place(c[0], c[1], p, q));
            prop_assert_eq!(composed_index(&flat, &c[..2]), place(c[0], c[1], p, q));
            prop_assert_eq!(composed_index(&row, &c), place(c[0], c[1], p, c[2]));
        }
    }

    #[test]
    fn local_partitions_cover_everything_once(
        threads in prop::collection::vec(1u64..5, 2),
        count in prop::collection::vec(1u64..4, 2),
        row_major in any::<bool>(),
    ) {
        let sizes: Vec<_> = threads.iter().zip(&count).map(|(t, c)| t * c).collect();
        let whole = Composed::from(Layout::row_major(&sizes.as_slice().into()).unwrap());
        let shape = threads.as_slice().into();
        let numbered = if row_major { Layout::row_major(&shape) } else { Layout::column_major(&shape) }.unwrap();
        for (i, j) in coords(&threads).iter().map(|c| (c[0], c[1])) {
            let part = whole.local_partition(&numbered, index(&numbered, &[i, j])).unwrap();
            for c in coords(&count) {
                let expected = composed_index(&whole, &[c[0] * threads[0] + i, c[1] * threads[1] + j]);
                prop_assert_eq!(composed_index(&part, &c), expected);
            }
        }
    }
}

/// Threads in a line are a tuple of one mode, as in CuTe's library for Python: they divide the first mode, whatever is in it.
#[test]
fn threads_in_a_line_divide_the_first_mode() {
    for (whole, threads, part) in [
        ("1024:1", "32:1", "(32):(32)"),
        ("(1024):(1)", "32:1", "(32):(32)"),
        ("((32,32)):((1,32))", "32:1", "(32):(32)"),
        ("(32,32):(1,32)", "32:1", "(1,32):(0,32)"),
        ("(32,32):(1,32)", "(8):(1)", "(4,32):(8,32)"),
        ("(32,32):(1,32)", "(8,4):(1,8)", "(4,8):(8,128)"),
    ] {
        let whole: Composed = whole.parse().unwrap();
        for thread in [0, 5] {
            let own = whole.local_partition(&layout(threads), thread).unwrap();
            assert!(own.to_string().ends_with(part), "{whole} among {threads}: {own}");
        }
    }
}

/// The row and column (row of A and C, column of B; then along K, or column of C) of value `i` of
/// lane `l`: PTX ISA, "Matrix Fragments for mma.m16n8k…", with `group = l / 4` and `t = l % 4`.
fn mma_sync_element(instruction: MmaSync, matrix: MmaMatrix, lane: u64, i: u64) -> [u64; 2] {
    let (group, t) = (lane / 4, lane % 4);
    let halves = u64::from(instruction.shape().m) / 8;
    let packed = u64::from((32 / instruction.width().bits()).max(1));
    match matrix {
        MmaMatrix::C => [group + 8 * (i / 2), 2 * t + i % 2],
        MmaMatrix::A => {
            let register = i / packed;
            [
                group + 8 * (register % halves),
                t * packed + i % packed + 4 * packed * (register / halves),
            ]
        }
        MmaMatrix::B => [group, t * packed + i % packed + 4 * packed * (i / packed)],
    }
}

#[test]
fn atoms_of_mma_sync_are_the_fragments() {
    for instruction in MmaSync::ALL {
        let atom = bridge::mma_atom(instruction).unwrap();
        for matrix in MmaMatrix::ALL {
            let layout = atom.matrix(matrix);
            let [rows, _] = atom.extents(matrix);
            for lane in 0..32 {
                for i in 0..size(layout) / 32 {
                    let [row, column] = mma_sync_element(instruction, matrix, lane, i);
                    assert_eq!(
                        index(layout, &[lane, i]),
                        row + rows * column,
                        "{instruction} {matrix:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn atoms_of_mma_sync_are_as_cutlass_writes_them() {
    let cases = [
        (
            MmaSync::M8N8K4B64,
            "((4,8),1):((8,1),0)",
            "((4,8),1):((8,1),0)",
            "((4,8),2):((16,1),8)",
        ),
        (
            MmaSync::M16N8K8B16,
            "((4,8),(2,2)):((32,1),(16,8))",
            "((4,8),2):((16,1),8)",
            "((4,8),(2,2)):((32,1),(16,8))",
        ),
        (
            MmaSync::M16N8K32B8,
            "((4,8),(4,2,2)):((64,1),(16,8,256))",
            "((4,8),(4,2)):((32,1),(8,128))",
            "((4,8),(2,2)):((32,1),(16,8))",
        ),
    ];
    for (instruction, a, b, c) in cases {
        let atom = bridge::mma_atom(instruction).unwrap();
        assert_eq!(*atom.matrix(MmaMatrix::A), layout(a), "{instruction}");
        assert_eq!(*atom.matrix(MmaMatrix::B), layout(b), "{instruction}");
        assert_eq!(*atom.matrix(MmaMatrix::C), layout(c), "{instruction}");
    }
}

#[test]
fn wgmma_accumulators_of_every_n() {
    for n in WgmmaN::all() {
        let atom = bridge::wgmma_atom(n, WgmmaElement::B16).unwrap();
        let layout = atom.matrix(MmaMatrix::C);
        assert_eq!(size(layout), 64 * u64::from(n.get()));
        for thread in 0..128u64 {
            for i in 0..u64::from(n.get()) / 2 {
                let (warp, lane) = (thread / 32, thread % 32);
                let row = 16 * warp + lane / 4 + 8 * (i / 2 % 2);
                let column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
                assert_eq!(index(layout, &[thread, i]), row + 64 * column);
            }
        }
    }
}

#[test]
fn tiled_mma_partitions_by_the_definition() {
    // Two warps along M, two along N; a problem of several tiles.
    let atoms = [
        "(2,2,1):(1,2,0)",
        "(2,2,1):(2,1,0)",
        "(1,4,1):(0,1,0)",
        "(1,1,2):(0,0,1)",
    ];
    for instruction in [MmaSync::M16N8K16B16, MmaSync::M8N8K4B64, MmaSync::M16N8K32B8] {
        for atoms in atoms {
            let groups = layout(atoms);
            let along: Vec<_> = groups.modes().map(|mode| size(&mode)).collect();
            let mma = TiledMma::new(bridge::mma_atom(instruction).unwrap(), groups.clone()).unwrap();
            let atom = mma.atom().shape();
            assert_eq!(
                mma.tile().unwrap(),
                [0, 1, 2].map(|mode| atom[mode] * along[mode])
            );
            for matrix in MmaMatrix::ALL {
                let [first, second] = matrix.modes();
                let repeats = [2u64, 3];
                let sizes = [
                    atom[first] * along[first] * repeats[0],
                    atom[second] * along[second] * repeats[1],
                ];
                let whole = Composed::from(Layout::row_major(&sizes.into()).unwrap());
                for thread in 0..32 * along.iter().product::<u64>() {
                    let (lane, group) = (thread % 32, thread / 32);
                    let place = coords(&along)
                        .into_iter()
                        .find(|c| index(&groups, c) == group)
                        .unwrap();
                    let part = mma.partition(matrix, &whole, thread).unwrap();
                    let values = size(&part.layout().mode(&[0]).unwrap());
                    for c in coords(&[values, repeats[0], repeats[1]]) {
                        let [row, column] = mma_sync_element(instruction, matrix, lane, c[0]);
                        let row = row + atom[first] * (place[first] + along[first] * c[1]);
                        let column = column + atom[second] * (place[second] + along[second] * c[2]);
                        assert_eq!(composed_index(&part, &c), composed_index(&whole, &[row, column]));
                    }
                }
                // The same for one tile, as (thread, value).
                let tv = mma.thread_values(matrix).unwrap();
                let rows = atom[first] * along[first];
                for thread in 0..32 * along.iter().product::<u64>() {
                    let place = coords(&along)
                        .into_iter()
                        .find(|c| index(&groups, c) == thread / 32)
                        .unwrap();
                    for value in 0..size(&tv.mode(&[1]).unwrap()) {
                        let [row, column] = mma_sync_element(instruction, matrix, thread % 32, value);
                        let (row, column) = (
                            row + atom[first] * place[first],
                            column + atom[second] * place[second],
                        );
                        assert_eq!(index(&tv, &[thread, value]), row + rows * column);
                    }
                }
            }
        }
    }
}

#[test]
fn a_permutation_chooses_what_lies_side_by_side() {
    // Each warp covers columns 16 apart first, the usual permutation for loading B with ldmatrix.x4.
    let atom = bridge::mma_atom(MmaSync::M16N8K16B16).unwrap();
    let permutation = [Tiler::All, "(8,2,2):(1,16,8)".parse().unwrap(), Tiler::All];
    let mma = TiledMma::permuted(atom, layout("(1,2,1):(0,1,0)"), permutation).unwrap();
    assert_eq!(mma.tile().unwrap(), [16, 32, 16]);
    let whole = Composed::from(layout("(16,32):(32,1)"));
    for thread in 0..64 {
        let part = mma.partition(MmaMatrix::C, &whole, thread).unwrap();
        for c in coords(&[4, 1, 2]) {
            let [row, column] = mma_sync_element(MmaSync::M16N8K16B16, MmaMatrix::C, thread % 32, c[0]);
            let column = column + 16 * (thread / 32) + 8 * c[2];
            assert_eq!(composed_index(&part, &c), composed_index(&whole, &[row, column]));
        }
    }
}

#[test]
fn the_fragments_meet_the_distributed_layouts_on_the_bridge() {
    for instruction in MmaSync::ALL {
        let atom = bridge::mma_atom(instruction).unwrap();
        let shape = atom.extents(MmaMatrix::C).map(|extent| extent as u32);
        let linear = bridge::threads_to_linear(&atom.matrix(MmaMatrix::C).clone().into(), &shape).unwrap();
        for lane in 0..32 {
            for i in 0..linear.in_size(Dim::Register) {
                let element = mma_sync_element(instruction, MmaMatrix::C, lane.into(), i.into());
                assert_eq!(linear.at(i, lane, 0, 0).to_vec(), element.map(|e| e as u32));
            }
        }
    }
}

#[test]
fn tiled_copies_give_each_thread_its_block() {
    for (threads, values, vector) in [
        ("(32,8):(8,1)", "(1,8):(0,1)", 8),
        ("(16,4):(1,16)", "(2,4):(4,1)", 4),
    ] {
        let (threads, values) = (layout(threads), layout(values));
        let copy =
            TiledCopy::from_thread_value(CopyAtom::vector(vector).unwrap(), &threads, &values).unwrap();
        let t: Vec<_> = threads.modes().map(|mode| size(&mode)).collect();
        let v: Vec<_> = values.modes().map(|mode| size(&mode)).collect();
        let repeats = [2, 3];
        let sizes = [t[0] * v[0] * repeats[0], t[1] * v[1] * repeats[1]];
        let whole = Composed::new(
            "Sw<2,3,3>".parse().unwrap(),
            0,
            Layout::row_major(&sizes.into()).unwrap(),
        );
        for at in coords(&t) {
            let thread = index(&threads, &at);
            for end in [CopyEnd::Source, CopyEnd::Destination] {
                let part = copy.partition(end, &whole, thread).unwrap();
                for block in coords(&v) {
                    let value = index(&values, &block);
                    for rest in coords(&repeats) {
                        let row = block[0] + v[0] * (at[0] + t[0] * rest[0]);
                        let column = block[1] + v[1] * (at[1] + t[1] * rest[1]);
                        assert_eq!(
                            composed_index(&part, &[value, rest[0], rest[1]]),
                            composed_index(&whole, &[row, column])
                        );
                    }
                }
            }
        }
    }
}

/// The matrix, row and column of 16-bit element `i` of lane `lane` in `ldmatrix`. PTX ISA,
/// "ldmatrix".
fn ldmatrix_element(transposed: bool, lane: u64, i: u64) -> [u64; 3] {
    let (row, column) = (lane / 4, 2 * (lane % 4) + i % 2);
    if transposed {
        [i / 2, column, row]
    } else {
        [i / 2, row, column]
    }
}

#[test]
fn ldmatrix_moves_what_ptx_says() {
    for count in MatrixCount::ALL {
        for transposed in [false, true] {
            let load = CopyAtom::ldmatrix(count, transposed, ElementWidth::B16).unwrap();
            let store = CopyAtom::stmatrix(count, transposed, ElementWidth::B16).unwrap();
            let (source, destination) = (load.end(CopyEnd::Source), load.end(CopyEnd::Destination));
            assert_eq!(
                (source, destination),
                (store.end(CopyEnd::Destination), store.end(CopyEnd::Source))
            );
            for lane in 0..32 {
                for i in 0..8 {
                    let row = lane % (8 * u64::from(count.get()));
                    assert_eq!(index(source, &[lane, i]), row * 8 + i);
                }
                for i in 0..2 * u64::from(count.get()) {
                    let [matrix, row, column] = ldmatrix_element(transposed, lane, i);
                    assert_eq!(index(destination, &[lane, i]), matrix * 64 + row * 8 + column);
                }
            }
        }
    }
    assert!(CopyAtom::ldmatrix(MatrixCount::X4, true, ElementWidth::B32).is_err());
    // Transposition keeps pairs of bytes together.
    let bytes = CopyAtom::ldmatrix(MatrixCount::X4, true, ElementWidth::B8).unwrap();
    let bytes = bytes.end(CopyEnd::Destination).to_string();
    assert_eq!(bytes, "((4,8),(2,2,4)):((32,2),(1,16,128))");
}

#[test]
fn ldmatrix_loads_the_a_operand() {
    // A of m16n8k16: with x4, the matrices are the four quarters in register order.
    let mma = TiledMma::new(
        bridge::mma_atom(MmaSync::M16N8K16B16).unwrap(),
        layout("(1,1,1):(0,0,0)"),
    )
    .unwrap();
    let atom = CopyAtom::ldmatrix(MatrixCount::X4, false, ElementWidth::B16).unwrap();
    let tv = mma.thread_values(MmaMatrix::A).unwrap();
    let copy = TiledCopy::new(atom, tv.clone(), "[16:1;16:1]".parse().unwrap()).unwrap();
    let whole = Composed::from(layout("(16,16):(16,1)"));
    for lane in 0..32 {
        let read = copy.partition(CopyEnd::Source, &whole, lane).unwrap();
        let got = copy.partition(CopyEnd::Destination, &whole, lane).unwrap();
        for i in 0..8 {
            // The row that the lane addresses: in PTX, lanes 8 q .. 8 q + 7 address the rows of
            // matrix q.
            let (row, column) = (lane % 16, 8 * (lane / 16));
            assert_eq!(composed_index(&read, &[i, 0, 0]), row * 16 + column + i);
            let [row, k] = mma_sync_element(MmaSync::M16N8K16B16, MmaMatrix::A, lane, i);
            assert_eq!(composed_index(&got, &[i, 0, 0]), row * 16 + k);
        }
    }
}

#[test]
fn refusals_of_tilings() {
    let atom = bridge::mma_atom(MmaSync::M16N8K16B16).unwrap();
    assert!(TiledMma::new(atom, layout("(2,2):(1,2)")).is_err());
    assert!(TiledCopy::new(CopyAtom::vector(3).unwrap(), layout("(4,4):(4,1)"), Tiler::All).is_err());
    assert!(
        layout("(3,4):(4,1)")
            .tile_to_shape(&"(4,4)".parse().unwrap(), None)
            .is_err()
    );
    assert!(layout("(4,6):(1,6)").upcast(4).is_err());
    assert!(layout("(4,6):(2,8)").downcast(4).is_err());
    for text in ["(4,6):(6,1)", "4:0", "4:1"] {
        assert_eq!(layout(text).upcast(0), Err(CuteError::ZeroFactor));
    }
    assert_eq!(layout("(4,6):(6,1)").downcast(0), Err(CuteError::ZeroFactor));
    let copy = TiledCopy::from_thread_value(CopyAtom::vector(2).unwrap(), &layout("8:1"), &layout("2:1"));
    let part = |thread| {
        copy.as_ref()
            .unwrap()
            .partition(CopyEnd::Source, &layout("32:1").into(), thread)
    };
    assert!(part(7).is_ok());
    assert_eq!(part(8), Err(CuteError::NoThread { thread: 8, count: 8 }));
    let three_modes = layout("(4,4,2):(4,1,16)");
    assert!(TiledCopy::new(CopyAtom::vector(2).unwrap(), three_modes, Tiler::All).is_err());
}
