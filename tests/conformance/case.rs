//! The cases of a test folder: files split at `// -----`, their RUN lines, and the expectations in their comments.

use std::fs;
use std::path::{Path, PathBuf};

use tilewright_diagnostics::Severity;

/// A file of tests.
#[derive(Clone, Debug)]
pub(crate) struct TestFile {
    /// The path below the test folder.
    pub(crate) name: String,
    /// The path.
    pub(crate) path: PathBuf,
    /// The text.
    pub(crate) text: String,
    /// The commands, one for each RUN line, with continuation lines joined.
    pub(crate) runs: Vec<String>,
}

/// A part of a file.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// The number of its first line, from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// A diagnostic that a comment expects.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) severity: Option<Severity>,
    /// The line of the diagnostic; `None` for one without a position.
    pub(crate) line: Option<usize>,
    /// The line of the comment.
    pub(crate) said: usize,
    pub(crate) text: String,
}

/// Every file with RUN lines below a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<TestFile> {
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<TestFile>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if path.is_dir() {
            walk(root, &path, found);
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let runs = runs(&text);
        if !runs.is_empty() {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            found.push(TestFile {
                name,
                path,
                text,
                runs,
            });
        }
    }
}

fn runs(text: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let Some((_, command)) = line.split_once("RUN:") else {
            continue;
        };
        let command = command.trim();
        let part = command.strip_suffix('\\').unwrap_or(command).trim();
        match runs.last_mut() {
            Some(last) if open => {
                last.push(' ');
                last.push_str(part);
            }
            _ => runs.push(part.to_owned()),
        }
        open = command.ends_with('\\');
    }
    runs
}

/// Splits a text at lines that start with `// -----`.
pub(crate) fn chunks(text: &str) -> Vec<Chunk> {
    let mut chunks = vec![Chunk {
        line: 1,
        text: String::new(),
    }];
    for (i, line) in text.lines().enumerate() {
        if line.starts_with("// -----") {
            chunks.push(Chunk {
                line: i + 1,
                text: String::new(),
            });
        }
        if let Some(chunk) = chunks.last_mut() {
            chunk.text.push_str(line);
            chunk.text.push('\n');
        }
    }
    chunks
}

/// The expectations in the comments of a chunk.
pub(crate) fn expectations(chunk: &Chunk) -> Vec<Expected> {
    let mut list = Vec::new();
    for (i, line) in chunk.text.lines().enumerate() {
        let said = chunk.line + i;
        let Some((_, rest)) = line.split_once("expected-") else {
            continue;
        };
        let kinds = [
            ("error", Some(Severity::Error)),
            ("warning", Some(Severity::Warning)),
            ("remark", None),
            ("note", None),
        ];
        let Some((severity, rest)) = kinds
            .into_iter()
            .find_map(|(word, severity)| Some((severity, rest.strip_prefix(word)?)))
        else {
            continue;
        };
        let rest = rest.strip_prefix("-re").unwrap_or(rest);
        let (Some(open), Some(close)) = (rest.find("{{"), rest.rfind("}}")) else {
            continue;
        };
        let place = rest
            .get(..open)
            .unwrap_or_default()
            .trim()
            .trim_start_matches('@')
            .trim();
        let at = match place {
            "" => Some(said),
            "unknown" => None,
            "below" => Some(said + 1),
            "above" => said.checked_sub(1),
            offset => offset
                .parse::<isize>()
                .ok()
                .and_then(|offset| said.checked_add_signed(offset)),
        };
        list.push(Expected {
            severity,
            line: at,
            said,
            text: rest.get(open + 2..close).unwrap_or_default().to_owned(),
        });
    }
    // Several comments about one position are above one another.
    for i in (0..list.len()).rev() {
        let (before, after) = list.split_at_mut(i + 1);
        if let (Some(this), Some(next)) = (before.last_mut(), after.first())
            && this.line == Some(next.said)
            && next.line == Some(next.said + 1)
        {
            this.line = next.line;
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_lines_near_them() {
        let text = "a\n// expected-error @below {{one}}\nb // expected-note{{two}}\n// expected-warning@-1 {{{x}}}\n";
        let chunk = Chunk {
            line: 11,
            text: text.to_owned(),
        };
        let found: Vec<_> = expectations(&chunk)
            .into_iter()
            .map(|expected| (expected.line, expected.text))
            .collect();
        let wanted = [(13, "one"), (13, "two"), (13, "{x}")];
        assert_eq!(found, wanted.map(|(line, text)| (Some(line), text.to_owned())));
    }

    #[test]
    fn a_file_is_cut_and_its_commands_are_joined() {
        let lines = chunks("a\n// -----\nb\n")
            .iter()
            .map(|chunk| chunk.line)
            .collect::<Vec<_>>();
        assert_eq!(lines, [1, 2]);
        assert_eq!(runs("// RUN: a \\\n// RUN:   b\n// RUN: c"), ["a b", "c"]);
    }
}
