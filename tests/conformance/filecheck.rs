//! A FileCheck subset: patterns in the comments of one text, matched in order against another.
//!
//! Supports `CHECK`, `-NEXT`, `-SAME`, `-NOT`, `-DAG`, `-LABEL`, `{{regex}}`, `[[NAME:regex]]` and `[[NAME]]`. A
//! pattern without a match is recorded and skipped, so that one run reports all of them.

use std::collections::BTreeMap;
use std::fmt::Write;

use fancy_regex::{Regex, escape};

/// The kind of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Next,
    Same,
    Not,
    Dag,
    Label,
}

/// A line of patterns.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The pattern as written.
    pub(crate) text: String,
    kind: Kind,
}

/// The patterns of a text whose first line has the number `first`.
pub(crate) fn patterns(text: &str, first: usize, prefixes: &[&str]) -> Vec<Pattern> {
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let Some((_, comment)) = line.split_once("//") else {
            continue;
        };
        let Some((word, pattern)) = comment.trim_start().split_once(':') else {
            continue;
        };
        let suffixes = [
            ("", Kind::Plain),
            ("-NEXT", Kind::Next),
            ("-SAME", Kind::Same),
            ("-NOT", Kind::Not),
            ("-DAG", Kind::Dag),
            ("-LABEL", Kind::Label),
        ];
        let kind = prefixes.iter().find_map(|prefix| {
            let suffix = word.strip_prefix(prefix)?;
            suffixes
                .iter()
                .find(|(known, _)| *known == suffix)
                .map(|(_, kind)| *kind)
        });
        if let Some(kind) = kind {
            found.push(Pattern {
                line: first + i,
                text: pattern.trim().to_owned(),
                kind,
            });
        }
    }
    found
}

/// Replaces every run of blanks by one blank, as FileCheck does.
pub(crate) fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' ' | '\t' if out.ends_with(' ') => {}
            '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The values of pattern variables.
pub(crate) type Names = BTreeMap<String, String>;

/// The patterns without a match in the text, each with the reason. Variables are kept between texts.
pub(crate) fn check(patterns: &[Pattern], text: &str, names: &mut Names) -> Vec<(Pattern, String)> {
    let text = squeeze(text);
    let mut checker = Checker {
        text: &text,
        at: 0,
        end: text.len(),
        names,
        failed: Vec::new(),
    };
    // Labels are matched first; the patterns between two labels are matched only there.
    let mut blocks: Vec<(usize, usize, Vec<&Pattern>)> = vec![(0, 0, Vec::new())];
    let mut from = 0;
    for pattern in patterns {
        if pattern.kind == Kind::Label {
            match checker.find(pattern, from, text.len()) {
                Ok((start, end)) => {
                    from = end;
                    blocks.push((start, end, Vec::new()));
                }
                Err(reason) => checker.failed.push((pattern.clone(), reason)),
            }
        } else if let Some((_, _, list)) = blocks.last_mut() {
            list.push(pattern);
        }
    }
    for (i, (_, after, list)) in blocks.iter().enumerate() {
        checker.at = *after;
        checker.end = blocks.get(i + 1).map_or(text.len(), |(start, ..)| *start);
        checker.block(list);
    }
    checker.failed
}

struct Checker<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    names: &'t mut Names,
    failed: Vec<(Pattern, String)>,
}

impl Checker<'_> {
    fn block(&mut self, list: &[&Pattern]) {
        let mut nots: Vec<&Pattern> = Vec::new();
        let mut dags: Vec<(usize, usize)> = Vec::new();
        let mut dag_from = self.at;
        for pattern in list {
            if pattern.kind == Kind::Not {
                nots.push(pattern);
                continue;
            }
            if pattern.kind == Kind::Dag {
                if dags.is_empty() {
                    dag_from = self.at;
                }
                self.dag(pattern, dag_from, &mut dags);
                continue;
            }
            if let Some(last) = dags.iter().map(|(_, end)| *end).max() {
                self.at = last;
                dags.clear();
            }
            match self.find(pattern, self.at, self.end) {
                Ok((start, end)) => {
                    let between = self.text.get(self.at..start).unwrap_or_default();
                    let lines = between.matches('\n').count();
                    let wrong = match pattern.kind {
                        Kind::Next if lines != 1 => Some(format!("found {lines} lines further on")),
                        Kind::Same if lines != 0 => Some(format!("found {lines} lines further on")),
                        _ => None,
                    };
                    if let Some(reason) = wrong {
                        self.failed.push(((*pattern).clone(), reason));
                    }
                    self.absent(&std::mem::take(&mut nots), self.at, start);
                    self.at = end;
                }
                Err(reason) => self.failed.push(((*pattern).clone(), reason)),
            }
        }
        self.absent(&nots, self.at, self.end);
    }

    fn dag(&mut self, pattern: &Pattern, from: usize, taken: &mut Vec<(usize, usize)>) {
        let mut from = from;
        loop {
            match self.find(pattern, from, self.end) {
                Ok((start, end)) => match taken.iter().find(|(s, e)| start < *e && *s < end) {
                    Some((_, after)) => from = *after,
                    None => return taken.push((start, end)),
                },
                Err(reason) => return self.failed.push((pattern.clone(), reason)),
            }
        }
    }

    fn absent(&mut self, nots: &[&Pattern], from: usize, to: usize) {
        for pattern in nots {
            if self.find(pattern, from, to).is_ok() {
                self.failed
                    .push(((*pattern).clone(), "found, but must not be there".to_owned()));
            }
        }
    }

    /// The first match of a pattern; defines its variables.
    fn find(&mut self, pattern: &Pattern, from: usize, to: usize) -> Result<(usize, usize), String> {
        let (source, defined) = compile(&squeeze(&pattern.text), self.names)?;
        let regex = Regex::new(&source).map_err(|error| format!("{source}: {error}"))?;
        let part = self.text.get(from..to).unwrap_or_default();
        let found = regex.captures(part).map_err(|error| error.to_string())?;
        let captures = found.ok_or_else(|| {
            let mut reason = "not found".to_owned();
            for (name, value) in self
                .names
                .iter()
                .filter(|(name, _)| pattern.text.contains(&format!("[[{name}]]")))
            {
                let _ = write!(reason, ", {name} = {value}");
            }
            reason
        })?;
        let whole = captures.get(0).ok_or("no match")?;
        for (group, name) in defined {
            if let Some(value) = captures.name(&group) {
                self.names.insert(name, value.as_str().to_owned());
            }
        }
        Ok((from + whole.start(), from + whole.end()))
    }
}

/// A regular expression for a pattern, and the variables that it defines with their groups.
fn compile(text: &str, names: &Names) -> Result<(String, Vec<(String, String)>), String> {
    // `.` does not match line ends; `^` and `$` match at line ends.
    let mut out = "(?m)".to_owned();
    let mut defined: Vec<(String, String)> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let regex = rest.find("{{").unwrap_or(rest.len());
        let name = rest.find("[[").unwrap_or(rest.len());
        let (literal, special) = rest.split_at(regex.min(name));
        out.push_str(&escape(literal));
        if let Some(inside) = special.strip_prefix("{{") {
            let (inside, after) = inside.split_once("}}").ok_or("`{{` without `}}`")?;
            let _ = write!(out, "(?:{inside})");
            rest = after;
        } else if let Some(inside) = special.strip_prefix("[[") {
            let (inside, after) = inside.split_at(variable_end(inside).ok_or("`[[` without `]]`")?);
            rest = after.get(2..).unwrap_or_default();
            match inside.split_once(':') {
                Some((name, pattern)) => {
                    let group = format!("v{}", defined.len());
                    let _ = write!(out, "(?P<{group}>{pattern})");
                    defined.push((group, name.to_owned()));
                }
                None => match defined.iter().rev().find(|(_, name)| name == inside) {
                    Some((group, _)) => {
                        let _ = write!(out, "(?P={group})");
                    }
                    None => {
                        let value = names
                            .get(inside)
                            .ok_or(format!("`{inside}` was not found before"))?;
                        out.push_str(&escape(value));
                    }
                },
            }
        } else {
            rest = special;
        }
    }
    Ok((out, defined))
}

/// The position of the `]]` of a variable, after the brackets of its expression.
fn variable_end(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut escaped = false;
    for (i, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => depth += 1,
            ']' if depth > 0 => depth -= 1,
            ']' if text.get(i..).is_some_and(|rest| rest.starts_with("]]")) => return Some(i),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(checks: &str, text: &str) -> Vec<usize> {
        let patterns = patterns(checks, 1, &["CHECK"]);
        check(&patterns, text, &mut Names::new())
            .into_iter()
            .map(|(pattern, _)| pattern.line)
            .collect()
    }

    #[test]
    fn variables_keep_their_values_within_and_between_lines() {
        let checks = "// CHECK: [[A:%[a-z]+]] = add\n// CHECK-NEXT: use [[A]], [[B:%.]], [[B]]";
        assert!(failures(checks, "%x = add\nuse %x, %b, %b").is_empty());
        assert_eq!(failures(checks, "%x = add\nuse %y, %b, %b"), [2]);
        assert_eq!(failures(checks, "%x = add\nuse %x, %b, %c"), [2]);
        assert_eq!(failures(checks, "%x = add\n\nuse %x, %b, %b"), [2]);
    }

    #[test]
    fn check_label_bounds_the_search() {
        let checks = "// CHECK-LABEL: one\n// CHECK: a\n// CHECK-LABEL: two\n// CHECK-NOT: a";
        assert!(failures(checks, "one\na\ntwo\nb").is_empty());
        assert_eq!(failures(checks, "one\nb\ntwo\nb"), [2]);
        assert_eq!(failures(checks, "one\na\ntwo\na"), [4]);
    }

    #[test]
    fn check_not_holds_up_to_the_next_match() {
        let checks = "// CHECK: a\n// CHECK-NOT: x\n// CHECK: b";
        assert!(failures(checks, "a\nb\nx").is_empty());
        assert_eq!(failures(checks, "a x\nb"), [2]);
    }

    #[test]
    fn check_dag_matches_each_place_once() {
        let checks = "// CHECK-DAG: p{{.}}\n// CHECK-DAG: p2\n// CHECK: end";
        assert!(failures(checks, "p1 p2 end").is_empty());
        assert_eq!(failures(checks, "p2 end"), [2]);
        assert!(failures("// CHECK:  a   b\n// CHECK-SAME: {{\\[}}c]", "x a b [c]").is_empty());
    }
}
