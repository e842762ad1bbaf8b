//! Hand-written forms that the disassembler does not print.

use tilewright_grammar::cuda_tile::TileParsed;
use tilewright_grammar::detect_language;
use tilewright_irs::cuda_tile::print_tile_module;

use crate::corpus::{good, made_texts, texts};

const PRINTED: &str = "\
// Producer: someone
entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) optimization_hints=<sm_90 = {occupancy = 2}> {
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<8xf32>
  %0 = addf %cst_0_f32, %cst_0_f32  : tile<8xf32>
  %tview = make_tensor_view %arg0, shape = [%arg1], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %pview = make_partition_view %tview : partition_view<tile=(8), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %for = for %loopIdx in (%arg1 to %arg1, step %arg1) : tile<i32> iter_values(%iterArg0 = %0) -> (tile<8xf32>) {
    continue %iterArg0 : tile<8xf32>
  }
  return
}
";

#[test]
fn a_wrapper_and_prefixes_change_nothing() {
    let written = r#"
        // A remark.
        cuda_tile.module @anything attributes {producer = "someone"} {
          cuda_tile.entry @k(%pointer: !cuda_tile.tile<!cuda_tile.ptr<f32>>,
                             %count: !cuda_tile.tile<i32>)
              optimization_hints=<sm_90 = {occupancy = 2 : i32}> {
            %zero = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<8xf32>
            %sum = cuda_tile.addf %zero,
                %zero rounding<nearest_even> : tile<8xf32>
            %t = make_tensor_view %pointer, shape = [%count], strides = [1]
                : tile<i32> -> tensor_view<?xf32, strides=[1]>
            %v = make_partition_view %t
                : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>, padding_value = zero, dim_map = [0]>
            %l:1 = for %i in (%count to %count, step %count) : tile<i32>
                iter_values(%a = %sum) -> (tile<8xf32>)
            {
              cuda_tile.continue %a : tile<8xf32>
            }
          }
        }
    "#;
    assert_eq!(print_tile_module(&good(written).module, None), PRINTED);
    assert_eq!(print_tile_module(&good(PRINTED).module, None), PRINTED);
}

#[test]
fn an_i1_is_a_truth_value_however_it_is_written() {
    let kernel = |identity: &str| {
        format!(
            "entry @k() {{
              %t = constant <i1: true> : tile<8xi1>
              %r = reduce %t dim=0 identities=[{identity}] : tile<8xi1> -> tile<i1>
              (%a: tile<i1>, %b: tile<i1>) {{
                %both = andi %a, %b : tile<i1>
                yield %both : tile<i1>
              }}
              return
            }}"
        )
    };
    assert_eq!(good(&kernel("1 : i1")).module, good(&kernel("true")).module);
}

/// What the notes of a text are about.
fn noted<'t>(parsed: &TileParsed, text: &'t str) -> Vec<&'t str> {
    let labels = parsed.diagnostics.iter().filter_map(|note| note.primary.as_ref());
    labels
        .map(|label| &text[label.at.start as usize..label.at.end as usize])
        .collect()
}

#[test]
fn attributes_of_the_generic_form_that_nothing_reads_are_noted() {
    let text = r#"
    "cuda_tile.module"() <{sym_name = "m"}> ({
      "cuda_tile.global"() <{sym_name = "g", value = dense<1> : !cuda_tile.tile<2xi32>, alignment = 8 : i64, color = 3 : i32}> : () -> ()
      "cuda_tile.entry"() <{arg_attrs = [{}], function_type = (!cuda_tile.tile<i32>) -> (), sym_name = "k", bogus = 3 : i32}> ({
      ^bb0(%a: !cuda_tile.tile<i32>):
        %b = "cuda_tile.addi"(%a, %a) <{overflow = #cuda_tile.overflow<none>, arith.odd}> {cuda_tile.loop_split = 0 : i32} : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
        "cuda_tile.return"() : () -> ()
      }) {nvvm.maxnreg = 32 : i32} : () -> ()
    }) {tt.num_warps = 8 : i32} : () -> ()"#;
    assert_eq!(detect_language(text), Some("cuda_tile"));
    let names = [
        "color",
        "bogus",
        "arith.odd",
        "cuda_tile.loop_split",
        "nvvm.maxnreg",
        "tt.num_warps",
    ];
    assert_eq!(noted(&good(text), text), names);
}

#[test]
fn attributes_without_a_place_in_bytecode_are_dropped() {
    let written = "
        module attributes {gpu.container_module, other = 1 : i32} {
          cuda_tile.module @m {
            entry @k(%b: tile<i1>) {
              %l = loop : tile<i1> {
                if %b { break %b : tile<i1> } else { continue } {cuda_tile.loop_split = 0}
                continue
              } {cuda_tile.loop_split = 1, unit}
              return
            } {cuda_tile.loop_split = 0}
          }
        }";
    let without = "entry @k(%b: tile<i1>) {
      %l = loop : tile<i1> {
        if %b { break %b : tile<i1> } else { continue }
        continue
      }
      return
    }";
    let parsed = [written, without].map(good);
    let texts = [&parsed[0], &parsed[1]].map(|parsed| print_tile_module(&parsed.module, None));
    assert_eq!(texts[0], texts[1]);
    // Each is noted once, at its name.
    let names = ["gpu.container_module", "other", "cuda_tile.loop_split", "unit"];
    assert_eq!(noted(&parsed[0], written), names);
    assert!(noted(&parsed[1], without).is_empty());
}

#[test]
fn modules_may_nest_and_globals_be_public() {
    let written =
        "module {\n  cuda_tile.module @m {\n    global public @g <f32: 1.0> : tile<1xf32>\n  }\n}\n";
    let printed = "global  @g <f32: 1.000000e+00> : tile<1xf32>\n";
    assert_eq!(print_tile_module(&good(written).module, None), printed);
}

#[test]
fn statements_may_share_a_line_with_their_braces() {
    let parsed = good("entry @k(%b: tile<i1>) { if %b { return } }");
    let printed = "entry @k(%arg0: tile<i1>) {\n  if %arg0 {\n    return\n  }\n  return\n}\n";
    assert_eq!(print_tile_module(&parsed.module, None), printed);
}

#[test]
fn an_empty_text_is_an_empty_module() {
    let parsed = good("\n");
    assert!(parsed.module.funcs.is_empty());
    assert_eq!(print_tile_module(&parsed.module, None), "\n");
}

#[test]
fn the_language_is_known_by_its_first_word() {
    for (path, text) in texts().into_iter().chain(made_texts()) {
        assert_eq!(detect_language(&text), Some("cuda_tile"), "{}", path.display());
    }
}

#[test]
fn spans_and_places_belong_to_the_ops() {
    let text = "entry @k(%b: tile<i1>) {\n  if %b {\n    %t = make_token : token\n  }\n  return\n}\n";
    let parsed = good(text);
    let words: Vec<_> = parsed.spans[0]
        .ops
        .iter()
        .map(|span| &text[span.start as usize..span.end as usize])
        .collect();
    // Omitted terminators are at the brace that ends their region.
    assert_eq!(words, ["if", "make_token", "}", "return"]);
    assert_eq!(parsed.debug.funcs[0].ops.len(), 4);
}
