//! Programs of threads with tensor copies, written by hand: their code does in the simulator what the ops say, and ptxas, if
//! available (`TILEWRIGHT_PTXAS`), accepts it.

use std::fs;

use tilewright::{Compiler, Language, Request, joins, ptxas};
use tilewright_diagnostics::FileId;
use tilewright_irs::isa::Target;
use tilewright_simulator::{Arg, Device, Init, PixelColumn, TensorBox, TensorMap, TensorSwizzle};
use tilewright_tests::{needed, repository};

/// The text of an input of the pass that lowers ops of threads.
fn input(case: &str) -> String {
    let folder = "golden/cute_desugared_to_llvm.scalarize_fragments";
    let path = repository().join(format!("{folder}/{case}.in.cute_desugared"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The PTX of a program, and what was said.
fn compiled(text: &str) -> (Option<String>, Vec<String>) {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", text.as_bytes());
    let options = compiler.options(Request {
        verify_each: true,
        ..Request::default()
    });
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    let said = said.iter().map(|said| format!("{}: {}", said.code, said.message));
    (ptx.map(|ptx| ptx.to_string()), said.collect())
}

/// The PTX of a sound program, which ptxas accepts.
fn assembled(text: &str, target: Target) -> String {
    let (ptx, said) = compiled(text);
    assert_eq!(said, [""; 0], "{text}");
    let ptx = ptx.expect("PTX");
    if let Some(assembler) = needed("TILEWRIGHT_PTXAS")
        && let Err(problem) = ptxas::assemble(&assembler, &ptx, target, 3, false)
    {
        panic!("{} {:?}\n{ptx}", problem.message, problem.notes);
    }
    ptx
}

fn little_endian(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
    bytes.chunks(4).map(word).collect()
}

/// A map of pixels, with 4 of 8 channels each, of images of `width` by 2.
fn images(address: u64, [width, count]: [u32; 2], lower: i16, upper: i16) -> Vec<u8> {
    let row = 32 * u64::from(width);
    let map = TensorMap {
        address,
        element: "u32".to_owned(),
        extents: vec![8, width, 2, count],
        strides: vec![32, row, 2 * row],
        selected: TensorBox::Pixels(PixelColumn {
            lower: vec![lower; 2],
            upper: vec![upper; 2],
            channels: 4,
            pixels: 24,
        }),
        steps: vec![1; 4],
        swizzle: TensorSwizzle::None,
        fill_nan: false,
    };
    map.encode().expect("a map").to_vec()
}

#[test]
fn pixels_under_a_filter_are_loaded_and_stored_without_their_halo() {
    copy_pixels(
        "pixels",
        &[
            "cp.async.bulk.prefetch.L2.global ",
            "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col ",
            "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes ",
            "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group ",
            "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group ",
        ],
    );
}

#[test]
fn copies_have_cache_policies() {
    copy_pixels(
        "cache_policies",
        &[
            "createpolicy.fractional.L2::evict_first.b64 ",
            "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 ",
            "cp.async.bulk.prefetch.L2.global.L2::cache_hint ",
            "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col.L2::cache_hint ",
            "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint ",
            "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group.L2::cache_hint ",
            "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group.L2::cache_hint ",
        ],
    );
    for (op, form) in [
        (
            "bulk_copy_g2s %map, %tile, %bar, cache_policy %policy {size = 64}",
            "mbarrier::complete_tx::bytes.L2::cache_hint ",
        ),
        (
            "bulk_copy_s2g %tile, %map, cache_policy %policy {size = 64}",
            "bulk_group.L2::cache_hint ",
        ),
    ] {
        let ptx = assembled(&program("sm_90a", op), Target::sm_a(90));
        assert!(ptx.contains(form), "{form} in\n{ptx}");
    }
    let (_, said) = compiled(&program(
        "sm_90a",
        "bulk_copy_s2g %tile, %map, cache_policy %n {size = 64}",
    ));
    assert!(
        matches!(said.as_slice(), [only] if only.contains("a cache policy is an i64")),
        "{said:#?}"
    );
    let wrong = input("cache_policies").replace("L2::evict_unchanged", "L2::evict_last");
    let (_, said) = compiled(&wrong);
    assert!(
        matches!(said.as_slice(), [only] if only.contains("secondary_priority")),
        "{said:#?}"
    );
}

/// Runs the case that copies pixels, whose PTX has these forms.
fn copy_pixels(case: &str, forms: &[&str]) {
    let ptx = assembled(&input(case), Target::sm_a(90));
    for form in forms {
        assert!(ptx.contains(form), "{form} in\n{ptx}");
    }
    let mut device = Device::new();
    // 3 images of 3 by 2 under a filter of 3 by 3; 4 of 4 by 2 for the pixels.
    let source: Vec<u32> = (0..3 * 2 * 3 * 8).map(|number| 1000 + number).collect();
    let old: Vec<u32> = (0..4 * 2 * 4 * 8).map(|number| 7 * number).collect();
    let data = |device: &mut Device, name, words: &[u32]| {
        let bytes = little_endian(words.iter().copied());
        device.alloc(name, bytes.len(), Init::Data(bytes))
    };
    let from = data(&mut device, "images", &source);
    let copies = data(&mut device, "copies", &old);
    let sums = data(&mut device, "sums", &old);
    let maps = [
        (from, [3, 3], -1, -1),
        (copies, [4, 4], 0, 0),
        (sums, [4, 4], 0, 0),
    ]
    .map(|(buffer, extents, lower, upper)| {
        Arg::Scalar(images(device.address(buffer), extents, lower, upper))
    });
    let parsed = tilewright_grammar::ptx::parse(FileId(0), &ptx);
    let module = parsed.module;
    let others = [from.into(), Arg::from(1)];
    let arguments: Vec<Arg> = maps.into_iter().chain(others).collect();
    device
        .launch(&module, "pixels", [1, 1, 1], [32, 1, 1], 0, &arguments)
        .unwrap_or_else(|fault| panic!("{fault}"));
    // From image 1 on, each image has 6 places of the filter, which begins one pixel before it; the pixel of the filter is in
    // its column 2 and row 1. Beyond the images are zeros.
    let pixel = |number: usize, channel: usize| {
        let (image, place) = (1 + number / 6, number % 6);
        let (x, y) = (place % 3 + 1, place / 3);
        let inside = image < 3 && x < 3;
        let at = ((image * 2 + y) * 3 + x) * 8 + 4 + channel;
        if inside { source[at] } else { 0 }
    };
    let (mut copied, mut summed) = (old.clone(), old);
    for number in 0..24 {
        for channel in 0..4 {
            let at = (8 + number) * 8 + channel;
            copied[at] = pixel(number, channel);
            summed[at] = summed[at].wrapping_add(pixel(number, channel));
        }
    }
    assert_eq!(words(device.read(copies)), copied);
    assert_eq!(words(device.read(sums)), summed);
}

#[test]
fn blocks_of_a_cluster_send_each_other_bytes() {
    let ptx = assembled(&input("bulk_copies"), Target::sm_a(90));
    for form in [
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [",
        "cp.async.bulk.global.shared::cta.bulk_group [",
    ] {
        assert_eq!(ptx.matches(form).count(), 1, "{form} in\n{ptx}");
    }
    let mut device = Device::new();
    let bytes = little_endian((0..32).map(|number| 100 + number));
    let from = device.alloc("from", bytes.len(), Init::Data(bytes));
    let to = device.alloc("to", 128, Init::Poison);
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    device
        .launch(
            &module,
            "swap",
            // A launch counts clusters.
            [1, 1, 1],
            [32, 1, 1],
            0,
            &[from.into(), to.into()],
        )
        .unwrap_or_else(|fault| panic!("{fault}"));
    let want: Vec<u32> = (0..32).map(|number| 100 + (number ^ 16)).collect();
    assert_eq!(words(device.read(to)), want);
}

#[test]
fn known_addresses_and_sizes_of_copies_are_checked() {
    let said = |op: &str| compiled(&program("sm_90a", op)).1;
    for (op, want) in [
        (
            "bulk_copy_g2s %map, %tile, %bar {size = 24}",
            "size is 24; it has to be a multiple of 16",
        ),
        (
            "bulk_copy_g2s %map, %odd, %bar {size = 16}",
            "dstMem is 8; it has to be a multiple of 16",
        ),
        (
            "bulk_copy_g2s %map, %tile, %half_bar {size = 16}",
            "mbar is 1028; it has to be a multiple of 8",
        ),
        (
            "bulk_copy_s2g %odd, %map {size = 16}",
            "srcMem is 8; it has to be a multiple of 16",
        ),
        (
            "bulk_copy_s2s %tile, %odd, %bar, %n {size = 16}",
            "dstMem is 8; it has to be a multiple of 16",
        ),
        (
            "bulk_copy_s2s %tile, %tile, %bar, %half {size = 16}",
            "the rank of a block is an i32",
        ),
        (
            "bulk_copy_s2g %tile, %tile {size = 16}",
            "has this end in global memory",
        ),
        (
            "bulk_copy_g2s %tile, %tile, %bar {size = 16}",
            "has this end in global memory",
        ),
    ] {
        let said = said(op);
        assert!(
            matches!(said.as_slice(), [only] if only.contains(want)),
            "{op}: {said:#?}"
        );
    }
    let barrier = |op: &str| {
        let text = program("sm_90a", "X").replace("copies.X", op);
        compiled(&text).1
    };
    assert_eq!(barrier("gpu.mbarrier_init %bar {count = 1}"), [""; 0]);
    for (op, want) in [
        (
            "gpu.mbarrier_init %half_bar {count = 1}",
            "barrier address is 1028; it has to be a multiple of 8",
        ),
        (
            "gpu.mbarrier_arrive %half_bar",
            "barrier address is 1028; it has to be a multiple of 8",
        ),
        (
            "%pipe = pipe.create [], barriers %half_bar {producer = \"a\", consumers = [\"b\"], full = 1, empty = 1, bytes = \
             64} : pipe<tma, stages = 2>",
            "barrier address is 1028; it has to be a multiple of 8",
        ),
        (
            "gpu.mbarrier_init %bar {count = 0}",
            "expected arrival count is 0; it has to be from 1 to 1048575",
        ),
    ] {
        let said = barrier(op);
        assert!(
            matches!(said.as_slice(), [only] if only.contains(want)),
            "{op}: {said:#?}"
        );
    }
}

#[test]
fn known_places_of_tensor_copies_are_checked() {
    let said = |from: &str, to: &str| {
        let text = example();
        assert!(text.contains(from), "{from}");
        compiled(&text.replacen(from, to, 1)).1
    };
    let ring = "%in = tileas.alloc {align = 1024}";
    let minus = "%x = arith.constant {value = i32<-1>} : i32";
    for (from, to, want) in [
        (
            ring,
            "%in = tileas.alloc {align = 64}",
            "shared-memory address is 64; it has to be a multiple of 128",
        ),
        (
            "%x = tileas.program_id {axis = 0} : i32",
            minus,
            "tensorCoords[1] is -64; it has to be at least 0",
        ),
    ] {
        let said = said(from, to);
        assert!(
            matches!(said.as_slice(), [only] if only.contains(want)),
            "{to}: {said:#?}"
        );
    }
}

/// An example in `scheduled`.
fn scheduled(name: &str) -> String {
    let path = repository().join(format!("examples/scheduled/{name}.scheduled"));
    fs::read_to_string(path).expect("the example exists")
}

fn example() -> String {
    scheduled("maps_of_the_host")
}

#[test]
fn a_kernel_copies_by_tensor_maps_that_are_parameters() {
    let ptx = assembled(&example(), Target::sm_a(90));
    assert_eq!(ptx.matches(".param .align 64 .b8").count(), 2, "{ptx}");
    assert_eq!(ptx.matches("cvta.param.u64").count(), 2, "{ptx}");
    assert!(!ptx.contains("tensormap."), "{ptx}");
    let (rows, columns) = (100, 72);
    // Small integers as f16, whose doubles are exact.
    let half = |number: u16| match number {
        0 => 0,
        number => {
            (u16::try_from(number.ilog2()).unwrap_or(0) + 15) << 10
                | (number << (10 - number.ilog2())) & 0x3FF
        }
    };
    let number = |at: usize| u16::try_from(at * 7 % 61).unwrap_or(0);
    let bytes = |scale: u16| -> Vec<u8> {
        let numbers = (0..rows * columns).map(|at| half(scale * number(at)));
        numbers.flat_map(u16::to_le_bytes).collect()
    };
    let mut device = Device::new();
    let from = device.alloc("a", 2 * rows * columns, Init::Data(bytes(1)));
    let to = device.alloc("b", 2 * rows * columns, Init::Poison);
    let extents = [columns, rows].map(|extent| u32::try_from(extent).expect("small"));
    let map = |device: &Device, buffer| {
        let map = TensorMap {
            address: device.address(buffer),
            element: "f16".to_owned(),
            extents: extents.to_vec(),
            strides: vec![2 * columns as u64],
            selected: TensorBox::Tile(vec![64, 64]),
            steps: vec![1; 2],
            swizzle: TensorSwizzle::B128,
            fill_nan: false,
        };
        Arg::Scalar(map.encode().expect("a map").to_vec())
    };
    let arguments = [
        map(&device, from),
        map(&device, to),
        from.into(),
        to.into(),
        Arg::from(extents[1]),
        Arg::from(extents[0]),
    ];
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    device
        .launch(&module, "twice", [2, 2, 1], [160, 1, 1], 0, &arguments)
        .unwrap_or_else(|fault| panic!("{fault}"));
    assert!(device.read(to) == bytes(2));
}

#[test]
fn a_map_of_the_host_is_that_of_its_copies() {
    let from = "%from: tensor_map<f16, box = [64, 64], swizzle = \"128B\">";
    let wrong = |parameter: &str| {
        let text = example().replacen(from, &format!("%from: {parameter}"), 1);
        let (_, said) = compiled(&text);
        match said.as_slice() {
            [only] => only.clone(),
            said => panic!("{parameter}: {said:#?}"),
        }
    };
    assert_eq!(
        wrong("tensor_map<bf16, box = [64, 64], swizzle = \"128B\">"),
        "E0305: the parameter is a tensor map of BFLOAT16 in boxes of [64, 64] with swizzle CU_TENSOR_MAP_SWIZZLE_128B; the copy needs one of \
         FLOAT16 in boxes of [64, 64] with swizzle CU_TENSOR_MAP_SWIZZLE_128B"
    );
    for (parameter, want) in [
        (
            "tensor_map<f16, box = [64, 32], swizzle = \"128B\">",
            "in boxes of [64, 32]",
        ),
        (
            "tensor_map<f16, box = [64, 64]>",
            "with swizzle CU_TENSOR_MAP_SWIZZLE_NONE",
        ),
        (
            "tensor_map<f16, box = [64], swizzle = \"128B\">",
            "in boxes of [64] with",
        ),
        (
            "tensor_map<f16, box = [64, 257], swizzle = \"128B\">",
            "boxDim[1] is 257; it has to be from 1 to 256",
        ),
        (
            "tensor_map<f16, box = [128, 64], swizzle = \"128B\">",
            "at most 128",
        ),
        (
            "tensor_map",
            "a parameter is a number, a pointer, or a tensor map with",
        ),
        ("tensor_map<f16>", "`box = …`"),
    ] {
        let said = wrong(parameter);
        assert!(said.contains(want), "{parameter}: {said}");
    }
}

/// A map of `tf32` from the host rounds. Where it moved bits, the product would drop those that `tf32` lacks.
#[test]
fn loads_by_a_map_of_the_host_of_tf32_round() {
    let text = |element: &str| {
        let parameter =
            |name: &str| format!("%map_{name}: tensor_map<{element}, box = [32, 128], swizzle = \"128B\">, ");
        let own = scheduled("product_tf32");
        let lines = own.lines().filter(|line| !line.contains("tileas.tensor_map"));
        let text = lines.collect::<Vec<_>>().join("\n");
        text.replacen(
            "@product(",
            &format!("@product({}{}", parameter("a"), parameter("b")),
            1,
        )
    };
    let (_, said) = compiled(&text("f32"));
    let wanted = "a tensor map of FLOAT32 in boxes of [32, 128] with swizzle CU_TENSOR_MAP_SWIZZLE_128B; the copy needs one of \
                  TFLOAT32 in boxes";
    assert!(
        said.len() == 2 && said.iter().all(|said| said.contains(wanted)),
        "{said:#?}"
    );
    let ptx = assembled(&text("tf32"), Target::sm_a(90));
    assert!(!ptx.contains("tensormap."), "{ptx}");
    let mut device = Device::new();
    // Nearly 1 and nearly 2, from below.
    let mut operand = |name: &str, bits: u32| {
        let data = little_endian(std::iter::repeat_n(bits, 128 * 32));
        device.alloc(name, data.len(), Init::Data(data))
    };
    let (a, b) = (
        operand("a", 1f32.to_bits() - 1),
        operand("b", 2f32.to_bits() - 0x1000),
    );
    let c = device.alloc("c", 4 * 128 * 128, Init::Poison);
    let map = |of| {
        let map = TensorMap {
            address: device.address(of),
            element: "tf32".to_owned(),
            extents: vec![32, 128],
            strides: vec![128],
            selected: TensorBox::Tile(vec![32, 128]),
            steps: vec![1; 2],
            swizzle: TensorSwizzle::B128,
            fill_nan: false,
        };
        Arg::Scalar(map.encode().expect("a map").to_vec())
    };
    let sizes = [128, 128, 32u32].map(Arg::from);
    let arguments: Vec<Arg> = [map(a), map(b), a.into(), b.into(), c.into()]
        .into_iter()
        .chain(sizes)
        .collect();
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    device
        .launch(&module, "product", [1, 1, 1], [384, 1, 1], 0, &arguments)
        .unwrap_or_else(|fault| panic!("{fault}"));
    assert!(
        words(device.read(c))
            .into_iter()
            .all(|word| f32::from_bits(word) == 64.0)
    );
}

#[test]
fn descriptors_are_of_what_their_copies_move() {
    let of = |descriptor: &str, op: &str| {
        let text = program("sm_90a", op).replace(
            "%map: ptr<i8>",
            &format!("%map: cute_nvgpu.tma_descriptor_{descriptor}"),
        );
        compiled(&text).1
    };
    for (descriptor, op, want) in [
        (
            "tiled",
            "tma_load %map, %tile, %bar, [%n, %n, %n], [%half] {mode = im2col}",
            "of pixels",
        ),
        (
            "im2col",
            "tma_load %map, %tile, %bar, [%n, %n, %n], []",
            "of boxes",
        ),
        ("im2col", "tma_store %map, %tile, [%n, %n, %n]", "of boxes"),
    ] {
        let said = of(descriptor, op);
        assert!(
            matches!(said.as_slice(), [only] if only.contains(want)),
            "{op}: {said:#?}"
        );
    }
    assert_eq!(of("tiled", "tma_store %map, %tile, [%n, %n, %n]"), [""; 0]);
    // A map among the parameters is neither written nor acquired.
    let acquire = program("sm_90a", "X").replace("copies.X", "copies.acquire_tma_desc %map");
    assert_eq!(compiled(&acquire).1, [""; 0]);
    let acquire = acquire.replace("%map: ptr<i8>", "%map: cute_nvgpu.tma_descriptor_tiled");
    let said = compiled(&acquire).1;
    assert!(
        matches!(said.as_slice(), [only] if only.contains("that a kernel makes")),
        "{said:#?}"
    );
}

/// A program of one op for a target.
fn program(target: &str, op: &str) -> String {
    format!(
        "cute_desugared.func @k(%map: ptr<i8>, %n: i32, %half: i16, %policy: i64) {{target = {target}, kernel_spec = {{num_warps = 1, \
         num_ctas = 1}}, shared_bytes = 1032, shared_align = 128}} body {{\n  \
         %tile = fragment.shared_ptr {{offset = 0}} : ptr<f16, shared>\n  \
         %bar = fragment.shared_ptr {{offset = 1024}} : ptr<i64, shared>\n  \
         %odd = fragment.shared_ptr {{offset = 8}} : ptr<f16, shared>\n  \
         %half_bar = fragment.shared_ptr {{offset = 1028}} : ptr<i64, shared>\n  copies.{op}\n  scf.return\n}}\n"
    )
}

#[test]
fn rows_are_gathered_and_scattered_from_sm_100a_on() {
    let cases = [
        (
            "tma_load %map, %tile, %bar, [%n, %n, %n, %n, %n], [] {mode = tile_gather4}",
            ".tile::gather4.mbarrier",
        ),
        (
            "tma_store %map, %tile, [%n, %n, %n, %n, %n] {mode = tile_scatter4}",
            ".tile::scatter4.bulk_group",
        ),
        (
            "tma_prefetch %map, [%n, %n, %n, %n, %n], [] {mode = tile_gather4}",
            "prefetch.tensor.2d.L2.global.tile::gather4",
        ),
    ];
    for (op, form) in cases {
        let ptx = assembled(&program("sm_100a", op), Target::sm_a(100));
        assert!(ptx.contains(form), "{form} in\n{ptx}");
        let name = op.split(' ').next().unwrap_or_default();
        let mode = op
            .split("mode = ")
            .nth(1)
            .unwrap_or_default()
            .trim_end_matches('}');
        let (_, said) = compiled(&program("sm_90a", op));
        assert_eq!(
            said,
            [format!(
                "E0706: `copies.{name}` in mode `{mode}` needs sm_100a (PTX ISA 8.6) or sm_100f and its family \
                 (PTX ISA 8.8) or sm_110f and its family (PTX ISA 9.0); the target is sm_90a (PTX ISA, \
                 `cp.async.bulk.tensor`, target ISA notes)"
            )]
        );
    }
}

#[test]
fn tensor_copies_have_the_operands_of_their_mode() {
    let cases = [
        // One offset for each dimension of an image.
        (
            "tma_load %map, %tile, %bar, [%n, %n, %n, %n], [%half] {mode = im2col}",
            "have an offset along each",
        ),
        (
            "tma_load %map, %tile, %bar, [%n, %n, %n], [%n] {mode = im2col}",
            "all i16",
        ),
        (
            "tma_load %map, %tile, %bar, [%n, %n, %n], [%half]",
            "only pixels, in mode `im2col`",
        ),
        (
            "tma_load %map, %tile, %bar, [%n, %n], [] {mode = im2col}",
            "3 to 5 numbers",
        ),
        (
            "tma_load %map, %tile, %bar, [%n, %n], [] {mode = tile_gather4}",
            "a column and each row",
        ),
        (
            "tma_load %map, %tile, %bar, [%n, %n, %n, %n, %n], [] {mode = tile_scatter4}",
            "scattered by a store",
        ),
        (
            "tma_prefetch %map, [%n, %n, %n, %n, %n], [] {mode = tile_scatter4}",
            "scattered by a store",
        ),
        (
            "tma_store %map, %tile, [%n, %n, %n, %n, %n] {mode = tile_gather4}",
            "gathered by a load",
        ),
        (
            "tma_reduce %map, %tile, [%n, %n, %n, %n, %n] {kind = add, mode = tile_scatter4}",
            "no rows",
        ),
        (
            "tma_reduce %map, %tile, [%n] {kind = add, mode = im2col}",
            "3 to 5 numbers",
        ),
        ("bulk_prefetch %tile {size = 16}", "has this end in global memory"),
        ("bulk_prefetch %map {size = 24}", "a multiple of 16 bytes, not 24"),
    ];
    for (op, want) in cases {
        let (_, said) = compiled(&program("sm_90a", op));
        assert!(
            matches!(said.as_slice(), [only] if only.contains(want)),
            "{op}: {said:#?}"
        );
    }
    let (_, said) = compiled(&program("sm_80", "bulk_prefetch %map {size = 16}"));
    assert!(
        matches!(said.as_slice(), [only] if only.contains("needs sm_90 and later (PTX ISA 8.0); the target is sm_80")),
        "{said:#?}"
    );
}
