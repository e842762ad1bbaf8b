//! Single slips: a token of a text that is deleted, doubled or misspelt is at most two errors, the first of which is on its line.
//!
//! Two kinds of slips cannot be told on their line:
//! - A name that is misspelt so that it is another name: each line is right by itself, and the names do not fit together. Then each
//!   error is at the old name or the new one.
//! - A number that is misspelt so that it is another number: what it does not fit to may be in another line. There are at most two
//!   errors all the same, unless other lines repeat the type or the layout that the number is in.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rustc_hash::FxHasher;
use tilewright::ide::problems;
use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::{Diagnostic, FileId, Location, Span};
use tilewright_grammar::ptx;
use tilewright_tests::corpus;

/// The slips of a run, of nearly half a million; `TILEWRIGHT_SLIPS` sets another number, or `all`.
const SLIPS: usize = 1000;

fn wanted() -> usize {
    match std::env::var("TILEWRIGHT_SLIPS").as_deref() {
        Ok("all") => usize::MAX,
        Ok(count) => count.parse().expect("a number"),
        Err(_) => SLIPS,
    }
}

/// A text without mistakes.
struct Text {
    name: String,
    language: Language,
    text: String,
    tokens: Vec<Range<usize>>,
    /// The tokens that are names.
    names: HashSet<Range<usize>>,
}

impl Text {
    /// The draw for a slip. It depends on the line and on nothing else, so that the slips of other lines stay as they are where one
    /// changes.
    fn draw(&self, token: &Range<usize>, kind: Kind) -> ChaCha8Rng {
        let start = self.text[..token.start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let mut hasher = FxHasher::default();
        (&self.name, self.language, line, token.start - start, kind).hash(&mut hasher);
        ChaCha8Rng::seed_from_u64(hasher.finish())
    }

    /// The text in the innermost angle brackets around a token, with the brackets.
    fn in_angles(&self, token: &Range<usize>) -> Option<&str> {
        let at = self.tokens.partition_point(|other| other.start < token.start);
        let (before, after) = self.tokens.split_at(at);
        let start = self.unmatched(before.iter().rev(), "<", ">")?;
        let end = self.unmatched(after.iter(), ">", "<")?;
        self.text.get(start.start..end.end)
    }

    /// The first token `wanted` that none of the tokens `other` before it belongs to.
    fn unmatched<'t>(
        &self,
        mut tokens: impl Iterator<Item = &'t Range<usize>>,
        wanted: &str,
        other: &str,
    ) -> Option<&'t Range<usize>> {
        let mut depth = 0;
        tokens.find(|token| {
            let token = &self.text[(*token).clone()];
            let found = token == wanted && depth == 0;
            depth += usize::from(token == other);
            depth -= usize::from(token == wanted && !found);
            found
        })
    }
}

/// The kernels of the examples in three languages.
fn texts() -> Vec<Text> {
    let examples = corpus()
        .into_iter()
        .filter(|(path, _)| path.to_string_lossy().ends_with(".13.5.tileirbc"));
    let examples: Vec<_> = examples.collect();
    let texts = examples.par_iter().flat_map_iter(|(path, bytes)| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        [Language::CudaTile, Language::TileAs, Language::Ptx].map(|language| {
            let mut compiler = Compiler::once();
            let source = compiler.add_source("t", bytes.clone());
            let options = compiler.options(Request::default());
            let (made, said) = joins::compile(&compiler, source, options, language);
            let text = made.unwrap_or_else(|| panic!("{name}: {said:#?}")).to_string();
            let tokens = tokens(language, &text);
            let names = names(language, &text, &tokens);
            Text {
                name: name.clone(),
                language,
                text,
                tokens,
                names,
            }
        })
    });
    texts.collect()
}

/// The tokens that are names: those of values, symbols, aliases and blocks by their sigils, and those of PTX by its reader.
fn names(language: Language, text: &str, tokens: &[Range<usize>]) -> HashSet<Range<usize>> {
    match language {
        Language::Ptx => {
            let names = ptx::parse(FileId(0), text).names;
            let declared = names.declared().map(|(_, declared)| declared.at);
            let used = names.uses().iter().map(|used| used.at);
            let bytes = |at: Span| at.start as usize..at.end as usize;
            declared.chain(used).map(bytes).collect()
        }
        _ => {
            let is_name = |token: &&Range<usize>| text[token.start..].starts_with(['%', '@', '#', '!', '^']);
            tokens.iter().filter(is_name).cloned().collect()
        }
    }
}

/// The tokens of a text: words with their sigils, numbers, strings, and punctuation.
fn tokens(language: Language, text: &str) -> Vec<Range<usize>> {
    let is_word = |byte: u8| match language {
        Language::Ptx => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'),
        _ => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.'),
    };
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let word = |from: usize| from + rest[from..].iter().take_while(|byte| is_word(**byte)).count();
        let length = match byte {
            b' ' | b'\n' => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().take_while(|byte| **byte != b'\n').count();
                continue;
            }
            b'"' => rest[1..].iter().take_while(|byte| **byte != b'"').count() + 2,
            b'-' if rest.starts_with(b"->") => 2,
            b'%' | b'@' | b'#' | b'!' | b'^' | b'.' | b'-' => word(1),
            byte if is_word(byte) => word(0),
            _ => 1,
        };
        tokens.push(at..at + length);
        at += length;
    }
    tokens
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Deleted,
    Doubled,
    Misspelt,
}

const KINDS: [Kind; 3] = [Kind::Deleted, Kind::Doubled, Kind::Misspelt];

/// What a token becomes by a slip; `None` if it stays what it is.
fn slipped(token: &str, kind: Kind, random: &mut ChaCha8Rng) -> Option<String> {
    match kind {
        Kind::Deleted => Some(String::new()),
        Kind::Doubled => Some(format!("{token} {token}")),
        Kind::Misspelt => misspelt(token, random),
    }
}

/// A word with two letters in the wrong order, or one too many, and punctuation by the key beside it.
fn misspelt(token: &str, random: &mut ChaCha8Rng) -> Option<String> {
    let other = match token {
        "(" | "<" | "{" => "[",
        ")" | ">" | "}" => "]",
        "[" => "(",
        "]" => ")",
        "," => ".",
        ":" => ";",
        ";" => ":",
        "=" => "-",
        "->" => ">-",
        "|" => "\\",
        _ => "",
    };
    if !other.is_empty() {
        return Some(other.to_owned());
    }
    if token.starts_with('"') {
        return None;
    }
    let letters: Vec<char> = token.chars().collect();
    let first = usize::from(!letters[0].is_alphanumeric());
    let places: Vec<usize> = (first..letters.len().saturating_sub(1))
        .filter(|&at| letters[at] != letters[at + 1])
        .collect();
    let mut letters = letters.clone();
    match places.is_empty() {
        true => letters.push(*letters.last()?),
        false => {
            let at = places[random.random_range(0..places.len())];
            letters.swap(at, at + 1);
        }
    }
    Some(letters.into_iter().collect())
}

/// A slip in a text.
struct Slip<'t> {
    text: &'t Text,
    token: Range<usize>,
    kind: Kind,
    /// The text with it.
    wrong: String,
    /// The bytes that the token has in it.
    slipped: usize,
}

impl Slip<'_> {
    fn errors(&self) -> Vec<Diagnostic<Location>> {
        let mut compiler = Compiler::once();
        let source = compiler.add_source("t", self.wrong.clone());
        compiler.name_language(source, Some(self.text.language));
        let mut said = problems::front_end(&compiler, source);
        said.retain(Diagnostic::is_error);
        said
    }

    /// The line of a byte of the text, from 0.
    fn line(&self, at: usize) -> usize {
        self.wrong[..at].matches('\n').count()
    }

    /// The lines of an error: that of the error itself first.
    fn lines(&self, error: &Diagnostic<Location>) -> Vec<usize> {
        let lines = error.locations().map(|location| match location {
            Location::Span(span) => self.line(span.start as usize),
            _ => usize::MAX,
        });
        lines.collect()
    }

    /// The lines on which an error about it may be: its own, and if nothing is left there, that of the token before, and where the
    /// op begins that this token ends.
    fn own_lines(&self) -> Vec<usize> {
        let own = self.line(self.token.start);
        let is_left = self
            .wrong
            .lines()
            .nth(own)
            .is_some_and(|line| !line.trim().is_empty());
        let before = self.wrong[..self.token.start].trim_end().len();
        match is_left {
            true => vec![own],
            false => {
                let mut lines = vec![own, self.line(before)];
                let mut end = before;
                while let Some(begin) = self.begin_of_region(end) {
                    lines.push(self.line(begin));
                    let line = self.wrong[..begin].rfind('\n').map_or(0, |at| at + 1);
                    let indent = self.wrong[line..].len() - self.wrong[line..].trim_start().len();
                    // Another region of the same op ends where this one begins.
                    let closes = self.wrong[line + indent..].starts_with('}');
                    end = if closes { line + indent + 1 } else { 0 };
                }
                lines
            }
        }
    }

    /// The brace that the one before this byte closes.
    fn begin_of_region(&self, end: usize) -> Option<usize> {
        let text = self.wrong[..end].strip_suffix('}')?;
        let mut open = 1;
        let braces = text.char_indices().rev().filter(|(_, c)| matches!(c, '{' | '}'));
        for (at, c) in braces {
            open = if c == '{' { open - 1 } else { open + 1 };
            if open == 0 {
                return Some(at);
            }
        }
        None
    }

    /// The token, as it was.
    fn old(&self) -> &str {
        &self.text.text[self.token.clone()]
    }

    /// Whether it makes another name of a name. Then each line is right by itself, and only the names do not fit together.
    fn renames(&self) -> bool {
        self.kind == Kind::Misspelt && self.text.names.contains(&self.token)
    }

    /// Whether an error is at a name, as it was or as it is.
    fn is_at_name(&self, error: &Diagnostic<Location>) -> bool {
        let names = [self.old(), &self.wrong[self.token.start..][..self.slipped]];
        error.locations().any(|location| match location {
            Location::Span(span) => {
                let found = &self.wrong[span.start as usize..span.end as usize];
                names.iter().any(|name| found.starts_with(name))
            }
            _ => false,
        })
    }

    /// Whether it makes another number of a number.
    fn renumbers(&self) -> bool {
        self.kind == Kind::Misspelt && self.old().starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether it is in the definition of an alias, or in a type or a layout in angle brackets, that other lines have, too.
    fn is_repeated(&self) -> bool {
        let text = &self.text.text;
        let line = text.lines().nth(self.line(self.token.start)).unwrap_or_default();
        let defined = line.split(' ').next().filter(|word| word.starts_with(['#', '!']));
        let Some(repeated) = defined.or_else(|| self.text.in_angles(&self.token)) else {
            return false;
        };
        text.lines().filter(|line| line.contains(repeated)).count() > 1
    }

    /// What is wrong with what is said of it.
    fn failure(&self, errors: &[Diagnostic<Location>]) -> Option<&'static str> {
        let first = errors.first()?;
        if self.renumbers() && self.is_repeated() {
            return None;
        }
        if errors.len() > 2 {
            return Some("many");
        }
        let own = self.own_lines();
        let told = self.renumbers()
            || self.lines(first).iter().any(|line| own.contains(line))
            || self.renames() && errors.iter().all(|error| self.is_at_name(error));
        (!told).then_some("astray")
    }

    fn show(&self, errors: &[Diagnostic<Location>]) -> String {
        let line = self.line(self.token.start);
        let mut shown = format!(
            "{} {} {:?} `{}` {}: {}\n",
            self.text.name,
            self.text.language,
            self.kind,
            &self.text.text[self.token.clone()],
            line + 1,
            self.wrong.lines().nth(line).unwrap_or_default()
        );
        for error in errors.iter().take(4) {
            let lines: Vec<_> = self
                .lines(error)
                .iter()
                .map(|line| line.wrapping_add(1))
                .collect();
            shown += &format!("    {lines:?} {} {}\n", error.code, error.message);
        }
        if errors.len() > 4 {
            shown += &format!("    and {} more\n", errors.len() - 4);
        }
        shown
    }
}

#[test]
fn one_slip_is_at_most_two_errors_the_first_on_its_line() {
    let texts = texts();
    let mut slips = Vec::new();
    let all: usize = texts.iter().map(|text| 3 * text.tokens.len()).sum();
    let share = wanted() as f64 / all as f64;
    for text in &texts {
        for token in &text.tokens {
            for kind in KINDS {
                let mut random = text.draw(token, kind);
                if share < 1.0 && !random.random_bool(share) {
                    continue;
                }
                let Some(slipped) = slipped(&text.text[token.clone()], kind, &mut random) else {
                    continue;
                };
                let mut wrong = text.text.clone();
                wrong.replace_range(token.clone(), &slipped);
                slips.push(Slip {
                    text,
                    token: token.clone(),
                    kind,
                    wrong,
                    slipped: slipped.len(),
                });
            }
        }
    }
    let results: Vec<_> = slips.par_iter().map(|slip| (slip, slip.errors())).collect();
    let mut failed = String::new();
    for (slip, errors) in &results {
        if let Some(why) = slip.failure(errors) {
            failed += &format!("{why}: {}\n", slip.show(errors));
        }
    }
    let count = results.len();
    assert!(failed.is_empty(), "of {count} slips:\n{failed}");
}
