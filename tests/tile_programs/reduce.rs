//! Makes a failing program smaller as long as it fails for the same reason.

use std::time::{Duration, Instant};

use super::case::{Argument, Case};
use super::numbers::Fill;
use super::run::{Failure, How, check};

/// How long a program is reduced.
const PATIENCE: Duration = Duration::from_secs(60);

struct Reducer<'a> {
    best: Case,
    ways: &'a [How],
    failure: &'a Failure,
    until: Instant,
}

/// A smaller program that fails in the same way.
pub(crate) fn reduce(case: &Case, ways: &[How], failure: &Failure) -> Case {
    let mut reducer = Reducer {
        best: case.clone(),
        ways,
        failure,
        until: Instant::now() + PATIENCE,
    };
    // One way to compile it is enough.
    for way in ways {
        if ways.len() > 1 && reducer.still_fails(&reducer.best.clone(), std::slice::from_ref(way)) {
            reducer.ways = std::slice::from_ref(way);
            break;
        }
    }
    loop {
        // All of them, whatever the first ones have achieved.
        let is_smaller = [
            reducer.without_hints(),
            reducer.with_fewer_launches(),
            reducer.with_fewer_regions(),
            reducer.with_constants(),
            reducer.with_fewer_lines(),
            reducer.with_operands_for_results(),
            reducer.with_smaller_numbers(),
        ]
        .contains(&true);
        if !is_smaller || Instant::now() > reducer.until {
            return reducer.best;
        }
    }
}

/// The type of the only result of a line, or of the first of two.
fn result_type(line: &str) -> Option<&str> {
    let at = line.rfind(" -> ").map(|at| at + 4);
    let at = at.or_else(|| line.rfind(" : ").map(|at| at + 3))?;
    let types = line
        .get(at..)?
        .trim_end_matches(['{', ' '])
        .trim_matches(['(', ')']);
    let end = types.find('>')? + 1;
    let ty = types.get(..end)?;
    (ty.starts_with("tile<") && !ty.contains("ptr")).then_some(ty)
}

/// A definition of the result as a constant.
fn constant(line: &str) -> Option<String> {
    let (names, op) = line.split_once(" = ")?;
    if op.starts_with("constant") || op.contains('{') {
        return None;
    }
    let (name, token) = match names.split_once(", ") {
        Some((name, token)) => (name, Some(token)),
        None => (names, None),
    };
    let ty = result_type(line)?;
    let token = token.map_or(String::new(), |token| format!("\n{token} = make_token : token"));
    Some(constant_of(name, ty)? + &token)
}

/// A constant of a tile type.
fn constant_of(name: &str, ty: &str) -> Option<String> {
    let element = ty.trim_end_matches('>').rsplit(['x', '<']).next()?;
    let number = match element {
        "i1" => "true",
        element if element.starts_with('i') => "1",
        _ => "1.0",
    };
    Some(format!("{name} = constant <{element}: {number}> : {ty}"))
}

/// Constants for all results of an op with regions.
fn constants(line: &str) -> Vec<String> {
    let (Some((names, _)), Some(at)) = (line.split_once(" = "), line.rfind(" -> ")) else {
        return Vec::new();
    };
    let types = line[at + 4..]
        .trim_end_matches(['{', ' '])
        .trim_matches(['(', ')']);
    let pairs = names.split(", ").zip(types.split(", "));
    pairs.filter_map(|(name, ty)| constant_of(name, ty)).collect()
}

impl Reducer<'_> {
    fn still_fails(&self, case: &Case, ways: &[How]) -> bool {
        matches!(check(case, ways), Err(failure) if failure.sort() == self.failure.sort())
    }

    /// Keeps a program if it fails.
    fn try_one(&mut self, case: Case) -> bool {
        let is_better = Instant::now() < self.until && self.still_fails(&case, self.ways);
        if is_better {
            self.best = case;
        }
        is_better
    }

    fn try_lines(&mut self, lines: &[String]) -> bool {
        let text = lines.join("\n") + "\n";
        let case = Case {
            text,
            ..self.best.clone()
        };
        self.try_one(case)
    }

    fn lines(&self) -> Vec<String> {
        self.best.text.lines().map(str::to_owned).collect()
    }

    fn without_hints(&mut self) -> bool {
        let mut is_smaller = false;
        for mark in [" optimization_hints = <", " optimization_hints=<"] {
            let mut from = 0;
            while let Some(at) = self.best.text.get(from..).and_then(|rest| rest.find(mark)) {
                let start = from + at;
                let rest = &self.best.text[start..];
                let end = start + rest.find("}>").map_or(rest.len(), |end| end + 2);
                let mut case = self.best.clone();
                case.text.replace_range(start..end, "");
                if self.try_one(case) {
                    is_smaller = true;
                } else {
                    from = end;
                }
            }
        }
        is_smaller
    }

    fn with_fewer_launches(&mut self) -> bool {
        let mut is_smaller = false;
        for at in (0..self.best.launches.len()).rev() {
            let mut case = self.best.clone();
            case.launches.remove(at);
            is_smaller |= self.try_one(case);
        }
        for at in 0..self.best.launches.len() {
            for axis in 0..3 {
                let mut case = self.best.clone();
                if case.launches[at].grid[axis] > 1 {
                    case.launches[at].grid[axis] = 1;
                    is_smaller |= self.try_one(case);
                }
            }
        }
        is_smaller
    }

    /// Removes ops with regions, or puts constants for their results.
    fn with_fewer_regions(&mut self) -> bool {
        let mut is_smaller = false;
        let mut at = 0;
        while at < self.lines().len() {
            let lines = self.lines();
            let line = &lines[at];
            at += 1;
            // The body of a reduction begins on the line after the op.
            let opens = line.ends_with('{') || lines.get(at).is_some_and(|next| next.starts_with("(%e0"));
            if !opens || line.starts_with("entry") || line.starts_with("cuda_tile") || line.starts_with('}') {
                continue;
            }
            let mut depth = 0;
            let end = (at - 1..lines.len()).find(|&end| {
                let line = &lines[end];
                depth -= i32::from(line.starts_with('}'));
                depth += i32::from(line.ends_with('{'));
                depth == 0 && end >= at
            });
            let Some(end) = end else {
                continue;
            };
            let mut replaced = lines[..at - 1].to_vec();
            replaced.extend(constants(line));
            replaced.extend_from_slice(&lines[end + 1..]);
            if self.try_lines(&replaced) {
                is_smaller = true;
                at -= 1;
            }
        }
        is_smaller
    }

    /// Removes runs of lines, long ones first.
    fn with_fewer_lines(&mut self) -> bool {
        let mut is_smaller = false;
        let mut size = self.lines().len() / 2;
        while size > 0 {
            let mut end = self.lines().len();
            while end >= size {
                let mut lines = self.lines();
                lines.drain(end - size..end);
                if self.try_lines(&lines) {
                    is_smaller = true;
                    end = end.min(lines.len());
                } else {
                    end -= size.div_ceil(2);
                }
            }
            size /= 2;
        }
        is_smaller
    }

    /// Replaces definitions by constants, the last ones first.
    fn with_constants(&mut self) -> bool {
        let mut is_smaller = false;
        for at in (0..self.lines().len()).rev() {
            let mut lines = self.lines();
            if let Some(replaced) = lines.get(at).and_then(|line| constant(line)) {
                lines[at] = replaced;
                is_smaller |= self.try_lines(&lines);
            }
        }
        is_smaller
    }

    /// Uses an operand instead of the result of an op.
    fn with_operands_for_results(&mut self) -> bool {
        let mut is_smaller = false;
        for at in (0..self.lines().len()).rev() {
            let lines = self.lines();
            let Some((name, op)) = lines.get(at).and_then(|line| line.split_once(" = ")) else {
                continue;
            };
            let operands: Vec<String> = words(op)
                .filter(|word| word.starts_with('%'))
                .map(str::to_owned)
                .collect();
            for operand in operands {
                let replaced: Vec<String> = lines
                    .iter()
                    .enumerate()
                    .filter(|&(other, _)| other != at)
                    .map(|(_, line)| replace_word(line, name, &operand))
                    .collect();
                if self.try_lines(&replaced) {
                    is_smaller = true;
                    break;
                }
            }
        }
        is_smaller
    }

    /// Halves extents of tiles and makes constants, arguments and arrays simpler.
    fn with_smaller_numbers(&mut self) -> bool {
        let mut is_smaller = false;
        for power in (1..=12).rev() {
            let extent = (1 << power).to_string();
            let half = (1 << (power - 1)).to_string();
            let text = replace_number(&self.best.text, &extent, &half);
            if text != self.best.text {
                let case = Case {
                    text,
                    ..self.best.clone()
                };
                is_smaller |= self.try_one(case);
            }
        }
        for at in 0..self.lines().len() {
            let mut lines = self.lines();
            let Some((before, rest)) = lines[at]
                .split_once(": ")
                .filter(|(before, _)| before.contains("constant <i"))
            else {
                continue;
            };
            let Some((number, after)) = rest.split_once('>') else {
                continue;
            };
            let Ok(number) = number.parse::<i64>() else {
                continue;
            };
            let smaller = [0, 1, number / 2]
                .into_iter()
                .filter(|less| less.unsigned_abs() < number.unsigned_abs());
            let tried: Vec<String> = smaller.map(|less| format!("{before}: {less}>{after}")).collect();
            for line in tried {
                lines[at] = line;
                if self.try_lines(&lines) {
                    is_smaller = true;
                    break;
                }
            }
        }
        for at in 0..self.best.arguments.len() {
            let mut case = self.best.clone();
            let is_changed = match &mut case.arguments[at] {
                Argument::Number { value, .. } => {
                    let old = *value;
                    *value /= 2;
                    *value != old
                }
                Argument::Array(array) => {
                    let is_changed = array.fill != Fill::Zero;
                    array.fill = Fill::Zero;
                    is_changed
                }
            };
            if is_changed {
                is_smaller |= self.try_one(case);
            }
            let mut case = self.best.clone();
            // An argument that no line uses.
            let name = format!("%p{at}");
            if case.arguments.len() > 1 && !words_of_bodies(&case.text).any(|word| word == name) {
                case.arguments.remove(at);
                case.text = without_argument(&case.text, at);
                if self.try_one(case) {
                    return true;
                }
            }
        }
        is_smaller
    }
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '%'
}

/// The names and numbers of a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c| !is_part_of_word(c))
        .filter(|word| !word.is_empty())
}

/// The names in the lines of all entries, except for their parameters.
fn words_of_bodies(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.starts_with("entry"))
        .flat_map(words)
}

fn replace_word(line: &str, word: &str, by: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(word) {
        let end = at + word.len();
        let is_whole = !rest[end..].starts_with(is_part_of_word) && !rest[..at].ends_with(is_part_of_word);
        out += &rest[..at];
        out += if is_whole { by } else { word };
        rest = &rest[end..];
    }
    out + rest
}

/// Replaces a number wherever it is one by itself or an extent in a list of extents.
fn replace_number(text: &str, number: &str, by: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(number) {
        let end = at + number.len();
        let before = rest[..at].chars().next_back().unwrap_or(' ');
        let after = rest[end..].chars().next().unwrap_or(' ');
        let is_whole = matches!(before, '<' | '(' | 'x' | '[' | ',' | ' ')
            && matches!(after, 'x' | ')' | ']' | ',' | '>');
        out += &rest[..at];
        out += if is_whole { by } else { number };
        rest = &rest[end..];
    }
    out + rest
}

/// The text without the parameter at a position, and with those behind it renamed.
fn without_argument(text: &str, at: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        if line.starts_with("entry") {
            let name = format!("%p{at}: ");
            if let Some(start) = line.find(&name) {
                let end = line[start..].find(", %p").map(|end| start + end + 2);
                match end {
                    Some(end) => line.replace_range(start..end, ""),
                    None => {
                        let end = line[start..].find(')').map_or(line.len(), |end| start + end);
                        let start = line[..start].rfind(", ").unwrap_or(start);
                        line.replace_range(start..end, "");
                    }
                }
            }
        }
        for later in at + 1..200 {
            let name = format!("%p{later}");
            if line.contains(&name) {
                line = replace_word(&line, &name, &format!("%p{}", later - 1));
            }
        }
        out += &line;
        out.push('\n');
    }
    out
}
