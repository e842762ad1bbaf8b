//! Detects whether optional parts of an op's text are present.

use tilewright_irs::cuda_tile::syntax::Piece;
use tilewright_irs::cuda_tile::{AttrKind, FieldKind, TileOpSpec};

use super::attributes::spaced;
use super::cursor::{Cursor, Parse};

/// Reports an unknown keyword where an enumeration may be followed by operands.
pub(crate) fn no_other_word(
    spec: &TileOpSpec,
    index: usize,
    inner: &[Piece],
    cursor: &Cursor<'_, '_>,
) -> Parse<()> {
    let Some(field) = spec.fields.get(index) else {
        return Ok(());
    };
    let alone = matches!(inner, [Piece::Text(text), Piece::Field(at)] if text.trim().is_empty() && *at == index)
        || matches!(inner, [Piece::Field(at), ..] if *at == index);
    let word =
        cursor.peek().starts_with(|c: char| c.is_ascii_alphabetic()) && cursor.peek_at(1).starts_with('%');
    match field.kind {
        FieldKind::OptionalAttr(AttrKind::Enum(cases)) if alone && word => {
            let words = cases.cases.iter().map(|case| format!("`{}`", case.word));
            let words = words.collect::<Vec<_>>().join(", ");
            cursor.wrong(format!(
                "the {} of `{}`, one of {words}, or an operand",
                spaced(cases.name),
                spec.name
            ))
        }
        _ => Ok(()),
    }
}

/// Whether the next tokens begin an optional part.
pub(crate) fn begins(spec: &TileOpSpec, pieces: &[Piece], cursor: &Cursor<'_, '_>) -> bool {
    let mut at = 0;
    for piece in pieces {
        match piece {
            Piece::Text(text) => {
                for word in words(text) {
                    if cursor.peek_at(at) != word {
                        return false;
                    }
                    at += 1;
                }
                // A comma alone is ambiguous: what follows it decides.
                if text.trim() != "," && at > 0 {
                    return true;
                }
            }
            Piece::Field(index) => {
                let next = cursor.peek_at(at);
                return match spec.fields.get(*index).map(|field| field.kind) {
                    Some(FieldKind::Operand | FieldKind::OptionalOperand | FieldKind::Operands) => {
                        next.starts_with('%')
                    }
                    Some(
                        FieldKind::Attr(AttrKind::Enum(cases))
                        | FieldKind::OptionalAttr(AttrKind::Enum(cases)),
                    ) => cases.by_word(next).is_some(),
                    Some(_) => !next.is_empty(),
                    None => false,
                };
            }
            Piece::Wrapped(_, word) => return cursor.peek_at(at) == word,
            Piece::Types(_) | Piece::FirstType(_) | Piece::IndexTypes(_) => {
                return !cursor.peek_at(at).is_empty();
            }
            Piece::Group(_, inner) => return begins(spec, inner, cursor),
        }
    }
    at > 0
}

/// The tokens of a piece of literal text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    use logos::Logos;
    super::lexer::Raw::lexer(text)
        .spanned()
        .filter_map(move |(_, span)| text.get(span))
}
