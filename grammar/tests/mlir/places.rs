//! Where functions, ops and names are in a text, also in one with errors.

use tilewright_diagnostics::{FileId, Span};
use tilewright_grammar::mlir::{ParsedMlir, parse_mlir, read_mlir};
use tilewright_grammar::stages::FuncSpans;
use tilewright_irs::core::Func;
use tilewright_irs::mlir::Mlir;
use tilewright_irs::mlir::print::{Form, print_module};

const TEXT: &str = r#"module {
  gpu.module @kernels {
    cuda.kernel @first(%n: i32) {
      %sum = arith.addi %n, %n : i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %pair:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %sum, %b = %n) -> (i32, i32) : i32 {
        scf.yield %b, %a : i32, i32
      }
      %last = arith.addi %pair#1, %i32 : i32
      return
    }
    cuda.kernel @second(%n: i32) {
      %twice = arith.addi %n, %n : i32
      return
    }
  }
  func.func @host(%n: i32) -> i32 {
    return %n : i32
  }
}
"#;

fn slice(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

/// The names of a function: each with its type, and whether it is defined there.
fn names<'t>(text: &'t str, func: &Func<Mlir>, spans: &FuncSpans) -> Vec<(&'t str, String, bool)> {
    let names = spans.names.iter().map(|name| {
        let ty = func.body.type_of(name.value).expect("a value");
        (slice(text, name.at), ty.to_string(), name.at == name.defined)
    });
    names.collect()
}

#[test]
fn every_name_has_its_value_and_its_definition() {
    let text = TEXT.replace("%pair#1, %i32", "%pair#1, %pair#0");
    let read = read_mlir(&text, FileId(0)).expect("no errors");
    let functions: Vec<_> = read
        .module
        .in_order()
        .map(|(func, _)| func)
        .zip(&read.places)
        .collect();
    let of: Vec<_> = functions
        .iter()
        .map(|(_, spans)| slice(&text, spans.name))
        .collect();
    assert_eq!(of, ["@first", "@second", "@host"]);
    let (func, spans) = functions[0];
    let whole = slice(&text, spans.whole);
    assert!(
        whole.starts_with("cuda.kernel @first(") && whole.ends_with("return\n    }"),
        "{whole}"
    );
    let first = &func.body;
    assert_eq!(
        spans.ops.iter().map(|&op| slice(&text, op)).collect::<Vec<_>>()[..2],
        ["arith.addi", "arith.constant"]
    );
    let names = names(&text, func, spans);
    let i32 = |name, defined| (name, "i32".to_owned(), defined);
    assert_eq!(
        names[..4],
        [
            i32("%n", true),
            i32("%sum", true),
            i32("%n", false),
            i32("%n", false)
        ]
    );
    assert!(names.contains(&i32("%pair#1", false)), "{names:?}");
    // Each result of a group is another value.
    let pair: Vec<_> = spans
        .names
        .iter()
        .filter(|name| slice(&text, name.at).starts_with("%pair"))
        .collect();
    assert_eq!(pair.len(), 4);
    assert_eq!((pair[0].value, pair[1].value), (pair[3].value, pair[2].value));
    assert!(pair.iter().all(|name| name.defined == pair[0].at));
    assert!(first.type_of(pair[0].value).is_some());
}

#[test]
fn the_generic_form_has_its_names_in_properties() {
    let text = TEXT.replace("%pair#1, %i32", "%pair#1, %pair#0");
    let module = read_mlir(&text, FileId(0)).expect("no errors").module;
    let text = print_module(&module, Form::Generic);
    let read = read_mlir(&text, FileId(0)).expect("no errors");
    let names: Vec<_> = read.places.iter().map(|spans| slice(&text, spans.name)).collect();
    assert_eq!(names, ["first", "second", "host"]);
    let whole = slice(&text, read.places[2].whole);
    assert!(
        whole.starts_with("\"func.func\"() <{") && whole.ends_with(": () -> ()"),
        "{whole}"
    );
}

#[test]
fn a_function_with_errors_has_the_names_that_were_read() {
    let ParsedMlir {
        read,
        partial,
        diagnostics,
    } = parse_mlir(TEXT, FileId(0));
    assert_eq!(diagnostics.len(), 1);
    let sound: Vec<_> = read
        .module
        .in_order()
        .map(|(func, _)| func.name.as_str())
        .collect();
    assert_eq!(sound, ["second", "host"]);
    let [(func, spans)] = partial.as_slice() else {
        panic!("{partial:?}")
    };
    assert_eq!((func.name.as_str(), slice(TEXT, spans.name)), ("first", "@first"));
    let names = names(TEXT, func, spans);
    assert!(names.contains(&("%pair#1", "i32".to_owned(), false)), "{names:?}");
    assert!(names.contains(&("%last", "none".to_owned(), true)), "{names:?}");
}

#[test]
fn what_stands_before_an_end_of_reading_is_kept() {
    // A brace is missing, or a later head is malformed.
    for text in [
        TEXT.replace(
            "twice = arith.addi %n, %n : i32\n      return\n    }\n  }",
            "twice = arith.addi %n, %n : i32\n",
        ),
        TEXT.replace("@host(%n: i32)", "@host(%n: i33x)"),
    ] {
        let text = text.replace("%pair#1, %i32", "%pair#1, %pair#0");
        let parsed = parse_mlir(&text, FileId(0));
        assert!(!parsed.diagnostics.is_empty(), "{text}");
        assert_eq!(parsed.read.places, [], "{text}");
        let mut kept: Vec<_> = parsed
            .partial
            .iter()
            .map(|(func, spans)| (func.name.as_str(), slice(&text, spans.name)))
            .collect();
        kept.sort_unstable();
        assert_eq!(kept, [("first", "@first"), ("second", "@second")], "{text}");
        let (func, spans) = parsed
            .partial
            .iter()
            .find(|(func, _)| func.name == "second")
            .expect("one");
        let names = names(&text, func, spans);
        assert!(names.contains(&("%twice", "i32".to_owned(), true)), "{names:?}");
    }
}
