//! Bad input: each mistake has its code and its place.

use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::{Format, render};

/// What is said about a text, in the short form, without messages: `line:column code`.
fn said(text: &str) -> Vec<String> {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", text);
    let options = compiler.options(Request::default());
    let (made, said) = joins::compile(&compiler, source, options, Language::Ptx);
    assert!(made.is_none() || said.is_empty(), "{text}");
    let text = render(&said, &compiler.files(), Format::Short, false);
    text.lines().map(short).collect()
}

/// `t:2:3: error[E0204]: …` to `2:3 E0204`.
fn short(line: &str) -> String {
    let (place, rest) = line.split_once("error[").unwrap_or(("", line));
    let place = place.trim_start_matches("t:").trim_end_matches([':', ' ']);
    let code = rest.split(']').next().unwrap_or_default();
    format!("{place} {code}").trim().to_owned()
}

/// A kernel of `tileaa` with these lines in its body.
fn kernel(body: &str) -> String {
    format!("tileaa.func @k(%a: ptr<f32>, %n: i32) {{target = sm_90a}} body {{\n{body}\n}}\n")
}

#[test]
fn each_mistake_in_a_text_has_its_code_and_place() {
    for (body, want) in [
        ("  scf.retrun", &["2:3 E0204"][..]),
        ("  %x = arith.addi %n {overflow = wraps} : i32\n  scf.return", &["2:8 E0303"]),
        ("  %x = arith.addi %n, %m {overflow = wraps} : i32\n  scf.return", &["2:23 E0301"]),
        ("  %x = arith.addi %n, %n {overflow = wraps}\n  scf.return", &["2:8 E0304"]),
        ("  %n = tileaa.program_id {axis = 0} : i32\n  scf.return", &["2:3 E0302"]),
        ("  %x = tileaa.program_id {axis = 0} : i33\n  scf.return", &["2:39 E0205"]),
        ("  %x = tileaa.program_id {axis = 0, ax = 1} : i32\n  scf.return", &["2:37 E0206"]),
        ("  %x = tileaa.program_id : i32\n  scf.return", &["2:8 E0308"]),
        ("  %x = arith.addi %n, %a {overflow = wraps} : i32\n  scf.return", &["2:8 E0305"]),
        ("  %x = tile.iota : tile<3xi32>\n  scf.return", &["2:20 E0401"]),
        ("  %x = tileaa.program_id {axis = 0} : i32", &["1:13 E0306"]),
        ("  scf.return\n  scf.return", &["2:3 E0307"]),
        ("  %x = tileaa.program_id {axis = } : i32\n  scf.return", &["2:34 E0201"]),
        ("  %x = tileaa.program_id {axis = 0 : i32\n  scf.return", &["2:36 E0203"]),
        ("  ?\n  scf.return", &["2:3 E0202"]),
    ] {
        assert_eq!(said(&kernel(body)), want, "{body}");
    }
}

#[test]
fn several_mistakes_are_reported_in_one_run() {
    let text = kernel("  arith.frob %n\n  %x = tileaa.program_id {axis = 0} : i33\n  %y = arith.addi %n, %q {overflow = wraps} : i32\n  scf.return")
        + &kernel("  scf.retrun").replace("@k", "@l");
    assert_eq!(said(&text), ["2:3 E0204", "3:39 E0205", "4:23 E0301", "8:3 E0204"]);
}

#[test]
fn two_kernels_of_one_name_are_one_too_many() {
    let text = kernel("  scf.return") + &kernel("  scf.return");
    assert_eq!(said(&text), ["4:13 E0310"]);
}

#[test]
fn a_text_in_no_language_is_refused_at_its_beginning() {
    assert_eq!(said("once upon a time"), ["1:1 E0201"]);
    assert_eq!(said(""), ["1:1 E0201"]);
}

#[test]
fn a_file_that_is_neither_text_nor_bytecode_is_refused_where_it_stops_being_text() {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("t", b"tileaa\xff\xfe".to_vec());
    let options = compiler.options(Request::default());
    let (_, said) = joins::compile(&compiler, source, options, Language::Ptx);
    let text = render(&said, &compiler.files(), Format::Json, false);
    assert!(text.contains("E0210") && text.contains("\"start\":6"), "{text}");
}

#[test]
fn ptx_with_a_mistake_is_refused_at_the_statement() {
    let text = ".version 8.0\n.target sm_90a\n.address_size 64\n\n.visible .entry k()\n{\n\tfrobnicate.u32 %r0;\n\tret;\n}\n";
    assert_eq!(said(text), ["7:2 E0204"]);
}

#[test]
fn deep_nesting_is_refused_without_recursing_into_it() {
    let mut body = String::new();
    for _ in 0..100_000 {
        body.push_str("scf.loop [] body {\n");
    }
    let list = said(&kernel(&body));
    assert!(!list.is_empty() && list.len() < 100, "{} problems", list.len());
}
