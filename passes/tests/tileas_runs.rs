//! Layout conversions in `tileas`, lowered to PTX and run in the simulator, which also detects races: every element
//! of a tile that is loaded in one layout, converted repeatedly and stored in another keeps its position.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright_diagnostics::FileId;
use tilewright_irs::core::{TermCodec, term_text};
use tilewright_layouts::{Blocked, Dim, LaneShuffles, LinearLayout};
use tilewright_simulator::{Device, Init};

mod lowered;
use lowered::compiled;

/// Runs a kernel `f` that copies an array of this many bytes to another.
fn copies(text: &str, bytes: usize, warps: u32, seed: u64) -> usize {
    let data = (0..bytes).map(|i| (i.wrapping_mul(2_654_435_761) >> 7) as u8);
    copies_of(data.collect(), text, warps, seed).1
}

/// Runs a kernel `f` that copies an array with this data to another. Its PTX, and the number of slices of its conversions.
fn copies_of(data: Vec<u8>, text: &str, warps: u32, seed: u64) -> (String, usize) {
    let (ptx, slices) = compiled(text);
    let bytes = data.len();
    let mut device = Device::new();
    let from = device.alloc("from", bytes, Init::Data(data.clone()));
    let to = device.alloc("to", bytes, Init::Poison);
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    device
        .launch(
            &module,
            "f",
            [1, 1, 1],
            [32 * warps, 1, 1],
            0,
            &[from.into(), to.into()],
        )
        .unwrap_or_else(|fault| panic!("seed {seed}: {fault}\n{text}\n{ptx}"));
    assert!(device.read(to) == data, "seed {seed}: other elements\n{text}");
    (ptx, slices)
}

fn layout_text(layout: &LinearLayout) -> String {
    term_text(&layout.write())
}

/// The type of a tile.
fn tile(element: &str, layout: &LinearLayout) -> String {
    let extents: Vec<String> = layout.shape().iter().map(u32::to_string).collect();
    format!("tile<{}x{element}, {}>", extents.join("x"), layout_text(layout))
}

/// A kernel that loads the tile `%v0` in a layout, executes these lines, and stores the tile of this name.
fn around(
    target: &str,
    element: &str,
    warps: u32,
    layout: &LinearLayout,
    lines: &str,
    stored: &str,
) -> String {
    let shape = layout.shape();
    let extents: Vec<String> = shape.iter().map(u32::to_string).collect();
    let bits = match element {
        "i8" => 8,
        "i16" => 16,
        "i64" => 64,
        _ => 32,
    };
    let memref = format!(
        "memref<{}x{element}, strides = [{}, 1], align = 16, class = ",
        extents.join("x"),
        shape[1]
    );
    let access =
        format!("{{dim_map = [0, 1], steps = {shape:?}, inbounds = [true, true], order = weak, atom = ");
    format!(
        "tileas.func @f(%p: ptr<{element}>, %q: ptr<{element}>) {{target = {target}, kernel_spec = {{num_warps = {warps}, \
         num_ctas = 1}}, shared_bytes = 0}} body {{\n  \
         %i = arith.constant {{value = i32<0>}} : i32\n  %two = arith.constant {{value = i32<2>}} : i32\n  \
         %one = arith.constant {{value = i32<1>}} : i32\n  %k = tileas.create_mem_token : token\n  \
         %m = tileas.memref %p, [], [] : {memref}0>\n  %o = tileas.memref %q, [], [] : {memref}1>\n  \
         %v0, %t = tileas.load %m, [%i, %i], after %k {access}ld<{bits}b>}} : {}, token\n{lines}  \
         %s = tileas.store %o, [%i, %i], {stored}, after %t {access}st<{bits}b>}} : token\n  scf.return\n}}\n",
        tile(element, layout)
    )
}

/// A kernel that loads a tile in the first layout, converts it to each of the others, and stores it in the last.
fn kernel(target: &str, element: &str, warps: u32, layouts: &[LinearLayout], in_loop: bool) -> String {
    let ty = |layout: &LinearLayout| tile(element, layout);
    let mut lines = String::new();
    for (n, layout) in layouts.iter().enumerate().skip(1) {
        let before = n - 1;
        if in_loop {
            // Converted back, so that the loop-carried value keeps its layout.
            let (there, back) = (ty(layout), ty(&layouts[before]));
            lines.push_str(&format!(
                "  %w{n} = scf.for %i, %two, %one, [%v{before}] : {back} body {{\n  ^(%j{n}: i32, %c{n}: {back}):\n    \
                 %d{n} = tileas.convert_layout %c{n} : {there}\n    \
                 %a{n} = arith.addi %d{n}, %d{n} {{overflow = wraps}} : {there}\n    \
                 %b{n} = arith.subi %a{n}, %d{n} {{overflow = wraps}} : {there}\n    \
                 %e{n} = tileas.convert_layout %b{n} : {back}\n    scf.continue [%e{n}]\n  }}\n"
            ));
        } else {
            lines.push_str(&format!(
                "  %w{n} = arith.xori %v{before}, %v{before} : {}\n",
                ty(&layouts[before])
            ));
            lines.push_str(&format!(
                "  %x{n} = arith.ori %w{n}, %v{before} : {}\n",
                ty(&layouts[before])
            ));
        }
        let source = if in_loop {
            format!("%w{n}")
        } else {
            format!("%x{n}")
        };
        lines.push_str(&format!(
            "  %v{n} = tileas.convert_layout {source} : {}\n",
            ty(layout)
        ));
    }
    let last = layouts.len() - 1;
    around(target, element, warps, &layouts[0], &lines, &format!("%v{last}"))
}

fn blocked(rng: &mut ChaCha8Rng, shape: &[u32], warps: u32) -> LinearLayout {
    let order = if rng.random_range(0..2) == 0 {
        [0, 1]
    } else {
        [1, 0]
    };
    let vector = 1 << rng.random_range(0..4);
    let layout = Blocked::coalesced(shape, vector, &order, warps).expect("a layout");
    layout.to_linear(shape).expect("a layout")
}

#[test]
fn conversions_keep_every_element() {
    let mut sliced = 0;
    for seed in 0..60 {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let warps = 1 << rng.random_range(0..3);
        let (element, bytes) = [("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8)][rng.random_range(0..4)];
        let shape = [1u32 << rng.random_range(0..7), 1 << rng.random_range(3..7)];
        let layouts: Vec<_> = (0..rng.random_range(2..5))
            .map(|_| blocked(rng, &shape, warps))
            .collect();
        let text = kernel("sm_80", element, warps, &layouts, rng.random_range(0..3) == 0);
        sliced += copies(&text, (shape[0] * shape[1] * bytes) as usize, warps, seed);
    }
    assert_eq!(sliced, 0, "small tiles need no slices");
}

/// Two layouts of 16 by `columns` elements in which each warp holds the same elements, possibly several times, or all in the
/// first.
fn of_the_same_warps(rng: &mut ChaCha8Rng, columns: u32, warp_bits: usize) -> [LinearLayout; 2] {
    let mut bits: Vec<[u32; 2]> = (0..4).map(|bit| [1 << bit, 0]).collect();
    bits.extend((0..columns.ilog2()).map(|bit| [0, 1 << bit]));
    shuffled(rng, &mut bits);
    let warps = bits.split_off(bits.len() - warp_bits);
    let whole = [16, columns];
    let warps_have_all = rng.random_range(0..3) == 0;
    [warps_have_all, false].map(|all_in_each_warp| {
        // Sums of bits instead of some of them, and replicas.
        for _ in 0..rng.random_range(0..4) {
            let (from, to) = (rng.random_range(0..bits.len()), rng.random_range(0..bits.len()));
            if from != to {
                bits[to] = [bits[to][0] ^ bits[from][0], bits[to][1] ^ bits[from][1]];
            }
        }
        let mut all = bits.clone();
        let spare = [0, 0, 1, 3][rng.random_range(0..4)] + 5usize.saturating_sub(all.len());
        all.extend(vec![[0, 0]; spare]);
        if all_in_each_warp {
            all.extend(&warps);
        }
        shuffled(rng, &mut all);
        let lanes = all.split_off(all.len() - 5);
        let own = |dim, bases: &[[u32; 2]]| (dim, bases.iter().map(|basis| basis.to_vec()).collect());
        let warps: Vec<[u32; 2]> = warps
            .iter()
            .map(|&[row, column]| {
                let [more, further] = bits[rng.random_range(0..bits.len())];
                match (all_in_each_warp, rng.random_range(0..2)) {
                    (true, _) => [0, 0],
                    (_, 0) => [row, column],
                    _ => [row ^ more, column ^ further],
                }
            })
            .collect();
        let bases = [
            own(Dim::Register, &all),
            own(Dim::Lane, &lanes),
            own(Dim::Warp, &warps),
        ];
        let axes = [(Dim::Axis(0), whole[0]), (Dim::Axis(1), whole[1])];
        LinearLayout::from_bases(&bases, &axes).expect("a layout")
    })
}

fn shuffled<T>(rng: &mut ChaCha8Rng, items: &mut [T]) {
    for at in (1..items.len()).rev() {
        items.swap(at, rng.random_range(0..=at));
    }
}

#[test]
fn exchanges_keep_every_element() {
    let unsigned = "{signedness = unsigned}";
    let (mut repeated, mut turned, mut by_warp) = (false, false, false);
    for seed in 0..120 {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let warp_bits = rng.random_range(0..3);
        let columns = 1 << rng.random_range(2..6);
        let [from, to] = of_the_same_warps(rng, columns, warp_bits);
        // What is stored, its bytes and bits, and what is exchanged, with the ops from one to the other and back.
        let (stored, bytes, mask, moved, [there, back]) = [
            ("i8", 1, 0xFF, "i8", ["", ""]),
            ("i16", 2, 0xFF, "i16", ["", ""]),
            ("i32", 4, 0xFF, "i32", ["", ""]),
            ("i64", 8, 0xFF, "i64", ["", ""]),
            ("i8", 1, 0xFF, "f8E4M3FN", ["arith.bitcast", "arith.bitcast"]),
            ("i16", 2, 0xFF, "f16", ["arith.bitcast", "arith.bitcast"]),
            ("i8", 1, 1, "i1", ["arith.trunci", "arith.exti"]),
            ("i8", 1, 15, "i4", ["arith.trunci", "arith.exti"]),
            (
                "i64",
                8,
                0xFF,
                "ptr<f32>",
                ["arith.int_to_ptr", "arith.ptr_to_int"],
            ),
        ][rng.random_range(0..9)];
        let (old, new) = (tile(moved, &from), tile(moved, &to));
        let attrs = if back == "arith.exti" { unsigned } else { "" };
        let lines = if there.is_empty() {
            format!("  %e = tileas.exchange %v0 : {new}\n")
        } else {
            format!(
                "  %a = {there} %v0 : {old}\n  %b = tileas.exchange %a : {new}\n  %e = {back} %b {attrs} : {}\n",
                tile(stored, &to)
            )
        };
        let warps = 1 << warp_bits;
        let text = around("sm_80", stored, warps, &from, &lines, "%e");
        let data =
            (0..16 * columns as usize * bytes).map(|i| (i.wrapping_mul(2_654_435_761) >> 7) as u8 & mask);
        let (ptx, _) = copies_of(data.collect(), &text, warps, seed);
        assert!(!ptx.contains(".shared"), "{ptx}");
        let plan = LaneShuffles::plan(&from, &to, bytes as u32).expect("layouts of the same tensor");
        let plan = plan.expect("elements stay in their warps");
        repeated |= plan.keep.total_out_bits() > 0;
        let depends = |map: &LinearLayout, dim| map.bases(dim).any(|basis| *basis != [0]);
        turned |= depends(&plan.turn, Dim::Lane);
        by_warp |= depends(&plan.from, Dim::Warp);
        let most = plan.shuffles;
        let shuffles = ptx.matches("shfl.sync").count() as u64;
        assert!(
            shuffles <= most,
            "seed {seed}: {shuffles} shuffles, not {most}\n{ptx}"
        );
    }
    assert!(repeated && turned && by_warp, "{repeated} {turned} {by_warp}");
}

#[test]
fn conversions_in_slices_keep_every_element() {
    for (seed, shape, element, bytes) in [
        (0, [128, 128], "i32", 4),
        (1, [256, 128], "i32", 4),
        (2, [64, 128], "i64", 8),
        (3, [256, 256], "i8", 1),
        (4, [128, 256], "i16", 2),
        (5, [32, 512], "i32", 4),
    ] {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let warps = 4;
        let order = |order: [usize; 2], vector| {
            let layout = Blocked::coalesced(&shape, vector, &order, warps).expect("a layout");
            layout.to_linear(&shape).expect("a layout")
        };
        let layouts = [
            order([1, 0], 16 / bytes),
            order([0, 1], 16 / bytes),
            blocked(rng, &shape, warps),
        ];
        let text = kernel("sm_86", element, warps, &layouts, seed == 4);
        let slices = copies(&text, (shape[0] * shape[1] * bytes) as usize, warps, seed);
        assert!(slices >= 2, "{slices} slices of {shape:?}");
    }
}

#[test]
fn a_thread_adds_and_compares_what_it_holds_along_an_axis() {
    // Each of 128 threads has a row of eight; rows with two further registers are four apart.
    let layout = "linear<register = [[0, 1], [0, 2], [0, 4], [128, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], \
                  warp = [[32, 0], [64, 0]], shape = [256, 8]>";
    let rows =
        "linear<register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], shape = [256]>";
    let text = format!(
        "tileas.func @f(%p: ptr<i32>, %q: ptr<i32>) {{target = sm_80, kernel_spec = {{num_warps = 4, num_ctas = 1}}, \
         shared_bytes = 0}} body {{\n  %i = arith.constant {{value = i32<0>}} : i32\n  \
         %one = arith.constant {{value = i32<1>}} : i32\n  %k = tileas.create_mem_token : token\n  \
         %m = tileas.memref %p, [], [] : memref<256x8xi32, strides = [8, 1], align = 16, class = 0>\n  \
         %o = tileas.memref %q, [], [] : memref<512xi32, strides = [1], align = 16, class = 1>\n  \
         %v, %t = tileas.load %m, [%i, %i], after %k {{dim_map = [0, 1], steps = [256, 8], inbounds = [true, true], \
         order = weak, atom = ld<128b>}} : tile<256x8xi32, {layout}>, token\n  \
         %s, %g = tileas.reduce [%v, %v] {{axis = 1, identities = [i32<0>, i32<-2147483648>], atom = thread}} : \
         tile<256xi32, {rows}>, tile<256xi32, {rows}> body {{\n  \
         ^(%a: i32, %b: i32, %c: i32, %d: i32):\n    %e = arith.addi %a, %c {{overflow = wraps}} : i32\n    \
         %h = arith.maxi %b, %d {{signedness = signed}} : i32\n    tileas.yield [%e, %h]\n  }}\n  \
         %x = tileas.store %o, [%i], %s, after %t {{dim_map = [0], steps = [256], inbounds = [true], order = weak, \
         atom = st<32b>}} : token\n  \
         %y = tileas.store %o, [%one], %g, after %x {{dim_map = [0], steps = [256], inbounds = [true], order = weak, \
         atom = st<32b>}} : token\n  scf.return\n}}\n"
    );
    let (ptx, _) = compiled(&text);
    let data: Vec<i32> = (0..2048i32).map(|i| i.wrapping_mul(747_796_405) >> 3).collect();
    let mut device = Device::new();
    let bytes = data.iter().flat_map(|n| n.to_le_bytes()).collect();
    let from = device.alloc("from", 8192, Init::Data(bytes));
    let to = device.alloc("to", 2048, Init::Poison);
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    device
        .launch(&module, "f", [1, 1, 1], [128, 1, 1], 0, &[from.into(), to.into()])
        .unwrap_or_else(|fault| panic!("{fault}\n{ptx}"));
    let out: Vec<i32> = device
        .read(to)
        .chunks_exact(4)
        .map(|word| i32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect();
    for (row, numbers) in data.chunks_exact(8).enumerate() {
        let sum = numbers.iter().fold(0i32, |sum, n| sum.wrapping_add(*n));
        assert_eq!(out[row], sum, "row {row}");
        assert_eq!(Some(&out[256 + row]), numbers.iter().max(), "row {row}");
    }
}

/// A kernel that loads a tile of 16-bit numbers as matrix fragments, stores it to a buffer with `stmatrix` and loads
/// it from there with `atom`.
fn through_matrices(warps: u32, fragment: &str, memory: &str, stored: &str, loaded: &str) -> String {
    let access = "{dim_map = [0, 1], steps = [32, 16], inbounds = [true, true], order = weak, atom = ";
    let (tile, array) = (
        format!("tile<32x16xi16, {fragment}>"),
        "memref<32x16xi16, strides = [16, 1], align = 16, class = ",
    );
    format!(
        "tileas.func @f(%p: ptr<i16>, %q: ptr<i16>) {{target = sm_90a, kernel_spec = {{num_warps = {warps}, \
         num_ctas = 1}}, shared_bytes = 0}} body {{\n  %i = arith.constant {{value = i32<0>}} : i32\n  \
         %k = tileas.create_mem_token : token\n  %m = tileas.memref %p, [], [] : {array}0>\n  \
         %o = tileas.memref %q, [], [] : {array}1>\n  \
         %v, %t = tileas.load %m, [%i, %i], after %k {access}ld<16b>}} : {tile}, token\n  \
         %b = tileas.alloc {{align = 16}} : buffer<32x16xi16, shared, {memory}>\n  \
         tileas.copy %v, to %b {{atom = {stored}}}\n  tileas.barrier\n  \
         %w = tileas.copy %b {{atom = {loaded}}} : {tile}\n  \
         %s = tileas.store %o, [%i, %i], %w, after %t {access}st<16b>}} : token\n  scf.return\n}}\n"
    )
}

#[test]
fn matrices_are_stored_where_they_are_loaded_from() {
    let lane = "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]";
    let shape = "shape = [32, 16]";
    let one_warp = format!("linear<register = [[0, 1], [8, 0], [0, 8], [16, 0]], {lane}, {shape}>");
    let two_warps = format!("linear<register = [[0, 1], [8, 0], [0, 8]], {lane}, warp = [[16, 0]], {shape}>");
    let copies_of_one = one_warp.replace(", shape", ", warp = [[0, 0]], shape");
    let twice_a_register = one_warp.replace("[8, 0], [0, 8]", "[8, 0], [0, 0], [0, 8]");
    let rows = format!(
        "linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], {shape}>"
    );
    let columns = format!(
        "linear<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2], [0, 4], [0, 8]], {shape}>"
    );
    let swizzled = rows.replace("[1, 0], [2, 0], [4, 0],", "[1, 8], [2, 0], [4, 8],");
    for (warps, fragment) in [
        (1, &one_warp),
        (2, &two_warps),
        (2, &copies_of_one),
        (1, &twice_a_register),
    ] {
        for (memory, trans) in [(&rows, ""), (&swizzled, ""), (&columns, ", trans")] {
            for count in ["x1", "x2", "x4"] {
                let stored = format!("stmatrix<{count}{trans}>");
                for loaded in ["ld<16b>".to_owned(), format!("ldmatrix<{count}{trans}>")] {
                    let text = through_matrices(warps, fragment, memory, &stored, &loaded);
                    copies(&text, 32 * 16 * 2, warps, 0);
                }
            }
        }
    }
}
