//! What is offered where something is typed.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///tmp/completion.mlir";

/// A module whose kernel has a line to complete, up to `|`, in a loop.
const MODULE: &str = "cuda_tile.module @m {
  global @g <i32: 3> : tile<1xi32>
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %c = constant <i32: 1> : tile<i32>
    %f = constant <f32: 1.0> : tile<64xf32>
    %h = constant <f32: 2.0> : tile<64xf32>
    %q = cmpi less_than %c, %n, signed : tile<i32> -> tile<i1>
    %t = make_token : token
    %v = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %w = make_partition_view %v : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
    %sum = for %i in (%c to %n, step %c) : tile<i32> iter_values(%s = %f) -> (tile<64xf32>) {
      |
      continue %s : tile<64xf32>
    }
    return
  }
}
";

/// A client that has places to fill in if `snippets` says so.
fn client(snippets: bool) -> Client {
    let capabilities = json!({
        "general": { "positionEncodings": ["utf-16"] },
        "textDocument": { "completion": { "completionItem": { "snippetSupport": snippets } } },
    });
    Client::that_can(capabilities, Value::Null)
}

/// What is offered at the `|` of a text, the best first.
fn offered(client: &mut Client, version: i64, text: &str) -> Vec<Value> {
    let at = text.find('|').expect("a place");
    let (before, after) = (&text[..at], &text[at + 1..]);
    let text = format!("{before}{after}");
    match version {
        1 => client.open(URI, &text),
        _ => client.notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": URI, "version": version }, "contentChanges": [{ "text": text }] }),
        ),
    }
    let line = before.matches('\n').count();
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    let place = json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": column } });
    let mut items = client
        .request("textDocument/completion", place)
        .as_array()
        .expect("a list")
        .clone();
    items.sort_by_key(|item| item["sortText"].as_str().expect("text").to_owned());
    items
}

fn labels(items: &[Value]) -> Vec<&str> {
    items.iter().filter_map(|item| item["label"].as_str()).collect()
}

#[test]
fn the_parser_tells_what_can_be_typed() {
    let mut client = client(true);
    let mut wrong = String::new();
    let table: &[(&str, &[&str])] = &[
        // Cases of an enumeration, whole and begun.
        (
            "%d = cmpi |",
            &[
                "equal",
                "not_equal",
                "less_than",
                "less_than_or_equal",
                "greater_than",
                "greater_than_or_equal",
            ],
        ),
        (
            "%d = cmpi les|",
            &[
                "equal",
                "not_equal",
                "less_than",
                "less_than_or_equal",
                "greater_than",
                "greater_than_or_equal",
            ],
        ),
        ("%a, %b = load_view_tko |", &["weak", "relaxed", "acquire"]),
        ("%d = cmpi equal %c, %c, |", &["unsigned", "signed"]),
        (
            "%d = addf %f, %h rounding<|",
            &["nearest_even", "zero", "negative_inf", "positive_inf"],
        ),
        // Keywords.
        ("%d = addf %f, %h |", &["rounding", "flush_to_zero"]),
        ("%d = for |", &["unsigned"]),
        ("%d = for %j |", &["in"]),
        ("%d = for %j in (%c |", &["to"]),
        ("%d = for %j in (%c to %n, |", &["step"]),
        (
            "%d = for %j in (%c to %n, step %c) : tile<i32> |",
            &["iter_values"],
        ),
        ("%d = make_tensor_view %p, |", &["shape"]),
        ("if %q {\n      } |", &["else"]),
        (
            "%a, %b = load_view_tko weak %w[%c] |",
            &["token", "optimization_hints", "inbounds"],
        ),
        // Predicates.
        ("%d = assume |", &["div_by", "same_elements", "bounded"]),
        // Types and element types.
        (
            "%d = addf %f, %h : |",
            &[
                "tile",
                "tensor_view",
                "partition_view",
                "strided_view",
                "gather_scatter_view",
                "token",
            ],
        ),
        (
            "%d = addf %f, %h : tile<64xf|",
            &[
                "ptr",
                "i1",
                "i4",
                "i8",
                "i16",
                "i32",
                "i64",
                "f16",
                "bf16",
                "f32",
                "tf32",
                "f64",
                "f8E4M3FN",
                "f8E5M2",
                "f8E8M0FNU",
                "f4E2M1FN",
                "fnv8E5M3FNU",
            ],
        ),
        (
            "%d = make_partition_view %v : partition_view<|",
            &["tile", "tensor_view", "padding_value", "dim_map"],
        ),
        // Values: those of the type that is expected come first, the last one that was defined before others.
        (
            "%d = addf %|",
            &["%s", "%h", "%f", "%i", "%w", "%v", "%t", "%q", "%c", "%n", "%p"],
        ),
        (
            "%d = addi %c, %|",
            &["%i", "%c", "%n", "%s", "%w", "%v", "%t", "%q", "%h", "%f", "%p"],
        ),
        (
            "%a, %b = load_view_tko weak %|",
            &["%w", "%s", "%i", "%v", "%t", "%q", "%h", "%f", "%c", "%n", "%p"],
        ),
        (
            "%a, %b = load_view_tko weak %w[%c] token = %|",
            &["%t", "%s", "%i", "%w", "%v", "%q", "%h", "%f", "%c", "%n", "%p"],
        ),
        (
            "if %|",
            &["%q", "%s", "%i", "%w", "%v", "%t", "%h", "%f", "%c", "%n", "%p"],
        ),
        (
            "continue %|",
            &["%s", "%h", "%f", "%i", "%w", "%v", "%t", "%q", "%c", "%n", "%p"],
        ),
        // Nothing is expected.
        ("// a |", &[]),
        ("%d = constant <i32: 1|", &[]),
        ("%a, |", &[]),
    ];
    for (version, (line, want)) in (1..).zip(table) {
        let items = offered(&mut client, version, &MODULE.replacen('|', line, 1));
        let have = labels(&items);
        if have != *want {
            wrong += &format!("{line} offers {have:?} instead of {want:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn only_ops_that_may_stand_in_a_place_are_offered() {
    let mut client = client(true);
    let ends = ["yield", "continue", "break", "return"];
    let table: &[(&str, &[&str])] = &[
        ("|", &["continue"]),
        ("add|", &["continue"]),
        ("if %q {\n        |\n      }", &["yield", "continue"]),
        ("loop {\n        |\n      }", &["continue", "break"]),
        (
            "loop {\n        if %q {\n          |\n        }\n      }",
            &["yield", "continue", "break"],
        ),
        (
            "%o = reduce %f dim=0 identities=[0.0 : f32] : tile<64xf32> -> tile<f32> (%l: tile<f32>, %m: tile<f32>) {\n        |\n      }",
            &["yield"],
        ),
        ("continue %f : tile<64xf32>\n    }\n    |", &["return"]),
        // An op without results cannot be given a name.
        ("%d = |", &[]),
    ];
    for (version, (line, want)) in (1..).zip(table) {
        let items = offered(&mut client, version, &MODULE.replacen('|', line, 1));
        let have = labels(&items);
        let found: Vec<_> = ends.into_iter().filter(|op| have.contains(op)).collect();
        assert_eq!(found, *want, "{line}");
        assert!(
            have.contains(&"addi") && have.contains(&"for") && !have.contains(&"entry"),
            "{line}: {have:?}"
        );
    }
    // Outside of functions.
    let version = 1 + i64::try_from(table.len()).expect("few");
    let items = offered(
        &mut client,
        version,
        &MODULE.replacen('|', "", 1).replacen("  entry", "  |\n  entry", 1),
    );
    assert_eq!(labels(&items), ["entry", "global"]);
}

#[test]
fn an_op_is_a_snippet_with_its_operands_in_their_order() {
    for snippets in [true, false] {
        let mut client = client(snippets);
        let items = offered(&mut client, 1, &MODULE.replacen('|', "%d = |", 1));
        let item = |name: &str| {
            items
                .iter()
                .find(|item| item["label"] == name)
                .expect(name)
                .clone()
        };
        let addi = item("addi");
        let (text, format) = match snippets {
            true => ("addi ${1:%lhs}, ${2:%rhs} : ${3:type of result}", json!(2)),
            false => ("addi", Value::Null),
        };
        assert_eq!(addi["textEdit"]["newText"], text);
        assert_eq!(addi["insertTextFormat"], format);
        let body = item("for")["textEdit"]["newText"]
            .as_str()
            .expect("text")
            .to_owned();
        assert_eq!(body.contains("step ${4:%step}"), snippets, "{body}");
    }
}

#[test]
fn an_inner_language_has_ops_in_functions_and_their_attributes_in_braces() {
    let mut client = client(false);
    let text = |line: &str| {
        format!("tileaa.func @k(%a: i32) {{target = sm_90a}} body {{\n  {line}\n  scf.return\n}}\n")
    };
    let items = offered(&mut client, 1, &text("%x = |"));
    assert!(labels(&items).contains(&"arith.addi"), "{items:?}");
    let items = offered(&mut client, 2, &text("%x = arith.addi %a, %a {|"));
    assert_eq!(labels(&items), ["overflow"]);
    let items = offered(&mut client, 3, &format!("|\n{}", text("")));
    assert_eq!(labels(&items), [""; 0]);
}
