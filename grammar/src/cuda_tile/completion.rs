//! What may be written at the end of a text, for an editor: the parser reads the text, and records what it looks for there.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashSet;
use tilewright_diagnostics::FileId;
use tilewright_irs::core::ResultCount;
use tilewright_irs::cuda_tile::{Constraint, TileFieldSpec, TileOp, TileOpSpec, TileType};

use super::alternatives::Alternative;
use super::lexer::Token;
use super::{MODULE_ITEMS, TextOptions, parse_recording};
use crate::cut::cut;
use crate::statements::{Lexed, Marks};

/// What may be written at the end of a text.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Keywords, types, and cases of enumerations.
    pub words: Vec<ExpectedWord>,
    /// The values in scope, if a value may be written; those of the expected type come first, and of these the last one that was
    /// defined.
    pub values: Vec<ExpectedValue>,
    /// The ops that may stand there, if a statement may begin.
    pub ops: Vec<&'static TileOpSpec>,
}

/// A word that may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedWord {
    /// The word.
    pub text: &'static str,
    /// What it is.
    pub kind: WordKind,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// A keyword.
    Keyword,
    /// A case of an enumeration, or another word of a closed set.
    Case,
    /// The beginning of a type, or an element type.
    Type,
}

/// A value that may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedValue {
    /// Its name, without the sigil.
    pub name: String,
    /// Its type, if it is known.
    pub ty: Option<TileType>,
    /// Whether it has the type that is expected.
    pub fits: bool,
}

/// What may be written at the end of a text. A word that is being typed is not part of the text.
pub fn expected_after(text: &str) -> Expected {
    let line = text.rsplit('\n').next().unwrap_or_default();
    let new_line = line.trim().is_empty();
    let recorder = Recorder::default();
    let cut = cut("cuda_tile", text);
    // Only the function at the end matters.
    let alone = cut.as_ref().and_then(|cut| {
        let (number, last) = cut.functions.iter().enumerate().next_back()?;
        let function = text.get(last.at.clone())?;
        (last.at.end == text.trim_end().len()).then(|| cut.frame.alone(function, number))
    });
    let read = alone.as_ref().map_or(text, |alone| &alone.text);
    parse_recording(read, FileId(0), TextOptions::default(), Some(&recorder));
    recorder.expected(new_line)
}

/// An op around a place, and the types of the values that its regions hand on.
#[derive(Debug)]
pub(crate) struct Around {
    pub(crate) op: &'static str,
    pub(crate) hands_on: Vec<TileType>,
}

/// Records what the parser looks for at the end of a text.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// The end of the last token.
    end: Cell<usize>,
    /// What the last token leaves to write.
    open: Cell<Open>,
    noted: RefCell<Noted>,
}

/// What the last token of a text leaves to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Open {
    /// The rest of a statement, or the next one.
    #[default]
    Statement,
    /// A statement, at the beginning of a region or of the text.
    Region,
    /// The name of an op, after the results and `=`.
    Op,
    /// Nothing that the parser knows of: the name of a result, or what follows it.
    Results,
}

#[derive(Debug, Default)]
struct Noted {
    /// What the statement at the end may continue with; `None` if no statement was read to the end.
    tried: Option<Vec<Alternative>>,
    /// Whether that statement may end there.
    complete: bool,
    values: Option<Vec<ExpectedValue>>,
    /// The ops around the end, the outermost first; `None` outside of functions.
    around: Option<Vec<&'static str>>,
}

impl Recorder {
    /// Records where the tokens end, and with what.
    pub(super) fn begin(&self, lexed: &Lexed<Token<'_>>) {
        let inserted = |token: Token<'_>| token == Token::END || token == Token::REGION_MISSING;
        let mut tokens = lexed
            .tokens
            .iter()
            .rev()
            .skip_while(|(_, token, _)| inserted(*token));
        let Some(&(_, last, end)) = tokens.clone().next() else {
            self.open.set(Open::Region);
            return;
        };
        self.end.set(end);
        let statement = |token: &Token<'_>| *token != Token::END && !token.is_region();
        let headed = tokens
            .by_ref()
            .map(|(_, token, _)| token)
            .take_while(|token| statement(token))
            .any(|token| matches!(token, Token::OpWord(_) | Token::Alias(_)));
        self.open.set(match last {
            Token::RegionOpen => Open::Region,
            Token::RegionClose => Open::Statement,
            Token::Equals if !headed => Open::Op,
            _ if !headed => Open::Results,
            _ => Open::Statement,
        });
    }

    /// Whether `at` is the end, and no statement that was read up to there has been recorded.
    pub(crate) fn is_at(&self, at: usize) -> bool {
        self.end.get() == at && self.noted.borrow().tried.is_none()
    }

    /// Records what a statement may continue with at the end, and whether it may end there.
    pub(crate) fn statement(&self, tried: &[Alternative], complete: bool) {
        let mut noted = self.noted.borrow_mut();
        noted.tried = Some(tried.to_vec());
        noted.complete = complete;
    }

    /// The alternatives of the last statement, if the values in scope have not been recorded with them.
    pub(crate) fn wants_values(&self) -> Option<Vec<Alternative>> {
        let noted = self.noted.borrow();
        noted.values.is_none().then(|| noted.tried.clone()).flatten()
    }

    /// Records the values in scope.
    pub(crate) fn values(&self, values: Vec<ExpectedValue>) {
        self.noted.borrow_mut().values = Some(values);
    }

    /// Records the ops around a region whose end, at these bytes, was inserted.
    pub(crate) fn region(&self, (start, end): (usize, usize), around: &[Around]) {
        let mut noted = self.noted.borrow_mut();
        if start == end && end == self.end.get() && noted.around.is_none() {
            noted.around = Some(around.iter().map(|around| around.op).collect());
        }
    }

    /// What may be written; `new_line` tells that it would be on a line of its own.
    fn expected(self, new_line: bool) -> Expected {
        let Noted {
            tried,
            complete,
            values,
            around,
        } = self.noted.into_inner();
        let open = self.open.get();
        let begins = match open {
            Open::Region | Open::Op => true,
            Open::Statement => new_line,
            Open::Results => false,
        };
        let mut expected = Expected::default();
        if begins {
            match &around {
                Some(around) => {
                    let ops = TileOp::tile_specs().filter(|spec| !spec.is_preview());
                    let ends = open == Open::Op;
                    expected.ops = ops
                        .filter(|spec| may_stand(spec.name, around) && !(ends && has_no_results(spec)))
                        .collect();
                }
                None if open != Open::Op => expected.words = keywords(MODULE_ITEMS).collect(),
                None => {}
            }
        }
        // A statement that is complete is continued on its own line only.
        let continues = open == Open::Statement && !(begins && complete);
        for alternative in tried.filter(|_| continues).unwrap_or_default() {
            if matches!(alternative, Alternative::Value | Alternative::Operand(_)) {
                expected.values = values.clone().unwrap_or_default();
            }
            let kind = match alternative {
                Alternative::Text(_) => WordKind::Keyword,
                Alternative::Type(..) | Alternative::Element(..) => WordKind::Type,
                _ => WordKind::Case,
            };
            let words = alternative.words().into_iter();
            let words = words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
            expected
                .words
                .extend(words.map(|text| ExpectedWord { text, kind }));
        }
        let mut seen = FxHashSet::default();
        expected.words.retain(|word| seen.insert(word.text));
        expected.values.sort_by_key(|value| !value.fits);
        expected
    }
}

fn keywords(words: &'static [&'static str]) -> impl Iterator<Item = ExpectedWord> {
    words.iter().map(|text| ExpectedWord {
        text,
        kind: WordKind::Keyword,
    })
}

/// Whether an op has no results, so that none can be named.
fn has_no_results(spec: &TileOpSpec) -> bool {
    spec.result_count == ResultCount::Exactly(0)
}

/// Whether an op may stand in a region of these ops, of which the last one is the innermost. The verifier has the rules.
fn may_stand(op: &str, around: &[&str]) -> bool {
    let innermost = around.last().copied();
    let target = around.iter().rev().find(|op| **op != "if").copied();
    match op {
        "yield" => matches!(innermost, Some("if" | "reduce" | "scan")),
        "continue" => matches!(target, Some("for" | "loop")),
        "break" => target == Some("loop"),
        "return" => around.iter().all(|op| matches!(*op, "if" | "loop")),
        _ => true,
    }
}

/// Whether a value of a type is expected as this operand, after others of these types.
pub(super) fn fits(field: &TileFieldSpec, before: &[TileType], ty: &TileType) -> bool {
    let constraint = field.constraint;
    let like = before.iter().rev().find(|other| constraint.admits(other));
    let like = like.filter(|_| !matches!(constraint, Constraint::Any | Constraint::Token));
    constraint.admits(ty) && like.is_none_or(|like| like == ty)
}
