//! Hovers of what is no value: words of the language, kernels, aliases, and PTX.

use serde_json::{Value, json};

use crate::client::Client;
use crate::naming::PTX;
use crate::{TEXT, URI, position};

/// A kernel with hints, attributes and cases, and one with a mistake.
const WORDS: &str = "\
!t = tile<4x8xf16>
entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<sm_90 = {occupancy = 2}> {
  %sum = addi %n, %n overflow<no_signed_wrap> : tile<i32>
  %c = constant <f32: 1.0> : tile<64xf32>
  %d = divf %c, %c rounding<approx> flush_to_zero : tile<64xf32>
  %less = cmpi less_than %n, %sum, signed : tile<i32> -> tile<i1>
  %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %z = constant <f16: 0.0> : !t
  %q = assume div_by<16>, %p : tile<ptr<f32>>
  %x = make_tensor_view %q, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %w = make_partition_view %x : partition_view<tile=(4), padding_value = nan, tensor_view<8xf32, strides=[1]>>
  return
}
entry @broken(%n: tile<i32>) {
  %m = muli %n, %missing overflow<none> : tile<i32>
  return
}
";

/// A kernel of `tileas`.
const LAYOUT: &str = "\
#wide = linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]], shape = [64]>

tileas.func @k(%0: ptr<f32>) {target = sm_90a, kernel_spec = {num_warps = 4, num_ctas = 1}, shared_bytes = 0} body {
  %1 = tile.iota : tile<64xi32, #wide>
  %2 = arith.addi %1, %1 {overflow = none} : tile<64xi32, #wide>
  scf.return
}
";

struct Hovers<'t> {
    client: Client,
    uri: &'static str,
    text: &'t str,
}

impl<'t> Hovers<'t> {
    fn of(uri: &'static str, text: &'t str) -> Self {
        let mut client = Client::start(json!({ "target": "sm_90a", "ptxas": false }));
        client.open(uri, text);
        Self { client, uri, text }
    }

    /// What is said of the `nth` occurrence of a word.
    fn said(&mut self, word: &str, nth: usize) -> String {
        let at = json!({ "textDocument": { "uri": self.uri }, "position": position(self.text, word, nth) });
        let hover = self.client.request("textDocument/hover", at);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// What is said of words must have these parts.
    fn expect(&mut self, cases: &[(&str, usize, &[&str])]) {
        for (word, nth, parts) in cases {
            let said = self.said(word, *nth);
            for part in *parts {
                assert!(said.contains(part), "{word}: no `{part}` in:\n{said}");
            }
        }
    }
}

#[test]
fn words_of_cuda_tile_are_hovered() {
    let mut hovers = Hovers::of(URI, WORDS);
    hovers.expect(&[
        // An attribute, and a case of it.
        (
            "overflow<",
            0,
            &[
                "`overflow`, an attribute of `addi`: Promises about overflow",
                "Without it: `none`.",
                "- `no_wrap`: Neither",
            ],
        ),
        (
            "no_signed_wrap",
            0,
            &[
                "**no_signed_wrap**: No signed overflow.",
                "`overflow`, an attribute of `addi`",
            ],
        ),
        (
            "approx",
            0,
            &["**approx**: A fast approximation.", "`rounding_mode`"],
        ),
        (
            "flush_to_zero",
            0,
            &["`flush_to_zero`, a flag of `divf`: Subnormal inputs"],
        ),
        ("less_than", 0, &["**less_than**: `<`"]),
        ("signed :", 0, &["**signed**: Two's complement."]),
        ("weak", 0, &["**weak**: No concurrent access."]),
        // Hints.
        (
            "occupancy",
            0,
            &[
                "The number of tile blocks per multiprocessor.",
                "an integer value from 1 to 32",
            ],
        ),
        (
            "optimization_hints",
            0,
            &["an attribute that may be left out of a function: Hints for the kernel"],
        ),
        // Types.
        ("f32: 1.0", 0, &["`f32`: IEEE binary32. 4 bytes"]),
        (
            "tile<64xf32>",
            0,
            &[
                "**tile**: An immutable array",
                "64 elements, 256 bytes in all",
                "`f32`: IEEE binary32.",
            ],
        ),
        ("64xf32", 0, &["64 elements, 256 bytes in all"]),
        ("xf32>", 0, &["`f32`: IEEE binary32."]),
        (
            "ptr<f32>",
            0,
            &["the address of numbers of type `f32` in global memory; 8 bytes"],
        ),
        ("token", 0, &["**token**: Orders memory ops."]),
        (
            "padding_value",
            0,
            &[
                "`padding_value`, a part of a view's type: The value of",
                "- `neg_inf`: ",
            ],
        ),
        ("nan,", 0, &["**nan**: NaN"]),
        ("tile=", 0, &["`tile`, a part of a view's type"]),
        (
            "div_by",
            0,
            &[
                "**div_by**: Each element",
                "`predicate`, an attribute of `assume`: What is assumed.",
            ],
        ),
        // An alias, where it is defined and where it is used.
        (
            "!t",
            0,
            &[
                "!t = tile<4x8xf16>",
                "32 elements, 64 bytes in all",
                "`f16`: IEEE binary16.",
            ],
        ),
        ("!t", 1, &["!t = tile<4x8xf16>", "32 elements, 64 bytes in all"]),
        // Also in a kernel with a mistake.
        ("muli", 0, &["**cuda_tile.muli**: "]),
        (
            "none>",
            0,
            &["**none**: None: it wraps. It is what holds if nothing is written."],
        ),
    ]);
    assert_eq!(hovers.said("1.0", 0), "", "a number");
}

#[test]
fn the_hover_of_an_attribute_has_its_life() {
    let mut hovers = Hovers::of(URI, WORDS);
    for (word, nth, parts) in [
        ("occupancy", 0, &["kernel_spec.occupancy = ", ".maxnreg"][..]),
        (
            "flush_to_zero",
            0,
            &["removed by `eliminate_dead_cuda_tile_code`"],
        ),
        ("weak", 0, &["cuda_tile.load_ptr_tko ordering = weak"]),
    ] {
        let said = hovers.said(word, nth);
        for part in parts {
            assert!(said.contains(part), "{word}: no {part} in {said}");
        }
    }
    // What becomes of an attribute is not known where there is a mistake.
    let said = hovers.said("none>", 0);
    assert!(!said.contains("tileaa"), "{said}");
    let asked = json!({
        "textDocument": { "uri": URI },
        "stage": "attributes",
        "position": position(WORDS, "@k", 0),
    });
    let shown = hovers.client.request("tilewright/stage", asked);
    let text = shown["text"].as_str().expect("text");
    assert!(
        text.contains("occupancy of kernel `k`") && text.contains("# memory order"),
        "{text}"
    );
    let lines = shown["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), text.lines().count());
    let row = text
        .lines()
        .position(|line| line.contains("ordering of"))
        .expect("a life");
    let own = position(WORDS, "load_ptr_tko", 0);
    assert_eq!(lines[row], own["line"]);
}

#[test]
fn the_hover_of_a_kernel_is_its_head_and_its_cost() {
    let mut hovers = Hovers::of(URI, TEXT);
    let said = hovers.said("@first", 0);
    let head = "```\nentry @first(%p: tile<ptr<f32>>, %n: tile<i32>)\n```\n\nsm_90a · ";
    assert!(said.starts_with(head), "{said}");
    let document = json!({ "textDocument": { "uri": URI } });
    let lenses = hovers.client.request("textDocument/codeLens", document);
    let cost = lenses[0]["command"]["title"].as_str().expect("text");
    assert!(said.ends_with(cost), "{said}");
    let said = hovers.said("%n:", 0);
    assert!(said.starts_with("```\n%n: tile<i32>\n```"), "a parameter: {said}");
    let mut hovers = Hovers::of(URI, WORDS);
    let said = hovers.said("@k", 0);
    assert!(
        said.contains("optimization_hints=<sm_90 = {occupancy = 2}>\n```"),
        "{said}"
    );
    let said = hovers.said("@broken", 0);
    assert_eq!(said, "```\nentry @broken(%n: tile<i32>)\n```");
}

#[test]
fn layouts_of_tileas_are_drawn_where_they_are_named() {
    let mut hovers = Hovers::of("file:///k.tileas", LAYOUT);
    let table = "| register | 2 | (1) |\n| lane | 32 | (2) (4) (8) (16) (32) |";
    hovers.expect(&[
        ("#wide", 0, &["#wide = linear<register", table]),
        ("#wide", 1, &["#wide = linear<register", table]),
        ("tile<64", 0, &["64 elements, 256 bytes in all", table]),
        (
            "overflow",
            0,
            &["`overflow`, an attribute of `arith.addi`", "- `none`: "],
        ),
        ("none", 0, &["**none**: "]),
        ("kernel_spec", 0, &["`kernel_spec`, an attribute"]),
        ("@k", 0, &["tileas.func @k(%0: ptr<f32>) {target = sm_90a"]),
    ]);
}

#[test]
fn names_and_words_of_ptx_are_hovered() {
    let mut hovers = Hovers::of("file:///k.ptx", PTX);
    hovers.expect(&[
        // Registers: of a family, and one by itself.
        (
            "%r1",
            0,
            &[
                ".reg .b32 %r1",
                "`.b32`: ",
                "32 bits",
                "declared in line 14: `.reg .b32 %r<4>`",
                "written in\n- line 20: `mov.u32 %r1, %tid.x`",
            ],
        ),
        (
            "total",
            1,
            &[
                ".reg .f32 total",
                "declared in line 16",
                "- line 23: `ld.global.f32 total, [%rd0+4]`",
                "- line 24: `add.rn",
            ],
        ),
        // A parameter, a variable of a kernel and one of the file, a label.
        (
            "source]",
            0,
            &[".param .u64 .ptr .global .align 16 source", "declared in line 8"],
        ),
        (
            "cache",
            0,
            &[
                ".shared .align 16 .b8 cache[512]",
                "`.shared`: The block's memory.",
            ],
        ),
        (
            "table;",
            0,
            &[".global .align 4 .b8 table[64]", "declared in line 5"],
        ),
        ("$L_done", 0, &["$L_done:", "in line 27, 1 use"]),
        // An instruction, one of its modifiers, its type.
        (
            "add.rn",
            0,
            &["**add**: Adds.", "add{.rounding}{.ftz}{.sat}{.ty} d, a, b"],
        ),
        (
            "rn.ftz",
            0,
            &["`.rn`: To nearest, ties to even.", "**add**: Adds."],
        ),
        ("f32 total, total", 0, &["`.f32`: ", "**add**"]),
        ("ld.param", 0, &["**ld"]),
        // Directives, state spaces, types, special registers.
        (
            ".reqntid",
            0,
            &["**.reqntid**: The threads that a block must have"],
        ),
        (".reg", 0, &["**.reg**: Registers of a type"]),
        (".shared", 0, &["**.shared**: The block's memory."]),
        (".pred", 0, &["`.pred`: "]),
        (
            "%tid",
            0,
            &[
                "**%tid.x**, a special register: Thread index in the block, x.",
                "`.u32`: ",
            ],
        ),
        // A kernel.
        (
            "first(",
            0,
            &[
                ".visible .entry first(\n",
                ".param .u32 count\n)\n.reqntid 128, 1, 1\n```",
                "sm_90a · 10 instructions",
            ],
        ),
    ]);
    // In a kernel with an error, where the register is declared in no line.
    assert_eq!(hovers.said("%rd9", 0), "");
    hovers.expect(&[(
        "%r0",
        2,
        &["declared in line 34: `.reg .b32 %r<2>`", "- line 35: `ld.param"],
    )]);
    let hover =
        json!({ "textDocument": { "uri": "file:///k.ptx" }, "position": { "line": 3, "character": 0 } });
    assert_eq!(hovers.client.request("textDocument/hover", hover), Value::Null);
}
