//! Printed text round-trips, and so do plausible edits.

use proptest::prelude::*;
use tilewright_diagnostics::FileId;
use tilewright_grammar::stages::{Parsed, parse_stage};
use tilewright_irs::core::{Module, print_module, verify};

use crate::language::Toy;
use crate::random;

/// A text with every form.
pub(crate) const SAMPLE: &str = r##"#linear0 = linear<register = [[1], [2]], lane = [[4]], shape = [1024]>
// What this is.
toy.func @first(%0: ptr<f32>, %1: i32, %2: i1) {spec = {num_warps = 4, tall}, kernel} body {
  %3, %4 = toy.load %0, [%1, %1], mask %2, after %1 {width = 128b, volatile} : tile<4x?xf32, #linear0>, i32
  %5 = toy.load %0, [] {width = shared.cta} : tile<4xi8, #linear0>
  %6 = toy.attr {term = -1, words = ["a\"\\\n\t\u{7}é"], number = -9223372036854775808, yes = true, literal = f32<1e40>} : i32
  %7 = toy.attr {term = @"a b", words = [], number = 0, small = 255, yes = false, literal = f32<0x7FC00000>, dense = i8<[1, -2]>} : i32
  %8 = toy.loop %1, [%1] {unsigned} : i32 body {
  ^(%9: i32):
    toy.if %2 then {
      toy.yield []
    } else {
      toy.yield []
    }
    toy.yield [%9]
  }
  toy.branch %2, ^bb1(%1, %8), ^bb2()
^bb1(%10: i32, %11: i32):
  toy.branch %2, ^bb1(%11, %10), ^bb2()
^bb2:
  toy.return
}

toy.func @"odd name"() body {
  toy.return
}
"##;

/// Parses a valid text.
pub(crate) fn good(text: &str) -> Parsed<Toy> {
    let parsed = parse_stage::<Toy>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    parsed
}

#[test]
fn every_form_reads_back() {
    let first = good(SAMPLE);
    assert_eq!(first.module.funcs.len(), 2);
    let text = print_module(&first.module);
    assert_eq!(good(&text).module, first.module);
    // The printer keeps the alias but not the comment, and writes floats in its own form.
    let expected = SAMPLE
        .replace("// What this is.\n", "\n")
        .replace("f32<1e40>", "f32<0x7F800000>");
    assert_eq!(text, expected);
}

#[test]
fn spans_belong_to_the_ops() {
    let parsed = good(SAMPLE);
    let func = &parsed.module.funcs[0];
    let text = |span: tilewright_diagnostics::Span| &SAMPLE[span.start as usize..span.end as usize];
    assert_eq!(text(parsed.spans[0].name), "@first");
    for op in func.body.walk() {
        let data = func.body.op(op);
        let name = tilewright_irs::core::Operation::name(&data.kind);
        assert_eq!(text(parsed.spans[0].get(data.origin)), name);
    }
    assert_eq!(func.body.clone().with_own_origins(), func.body);
}

#[test]
fn the_sample_is_well_formed() {
    for func in &good(SAMPLE).module.funcs {
        verify(func).unwrap();
    }
}

#[test]
fn lines_may_wrap_and_names_may_be_words() {
    let edited = r##"
        #v = linear<register = [[1],
            [2]]>
        toy.func @f(%a: i32,
                    %b.c: tile<4xf32,
                      #v>)
            {kernel,
             spec = {deep = [1, 2,
               3]}}
        body {
            %x,
            %y =
                toy.load %a, [%a,
                    %a],
                mask %b.c
                {volatile}
                : i32,
                  i32 // a remark
            toy.loop %a, []
              body {
              ^here:
                toy.yield []
              }
            toy.branch %a,
                ^one(%a),
                ^two
            ^one(%p: i32): toy.return
            ^two: toy.return }
    "##;
    let parsed = good(edited);
    let text = print_module(&parsed.module);
    assert_eq!(good(&text).module, parsed.module);
}

#[test]
fn aliases_may_use_earlier_ones() {
    let text =
        "#a = linear<[1]>\n#b = pair<#a, #a>\ntoy.func @f(%0: tile<4xf32, #b>) body {\n  toy.return\n}\n";
    let plain = "toy.func @f(%0: tile<4xf32, pair<linear<[1]>, linear<[1]>>>) body {\n  toy.return\n}\n";
    assert_eq!(good(text).module, good(plain).module);
}

#[test]
fn an_empty_text_is_an_empty_module() {
    assert!(good("").module.funcs.is_empty());
    assert!(good("// nothing\n").module.funcs.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_modules_read_back(module in random::module()) {
        let text = print_module(&module);
        let parsed = parse_stage::<Toy>(&text, FileId(0));
        prop_assert!(parsed.diagnostics.is_empty(), "{}\n{:#?}", text, parsed.diagnostics);
        let expected = Module {
            funcs: module.funcs.iter().map(|func| {
                let mut func = func.clone();
                func.body = func.body.with_own_origins();
                func
            }).collect(),
        };
        prop_assert_eq!(&parsed.module, &expected, "{}", text);
        prop_assert_eq!(print_module(&parsed.module), text);
    }
}
