//! MLIR's generic form, equivalent to the custom form; test-only content is read on request.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::cuda_tile::{TextOptions, parse_tile_text, parse_tile_text_with};
use tilewright_irs::cuda_tile::{print_tile_module, print_tile_module_generic};

use crate::corpus::{good, made_texts, texts};

#[test]
fn every_program_reads_back_equal_from_the_generic_form() {
    for (path, text) in texts().into_iter().chain(made_texts()) {
        let parsed = good(&text);
        let again = good(&print_tile_module_generic(&parsed.module));
        assert_eq!(parsed.module, again.module, "{}", path.display());
    }
}

/// The first error of a kernel with this op, its code and its message.
fn error(op: &str) -> (Code, String) {
    let text = format!("entry @k(%a: tile<i32>, %b: tile<f32>) {{\n  {op}\n  return\n}}\n");
    let parsed = parse_tile_text(&text, FileId(0));
    let first = parsed.diagnostics.into_iter().next().expect(op);
    (first.code, first.message)
}

#[test]
fn both_forms_mix() {
    let text = r#"entry @k(%a: tile<i32>) {
  %b = "cuda_tile.addi"(%a, %a) <{overflow = #cuda_tile.overflow<no_signed_wrap>}> : (tile<i32>, tile<i32>) -> tile<i32>
  %c = "cuda_tile.cmpi"(%a, %b) {comparison_predicate = 0 : i32, signedness = #cuda_tile.signedness<signed>} : (tile<i32>, tile<i32>) -> tile<i1>
  "cuda_tile.if"(%c) ({
    "cuda_tile.return"() : () -> ()
  }, {
  }) : (tile<i1>) -> ()
  %d = "cuda_tile.constant"() <{value = dense<[1, 2]> : tile<2xi32>}> : () -> tile<2xi32>
  return
}
"#;
    let printed = print_tile_module(&good(text).module, None);
    for part in [
        "addi %arg0, %arg0 overflow<no_signed_wrap> : tile<i32>",
        "cmpi equal %arg0, %0, signed : tile<i32> -> tile<i1>",
        "constant <i32: [1, 2]> : tile<2xi32>",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
}

#[test]
fn several_results_follow_a_label() {
    let text = r#"entry @k(%c: tile<i1>) {
  "cuda_tile.if"(%c) ({
  ^bb0:
    %n:3 = "cuda_tile.get_tile_block_id"() : () -> (tile<i32>, tile<i32>, tile<i32>)
    "cuda_tile.yield"() : () -> ()
  }, {
  }) : (tile<i1>) -> ()
  return
}
"#;
    let printed = print_tile_module(&good(text).module, None);
    assert!(printed.contains("get_tile_block_id"), "{printed}");
}

#[test]
fn mistakes_in_the_generic_form() {
    let (code, message) = error(r#"%x = "cuda_tile.addi"(%a) : (tile<i32>) -> tile<i32>"#);
    assert_eq!(code, Code::OperandCount, "{message}");
    let (code, message) = error(r#"%x = "cuda_tile.addi"(%a, %b) : (tile<i32>, tile<i32>) -> tile<i32>"#);
    assert_eq!(code, Code::TypeMismatch, "{message}");
    assert!(message.contains("`%b`"), "{message}");
    let (code, message) = error(r#"%x = "cuda_tile.addi"(%a, %a) : (tile<i32>) -> tile<i32>"#);
    assert_eq!(code, Code::OperandCount, "{message}");
    let (code, _) = error(r#"%x = "cuda_tile.divi"(%a, %a) : (tile<i32>, tile<i32>) -> tile<i32>"#);
    assert_eq!(code, Code::MissingAttribute);
    let (code, _) = error(r#""cuda_tile.loop"() : () -> ()"#);
    assert_eq!(code, Code::RegionCount);
    let (code, _) = error(r#"%x = "test.unknown"() : () -> tile<i32>"#);
    assert_eq!(code, Code::UnknownOp);
}

#[test]
fn test_only_syntax_is_read_only_with_the_option() {
    let text = r#"testing$func @f(%a: tile<4xf32>) -> tile<4xf32> {
  %b = "test.value"(%a) : (tile<4xf32>) -> tile<4xf32>
  %c = addf %a, %b : tile<4xf32>
  return %c : tile<4xf32>
}
"#;
    let parsed = parse_tile_text_with(
        text,
        FileId(0),
        TextOptions {
            testing: true,
            ..TextOptions::default()
        },
    );
    assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
    assert_eq!(parsed.tests.len(), 1);
    assert_eq!(parsed.module.funcs[0].body.params().len(), 2);
    assert!(!parse_tile_text(text, FileId(0)).diagnostics.is_empty());
}

#[test]
fn constants_have_the_shape_of_their_type() {
    let message = |literal: &str| error(&format!("%x = constant <{literal}> : tile<2x2xi32>")).1;
    assert!(message("i32: [[1, 2], [3]]").contains("a list has 1 entry"));
    assert!(message("i32: [[1, 2], 3]").contains("a number stands beside lists"));
    assert!(message("i32: [1, 2, 3, 4]").contains("the shape [4], but its type has [2, 2]"));
    assert!(message("f32: [[1, 2], [3, 4]]").contains("expected a float"));
}

#[test]
fn a_view_of_a_tensor_has_the_extents_of_its_type() {
    let message = |shape: &str| {
        let ty = "tensor_view<?x8xf32, strides=[8,1]>";
        let op = format!("%x = make_tensor_view %p, shape = [{shape}], strides = [8, 1] : tile<i32> -> {ty}");
        let text = format!("entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {{\n{op}\n}}\n");
        let parsed = parse_tile_text(&text, FileId(0));
        parsed.diagnostics.first().map(|problem| problem.message.clone())
    };
    assert_eq!(message("%n, 8"), None);
    assert!(message("%n").is_some_and(|message| message.contains("1 entry")));
    assert!(message("%n, 4").is_some_and(|message| message.contains("dimension 1 is 4")));
    assert!(message("3, 8").is_some_and(|message| message.contains("dimension 0 is 3")));
}
