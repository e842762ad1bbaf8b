//! Tables of what became of the items of a document that this project grew from.
//!
//! A row names declarations, attributes, passes, cells of the matrix, pages and tests. Each of them is looked up.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use tilewright::Language;
use tilewright::explain::Topic;
use tilewright::pipeline::{PASSES, Pass};
use tilewright::policy::{CELLS, fate};
use tilewright_irs::core::AttributeSpec;
use tilewright_irs::dialects::fast_math::FastMathFlag;
use tilewright_tests::repository;

use By::{Attribute, Code, Flag, Later, Page, Word};
use Test::{Golden, Run};

/// A part of the notes: its title, and its rows.
pub(crate) struct Part {
    pub(crate) title: &'static str,
    pub(crate) rows: &'static [Row],
}

/// An item of the notes.
pub(crate) struct Row {
    pub(crate) item: &'static str,
    /// What the notes have.
    notes: &'static str,
    /// What there is here.
    here: &'static str,
    pub(crate) by: &'static [By],
    tests: &'static [Test],
}

/// What makes an item so.
pub(crate) enum By {
    /// A declaration in a file.
    Code(&'static str, &'static str),
    /// An attribute of an op; of functions where that is `func`, and of the tag where it is `tag`.
    Attribute(Language, &'static str, &'static str),
    /// A value that such an attribute can have.
    Word(Language, &'static str, &'static str, &'static str),
    /// A flag of float ops.
    Flag(&'static str),
    /// A pass.
    Pass(&'static str),
    /// All cells of a stage.
    Stage(Language, Language),
    /// A page of `tilewright explain`.
    Page(&'static str),
    /// Nothing yet: what it waits for.
    Later(&'static str),
}

/// What shows that it is so.
pub(crate) enum Test {
    /// A function of a test.
    Run(&'static str, &'static str),
    /// An input and its output in `golden/`.
    Golden(&'static str),
}

/// Shorthand for a row.
pub(crate) const fn row(
    item: &'static str,
    notes: &'static str,
    here: &'static str,
    by: &'static [By],
    tests: &'static [Test],
) -> Row {
    Row {
        item,
        notes,
        here,
        by,
        tests,
    }
}

/// A file of the repository.
fn read(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap_or_default()
}

/// Whether a text declares a name.
fn declares(text: &str, name: &str) -> bool {
    let is_of = |line: &str| {
        let words: Vec<_> = line
            .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '!'))
            .filter(|word| !word.is_empty())
            .collect();
        let at = words.iter().position(|word| *word == name);
        let kinds = ["fn", "struct", "enum", "type", "const", "trait", "macro_rules!"];
        // Or a variant, which stands alone.
        let is_variant =
            words.first() == Some(&name) && line.starts_with(' ') && line.ends_with(['{', ',', '(']);
        is_variant || at.is_some_and(|at| at > 0 && kinds.contains(&words[at - 1]))
    };
    text.lines().any(is_of)
        || text
            .lines()
            .any(|line| line.trim_start().starts_with(&format!("{name}(")))
}

/// The declaration of an attribute.
fn attribute(language: Language, op: &str, name: &str) -> Option<AttributeSpec> {
    let mut all = language.declared().attributes().into_iter();
    all.find(|spec| {
        let of = match spec.op {
            "" => spec.carrier.to_string(),
            op => op.to_owned(),
        };
        let op = if op == "func" { "function" } else { op };
        (of.as_str(), spec.name) == (op, name)
    })
}

/// What the matrix says of an attribute where its language ends.
fn becomes(language: Language, spec: &AttributeSpec) -> Option<String> {
    let mut stages = PASSES.iter().map(|pass| (pass.from, pass.to));
    let stage = stages.find(|&(from, to)| from == language && to != language)?;
    let cell = fate(stage, spec).ok().flatten()?;
    Some(format!(", {} to {}: {}", stage.0, stage.1, cell.verdict))
}

impl By {
    /// How the page shows it; an error if there is no such thing.
    fn shown(&self) -> Result<String, String> {
        match *self {
            Code(file, name) => match declares(&read(file), name) {
                true => Ok(format!("[`{name}`](../{file})")),
                false => Err(format!("{file} does not declare {name}")),
            },
            Attribute(language, op, name) => {
                let spec = attribute(language, op, name).ok_or(format!("{language}: {op} has no {name}"))?;
                let of = if spec.op.is_empty() {
                    String::new()
                } else {
                    format!(" of `{op}`")
                };
                let becomes = becomes(language, &spec).unwrap_or_default();
                Ok(format!("`{name}`{of} ({language}{becomes})"))
            }
            Word(language, op, name, word) => {
                let spec = attribute(language, op, name).ok_or(format!("{language}: {op} has no {name}"))?;
                match spec.field.keywords.iter().any(|keyword| keyword.word == word) {
                    true => Ok(format!("`{name} = {word}` of `{op}` ({language})")),
                    false => Err(format!("{language}: {op} {name} is never {word}")),
                }
            }
            Flag(name) => match FastMathFlag::ALL.iter().any(|flag| flag.to_string() == name) {
                true => Ok(format!("the flag `{name}`")),
                false => Err(format!("there is no flag {name}")),
            },
            By::Pass(name) => match Pass::named(name) {
                Some(_) => Ok(format!("the pass [`{name}`](passes.md)")),
                None => Err(format!("there is no pass {name}")),
            },
            By::Stage(from, to) => {
                let cells = CELLS
                    .iter()
                    .filter(|cell| (cell.from, cell.to) == (from, to))
                    .count();
                let stage = if from == to {
                    from.to_string()
                } else {
                    format!("{from} to {to}")
                };
                let has_passes = PASSES.iter().any(|pass| (pass.from, pass.to) == (from, to));
                match has_passes {
                    true => Ok(format!("[{cells} cells](attributes.md) of the stage {stage}")),
                    false => Err(format!("there is no stage {stage}")),
                }
            }
            Later(what) => Ok(format!("not yet: {what}")),
            Page(name) => match Topic::named(name) {
                Ok(topic) if topic.name() == name => Ok(format!("`tilewright explain {name}`")),
                _ => Err(format!("there is no page {name}")),
            },
        }
    }
}

impl Test {
    /// How the page shows it; an error if there is no such test.
    fn shown(&self) -> Result<String, String> {
        match *self {
            Run(file, name) => {
                let text = read(file);
                let head = format!("fn {name}(");
                let is_test = text
                    .split_once(&head)
                    .is_some_and(|(before, _)| before.trim_end().ends_with("#[test]"));
                match is_test {
                    true => Ok(format!("[`{name}`](../{file})")),
                    false => Err(format!("{file} has no test {name}")),
                }
            }
            Golden(case) => {
                let (folder, name) = case.split_once('/').unwrap_or((case, ""));
                let folder_path = repository().join("golden").join(folder);
                let has_input = |path: &Path| {
                    let entries = fs::read_dir(path).into_iter().flatten().flatten();
                    let mut names = entries.filter_map(|entry| entry.file_name().into_string().ok());
                    names.any(|file| file.starts_with(&format!("{name}.in.")))
                };
                match has_input(&folder_path) {
                    true => Ok(format!("[`{case}`](../golden/{folder})")),
                    false => Err(format!("golden/{folder} has no case {name}")),
                }
            }
        }
    }
}

/// The tables of these parts, and what is wrong with them.
pub(crate) fn tables(parts: &[Part]) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut wrong = Vec::new();
    let mut items = BTreeSet::new();
    for Part { title, rows } in parts {
        let _ = writeln!(
            text,
            "\n## {title}\n\n| item | in the notes | here | by | seen by |\n|---|---|---|---|---|"
        );
        for row in *rows {
            let mut all = |shown: Vec<Result<String, String>>| {
                let shown = shown
                    .into_iter()
                    .filter_map(|one| one.map_err(|error| wrong.push(error)).ok());
                shown.collect::<Vec<_>>().join("; ")
            };
            let by = all(row.by.iter().map(By::shown).collect());
            let tests = all(row.tests.iter().map(Test::shown).collect());
            let waits = matches!(row.by, [Later(_)]);
            if !items.insert((*title, row.item)) || by.is_empty() || tests.is_empty() != waits {
                wrong.push(format!("{title} {}: a second row, or an open one", row.item));
            }
            let _ = writeln!(
                text,
                "| {} | {} | {} | {by} | {tests} |",
                row.item, row.notes, row.here
            );
        }
    }
    (text, wrong)
}
