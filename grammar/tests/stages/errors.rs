//! Syntax errors: one error per mistake, with its position and message.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;

use crate::language::Toy;

/// The errors of a text: code, text of the span, message.
fn errors(text: &str) -> Vec<(Code, String, String)> {
    parse_stage::<Toy>(text, FileId(0))
        .diagnostics
        .into_iter()
        .map(|d| {
            let at = d.primary.map(|label| label.at).unwrap();
            (
                d.code,
                text[at.start as usize..at.end as usize].to_owned(),
                d.message,
            )
        })
        .collect()
}

/// The errors of a function with these ops.
fn in_body(ops: &str) -> Vec<(Code, String, String)> {
    errors(&format!(
        "toy.func @f(%0: i32, %1: i1) body {{\n{ops}\n  toy.return\n}}\n"
    ))
}

/// Checks the only error of a function with these ops.
fn check(ops: &str, code: Code, at: &str, message: &str) {
    let found = in_body(ops);
    let expected = [(code, at.to_owned(), message.to_owned())];
    assert_eq!(found, expected, "{ops}");
}

const AFTER_OPERANDS: &str = "expected `,`, `:`, a region's name, the end of the statement or `{`";

#[test]
fn unexpected_tokens_are_reported() {
    let unexpected = |ops: &str, at: &str, expected: &str| {
        let message = format!("unexpected `{at}`: {expected}");
        check(ops, Code::UnexpectedToken, at, &message);
    };
    unexpected("%2 = toy.add %1 %0 : i32", "%0", AFTER_OPERANDS);
    unexpected(
        "%2 = toy.add %0, : i32",
        ":",
        "expected `[`, a block, a value or a word",
    );
    unexpected("%2 = : i32\n%3 = toy.add %0, %0 : i32", ":", "expected an op");
    unexpected("%2 = toy.load %0, [) : i32", ")", "expected `]` or a value");
    unexpected(
        "%2 = toy.load %0, [] {volatile : tile<4xf32>\ntoy.return",
        ":",
        "expected `,`, `=` or `}`",
    );
    unexpected(
        "%2 = toy.load %0, [], after {width = four} : i32",
        "{",
        "expected a value",
    );
    unexpected("toy.yield [] toy.yield []", "toy.yield", AFTER_OPERANDS);
    unexpected("%2 = toy.add %0, %0 : <4>", "<", "expected a term");
    unexpected("^bb1(%x i32):\n toy.return", "i32", "expected `:`");
}

#[test]
fn a_surplus_brace_is_one_error() {
    let message = "the statement ends too early: expected a symbol";
    check(
        "toy.return\n}\n toy.return\n toy.return",
        Code::UnexpectedEnd,
        "",
        message,
    );
}

#[test]
fn unterminated_statements_and_brackets_are_reported() {
    let ends = |ops: &str, expected: &str| {
        check(
            ops,
            Code::UnexpectedEnd,
            "",
            &format!("the statement ends too early: {expected}"),
        );
    };
    ends("%2 =\n%3 = toy.add %0, %0 : i32", "expected an op");
    ends(
        "%2 = toy.add %0, %0 :\n%3 = toy.add %0, %0 : i32",
        "expected a term",
    );
    ends("^bb1\n toy.return", "expected `(` or `:`");
    let open = |ops: &str, bracket: &str| {
        check(
            ops,
            Code::UnclosedDelimiter,
            "",
            &format!("`{bracket}` is opened and never closed"),
        );
    };
    open("%2 = toy.load %0, [%0\n%3 = toy.add %0, %0 : i32", "[");
    open(
        "%2 = toy.load %0, [] : tile<4xf32\n%3 = toy.add %0, %0 : i32",
        "<",
    );
    open("%2 = toy.load %0, [] {volatile\n%3 = toy.add %0, %0 : i32", "{");
    check(
        "toy.if %1 then {\n toy.yield []",
        Code::UnclosedDelimiter,
        "}",
        "a closing `}` is missing",
    );
    check(
        "toy.attr {words = [\"abc]}",
        Code::UnclosedDelimiter,
        "\"abc]}",
        "a string is opened and not closed on its line",
    );
}

#[test]
fn an_unclosed_function_does_not_hide_the_next_one() {
    let text = "toy.func @f(%0: i1) body {\n  toy.if %0 then {\n  toy.return\n\ntoy.func @g() body {\n  toy.nope\n}\n";
    let found = errors(text);
    let codes: Vec<_> = found.iter().map(|(code, at, _)| (*code, at.as_str())).collect();
    assert_eq!(
        codes,
        [(Code::UnclosedDelimiter, "n"), (Code::UnknownOp, "toy.nope")]
    );
}

#[test]
fn invalid_characters_and_literals_are_reported() {
    check("%2 = toy.add ;", Code::BadToken, ";", "`;` begins no token");
    check("%2 = toy.add %0, é", Code::BadToken, "é", "`é` begins no token");
    let literal = |ops: &str, at: &str, message: &str| check(ops, Code::BadLiteral, at, message);
    literal(
        r#"%2 = toy.load %0, [] {width = "\q"} : i32"#,
        r"\q",
        "a string has an escape that does not exist",
    );
    let bits = "0x1FFFFFFFFFFFFFFFF";
    literal(
        &format!("toy.x {{a = {bits}}}"),
        bits,
        "the bit pattern does not fit 64 bits",
    );
    let int = "9".repeat(45);
    literal(
        &format!("toy.x {{a = {int}}}"),
        &int,
        "the integer does not fit 128 bits",
    );
    let extent = "99999999999999999999";
    literal(
        &format!("toy.x : 4x{extent}xf32"),
        extent,
        "the extent does not fit 64 bits",
    );
}

#[test]
fn a_slip_in_an_alias_is_one_error() {
    let text = "#a = linear<[[1], [2]], shape = [4]>\n#b = pair<#a, #a>\ntoy.func @f(%0: tile<4xf32, #b>, %1: tile<4xf32, #a>) body {\n  \
                toy.return\n}\n";
    assert_eq!(errors(text), []);
    for (old, new) in [
        ("linear<", "linear"),
        ("4]>", "4]"),
        ("[2]]", "[2]"),
        ("= linear", "linear"),
        ("shape =", "shape"),
    ] {
        let found = errors(&text.replacen(old, new, 1));
        assert_eq!(found.len(), 1, "{new}: {found:?}");
    }
}

#[test]
fn unknown_and_duplicate_names_are_reported() {
    check(
        "toy.x : #nope",
        Code::UndefinedValue,
        "#nope",
        "alias `#nope` is not defined",
    );
    check(
        "toy.x {a, b, a}",
        Code::Redefinition,
        "a",
        "attribute `a` is given twice",
    );
    check(
        "%2 = toy.add %0, %9 : i32",
        Code::UndefinedValue,
        "%9",
        "`%9` is not defined here",
    );
    check(
        "%0 = toy.add %0, %0 : i32",
        Code::Redefinition,
        "%0",
        "`%0` is defined twice",
    );
    check(
        "toy.branch %1, ^nope, ^b\n^b:",
        Code::UndefinedValue,
        "^nope",
        "there is no block `^nope`",
    );
    check(
        "toy.return\n^b:\ntoy.return\n^b:",
        Code::Redefinition,
        "^b",
        "block `^b` is defined twice",
    );
    check(
        "foo.x",
        Code::UnknownOp,
        "foo.x",
        "unknown op `foo.x` in language `toy`",
    );
    let alias = errors("#a = f<1>\n#a = f<2>\n");
    assert_eq!(
        alias,
        [(
            Code::Redefinition,
            "#a".to_owned(),
            "alias `#a` is defined twice".to_owned()
        )]
    );
    let func = errors("toy.func @f() body {\n toy.return\n}\ntoy.func @f() body {\n toy.return\n}\n");
    assert_eq!(
        func,
        [(
            Code::DuplicateSymbol,
            "@f".to_owned(),
            "function `@f` is defined twice".to_owned()
        )]
    );
}

#[test]
fn ops_that_do_not_fit_their_declaration() {
    let add = "%2 = toy.add";
    check(
        &format!("{add} %0 : i32"),
        Code::OperandCount,
        "toy.add",
        "`toy.add` has no operand `rhs`",
    );
    check(
        &format!("{add} %0, %0, %1 : i32"),
        Code::OperandCount,
        "%1",
        "`toy.add` takes fewer operands",
    );
    check(
        &format!("{add} %0, [%0] : i32"),
        Code::OperandCount,
        "[%0]",
        "operand `rhs` of `toy.add` must be one value",
    );
    check(
        "toy.add %0, %0",
        Code::ResultCount,
        "toy.add",
        "`toy.add` has 1 result, not 0",
    );
    check(
        &format!("{add} %0, %0 {{fast}} : i32"),
        Code::UnknownAttribute,
        "fast",
        "`toy.add` has no attribute `fast`",
    );
    check(
        &format!("{add} %0, %0 : float"),
        Code::UnknownType,
        "float",
        "not a type of `toy`: expected an element type",
    );
    let load = |attrs: &str, at: &str, message: &str| {
        check(
            &format!("%2 = toy.load %0, [] {attrs} : i32"),
            Code::AttributeKind,
            at,
            message,
        );
    };
    load(
        "{volatile = true}",
        "volatile",
        "attribute `volatile` of `toy.load` must be a flag without a value",
    );
    load(
        "{width}",
        "width",
        "attribute `width` of `toy.load` must be given a value",
    );
    check(
        "toy.if %1 then {\n toy.yield []\n}",
        Code::RegionCount,
        "toy.if",
        "`toy.if` has no region `else`",
    );
}

#[test]
fn several_errors_are_reported_in_one_run() {
    let ops = "%2 = toy.add %0 %0 : i32\n toy.if %1 %1 then {\n toy.yield [)\n } else {\n toy.yield ;\n }\n%4 = = toy.x";
    let codes: Vec<_> = in_body(ops).into_iter().map(|(code, at, _)| (code, at)).collect();
    let at = |code, at: &str| (code, at.to_owned());
    assert_eq!(
        codes,
        [
            at(Code::UnexpectedToken, "%0"),
            at(Code::UnexpectedToken, "%1"),
            at(Code::UnexpectedToken, ")"),
            at(Code::BadToken, ";"),
            at(Code::UnexpectedToken, "="),
        ]
    );
}

#[test]
fn functions_after_an_error_are_read() {
    let text = "toy.func @f() body {\n toy.return ;\n}\ntoy.func @g() body {\n toy.return\n}\ntoy.func @h() body {\n toy.nope\n}\n";
    let parsed = parse_stage::<Toy>(text, FileId(0));
    assert_eq!(parsed.diagnostics.len(), 2);
    let names: Vec<_> = parsed
        .module
        .funcs
        .iter()
        .map(|func| func.name.as_str())
        .collect();
    assert_eq!(names, ["g"]);
    assert_eq!(parsed.spans.len(), 1);
}

#[test]
fn text_in_another_language_is_one_error() {
    let text = "tileas.func @f() body {\n tileas.x\n}\ntileas.func @g() body {\n tileas.x\n}\n";
    let message = "expected functions of `toy`, found `tileas.func`";
    assert_eq!(
        errors(text),
        [(
            Code::UnexpectedToken,
            "tileas.func".to_owned(),
            message.to_owned()
        )]
    );
}

#[test]
fn a_function_names_its_region_and_its_parameters() {
    let found = errors("toy.func @f() main {\n toy.return\n}\n");
    let message = "the region of a function is named `body`, not `main`";
    assert_eq!(
        found,
        [(Code::UnexpectedToken, "main".to_owned(), message.to_owned())]
    );
    let found = errors("toy.func @f() body {\n^bb0(%0: i32):\n toy.return\n}\n");
    let message = "the first block of a function takes no arguments of its own";
    assert_eq!(
        found,
        [(Code::BlockArguments, "%0".to_owned(), message.to_owned())]
    );
}

#[test]
fn depth_and_growth_are_bounded() {
    let deep = format!(
        "toy.func @f() body {{\n toy.x {{a = {}1{}}}\n}}\n",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let found = errors(&deep);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0, found[0].1.as_str()), (Code::InputTooLarge, "["));

    let nest = |n: usize| {
        let (open, close) = (
            "toy.loop %0, [] body {\n".repeat(n),
            "toy.yield []\n}\n".repeat(n),
        );
        in_body(&format!("{open}{close}"))
    };
    assert_eq!(nest(95), []);
    assert_eq!(nest(200).len(), 1);

    let mut bomb = "#a0 = f<1>\n".to_owned();
    for i in 1..60 {
        bomb += &format!("#a{i} = f<#a{0}, #a{0}>\n", i - 1);
    }
    let found = errors(&bomb);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, Code::InputTooLarge);

    let mut chain = "#a0 = f<1>\n".to_owned();
    for i in 1..150 {
        chain += &format!("#a{i} = f<#a{}>\n", i - 1);
    }
    let found = errors(&chain);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].0, found[0].1.as_str()), (Code::InputTooLarge, "#a99"));
}
