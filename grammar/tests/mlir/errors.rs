//! Texts with one mistake have one error, at its place.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::mlir::read_mlir;

/// Lines in a kernel, in any form.
fn kernel(lines: &str) -> String {
    format!(
        "module {{\n  gpu.module @g {{\n    cuda.kernel @k(%i: i32, %f: f32, %v: vector<4xf32>) {{\n{lines}\n      return\n    }}\n  }}\n}}\n"
    )
}

/// The errors of a text, with their lines and the text that they are about.
fn errors(text: &str) -> Vec<(Code, usize, String)> {
    let problems = read_mlir(text, FileId(0)).expect_err("an error");
    let found = problems.iter().map(|problem| {
        let at = problem.primary.as_ref().expect("a place").at;
        let (start, end) = (at.start as usize, at.end as usize);
        (
            problem.code,
            text[..start].matches('\n').count() + 1,
            text[start..end].to_owned(),
        )
    });
    found.collect()
}

#[test]
fn a_mistake_is_one_error_at_its_place() {
    for (lines, code, about) in [
        ("%a = arith.addi %i, %i", Code::UnexpectedToken, "return"),
        ("%a = arith.addi %i, %j : i32", Code::UndefinedValue, "%j"),
        ("%a = arith.addo %i, %i : i32", Code::UnknownOp, "arith.addo"),
        (
            "%a = cute.make_thing(%i) : i32",
            Code::UnknownOp,
            "cute.make_thing",
        ),
        (
            "%a = \"cute.make_thing\"(%i) : (i32) -> i32\n%b = arith.addi %a, %i : i32",
            Code::UnknownOp,
            "cute.make_thing",
        ),
        (
            "%a = \"arith.addi\"(%i) : (i32) -> i32",
            Code::OperandCount,
            "arith.addi",
        ),
        (
            "%a = \"arith.addi\"(%i, %i) : (i32, i64) -> i32",
            Code::TypeMismatch,
            "i64",
        ),
        (
            "%a = \"arith.addi\"(%i, %i) : (i32, i32) -> (i32, i32)",
            Code::ResultCount,
            "arith.addi",
        ),
        ("%a:2 = arith.addi %i, %i : i32", Code::ResultCount, "arith.addi"),
        (
            "%a = \"arith.addi\"(%i, %i) <{speed = 1 : i32}> : (i32, i32) -> i32",
            Code::UnknownAttribute,
            "arith.addi",
        ),
        (
            "%a = \"arith.cmpi\"(%i, %i) <{predicate = 99 : i64}> : (i32, i32) -> i1",
            Code::AttributeKind,
            "arith.cmpi",
        ),
        (
            "%a = \"arith.cmpi\"(%i, %i) : (i32, i32) -> i1",
            Code::MissingAttribute,
            "arith.cmpi",
        ),
        (
            "%a = arith.cmpi like, %i, %i : i32",
            Code::UnexpectedToken,
            "like",
        ),
        ("%i = arith.constant 1 : i32", Code::Redefinition, "%i"),
        ("%a = arith.constant 300 : i8", Code::BadLiteral, "300 : i8"),
        ("%a = arith.constant 1 : f32", Code::BadLiteral, "1 : f32"),
        (
            "%a = arith.constant dense<[1, 2]> : vector<3xi32>",
            Code::AttributeValue,
            "vector<3xi32>",
        ),
        (
            "%a = cute.static : !cute.layout<\"(8,4):(1)\">",
            Code::UnknownType,
            "(8,4):(1)\">",
        ),
        (
            "%a = cute.static : !cute.nothing<\"8\">",
            Code::UnknownType,
            "cute.nothing<\"8\">",
        ),
        ("%a = cute.static : !unknown", Code::UnknownType, "!unknown"),
        (
            "%a = cute.static : !memref.thing",
            Code::UnknownType,
            "!memref.thing",
        ),
        ("cf.assert %i, \"open\n", Code::UnclosedDelimiter, "\""),
        (
            "%a = vector.broadcast %f : f32 to vector<0xf32>",
            Code::UnknownType,
            "0",
        ),
        (
            "nvvm.setmaxregister decrease 99999999999",
            Code::BadLiteral,
            "99999999999",
        ),
        ("func.func @f() {\nreturn\n}", Code::MisplacedOp, "func.func"),
        ("\"scf.if\"(%i) : (i32) -> ()", Code::RegionCount, "scf.if"),
        (
            "cute_nvgpu.arch.copy.SM100.tmem_load(%i)",
            Code::UnexpectedToken,
            "cute_nvgpu.arch.copy.SM100.tmem_load",
        ),
        ("scf.yield %i#1 : i32", Code::UndefinedValue, "%i#1"),
        (
            "%a = arith.constant true\nscf.while : () -> () {\n} do {\nscf.yield\n}",
            Code::MissingTerminator,
            "}",
        ),
        ("return", Code::MisplacedOp, "return"),
    ] {
        let text = kernel(lines);
        let found = errors(&text);
        let [(own, line, text)] = found.as_slice() else {
            panic!("{lines}: {found:?}");
        };
        assert_eq!((own, text.as_str()), (&code, about), "{lines}");
        assert!((4..=6).contains(line), "{lines}: line {line}");
    }
}

#[test]
fn errors_of_several_ops_are_reported_together() {
    let found = errors(&kernel(
        "%a = arith.addi %x, %i : i32\n%b = arith.nothing %a : i32\nscf.if %b {\n%c = arith.addi %a, %y : i32\n}",
    ));
    let codes: Vec<_> = found.iter().map(|(code, line, _)| (*code, *line)).collect();
    assert_eq!(
        codes,
        [
            (Code::UndefinedValue, 4),
            (Code::UnknownOp, 5),
            (Code::UndefinedValue, 7)
        ]
    );
}

#[test]
fn modules_are_made_of_kernels_and_functions() {
    for (text, code) in [
        ("", Code::UnexpectedEnd),
        ("hello", Code::UnexpectedToken),
        ("module {", Code::UnexpectedEnd),
        ("module { arith.addi }", Code::MisplacedOp),
        ("module { cuda.kernel @k() { return } }", Code::MisplacedOp),
        (
            "module { gpu.module @g { func.func @f() { return } } }",
            Code::MisplacedOp,
        ),
        (
            "module { func.func @f() { return } func.func @f() { return } }",
            Code::DuplicateSymbol,
        ),
        (
            "module { \"func.func\"() <{sym_name = \"f\"}> ({ }) : () -> () }",
            Code::MissingAttribute,
        ),
        (
            "module { \"func.func\"() <{function_type = () -> (), sym_name = \"f\"}> ({ }) : () -> () }",
            Code::RegionCount,
        ),
        ("!a = i32\n!a = i32\nmodule { }", Code::Redefinition),
        ("module { } module { }", Code::UnexpectedToken),
    ] {
        let found = errors(text);
        assert!(
            matches!(found.as_slice(), [(own, ..)] if *own == code),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn nesting_is_limited() {
    let deep = |open: &str, close: &str| {
        let lines = format!(
            "%c = arith.constant true\n{}{}",
            open.repeat(2000),
            close.repeat(2000)
        );
        errors(&kernel(&lines))
    };
    let found = deep("scf.if %c {\n", "}\n");
    assert!(
        matches!(found.as_slice(), [(Code::InputTooLarge, ..)]),
        "{found:?}"
    );
    let nested = format!(
        "%a = \"arith.constant\"() <{{value = {}{}}}> : () -> i32",
        "[".repeat(2000),
        "]".repeat(2000)
    );
    let found = errors(&kernel(&nested));
    assert!(
        matches!(found.as_slice(), [(Code::InputTooLarge, ..)]),
        "{found:?}"
    );
}
