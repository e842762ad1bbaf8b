//! Invalid input: the code and position of each error.

use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::{Format, render};

/// The diagnostics of a text in short form, without messages: `line:column code`.
fn said(text: &str) -> Vec<String> {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", text);
    let options = compiler.options(Request::default());
    let (made, said) = joins::compile(&compiler, source, options, Language::Ptx);
    assert!(made.is_none() || said.is_empty(), "{text}");
    let text = render(&said, &compiler.files(), Format::Short, false);
    text.lines().map(short).collect()
}

/// Shortens `t:2:3: error[E0204]: …` to `2:3 E0204`.
fn short(line: &str) -> String {
    let (place, rest) = line.split_once("error[").unwrap_or(("", line));
    let place = place.trim_start_matches("t:").trim_end_matches([':', ' ']);
    let code = rest.split(']').next().unwrap_or_default();
    format!("{place} {code}").trim().to_owned()
}

/// The difference between the diagnostics of a text and the expected ones.
fn differs(text: &str, want: &[&str]) -> Option<String> {
    let have = said(text);
    (have != want).then(|| format!("{text}says {have:?} instead of {want:?}\n"))
}

/// A kernel of `tileaa` with these lines in its body.
fn kernel(body: &str) -> String {
    format!("tileaa.func @k(%a: ptr<f32>, %n: i32) {{target = sm_90a}} body {{\n{body}\n}}\n")
}

#[test]
fn each_mistake_in_a_text_has_its_code_and_place() {
    let mut wrong = Vec::new();
    for (body, want) in [
        ("  scf.retrun", &["2:3 E0204"][..]),
        (
            "  %x = arith.addi %n {overflow = wraps} : i32\n  scf.return",
            &["2:8 E0303"],
        ),
        (
            "  %x = arith.addi %n, %m {overflow = wraps} : i32\n  scf.return",
            &["2:23 E0301"],
        ),
        (
            "  %x = arith.addi %n, %n {overflow = wraps}\n  scf.return",
            &["2:8 E0304"],
        ),
        (
            "  %n = tileaa.program_id {axis = 0} : i32\n  scf.return",
            &["2:3 E0302"],
        ),
        (
            "  %x = tileaa.program_id {axis = 0} : i33\n  scf.return",
            &["2:39 E0205"],
        ),
        (
            "  %x = tileaa.program_id {axis = 0, ax = 1} : i32\n  scf.return",
            &["2:37 E0206"],
        ),
        ("  %x = tileaa.program_id : i32\n  scf.return", &["2:8 E0308"]),
        (
            "  %x = arith.addi %n, %a {overflow = wraps} : i32\n  scf.return",
            &["2:23 E0305"],
        ),
        ("  %x = tile.iota : tile<3xi32>\n  scf.return", &["2:25 E0205"]),
        ("  %x = tileaa.program_id {axis = 0} : i32", &["2:8 E0306"]),
        (
            "  %x = arith.constant {value = f16<1.0>} : tile<16x32xf16>\n  \
             %y = arith.constant {value = f16<1.0>} : tile<16x16xf16>\n  \
             %z = tileaa.dot %x, %y, %y {signedness_a = signed, signedness_b = signed} : tile<16x16xf16>\n  scf.return",
            &["4:8 E0305"],
        ),
        (
            "  %x = arith.constant {value = bf16<1.0>} : tile<16x16xbf16>\n  \
             %z = tileaa.dot %x, %x, %x {signedness_a = signed, signedness_b = signed} : tile<16x16xbf16>\n  scf.return",
            &["3:8 E0403"],
        ),
        (
            "  %x = arith.constant {value = f16<1.0>} : tile<16x16xf16>\n  \
             %z = tileaa.dot %x, %x, %x {signedness_a = signed, signedness_b = signed} : tile<16x16xf32>\n  scf.return",
            &["3:8 E0305"],
        ),
        (
            "  %x = arith.constant {value = f16<1.0>} : tile<16x16xf16>\n  \
             %z = tileaa.dot %x, %x, %x {signedness_a = signed} : tile<16x16xf16>\n  scf.return",
            &["3:8 E0308"],
        ),
        ("  scf.return\n  scf.return", &["2:3 E0307"]),
        (
            "  %x = arith.constant {value = f32<1.0>} : f32\n  \
             %y = arith.addf %x, %x {rounding = zero, fast_math = [nnan, fast]} : f32\n  \
             %z = arith.addf %x, %x {rounding = zero, fast_math = [nnan, nsz, nnan]} : f32\n  \
             %u = arith.addf %x, %x {rounding = zero, fast_math = [nsz, arcp]} : f32\n  \
             %v = arith.addf %x, %x {rounding = zero, fast_math = nsz} : f32\n  \
             %w = arith.addi %n, %n {overflow = wraps, fast_math = [nnan]} : i32\n  \
             %s = arith.select %n, %x, %x {fast_math = [nnan]} : f32\n  scf.return",
            &[
                "3:63 E0309",
                "4:68 E0309",
                "5:62 E0309",
                "6:56 E0309",
                "7:45 E0206",
                "8:33 E0206",
            ],
        ),
        (
            "  %s = arith.constant {value = i32<1>} : i32\n  \
             scf.for %n, %n, %s, [] {num_stages = 0} body {\n  ^(%i: i32):\n  scf.continue []\n  }\n  \
             scf.for %n, %n, %s, [] {num_stages = 3, serial} body {\n  ^(%j: i32):\n  scf.continue []\n  }\n  scf.return",
            &["3:40 E0314", "7:40 E0603"],
        ),
        // No GPU rounds to these, and no program of cuda_tile asks for such a direction.
        (
            "  %x = arith.constant {value = f32<1.0>} : f32\n  \
             %y = arith.ftof %x {rounding = up} : f8E4M3FN\n  \
             %z = arith.ftof %x {rounding = down} : f8E8M0FNU\n  \
             %u = arith.itof %n {signedness = signed, rounding = zero} : f4E2M1FN\n  \
             %v = arith.ftof %x {rounding = up} : tf32\n  \
             %w = arith.ftof %v {rounding = nearest_away} : f16\n  \
             %s = arith.ftof %w {rounding = up} : tf32\n  scf.return",
            &[
                "3:34 E0314",
                "4:34 E0314",
                "5:55 E0314",
                "6:34 E0314",
                "7:34 E0314",
            ],
        ),
        (
            "  %x = tileaa.program_id {axis = } : i32\n  scf.return",
            &["2:34 E0201"],
        ),
        (
            "  %x = tileaa.program_id {axis = 0 : i32\n  scf.return",
            &["2:36 E0201"],
        ),
        ("  ?\n  scf.return", &["2:3 E0201"]),
    ] {
        wrong.extend(differs(&kernel(body), want));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A kernel of `cuda_tile` with these lines in its body.
fn tile_kernel(body: &str) -> String {
    format!("cuda_tile.module @m {{\nentry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {{\n{body}\n}}\n}}\n")
}

#[test]
fn each_mistake_in_a_users_program_has_its_code_and_place() {
    assert_eq!(said(&tile_kernel("  return")), [""; 0]);
    let mut wrong = Vec::new();
    for (body, want) in [
        ("  %x = addj %n, %n : tile<i32>\n  return", &["3:8 E0204"][..]),
        ("  %x = addi %n : tile<i32>\n  return", &["3:16 E0201"]),
        ("  %x = addi %n, %m : tile<i32>\n  return", &["3:17 E0301"]),
        ("  %x = addi %n, %a : tile<i32>\n  return", &["3:17 E0305"]),
        ("  %x = iota : tile<3xi32>\n  return", &["3:15 E0401"]),
        ("  %x = iota : tile<4xi33>\n  return", &["3:22 E0201"]),
        (
            "  %y = addi %x, %n : tile<i32>\n  %x = addi %n, %n : tile<i32>\n  return",
            &["3:13 E0301"],
        ),
    ] {
        wrong.extend(differs(&tile_kernel(body), want));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bytecode_that_is_cut_off_or_changed_is_refused_with_a_code() {
    let path = tilewright_tests::repository().join("examples/bytecode/vector_add.13.5.tileirbc");
    let bytes = std::fs::read(path).expect("an example");
    let codes = |bytes: &[u8]| -> Vec<&'static str> {
        let mut compiler = Compiler::new();
        let source = compiler.add_source("t", bytes);
        let options = compiler.options(Request::default());
        let (_, said) = joins::compile(&compiler, source, options, Language::Ptx);
        said.iter().map(|one| one.code.name()).collect()
    };
    assert_eq!(codes(&bytes), [""; 0]);
    for cut in 0..bytes.len() {
        assert!(!codes(&bytes[..cut]).is_empty(), "cut to {cut} bytes");
    }
    let mut magic = bytes.clone();
    magic[1] = b't';
    assert_eq!(codes(&magic), ["E0101"]);
    let mut version = bytes.clone();
    version[9] = 9;
    assert_eq!(codes(&version), ["E0102"]);
    let mut long = bytes.clone();
    long.extend([0x55; 100]);
    assert!(!codes(&long).is_empty());
}

#[test]
fn several_mistakes_are_reported_in_one_run() {
    let text = kernel(
        "  arith.frob %n\n  %x = tileaa.program_id {axis = 0} : i33\n  %y = arith.addi %n, %q {overflow = wraps} : i32\n  scf.return",
    ) + &kernel("  scf.retrun").replace("@k", "@l");
    assert_eq!(
        said(&text),
        ["2:3 E0204", "3:39 E0205", "4:23 E0301", "8:3 E0204"]
    );
}

#[test]
fn mistakes_in_a_users_program_are_reported_in_the_order_of_the_file() {
    // From the parser, from the verifiers of ops, types and modules, and warnings.
    let text = "entry @f(%p: tile<3xi32>) {
  return
}
entry @g(%x: tile<i32>) optimization_hints=<sm_1 = {occupancy = 1}> {
  %d = reshape %x : tile<i32> -> tile<2xi32>
  return
}
entry @h(%x: tile<i32>) {
  %b = frob %x : tile<i64>
  %c = addi %x, %missing : tile<i32>
  return
}
entry @g(%x: tile<i32>) {
  return
}
entry @i(%x: tile<i32>) {
  %e = get_global @nothing : tile<ptr<i32>>
  return
}
";
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", text);
    let options = compiler.options(Request::default());
    let (_, said) = joins::compile(&compiler, source, options, Language::TileAa);
    let short = render(&said, &compiler.files(), Format::Short, false);
    let lines: Vec<_> = short
        .lines()
        .filter_map(|line| line.strip_prefix("t:")?.split_once(": ").map(|(place, _)| place))
        .collect();
    let places = ["1:14", "4:45", "5:34", "9:8", "10:17", "13:7", "17:19"];
    assert_eq!(lines, places, "{short}");
}

#[test]
fn a_target_that_no_code_is_made_for_is_refused() {
    let text = kernel("  scf.return");
    for target in ["sm_30", "sm_90f", "sm_121", "sm_90"] {
        assert_eq!(said(&text.replace("sm_90a", target)), ["1:49 E0701"], "{target}");
    }
}

/// A function of an inner language: its parameter, its attributes, its end.
fn inner(language: &str, param: &str) -> String {
    let (attrs, end) = match language {
        "tileaa" => ("target = sm_90a", "scf.return"),
        "tileas" | "scheduled" | "cute_desugared" => (
            "target = sm_90a, kernel_spec = {num_warps = 4, num_ctas = 1}, shared_bytes = 0",
            "scf.return",
        ),
        "llvm" => (
            "target = sm_90a, nvvm.kernel, nvvm.reqntid = 128, shared_bytes = 0",
            "llvm.return",
        ),
        _ => (
            "target = sm_90a, nvvm.kernel, nvvm.reqntid = 128, shared_bytes = 0",
            "nvvm.ret",
        ),
    };
    let layout = "linear<lane = [[1], [2], [4], [8], [16]], shape = [32]>";
    let param = param.replace("LAYOUT", layout);
    format!("{language}.func @f(%0: {param}) {{{attrs}}} body {{\n  {end}\n}}\n")
}

#[test]
fn parameters_that_cannot_be_passed_are_refused_in_every_language() {
    let mut wrong = Vec::new();
    for (language, param) in [
        ("tileaa", "tile<4xf32>"),
        ("tileaa", "token"),
        ("tileas", "tile<32xf32, LAYOUT>"),
        ("tileas", "token"),
        ("cute_desugared", "fragment<4xf32>"),
        ("cute_desugared", "ptr<f32, shared>"),
        ("llvm", "vector<4xf32>"),
        ("llvm", "ptr<3>"),
        ("llvm", "ptr<5>"),
        ("nvvm", "pred"),
        ("nvvm", "ptr<3>"),
        ("nvvm", "ptr<5>"),
    ] {
        let place = format!("1:{} E0315", language.len() + 10);
        wrong.extend(differs(&inner(language, param), &[&place]));
    }
    // Numbers of a type without registers are passed as bytes, until registers are chosen.
    for language in ["tileaa", "tileas", "cute_desugared", "llvm"] {
        wrong.extend(differs(&inner(language, "f8E4M3FN"), &[]));
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn layouts_that_would_move_elements_between_threads_are_refused() {
    let layout = |lanes: &str, shape: &str| {
        format!(
            "tile<{}xi32, linear<register = [], lane = [{lanes}], warp = [], shape = {shape}>>",
            &shape[1..shape.len() - 1].replace(", ", "x")
        )
    };
    let up = layout("[1], [2], [4], [8], [16]", "[32]");
    let down = layout("[16], [8], [4], [2], [1]", "[32]");
    let square = layout("[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]", "[4, 8]");
    let across = layout("[1, 0], [2, 0], [4, 0], [0, 1], [0, 2]", "[8, 4]");
    let program = |language: &str, op: &str, result: &str| {
        format!(
            "{language}.func @f() {{target = sm_90a, kernel_spec = {{num_warps = 1, num_ctas = 1}}, shared_bytes = 0}} \
             body {{\n  %i = tile.iota : {up}\n  %x = {op} : {result}\n  scf.return\n}}\n"
        )
    };
    let reshape = "tile.reshape %i";
    let convert = "tileas.convert_layout %i";
    for (language, op, result, fits) in [
        ("tileas", reshape, &square, true),
        ("tileas", reshape, &across, false),
        ("tileas", convert, &down, true),
        ("scheduled", convert, &up, true),
        ("scheduled", convert, &down, false),
    ] {
        let text = program(language, op, result);
        let want: &[&str] = if fits { &[] } else { &["3:8 E0408"] };
        assert_eq!(differs(&text, want), None);
    }
}

#[test]
fn uses_of_caches_that_an_access_cannot_have_are_refused_at_their_attribute() {
    let head = "{target = sm_90a, nvvm.kernel, nvvm.reqntid = 128, shared_bytes = 16} body {";
    let llvm = |line: &str| {
        format!(
            "llvm.func @f(%p: ptr<1>, %q: i64) {head}\n  %s = llvm.shared_base : ptr<3>\n  {line}\n  llvm.return\n}}\n"
        )
    };
    let head = "{target = sm_90a, kernel_spec = {num_warps = 1, num_ctas = 1}, shared_bytes = 16} body {";
    let fragments = |line: &str| {
        format!(
            "cute_desugared.func @f(%p: ptr<f32>) {head}\n  %s = fragment.shared_ptr {{offset = 0}} : ptr<f32, shared>\n  {line}\n  scf.return\n}}\n"
        )
    };
    let mut wrong = Vec::new();
    for (line, want) in [
        (
            "%x = llvm.load %p {align = 4, order = weak, cache = wt} : f32",
            &["3:55 E0309"][..],
        ),
        (
            "%x = llvm.load %p {align = 4, order = weak, cache = [cs, evict_first]} : f32",
            &["3:55 E0309"],
        ),
        (
            "%x = llvm.load %p {align = 4, order = weak, prefetch = 32B} : f32",
            &["3:58 E0309"],
        ),
        (
            "%x = llvm.load %p {align = 4, order = acquire, scope = block, cache = cg} : f32",
            &["3:73 E0314"],
        ),
        (
            "%x = llvm.load %s {align = 4, order = weak, cache = evict_last} : f32",
            &["3:55 E0314"],
        ),
        (
            "%x = llvm.load %s {align = 4, order = weak, prefetch = 64B} : f32",
            &["3:58 E0314"],
        ),
        (
            "%x = llvm.load %p {align = 4, order = acquire, scope = block, cache = evict_last, prefetch = 64B} : f32",
            &[],
        ),
        (
            "%x = llvm.load %s, cache_policy %q {align = 4, order = weak} : f32",
            &["3:35 E0314"],
        ),
        (
            "llvm.store %p, %q, cache_policy %p {align = 8, order = weak}",
            &["3:3 E0315"],
        ),
    ] {
        wrong.extend(differs(&llvm(line), want));
    }
    let data = "offsets = [0], vector = 1";
    for (line, want) in [
        (
            format!("%x = fragment.load %s {{{data}, order = weak, cache = cs}} : fragment<1xf32>"),
            &["3:75 E0314"][..],
        ),
        (
            format!("fragment.store %p, %v {{{data}, order = release, scope = device, cache = wt}}"),
            &["4:94 E0314"],
        ),
    ] {
        let line = line.replace(
            "fragment.store",
            "%v = arith.constant {value = f32<1.0>} : fragment<1xf32>\n  fragment.store",
        );
        wrong.extend(differs(&fragments(&line), want));
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn fences_have_an_order_and_a_scope_that_the_target_has() {
    let text = |language: &str, target: &str, fence: &str| {
        format!(
            "{language}.func @f() {{target = {target}, kernel_spec = {{num_warps = 1, num_ctas = 1}}, shared_bytes = 0}} \
             body {{\n  gpu.thread_fence {fence}\n  scf.return\n}}\n"
        )
    };
    let mut wrong = Vec::new();
    for language in ["cute_desugared"] {
        for (target, fence, want) in [
            ("sm_90a", "{order = sc, scope = cluster}", &[][..]),
            ("sm_80", "{order = sc, scope = cluster}", &["2:41 E0706"]),
            ("sm_80", "{order = acq_rel, scope = system}", &[]),
            ("sm_90a", "{order = acquire, scope = device}", &["2:29 E0309"]),
            ("sm_90a", "{order = sc, scope = grid}", &["2:41 E0309"]),
            ("sm_90a", "{order = sc}", &["2:3 E0308"]),
            ("sm_90a", "{scope = device}", &["2:3 E0308"]),
        ] {
            wrong.extend(differs(&text(language, target, fence), want));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn asynchronous_copies_of_less_than_four_bytes_are_refused() {
    let threads = "linear<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], shape = [256]>";
    let permuted = threads.replace("[4]", "[7]");
    let memory = "linear<offset = [[1], [2], [4], [8], [16], [32], [64], [128]], shape = [256]>";
    let program = |facts: &str, threads: &str| {
        let buffer = format!("buffer<256xf16, shared, {memory}>");
        format!(
            "tileas.func @f(%p: ptr<f16>, %n: i32) {{target = sm_90a, kernel_spec = {{num_warps = 1, num_ctas = 1}}, \
             shared_bytes = 0}} body {{\n  \
             %m = tileas.memref %p, [%n], [] : memref<?xf16, strides = [1], align = 16, class = 0{facts}>\n  \
             %a = tileas.alloc {{align = 16}} : {buffer}\n  \
             %c, %t = tileas.copy_in %m, [%n], %a {{dim_map = [0], steps = [256], padding = zero, inbounds = [false], \
             atom = cp_async<128b, {threads}>}} : pending<{buffer}>, token\n  \
             %b = tileas.copy_wait %c {{in_flight = 0}} : {buffer}\n  \
             scf.return\n}}\n"
        )
    };
    let even = ", extent_div = [8]";
    assert_eq!(differs(&program(even, threads), &[]), None);
    let refused = &["4:12 E0705"];
    // A copy reads what there is of the last vector.
    assert_eq!(differs(&program("", threads), &[]), None);
    assert_eq!(differs(&program(even, &permuted), refused), None);
}

#[test]
fn target_instructions_in_a_text_are_refused_where_they_are_written() {
    let llvm = |lines: &str| {
        format!(
            "llvm.func @k(%p: ptr<1>, %n: i32) {{target = sm_90a, cute.kernel, nvvm.reqntid = 64, nvvm.minctasm = 1, \
             shared_bytes = 16}} body {{\n  %three = arith.constant {{value = i32<3>}} : i32\n\
             {lines}\n  llvm.return\n}}\n"
        )
    };
    let red = |value: &str, guard: &str| {
        format!(
            "  nvvm.multimem.red %p, [{value}], guard {guard} {{order = relaxed, scope = sys, space = global, op = and, \
             ty = b32}}"
        )
    };
    let threads = |count: u32| {
        format!("  %t = arith.constant {{value = i32<{count}>}} : i32\n  nvvm.bar.arrive %three, %t")
    };
    let copy = |size: u32| {
        format!(
            "  %s = llvm.shared_base : ptr<3>\n  \
             nvvm.cp.async %s, %p {{cache = cg, to = shared, from = global, size = {size}}}"
        )
    };
    let vector = "  %v = llvm.build_vector [%n, %n] : vector<2xi32>\n";
    let byte = "  %b = llvm.load %p {align = 1, order = weak} : i8\n";
    let yes = "  %yes = arith.constant {value = i1<true>} : i1\n";
    for (lines, want) in [
        (yes.to_owned() + &red("%n", "%yes"), &[][..]),
        (red("%n", "%n"), &["3:37 E0315"]),
        (vector.to_owned() + yes + &red("%v", "%yes"), &["5:26 E0315"]),
        (byte.to_owned() + yes + &red("%b", "%yes"), &["5:26 E0315"]),
        (threads(64), &[]),
        (threads(44), &["4:27 E0315"]),
        (copy(16), &[]),
        (copy(12), &["4:3 E0314"]),
    ] {
        assert_eq!(differs(&llvm(&lines), want), None);
    }
    let barrier = |at: &str| {
        format!(
            "cute_desugared.func @k(%n: i32) {{target = sm_90a, kernel_spec = {{num_warps = 1, num_ctas = 1}}, \
             shared_bytes = 8}} body {{\n  %b = fragment.shared_ptr {{offset = 0}} : ptr<i64, shared>\n  \
             gpu.mbarrier_init {at} {{count = 1}}\n  scf.return\n}}\n"
        )
    };
    assert_eq!(differs(&barrier("%b"), &[]), None);
    assert_eq!(differs(&barrier("%n"), &["3:3 E0315"]), None);
}

#[test]
fn duplicate_kernel_names_are_refused() {
    let text = kernel("  scf.return") + &kernel("  scf.return");
    assert_eq!(said(&text), ["4:13 E0310"]);
}

#[test]
fn a_text_in_no_language_is_refused_at_its_beginning() {
    assert_eq!(said("once upon a time"), ["1:1 E0201"]);
    assert_eq!(said(""), ["1:1 E0201"]);
}

#[test]
fn a_file_that_is_neither_text_nor_bytecode_is_refused_at_its_first_invalid_byte() {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", b"tileaa\xff\xfe".to_vec());
    let options = compiler.options(Request::default());
    let (_, said) = joins::compile(&compiler, source, options, Language::Ptx);
    let text = render(&said, &compiler.files(), Format::Json, false);
    assert!(text.contains("E0210") && text.contains("\"start\":6"), "{text}");
}

#[test]
fn a_zero_byte_in_a_text_is_refused_where_it_is() {
    assert_eq!(
        differs(
            "tileaa.func @f() {target = sm_90a} body {\n  scf.return\0\n}\n",
            &["2:13 E0202"]
        ),
        None
    );
}

#[test]
fn a_value_of_an_unreachable_block_is_undefined_elsewhere() {
    let text = |from: &str| {
        format!(
            "llvm.func @k() {{target = sm_90a, cute.kernel, nvvm.reqntid = 32, shared_bytes = 0}} body {{\n\
             ^bb0:\n  llvm.br ^{from}()\n\
             ^bb1:\n  %0 = arith.constant {{value = i32<1>}} : i32\n  llvm.br ^bb2()\n\
             ^bb2:\n  %1 = arith.addi %0, %0 {{overflow = wraps}} : i32\n  llvm.return\n}}\n"
        )
    };
    assert_eq!(told(&text("bb1")), [""; 0]);
    let said = told(&text("bb2"));
    let [only] = said.as_slice() else {
        panic!("{said:#?}")
    };
    assert!(only.starts_with("t:8:19: error[E0301]"), "{only}");
}

#[test]
fn ptx_with_a_mistake_is_refused_at_the_statement() {
    let text = ".version 8.0\n.target sm_90a\n.address_size 64\n\n.visible .entry k()\n{\n\tfrobnicate.u32 5;\n\tret;\n}\n";
    assert_eq!(said(text), ["7:2 E0204"]);
}

#[test]
fn ptx_without_a_version_or_a_target_is_one_error() {
    let text = |head: &str| {
        format!(
            "{head}.address_size 64\n.visible .entry k()\n{{\n\tfence.mbarrier_init.release.cluster;\n\tret;\n}}\n"
        )
    };
    assert_eq!(said(&text(".version 8.0\n.target sm_90a\n")), [""; 0]);
    assert_eq!(said(&text(".version 8.0\n")), ["1:1 E0201"]);
    assert_eq!(said(&text(".target sm_90a\n")), ["1:1 E0201"]);
    assert_eq!(said(&text(".version 8.0\n.target sm_9O\n")), ["2:9 E0701"]);
}

/// The diagnostics of a text with code and message.
fn told(text: &str) -> Vec<String> {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", text);
    let options = compiler.options(Request::default());
    let (_, said) = joins::compile(&compiler, source, options, Language::Ptx);
    let text = render(&said, &compiler.files(), Format::Short, false);
    text.lines().map(str::to_owned).collect()
}

#[test]
fn kernels_beyond_launch_limits_are_refused_with_the_numbers() {
    let llvm = |attrs: &str| {
        format!(
            "llvm.func @k() {{target = sm_90a, cute.kernel, {attrs}}} body {{\n^bb0:\n  llvm.return\n}}\n"
        )
    };
    let nvvm = |target: &str, attrs: &str| {
        format!("nvvm.func @k() {{target = {target}, nvvm.kernel, {attrs}}} body {{\n^bb0:\n  nvvm.ret\n}}\n")
    };
    let ptx = |target: &str, launch: &str, body: &str| {
        format!(
            ".version 9.0\n.target {target}\n.address_size 64\n\n.visible .entry k()\n{launch}\n{{\n{body}\nret;\n}}\n"
        )
    };
    let one = "nvvm.reqntid = 32, shared_bytes = 0";
    for text in [
        llvm(one),
        nvvm("sm_80", "nvvm.reqntid = 1024, shared_bytes = 49152"),
        nvvm(
            "sm_90a",
            "nvvm.reqntid = 32, nvvm.cluster_dim = 16, shared_bytes = 232448",
        ),
        ptx("sm_80", ".reqntid 32", ".shared .b8 s[49152];"),
        nvvm(
            "sm_90a",
            "nvvm.reqntid = [8, 4, 2], nvvm.explicitcluster, nvvm.cluster_dim = [2, 2, 4], shared_bytes = 0",
        ),
        nvvm(
            "sm_90a",
            "nvvm.maxntid = [1024, 1024, 64], nvvm.explicitcluster, nvvm.maxclusterrank = 16, shared_bytes = 0",
        ),
    ] {
        assert_eq!(told(&text), [""; 0], "{text}");
    }
    let threads = "`nvvm.reqntid` asks for";
    let bytes = "bytes of shared memory; a block on";
    for (text, message) in [
        (
            llvm("nvvm.reqntid = 0, shared_bytes = 0"),
            format!("error[E0704]: {threads} 0 threads along x, of 1 to 1024"),
        ),
        (
            llvm("nvvm.reqntid = 1056, shared_bytes = 0"),
            format!("error[E0704]: {threads} 1056 threads along x, of 1 to 1024"),
        ),
        (
            nvvm("sm_90a", "nvvm.reqntid = 32, nvvm.minctasm = 0, shared_bytes = 0"),
            "error[E0704]: `nvvm.minctasm` asks for 0 blocks, of 1 to 32".to_owned(),
        ),
        (
            nvvm("sm_90a", "nvvm.reqntid = 32, nvvm.maxnreg = 0, shared_bytes = 0"),
            "error[E0704]: `nvvm.maxnreg` asks for 0 registers, of 1 to 255".to_owned(),
        ),
        (
            nvvm(
                "sm_90a",
                "nvvm.reqntid = 32, nvvm.cluster_dim = 17, shared_bytes = 0",
            ),
            "error[E0704]: `nvvm.cluster_dim` asks for 17 blocks, of 1 to 16".to_owned(),
        ),
        (
            nvvm(
                "sm_90a",
                "nvvm.reqntid = 32, nvvm.cluster_dim = [4, 4, 2], shared_bytes = 0",
            ),
            "error[E0704]: `nvvm.cluster_dim` asks for 32 blocks, of 1 to 16".to_owned(),
        ),
        (
            nvvm("sm_90a", "nvvm.reqntid = [8, 200, 1], shared_bytes = 0"),
            format!("error[E0704]: {threads} 1600 threads, of 1 to 1024"),
        ),
        (
            nvvm("sm_90a", "nvvm.maxntid = [32, 0, 1], shared_bytes = 0"),
            "error[E0704]: `nvvm.maxntid` asks for 0 threads, of at least 1".to_owned(),
        ),
        (
            nvvm(
                "sm_90a",
                "nvvm.maxntid = 64, nvvm.reqntid = 128, shared_bytes = 0",
            ),
            "error[E0603]: `nvvm.maxntid 64, 1, 1` and `nvvm.reqntid 128, 1, 1` exclude each other"
                .to_owned(),
        ),
        (
            llvm(
                "nvvm.reqntid = 32, nvvm.cluster_dim = [2, 2, 1], nvvm.maxclusterrank = 2, shared_bytes = 0",
            ),
            "error[E0603]: `nvvm.maxclusterrank 2` and `nvvm.cluster_dim 2, 2, 1` exclude each other"
                .to_owned(),
        ),
        (
            llvm("nvvm.reqntid = 32, nvvm.maxclusterrank = 17, shared_bytes = 0"),
            "error[E0704]: `nvvm.maxclusterrank` asks for 17 blocks, of 1 to 16".to_owned(),
        ),
        (
            nvvm(
                "sm_90a",
                "nvvm.maxntid = 32, nvvm.cluster_dim = 2, nvvm.blocksareclusters, shared_bytes = 0",
            ),
            "error[E0308]: `nvvm.blocksareclusters` needs `nvvm.reqntid`, and the kernel has none".to_owned(),
        ),
        (
            nvvm(
                "sm_80",
                "nvvm.reqntid = 32, nvvm.explicitcluster, shared_bytes = 0",
            ),
            "error[E0706]: `nvvm.explicitcluster` needs sm_90 and later (PTX ISA 7.8), the target is sm_80"
                .to_owned(),
        ),
        (
            nvvm("sm_90a", "shared_bytes = 0"),
            "error[E0308]: a kernel has `nvvm.reqntid` or `nvvm.maxntid`, and this one has neither"
                .to_owned(),
        ),
        (
            nvvm(
                "sm_90a",
                "nvvm.reqntid = 32, nvvm.cluster_dim = [2, 2], shared_bytes = 0",
            ),
            "error[E0309]: attribute `nvvm.cluster_dim` of `nvvm.func` must be a number, or three of them in brackets".to_owned(),
        ),
        (
            nvvm(
                "sm_90a",
                "nvvm.reqntid = 32, nvvm.grid_constant = [0], shared_bytes = 0",
            ),
            "error[E0314]: `nvvm.grid_constant` names parameter 0, and the kernel has 0 parameters"
                .to_owned(),
        ),
        (
            nvvm("sm_90a", "nvvm.reqntid = 32, shared_bytes = 300000"),
            format!("error[E0702]: `shared_bytes` asks for 300000 {bytes} sm_90a has at most 232448"),
        ),
        (
            nvvm("sm_86", "nvvm.reqntid = 32, shared_bytes = 49153"),
            format!("error[E0702]: `shared_bytes` asks for 49153 {bytes} sm_86 has at most 49152"),
        ),
        (
            ptx("sm_120a", "", ".shared .b8 s[101377];"),
            format!("error[E0702]: the entry declares 101377 {bytes} sm_120a has at most 101376"),
        ),
        (
            ptx("sm_90a", ".minnctapersm 0", ""),
            "error[E0704]: `.minnctapersm` asks for 0 blocks, of 1 to 32".to_owned(),
        ),
        (
            ptx("sm_90a", ".reqnctapercluster 4, 4, 2", ""),
            "error[E0704]: `.reqnctapercluster` asks for 32 blocks, of 1 to 16".to_owned(),
        ),
        (
            ptx("sm_80", ".maxclusterrank 2", ""),
            "error[E0706]: `.maxclusterrank` needs sm_90 and later (PTX ISA 7.8), the target is sm_80"
                .to_owned(),
        ),
        (
            ptx("sm_107", "", ""),
            "error[E0314]: `.target sm_107` needs `.version 9.4` or later".to_owned(),
        ),
    ] {
        let found = told(&text);
        let [only] = found.as_slice() else {
            panic!("{text}{found:#?}");
        };
        // At the attribute, beside the kernel's name, or at the directive.
        let has_directive = text.lines().nth(5).is_some_and(|line| line.starts_with('.'));
        let line = match (text.starts_with('.'), has_directive) {
            (false, _) => 1,
            (true, false) => 5,
            (true, true) => 6,
        };
        assert!(only.starts_with(&format!("t:{line}:")), "{text}{only}");
        assert!(only.ends_with(&message), "{text}{only}");
    }
}

#[test]
fn deep_nesting_is_refused_without_recursing_into_it() {
    let mut body = String::new();
    for _ in 0..100_000 {
        body.push_str("scf.loop [] body {\n");
    }
    let list = said(&kernel(&body));
    assert!(!list.is_empty() && list.len() < 100, "{} problems", list.len());
}

/// The diagnostics of compiling a text for a target.
fn said_of(text: &str, target: &str) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", text);
    let target = tilewright::targets::parse::<()>(target).ok();
    let options = compiler.options(Request {
        target,
        ..Request::default()
    });
    let (_, said) = joins::compile(&compiler, source, options, Language::TileAa);
    render(&said, &compiler.files(), Format::Short, false)
}

#[test]
fn what_the_target_lacks_is_refused_at_the_line_that_needs_it() {
    let kernel = |param: &str, body: &str| format!("entry @k(%p: {param}) {{\n{body}\n  return\n}}\n");
    let constant = |ty: &str| {
        kernel(
            "tile<i32>",
            &format!("  %x = constant <{ty}: 1.0> : tile<8x{ty}>"),
        )
    };
    let atomic = kernel(
        "tile<ptr<bf16>>",
        "  %x = constant <bf16: 1.0> : tile<bf16>\n  %y, %t = atomic_rmw_tko relaxed device %p, addf, %x \
         : tile<ptr<bf16>>, tile<bf16> -> tile<bf16>, token",
    );
    let address = |kind: &str| {
        let ty = format!("tile<ptr<f32, <{kind}>>>");
        kernel(&ty, &format!("  %x = ptr_to_int %p : {ty} -> tile<i64>"))
    };
    let global = |body: &str| {
        let global = "global @g <f8E5M2: 1.0> : tile<2xf8E5M2>";
        format!("{global}\n{}", kernel("tile<i32>", body))
    };
    for (text, place, needs, lacks, has) in [
        (
            constant("f8E4M3FN"),
            "2:35",
            "f8E4M3FN needs sm_89 or later",
            "sm_80",
            "sm_89",
        ),
        (
            constant("f8E8M0FNU"),
            "2:36",
            "f8E8M0FNU needs sm_100 or later",
            "sm_90a",
            "sm_100a",
        ),
        (
            constant("f4E2M1FN"),
            "2:35",
            "f4E2M1FN needs sm_100 or later",
            "sm_90a",
            "sm_120a",
        ),
        (
            constant("fnv8E5M3FNU"),
            "2:38",
            "fnv8E5M3FNU needs sm_107",
            "sm_120a",
            "",
        ),
        (
            atomic,
            "3:46",
            "an atomic addf on bf16 needs sm_89 or later",
            "sm_86",
            "sm_89",
        ),
        (
            address("multicast"),
            "2:19",
            "a multicast address needs sm_100, sm_103 or sm_107",
            "sm_120a",
            "sm_103a",
        ),
        (
            address("unicast"),
            "2:19",
            "a unicast address needs sm_100, sm_103 or sm_107",
            "sm_90a",
            "sm_100a",
        ),
        (
            global("  %x = get_global @g : tile<ptr<f8E5M2>>"),
            "3:24",
            "f8E5M2 needs sm_89 or later",
            "sm_80",
            "sm_90a",
        ),
    ] {
        let said = |target: &str| said_of(&text, target);
        let refused = said(lacks);
        let wanted = format!("t:{place}: error[E0706]");
        assert!(refused.contains(&wanted), "{text}{refused}");
        assert!(refused.contains(needs), "{text}{refused}");
        assert!(
            refused.contains(&format!("but the target is {lacks}")),
            "{text}{refused}"
        );
        assert!(has.is_empty() || !said(has).contains("E0706"), "{text}");
        // Values that no op uses have no requirements.
        let untouched = [
            global(""),
            kernel("tile<f8E8M0FNU>", ""),
            kernel("tile<ptr<f32, <multicast>>>", ""),
        ];
        assert!(
            untouched
                .iter()
                .all(|text| !said_of(text, lacks).contains("E0706"))
        );
    }
}

#[test]
fn accesses_through_multicast_addresses_are_refused_where_there_are_none() {
    let inner = |target: &str, element: &str, op: &str| {
        let text = format!(
            "tileaa.func @k(%a: ptr<{element}>, %n: i32) {{target = {target}}} body {{
  %m = tileaa.memref %a, [], [] : memref<64x{element}, strides = [1], align = 8, class = 0>
  {op}
  scf.return
}}
"
        );
        said(&text)
    };
    let load = "%x, %t = tileaa.multimem_load %m, [%n] {dim_map = [0], steps = [8], inbounds = [false], op = OP, order = \
                weak} : tile<8xTY>, token";
    let load = |op: &str, ty: &str| load.replace("OP", op).replace("TY", ty);
    assert_eq!(inner("sm_90a", "f32", &load("addf", "f32")), [""; 0]);
    assert_eq!(inner("sm_90a", "f32", &load("minf", "f32")), ["3:96 E0403"]);
    assert_eq!(inner("sm_90a", "f32", &load("exchange", "f32")), ["3:96 E0403"]);
    assert_eq!(inner("sm_90a", "i16", &load("add", "i16")), ["3:96 E0403"]);
    let change = |op: &str, how: &str, ty: &str| {
        format!(
            "%x = arith.constant {{value = {ty}<1>}} : tile<8x{ty}>
  %t = tileaa.multimem_{op} %m, [%n], %x {{dim_map = [0], steps = [8], inbounds = [false], {how}}} : token"
        )
    };
    assert_eq!(
        inner("sm_90a", "i32", &change("store", "order = weak", "i32")),
        [""; 0]
    );
    assert_eq!(
        inner("sm_90a", "i8", &change("store", "order = weak", "i8")),
        ["4:40 E0403"]
    );
    let store = change("store", "order = weak", "i32");
    assert_eq!(inner("sm_80", "i32", &store), ["4:8 E0706"]);
    let reduce = |how: &str| inner("sm_90a", "i32", &change("reduce", how, "i32"));
    assert_eq!(reduce("op = add, order = relaxed, scope = device"), [""; 0]);
    assert_eq!(reduce("op = add, order = weak"), ["4:111 E0314"]);
    assert_eq!(
        reduce("op = add, order = acquire, scope = device"),
        ["4:111 E0314"]
    );
    assert_eq!(
        reduce("op = exchange, order = relaxed, scope = device"),
        ["4:98 E0403"]
    );

    // There is no access to one half.
    let halves = |count: u32| {
        let tensor = "tensor_view<8xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>";
        let view = format!("partition_view<tile=({count}), {tensor}>");
        let text = format!(
            "entry @k(%a: tile<ptr<f16, <multicast>>>, %n: tile<i32>) {{
  %v = make_tensor_view %a, shape = [8], strides = [1] : {tensor}
  %w = make_partition_view %v : {view}
  %x, %t = multimem_load_reduce_view_tko weak %w[%n] : {view}, tile<i32> -> tile<{count}xf16>, token
  return
}}
"
        );
        said_of(&text, "sm_100")
    };
    assert!(
        halves(1).contains("t:4:") && halves(1).contains("expected a multiple of 4 bytes"),
        "{}",
        halves(1)
    );
    assert_eq!(halves(2), "");
}

#[test]
fn kernels_for_two_targets_make_no_ptx_file() {
    let kernel = |name: &str, target: &str| {
        format!(
            "nvvm.func @{name}() {{target = {target}, nvvm.kernel, nvvm.reqntid = 32, shared_bytes = 0}} body {{\n^bb0:\n  \
             nvvm.ret\n}}\n"
        )
    };
    let together = |other: &str| told(&format!("{}{}", kernel("a", "sm_80"), kernel("b", other)));
    assert_eq!(together("sm_80"), [""; 0]);
    let found = together("sm_90a");
    let says = "kernel `b` is for sm_90a, and the one before it for sm_80: one PTX file has one target";
    assert!(
        matches!(found.as_slice(), [only] if only.contains(says)),
        "{found:#?}"
    );
}

#[test]
fn a_text_that_tells_no_language_is_read_in_that_of_its_name() {
    for (name, unknown) in [
        ("k.cuda_tile", false),
        ("k.tile.mlir", false),
        ("k.tileas", false),
        ("k.mlir", true),
        ("k", true),
    ] {
        let mut compiler = Compiler::new();
        let source = compiler.add_source(name, "entyr @k() {\n  return\n}\n");
        let parsed = tilewright::reading::parse(&compiler, source);
        assert_eq!(parsed.language.is_none(), unknown, "{name}");
        assert!(!parsed.is_sound(), "{name}");
    }
}
