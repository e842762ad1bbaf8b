//! Attributes of ops, by the kind that their declaration says.

use tilewright_irs::cuda_tile::{AttrKind, FieldValue};
use tilewright_irs::element::ScalarType;

use super::cursor::{Cursor, Parse};
use super::dense::dense;
use super::preview::constant;
use super::types::integer;
use super::values::{attr, hints, predicate, string, symbol};

/// An attribute, as the custom form has it; an enumeration may have its full name, `#cuda_tile.name<word>`.
pub(crate) fn attribute(kind: AttrKind, cursor: &mut Cursor<'_, '_>) -> Parse<FieldValue> {
    Ok(match kind {
        AttrKind::Enum(_) if cursor.peek().starts_with("#cuda_tile.") => {
            cursor.take();
            cursor.expect("<")?;
            let value = attribute(kind, cursor)?;
            cursor.expect(">")?;
            value
        }
        AttrKind::Enum(cases) => match cases.by_word(cursor.peek()) {
            Some(case) => {
                cursor.take();
                FieldValue::Enum(case.code)
            }
            None => {
                let words: Vec<_> = cases
                    .cases
                    .iter()
                    .map(|case| format!("`{}`", case.word))
                    .collect();
                return cursor.wrong(format!("one of {}", words.join(", ")));
            }
        },
        AttrKind::I64 => FieldValue::I64(integer(cursor)?),
        AttrKind::I32 => FieldValue::I32(integer(cursor)?),
        AttrKind::Bool => FieldValue::Bool(truth(cursor)?),
        AttrKind::String => FieldValue::String(string(cursor)?),
        AttrKind::Symbol => FieldValue::Symbol(symbol(cursor)?),
        AttrKind::I32s => {
            cursor.expect("[")?;
            FieldValue::I32s(cursor.list("]", integer)?)
        }
        AttrKind::Bools => {
            cursor.expect("[")?;
            FieldValue::Bools(cursor.list("]", truth)?)
        }
        AttrKind::Dense => {
            let at = cursor.span();
            let literal = dense(cursor)?;
            FieldValue::Dense(literal.of_shape(&[], cursor.since(at))?)
        }
        AttrKind::Predicate => FieldValue::Predicate(predicate(cursor)?),
        AttrKind::Attrs => {
            cursor.expect("[")?;
            FieldValue::Attrs(cursor.list("]", |cursor| attr(cursor, ScalarType::I64))?)
        }
        AttrKind::Hints => {
            cursor.eat("#cuda_tile.optimization_hints");
            FieldValue::Hints(hints(cursor)?)
        }
        AttrKind::Exprs => {
            cursor.expect("[")?;
            FieldValue::Exprs(cursor.list("]", constant)?)
        }
    })
}

/// `RoundingMode` as `rounding mode`.
pub(crate) fn spaced(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push(' ');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// `true` or `false`
pub(crate) fn truth(cursor: &mut Cursor<'_, '_>) -> Parse<bool> {
    match cursor.peek() {
        word @ ("true" | "false") => {
            cursor.take();
            Ok(word == "true")
        }
        _ => cursor.wrong("`true` or `false`"),
    }
}
