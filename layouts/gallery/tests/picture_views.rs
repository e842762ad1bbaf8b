//! Every label of a picture against the layout, position by position.

use proptest::prelude::*;
use tilewright_layout_gallery::picture::{
    Depth, Memory, Merge, Options, Picture, PictureError, Rgb, Tone, WarpAccess, Window, by_bank,
    by_coordinate, by_element, by_offset, by_thread, of_coordinates, to_svg,
};
use tilewright_layouts::bank::{Access, BankCost, layout_cost};
use tilewright_layouts::{Blocked, Dim, ElementWidth, LinearLayout};

/// Layouts of any rank from registers, lanes, warps and blocks, most of them neither injective nor
/// surjective.
fn any_layout() -> impl Strategy<Value = LinearLayout> {
    let shape = proptest::collection::vec(0u32..4, 0..4);
    let ins = (0usize..4, 0usize..5, 0usize..3, 0usize..2);
    (shape, ins, any::<[u64; 16]>()).prop_map(|(shape, ins, random)| {
        let mut random = random.into_iter();
        let counts = [
            (Dim::Register, ins.0),
            (Dim::Lane, ins.1),
            (Dim::Warp, ins.2),
            (Dim::Block, ins.3),
        ];
        let bases: Vec<(Dim, Vec<Vec<u64>>)> = counts
            .into_iter()
            .map(|(dim, count)| {
                let vector = |seed: u64| -> Vec<u64> {
                    let part = |axis: usize, bits: &u32| seed >> (8 * axis) & ((1 << bits) - 1);
                    shape
                        .iter()
                        .enumerate()
                        .map(|(axis, bits)| part(axis, bits))
                        .collect()
                };
                (dim, (0..count).map(|_| vector(random.next().unwrap())).collect())
            })
            .collect();
        let sizes: Vec<u64> = shape.iter().map(|bits| 1 << bits).collect();
        LinearLayout::from_parts(&bases, &sizes).unwrap()
    })
}

/// Blocked layouts, which have runs of registers, and copies if the tile is small.
fn any_blocked() -> impl Strategy<Value = LinearLayout> {
    (0u32..6, 0u32..8, 0u32..4, 0u32..3, any::<bool>()).prop_map(|(rows, columns, vector, warps, flip)| {
        let shape = [1 << rows, 1 << columns];
        let order = if flip { [0, 1] } else { [1, 0] };
        let blocked = Blocked::coalesced(&shape, 1 << vector, &order, 1 << warps).unwrap();
        blocked.to_linear(&shape).unwrap()
    })
}

/// All positions of a layout, in ascending order of the input word.
fn positions(layout: &LinearLayout) -> Vec<Vec<(Dim, u32)>> {
    let mut all = vec![Vec::new()];
    for (dim, size) in layout.in_dims() {
        all = (0..size)
            .flat_map(|value| {
                all.iter().map(move |position: &Vec<(Dim, u32)>| {
                    let mut position = position.clone();
                    position.push((dim, value));
                    position
                })
            })
            .collect();
    }
    all
}

fn all() -> Options {
    let window = Window { start: 0, len: 256 };
    Options {
        rows: window,
        columns: window,
        merge: Merge::Never,
        color_by: None,
    }
}

/// Parses `W1`, `T5`, `R0–3` to the position and the number of registers.
fn parse(parts: &[String]) -> (Vec<(Dim, u32)>, u32) {
    let mut run = 1;
    let position = parts.iter().map(|part| {
        let (letter, number) = part.split_at(1);
        let dim = match letter {
            "R" => Dim::Register,
            "T" => Dim::Lane,
            "W" => Dim::Warp,
            "B" => Dim::Block,
            _ => panic!("{part}"),
        };
        let (first, last) = number.split_once('–').unwrap_or((number, number));
        let (first, last): (u32, u32) = (first.parse().unwrap(), last.parse().unwrap());
        run = run.max(last - first + 1);
        (dim, first)
    });
    (position.collect(), run)
}

/// A row-major coordinate.
fn coordinate(mut index: usize, shape: &[u32]) -> Vec<u32> {
    let mut coordinate = vec![0; shape.len()];
    for (axis, size) in shape.iter().enumerate().rev() {
        coordinate[axis] = index as u32 % size;
        index /= *size as usize;
    }
    coordinate
}

fn size_of(layout: &LinearLayout) -> usize {
    layout.shape().iter().map(|size| *size as usize).product()
}

proptest! {
    #[test]
    fn each_element_names_its_first_holder_and_counts_all(layout in any_layout()) {
        let picture = by_element(&layout, &all());
        let positions = positions(&layout);
        let mut cells = picture.cells.iter();
        for index in 0..size_of(&layout) {
            let element = coordinate(index, &layout.shape());
            let cell = cells.next().unwrap();
            let holders: Vec<_> = positions.iter().filter(|at| *layout.apply(at) == element).collect();
            match holders.first() {
                None => prop_assert!(cell.parts.is_empty() && cell.tone.is_none()),
                Some(first) => {
                    let (mut named, run) = parse(&cell.parts);
                    named.reverse();
                    prop_assert_eq!(&named, *first);
                    prop_assert_eq!(run, 1);
                    prop_assert_eq!(cell.times, holders.len() as u64);
                    prop_assert!(cell.tone.is_some());
                }
            }
        }
        prop_assert!(cells.all(|cell| cell.parts.is_empty()));
    }

    #[test]
    fn merged_cells_hold_neighbours_in_consecutive_registers(layout in any_blocked()) {
        let picture = by_element(&layout, &Options { merge: Merge::Always, ..all() });
        let run = layout.num_consecutive_in_out(Dim::Axis(1));
        prop_assert_eq!(picture.cells.len() * run as usize, size_of(&layout));
        for (index, cell) in picture.cells.iter().enumerate() {
            let (position, found) = parse(&cell.parts);
            prop_assert_eq!(found, run);
            for step in 0..run {
                let moved: Vec<_> = position
                    .iter()
                    .map(|(dim, at)| (*dim, at + if *dim == Dim::Register { step } else { 0 }))
                    .collect();
                let element = coordinate(index * run as usize + step as usize, &layout.shape());
                prop_assert_eq!(layout.apply(&moved).to_vec(), element);
            }
        }
    }

    #[test]
    fn each_register_names_its_element_and_whether_it_is_a_copy(layout in any_layout()) {
        let picture = by_thread(&layout, &all());
        let positions = positions(&layout);
        prop_assert_eq!(picture.cells.len(), positions.len());
        let mut lines = picture.lines();
        for row in &picture.rows.labels {
            let cells = lines.next().unwrap();
            for (column, cell) in picture.columns.labels.iter().zip(cells) {
                let parts: Vec<String> = row
                    .split(':')
                    .chain(column.split(':'))
                    .filter(|part| !part.is_empty())
                    .map(str::to_owned)
                    .collect();
                let (mut position, _) = parse(&parts);
                position.sort();
                let element = layout.apply(&position);
                let words: Vec<String> = element.iter().map(u32::to_string).collect();
                prop_assert_eq!(&cell.parts[0], &words.join(","));
                let first = positions.iter().find(|at| layout.apply(at) == element).unwrap();
                prop_assert_eq!(cell.copy, *first != position);
            }
        }
    }

    #[test]
    fn offsets_and_banks_are_those_of_the_layout(
        seed in any::<u64>(), rows in 0u32..5, columns in 0u32..5, width in 3u32..8,
    ) {
        // Row-major, with rows XORed into columns.
        let width = ElementWidth::of_bits(1 << width).unwrap();
        let shape = [1u32 << rows, 1u32 << columns];
        let mask = (seed as u32) & (shape[1] - 1);
        let offset = |at: &[u32]| u64::from(at[0] * shape[1] + (at[1] ^ (at[0] & mask)));
        let memory = Memory::from_fn(&shape, width, |at| Some(offset(at))).unwrap();
        let bank = |offset: u64| offset * u64::from(width.bits()) / 32 % 32;
        let picture = by_offset(&memory, &all());
        for (index, cell) in picture.cells.iter().enumerate() {
            let at = offset(&coordinate(index, &shape));
            prop_assert_eq!(&cell.parts[0], &at.to_string());
            let banks = cell.parts[1].trim_start_matches('b').split('–').next().unwrap().parse();
            prop_assert_eq!(banks, Ok(bank(at)));
            let last = cell.parts[1].trim_start_matches('b').split('–').next_back().unwrap().parse();
            prop_assert_eq!(last, Ok(((at + 1) * u64::from(width.bits()) - 1) / 32 % 32));
            prop_assert_eq!(cell.tone, Some(Tone::of(bank(at) as u32, 32)));
        }
        // The same by bank: elements in offset order, several per cell if they are small.
        let each = (32 / width.bits()).max(1) as usize;
        let picture = by_bank(&memory, &all());
        let mut by_offset: Vec<(u64, Vec<u32>)> = (0..(shape[0] * shape[1]) as usize)
            .map(|index| coordinate(index, &shape))
            .map(|at| (offset(&at), at))
            .collect();
        by_offset.sort();
        for (cell, elements) in picture.cells.iter().zip(by_offset.chunks(each)) {
            let (_, first) = &elements[0];
            prop_assert!(cell.parts[0].starts_with(&format!("{},{}", first[0], first[1])), "{:?}", cell);
        }
        let filled = picture.cells.iter().filter(|cell| cell.tone.is_some()).count();
        prop_assert_eq!(filled, by_offset.len().div_ceil(each));
    }

    #[test]
    fn both_directions_of_a_memory_layout_are_one_memory(seed in any::<[u8; 4]>()) {
        let columns = (0..4).map(|bit| {
            // An upper triangular matrix, which is a bijection.
            let above = u64::from(seed[bit]) & ((1 << bit) - 1);
            vec![(1 << bit | above) >> 2, (1 << bit | above) & 3]
        });
        let down = LinearLayout::from_parts(&[(Dim::Offset, columns.collect())], &[4, 4]).unwrap();
        let up = down.invert().unwrap();
        let one = Memory::from_linear(&down, ElementWidth::B32).unwrap();
        prop_assert_eq!(&one, &Memory::from_linear(&up, ElementWidth::B32).unwrap());
        for offset in 0..16u32 {
            let element = down.apply(&[(Dim::Offset, offset)]);
            prop_assert_eq!(one.offset(&element), Some(u64::from(offset)));
            prop_assert_eq!(one.element(u64::from(offset)).unwrap(), element.to_vec());
        }
    }

    #[test]
    fn accesses_cost_what_the_bank_model_says(
        registers in any_blocked(), xor in 0u32..4, width in 3u32..8, store in any::<bool>(),
    ) {
        let direction = if store { Access::Store } else { Access::Load };
        let width = ElementWidth::of_bits(1 << width).unwrap();
        let shape = registers.shape();
        let columns = shape[1];
        let place = |at: &[u32]| at[0] * columns + (at[1] ^ ((at[0] & 7) << xor & (columns - 1)));
        let memory = Memory::from_fn(&shape, width, |at| Some(u64::from(place(at)))).unwrap();
        let access = WarpAccess::first(direction, &registers, &memory).unwrap();
        let picture = access.picture(&all());
        prop_assert_eq!(picture.rows.labels.len() as u64, access.cost.cycles);
        // Every lane has a word in some cycle.
        let mut words = 0;
        for line in picture.lines() {
            words += line.iter().filter(|cell| cell.tone.is_some()).count();
        }
        let mut distinct: Vec<u32> = (0..32)
            .flat_map(|lane| {
                let first = access.addresses[lane] / 4;
                (first..first + access.bytes.div_ceil(4)).map(move |word| (lane as u32 * access.cost.minimum as u32 / 32) << 28 | word)
            })
            .collect();
        distinct.sort_unstable();
        distinct.dedup();
        prop_assert_eq!(words, distinct.len());
        // The same from linear layouts.
        let bits = |dim: u8, size: u32| (0..size.ilog2()).map(move |bit| {
            let mut at = [0, 0];
            at[usize::from(dim)] = 1 << bit;
            at
        });
        let column = |at: [u32; 2]| vec![place(&at)];
        let linear = LinearLayout::from_bases(
            &[
                (Dim::Axis(0), bits(0, shape[0]).map(column).collect()),
                (Dim::Axis(1), bits(1, shape[1]).map(column).collect()),
            ],
            &[(Dim::Offset, shape[0] * shape[1])],
        );
        if let Ok(linear) = linear {
            let offsets = registers.compose(&linear).unwrap();
            let vector = offsets.num_consecutive_in_out(Dim::Offset).min(128 / width.bits());
            prop_assert_eq!(access.vector, vector);
            let cost = layout_cost(direction, &offsets, vector, width.bits() / 8).unwrap();
            prop_assert_eq!(cost, access.cost.times(u64::from(access.times)));
            let same = WarpAccess::of_offsets(direction, &offsets, vector, width).unwrap();
            prop_assert_eq!(same, access);
        }
    }

    #[test]
    fn drawings_are_whole(layout in any_layout(), subtitle in ".{0,40}", merge in 0..3) {
        let merge = [Merge::Wide, Merge::Always, Merge::Never][merge as usize];
        let options = Options { merge, ..Options::default() };
        for picture in [by_element(&layout, &options), by_thread(&layout, &options)] {
            let picture = picture.subtitle(subtitle.clone());
            check_grid(&picture);
            check_svg(&to_svg(std::slice::from_ref(&picture)), &picture);
            for text in [picture.to_table(), picture.to_terminal(Depth::Plain)] {
                for cell in &picture.cells {
                    prop_assert!(text.contains(&cell.label()));
                }
            }
            let colored = picture.to_terminal(Depth::True);
            prop_assert!(without_escapes(&colored).contains(&picture.title));
            let cube = picture.to_terminal(Depth::Cube).contains("\u{1b}[48;5;");
            prop_assert_eq!(cube, picture.cells.iter().any(|cell| cell.tone.is_some()));
        }
    }
}

/// Checks that a picture has a cell for each row and column.
fn check_grid(picture: &Picture) {
    assert_eq!(
        picture.cells.len(),
        picture.rows.labels.len() * picture.columns.labels.len()
    );
}

/// Checks that elements nest, attributes are quoted, and every cell is drawn.
fn check_svg(svg: &str, picture: &Picture) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        check_text(&rest[..start]);
        let end = rest[start..].find('>').expect("a tag ends") + start;
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap();
        assert!(
            ["svg", "style", "rect", "text", "g", "title"].contains(&name),
            "{name}"
        );
        let attributes = tag[name.len()..].trim_end_matches('/');
        let pieces: Vec<&str> = attributes.split('"').collect();
        assert_eq!(pieces.len() % 2, 1, "{tag}");
        for (at, piece) in pieces.iter().enumerate() {
            match at % 2 {
                0 if at + 1 == pieces.len() => assert!(piece.trim().is_empty(), "{tag}"),
                0 => assert!(piece.starts_with(' ') && piece.ends_with('='), "{tag}"),
                _ => check_text(piece),
            }
        }
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    assert_eq!(svg.matches("<g>").count(), picture.cells.len());
}

/// Checks that a text contains no characters that XML forbids.
fn check_text(text: &str) {
    assert!(!text.contains('>'), "{text}");
    for (at, _) in text.match_indices('&') {
        let entity = text[at..].split(';').next().unwrap();
        assert!(["&amp", "&lt", "&gt", "&quot"].contains(&entity), "{text}");
    }
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
}

fn without_escapes(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, text)| text));
    }
    plain
}

#[test]
fn parts_of_large_tiles_say_what_they_leave_out() {
    let shape = [1 << 20, 1 << 19];
    let layout = Blocked::coalesced(&shape, 8, &[1, 0], 8)
        .unwrap()
        .to_linear(&shape)
        .unwrap();
    let window = |start, len| Window { start, len };
    let options = Options {
        rows: window(500_000, 4),
        columns: window(7, u64::MAX),
        ..Options::default()
    };
    let picture = by_element(&layout, &options);
    assert_eq!(picture.rows.labels, ["500000", "500001", "500002", "500003"]);
    assert_eq!(picture.columns.labels.len(), 256);
    assert_eq!(picture.notes[0], "Only rows 500000–500003 of 1048576 are shown.");
    assert_eq!(picture.notes[1], "Only columns 7–262 of 65536 are shown.");
    // Past the end: the last row.
    let past = Options {
        rows: window(u64::MAX, u64::MAX),
        ..Options::default()
    };
    assert_eq!(by_element(&layout, &past).rows.labels, ["1048575"]);
}

#[test]
fn text_is_readable_on_every_tone() {
    for hue in 0..8 {
        for tint in 0..4 {
            let color = Tone::new(hue, tint).rgb();
            assert!(
                color.contrast(color.text()) > 4.5,
                "{color}: {}",
                color.contrast(color.text())
            );
        }
    }
    assert!(Rgb::EMPTY.contrast(Rgb::INK) > 4.5);
}

/// Hues are distinguishable in every form of colour vision: at least 12 apart in CIELAB (about 2 is
/// distinguishable side by side). The matrices are those of Machado, Oliveira and Fernandes, *A
/// Physiologically-based Model for Simulation of Color Vision Deficiency* (2009), for full severity.
#[test]
fn hues_differ_in_every_colour_vision() {
    let visions = [
        [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        [
            0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998,
        ],
        [
            0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881,
        ],
        [
            1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900,
        ],
    ];
    let times = |m: [f64; 9], v: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|row| (0..3).map(|at| m[3 * row + at] * v[at]).sum())
    };
    let lab = |vision: [f64; 9], color: Rgb| -> [f64; 3] {
        let linear = [color.0, color.1, color.2].map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        });
        let seen = times(vision, linear).map(|value| value.clamp(0.0, 1.0));
        let xyz = times(
            [
                0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505,
            ],
            seen,
        );
        let [x, y, z] = [xyz[0] / 0.9505, xyz[1], xyz[2] / 1.089].map(|value| {
            if value > 0.008856 {
                value.cbrt()
            } else {
                7.787 * value + 16.0 / 116.0
            }
        });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    };
    for vision in visions {
        for one in 0..8 {
            for two in 0..one {
                let (a, b) = (
                    lab(vision, Tone::new(one, 0).rgb()),
                    lab(vision, Tone::new(two, 0).rgb()),
                );
                let distance = (0..3).map(|at| (a[at] - b[at]).powi(2)).sum::<f64>().sqrt();
                assert!(distance > 12.0, "hues {one} and {two}: {distance}");
            }
        }
    }
}

#[test]
fn boxes_are_drawn_around_cells_of_one_colour() {
    let layout: LinearLayout = "linear<register = [[0, 1]], lane = [[0, 2], [1, 0]], shape = [2, 4]>"
        .parse()
        .unwrap();
    let text = by_element(&layout, &Options::default()).to_terminal(Depth::Plain);
    let want = "\
Who holds each element of the 2×4 tile

       dim1
dim0     0       1       2       3
     ┌───────────────┬───────────────┐
   0 │ T0:R0   T0:R1 │ T1:R0   T1:R1 │
     ├───────────────┼───────────────┤
   1 │ T2:R0   T2:R1 │ T3:R0   T3:R1 │
     └───────────────┴───────────────┘
";
    assert_eq!(text, want);
}

#[test]
fn a_memory_that_cannot_be_looked_at_is_refused() {
    let layout = LinearLayout::identity_1d(1 << 21, Dim::Offset, Dim::Axis(0)).unwrap();
    let error = Memory::from_linear(&layout, ElementWidth::B8).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2^21 elements of shared memory are too many to look at one by one; at most 2^20 are"
    );
    let lanes = LinearLayout::identity_1d(32, Dim::Lane, Dim::Axis(0)).unwrap();
    let error = Memory::from_linear(&lanes, ElementWidth::B8).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the layout has no dimension offset: it is no layout of shared memory"
    );
    let memory = Memory::from_fn(&[8, 4], ElementWidth::B8, |_| Some(0)).unwrap();
    let error = WarpAccess::first(Access::Load, &lanes, &memory).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the registers hold a tile of shape [32] and the memory one of shape [8, 4]"
    );
}

#[test]
fn warps_have_hues_and_lanes_have_tints() {
    let layout = Blocked::coalesced(&[16, 64], 1, &[1, 0], 4)
        .and_then(|blocked| blocked.to_linear(&[16, 64]))
        .unwrap();
    let picture = by_thread(&layout, &all());
    let registers = picture.columns.labels.len();
    for (index, cell) in picture.cells.iter().enumerate() {
        let thread = (index / registers) as u32;
        let tone = Tone::new(thread / 32, thread % 32 / 8);
        assert_eq!(cell.tone, Some(tone), "thread {thread}");
    }
    assert_eq!(picture.legend.entries.len(), 4);
}

#[test]
fn what_is_no_element_has_no_offset() {
    let memory = Memory::from_fn(&[2, 4], ElementWidth::B8, |at| Some(u64::from(at[0] * 4 + at[1]))).unwrap();
    assert_eq!(memory.offset(&[1, 3]), Some(7));
    for element in [&[0, 4][..], &[2, 0], &[u32::MAX, u32::MAX], &[], &[1], &[0, 0, 0]] {
        assert_eq!(memory.offset(element), None, "{element:?}");
    }
}

#[test]
fn labels_of_any_length_are_drawn() {
    // Longer than the widths that the standard formatter supports.
    let layout = format!(
        "(({}),2):(({}),1)",
        "(),".repeat(30_000) + "2",
        "(),".repeat(30_000) + "2"
    );
    let picture = by_coordinate(&layout.parse().unwrap(), &all()).unwrap();
    for text in [
        picture.to_table(),
        picture.to_terminal(Depth::Plain),
        picture.to_terminal(Depth::True),
    ] {
        assert!(text.contains(&picture.rows.labels[1]));
    }
    let mut wide = picture;
    wide.columns.labels = vec!["x".repeat(1_000_000); 200];
    assert!(to_svg(&[wide]).ends_with("</svg>\n"));
}

#[test]
fn an_access_of_any_size_is_drawn() {
    let access = WarpAccess {
        access: Access::Load,
        addresses: [u32::MAX; 32],
        bytes: u32::MAX,
        vector: 1,
        times: 1,
        cost: BankCost {
            cycles: u64::MAX,
            minimum: u64::MAX,
        },
    };
    check_grid(&access.picture(&all()));
}

#[test]
fn coordinates_of_cute_layouts_have_their_indices() {
    use tilewright_layouts::cute::Composed;
    for text in [
        "12:1",
        "(4,8):(8,1)",
        "((2,4),8):((1,16),2)",
        "(3,(2,3)):(3,(12,1))",
        "(2,2,2):(1,2,4)",
        "(5,(2,(3,2))):(0,(1,(2,7)))",
        "Sw<2,1,3> o 0 o (8,8):(8,1)",
        "Sw<1,0,1> o 3 o (2,(2,2)):(4,(2,1))",
    ] {
        let layout: Composed = text.parse().unwrap();
        let picture = by_coordinate(&layout, &all()).unwrap();
        check_grid(&picture);
        let size = layout.size().unwrap().as_static().unwrap();
        assert_eq!(picture.cells.len() as u64, size, "{text}");
        for (line, row) in picture.lines().zip(&picture.rows.labels) {
            for (cell, column) in line.iter().zip(&picture.columns.labels) {
                let coordinate = if row.is_empty() {
                    column.clone()
                } else {
                    format!("({row},{column})")
                };
                let index = layout.index(&coordinate.parse().unwrap()).unwrap();
                assert_eq!(cell.parts[0], index.to_string(), "{text} at {coordinate}");
            }
        }
    }
    let dynamic: Composed = "(4,?):(1,4)".parse().unwrap();
    let error = by_coordinate(&dynamic, &all()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "an extent or a stride of the layout is not known before run time"
    );
}

#[test]
fn layouts_of_basis_strides_are_drawn_as_coordinates() {
    for (text, shown) in [
        ("(2,3):(1@0,1@1)", "(0,0) (0,1) (0,2) (1,0) (1,1) (1,2)"),
        ("((1,2),2):((0,1@1),4@0)", "(0,0) (4,0) (0,1) (4,1)"),
        ("(2,2):(1@0@0,1@1@0)", "((0,0)) ((0,1)) ((1,0)) ((1,1))"),
    ] {
        let picture = of_coordinates(&text.parse().unwrap(), &all()).unwrap();
        check_grid(&picture);
        let cells: Vec<&str> = picture.cells.iter().map(|cell| cell.parts[0].as_str()).collect();
        assert_eq!(cells.join(" "), shown, "{text}");
    }
    let dynamic = "(4,?):(1@0,1@1)".parse().unwrap();
    assert_eq!(
        of_coordinates(&dynamic, &all()).unwrap_err(),
        PictureError::Dynamic
    );
}
