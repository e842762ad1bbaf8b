//! Parses attribute values.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Span};
use tilewright_irs::cuda_tile::{Attr, Dict, Hints, MultimemReduction, Predicate, PredicateWord};
use tilewright_irs::element::ScalarType;

use super::aliases::undefined;
use super::alternatives::Alternative;
use super::cursor::{Cursor, Parse, fail};
use super::dense::elements;
use super::lexer::{is_attribute_alias, is_type_alias, short};
use super::literals::{at_number, not_of_type, read_number, string};
use super::places::Places;
use super::preview::{any_type, at_any_type, at_preview_attr, preview_attr};
use super::types::{integer, scalar, tile, word};

/// `div_by<16>`, `same_elements<[2, 1]>`, `bounded<0, ?>`
pub(crate) fn predicate(cursor: &mut Cursor<'_, '_>, places: &mut Places) -> Parse<Predicate> {
    let kind = short(cursor.peek().trim_start_matches('#'));
    let Some(kind) = PredicateWord::from_word(kind) else {
        return cursor.wrong(Alternative::Words(PredicateWord::WORDS));
    };
    cursor.take();
    cursor.expect("<")?;
    let predicate = match kind {
        PredicateWord::DivBy => {
            let divisor = places.entry(0, cursor, integer)?;
            let (mut every, mut along) = (None, None);
            while cursor.eat(",") || matches!(cursor.peek(), "every" | "along") {
                if cursor.eat("every") {
                    every = Some(places.entry(1, cursor, integer)?);
                } else {
                    cursor.expect("along")?;
                    along = Some(places.entry(2, cursor, integer)?);
                }
            }
            Predicate::DivBy {
                divisor,
                every,
                along,
            }
        }
        PredicateWord::SameElements => {
            cursor.expect("[")?;
            Predicate::SameElements(places.entries("]", cursor, integer)?)
        }
        PredicateWord::Bounded => {
            let lower = places.entry(0, cursor, bound)?;
            cursor.expect(",")?;
            Predicate::Bounded {
                lower,
                upper: places.entry(1, cursor, bound)?,
            }
        }
    };
    cursor.expect(">")?;
    Ok(predicate)
}

fn bound(cursor: &mut Cursor<'_, '_>) -> Parse<Option<i64>> {
    if cursor.eat("?") {
        Ok(None)
    } else {
        integer(cursor).map(Some)
    }
}

/// `<sm_90 = {latency = 3}>`: numbers without a type have 32 bits. Entries are sorted by key.
pub(crate) fn hints(cursor: &mut Cursor<'_, '_>, places: &mut Places) -> Parse<Hints> {
    cursor.expect("<")?;
    let mut keys = FxHashSet::default();
    let mut entries = cursor.list(">", |cursor| {
        let start = cursor.span();
        let architecture = new_key(cursor, &mut keys)?;
        let key_at = cursor.since(start);
        cursor.expect("=")?;
        if cursor.peek() != "{" {
            return cursor.wrong_as(&format!(
                "the dictionary of optimization_hints for `{architecture}`"
            ));
        }
        let start = cursor.span();
        let value = named_values(cursor, ScalarType::I32)?;
        Ok(Named {
            key: architecture,
            key_at,
            value,
            value_at: cursor.since(start),
        })
    })?;
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    let entries = entries.into_iter().enumerate();
    let entries = entries.map(|(i, named)| {
        places.named(i, named.key_at, named.value_at);
        let mut inner = Places::new(places.of.entry(i));
        let dict = dict_of(named.value, &mut inner);
        places.list.append(&mut inner.list);
        (named.key, dict)
    });
    Ok(Hints(entries.collect()))
}

pub(crate) fn key(cursor: &mut Cursor<'_, '_>) -> Parse<String> {
    let text = cursor.peek();
    if text.starts_with('"') {
        return string(cursor);
    }
    if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return Ok(cursor.take().to_owned());
    }
    cursor.wrong("a name")
}

/// An entry of a dictionary, with the spans of its name and its value.
struct Named<T> {
    key: String,
    key_at: Span,
    value: T,
    value_at: Span,
}

/// `{name = value}`; integers without a type have type `plain`. Entries are sorted by key.
pub(crate) fn dict(cursor: &mut Cursor<'_, '_>, plain: ScalarType, places: &mut Places) -> Parse<Dict> {
    Ok(dict_of(named_values(cursor, plain)?, places))
}

fn dict_of(entries: Vec<Named<Attr>>, places: &mut Places) -> Dict {
    let entries = entries.into_iter().enumerate();
    let entries = entries.map(|(i, named)| {
        places.named(i, named.key_at, named.value_at);
        (named.key, named.value)
    });
    Dict(entries.collect())
}

fn named_values(cursor: &mut Cursor<'_, '_>, plain: ScalarType) -> Parse<Vec<Named<Attr>>> {
    cursor.expect("{")?;
    let mut keys = FxHashSet::default();
    let mut entries = cursor.list("}", |cursor| {
        let start = cursor.span();
        let key = new_key(cursor, &mut keys)?;
        let key_at = cursor.since(start);
        cursor.expect("=")?;
        let start = cursor.span();
        let value = attr(cursor, plain)?;
        Ok(Named {
            key,
            key_at,
            value,
            value_at: cursor.since(start),
        })
    })?;
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(entries)
}

/// A key that is distinct from the previous ones.
pub(crate) fn new_key(cursor: &mut Cursor<'_, '_>, keys: &mut FxHashSet<String>) -> Parse<String> {
    let at = cursor.span();
    let key = key(cursor)?;
    let what = if key.is_empty() {
        "is empty"
    } else if keys.insert(key.clone()) {
        return Ok(key);
    } else {
        "is given twice"
    };
    let message = format!("the key {key:?} of a dictionary {what}");
    fail(Code::AttributeValue, message, at, "another key is expected")
}

/// A self-describing value.
pub(crate) fn attr(cursor: &mut Cursor<'_, '_>, plain: ScalarType) -> Parse<Attr> {
    if at_number(cursor) {
        let text = cursor.peek();
        let at = cursor.span();
        if matches!(text, "true" | "false") {
            cursor.take();
            return Ok(Attr::Bool(text == "true"));
        }
        cursor.take();
        let ty = if cursor.eat(":") {
            scalar(cursor)?
        } else if text.trim_start_matches('-').starts_with("0x")
            || text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
        {
            plain
        } else {
            ScalarType::F64
        };
        return match read_number(text, ty) {
            Some(literal) if ty == ScalarType::I1 => Ok(Attr::Bool(literal.bits != 0)),
            Some(literal) => Ok(Attr::Number(literal)),
            None => not_of_type(text, ty, at),
        };
    }
    let text = cursor.peek();
    match text {
        "[" => {
            cursor.take();
            Ok(Attr::Array(cursor.list("]", |cursor| attr(cursor, plain))?))
        }
        "{" => dict(cursor, plain, &mut Places::ignored()).map(Attr::Dict),
        "dense" => {
            cursor.take();
            cursor.expect("<")?;
            // In MLIR the element type follows the elements; in other texts it also precedes them.
            let literal = if ScalarType::from_word(cursor.peek()).is_some() {
                let ty = scalar(cursor)?;
                cursor.expect(":")?;
                elements(cursor, ty)?
            } else {
                let mut after = *cursor;
                after.skip_value();
                for token in [">", ":"] {
                    after.expect(token)?;
                }
                let at = after.span();
                match tile(&mut after)?.element.scalar() {
                    Some(ty) => elements(cursor, ty)?,
                    None => return fail(Code::AttributeKind, "elements are numbers", at, "not numbers"),
                }
            };
            let at = cursor.span();
            cursor.expect(">")?;
            cursor.expect(":")?;
            let ty = tile(cursor)?;
            let value = literal.of_shape(&ty.shape, at)?;
            Ok(Attr::Dense(ty, value))
        }
        "#cuda_tile.optimization_hints" => {
            cursor.take();
            hints(cursor, &mut Places::ignored()).map(Attr::Hints)
        }
        "#cuda_tile.multimem_reduction_kind" => {
            cursor.take();
            cursor.expect("<")?;
            let kind = word(cursor, MultimemReduction::from_word, MultimemReduction::WORDS)?;
            cursor.expect(">")?;
            Ok(Attr::Reduction(kind))
        }
        _ if text.starts_with('"') => string(cursor).map(Attr::String),
        _ if text.starts_with("#cuda_tile.") => {
            predicate(cursor, &mut Places::ignored()).map(Attr::Predicate)
        }
        "(" => any_type(cursor).map(Attr::Type),
        _ if at_preview_attr(cursor) => preview_attr(cursor).map(Attr::from),
        _ if at_any_type(cursor) => any_type(cursor).map(Attr::Type),
        _ if is_attribute_alias(text) || is_type_alias(text) => undefined(text, cursor.span()),
        _ => cursor.wrong("a value"),
    }
}
