//! The rules of `cuda_tile` as data: each file in `rules/` contains legal and illegal ops of one group, with the
//! expected diagnostics.
//!
//! A comment ``// CODE `TEXT`: WORDS`` at the end of a line expects a diagnostic with this code at this text, with
//! these words in its message; several may follow on the same line. The code of a warning is preceded by `warning`. A
//! line without a comment is legal.
//! A line `// -----` starts another module; one with a single illegal line is verified only as a whole, so that the
//! module may depend on that line. `TILEWRIGHT_TILEIRDISASM` is the path of NVIDIA's disassembler, whose verdict on
//! each module is then compared (`oracle`).

mod bytecode;
mod fields;
mod independent;
mod mutants;
mod oracle;
#[path = "../support/owned.rs"]
mod owned;
mod payloads;
mod planted;
#[path = "../support/preview.rs"]
mod preview;
mod table;

use std::path::{Path, PathBuf};

use preview::parse_tile_text;
use rustc_hash::FxHashSet;
use tilewright_diagnostics::FileId;
use tilewright_grammar::cuda_tile::TileParsed;
use tilewright_irs::cuda_tile::{TileOp, check_hints, verify_debug, verify_module, warnings};

/// A diagnostic: line, code, text of the span, message.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    line: usize,
    code: String,
    at: String,
    message: String,
}

/// A module of a rule file.
struct Case {
    file: PathBuf,
    /// The line of the file at which the module starts.
    first: usize,
    text: String,
}

impl Case {
    fn name(&self, line: usize) -> String {
        let file = self.file.file_name().unwrap_or_default().to_string_lossy();
        format!("{file}:{}", self.first + line)
    }

    /// The diagnostics that the comments expect.
    fn announced(&self) -> Vec<Said> {
        let lines = self.text.lines().enumerate();
        lines.flat_map(|(line, text)| announced(line, text)).collect()
    }

    /// The modules to verify separately: without illegal lines, and with each of them alone.
    fn variants(&self) -> Vec<(Option<usize>, String)> {
        let announced = self.announced();
        let mut lines: Vec<usize> = announced.iter().map(|said| said.line).collect();
        lines.dedup();
        match lines.as_slice() {
            [only] => vec![(Some(*only), self.text.clone())],
            lines => std::iter::once(None)
                .chain(lines.iter().copied().map(Some))
                .map(|line| (line, self.with_only(line)))
                .collect(),
        }
    }

    /// The module without illegal lines, except for one of them.
    fn with_only(&self, keep: Option<usize>) -> String {
        let lines = self.text.lines().enumerate();
        let kept = lines.map(|(line, text)| {
            let drop = Some(line) != keep && !announced(line, text).is_empty();
            if drop { "" } else { text }
        });
        kept.collect::<Vec<_>>().join("\n") + "\n"
    }
}

fn announced(line: usize, text: &str) -> Vec<Said> {
    let pieces = text.split(" // ").skip(1);
    let said = pieces.filter_map(|piece| {
        let (code, rest) = piece.trim().split_once(" `")?;
        let (at, words) = rest.split_once("`: ")?;
        Some(Said {
            line,
            code: code.to_owned(),
            at: at.to_owned(),
            message: words.to_owned(),
        })
    });
    said.collect()
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verifier/rules");
    let entries = std::fs::read_dir(&folder).expect("the rule files");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a rule file");
        let mut first = 1;
        for part in text.split("// -----\n") {
            cases.push(Case {
                file: file.clone(),
                first,
                text: part.to_owned(),
            });
            first += part.lines().count() + 1;
        }
    }
    cases
}

/// The diagnostics of a text, by the parser and, for what it could read, by the verifier.
fn said(text: &str) -> Vec<Said> {
    let parsed: TileParsed = parse_tile_text(text, FileId(0));
    let mut said = Vec::new();
    let mut add = |code: String, span: tilewright_diagnostics::Span, message: String| {
        let start = span.start as usize;
        let line = text[..start].lines().count() - usize::from(start > 0 && !text[..start].ends_with('\n'));
        said.push(Said {
            line,
            code,
            at: text[start..span.end as usize].to_owned(),
            message,
        });
    };
    for problem in &parsed.diagnostics {
        let at = problem.primary.as_ref().expect("a place").at;
        add(problem.code.to_string(), at, problem.message.clone());
    }
    let mut problems = verify_module(&parsed.module).err().unwrap_or_default();
    problems.extend(verify_debug(&parsed.module, &parsed.debug));
    problems.extend(warnings(&parsed.module));
    problems.extend(check_hints(&parsed.module));
    for problem in problems {
        let label = problem.diagnostic.primary.as_ref().expect("a place");
        let span = match (problem.func, problem.global) {
            (Some(func), _) => parsed.spans[func].part(label.at, problem.part),
            (None, Some(global)) => parsed.globals[global],
            (None, None) => parsed.externals[problem.external.expect("a function implemented outside")],
        };
        let before = if problem.diagnostic.is_error() {
            ""
        } else {
            "warning "
        };
        let code = format!("{before}{}", problem.diagnostic.code);
        add(code, span, problem.diagnostic.message);
    }
    said
}

/// The differences between actual and expected diagnostics.
fn differences(case: &Case, text: &str, mut wanted: Vec<Said>) -> Vec<String> {
    let mut wrong = Vec::new();
    for found in said(text) {
        let fits = |want: &Said| {
            want.line == found.line
                && want.code == found.code
                && want.at == found.at
                && found.message.contains(&want.message)
        };
        match wanted.iter().position(fits) {
            Some(at) => {
                wanted.remove(at);
            }
            None => wrong.push(format!(
                "{}: says {} `{}`: {}",
                case.name(found.line),
                found.code,
                found.at,
                found.message
            )),
        }
    }
    for want in wanted {
        let line = case.name(want.line);
        wrong.push(format!(
            "{line}: lacks {} `{}`: {}",
            want.code, want.at, want.message
        ));
    }
    wrong
}

#[test]
fn every_rule_is_reported_where_it_is_broken_and_nowhere_else() {
    let mut wrong = Vec::new();
    for case in cases() {
        // All of them in one run.
        wrong.extend(differences(&case, &case.text, case.announced()));
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_is_said_of_a_line_does_not_depend_on_other_mistakes() {
    let mut wrong = Vec::new();
    for case in cases() {
        let announced = case.announced();
        for (line, text) in case.variants() {
            let wanted = announced.iter().filter(|said| Some(said.line) == line).cloned();
            wrong.extend(differences(&case, &text, wanted.collect()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_op_has_a_legal_and_an_illegal_line() {
    let mut legal = FxHashSet::default();
    let mut illegal = FxHashSet::default();
    for case in cases() {
        for text in case.text.lines() {
            let op = text.split(" // ").next().unwrap_or_default();
            let set = if announced(0, text).is_empty() {
                &mut legal
            } else {
                &mut illegal
            };
            set.extend(
                op.split([' ', '('])
                    .filter_map(TileOp::by_mnemonic)
                    .map(|spec| spec.name),
            );
        }
    }
    let lacks = |set: &FxHashSet<&str>, none: &[&str]| -> Vec<&str> {
        let names = TileOp::tile_specs().map(|spec| spec.name);
        names
            .filter(|name| !set.contains(name) && !none.contains(name))
            .collect()
    };
    assert_eq!(lacks(&legal, &[]), [""; 0]);
    // Their operands are tokens or none, which the parser knows.
    let parsed = [
        "make_token",
        "memory_fence_alias_tko",
        "gdc_launch_dependents_tko",
        "gdc_wait_tko",
    ];
    assert_eq!(lacks(&illegal, &parsed), [""; 0]);
}
