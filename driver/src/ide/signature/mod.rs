//! How the op before the cursor is written, and the part of it that is being typed.

mod form;
mod progress;
mod words;

use std::ops::Range;

use super::ops::{Op, op};
use super::tokens::{Kind, Token, words};
use crate::database::Compiler;
use crate::inputs::Source;
use crate::reading;
use form::Form;

/// The lines before the cursor in which the op of a statement is looked for.
const MOST_LINES: usize = 32;

/// How an op is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The op.
    pub op: &'static Op,
    /// Its text, in which names stand for what is to be written, and brackets around what may be left out.
    pub form: String,
    /// The parts of the form: where each lies in it, and what it is.
    pub parts: Vec<(Range<usize>, String)>,
    /// The number of the part that is being typed.
    pub active: Option<usize>,
}

/// How the op of the statement at an offset is written.
pub fn signature(db: &Compiler, source: Source, offset: usize) -> Option<Signature> {
    let text = std::str::from_utf8(source.bytes(db)).ok()?;
    let language = reading::language(db, source)?;
    let before = text.get(..offset)?;
    let named = |words: &[Token], line: &str, at: usize| {
        let word = |at: usize| words.get(at).and_then(|word| line.get(word.at.clone()));
        // At the head of a statement, or after the names of its results.
        let begins = match at.checked_sub(1) {
            None => true,
            Some(before) => {
                let results = before.checked_sub(1).and_then(|at| words.get(at));
                let is_value = |word: &Token| matches!(word.kind, Kind::Value | Kind::Number);
                word(before) == Some("=") && results.is_some_and(is_value)
            }
        };
        op(language, word(at)?).filter(|_| begins)
    };
    let mut end = before.len();
    for _ in 0..MOST_LINES {
        let start = before.get(..end)?.rfind('\n').map_or(0, |at| at + 1);
        let line = before.get(start..end)?;
        let words: Vec<_> = words(line).collect();
        let last = words.last().map(|word| word.kind);
        if end == before.len() && last == Some(Kind::Comment) {
            return None;
        }
        let found = (0..words.len())
            .rev()
            .find_map(|at| Some((named(&words, line, at)?, at)));
        if let Some((op, at)) = found {
            let form = Form::of(language, op.name)?;
            let typed = before.get(start + words.get(at)?.at.end..)?;
            return Some(Signature {
                op,
                active: progress::active(&form, typed),
                form: form.text,
                parts: form.parts,
            });
        }
        // The statement does not begin before a brace.
        if end < before.len() && line.trim_end().ends_with(['{', '}']) {
            return None;
        }
        end = start.checked_sub(1)?;
    }
    None
}
