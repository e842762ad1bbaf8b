//! Syntax errors: one error per mistake, with its position and message.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::cuda_tile::MAX_REGION_DEPTH;

/// The errors of a text: code, text of the span, message.
fn errors(text: &str) -> Vec<(Code, String, String)> {
    parse_tile_text(text, FileId(0))
        .diagnostics
        .into_iter()
        .map(|problem| {
            let at = problem.primary.map(|label| label.at).unwrap();
            let at = text[at.start as usize..at.end as usize].to_owned();
            (problem.code, at, problem.message)
        })
        .collect()
}

/// Checks the only error of an entry with these ops.
fn check(ops: &str, code: Code, at: &str, message: &str) {
    let text = format!("entry @k(%a: tile<f32>, %n: tile<i32>, %b: tile<i1>) {{\n{ops}\n  return\n}}\n");
    assert_eq!(
        errors(&text),
        [(code, at.to_owned(), message.to_owned())],
        "{ops}"
    );
}

#[test]
fn unexpected_tokens_are_reported() {
    let unexpected = |ops: &str, at: &str, expected: &str| {
        let message = format!("unexpected `{at}`: expected {expected}");
        check(ops, Code::UnexpectedToken, at, &message);
    };
    unexpected("%x = addf %a %a : tile<f32>", "%a", "`,`");
    unexpected("%x = addf %a, : tile<f32>", ":", "a value");
    unexpected("%x = addf %a, %a : f32", "f32", "a type");
    unexpected(
        "%x = addf %a, %a : tile<f32> tile<f32>",
        "tile",
        "the end of the statement",
    );
    unexpected("%x = = addf %a, %a : tile<f32>", "=", "an op");
    unexpected(
        "%x = exti %n : tile<i32> -> tile<i64>",
        ":",
        "the signedness of `exti`, one of `unsigned`, `signed`",
    );
    check(
        "%x = addf %a, %a :\n%y = negf %a : tile<f32>",
        Code::UnexpectedEnd,
        "",
        "the statement ends too early: expected a type",
    );
    check("%x = addf %a, ;", Code::BadToken, ";", "`;` begins no token");
    check(
        "assert %b, \"open : tile<i1>",
        Code::UnclosedDelimiter,
        "\"open : tile<i1>",
        "a string is opened and not closed on its line",
    );
}

#[test]
fn names_and_types() {
    check(
        "%x = negf %z : tile<f32>",
        Code::UndefinedValue,
        "%z",
        "`%z` is not defined here",
    );
    check(
        "%a = negf %a : tile<f32>",
        Code::Redefinition,
        "%a",
        "`%a` is defined twice",
    );
    check(
        "%x = nefg %a : tile<f32>",
        Code::UnknownOp,
        "nefg",
        "unknown op `nefg` in language `cuda_tile`",
    );
    check(
        "%x = ftof %a : tile<f16> -> tile<f32>",
        Code::TypeMismatch,
        "%a",
        "`%a` (operand `from`) has the type `tile<f32>`, not `tile<f16>`",
    );
    check(
        "%x, %y = negf %a : tile<f32>",
        Code::ResultCount,
        "negf",
        "`negf` has 1 result, and is given 2 names",
    );
    check(
        "%x = constant <i8: 256> : tile<i8>",
        Code::BadLiteral,
        "256",
        "the constant `256` is out of range: it is no integer of type `i8`, which has 8 bits",
    );
    check(
        "%x = constant <i8: [1, 2, 3]> : tile<2xi8>",
        Code::ConstantSize,
        "<i8: [1, 2, 3]>",
        "the literal has the shape [3], but its type has [2]",
    );
    check(
        "%x = negf %a : tile<f32> loc(#nowhere)",
        Code::UndefinedValue,
        "#nowhere",
        "`#nowhere` is not defined",
    );
}

#[test]
fn preview_content_is_named_as_such() {
    let message = "`preview$call` is preview content of version 13.5, which is read only when `--preview simt` asks for it";
    let code = Code::UnsupportedFeature;
    check(
        "%x = preview$call @f(%a) : (tile<f32>) -> tile<f32>",
        code,
        "preview$call",
        message,
    );
    check(
        "\"cuda_tile.preview$call\"(%a) : (tile<f32>) -> ()",
        code,
        "\"cuda_tile.preview$call\"",
        message,
    );
    let text = "preview$func extern @f(%a: tile<f32>)\nentry @k() {\n}\n";
    let found = errors(text);
    assert!(
        matches!(&found[..], [(Code::UnsupportedFeature, at, _)] if at == "preview$func"),
        "{found:?}"
    );
}

#[test]
fn uses_of_an_invalid_op_are_not_reported() {
    let ops = "%x = negf %z : tile<f32>\n%y = negf %x : tile<f32>\n%w = addf %x, %y : tile<f32>";
    check(ops, Code::UndefinedValue, "%z", "`%z` is not defined here");
}

#[test]
fn several_mistakes_in_one_run() {
    let text = "entry @a(%b: tile<i1>) {\n  if %b %b {\n    assert %c, \"x\" : tile<i1>\n  }\n  addf\n}\n\
                entry @b() {\n  return\n}\nentry @b() {\n}\n";
    let found: Vec<_> = errors(text).into_iter().map(|(code, at, _)| (code, at)).collect();
    let at = |code, at: &str| (code, at.to_owned());
    assert_eq!(
        found,
        [
            at(Code::UnexpectedToken, "%b"),
            at(Code::UndefinedValue, "%c"),
            at(Code::UnexpectedEnd, ""),
            at(Code::DuplicateSymbol, "@b"),
        ]
    );
    let parsed = parse_tile_text(text, FileId(0));
    let names: Vec<_> = parsed
        .module
        .funcs
        .iter()
        .map(|func| func.name.as_str())
        .collect();
    assert_eq!(names, ["b"]);
}

#[test]
fn parsing_time_is_linear_in_the_number_of_errors() {
    let one = |ops: &str| errors(&format!("entry @k() {{\n{ops}\n}}\n")).len();
    assert_eq!(one(&format!("%a = addi {}", "; ".repeat(200_000))), 1);
    let names: String = (0..100_000).map(|i| format!("%a{i}, ")).collect();
    assert_eq!(one(&format!("foo {names} {{\n}}")), 1);
}

#[test]
fn keys_are_given_once() {
    for (ops, key) in [
        (
            "entry @k(%a: tile<f32> {cuda_tile.align = 1, cuda_tile.align = 2}) { return }",
            "cuda_tile.align",
        ),
        (
            "entry @k() optimization_hints=<sm_90 = {}, sm_90 = {}> { return }",
            "sm_90",
        ),
    ] {
        let found = errors(ops);
        assert_eq!(found.len(), 1, "{found:?}");
        let (code, at, message) = &found[0];
        assert_eq!((*code, at.as_str()), (Code::AttributeValue, key));
        assert!(message.ends_with("is given twice"), "{message}");
    }
}

#[test]
fn unclosed_brackets() {
    let text = "entry @a(%b: tile<i1>) {\n  if %b {\n    return\n}\n";
    let found = errors(text);
    assert_eq!(found.len(), 1, "{found:?}");
    // At the end of the last line of the `if`, whose brace is further right than the last one.
    assert_eq!((found[0].0, found[0].1.as_str()), (Code::UnclosedDelimiter, "n"));
}

#[test]
fn a_missing_brace_hides_no_function_and_is_one_error() {
    let first = "  entry @a(%n: tile<i32>) {\n    %c = constant <i32: 1> : tile<i32>\n    \
                 for %i in (%c to %n, step %c) : tile<i32> {\n      %x = addi %i, %c : tile<i32>\n    }\n    \
                 return\n  }\n";
    let second = first.replace("@a", "@b");
    for (without, at) in [("    }\n", ">"), ("  }\n", "n")] {
        let broken = first.replacen(&format!("\n{without}"), "\n", 1);
        assert_ne!(broken, first);
        let found = errors(&format!("cuda_tile.module @m {{\n{broken}{second}}}\n"));
        let [(Code::UnclosedDelimiter, place, _)] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(place, at);
    }
}

#[test]
fn a_slip_in_the_head_of_an_entry_is_one_error_there() {
    let text = "entry @a(%p: tile<ptr<i32>>, %n: tile<i32>) optimization_hints=<default = {}> {\n  \
                %m = addi %n, %n : tile<i32>\n  store_ptr_tko weak %p, %m : tile<ptr<i32>>, tile<i32> -> token\n  \
                return\n}\n";
    assert_eq!(errors(text), []);
    let first_line = |text: &str| text.lines().next().map_or(0, str::len);
    let brackets = text[..first_line(text)].char_indices();
    let mut failed = String::new();
    for (at, bracket) in brackets.filter(|(_, c)| "<>(){}".contains(*c)) {
        let beside = if "<({".contains(bracket) { "[" } else { "]" };
        for other in [String::new(), format!("{bracket}{bracket}"), beside.to_owned()] {
            let mut wrong = text.to_owned();
            wrong.replace_range(at..=at, &other);
            let found = parse_tile_text(&wrong, FileId(0)).diagnostics;
            let starts = found
                .iter()
                .map(|problem| problem.primary.as_ref().expect("a place").at.start);
            let starts: Vec<_> = starts.map(|start| start as usize).collect();
            if starts.len() != 1 || starts[0] > first_line(&wrong) {
                failed += &format!("{wrong}{:#?}\n", errors(&wrong));
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

#[test]
fn a_brace_too_many_hides_no_function_and_is_one_error() {
    let function = |name: &str, at: usize| {
        let mut lines = vec![
            format!("  entry @{name}(%n: tile<i32>) {{"),
            "    %c = constant <i32: 1> : tile<i32>".to_owned(),
            "    for %i in (%c to %n, step %c) : tile<i32> {".to_owned(),
            "      %x = addi %i, %c : tile<i32>".to_owned(),
            "    }".to_owned(),
            "    return".to_owned(),
            "  }".to_owned(),
        ];
        // One more of the kind that the line before ends with, or of the one that goes on.
        if let Some(line) = lines.get(at) {
            let indent = line.len() - line.trim_start().len();
            lines.insert(at + 1, format!("{}}}", " ".repeat(indent)));
        }
        lines.join("\n") + "\n"
    };
    let none = usize::MAX;
    for at in [1, 3, 4, 6] {
        // In one kernel, and in both, each of which is an error of its own.
        for (second, count) in [(none, 1), (at, 2)] {
            let text = format!(
                "cuda_tile.module @m {{\n{}{}{}}}\n",
                function("a", at),
                function("b", second),
                function("c", none)
            );
            let found = errors(&text);
            assert_eq!(found.len(), count, "{text}{found:?}");
            for (code, place, message) in found {
                assert_eq!((code, place.as_str()), (Code::UnexpectedToken, "}"), "{text}");
                assert_eq!(message, "a closing `}` is one too many");
            }
        }
    }
}

#[test]
fn depth_is_bounded() {
    let nest = |n: usize| {
        let (open, close) = ("if %b {\n".repeat(n), "}\n".repeat(n));
        errors(&format!("entry @k(%b: tile<i1>) {{\n{open}{close}}}\n"))
    };
    assert_eq!(nest(MAX_REGION_DEPTH), []);
    let found = nest(MAX_REGION_DEPTH + 1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].0, found[0].1.as_str()), (Code::NestingTooDeep, "}"));
    let found = nest(5000);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0, found[0].1.as_str()), (Code::InputTooLarge, "{"));

    let mut chain = String::from("entry @k() {\n  return loc(#l2000)\n}\n#l0 = loc(unknown)\n");
    for i in 1..=2000 {
        chain += &format!("#l{i} = loc(callsite(#l{0} at #l{0}))\n", i - 1);
    }
    let found = errors(&chain);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, Code::InputTooLarge);
}
