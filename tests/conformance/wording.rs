//! Compares two diagnostics by content rather than wording.
//!
//! The *subjects* of the expected message must occur in ours: each name in quotes, each name with an underscore or a
//! sign (`%`, `@`), each type, each number, one of the names in a list in braces, and each subject of
//! `tests/data/conformance/words.txt`, in any of its listed synonyms. Severity and line are compared separately. A
//! message without a subject matches nothing.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

/// A subject, by the line of its list.
type Subject = usize;

/// The words for each subject.
#[derive(Debug, Default)]
struct Words {
    expected: HashMap<&'static str, Vec<Subject>>,
    ours: HashMap<&'static str, Vec<Subject>>,
    /// Subjects that are compared only if there are no others.
    weak: HashSet<Subject>,
}

fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words = Words::default();
        let lines = include_str!("../data/conformance/words.txt").lines().enumerate();
        for (line, text) in lines.filter(|(_, text)| !text.starts_with('#')) {
            if text.starts_with('~') {
                words.weak.insert(line);
            }
            let text = text.trim_start_matches('~');
            let (both, ours) = text.split_once('<').unwrap_or((text, ""));
            for word in both.split_whitespace() {
                words.expected.entry(word).or_default().push(line);
                words.ours.entry(word).or_default().push(line);
            }
            for word in ours.split_whitespace() {
                words.ours.entry(word).or_default().push(line);
            }
        }
        words
    })
}

/// An item that a message is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Topic {
    /// A number, a name, or a type, which has to occur literally.
    Literal(String),
    /// A subject and the word used for it.
    Subject(Subject, String),
    /// Any of these.
    OneOf(Vec<String>),
}

/// Normalizes conventions: the dialect's prefix, blanks in types, names in camel case.
fn plain(text: &str) -> String {
    let text = text.replace("!cuda_tile.", "").replace("cuda_tile.", "");
    let text = text.replace("Float8", "f8").replace("Float4", "f4");
    let mut out = String::with_capacity(text.len());
    let mut lower = 0;
    for c in text.chars() {
        // Applies to `paddingValue`, but not to `f8E4M3FN`.
        if c.is_ascii_uppercase() && lower > 1 {
            out.push('_');
        }
        lower = if c.is_ascii_lowercase() { lower + 1 } else { 0 };
        out.push(c.to_ascii_lowercase());
    }
    out.replace(", ", ",").replace("= ", "=").replace(" =", "=")
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '%' || c == '@' || c == '#' || c == '?' || c == '-'
}

/// Splits a text into words; a negative number keeps its sign.
fn pieces(text: &str) -> Vec<String> {
    let mut list = Vec::new();
    for word in text.split(|c| !is_word(c)) {
        let word = word
            .trim_matches(|c| matches!(c, '#' | '?'))
            .trim_end_matches('-');
        let digits = word.trim_start_matches('-');
        let number = digits.starts_with(|c: char| c.is_ascii_digit()) && word.len() == digits.len() + 1;
        let word = if number { word } else { digits };
        if !word.is_empty() {
            list.push(word.to_owned());
        }
    }
    list
}

/// The words of a text, including the parts of compounds: `rounding_mode`, `2x4xf16`.
fn said_words(text: &str) -> HashSet<String> {
    let mut said = HashSet::new();
    for word in pieces(text) {
        let parts = word.split(['_', '-', '@', '%']).map(str::to_owned);
        let extents = word
            .starts_with(|c: char| c.is_ascii_digit())
            .then(|| word.split('x'));
        said.extend(extents.into_iter().flatten().map(str::to_owned));
        said.extend(parts);
        said.insert(word);
    }
    said
}

/// The quoted parts of a text, and the rest of it.
fn quoted(text: &str) -> (Vec<String>, String) {
    let mut names = Vec::new();
    let mut rest = String::new();
    let mut chars = text.char_indices();
    while let Some((i, c)) = chars.next() {
        // An apostrophe within a word is not a quote.
        let opens = matches!(c, '\'' | '`' | '"') && !rest.ends_with(|c: char| c.is_ascii_alphanumeric());
        let after = text.get(i + c.len_utf8()..).unwrap_or_default();
        match (opens, after.find(c)) {
            (true, Some(len)) => {
                names.push(after.get(..len).unwrap_or_default().to_owned());
                rest.push(' ');
                for _ in after.get(..=len).unwrap_or_default().chars() {
                    chars.next();
                }
            }
            _ => rest.push(c),
        }
    }
    (names, rest)
}

/// The items that a message is about.
pub(crate) fn topics(message: &str) -> BTreeSet<Topic> {
    let mut topics = BTreeSet::new();
    let message = plain(message);
    // The alternatives depend on the version: one of those listed suffices.
    let (before, after) = alternatives(&message);
    let (listed, _) = quoted(after.0);
    let listed: Vec<_> = listed.into_iter().chain(pieces(after.0)).collect();
    if !listed.is_empty() {
        topics.insert(Topic::OneOf(listed));
    }
    let (names, mut rest) = quoted(&format!("{before} {}", after.1));
    // The value found is a word of the input.
    if let Some((_, found)) = rest.clone().split_once("got: ") {
        let found = found.trim().trim_end_matches('.');
        if found.chars().all(is_word) && !found.is_empty() && found != "and" {
            topics.insert(Topic::Literal(found.to_owned()));
        }
    }
    for name in names.into_iter().filter(|name| !name.contains("null type")) {
        match words().expected.get(name.as_str()) {
            Some(subjects) => topics.extend(
                subjects
                    .iter()
                    .map(|&subject| Topic::Subject(subject, name.clone())),
            ),
            None => {
                topics.insert(Topic::Literal(name));
            }
        }
    }
    // `all of {lhs, rhs}`: one that differs may be named alone. `[0, 2)`: only the upper bound matters.
    for (open, close) in [('{', '}'), ('[', ')')] {
        if let Some(start) = rest.find(open)
            && let Some(len) = rest.get(start..).and_then(|rest| rest.find(close))
        {
            let list = rest.get(start + 1..start + len).unwrap_or_default().to_owned();
            rest.replace_range(start..=start + len, " ");
            let mut list = list.split(',').map(str::trim).filter(|word| !word.is_empty());
            let list: Vec<_> = match open {
                '{' => list.map(str::to_owned).collect(),
                _ => half_open(list.next_back().unwrap_or_default()),
            };
            if !list.is_empty() {
                topics.insert(Topic::OneOf(list));
            }
        }
    }
    for word in pieces(&rest) {
        let literal = word.contains(['_', '%', '@']) || word.parse::<i128>().is_ok();
        match words().expected.get(word.as_str()) {
            Some(subjects) => {
                topics.extend(
                    subjects
                        .iter()
                        .map(|&subject| Topic::Subject(subject, word.clone())),
                );
            }
            None if literal || is_type(&word) => {
                topics.insert(Topic::Literal(word));
            }
            None => {}
        }
    }
    let strong =
        |topic: &Topic| !matches!(topic, Topic::Subject(subject, _) if words().weak.contains(subject));
    if topics.iter().any(strong) {
        topics.retain(strong);
    }
    topics
}

/// Splits a text at a list of alternatives: the text before it, the list, the text after it.
fn alternatives(message: &str) -> (&str, (&str, &str)) {
    let Some((before, rest)) = message.split_once("one of") else {
        return (message, ("", ""));
    };
    let end = [",but got", ",got", "but got", " got"]
        .into_iter()
        .filter_map(|word| rest.find(word))
        .min();
    (before, rest.split_at(end.unwrap_or(rest.len())))
}

/// An exclusive upper bound may be given as the largest number below it.
fn half_open(bound: &str) -> Vec<String> {
    let below = bound.parse::<i64>().ok().and_then(|bound| bound.checked_sub(1));
    let below = below.map(|below| below.to_string());
    std::iter::once(bound.to_owned()).chain(below).collect()
}

/// Whether a word is a list of extents with a type: `2x4xf32`.
fn is_type(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('x')
}

/// The items of the expected message that are missing from ours.
pub(crate) fn missing(expected: &str, ours: &str) -> Vec<String> {
    let ours = plain(ours);
    let said = said_words(&ours);
    let subjects: HashSet<Subject> = said
        .iter()
        .filter_map(|word| words().ours.get(word.as_str()))
        .flatten()
        .copied()
        .collect();
    let literal = |text: &str| {
        if !text.contains(|c: char| c.is_ascii_alphanumeric()) {
            ours.contains(text)
        } else if text.chars().all(is_word) {
            said.contains(text) || text.split('_').all(|part| said.contains(part))
        } else {
            ours.contains(text) || pieces(text).iter().all(|part| said.contains(part))
        }
    };
    let topics = topics(expected);
    if topics.is_empty() {
        return vec!["(the message is about nothing that is compared)".to_owned()];
    }
    topics
        .into_iter()
        .filter(|topic| match topic {
            Topic::Literal(text) => !literal(text),
            Topic::Subject(subject, _) => !subjects.contains(subject),
            Topic::OneOf(list) => !list.iter().any(|text| literal(text)),
        })
        .map(|topic| match topic {
            Topic::Literal(text) | Topic::Subject(_, text) => text,
            Topic::OneOf(list) => list.join(" or "),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_types_are_demanded() {
        let expected = "expected operand 'a' to have rank 3, but got '!cuda_tile.tile<4xf32>'";
        assert!(missing(expected, "operand `a` has 1 dimension, not 3: `tile<4xf32>`").is_empty());
        assert_eq!(
            missing(expected, "operand `a` has the rank 1: `tile<4xf32>`"),
            ["3"]
        );
        assert_eq!(
            missing(expected, "operand `b` has the rank 3: `tile<4xf32>`"),
            ["a"]
        );
        let other = missing(expected, "operand `a` has the rank 3: `tile<8xf32>`");
        assert_eq!(other, ["tile<4xf32>"]);
    }

    #[test]
    fn the_subject_is_demanded() {
        assert_eq!(missing("invalid rounding mode", "this is wrong"), ["rounding"]);
        assert!(missing("invalid rounding mode", "attribute `rounding_mode` is wrong").is_empty());
        assert!(!missing("this is wrong", "this is wrong").is_empty());
    }

    #[test]
    fn lists_and_intervals_are_said_in_part() {
        let expected = "failed to verify that all of {lhs, rhs} have same shape";
        assert!(missing(expected, "operand `rhs` has another shape").is_empty());
        assert!(!missing(expected, "operand `acc` has another shape").is_empty());
        assert!(missing("index 7 is out of [0, 2)", "entry 7, expected 0 or 1").is_empty());
        assert!(!missing("index 7 is out of [0, 2)", "entry 7, expected 5").is_empty());
    }
}
