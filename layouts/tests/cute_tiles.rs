//! The laws of divides and products of CuTe layouts, by brute force over all coordinates.

use crate::cute_model;
use crate::cute_model::*;
use proptest::prelude::*;
use tilewright_layouts::cute::{Coord, Int, Layout, Nested, Tiler};

/// A random tiler for a layout: a tile for each mode, or for some of them.
fn tile(extents: &[u64], picks: &[u8], skip: bool) -> Tiler {
    let modes = extents.iter().zip(picks).map(|(extent, pick)| match pick % 8 {
        0 if skip => Tiler::All,
        pick => {
            let divisors: Vec<u64> = (1..=*extent).filter(|n| extent.is_multiple_of(*n)).collect();
            let count = divisors[usize::from(pick) % divisors.len()];
            // Every other tile selects strided elements.
            let apart = if pick % 2 == 1 { extent / count } else { 1 };
            Tiler::Layout(Layout::strided(count, apart).expect("a divisor is not 0"))
        }
    });
    Tiler::Modes(modes.collect())
}

fn extents(layout: &Layout) -> Vec<u64> {
    layout.modes().map(|mode| size(&mode)).collect()
}

fn at(layout: &Layout, coord: &Coord) -> u64 {
    layout.index(coord).expect("static").as_static().expect("static")
}

fn pair(a: u64, b: u64) -> Coord {
    Nested::Tuple(vec![a.into(), b.into()])
}

fn tuple_of(layout: &Layout) -> Layout {
    match layout.depth() {
        0 => Layout::from_modes([layout.clone()]),
        _ => layout.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn a_divide_is_the_composition_with_tile_and_rest(layout in some_layout(), tile in gapped_layout()) {
        let tiler = Tiler::from(tile.clone());
        let Ok(divided) = layout.logical_divide(&tiler) else { return Ok(()) };
        let rest = tile.complement(&layout.coalesce().shape()).unwrap();
        let (mine, tile_table, rest_table) = (leaves(&layout), table(&tile), table(&rest));
        prop_assert_eq!(divided.rank(), 2);
        for (t, within) in (0..).zip(&tile_table) {
            for (r, which) in (0..).zip(&rest_table) {
                prop_assert_eq!(at(&divided, &pair(t, r)), eval(&mine, within + which));
            }
        }
        // A tile of at most the layout's size whose repetitions fill it: the same elements.
        if tile_table.len() * rest_table.len() == mine.iter().map(|(n, _)| *n as usize).product::<usize>()
            && injective(&tile_table)
            && tile.filter().cosize().unwrap() <= layout.size().unwrap()
        {
            prop_assert_eq!(sorted(table(&divided)), sorted(table(&layout)));
        }
    }

    #[test]
    fn dividing_by_a_contiguous_tile_is_the_identity_on_indices(layout in some_layout()) {
        let size = size(&layout);
        for count in (1..=size).filter(|count| size.is_multiple_of(*count)) {
            let tiler = Tiler::Layout(Layout::strided(count, 1).unwrap());
            if let Ok(divided) = layout.logical_divide(&tiler) {
                prop_assert_eq!(table(&divided), table(&layout));
                prop_assert_eq!(table(&divided.flatten()), table(&layout));
            }
        }
    }

    #[test]
    fn divides_by_mode_are_regroupings(
        layout in compact_layout(), picks in any::<[u8; 4]>(), missing in any::<bool>()
    ) {
        let layout = tuple_of(&layout);
        let mut extents = extents(&layout);
        if missing && extents.len() > 1 {
            extents.pop();
        }
        let tiler = tile(&extents, &picks, true);
        let Ok(logical) = layout.logical_divide(&tiler) else { return Ok(()) };
        prop_assert_eq!(sorted(table(&logical)), sorted(table(&layout)));
        let zipped = layout.zipped_divide(&tiler).unwrap();
        let Tiler::Modes(tilers) = &tiler else { unreachable!() };
        let part = |number: usize, half: usize| match tilers.get(number) {
            Some(Tiler::All) if half == 0 => Layout::unit(),
            Some(Tiler::All) | None => logical.mode(&[number]).unwrap(),
            Some(_) => logical.mode(&[number, half]).unwrap(),
        };
        let tiles = (0..tilers.len()).map(|number| part(number, 0));
        let rests = (0..layout.rank()).map(|number| part(number, 1));
        let expected = Layout::from_modes([Layout::from_modes(tiles), Layout::from_modes(rests)]);
        prop_assert_eq!(&zipped, &expected);
        let (tiled, flat) = (layout.tiled_divide(&tiler).unwrap(), layout.flat_divide(&tiler).unwrap());
        prop_assert_eq!(tiled.flatten(), zipped.flatten());
        prop_assert_eq!(flat.flatten(), zipped.flatten());
        prop_assert_eq!(tiled.mode(&[0]).unwrap(), zipped.mode(&[0]).unwrap());
        if layout.rank() > 1 && tilers.len() > 1 {
            prop_assert_eq!(tiled.rank(), 1 + layout.rank());
            prop_assert_eq!(flat.rank(), tilers.len() + layout.rank());
        }
    }

    #[test]
    fn a_product_repeats_the_block(block in gapped_layout(), tiler in gapped_layout()) {
        let Ok(product) = block.logical_product(&Tiler::from(tiler.clone())) else { return Ok(()) };
        prop_assert_eq!(product.mode(&[0]).unwrap(), block.clone());
        let copies = product.mode(&[1]).unwrap();
        prop_assert!(tiler.shape().compatible(&copies.shape()));
        let room = Int::times(&block.size().unwrap(), &tiler.cosize().unwrap()).unwrap();
        let repeats = block.complement(&room.into()).unwrap();
        let (repeats, tiler_table) = (leaves(&repeats), table(&tiler));
        for (copy, which) in (0..).zip(&tiler_table) {
            prop_assert_eq!(eval(&leaves(&copies), copy), eval(&repeats, *which));
        }
        if injective(&table(&block)) && injective(&tiler_table) {
            prop_assert!(injective(&table(&product)));
        }
    }

    #[test]
    fn divide_undoes_product(block in gapped_layout(), tiler in gapped_layout()) {
        let Ok(product) = block.logical_product(&Tiler::from(tiler)) else { return Ok(()) };
        // Tiles of the size of the block, in order: the block is within a tile, and the copy selects
        // the tile.
        let tile = Tiler::Layout(Layout::strided(size(&block), 1).unwrap());
        let Ok(divided) = product.logical_divide(&tile) else { return Ok(()) };
        prop_assert_eq!(table(&divided.mode(&[0]).unwrap()), table(&block));
        prop_assert_eq!(table(&divided.mode(&[1]).unwrap()), table(&product.mode(&[1]).unwrap()));
    }

    #[test]
    fn products_of_bijections_are_bijections(block in compact_layout(), tiler in compact_layout()) {
        let product = block.logical_product(&Tiler::from(tiler.clone())).unwrap();
        let size = size(&block) * size(&tiler);
        prop_assert_eq!(sorted(table(&product)), (0..size).collect::<Vec<_>>());
        let tile = Tiler::Layout(Layout::strided(cute_model::size(&block), 1).unwrap());
        prop_assert!(product.logical_divide(&tile).is_ok());
    }

    #[test]
    fn blocked_and_raked_products_pair_the_modes(block in compact_layout(), tiler in compact_layout()) {
        let (blocked, raked) = (block.blocked_product(&tiler).unwrap(), block.raked_product(&tiler).unwrap());
        let rank = block.rank().max(tiler.rank());
        let (wide, tiles) = (block.append_to_rank(rank).unwrap(), tiler.append_to_rank(rank).unwrap());
        let product = wide.logical_product(&Tiler::from(tiles.clone())).unwrap();
        prop_assert_eq!((blocked.rank(), raked.rank()), (rank, rank));
        for number in 0..rank {
            let (inner, outer) = (product.mode(&[0]).unwrap(), product.mode(&[1]).unwrap());
            let (inner, outer) = (inner.mode(&[number]).unwrap(), outer.mode(&[number]).unwrap());
            let both = Layout::from_modes([inner.clone(), outer.clone()]);
            prop_assert_eq!(blocked.mode(&[number]).unwrap(), both);
            prop_assert_eq!(raked.mode(&[number]).unwrap(), Layout::from_modes([outer, inner]));
        }
        let zipped = block.zipped_product(&Tiler::from(tiler.clone())).unwrap();
        prop_assert_eq!(&zipped, &block.logical_product(&Tiler::from(tiler.clone())).unwrap());
        let flat = block.flat_product(&Tiler::from(tiler.clone())).unwrap();
        prop_assert_eq!(flat.flatten(), zipped.flatten());
        prop_assert_eq!(block.tiled_product(&Tiler::from(tiler)).unwrap().flatten(), zipped.flatten());
    }

    #[test]
    fn regroupings_undo_each_other(layout in some_layout()) {
        let flat = layout.flatten();
        prop_assert_eq!(flat.unflatten(layout.tree()).unwrap(), layout.clone());
        prop_assert_eq!(table(&flat), table(&layout));
        let grouped = tuple_of(&layout).group(0..layout.rank()).unwrap();
        prop_assert_eq!(grouped.mode(&[0]).unwrap(), tuple_of(&layout));
        let all: Vec<usize> = (0..layout.rank()).collect();
        prop_assert_eq!(tuple_of(&layout).select(&all).unwrap(), tuple_of(&layout));
        prop_assert_eq!(layout.append(&Layout::unit()).take(0..layout.rank()).unwrap(), tuple_of(&layout));
        prop_assert_eq!(layout.prepend(&Layout::unit()).take(1..layout.rank() + 1).unwrap(), tuple_of(&layout));
    }

    #[test]
    fn a_slice_and_its_offset_are_the_layout(layout in some_layout(), free in any::<[bool; 5]>()) {
        use tilewright_layouts::cute::Slot;
        let layout = tuple_of(&layout);
        let extents = extents(&layout);
        let total: u64 = extents.iter().product();
        for flat in 0..total {
            let mut rest = flat;
            let mut parts = Vec::new();
            for extent in &extents {
                parts.push(rest % extent);
                rest /= extent;
            }
            let slot = |number: usize| match free[number] {
                true => Nested::Leaf(Slot::All),
                false => Coord::from(parts[number]),
            };
            let coord = Nested::Tuple((0..parts.len()).map(slot).collect());
            let kept = (0..parts.len()).filter(|number| free[*number]);
            let inner = Nested::Tuple(kept.map(|number| parts[number].into()).collect());
            let slice = layout.slice(&coord).unwrap();
            prop_assert_eq!(at(&layout, &coord) + at(&slice, &inner), eval(&leaves(&layout), flat));
            prop_assert_eq!(slice.rank() + layout.dice(&coord).unwrap().rank(), layout.rank());
        }
    }
}

#[test]
fn ranks_without_end_are_refused() {
    let layout = parse("(4,8):(8,1)");
    for rank in [0, 1, usize::MAX, usize::MAX - 1, 1 << 40] {
        assert!(layout.append_to_rank(rank).is_err() && layout.prepend_to_rank(rank).is_err());
    }
    assert_eq!(layout.append_to_rank(2).unwrap(), layout);
}

#[test]
fn tuples_a_thousand_deep_fit_the_stack() {
    let mut layout = parse("(4,2):(2,1)");
    for _ in 0..1000 {
        layout = Layout::from_modes([layout]);
    }
    assert_eq!((layout.depth(), size(&layout)), (1001, 8));
    assert_eq!(layout.coalesce(), parse("(4,2):(2,1)"));
    let tiler = Tiler::from(layout.clone());
    assert!(layout.composition(&layout).is_ok() && layout.zipped_divide(&tiler).is_ok());
    assert!(layout.blocked_product(&layout).is_ok());
    // Deeper than the limit of texts.
    assert!(layout.to_string().parse::<Layout>().is_err());
}
