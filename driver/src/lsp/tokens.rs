//! Semantic tokens: the words of a text by their kinds, in the protocol's encoding.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use lsp_types as lsp;
use rustc_hash::FxHashMap;

use super::convert::Text;
use crate::ide::ops;
use crate::ide::tokens::{self, Kind};
use crate::units::Language;

/// The types of semantic tokens, in the order of their numbers.
pub(super) const TOKEN_TYPES: [lsp::SemanticTokenType; 8] = [
    lsp::SemanticTokenType::COMMENT,
    lsp::SemanticTokenType::STRING,
    lsp::SemanticTokenType::NUMBER,
    lsp::SemanticTokenType::VARIABLE,
    lsp::SemanticTokenType::FUNCTION,
    lsp::SemanticTokenType::TYPE,
    lsp::SemanticTokenType::KEYWORD,
    lsp::SemanticTokenType::MACRO,
];

/// The number of the token type of a word; `None` for a word that is not coloured.
fn token_type(kind: Kind, word: &str, language: Option<Language>) -> Option<u32> {
    let wanted = match kind {
        Kind::Comment => lsp::SemanticTokenType::COMMENT,
        Kind::Str if language == Some(Language::Cute) && is_cute_word(word.trim_matches('"')) => {
            lsp::SemanticTokenType::KEYWORD
        }
        Kind::Str => lsp::SemanticTokenType::STRING,
        Kind::Number => lsp::SemanticTokenType::NUMBER,
        Kind::Value => lsp::SemanticTokenType::VARIABLE,
        Kind::Symbol => lsp::SemanticTokenType::FUNCTION,
        Kind::Alias => lsp::SemanticTokenType::TYPE,
        Kind::Block | Kind::Directive => lsp::SemanticTokenType::MACRO,
        Kind::Word => {
            let is_op = match language {
                Some(Language::Cute) => is_cute_word(word),
                _ => language.is_some_and(|language| ops::op(language, word).is_some()),
            };
            let scalar = word.rsplit('x').next().unwrap_or(word);
            let is_type = matches!(
                word,
                "tile" | "ptr" | "token" | "tensor_view" | "partition_view" | "memref"
            ) || tilewright_irs::element::ScalarType::from_word(scalar).is_some();
            match (is_op, is_type) {
                (true, _) => lsp::SemanticTokenType::KEYWORD,
                (false, true) => lsp::SemanticTokenType::TYPE,
                (false, false) => return None,
            }
        }
        Kind::Mark => return None,
    };
    let at = TOKEN_TYPES.iter().position(|kind| *kind == wanted)?;
    u32::try_from(at).ok()
}

/// Whether a word of `cute`, which stands in quotes in the generic form, is an op, or begins a module or a function.
fn is_cute_word(word: &str) -> bool {
    matches!(
        word,
        "module" | "builtin.module" | "gpu.module" | "cuda.kernel" | "func.func" | "return" | "attributes"
    ) || ops::op(Language::Cute, word).is_some()
}

/// The tokens of a part of a text, which begins at the start of a line.
pub(super) fn semantic_tokens(
    text: Text<'_>,
    part: Range<usize>,
    language: Option<Language>,
) -> Vec<lsp::SemanticToken> {
    let own = text.text.get(part.clone()).unwrap_or_default();
    let mut types: FxHashMap<&str, Option<u32>> = FxHashMap::default();
    let mut data = Vec::new();
    // The position of `at`, and that of the last token.
    let mut line = text.position(part.start).line;
    let (mut at, mut column) = (0, 0);
    let mut last = lsp::Position::new(0, 0);
    for token in tokens::words(own) {
        let word = own.get(token.at.clone()).unwrap_or_default();
        let between = own.get(at..token.at.start).unwrap_or_default();
        let ends = memchr::memchr_iter(b'\n', between.as_bytes());
        let (count, end) = ends.fold((0, None), |(count, _), end| (count + 1, Some(end)));
        line += count;
        let before = match end {
            Some(end) => {
                column = 0;
                between.get(end + 1..).unwrap_or_default()
            }
            None => between,
        };
        let start = column + text.units(before);
        let length = text.units(word);
        (at, column) = (token.at.end, start + length);
        let kind = match token.kind {
            // What a word is takes a search of the ops, and most words are there many times.
            Kind::Word => *types
                .entry(word)
                .or_insert_with(|| token_type(token.kind, word, language)),
            kind => token_type(kind, word, language),
        };
        let Some(kind) = kind else { continue };
        data.push(lsp::SemanticToken {
            delta_line: line - last.line,
            delta_start: match line == last.line {
                true => start - last.character,
                false => start,
            },
            length,
            token_type: kind,
            token_modifiers_bitset: 0,
        });
        last = lsp::Position::new(line, start);
    }
    data
}

/// The last tokens sent for each document, with their number.
#[derive(Clone, Debug, Default)]
pub(super) struct Coloured(Arc<Mutex<Tables>>);

/// The tokens of a document, with their number.
type Numbered = (u64, Arc<[lsp::SemanticToken]>);

#[derive(Debug, Default)]
struct Tables {
    last: FxHashMap<String, Numbered>,
    next: u64,
}

impl Coloured {
    /// Stores the tokens of a document. Returns their number, and the tokens that were stored before.
    fn remember(&self, uri: &lsp::Uri, data: &Arc<[lsp::SemanticToken]>) -> (u64, Option<Numbered>) {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = tables.next;
        tables.next += 1;
        let before = tables
            .last
            .insert(uri.as_str().to_owned(), (id, Arc::clone(data)));
        (id, before)
    }

    /// Forgets a document that is closed.
    pub(super) fn forget(&self, uri: &lsp::Uri) {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tables.last.remove(uri.as_str());
    }

    /// All tokens of a document.
    pub(super) fn full(&self, uri: &lsp::Uri, data: Vec<lsp::SemanticToken>) -> lsp::SemanticTokens {
        let all = Arc::from(data.as_slice());
        let (id, _) = self.remember(uri, &all);
        lsp::SemanticTokens {
            result_id: Some(id.to_string()),
            data,
        }
    }

    /// The changes since the tokens with a number; all tokens if those are no longer stored.
    pub(super) fn delta(
        &self,
        uri: &lsp::Uri,
        data: Vec<lsp::SemanticToken>,
        since: &str,
    ) -> lsp::SemanticTokensFullDeltaResult {
        let all: Arc<[lsp::SemanticToken]> = Arc::from(data.as_slice());
        let (id, before) = self.remember(uri, &all);
        let result_id = Some(id.to_string());
        match before.filter(|(known, _)| known.to_string() == since) {
            Some((_, before)) => lsp::SemanticTokensFullDeltaResult::TokensDelta(lsp::SemanticTokensDelta {
                result_id,
                edits: edit(&before, &all).into_iter().collect(),
            }),
            None => lsp::SemanticTokensFullDeltaResult::Tokens(lsp::SemanticTokens { result_id, data }),
        }
    }
}

/// The edit from one list of tokens to another: replaces everything from the first difference to the last.
fn edit(old: &[lsp::SemanticToken], new: &[lsp::SemanticToken]) -> Option<lsp::SemanticTokensEdit> {
    let same = |pairs: &mut dyn Iterator<Item = (&lsp::SemanticToken, &lsp::SemanticToken)>| {
        pairs.take_while(|(old, new)| old == new).count()
    };
    let head = same(&mut old.iter().zip(new));
    let (old, new) = (old.get(head..)?, new.get(head..)?);
    let tail = same(&mut old.iter().rev().zip(new.iter().rev()));
    let (old, new) = (old.get(..old.len() - tail)?, new.get(..new.len() - tail)?);
    // The protocol counts numbers, of which a token has five.
    let numbers = |tokens: usize| u32::try_from(5 * tokens).unwrap_or(u32::MAX);
    (!old.is_empty() || !new.is_empty()).then(|| lsp::SemanticTokensEdit {
        start: numbers(head),
        delete_count: numbers(old.len()),
        data: Some(new.to_vec()),
    })
}
