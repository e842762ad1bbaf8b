//! The bridge between CuTe layouts and linear layouts: the same function on both sides, element by element, and
//! refusals exactly where brute force finds no counterpart.

use proptest::prelude::*;
use tilewright_layouts::bridge::{self, BridgeError, Naming};
use tilewright_layouts::cute::{Composed, Coord, IntTuple, Layout, Nested, Swizzle};
use tilewright_layouts::{Dim, LinearLayout};

/// Nested layouts of up to three modes of up to three leaves with the given sizes.
fn layout_of(sizes: Vec<u64>, strides: Vec<u64>) -> impl Strategy<Value = Layout> {
    let leaf = (prop::sample::select(sizes), prop::sample::select(strides));
    let mode = prop::collection::vec(leaf, 1..4);
    prop::collection::vec(mode, 1..4).prop_map(|modes| {
        let layout = |leaves: &Vec<(u64, u64)>| {
            let mut leaves = leaves
                .iter()
                .map(|(size, stride)| Layout::strided(*size, *stride).unwrap());
            match leaves.len() {
                1 => leaves.next().unwrap(),
                _ => Layout::from_modes(leaves),
            }
        };
        Layout::from_modes(modes.iter().map(layout))
    })
}

fn powers() -> Vec<u64> {
    vec![0, 1, 1, 2, 2, 4, 4, 8, 16, 32, 64, 128]
}

/// Mostly powers of two, sometimes not.
fn any_layout() -> impl Strategy<Value = Layout> {
    prop_oneof![
        layout_of(vec![1, 2, 2, 4], powers()),
        layout_of(vec![1, 2, 2, 4], vec![0, 1, 3, 4, 5, 8, 10, 16, 20, 32, 48, 64]),
        layout_of(vec![1, 2, 3, 4], powers()),
    ]
}

fn any_swizzle() -> impl Strategy<Value = Swizzle> {
    (0u32..4, 0u32..4, 0i32..3, any::<bool>()).prop_map(|(bits, base, more, down)| {
        let shift = bits as i32 + more;
        Swizzle::new(bits, base, if down { -shift } else { shift }).unwrap()
    })
}

fn any_composed() -> impl Strategy<Value = Composed> {
    let offset = prop_oneof![4 => Just(0u64), 1 => 0u64..40];
    (any_swizzle(), offset, any_layout()).prop_map(|(sw, offset, layout)| Composed::new(sw, offset, layout))
}

fn number(tuple: &tilewright_layouts::cute::Int) -> u64 {
    tuple.as_static().unwrap()
}

fn shape(layout: &Composed) -> Vec<u64> {
    layout
        .layout()
        .modes()
        .map(|mode| number(&mode.size().unwrap()))
        .collect()
}

/// All coordinates of a shape.
fn coordinates(shape: &[u64]) -> Vec<Vec<u64>> {
    shape.iter().fold(vec![vec![]], |all, size| {
        let extend = |c: &Vec<u64>| {
            (0..*size)
                .map(|i| [c.as_slice(), &[i]].concat())
                .collect::<Vec<_>>()
        };
        all.iter().flat_map(extend).collect()
    })
}

fn index(layout: &Composed, coordinate: &[u64]) -> u64 {
    let coord = match (coordinate, layout.layout().tree()) {
        // A single mode may be a tuple of one, or not in a tuple.
        ([only], Nested::Leaf(_)) => Coord::from(*only),
        ([only], Nested::Tuple(modes)) if modes.len() > 1 => Coord::from(*only),
        _ => Coord::from(IntTuple::from(coordinate)),
    };
    number(&layout.index(&coord).unwrap())
}

fn offset(linear: &LinearLayout, coordinate: &[u64]) -> u64 {
    let named: Vec<_> = (0..)
        .map(Dim::Axis)
        .zip(coordinate.iter().map(|c| *c as u32))
        .collect();
    u64::from(linear.apply(&named)[0])
}

/// Whether `L(a ^ b) = L(a) ^ L(b)` for all coordinates of a shape of powers of two.
fn is_linear(layout: &Composed) -> bool {
    let shape = shape(layout);
    if shape.iter().any(|size| !size.is_power_of_two()) {
        return false;
    }
    let size: u64 = shape.iter().product();
    let values: Vec<_> = (0..size).map(|flat| layout.at(flat).unwrap()).collect();
    (0..size).all(|x| {
        let bits = (0..size.ilog2()).filter(|bit| x >> bit & 1 == 1);
        values[x as usize] == bits.fold(0, |sum, bit| sum ^ values[1 << bit])
    })
}

/// Every swizzle whose fields end at bit `most` or below.
fn swizzles(most: u32) -> Vec<Swizzle> {
    let mut found = Vec::new();
    for bits in 0..=most / 2 {
        for base in 0..=most {
            for shift in -(most as i32)..=most as i32 {
                if shift.unsigned_abs() >= bits && bits + base + shift.unsigned_abs() <= most {
                    found.push(Swizzle::new(bits, base, shift).unwrap());
                }
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_cute_layout_is_refused_exactly_if_it_is_not_linear(layout in any_composed()) {
        let shape = shape(&layout);
        // A mode whose size is a power of two can have leaves that are not: (3,4) has size 12.
        match bridge::memory_to_linear(&layout) {
            Ok(linear) => {
                prop_assert!(is_linear(&layout), "{}", layout);
                for coordinate in coordinates(&shape) {
                    prop_assert_eq!(offset(&linear, &coordinate), index(&layout, &coordinate));
                }
                let extent = u64::from(linear.out_size(Dim::Offset).unwrap());
                let most = (0..shape.iter().product()).map(|flat| layout.at(flat).unwrap()).max().unwrap();
                prop_assert_eq!(extent, (most + 1).next_power_of_two());
            }
            Err(error) => prop_assert!(!is_linear(&layout), "{}: {}", layout, error),
        }
    }

    #[test]
    fn a_refusal_names_what_carries(layout in any_layout()) {
        let layout = Composed::from(layout);
        let refused = bridge::memory_to_linear(&layout);
        if let Err(BridgeError::Carries { first, second }) = refused {
            let leaves: Vec<_> = layout.layout().tree().leaves().collect();
            for bit in [first, second] {
                prop_assert_eq!(bit.value, number(&leaves[bit.mode].stride) << bit.bit);
                prop_assert!(1 << bit.bit < number(&leaves[bit.mode].shape));
            }
            prop_assert!((first.mode, first.bit) < (second.mode, second.bit));
            prop_assert_ne!(first.value ^ second.value, first.value + second.value);
        }
    }

    #[test]
    fn there_and_back_is_the_same_function(layout in any_composed()) {
        let Ok(linear) = bridge::memory_to_linear(&layout) else { return Ok(()) };
        let rank = layout.rank() as u8;
        let back = bridge::memory_from_linear(&linear, rank).unwrap();
        for coordinate in coordinates(&shape(&layout)) {
            prop_assert_eq!(index(&back, &coordinate), index(&layout, &coordinate));
        }
        prop_assert_eq!(bridge::memory_to_linear(&back).unwrap(), linear);
        prop_assert!(back.swizzle().bits() <= layout.swizzle().bits());
        let simple = |mode: Layout| mode.coalesce() == mode;
        let coalesced = back.layout().modes().all(simple);
        prop_assert!(coalesced);
    }

    #[test]
    fn a_linear_layout_is_refused_exactly_if_no_swizzle_explains_it(
        columns in prop::collection::vec(0u32..64, 1..6),
        few in any_swizzle(),
        plain in any::<bool>(),
    ) {
        // Half of them are swizzled unit vectors, so that counterparts exist.
        let twist = |(bit, column): (usize, &u32)| match plain {
            true => few.apply(1 << (5 - bit)) as u32 % 64,
            false => *column,
        };
        let columns: Vec<_> = columns.iter().enumerate().map(twist).collect();
        let bases: Vec<_> = columns.iter().map(|column| vec![*column]).collect();
        let linear = LinearLayout::from_bases(&[(Dim::Axis(0), bases)], &[(Dim::Offset, 64)]).unwrap();
        // A swizzled layout is this function exactly if inverting the swizzle leaves an additive
        // function.
        let adds = |sw: &Swizzle| {
            let value = |x: u64| sw.apply(offset(&linear, &[x]));
            (0..1u64 << columns.len()).all(|x| {
                let bits = (0..columns.len()).filter(|bit| x >> bit & 1 == 1);
                value(x) == bits.map(|bit| value(1 << bit)).sum()
            })
        };
        // Fields beyond the index have no effect, as the exhaustive search shows.
        let explained: Vec<_> = swizzles(8).into_iter().filter(adds).collect();
        match bridge::memory_from_linear(&linear, 1) {
            Ok(layout) => {
                prop_assert!((0..1 << columns.len()).all(|x| layout.at(x).unwrap() == offset(&linear, &[x])));
                let fewest = explained.iter().map(|sw| sw.bits()).min();
                prop_assert_eq!(Some(layout.swizzle().bits()), fewest);
            }
            Err(BridgeError::NoSwizzle { first, second }) => {
                prop_assert!(explained.is_empty(), "{} by {:?}", linear, explained);
                for vector in [first, second] {
                    prop_assert_eq!(u64::from(columns[vector.bit]), vector.value);
                }
                prop_assert_ne!(first.value & second.value, 0);
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn threads_and_values_keep_their_elements(
        order in Just((0..9).collect::<Vec<u32>>()).prop_shuffle(),
        values in 0u32..4,
        rows in 0u32..9,
        sw in any_swizzle(),
    ) {
        // A random layout of 9 bits of a tile, the lowest `values` of which are values of a thread.
        let tile = [1 << rows, 1 << (9 - rows)];
        let leaf = |bit: &u32| Layout::strided(2, 1u64 << bit).unwrap();
        let (value_bits, thread_bits) = order.split_at(values as usize);
        let modes = [thread_bits, value_bits].map(|bits| Layout::from_modes(bits.iter().map(leaf)));
        let layout = Composed::new(sw, 0, Layout::from_modes(modes));
        let Ok(linear) = bridge::threads_to_linear(&layout, &tile) else {
            // The swizzle exceeds the tile.
            prop_assert!((0..512).any(|flat| layout.at(flat).unwrap() >= 512));
            return Ok(());
        };
        let back = bridge::threads_from_linear(&linear).unwrap();
        for thread in 0..512u64 >> values {
            for value in 0..1u64 << values {
                let element = index(&layout, &[thread, value]);
                let found = linear.at(value as u32, thread as u32 % 32, thread as u32 / 32, 0);
                prop_assert_eq!(u64::from(found[0] + tile[0] * found[1]), element);
                prop_assert_eq!(index(&back, &[thread, value]), element);
            }
        }
    }
}

fn composed(text: &str) -> Composed {
    text.parse().unwrap()
}

#[test]
fn every_small_linear_layout_of_two_bits() {
    // All maps from 2 and from 3 bits to 3 bits, against all swizzled layouts of those sizes.
    for bits in [2usize, 3] {
        let strides = 0..8u64;
        let layouts: Vec<_> = coordinates(&vec![strides.end; bits])
            .into_iter()
            .map(|strides| {
                let shape = vec![2u64; bits];
                Layout::new(shape.as_slice().into(), strides.as_slice().into()).unwrap()
            })
            .collect();
        let mut reached = std::collections::HashSet::new();
        for sw in swizzles(4) {
            for layout in &layouts {
                let layout = Composed::new(sw, 0, layout.clone());
                let values: Vec<_> = (0..1 << bits).map(|x| layout.at(x).unwrap()).collect();
                reached.insert(values);
            }
        }
        for columns in coordinates(&vec![8; bits]) {
            let vectors = columns.iter().map(|column| vec![*column as u32]).collect();
            let linear = LinearLayout::from_bases(&[(Dim::Axis(0), vectors)], &[(Dim::Offset, 8)]).unwrap();
            let values: Vec<_> = (0..1u64 << bits).map(|x| offset(&linear, &[x])).collect();
            let found = bridge::memory_from_linear(&linear, 1);
            assert_eq!(found.is_ok(), reached.contains(&values), "{linear}");
        }
    }
}

#[test]
fn refusals_name_the_reason() {
    let refusal = |text: &str| bridge::memory_to_linear(&composed(text)).unwrap_err().to_string();
    assert_eq!(
        refusal("(4,6):(1,4)"),
        "the size 6 of mode 1 is not a power of two"
    );
    assert_eq!(
        refusal("(4,4):(1,2)"),
        "bit 1 of mode 0 adds 2 to the index and bit 0 of mode 1 adds 2: their sum is not their exclusive or"
    );
    assert_eq!(
        refusal("(4,?):(1,4)"),
        "mode 1 has a shape or a stride that is not static"
    );
    assert_eq!(
        refusal("Sw<1,0,1> o 8 o 4:1"),
        "the offset 8 moves coordinate 0 away from index 0"
    );
    assert_eq!(
        refusal("2:4294967296"),
        "offset would have 33 bits; a dimension has at most 31"
    );
    assert_eq!(
        refusal("(2,4):(1,4611686018427387904)"),
        "with the stride 4611686018427387904 of mode 1 bit 0 of the coordinate adds 2^62 or more to the index"
    );
    for rank in [9, 255, 256, 257] {
        let ones = vec!["1"; rank].join(",");
        let said = format!("rank {rank} is more than the limit of 8");
        assert_eq!(refusal(&format!("({ones})")), said);
    }
    let linear = LinearLayout::from_bases(
        &[(Dim::Axis(0), vec![vec![1], vec![3], vec![7], vec![1]])],
        &[(Dim::Offset, 8)],
    );
    assert_eq!(
        bridge::memory_from_linear(&linear.unwrap(), 1)
            .unwrap_err()
            .to_string(),
        "basis vector 1 of dim0 is 3 and shares a bit with basis vector 0 of dim0, 1, from which no swizzle separates it"
    );
    let lanes = LinearLayout::identity_1d(8, Dim::Lane, Dim::Offset).unwrap();
    let error = bridge::memory_from_linear(&lanes, 1).unwrap_err();
    assert_eq!(error.to_string(), "no mode is made of lane");
    let out = bridge::threads_to_linear(&composed("(32,2):(1,32)"), &[32]).unwrap_err();
    assert_eq!(
        out.to_string(),
        "index 32 is outside the 32 indices of the out-dimensions"
    );
    let rank = bridge::threads_to_linear(&composed("32:1"), &[32]).unwrap_err();
    assert_eq!(
        rank,
        BridgeError::Rank {
            found: 1,
            expected: 2
        }
    );
    let naming = Naming::new(&[vec![(Dim::Lane, 8)]], &[(Dim::Offset, 64)]).unwrap();
    let size = bridge::to_linear(&composed("(4,4):(1,4)").mode(&[0]).unwrap(), &naming).unwrap_err();
    assert_eq!(
        size.to_string(),
        "mode 0 is of size 4 where its dimensions have 8"
    );
    assert!(Naming::new(&[], &[(Dim::Offset, 12)]).is_err());
    assert!(Naming::threads(48, 1, &[48]).is_err());
}
