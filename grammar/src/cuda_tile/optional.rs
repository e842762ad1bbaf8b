//! Detects whether optional parts of an op's text are present.

use tilewright_irs::cuda_tile::syntax::Piece;
use tilewright_irs::cuda_tile::{AttrKind, FieldKind, TileOpSpec};

use super::alternatives::Alternative;
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
        FieldKind::OptionalAttr(AttrKind::Enum(_)) if alone && word => cursor.wrong("an operand"),
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

/// What an optional part begins with.
pub(crate) fn first(spec: &'static TileOpSpec, pieces: &'static [Piece]) -> Option<Alternative> {
    pieces.iter().find_map(|piece| match piece {
        Piece::Text(text) => words(text).next().map(Alternative::Text),
        Piece::Wrapped(_, word) => Some(Alternative::Text(word)),
        Piece::Group(_, inner) => first(spec, inner),
        Piece::Types(_) | Piece::FirstType(_) | Piece::IndexTypes(_) => None,
        Piece::Field(index) => {
            let field = spec.fields.get(*index)?;
            match field.kind {
                FieldKind::Operand | FieldKind::OptionalOperand | FieldKind::Operands => {
                    Some(Alternative::Operand(field))
                }
                FieldKind::Attr(AttrKind::Enum(_)) | FieldKind::OptionalAttr(AttrKind::Enum(_)) => {
                    Some(Alternative::Field(spec, field))
                }
                FieldKind::Attr(_) | FieldKind::OptionalAttr(_) | FieldKind::Flag | FieldKind::Region => None,
            }
        }
    })
}

/// The tokens of a piece of literal text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    use logos::Logos;
    super::lexer::Raw::lexer(text)
        .spanned()
        .filter_map(move |(_, span)| text.get(span))
}
