//! Routes of loads that a person writes: those that cannot be taken are refused by `assign_layouts`, with the numbers.

use std::fs;
use std::path::Path;

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::verify;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;
use tilewright_passes::tileaa::select_atoms;
use tilewright_passes::tileaa_to_tileas::assign_layouts;
use tilewright_passes::tileas::lower_routes;

/// A loop with a product, of which the load of A and what follows it are parts.
struct Loop<'a> {
    /// The type of the array.
    array: &'a str,
    /// The load of A, up to its type.
    load: &'a str,
    /// Ops after the load.
    after: &'a str,
}

const ARRAY: &str =
    "memref<?x?xf16, strides = [?, 1], align = 16, class = 0, extent_div = [8, 8], stride_div = [8, 1]>";

impl Loop<'_> {
    fn text(&self, target: &str) -> String {
        let Self { array, load, after } = self;
        let strides = if array.contains("strides = [?, ?]") {
            "%n, %n"
        } else {
            "%n"
        };
        format!(
            "tileaa.func @f(%a: ptr<f16>, %n: known<i32, div = [8]>) {{target = {target}, num_warps = 4, num_ctas = 1}} body {{\n  \
             %A = tileaa.memref %a, [%n, %n], [{strides}] : {array}\n  \
             %zero = arith.constant {{value = i32<0>}} : i32\n  \
             %one = arith.constant {{value = i32<1>}} : i32\n  \
             %zeros = arith.constant {{value = f32<0.0>}} : tile<64x64xf32>\n  \
             %b = arith.constant {{value = f16<1.0>}} : tile<32x64xf16>\n  \
             %base = tile.splat %a : tile<64x32xptr<f16>>\n  \
             %mask = arith.constant {{value = i1<true>}} : tile<64x32xi1>\n  \
             %other = arith.constant {{value = f16<1.0>}} : tile<64x32xf16>\n  \
             %sum = scf.for %zero, %n, %one, [%zeros] : tile<64x64xf32> body {{\n  \
             ^(%i: i32, %s: tile<64x64xf32>):\n    \
             %ta, %t = {load} : tile<64x32xf16>, token\n    {after}\n    \
             %p = tileaa.dot %ta, %b, %s {{signedness_a = signed, signedness_b = signed}} : tile<64x64xf32>\n    \
             scf.continue [%p]\n  }}\n  scf.return\n}}\n"
        )
    }

    fn problem(&self, target: &str) -> Option<(Code, String)> {
        let text = self.text(target);
        let parsed = parse_stage::<TileAa>(&text, FileId(0));
        assert_eq!(parsed.diagnostics, [], "{text}");
        let func = &parsed.module.funcs[0];
        assert_eq!(verify(func), Ok(()), "{text}");
        let func = select_atoms(func).unwrap().func;
        let problems = assign_layouts(&func).map(|func| verify(&func).unwrap()).err()?;
        assert_eq!(problems.len(), 1, "{problems:?}");
        Some((problems[0].code, problems[0].message.clone()))
    }
}

fn tile(route: &str, steps: &str, rest: &str) -> String {
    format!(
        "tileaa.load %A, [%zero, %i] {{dim_map = [0, 1], steps = {steps}, inbounds = [false, false], {rest}, route = \
         {route}}}"
    )
}

#[track_caller]
fn refused(array: &str, load: &str, after: &str, target: &str, code: Code, words: &[&str]) {
    let (found, message) = Loop { array, load, after }.problem(target).unwrap();
    assert_eq!(found, code, "{message}");
    for word in words {
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn routes_that_facts_allow_are_taken() {
    for route in ["direct", "staged", "cp_async<4>", "cp_async<8>", "cp_async<16>"] {
        let load = tile(route, "[64, 32]", "order = weak");
        let case = Loop {
            array: ARRAY,
            load: &load,
            after: "",
        };
        assert_eq!(case.problem("sm_80"), None, "{route}");
        // The ends of rows may cut vectors.
        let array = ARRAY.replace("extent_div = [8, 8]", "extent_div = [8, 1]");
        let case = Loop {
            array: &array,
            ..case
        };
        assert_eq!(case.problem("sm_80"), None, "{route}");
    }
}

#[test]
fn widths_that_facts_do_not_allow_are_refused() {
    let load = |bytes: u32| tile(&format!("cp_async<{bytes}>"), "[64, 32]", "order = weak");
    let limit = Code::HardwareLimit;
    let wrong = |array: &str, bytes, words: &[&str]| refused(array, &load(bytes), "", "sm_80", limit, words);
    wrong(
        &ARRAY.replace("align = 16", "align = 8"),
        16,
        &["16 bytes at a time", "a multiple of 8"],
    );
    wrong(
        &ARRAY.replace("stride_div = [8, 1]", "stride_div = [2, 1]"),
        8,
        &["8 bytes", "stride along axis 0 is a multiple of 2"],
    );
    wrong(
        &ARRAY.replace("strides = [?, 1]", "strides = [?, ?]"),
        4,
        &["stride that is known to be 1"],
    );
    let narrow = tile("cp_async<16>", "[64, 4]", "order = weak");
    refused(
        ARRAY,
        &narrow,
        "",
        "sm_80",
        limit,
        &["begins at a multiple of 4 elements along axis 1"],
    );
    let gather = "tileaa.gather_load %base {order = weak, route = cp_async<16>}";
    refused(
        ARRAY,
        gather,
        "",
        "sm_80",
        limit,
        &["16 bytes at a time", "2 are known to be contiguous"],
    );
}

#[test]
fn loads_that_the_instruction_does_not_do_are_refused() {
    let load = |rest: &str| tile("cp_async<16>", "[64, 32]", rest);
    let padded = load("padding = neg_inf, order = weak");
    refused(
        ARRAY,
        &padded,
        "",
        "sm_80",
        Code::BadPaddingValue,
        &["zeros", "`neg_inf`"],
    );
    let weak = load("order = weak");
    refused(
        ARRAY,
        &weak,
        "",
        "sm_75",
        Code::TargetLacksFeature,
        &["cp_async", "sm_75"],
    );
    let gather = "tileaa.gather_load %base, mask %mask, other %other {order = weak, route = cp_async<4>}";
    refused(
        ARRAY,
        gather,
        "",
        "sm_80",
        Code::AttributeValue,
        &["zeros where the mask is 0"],
    );
}

/// The verifier refuses such texts; a pass that makes one is stopped here.
#[test]
fn an_order_is_not_lost_in_a_copy() {
    for (file, copied) in [
        ("product", "tileas.load|atom = tma"),
        ("gathered", "tileas.gather_load|atom = cp_async"),
        ("stores", "tileas.store|atom = tma"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/tileas.lower_routes");
        let text = fs::read_to_string(path.join(format!("{file}.in.tileas"))).expect("the input");
        let is_copied = |line: &&str| copied.split('|').all(|word| line.contains(word));
        let line = text.lines().find(is_copied).expect("a copy");
        for ordered in ["order = relaxed, scope = device", "order = weak, scope = block"] {
            let changed = text.replace(line, &line.replace("order = weak", ordered));
            let parsed = parse_stage::<TileAs>(&changed, FileId(0));
            assert_eq!(parsed.diagnostics, [], "{changed}");
            let func = &parsed.module.funcs[0];
            assert!(verify(func).is_err(), "{changed}");
            let lost = lower_routes(func).expect_err("an error");
            let [problem] = lost.as_slice() else {
                panic!("{lost:?}");
            };
            assert_eq!(problem.code, Code::AttributeLost, "{problem:?}");
            let words = ordered
                .split([' ', ','])
                .filter(|word| *word == "relaxed" || *word == "block");
            for word in words {
                assert!(problem.message.contains(&format!("`{word}`")), "{problem:?}");
            }
        }
    }
}

#[test]
fn tiles_that_are_needed_in_registers_are_refused() {
    for route in ["staged", "cp_async<16>"] {
        let load = tile(route, "[64, 32]", "order = weak");
        let after = "%u = tileaa.store %A, [%zero, %i], %ta {dim_map = [0, 1], steps = [64, 32], inbounds = [false, false], \
                     order = weak} : token";
        refused(
            ARRAY,
            &load,
            after,
            "sm_80",
            Code::AttributeValue,
            &[route, "`tileaa.store` uses this one"],
        );
    }
}

#[test]
fn words_that_are_no_routes_are_refused() {
    for route in ["cp_async<12>", "cp_async", "staged<4>", "by_hand"] {
        let load = tile(route, "[64, 32]", "order = weak");
        let case = Loop {
            array: ARRAY,
            load: &load,
            after: "",
        };
        let found = parse_stage::<TileAa>(&case.text("sm_80"), FileId(0)).diagnostics;
        assert_eq!(found.len(), 1, "{route}: {found:?}");
    }
    let gather = "tileaa.gather_load %base {order = weak, route = tma<box = [64, 32]>}";
    let case = Loop {
        array: ARRAY,
        load: gather,
        after: "",
    };
    let found = parse_stage::<TileAa>(&case.text("sm_90a"), FileId(0)).diagnostics;
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn stores_that_tensor_copies_cannot_do_are_refused() {
    let load = tile("direct", "[64, 32]", "order = weak");
    let store = |route: &str| {
        format!(
            "%done = tileaa.store %A, [%i, %zero], %ta {{dim_map = [0, 1], steps = [64, 32], inbounds = [false, false], order = \
             weak, route = {route}}} : token"
        )
    };
    let boxes = "tma<box = [64, 32], swizzle = \"64B\">";
    for route in ["direct", boxes, "tma<box = [32, 32], swizzle = \"64B\">"] {
        let case = Loop {
            array: ARRAY,
            load: &load,
            after: &store(route),
        };
        assert_eq!(case.problem("sm_90a"), None, "{route}");
    }
    let wrong = |array: &str, route: &str, target: &str, code: Code, words: &[&str]| {
        refused(array, &load, &store(route), target, code, words);
    };
    let limit = Code::HardwareLimit;
    wrong(
        ARRAY,
        boxes,
        "sm_80",
        Code::TargetLacksFeature,
        &["sm_90", "sm_80"],
    );
    let narrow = "tma<box = [64, 32], swizzle = \"32B\">";
    wrong(ARRAY, narrow, "sm_90a", limit, &["64", "32"]);
    let strides = ARRAY.replace("stride_div = [8, 1]", "stride_div = [4, 1]");
    wrong(&strides, boxes, "sm_90a", limit, &["multiple of 16"]);
    let case = Loop {
        array: ARRAY,
        load: &load,
        after: &store("cp_async<16>"),
    };
    let parsed = parse_stage::<TileAa>(&case.text("sm_90a"), FileId(0));
    assert!(
        matches!(parsed.diagnostics.as_slice(), [only] if only.message.contains("`direct` or `tma<box")),
        "{:#?}",
        parsed.diagnostics
    );
}
