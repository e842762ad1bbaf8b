//! Pipelined kernels, written by hand in `scheduled` and made from tile programs: the code for each target computes the
//! correct product in the simulator, which detects races and deadlocks.

mod deletions;

use std::fs;

use tilewright::{Compiler, Language, Request, joins, ptxas};
use tilewright_diagnostics::{Code, FileId};
use tilewright_irs::isa::Target;
use tilewright_irs::ptx::Module;
use tilewright_simulator::{Arg, Device, Init, Outcome};
use tilewright_tests::{needed, repository};

/// The extents of the operands, `m x k` and `k x n`.
type Extents = [usize; 3];

fn compiled(file: &str, text: &str, target: Target) -> String {
    // The text specifies its GPU.
    let text = text.replace("target = sm_80", &format!("target = {target}"));
    let request = Request::default();
    lowered(file, &text, request, target)
}

/// The PTX of a program.
fn lowered(file: &str, text: &str, request: Request, target: Target) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source(file, text.as_bytes());
    let options = compiler.options(Request {
        verify_each: true,
        ..request
    });
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    assert!(said.is_empty(), "{file} for {target}: {said:#?}");
    ptx.unwrap_or_else(|| panic!("{file} for {target}: no PTX"))
        .to_string()
}

/// Small integers, all sums of which are exact.
fn numbers(count: usize, seed: usize) -> Vec<i16> {
    let number = |i: usize| i16::try_from((i * 7 + i / 5 * 3 + seed) % 9).unwrap_or(0) - 4;
    (0..count).map(number).collect()
}

/// The bits of a small integer as f16.
fn half(number: i16) -> u16 {
    let magnitude = number.unsigned_abs();
    if magnitude == 0 {
        return 0;
    }
    let exponent = u16::try_from(magnitude.ilog2()).unwrap_or(0);
    let sign = u16::from(number < 0) << 15;
    sign | (exponent + 15) << 10 | (magnitude << (10 - exponent)) & 0x3FF
}

fn bytes(numbers: &[i16]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|&number| half(number).to_le_bytes())
        .collect()
}

fn product([m, n, k]: Extents, a: &[i16], b: &[i16]) -> Vec<f32> {
    let element = |i: usize| -> f32 {
        let (row, column) = (i / n, i % n);
        let sum: i32 = (0..k)
            .map(|j| i32::from(a[row * k + j]) * i32::from(b[j * n + column]))
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let sum = sum as f32;
        sum
    };
    (0..m * n).map(element).collect()
}

/// Runs the kernel of `file` in the simulator.
fn check(file: &str, target: Target, extents: Extents) {
    multiply(
        &format!("{file} for {target}"),
        &compiled(file, &example(file), target),
        extents,
        bytes,
    );
}

/// Runs a kernel that multiplies matrices, the right one of elements that `right_bytes` encodes.
fn multiply(kernel: &str, ptx: &str, extents: Extents, right_bytes: fn(&[i16]) -> Vec<u8>) {
    multiply_tiles(kernel, ptx, extents, [64, 64], right_bytes);
}

/// Runs a kernel with a block for each tile of the result.
fn multiply_tiles(
    kernel: &str,
    ptx: &str,
    extents: Extents,
    tile: [usize; 2],
    right_bytes: fn(&[i16]) -> Vec<u8>,
) {
    let formats = Formats {
        right_bytes,
        ..F16_IN_F32
    };
    let [rows, columns] = tiles(extents, tile);
    multiply_blocks(kernel, ptx, extents, [rows, columns], &formats);
}

/// The number of tiles of the result along each axis.
fn tiles([m, n, _]: Extents, tile: [usize; 2]) -> [u32; 2] {
    [m.div_ceil(tile[0]), n.div_ceil(tile[1])].map(|count| u32::try_from(count).expect("few tiles"))
}

/// How a kernel has its operands and its result in memory.
struct Formats {
    /// The bytes of the left operand.
    left: fn(&[i16]) -> Vec<u8>,
    /// The order of the elements of the right operand.
    right: fn(&[i16], Extents) -> Vec<i16>,
    /// The bytes of the right operand.
    right_bytes: fn(&[i16]) -> Vec<u8>,
    /// The result.
    result: fn(&[u8]) -> Vec<f32>,
}

/// Matrices of f16 row by row, and a product in f32.
const F16_IN_F32: Formats = Formats {
    left: bytes,
    right: |numbers, _| Vec::from(numbers),
    right_bytes: bytes,
    result: floats,
};

/// Matrices of f16 row by row, and a product in f16.
const F16: Formats = Formats {
    result: halves,
    ..F16_IN_F32
};

/// Matrices of e4m3, the right one column by column, and a product in f16.
const E4M3: Formats = Formats {
    left: e4m3,
    right: transposed,
    right_bytes: e4m3,
    result: halves,
};

/// Matrices of f32 that are rounded to tf32, the right one column by column, and a product in f32.
const TF32: Formats = Formats {
    left: near,
    right: transposed,
    right_bytes: near,
    result: floats,
};

/// Matrices of f32 row by row that are rounded to tf32, and a product in f32.
const TF32_ROWS: Formats = Formats {
    right: |numbers, _| Vec::from(numbers),
    ..TF32
};

/// Numbers of f32 whose nearest ones of tf32 are these: on both sides of them, up to halfway to the next.
fn near(numbers: &[i16]) -> Vec<u8> {
    const HALF: u32 = 0x1000;
    let bits = numbers.iter().enumerate().map(|(at, &number)| {
        let bits = f32::from(number).to_bits();
        match (at % 4, number) {
            (0, _) => bits + HALF,
            (1, _) | (_, 0) => bits + HALF - 1,
            (2, _) => bits - HALF,
            _ => bits - 1,
        }
    });
    bits.flat_map(u32::to_le_bytes).collect()
}

/// Runs a kernel with so many blocks.
fn multiply_blocks(kernel: &str, ptx: &str, extents: Extents, grid: [u32; 2], formats: &Formats) {
    let module = tilewright_grammar::ptx::parse(FileId(0), ptx).module;
    let is_product = multiplies(&module, extents, grid, formats)
        .unwrap_or_else(|fault| panic!("{kernel}, {extents:?}: {fault}"));
    assert!(is_product, "{kernel}, {extents:?}: another product");
}

/// Whether a kernel with so many blocks computes the product.
fn multiplies(module: &Module, extents: Extents, grid: [u32; 2], formats: &Formats) -> Outcome<bool> {
    let [m, n, k] = extents;
    let (a, b) = (numbers(m * k, 1), numbers(k * n, 5));
    let mut device = Device::new();
    let left = (formats.left)(&a);
    let left = device.alloc("a", left.len(), Init::Data(left));
    let right = (formats.right_bytes)(&(formats.right)(&b, extents));
    let right = device.alloc("b", right.len(), Init::Data(right));
    let width = 4 / (formats.result)(&[0; 4]).len();
    let out = device.alloc("c", width * m * n, Init::Poison);
    let size = |extent: usize| Arg::from(i32::try_from(extent).expect("a small extent"));
    let arguments = [left.into(), right.into(), out.into(), size(m), size(n), size(k)];
    device.launch(module, "product", [grid[0], grid[1], 1], [1, 1, 1], 0, &arguments)?;
    Ok((formats.result)(device.read(out)) == product(extents, &a, &b))
}

/// What the simulator says of a product by one block, whose result has elements of `width` bytes; nothing if there is no fault.
fn fault(ptx: &str, [m, n, k]: Extents, width: usize) -> String {
    let module = tilewright_grammar::ptx::parse(FileId(0), ptx).module;
    let mut device = Device::new();
    let [a, b] = [m * k, k * n].map(|count| device.alloc("operand", 2 * count, Init::Data(Vec::new())));
    let c = device.alloc("c", width * m * n, Init::Poison);
    let size = |extent: usize| Arg::from(i32::try_from(extent).expect("a small extent"));
    let arguments = [a.into(), b.into(), c.into(), size(m), size(n), size(k)];
    let launched = device.launch(&module, "product", [1, 1, 1], [threads(ptx), 1, 1], 0, &arguments);
    launched.err().map(|fault| fault.to_string()).unwrap_or_default()
}

/// The text of an example.
fn example(file: &str) -> String {
    fs::read_to_string(repository().join("examples/scheduled").join(file)).expect("the example exists")
}

/// The number of threads of a block that the PTX requires.
fn threads(ptx: &str) -> u32 {
    let line = ptx.lines().find_map(|line| line.strip_prefix(".reqntid "));
    let count = line.and_then(|line| line.split(',').next()?.parse().ok());
    count.expect("a number of threads")
}

/// Whole tiles; a depth that ends within a stage; extents that end within a tile; a depth of fewer stages than the
/// pipe has.
const EXTENTS: [Extents; 4] = [[64, 64, 256], [64, 64, 200], [72, 136, 96], [64, 64, 16]];

#[test]
fn two_agents_and_a_ring_of_four_stages_multiply() {
    for target in [Target::sm(80), Target::sm_a(90)] {
        for extents in EXTENTS {
            check("product_two_agents.scheduled", target, extents);
        }
    }
}

/// Agents that wait for the grids before, and allow those after to start.
#[test]
fn a_product_waits_for_the_grids_before_it() {
    let file = "product_two_agents.scheduled";
    let text = example(file)
        .replace("warps = 4} body {", "warps = 4} body {\n    gpu.wait_for_grids")
        .replace(
            "    scheduled.end",
            "    gpu.launch_dependents\n    scheduled.end",
        );
    let target = Target::sm_a(90);
    let ptx = compiled(file, &text, target);
    for op in ["griddepcontrol.wait;", "griddepcontrol.launch_dependents;"] {
        assert_eq!(ptx.matches(op).count(), 2, "{op} in\n{ptx}");
    }
    multiply(file, &ptx, [64, 64, 96], bytes);

    let mut compiler = Compiler::new();
    let source = compiler.add_source(file, text.as_bytes());
    let options = compiler.options(Request::default());
    let (_, said) = joins::compile(&compiler, source, options, Language::Ptx);
    let said: Vec<_> = said
        .iter()
        .map(|said| format!("{}: {}", said.code, said.message))
        .collect();
    let op = |op: &str| format!("E0706: `gpu.{op}` needs sm_90 and later (PTX ISA 7.8); the target is sm_80");
    let both = [op("wait_for_grids"), op("launch_dependents")];
    assert_eq!(said, [&both[..], &both[..]].concat());
}

/// Tensor copies and products of warp groups: extents that end within a tile, a depth that ends within a stage, and one
/// of more stages than the ring has.
#[test]
fn warp_groups_and_tensor_copies_multiply() {
    let file = "product_warpgroups.scheduled";
    let target = Target::sm_a(90);
    let text = example(file);
    let ptx = compiled(file, &text, target);
    for extents in [[128, 256, 64], [72, 136, 96], [136, 264, 328]] {
        multiply_tiles(file, &ptx, extents, [128, 256], bytes);
    }
}

/// Each step of 128 is summed on its own: depths of one step, of a part of one, and of more steps than the ring has stages.
#[test]
fn a_product_of_f8_is_summed_in_two_levels() {
    let file = "product_fp8.scheduled";
    let ptx = compiled(file, &example(file), Target::sm_a(90));
    for extents in [[128, 128, 128], [72, 136, 96], [136, 72, 912]] {
        multiply_blocks(file, &ptx, extents, tiles(extents, [128, 128]), &E4M3);
    }
}

#[test]
fn copies_round_the_operands_of_a_product_of_tf32() {
    let file = "product_tf32.scheduled";
    let ptx = compiled(file, &example(file), Target::sm_a(90));
    for extents in [[128, 128, 32], [72, 136, 96], [136, 72, 452]] {
        multiply_blocks(file, &ptx, extents, tiles(extents, [128, 128]), &TF32);
    }
}

/// A matrix `k x n` column by column.
fn transposed(numbers: &[i16], [_, n, k]: Extents) -> Vec<i16> {
    (0..n * k).map(|i| numbers[i % k * n + i / k]).collect()
}

/// Small integers as e4m3.
fn e4m3(numbers: &[i16]) -> Vec<u8> {
    let byte = |&number: &i16| {
        let [low, high] = half(number).to_le_bytes();
        // The exponent has one bit less than that of f16, the fraction seven; they are exact.
        let magnitude = u16::from_le_bytes([low, high & 0x7F]) >> 7;
        let bits = magnitude.saturating_sub(8 << 3).to_le_bytes()[0];
        bits | high & 0x80
    };
    numbers.iter().map(byte).collect()
}

/// Numbers of f16 that are zero or normal.
fn halves(bytes: &[u8]) -> Vec<f32> {
    let float = |pair: &[u8]| {
        let bits = u32::from(u16::from_le_bytes([pair[0], pair[1]]));
        let (sign, magnitude) = (bits >> 15 << 31, bits & 0x7FFF);
        match magnitude {
            0 => 0.0,
            _ => f32::from_bits(sign | (magnitude + (112 << 10)) << 13),
        }
    };
    bytes.chunks(2).map(float).collect()
}

/// Two agents take the tiles of a persistent block in turns: a single tile, which leaves one of them without any; an odd
/// number for each block; more steps than the ring has stages.
#[test]
fn two_agents_multiply_in_turns() {
    let file = "product_pingpong.scheduled";
    let ptx = compiled(file, &example(file), Target::sm_a(90));
    for (extents, blocks) in [([128, 128, 64], 1), ([264, 264, 72], 3), ([72, 264, 456], 1)] {
        multiply_blocks(file, &ptx, extents, [blocks, 1], &F16);
    }
}

/// What the simulator says of the products in turns after an edit of their text, for three tiles of one block.
fn fault_in_turns(edits: &[(&str, &str)]) -> String {
    let file = "product_pingpong.scheduled";
    let text = edited(file, edits);
    let ptx = compiled(file, &text, Target::sm_a(90));
    fault(&ptx, [8, 264, 456], 2)
}

#[test]
fn agents_that_do_not_keep_their_turns_are_found_out() {
    assert_eq!(fault_in_turns(&[]), "");
    // Both wait for the stages of the first tile; no agent waits for its turn, or has one: it may ask for the second phase
    // of a stage before the first is complete, which has the parity of the phase before that; none passes its turn on.
    let (lock, unlock) = (("pipe.lock %turn", ""), ("pipe.unlock %turn", ""));
    let advance = ("pipe.advance %start, count %steps", "pipe.advance %start");
    for (edits, words) in [
        (&[advance][..], "nobody waited for"),
        (&[lock], "nobody waited for"),
        (&[lock, unlock], "nobody waited for"),
        (&[unlock], "at barrier 2, 128 threads arrived of 256"),
    ] {
        let said = fault_in_turns(edits);
        assert!(said.contains(words), "{edits:?}: {said}");
    }
}

/// Two blocks of a cluster share the tiles of B; below an odd number of tiles of the result there is one more block.
#[test]
fn blocks_of_a_cluster_share_an_operand() {
    let file = "product_multicast.scheduled";
    let ptx = compiled(file, &example(file), Target::sm_a(90));
    for extents in [[256, 256, 64], [72, 136, 96], [264, 264, 328]] {
        let [rows, columns] = tiles(extents, [128, 256]);
        let grid = [rows.div_ceil(2), columns];
        multiply_blocks(file, &ptx, extents, grid, &F16_IN_F32);
    }
}

/// The text of an example after these edits.
fn edited(file: &str, edits: &[(&str, &str)]) -> String {
    let mut text = example(file);
    for (from, to) in edits {
        assert!(text.contains(from), "{file} has no `{from}`");
        text = text.replace(from, to);
    }
    text
}

/// A program of the examples with these edits is refused, with one error that has these words.
fn refused(file: &str, edits: &[(&str, &str)], words: &str) {
    let text = edited(file, edits);
    let mut compiler = Compiler::new();
    let source = compiler.add_source(file, text.as_bytes());
    let options = compiler.options(Request::default());
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    assert!(ptx.is_none(), "{edits:?}: accepted");
    assert!(
        matches!(said.as_slice(), [only] if only.message.contains(words)),
        "{edits:?}: {said:#?}"
    );
}

#[test]
fn wrong_turns_and_wrong_shares_of_a_cluster_are_refused() {
    let file = "product_fp8.scheduled";
    // A sum that is not complete.
    refused(file, &[("%before, %step", "%before, %begun")], "is `pending<");
    let file = "product_pingpong.scheduled";
    refused(file, &[("in_turns, ", "")], "should arrive 8 times");
    refused(file, &[("empty = 4", "empty = 8")], "should arrive 4 times");
    refused(
        file,
        &[("%start, count %steps", "%start, count %zeros")],
        "is an i32",
    );
    let file = "product_multicast.scheduled";
    refused(file, &[("num_ctas = 2", "num_ctas = 1")], "there is no other one");
    refused(file, &[("num_ctas = 2", "num_ctas = 32")], "from 1 to 16");
    refused(file, &[("empty = 16", "empty = 8")], "should arrive 16 times");
    refused(file, &[("multicast = 3", "multicast = 1")], "is not that of all");
    let a = "%stage_a, map %map_a {dim_map = [0, 1], steps = [128, 64], padding = zero, inbounds = [false, false], atom = tma<box = [128, 64], ";
    refused(
        file,
        &[(a, &format!("{a}multicast = 3, "))],
        "here 2 blocks, 1 of [128, 64]",
    );
    let own = [("empty = 16", "empty = 8"), ("tma_multicast", "tma")];
    refused(file, &own, "empty in every block");
    let file = "product_persistent.scheduled";
    let stores = "%full0, map %map_c {dim_map = [0, 1], steps = [128, 64], inbounds = [false, false], atom = tma<box = [128, 64]";
    let shared = format!("{stores}, multicast = 1");
    refused(file, &[(stores, &shared)], "stores from that of one");
}

/// What is refused, with its numbers, of a program with tensor copies and products of warp groups.
#[test]
fn wrong_maps_copies_and_pending_products_are_refused() {
    let file = "product_warpgroups.scheduled";
    let text = example(file);
    let last = r#"[%from_a, %from_b]"#;
    for (from, to, words) in [
        // A map of another array; of another box; a scratch buffer that is not aligned.
        ("map %map_b", "map %map_a", "another array"),
        (
            "%scratch_b {dim_map = [0, 1], atom = tma<box = [64, 64], swizzle = \"128B\">}",
            "%scratch_b {dim_map = [0, 1], atom = tma<box = [32, 64], swizzle = \"128B\">}",
            "boxes of [32, 64]",
        ),
        (
            "%scratch_a = tileas.alloc {align = 128}",
            "%scratch_a = tileas.alloc {align = 64}",
            "aligned to 128 bytes",
        ),
        (", map %map_a", "", "by the tensor map of the array"),
        // A copy that its stage does not wait for; bytes that are not those of a stage.
        (last, "[%from_a]", "not among those"),
        ("bytes = 49152", "bytes = 49000", "49152 bytes"),
        // Registers of a product that are used twice; register budgets above what the block begins with.
        (
            "scf.continue [%product, %token, %next]",
            "scf.continue [%acc, %token, %next]",
            "given to another op",
        ),
        (
            "registers = 232",
            "registers = 256",
            "6144 more than they begin with, 168 a thread",
        ),
        ("registers = 40", "registers = 41", "multiple of 8"),
        (
            "first_warp = 8, warps = 4",
            "first_warp = 8, warps = 3",
            "a power of two",
        ),
    ] {
        assert!(text.contains(from), "the example has `{from}`");
        let mut compiler = Compiler::new();
        let source = compiler.add_source(file, text.replace(from, to).as_bytes());
        let options = compiler.options(Request::default());
        let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
        assert!(ptx.is_none(), "{to}: accepted");
        let found = said.iter().any(|problem| problem.message.contains(words));
        assert!(found, "{to}: {said:#?}");
    }
}

#[test]
fn mistakes_are_refused_in_the_language_where_they_are_made() {
    for (file, from, to, words) in [
        (
            "scheduled.expand_schedule/stores.in.scheduled",
            "tileas.dot %30, %34,",
            "tileas.dot %30, %31,",
            "before a copy into it is complete",
        ),
        (
            "llvm_to_nvvm.select_instructions/replicas.in.llvm",
            "guard %130, [%139]",
            "guard %130, [%130]",
            "where its guard does not hold differ in type",
        ),
    ] {
        let path = repository().join("golden").join(file);
        let text = fs::read_to_string(path).expect("the text exists");
        assert!(text.contains(from), "{file} has `{from}`");
        let mut compiler = Compiler::new();
        let source = compiler.add_source(file, text.replacen(from, to, 1).as_bytes());
        let options = compiler.options(Request::default());
        let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
        assert!(ptx.is_none(), "{file}: accepted");
        let messages: Vec<&str> = said.iter().map(|problem| problem.message.as_str()).collect();
        assert!(
            matches!(messages.as_slice(), [only] if only.contains(words)),
            "{file}: {messages:#?}"
        );
        assert!(said.iter().all(|problem| problem.code != Code::InvalidStage));
    }
}

/// The threads of 16 warps begin with 128 registers each, however they are divided later.
#[test]
fn products_that_need_more_registers_than_threads_begin_with_are_refused() {
    let file = "product_warpgroups.scheduled";
    let mut text = example(file);
    for (from, to) in [
        ("num_warps = 12", "num_warps = 16"),
        ("registers = 232", "registers = 168"),
    ] {
        assert!(text.contains(from), "the example has `{from}`");
        text = text.replace(from, to);
    }
    let mut compiler = Compiler::new();
    let source = compiler.add_source(file, text.as_bytes());
    let options = compiler.options(Request::default());
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    assert!(ptx.is_none(), "accepted");
    let said: Vec<String> = said.iter().map(|problem| problem.message.to_string()).collect();
    let words = "`wgmma<n = 256>` needs 154 registers a thread, 128 of them for its operands; threads begin with 128, with 16 \
                 warps a block and 1 block on a multiprocessor, and what `setmaxnreg` gives later does not count";
    // One for each of the two products.
    assert_eq!(said, [words, words]);
}

#[test]
fn one_agent_and_groups_of_copies_multiply() {
    for target in [Target::sm(80), Target::sm_a(90)] {
        for extents in EXTENTS {
            check("product_one_agent.scheduled", target, extents);
        }
    }
}

/// Depths of 0 to 9 iterations of 32, some of which end within an iteration, and extents that end within a tile.
const DEPTHS: [Extents; 11] = [
    [64, 64, 0],
    [64, 64, 8],
    [64, 64, 32],
    [64, 64, 64],
    [64, 64, 96],
    [72, 136, 104],
    [64, 64, 128],
    [64, 64, 160],
    [64, 64, 192],
    [72, 64, 224],
    [64, 64, 288],
];

/// The product of the tile program in `tests/data/product.mlir`, with these replacements in its text.
fn tile_product(edits: &[(&str, &str)], request: Request, target: Target) -> String {
    let file = "tests/data/product.mlir";
    let mut text = fs::read_to_string(repository().join(file)).expect("the program exists");
    for (from, to) in edits {
        assert!(text.contains(from), "{file} has no `{from}`");
        text = text.replace(from, to);
    }
    let request = Request {
        target: Some(target),
        ..request
    };
    lowered(file, &text, request, target)
}

#[test]
fn loads_of_a_loop_are_pipelined_for_any_number_of_iterations() {
    for target in [Target::sm(80), Target::sm_a(90)] {
        let ptx = tile_product(&[], Request::default(), target);
        assert!(ptx.contains("cp.async"), "{target}: loads are not asynchronous");
        for extents in DEPTHS {
            multiply(&format!("pipelined for {target}"), &ptx, extents, bytes);
        }
    }
}

/// Accumulators of 256 x 256 do not fit in registers: the halves of the tile are computed one after the other.
#[test]
fn accumulators_that_do_not_fit_are_split() {
    let edits = [("64x64", "256x256"), ("64x32", "256x32"), ("32x64", "32x256")];
    let target = Target::sm_a(90);
    let ptx = tile_product(&edits, Request::default(), target);
    // Two loops of 128 x 256 x 32 by two warp groups: for each group one product of 64 x 256 x 16 for each step, and for those of the
    // first iteration, which begin before the loop.
    assert_eq!(ptx.matches("wgmma.mma_async").count(), 2 * 2 * 2);
    for extents in [[64, 64, 0], [300, 136, 104], [64, 264, 64]] {
        multiply("split", &ptx, extents, bytes);
    }
}

/// Of operands of 96 KiB, two stages fit: each product is two, with four stages of half the depth. The depth ends within the first half
/// of a tile, within the second one, and with a tile.
#[test]
fn products_with_large_operands_are_split_along_their_depth() {
    let edits = [
        ("ptr<f16>", "ptr<f32>"),
        ("tensor_view<?x?xf16", "tensor_view<?x?xf32"),
        ("64x64", "256x128"),
        ("64x32", "256x64"),
        ("32x64", "64x128"),
        (
            "-> tile<256x64xf16>, token",
            "-> tile<256x64xf32>, token\n    %lc = ftof %la : tile<256x64xf32> -> tile<256x64xtf32>",
        ),
        (
            "-> tile<64x128xf16>, token",
            "-> tile<64x128xf32>, token\n    %rc = ftof %lb : tile<64x128xf32> -> tile<64x128xtf32>",
        ),
        ("mmaf %la, %lb", "mmaf %lc, %rc"),
        (
            "tile<256x64xf16>, tile<64x128xf16>",
            "tile<256x64xtf32>, tile<64x128xtf32>",
        ),
    ];
    let ptx = tile_product(&edits, Request::default(), Target::sm_a(90));
    // Four in each of two products of 32 along the depth, in the loop and in the iteration after it.
    let count = ptx.matches("wgmma.mma_async.sync.aligned.m64n256k8").count();
    assert_eq!(count, 2 * 2 * 4);
    for extents in [[64, 64, 24], [300, 136, 112], [64, 136, 320], [64, 64, 0]] {
        multiply_blocks("split", &ptx, extents, tiles(extents, [256, 128]), &TF32_ROWS);
    }
}

/// Two stages of 128 KiB do not fit, nor do two of each half: three pairs of halves take the stages of one ring in turn.
#[test]
fn halves_of_products_take_the_stages_of_a_ring_in_turn() {
    let edits = [("64x32", "64x512"), ("32x64", "512x64")];
    let ptx = tile_product(&edits, Request::default(), Target::sm_a(90));
    assert!(ptx.contains("wgmma") && ptx.contains("cp.async.bulk.tensor") && ptx.contains("65536"));
    for extents in [[64, 64, 0], [40, 72, 40], [64, 64, 1032]] {
        multiply("halves in turn", &ptx, extents, bytes);
    }
}

/// A block with a product of 64 x 256 has a multiprocessor for itself: two would begin with too few registers.
#[test]
fn wide_products_begin_with_the_registers_that_they_need() {
    let edits = [("64x64", "64x256"), ("32x64", "32x256")];
    let target = Target::sm_a(90);
    let ptx = tile_product(&edits, Request::default(), target);
    assert!(ptx.contains("wgmma.mma_async.sync.aligned.m64n256k16") && !ptx.contains(".maxnreg 128"));
    for extents in [[64, 64, 0], [100, 520, 104]] {
        multiply("wide", &ptx, extents, bytes);
    }
    if let Some(assembler) = needed("TILEWRIGHT_PTXAS") {
        ptxas::assemble(&assembler, &ptx, target, 3, false).expect("ptxas accepts it");
    }
}

#[test]
fn without_optimisation_loads_are_not_pipelined() {
    let request = Request {
        opt_level: 0,
        ..Request::default()
    };
    let ptx = tile_product(&[], request, Target::sm_a(90));
    assert!(!ptx.contains("cp.async"));
    multiply("without optimisation", &ptx, [64, 64, 96], bytes);
}

#[test]
fn tiles_that_are_converted_are_loaded_to_registers_an_iteration_ahead() {
    let converted = [
        (
            "%pb = assume div_by<16>, %b : tile<ptr<f16>>",
            "%pb = assume div_by<16>, %b : tile<ptr<f32>>",
        ),
        ("%b: tile<ptr<f16>>", "%b: tile<ptr<f32>>"),
        (
            "%vb = make_tensor_view %pb, shape = [%k8, %n8], strides = [%n8, 1] : tile<i32> -> tensor_view<?x?xf16",
            "%vb = make_tensor_view %pb, shape = [%k8, %n8], strides = [%n8, 1] : tile<i32> -> tensor_view<?x?xf32",
        ),
        (
            "partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16",
            "partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf32",
        ),
        (
            "-> tile<32x64xf16>, token",
            "-> tile<32x64xf32>, token\n    %lc = ftof %lb : tile<32x64xf32> -> tile<32x64xf16>",
        ),
        ("mmaf %la, %lb", "mmaf %la, %lc"),
    ];
    let ptx = tile_product(&converted, Request::default(), Target::sm_a(90));
    let words = |numbers: &[i16]| -> Vec<u8> {
        let numbers = numbers.iter();
        numbers
            .flat_map(|&number| f32::from(number).to_le_bytes())
            .collect()
    };
    for extents in DEPTHS {
        multiply("converted", &ptx, extents, words);
    }
}

#[test]
fn tiles_that_are_loaded_through_pointers_are_copied_asynchronously() {
    let file = "tests/data/product_by_pointers.mlir";
    let text = fs::read_to_string(repository().join(file)).expect("the program exists");
    for target in [Target::sm(80), Target::sm_a(90)] {
        let request = Request {
            target: Some(target),
            ..Request::default()
        };
        let ptx = lowered(file, &text, request, target);
        // All loads of the loop, and those of the iterations before it, unless another agent does them all in its loop.
        let least = if target == Target::sm(80) { 4 } else { 2 };
        assert!(
            ptx.matches("cp.async.cg").count() >= least && !ptx.contains("ld.global"),
            "{ptx}"
        );
        for extents in DEPTHS {
            multiply(&format!("through pointers for {target}"), &ptx, extents, bytes);
        }
    }
}

#[test]
fn a_hint_for_the_latency_sets_the_number_of_stages() {
    let hinted = |latency: u32| {
        let hint = format!(
            "load_view_tko weak %ta[%x, %i] token = %t optimization_hints = <sm_90 = {{latency = {latency}}}>"
        );
        let edit = [("load_view_tko weak %ta[%x, %i] token = %t", hint.as_str())];
        tile_product(&edit, Request::default(), Target::sm_a(90))
    };
    let bytes_of = |ptx: &str| -> u32 {
        let line = ptx
            .lines()
            .find(|line| line.contains("_shared["))
            .expect("shared memory");
        let size = line.split(['[', ']']).nth(1).expect("its size");
        size.parse().expect("a number of bytes")
    };
    let (two, eight) = (hinted(1), hinted(7));
    assert!(bytes_of(&two) < bytes_of(&eight));
    for extents in DEPTHS {
        multiply("two stages", &two, extents, bytes);
        multiply("eight stages", &eight, extents, bytes);
    }
}

/// Buffers that are read one after the other, of which two stages do not fit in shared memory, are filled again while the
/// other one is read.
#[test]
fn buffers_without_room_for_two_stages_are_refilled() {
    let file = "tests/data/chained_products.mlir";
    let text = fs::read_to_string(repository().join(file)).expect("the program exists");
    let target = Target::sm(89);
    let request = Request {
        target: Some(target),
        ..Request::default()
    };
    let ptx = lowered(file, &text, request, target);
    assert!(
        ptx.contains("cp.async.wait_group 1;"),
        "no copy is in flight while another buffer is read: {ptx}"
    );
    for (rows, depth) in [(64, 0), (64, 8), (64, 128), (72, 200), (64, 256), (64, 640)] {
        chain(&format!("{rows} rows, depth {depth}"), &ptx, rows, depth);
    }
}

/// Runs the kernel of `chained_products.mlir`.
fn chain(case: &str, ptx: &str, rows: usize, depth: usize) {
    let module = tilewright_grammar::ptx::parse(FileId(0), ptx).module;
    let (a, b, c) = (
        numbers(rows * 64, 1),
        numbers(64 * depth, 5),
        numbers(depth * 64, 3),
    );
    let mut device = Device::new();
    let [left, middle, right] = [("a", &a), ("b", &b), ("c", &c)]
        .map(|(name, numbers)| device.alloc(name, 2 * numbers.len(), Init::Data(bytes(numbers))));
    let out = device.alloc("d", 4 * rows * 64, Init::Poison);
    let size = |extent: usize| Arg::from(i32::try_from(extent).expect("a small extent"));
    let arguments = [
        left.into(),
        middle.into(),
        right.into(),
        out.into(),
        size(rows),
        size(depth),
    ];
    let blocks = u32::try_from(rows.div_ceil(64)).expect("few blocks");
    device
        .launch(
            &module,
            "chain",
            [blocks, 1, 1],
            [threads(ptx), 1, 1],
            0,
            &arguments,
        )
        .unwrap_or_else(|fault| panic!("{case}: {fault}"));
    let got = floats(device.read(out));
    // Integers below 2048 are exact in f16.
    let products = product([rows, depth, 64], &a, &b);
    #[expect(clippy::cast_possible_truncation, reason = "small integers")]
    let products: Vec<i16> = products.iter().map(|&element| element as i16).collect();
    assert!(
        got == product([rows, 64, depth], &products, &c),
        "{case}: another product"
    );
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks(4)
        .map(|word| f32::from_le_bytes(<[u8; 4]>::try_from(word).expect("four bytes")))
        .collect()
}

/// The simulator's diagnostic of the one-agent product after an edit of its text.
fn fault_after(from: &str, to: &str) -> String {
    let file = "product_one_agent.scheduled";
    let text = example(file);
    assert!(text.contains(from), "{file} has no `{from}`");
    let ptx = compiled(file, &text.replacen(from, to, 1), Target::sm(80));
    fault(&ptx, [64, 64, 128], 4)
}

#[test]
fn a_stage_that_is_still_under_way_is_reported_as_a_race() {
    assert_eq!(fault_after("in_flight = 2", "in_flight = 1"), "");
    let said = fault_after("in_flight = 2", "in_flight = 3");
    assert!(said.contains("asynchronous copy"), "{said}");
}

#[test]
fn a_ring_hands_an_array_over_in_turns() {
    let file = "golden/scheduled_to_cute_desugared.lower_fragments/ring.in.scheduled";
    let text = fs::read_to_string(repository().join(file)).expect("the golden input");
    let ptx = compiled(file, &text, Target::sm(80));
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    for count in [128usize, 256, 1280] {
        let data: Vec<u8> = (0..4 * count)
            .map(|i| u8::try_from(i * 31 % 251).unwrap_or(0))
            .collect();
        let mut device = Device::new();
        let from = device.alloc("from", 4 * count, Init::Data(data.clone()));
        let to = device.alloc("to", 4 * count, Init::Poison);
        let arguments = [
            from.into(),
            to.into(),
            Arg::from(i32::try_from(count).expect("few")),
        ];
        device
            .launch(&module, "ring", [1, 1, 1], [threads(&ptx), 1, 1], 0, &arguments)
            .unwrap_or_else(|fault| panic!("{count}: {fault}"));
        assert!(device.read(to) == data, "{count} elements");
    }
}

/// Cache policies change nothing but when lines are evicted.
#[test]
fn loads_and_stores_have_cache_policies() {
    let folder = "golden/scheduled_to_cute_desugared.lower_fragments";
    let target = Target::sm_a(90);
    let compiled = |case: &str| {
        let file = format!("{folder}/{case}.in.scheduled");
        let text = fs::read_to_string(repository().join(&file)).expect("the program exists");
        let ptx = lowered(&file, &text, Request::default(), target);
        if let Some(assembler) = needed("TILEWRIGHT_PTXAS") {
            ptxas::assemble(&assembler, &ptx, target, 3, false).expect("ptxas accepts it");
        }
        ptx
    };
    let gather = compiled("cached_gather");
    assert!(gather.contains("ld.global.L1::evict_last."));
    assert!(gather.contains("st.global.L1::evict_unchanged."));
    let ptx = compiled("cached_copy");
    assert!(ptx.contains("ld.global.L1::evict_first.v4.") && ptx.contains("st.global.L1::no_allocate.v4."));
    let (rows, columns) = (48, 80);
    let data: Vec<u8> = (0..rows * columns)
        .flat_map(|word: u32| word.to_le_bytes())
        .collect();
    let mut device = Device::new();
    let from = device.alloc("from", data.len(), Init::Data(data.clone()));
    let to = device.alloc("to", data.len(), Init::Data(Vec::new()));
    let numbers = [rows, columns, columns, columns].map(|number| Arg::from(number.cast_signed()));
    let args: Vec<Arg> = [from, to].map(Arg::from).into_iter().chain(numbers).collect();
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    device
        .launch(&module, "cached_copy", [2, 2, 1], [1, 1, 1], 0, &args)
        .unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(device.read(to), data);
}

/// Two chained products, whose right operands take the stages of one ring in turn: for each number of iterations, with fewer of
/// them than stages, and with more.
#[test]
fn tiles_take_the_stages_of_a_ring_in_turn() {
    const ROWS: usize = 64;
    const HEAD: usize = 128;
    const KEYS: usize = 128;
    let file = "scheduled.schedule_loops/shared_ring.in.scheduled";
    let path = repository().join("golden").join(file);
    let text = fs::read_to_string(path).expect("the text exists");
    let ptx = lowered(file, &text, Request::default(), Target::sm_a(90));
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    for count in 0..6usize {
        let rows = ROWS.max(KEYS * count);
        // Few numbers are not 0, so that all sums are exact.
        let sparse = |seed: usize, every: usize| -> Vec<i16> {
            let numbers = numbers(rows * HEAD, seed).into_iter().enumerate();
            let kept = |(at, number): (usize, i16)| match (at + at / HEAD).is_multiple_of(every) {
                true => number.signum(),
                false => 0,
            };
            numbers.map(kept).collect()
        };
        let inputs = [sparse(1, 31), sparse(5, 3), sparse(3, 2)];
        let mut device = Device::new();
        let operands = inputs.each_ref().map(|numbers| {
            let bytes = bytes(numbers);
            device.alloc("operand", bytes.len(), Init::Data(bytes))
        });
        let out = device.alloc("o", 2 * rows * HEAD, Init::Poison);
        let mut arguments: Vec<Arg> = operands.into_iter().map(Into::into).collect();
        arguments.push(out.into());
        for number in [count, rows] {
            arguments.push(Arg::from(i32::try_from(number).expect("few rows")));
        }
        device
            .launch(&module, "attention", [1, 1, 1], [1, 1, 1], 0, &arguments)
            .unwrap_or_else(|fault| panic!("{count} iterations: {fault}"));
        let got = halves(device.read(out));
        let [q, k, v] = inputs.map(|numbers| numbers.into_iter().map(i32::from).collect::<Vec<i32>>());
        for row in 0..ROWS {
            let logits: Vec<i32> = (0..KEYS * count)
                .map(|key| (0..HEAD).map(|at| q[row * HEAD + at] * k[key * HEAD + at]).sum())
                .collect();
            for column in 0..HEAD {
                let sum: i32 = (0..)
                    .zip(&logits)
                    .map(|(key, logit)| logit * v[key * HEAD + column])
                    .sum();
                assert!(sum.abs() <= 1 << 11, "{sum} is exact");
                #[expect(clippy::cast_precision_loss, reason = "small numbers")]
                let sum = sum as f32;
                assert!(
                    (got[row * HEAD + column] - sum).abs() < f32::EPSILON,
                    "{count} iterations, [{row}, {column}]: {} instead of {sum}",
                    got[row * HEAD + column]
                );
            }
        }
    }
}

/// Three chained products, the last one of exponentials, of three iterations in a step: with fewer iterations than stages, and with
/// more.
#[test]
fn products_of_three_iterations_are_under_way_at_a_time() {
    const ROWS: usize = 128;
    const WIDTH: usize = 64;
    let file = "scheduled.schedule_loops/three_products.in.scheduled";
    let path = repository().join("golden").join(file);
    let text = fs::read_to_string(path).expect("the text exists");
    let ptx = lowered(file, &text, Request::default(), Target::sm_a(90));
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    let sparse = |rows: usize, seed: usize, every: usize| -> Vec<i16> {
        let numbers = numbers(rows * WIDTH, seed).into_iter().enumerate();
        let kept = |(at, number): (usize, i16)| match (at + at / WIDTH).is_multiple_of(every) {
            true => number.signum(),
            false => 0,
        };
        numbers.map(kept).collect()
    };
    for count in 1..6usize {
        let depth = WIDTH * count;
        let inputs = [
            sparse(ROWS, 1, 13),
            sparse(depth, 5, 3),
            sparse(depth, 3, 11),
            sparse(depth, 2, 2),
        ];
        let mut device = Device::new();
        let size = |extent: usize| Arg::from(i32::try_from(extent).expect("a small extent"));
        let mut arguments = Vec::new();
        for numbers in &inputs {
            let data = bytes(numbers);
            let operand = device.alloc("operand", data.len(), Init::Data(data));
            arguments.extend([operand.into(), size(numbers.len() / WIDTH), size(WIDTH)]);
        }
        let out = device.alloc("o", 4 * ROWS * WIDTH, Init::Poison);
        arguments.extend([out.into(), size(ROWS), size(WIDTH)]);
        device
            .launch(&module, "chain", [1, 1, 1], [1, 1, 1], 0, &arguments)
            .unwrap_or_else(|fault| panic!("{count} iterations: {fault}"));
        let got = floats(device.read(out));
        let [x, first, second, third] =
            inputs.map(|numbers| numbers.into_iter().map(f32::from).collect::<Vec<f32>>());
        for row in 0..ROWS {
            let x = &x[row * WIDTH..][..WIDTH];
            let mut sums = [(0.0f32, 0.0f32); WIDTH];
            for iteration in 0..count {
                let tile = |all: &[f32]| all[iteration * WIDTH * WIDTH..][..WIDTH * WIDTH].to_vec();
                let (first, second, third) = (tile(&first), tile(&second), tile(&third));
                let after = |of: &dyn Fn(usize, usize) -> f32, left: &[f32]| -> Vec<f32> {
                    let sum = |column: usize| {
                        left.iter()
                            .enumerate()
                            .map(|(at, left)| left * of(at, column))
                            .sum()
                    };
                    (0..WIDTH).map(sum).collect()
                };
                let one = after(&|at, column| first[column * WIDTH + at], x);
                let two = after(&|at, column| second[at * WIDTH + column], &one);
                let two: Vec<f32> = two.into_iter().map(f32::exp2).collect();
                for (column, (sum, size)) in sums.iter_mut().enumerate() {
                    for (at, left) in two.iter().enumerate() {
                        let term = left * third[at * WIDTH + column];
                        *sum += term;
                        *size += term.abs();
                    }
                }
            }
            for (column, (sum, size)) in sums.into_iter().enumerate() {
                let got = got[row * WIDTH + column];
                assert!(
                    (got - sum).abs() <= 0.02 * size + 0.01,
                    "{count} iterations, [{row}, {column}]: {got} instead of {sum}"
                );
            }
        }
    }
}
