//! Output of each format, also for invalid locations.

use super::*;
use crate::{Code, FileId, Span};

const TEXT: &str = "entry @k(%a: tile<f32>) {\n  %s = addf %a, %β : tile<f32>\n  return\n}\n";

fn sample() -> (Files, Diagnostic<Location>) {
    let mut files = Files::new();
    let file = files.add_text("k.mlir", TEXT);
    let of = |needle: &str| {
        let at = TEXT.find(needle).unwrap();
        Location::from(Span::new(file, at, at + needle.len()))
    };
    let diagnostic = Diagnostic::error(
        Code::TypeMismatch,
        "operands of addf differ: tile<f32> and tile<f16>",
    )
    .at(of("%β"), "this is tile<f16>")
    .also(of("%a: tile<f32>"), "tile<f32> because of this")
    .help("convert one of them with ftof")
    .note("arithmetic never converts by itself");
    (files, diagnostic)
}

fn python() -> Diagnostic<Location> {
    Diagnostic::error(
        Code::SharedMemory,
        "the kernel needs 294912 bytes of shared memory, sm_90a has 232448",
    )
    .at(
        Location::source("/src/kernel.py", 2, 8),
        "this tile takes 131072 bytes",
    )
}

fn binary(files: &mut Files) -> Diagnostic<Location> {
    let file = files.add_binary("k.bc");
    Diagnostic::error(
        Code::ValueIndex,
        "operand index 92 out of bounds: there are 27 values",
    )
    .at(Location::Offset { file, offset: 84 }, "")
}

fn print(diagnostic: Diagnostic<Location>, files: &Files, format: Format) -> String {
    render(&[diagnostic], files, format, false)
}

#[test]
fn short_is_one_line() {
    let (mut files, diagnostic) = sample();
    insta::assert_snapshot!(print(diagnostic, &files, Format::Short), @"k.mlir:2:17: error[E0305]: operands of addf differ: tile<f32> and tile<f16>");
    insta::assert_snapshot!(print(python(), &files, Format::Short), @"/src/kernel.py:2:9: error[E0702]: the kernel needs 294912 bytes of shared memory, sm_90a has 232448");
    let binary = binary(&mut files);
    insta::assert_snapshot!(print(binary, &files, Format::Short), @"k.bc at offset 84: error[E0113]: operand index 92 out of bounds: there are 27 values");
    let nowhere = Diagnostic::warning(Code::UnknownHint, "unknown\n  hint 'speed'");
    insta::assert_snapshot!(print(nowhere, &files, Format::Short), @"warning[E0601]: unknown hint 'speed'");
}

#[test]
fn rich_shows_the_lines() {
    let (files, diagnostic) = sample();
    insta::assert_snapshot!(print(diagnostic, &files, Format::Rich), @r"
    error[E0305]: operands of addf differ: tile<f32> and tile<f16>
       ╭─[ k.mlir:2:17 ]
       │
     1 │ entry @k(%a: tile<f32>) {
       │          ──────┬──────
       │                ╰──────── tile<f32> because of this
     2 │   %s = addf %a, %β : tile<f32>
       │                 ─┬
       │                  ╰── this is tile<f16>
    ───╯
      = note: arithmetic never converts by itself
      = help: convert one of them with ftof
    ");
}

#[test]
fn rich_cuts_long_lines_around_what_is_said() {
    let mut files = Files::new();
    let line = |at: usize| format!("  %v{at} = addi %v{}, %n : tile<i32>", at - 1);
    let text = format!("a\n{}\nb\n", (1..40).map(line).collect::<String>());
    let file = files.add_text("k.mlir", &text);
    let of = |needle: &str| {
        let at = text.find(needle).unwrap();
        Location::from(Span::new(file, at, at + needle.len()))
    };
    let diagnostic = Diagnostic::error(Code::TypeMismatch, "operands differ")
        .at(of("%v20 = addi"), "this is tile<f16>")
        .also(of("%v1 "), "defined here");
    let said = render_within(std::slice::from_ref(&diagnostic), &files, Format::Rich, false, 60);
    insta::assert_snapshot!(said, @r"
    error[E0305]: operands differ
       ╭─[ k.mlir:2:630 ]
       │
     2 │ …v18, %n : tile<i32>  %v20 = addi %v19, %n : tile<i32>…
       │ ┬                     ─────┬─────
       │ ╰────────────────────────────────── defined here
       │                            │
       │                            ╰─────── this is tile<f16>
    ───╯
    ");
    // Wide enough.
    let said = render_within(&[diagnostic], &files, Format::Rich, false, 10_000);
    assert!(said.contains("%v39") && !said.contains('…'), "{said}");
}

#[test]
fn rich_names_places_it_cannot_show() {
    let mut files = Files::new();
    insta::assert_snapshot!(print(python(), &files, Format::Rich), @r"
    error[E0702]: the kernel needs 294912 bytes of shared memory, sm_90a has 232448
      --> /src/kernel.py:2:9: this tile takes 131072 bytes
    ");
    let called = Location::source("/src/main.py", 7, 0);
    let binary = binary(&mut files)
        .also(called, "called here")
        .help("line one\nline two");
    insta::assert_snapshot!(print(binary, &files, Format::Rich), @r"
    error[E0113]: operand index 92 out of bounds: there are 27 values
      --> k.bc at offset 84
      ::: /src/main.py:7:1: called here
      = help: line one
              line two
    ");
}

#[test]
fn rich_shows_the_users_own_source_when_it_is_known() {
    let mut files = Files::new();
    files.add_text("/src/kernel.py", "def k(a):\n    x = load(a)\n    y = ädd(x)\n");
    let also = Location::source("/src/kernel.py", 3, 4);
    insta::assert_snapshot!(print(python().also(also, "used here"), &files, Format::Rich), @r"
    error[E0702]: the kernel needs 294912 bytes of shared memory, sm_90a has 232448
       ╭─[ /src/kernel.py:2:9 ]
       │
     2 │     x = load(a)
       │         ──┬─
       │           ╰─── this tile takes 131072 bytes
     3 │     y = ädd(x)
       │     ┬
       │     ╰── used here
    ───╯
    ");
}

#[test]
fn rich_draws_each_file_by_itself() {
    let (mut files, diagnostic) = sample();
    let other = files.add_text("ß.py", "ääää\nb = c\n");
    let diagnostic = diagnostic.also(Span::new(other, 13, 14).into(), "c is f16");
    insta::assert_snapshot!(print(diagnostic, &files, Format::Rich), @r"
    error[E0305]: operands of addf differ: tile<f32> and tile<f16>
       ╭─[ k.mlir:2:17 ]
       │
     1 │ entry @k(%a: tile<f32>) {
       │          ──────┬──────
       │                ╰──────── tile<f32> because of this
     2 │   %s = addf %a, %β : tile<f32>
       │                 ─┬
       │                  ╰── this is tile<f16>
    ───╯
       ╭─[ ß.py:2:5 ]
       │
     2 │ b = c
       │     ┬
       │     ╰── c is f16
    ───╯
      = note: arithmetic never converts by itself
      = help: convert one of them with ftof
    ");
}

#[test]
fn rich_draws_a_span_of_several_lines() {
    let (files, _) = sample();
    let file = FileId(0);
    let whole = Diagnostic::error(Code::MissingTerminator, "the body of @k has no terminator")
        .at(Span::new(file, 24, TEXT.len()).into(), "this block");
    insta::assert_snapshot!(print(whole, &files, Format::Rich), @r"
    error[E0306]: the body of @k has no terminator
       ╭─[ k.mlir:1:25 ]
       │
     1 │ ╭─▶ entry @k(%a: tile<f32>) {
       ┆ ┆
     4 │ ├─▶ }
       │ │
       │ ╰─────── this block
    ───╯
    ");
}

#[test]
fn rich_counts_lines_as_every_other_format_does() {
    let mut files = Files::new();
    let file = files.add_text("a.py", "x\u{2028}y\u{85}z\u{c}w\rv\r\nu = 1\n");
    let at =
        |start, end| Diagnostic::error(Code::BadToken, "m").at(Span::new(file, start, end).into(), "here");
    insta::assert_snapshot!(print(at(14, 15), &files, Format::Rich), @r"
    error[E0202]: m
       ╭─[ a.py:2:1 ]
       │
     2 │ u = 1
       │ ┬
       │ ╰── here
    ───╯
    ");
}

#[test]
fn every_format_agrees_where_a_text_ends() {
    let mut files = Files::new();
    let file = files.add_text("k.mlir", "module {\n\n");
    let end = Diagnostic::error(Code::UnexpectedEnd, "the text ends inside a module")
        .at(Span::new(file, 10, 10).into(), "expected `}`");
    insta::assert_snapshot!(print(end.clone(), &files, Format::Rich), @r"
    error[E0209]: the text ends inside a module
       ╭─[ k.mlir:1:9 ]
       │
     1 │ module {
       │         │
       │         ╰─ expected `}`
    ───╯
    ");
    assert!(print(end.clone(), &files, Format::Short).starts_with("k.mlir:1:9: "));
    assert!(print(end.clone(), &files, Format::Client).starts_with("loc(\"k.mlir\":1:8): "));
    assert!(print(end, &files, Format::Json).contains("\"column\":9"));
}

#[test]
fn rich_leaves_the_line_end_out_of_the_label() {
    let (files, _) = sample();
    let line = |end| {
        let at = Span::new(FileId(0), 0, end).into();
        print(
            Diagnostic::error(Code::BadToken, "m").at(at, "here"),
            &files,
            Format::Rich,
        )
    };
    assert_eq!(line(26), line(25));
}

#[test]
fn json_is_one_object_a_line() {
    let (mut files, diagnostic) = sample();
    let text = render(
        &[diagnostic, python(), binary(&mut files)],
        &files,
        Format::Json,
        true,
    );
    insta::assert_snapshot!(text, @r#"
    {"code":"E0305","help":["convert one of them with ftof"],"labels":[{"column":17,"end":45,"end_column":19,"end_line":2,"file":"k.mlir","line":2,"message":"this is tile<f16>","primary":true,"start":42},{"column":10,"end":22,"end_column":23,"end_line":1,"file":"k.mlir","line":1,"message":"tile<f32> because of this","primary":false,"start":9}],"message":"operands of addf differ: tile<f32> and tile<f16>","notes":["arithmetic never converts by itself"],"severity":"error","title":"types do not match"}
    {"code":"E0702","help":[],"labels":[{"column":9,"file":"/src/kernel.py","line":2,"message":"this tile takes 131072 bytes","primary":true}],"message":"the kernel needs 294912 bytes of shared memory, sm_90a has 232448","notes":[],"severity":"error","title":"too much shared memory"}
    {"code":"E0113","help":[],"labels":[{"end":84,"file":"k.bc","message":"","primary":true,"start":84}],"message":"operand index 92 out of bounds: there are 27 values","notes":[],"severity":"error","title":"value index out of bounds"}
    "#);
    for line in text.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

#[test]
fn clients_find_path_line_and_column() {
    let (mut files, diagnostic) = sample();
    insta::assert_snapshot!(print(diagnostic, &files, Format::Client), @r#"
    loc("k.mlir":2:16): error: operands of addf differ: tile<f32> and tile<f16> [E0305]
    note: this is tile<f16>
    loc("k.mlir":1:9): note: tile<f32> because of this
    note: arithmetic never converts by itself
    help: convert one of them with ftof
    "#);
    insta::assert_snapshot!(print(python(), &files, Format::Client), @r#"
    loc("/src/kernel.py":2:8): error: the kernel needs 294912 bytes of shared memory, sm_90a has 232448 [E0702]
    note: this tile takes 131072 bytes
    "#);
    let binary = binary(&mut files);
    insta::assert_snapshot!(print(binary, &files, Format::Client), @"
    error: operand index 92 out of bounds: there are 27 values [E0113]
    note: k.bc at offset 84
    ");
}

#[test]
fn a_client_gets_the_stored_numbers_even_when_the_source_is_known() {
    let mut files = Files::new();
    files.add_text("/src/kernel.py", "\n\tä = load()\n");
    assert!(print(python(), &files, Format::Client).starts_with("loc(\"/src/kernel.py\":2:8): error: "));
}

#[test]
fn a_client_gets_no_path_that_breaks_the_quotes() {
    let files = Files::new();
    for path in ["a\"b.py", "a\nb.py", ""] {
        let bad = Diagnostic::error(Code::Internal, "m\nerror: n").at(Location::source(path, 1, 0), "");
        let text = print(bad, &files, Format::Client);
        assert!(text.starts_with("error: ") && text.lines().count() == 1, "{text}");
    }
}

#[test]
fn colour_is_an_escape_and_only_on_request() {
    let (files, diagnostic) = sample();
    for format in Format::ALL {
        let plain = render(std::slice::from_ref(&diagnostic), &files, format, false);
        let coloured = render(std::slice::from_ref(&diagnostic), &files, format, true);
        assert!(!plain.contains('\u{1b}'), "{format}");
        let takes_colour = matches!(format, Format::Rich | Format::Short);
        assert_eq!(coloured.contains('\u{1b}'), takes_colour, "{format}");
    }
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let mut files = Files::new();
    let file = files.add_text("a\u{1b}[2J", "x\u{1b}[31m\u{7} \u{9b}y\r\nz");
    let rude = Diagnostic::error(Code::BadToken, "m\u{1b}]0;t\u{7}")
        .at(Span::new(file, 0, 99).into(), "l\u{1b}c")
        .also(Location::source("p\u{1b}", 1, 1), "s\u{8}")
        .help("h\u{1b}")
        .note("n\u{1b}");
    for format in Format::ALL {
        let text = print(rude.clone(), &files, format);
        assert!(
            !text.contains(|c: char| c.is_control() && c != '\n'),
            "{format}: {text:?}"
        );
    }
}

#[test]
fn names_of_formats_read_back() {
    for format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    assert!("pretty".parse::<Format>().is_err());
}

/// A small deterministic random number generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

fn any_location(numbers: &mut Numbers, files: u64) -> Location {
    let small = |numbers: &mut Numbers| match numbers.below(12) {
        0 => u32::MAX,
        _ => u32::try_from(numbers.below(50)).unwrap(),
    };
    let file = FileId(u32::try_from(numbers.below(files + 1)).unwrap());
    match numbers.below(8) {
        0 => Location::Offset {
            file,
            offset: u64::MAX - numbers.below(2),
        },
        1 => Location::source(
            ["", "b.py", "none"][file.0 as usize % 3],
            small(numbers),
            small(numbers),
        ),
        _ => Location::Span(Span {
            file,
            start: small(numbers),
            end: small(numbers),
        }),
    }
}

#[test]
fn no_location_is_too_bad_to_print() {
    let texts = [
        "",
        "\n",
        "a",
        "aβ\n\n\tγδ\r\nlast",
        "x\u{2028}y\u{85}z\u{c}\r\r\n🦀🦀\n",
        "one line only, no end",
    ];
    let mut files = Files::new();
    files.add_binary("k.bc");
    for text in texts {
        files.add_text("b.py", text);
    }
    let count = 1 + u64::try_from(texts.len()).unwrap();
    let mut numbers = Numbers(1);
    for _ in 0..4000 {
        let mut diagnostic = Diagnostic::error(Code::Internal, "it broke");
        for n in 0..numbers.below(6) {
            let at = any_location(&mut numbers, count);
            let message = ["", "said", "two\nlines"][usize::try_from(numbers.below(3)).unwrap()];
            diagnostic = if n == 0 {
                diagnostic.at(at, message)
            } else {
                diagnostic.also(at, message)
            };
        }
        for format in Format::ALL {
            let text = render(
                std::slice::from_ref(&diagnostic),
                &files,
                format,
                numbers.below(2) == 0,
            );
            assert!(
                text.contains("it broke") && text.ends_with('\n'),
                "{format}: {diagnostic:?}: {text}"
            );
            if matches!(format, Format::Short | Format::Json) {
                assert_eq!(text.lines().count(), 1, "{format}: {diagnostic:?}: {text}");
            }
        }
    }
}
