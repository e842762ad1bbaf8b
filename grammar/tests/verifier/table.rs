//! The rules of the language in one table, `table.txt`, each with its evidence: words of a message that a case in
//! `rules/` expects for this op (or, after `any:`, for another one), the name of another test, or the reason why no
//! input can violate it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tilewright_irs::cuda_tile::TileOp;

use super::{cases, said};

/// The evidence for a rule.
enum Shown<'a> {
    /// All of these words occur in one message.
    Words(Vec<&'a str>),
    /// A test of this name.
    Test(&'a str),
    /// The rule cannot be violated.
    Never,
}

struct Rule<'a> {
    op: &'a str,
    what: &'a str,
    /// The op of the message: this one, or any.
    about: &'a str,
    shown: Shown<'a>,
}

/// The table: `op: rule = words & words`, `op: rule = any: words`, `op: rule = @test`, or `op: rule = - reason`.
fn rules(text: &str) -> Vec<Rule<'_>> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (op, rest) = line.split_once(": ").expect(line);
            let (what, shown) = rest.split_once(" = ").expect(line);
            let (about, shown) = match shown.strip_prefix("any: ") {
                Some(shown) => ("any", shown),
                None => (op, shown),
            };
            let shown = match shown.strip_prefix('@') {
                Some(test) => Shown::Test(test),
                None if shown.starts_with("- ") => Shown::Never,
                None => Shown::Words(shown.split(" & ").collect()),
            };
            Rule {
                op,
                what,
                about,
                shown,
            }
        })
        .collect()
}

/// The op of a message or of its line.
fn op_of(lines: &[&str], line: usize, message: &str) -> String {
    if let Some(rest) = message.strip_prefix("'cuda_tile.") {
        return rest.split('\'').next().unwrap_or_default().to_owned();
    }
    let source = lines.get(line).copied().unwrap_or_default();
    let source = source.split(" // ").next().unwrap_or_default();
    let op = source.split_once(" = ").map_or(source, |(_, op)| op);
    let word = op.trim_start().split([' ', '(']).next().unwrap_or_default();
    let word = word.trim_matches('"');
    word.strip_prefix("cuda_tile.").unwrap_or(word).to_owned()
}

/// The messages for each op in all cases; those for anything else under the first word of the line.
fn messages() -> BTreeMap<String, BTreeSet<String>> {
    let mut messages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for case in cases() {
        let lines: Vec<&str> = case.text.lines().collect();
        for said in said(&case.text) {
            let op = op_of(&lines, said.line, &said.message);
            for key in [op.as_str(), "any"] {
                messages
                    .entry(key.to_owned())
                    .or_default()
                    .insert(said.message.clone());
            }
        }
    }
    messages
}

/// The source of every other test.
fn tests() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    let mut folders = vec![
        root.join("tests"),
        root.join("../irs/tests"),
        root.join("../tests"),
    ];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                text.push_str(&std::fs::read_to_string(path).unwrap_or_default());
            }
        }
    }
    text
}

#[test]
fn every_rule_is_shown() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verifier/table.txt"));
    let text = text.expect("the table");
    let (messages, tests) = (messages(), tests());
    let rules = rules(&text);
    let none = BTreeSet::new();
    let mut open = Vec::new();
    for rule in &rules {
        let kept = match &rule.shown {
            Shown::Words(words) => {
                let said = messages.get(rule.about).unwrap_or(&none);
                said.iter()
                    .any(|message| words.iter().all(|word| message.contains(word)))
            }
            Shown::Test(name) => tests.contains(&format!("fn {name}(")),
            Shown::Never => true,
        };
        if !kept {
            open.push(format!("{}: {}", rule.op, rule.what));
        }
    }
    assert!(
        open.is_empty(),
        "{} of {} rules are shown nowhere:\n{}",
        open.len(),
        rules.len(),
        open.join("\n")
    );
    let named: BTreeSet<&str> = rules.iter().map(|rule| rule.op).collect();
    let unnamed: Vec<_> = TileOp::tile_specs()
        .filter(|spec| !named.contains(spec.name))
        .map(|spec| spec.name)
        .collect();
    assert_eq!(unnamed, [""; 0]);
}
