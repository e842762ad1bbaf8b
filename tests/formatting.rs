//! Formatting of the texts that the printers write, and of such texts with other blanks: the words stay, what the printers write
//! stays, and what is formatted stays.

use std::fs;
use std::path::{Path, PathBuf};

use tilewright::ide::format::format;
use tilewright::ide::functions::functions;
use tilewright::ide::stage_view::StageView;
use tilewright::ide::tokens::{Kind, tokens};
use tilewright::{Compiler, Language, Request, reading};

/// The texts of a folder and those in it.
fn texts(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut paths: Vec<_> = entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => texts(&path),
            path => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|own| own == "mlir"))
        .collect();
    paths.sort();
    paths
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data")
}

fn formatted(text: &str, language: Language) -> String {
    let mut new = text.to_owned();
    for edit in format(text, Some(language), None).into_iter().rev() {
        new.replace_range(edit.at, &edit.new);
    }
    new
}

fn words(text: &str) -> Vec<&str> {
    tokens(text).into_iter().map(|word| &text[word.at]).collect()
}

/// A text with other blanks where the formatter sets them: none before and behind marks, or two.
fn mangled(text: &str, blanks: &str) -> String {
    let mut new = String::new();
    for line in text.lines() {
        // Labels are left alone.
        if line.trim_start().starts_with('^') {
            new.push_str(&format!("{line}\n"));
            continue;
        }
        let mut end = 0;
        let words = tokens(line);
        let mut angles = 0;
        for (at, word) in words.iter().enumerate() {
            let own = &line[word.at.clone()];
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            let left = before.map_or("", |word| &line[word.at.clone()]);
            let is_arrow = |left: &str, own: &str| left == "-" && own == ">";
            // Results, such as `%x = `: attributes have a way of their own.
            let of_result = |at: usize| words.get(at).is_some_and(|word| word.kind == Kind::Value);
            let is_mark = angles == 0
                && ((own == "=" && at > 0 && of_result(at - 1))
                    || (left == "=" && at > 1 && of_result(at - 2))
                    || (left == "," && own != ",")
                    || (own == "-" && line[word.at.end..].starts_with('>')));
            match is_mark && word.kind != Kind::Comment {
                true => new.push_str(blanks),
                false => new.push_str(&line[end..word.at.start]),
            }
            new.push_str(own);
            end = word.at.end;
            match own {
                "<" => angles += 1,
                ">" if !is_arrow(left, own) => angles -= 1,
                _ => {}
            }
        }
        new.push_str(" \n");
    }
    new
}

/// Expects a text.
fn expect(found: &str, wanted: &str, what: &str) {
    for (number, (found, wanted)) in (1..).zip(found.lines().zip(wanted.lines())) {
        assert_eq!(found, wanted, "{what}, line {number}");
    }
    assert_eq!(found.len(), wanted.len(), "{what}");
}

/// Checks a text that a printer has written. Returns the number of its lines.
fn check(text: &str, language: Language, what: &str) -> usize {
    let plain = match language {
        // As NVIDIA's printer does, ours writes two blanks before some colons, and blanks at the ends of lines.
        Language::CudaTile => text.replace("  : ", " : ").replace(" \n", "\n"),
        _ => text.to_owned(),
    };
    let text = plain.as_str();
    expect(&formatted(text, language), text, what);
    let mangles: &[&str] = match language {
        Language::Ptx => &[],
        _ => &["", "  "],
    };
    for blanks in mangles {
        let other = mangled(text, blanks);
        let once = formatted(&other, language);
        assert_eq!(words(&other), words(&once), "{what}: the words stay");
        expect(&formatted(&once, language), &once, what);
        // More blanks than one may be columns of the author.
        if blanks.is_empty() {
            expect(&once, text, what);
        }
    }
    text.lines().count()
}

#[test]
fn what_the_printers_write_stays_and_everything_else_becomes_it() {
    let mut lines = 0;
    for path in texts(&data().join("disasm")) {
        let text = fs::read_to_string(&path).expect("a text");
        lines += check(&text, Language::CudaTile, &path.display().to_string());
    }
    let mut db = Compiler::new();
    let options = db.options(Request::default());
    for path in texts(&data().join("disasm")) {
        let name = path.display().to_string();
        if !name.ends_with("13.5.mlir") {
            continue;
        }
        let source = db.add_source(name.clone(), fs::read(&path).expect("a text"));
        for function in functions(&db, source) {
            for &language in Language::ALL {
                if let Some(view) = StageView::of(&db, &function, options, language) {
                    lines += check(&view.text, language, &format!("{name}: {language}"));
                }
            }
        }
    }
    assert!(lines > 10_000, "{lines}");
}

#[test]
fn formatting_changes_no_program() {
    let mut count = 0;
    for path in texts(&data()) {
        let text = fs::read_to_string(&path).expect("a text");
        let once = formatted(&text, Language::CudaTile);
        assert_eq!(words(&text), words(&once), "{}", path.display());
        assert_eq!(formatted(&once, Language::CudaTile), once, "{}", path.display());
        let read = |text: &str| {
            let mut db = Compiler::new();
            let source = db.add_source("k.mlir", text);
            let parsed = reading::parse(&db, source);
            let bodies = parsed.kernels.iter().map(|kernel| kernel.body(&db).clone());
            (bodies.collect::<Vec<_>>(), parsed.diagnostics.len())
        };
        assert!(read(&text) == read(&once), "{}", path.display());
        count += 1;
    }
    assert!(count > 100, "{count}");
}
