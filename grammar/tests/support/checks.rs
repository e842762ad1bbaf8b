//! Checks of a printed text by directives in comments, as LLVM's FileCheck has them: the directives that NVIDIA's tests use.
//!
//! Of regular expressions there are `.+` and `.*`, alone or after `%`, and an escaped bracket.

use std::collections::BTreeMap;

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Literal(String),
    /// Any text of the line, at least one character of it if `true`.
    Any(bool),
    /// `[[NAME:%.+]]`: text after this prefix, which gets a name.
    Define(String, String),
    /// `[[NAME]]`
    Use(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Directive {
    Plain,
    Label,
    Next,
    Same,
    Not,
    Dag,
    Count(usize),
}

#[derive(Debug)]
struct Check {
    line: usize,
    directive: Directive,
    pattern: Vec<Piece>,
}

/// Blanks as FileCheck takes them: one for several.
fn canonical(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
        out.push_str(&words.join(" "));
        out.push('\n');
    }
    out
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = pattern;
    while !rest.is_empty() {
        let (piece, after) = if let Some(inside) = rest.strip_prefix("{{") {
            let (expression, after) = inside.split_once("}}").expect("a closed expression");
            let piece = match expression {
                ".+" => Piece::Any(true),
                ".*" => Piece::Any(false),
                other => Piece::Literal(other.replace('\\', "")),
            };
            (piece, after)
        } else if let Some(inside) = rest.strip_prefix("[[") {
            let (inside, after) = inside.split_once("]]").expect("a closed name");
            let piece = match inside.split_once(':') {
                Some((name, expression)) => {
                    let prefix = expression.strip_suffix(".+").expect("any text");
                    Piece::Define(name.to_owned(), prefix.to_owned())
                }
                None => Piece::Use(inside.to_owned()),
            };
            (piece, after)
        } else {
            let c = rest.chars().next().expect("a character");
            literal.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        if !literal.is_empty() {
            pieces.push(Piece::Literal(std::mem::take(&mut literal)));
        }
        pieces.push(piece);
        rest = after;
    }
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal));
    }
    pieces
}

fn checks(text: &str, prefix: &str) -> Vec<Check> {
    let mut checks = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(at) = line.find(prefix) else { continue };
        let before = line[..at].chars().next_back();
        if before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
            continue;
        }
        let Some((suffix, pattern)) = line[at + prefix.len()..].split_once(':') else {
            continue;
        };
        let directive = match suffix {
            "" => Directive::Plain,
            "-LABEL" => Directive::Label,
            "-NEXT" => Directive::Next,
            "-SAME" => Directive::Same,
            "-NOT" => Directive::Not,
            "-DAG" => Directive::Dag,
            other => match other.strip_prefix("-COUNT-").map(str::parse) {
                Some(Ok(count)) => Directive::Count(count),
                _ => continue,
            },
        };
        let pattern = pieces(canonical(pattern).trim());
        checks.push(Check {
            line: number + 1,
            directive,
            pattern,
        });
    }
    checks
}

type Names = BTreeMap<String, String>;

/// The end of a match that begins at `at`.
fn match_at(text: &str, at: usize, pattern: &[Piece], names: &mut Names) -> Option<usize> {
    let Some((piece, rest)) = pattern.split_first() else {
        return Some(at);
    };
    let here = &text[at..];
    match piece {
        Piece::Literal(literal) => here
            .starts_with(literal.as_str())
            .then(|| match_at(text, at + literal.len(), rest, names))?,
        Piece::Use(name) => {
            let value = names.get(name)?.clone();
            here.starts_with(value.as_str())
                .then(|| match_at(text, at + value.len(), rest, names))?
        }
        Piece::Any(some) => any(text, at, usize::from(*some), rest, names, |_, _| {}),
        Piece::Define(name, prefix) => {
            here.starts_with(prefix.as_str()).then_some(())?;
            any(text, at, prefix.len() + 1, rest, names, |names, value| {
                names.insert(name.clone(), value.to_owned());
            })
        }
    }
}

/// A match that begins with any text of the line, the longest first.
fn any(
    text: &str,
    at: usize,
    least: usize,
    rest: &[Piece],
    names: &mut Names,
    found: impl Fn(&mut Names, &str),
) -> Option<usize> {
    let line = text[at..].find('\n').unwrap_or(text.len() - at);
    for length in (least..=line).rev() {
        if !text.is_char_boundary(at + length) {
            continue;
        }
        let mut tried = names.clone();
        found(&mut tried, &text[at..at + length]);
        if let Some(end) = match_at(text, at + length, rest, &mut tried) {
            *names = tried;
            return Some(end);
        }
    }
    None
}

/// The first match in a range.
fn find(
    text: &str,
    range: std::ops::Range<usize>,
    pattern: &[Piece],
    names: &mut Names,
) -> Option<(usize, usize)> {
    for at in range.clone() {
        if !text.is_char_boundary(at) {
            continue;
        }
        let mut tried = names.clone();
        if let Some(end) = match_at(text, at, pattern, &mut tried).filter(|end| *end <= range.end) {
            *names = tried;
            return Some((at, end));
        }
    }
    None
}

/// The first directive that a printed text does not meet, with its line in `source`.
pub(crate) fn unmet(source: &str, prefix: &str, printed: &str) -> Option<String> {
    let text = canonical(printed);
    let checks = checks(source, prefix);
    let mut names = Names::new();
    let mut at = 0;
    let mut sections: Vec<(usize, usize)> = Vec::new();
    for (number, check) in checks.iter().enumerate() {
        if check.directive == Directive::Label {
            let Some((start, end)) = find(&text, at..text.len(), &check.pattern, &mut Names::new()) else {
                return Some(format!("line {}: no such label", check.line));
            };
            sections.push((number, start));
            at = end;
        }
    }
    if sections.first().is_none_or(|(number, _)| *number > 0) {
        sections.insert(0, (0, 0));
    }
    for (nth, &(first, start)) in sections.iter().enumerate() {
        let (last, end) = sections
            .get(nth + 1)
            .copied()
            .unwrap_or((checks.len(), text.len()));
        if let Err(line) = section(&text, start..end, &checks[first..last], &mut names) {
            return Some(format!("line {line} is not met in\n{}", &text[start..end]));
        }
    }
    None
}

/// Checks the part of a text from a label to the next one; the line of the first directive that is not met.
fn section(
    text: &str,
    range: std::ops::Range<usize>,
    checks: &[Check],
    names: &mut Names,
) -> Result<(), usize> {
    let mut at = range.start;
    let mut absent: Vec<&Check> = Vec::new();
    let mut unordered: Option<(usize, usize)> = None;
    let is_absent = |absent: &mut Vec<&Check>, from: usize, to: usize, names: &Names| {
        let found = absent
            .drain(..)
            .find(|check| find(text, from..to, &check.pattern, &mut names.clone()).is_some());
        found.map_or(Ok(()), |check| Err(check.line))
    };
    for check in checks {
        let line_end = |at: usize| text[at..].find('\n').map_or(range.end, |length| at + length);
        if check.directive != Directive::Dag
            && let Some((_, end)) = unordered.take()
        {
            at = end;
        }
        let found = match check.directive {
            Directive::Not => {
                absent.push(check);
                continue;
            }
            Directive::Dag => {
                let (start, end) = *unordered.get_or_insert((at, at));
                let found = find(text, start..range.end, &check.pattern, names).ok_or(check.line)?;
                is_absent(&mut absent, start, found.0, names)?;
                unordered = Some((start, end.max(found.1)));
                continue;
            }
            Directive::Same => find(text, at..line_end(at), &check.pattern, names),
            Directive::Next => {
                let next = (line_end(at) + 1).min(range.end);
                find(text, next..line_end(next), &check.pattern, names)
            }
            Directive::Plain | Directive::Label => find(text, at..range.end, &check.pattern, names),
            Directive::Count(count) => {
                let mut found = None;
                let mut from = at;
                for _ in 0..count {
                    found = find(text, from..range.end, &check.pattern, names);
                    from = found.ok_or(check.line)?.1;
                }
                found
            }
        };
        let (start, end) = found.ok_or(check.line)?;
        is_absent(&mut absent, at, start, names)?;
        at = end;
    }
    is_absent(&mut absent, at, range.end, names)
}
