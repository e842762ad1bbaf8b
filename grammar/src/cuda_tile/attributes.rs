//! Parses attributes of ops, by their declared kind.

use tilewright_diagnostics::Code;
use tilewright_irs::cuda_tile::{Attr, AttrKind, FieldValue};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;

use super::alternatives::Alternative;
use super::cursor::{Cursor, Parse, fail};
use super::dense::dense;
use super::literals::{string, symbol};
use super::places::Places;
use super::preview::constant;
use super::types::integer;
use super::values::{attr, hints, predicate};

/// An attribute in the custom form; an enumeration may have its full name, `#cuda_tile.name<word>`.
pub(crate) fn attribute(
    kind: AttrKind,
    cursor: &mut Cursor<'_, '_>,
    places: &mut Places,
) -> Parse<FieldValue> {
    Ok(match kind {
        AttrKind::Enum(_) if cursor.peek().starts_with("#cuda_tile.") => {
            cursor.take();
            cursor.expect("<")?;
            let value = attribute(kind, cursor, places)?;
            cursor.expect(">")?;
            value
        }
        AttrKind::Enum(cases) => match cases.by_word(cursor.peek()) {
            Some(case) => {
                cursor.take();
                FieldValue::Enum(case.code)
            }
            None => return cursor.wrong(Alternative::Enum(cases)),
        },
        AttrKind::I64 => FieldValue::I64(integer(cursor)?),
        AttrKind::I32 => FieldValue::I32(integer(cursor)?),
        AttrKind::Bool => FieldValue::Bool(truth(cursor)?),
        AttrKind::String => FieldValue::String(string(cursor)?),
        AttrKind::Symbol => FieldValue::Symbol(symbol(cursor)?),
        AttrKind::I32s => {
            cursor.expect("[")?;
            FieldValue::I32s(places.entries("]", cursor, integer)?)
        }
        AttrKind::Bools => {
            cursor.expect("[")?;
            FieldValue::Bools(places.entries("]", cursor, truth)?)
        }
        AttrKind::Dense => {
            let at = cursor.span();
            let literal = dense(cursor)?;
            FieldValue::Dense(literal.of_shape(&[], cursor.since(at))?)
        }
        AttrKind::Predicate => FieldValue::Predicate(predicate(cursor, places)?),
        AttrKind::Attrs => {
            cursor.expect("[")?;
            FieldValue::Attrs(places.entries("]", cursor, |cursor| attr(cursor, ScalarType::I64))?)
        }
        AttrKind::Hints => {
            cursor.eat("#cuda_tile.optimization_hints");
            FieldValue::Hints(hints(cursor, places)?)
        }
        AttrKind::Exprs => {
            cursor.expect("[")?;
            FieldValue::Exprs(places.entries("]", cursor, constant)?)
        }
    })
}

/// An attribute in the generic form: enumerations with their names, numbers with their types.
pub(crate) fn generic_attribute(
    kind: AttrKind,
    cursor: &mut Cursor<'_, '_>,
    places: &mut Places,
) -> Parse<FieldValue> {
    let at = cursor.span();
    let number = |cursor: &mut Cursor<'_, '_>, ty| match attr(cursor, ty)? {
        Attr::Number(literal) if !literal.ty.is_float() => Ok(literal.signed()),
        _ => fail(
            Code::AttributeKind,
            "an attribute is no integer",
            at,
            "expected an integer",
        ),
    };
    Ok(match kind {
        AttrKind::Enum(_) if cursor.peek().starts_with("#cuda_tile.") => attribute(kind, cursor, places)?,
        AttrKind::Enum(cases) => {
            let code = u64::try_from(number(cursor, ScalarType::I32)?).ok();
            match code.and_then(|code| cases.by_code(code)) {
                Some(case) => FieldValue::Enum(case.code),
                None => {
                    let message = format!("no case of `{}` has this number", cases.name);
                    return fail(Code::AttributeValue, message, at, "not a case");
                }
            }
        }
        AttrKind::I64 => FieldValue::I64(number(cursor, ScalarType::I64)?),
        AttrKind::I32 => match i32::try_from(number(cursor, ScalarType::I32)?) {
            Ok(value) => FieldValue::I32(value),
            Err(_) => {
                return fail(
                    Code::BadLiteral,
                    "the number does not fit 32 bits",
                    at,
                    "too large",
                );
            }
        },
        AttrKind::I32s => FieldValue::I32s(array(cursor, places, integer)?),
        AttrKind::Bools => FieldValue::Bools(array(cursor, places, truth)?),
        AttrKind::Symbol => FieldValue::Symbol(symbol(cursor)?),
        AttrKind::Dense => match attr(cursor, ScalarType::I64)? {
            Attr::Dense(_, dense) => FieldValue::Dense(dense),
            Attr::Number(literal) => FieldValue::Dense(Dense::Splat(literal)),
            _ => {
                return fail(
                    Code::AttributeKind,
                    "an attribute holds no elements",
                    at,
                    "expected `dense`",
                );
            }
        },
        AttrKind::Bool
        | AttrKind::String
        | AttrKind::Predicate
        | AttrKind::Attrs
        | AttrKind::Hints
        | AttrKind::Exprs => attribute(kind, cursor, places)?,
    })
}

/// `array<i32: 1, 2>`
pub(crate) fn array<'t, 'input, T: std::str::FromStr>(
    cursor: &mut Cursor<'t, 'input>,
    places: &mut Places,
    item: impl FnMut(&mut Cursor<'t, 'input>) -> Parse<T>,
) -> Parse<Vec<T>> {
    cursor.expect("array")?;
    cursor.expect("<")?;
    cursor.take();
    if cursor.eat(">") {
        return Ok(Vec::new());
    }
    cursor.expect(":")?;
    places.entries(">", cursor, item)
}

/// `true` or `false`
pub(crate) fn truth(cursor: &mut Cursor<'_, '_>) -> Parse<bool> {
    match cursor.peek() {
        word @ ("true" | "false") => {
            cursor.take();
            Ok(word == "true")
        }
        _ => cursor.wrong(Alternative::Words(&["true", "false"])),
    }
}
