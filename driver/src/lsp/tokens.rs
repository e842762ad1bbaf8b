//! Semantic tokens: the words of a text by their kinds, in the protocol's encoding.

use lsp_types as lsp;

use super::convert::Text;
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

/// The number of a word's type; none for what has no colour.
fn token_type(kind: Kind, word: &str, language: Option<Language>) -> Option<u32> {
    let wanted = match kind {
        Kind::Comment => lsp::SemanticTokenType::COMMENT,
        Kind::Str => lsp::SemanticTokenType::STRING,
        Kind::Number => lsp::SemanticTokenType::NUMBER,
        Kind::Value => lsp::SemanticTokenType::VARIABLE,
        Kind::Symbol => lsp::SemanticTokenType::FUNCTION,
        Kind::Alias => lsp::SemanticTokenType::TYPE,
        Kind::Block | Kind::Directive => lsp::SemanticTokenType::MACRO,
        Kind::Word => {
            let is_op = language.is_some_and(|language| crate::ide::ops::op(language, word).is_some());
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

/// The tokens of a text.
pub(super) fn semantic_tokens(text: Text<'_>, language: Option<Language>) -> lsp::SemanticTokens {
    let mut data = Vec::new();
    let mut last = lsp::Position::new(0, 0);
    for token in tokens::tokens(text.text) {
        let word = text.text.get(token.at.clone()).unwrap_or_default();
        let Some(kind) = token_type(token.kind, word, language) else {
            continue;
        };
        let (start, end) = (text.position(token.at.start), text.position(token.at.end));
        let same = start.line == last.line;
        data.push(lsp::SemanticToken {
            delta_line: start.line - last.line,
            delta_start: if same {
                start.character - last.character
            } else {
                start.character
            },
            length: end.character.saturating_sub(start.character),
            token_type: kind,
            token_modifiers_bitset: 0,
        });
        last = start;
    }
    lsp::SemanticTokens {
        result_id: None,
        data,
    }
}
