//! Reads attribute values and the elements of constants.

use std::sync::Arc;

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::cuda_tile::{
    AnyType, Attr, Dict, Hints, MultimemReduction, Predicate, Tile, TileType, Version, check_dense,
};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

use super::super::constants::{constant_bytes, constant_item};
use super::super::container::{attr_tag, preview_attr_tag};
use super::cursor::{Cursor, Read, fault};
use super::tables::{Budget, Constants, Strings};
use super::types::Types;

/// Nesting limit of attributes.
const MAX_DEPTH: u32 = 32;

/// Constants in a non-canonical encoding: the canonical one, and the index of the constant.
pub(super) type OtherConstants = Vec<(Vec<u8>, u64)>;

/// The tables of strings, types and constants.
#[derive(Debug)]
pub(super) struct Tables<'a> {
    pub(super) version: Version,
    pub(super) strings: Strings<'a>,
    pub(super) constants: Constants<'a>,
    pub(super) types: Types<'a>,
    pub(super) budget: Budget,
    /// The last shared string, by its index.
    pub(super) shared: Option<(u64, Arc<str>)>,
    /// Constants in a non-canonical encoding.
    pub(super) other_constants: OtherConstants,
}

impl<'a> Tables<'a> {
    /// The same tables for a piece of the work, with its share of the budget.
    pub(super) fn for_piece(&self, part: usize, whole: usize) -> Self {
        Self {
            version: self.version,
            strings: self.strings,
            constants: self.constants,
            types: self.types.afresh(),
            budget: self.budget.share(part, whole),
            shared: None,
            other_constants: Vec::new(),
        }
    }

    /// A string, by the index at the cursor, borrowed.
    pub(super) fn str(&self, cursor: &mut Cursor<'a>) -> Read<&'a str> {
        let at = cursor.at();
        let index = cursor.varint("a string index")?;
        self.strings.get(index, at)
    }

    /// A string, by the index at the cursor, owned.
    pub(super) fn string(&mut self, cursor: &mut Cursor<'a>) -> Read<String> {
        let at = cursor.at();
        let text = self.str(cursor)?;
        self.budget.spend(text.len(), at)?;
        Ok(text.to_owned())
    }

    /// A string, by the index at the cursor, which is likely to repeat, reference-counted.
    pub(super) fn shared(&mut self, cursor: &mut Cursor<'a>) -> Read<Arc<str>> {
        let at = cursor.at();
        let index = cursor.varint("a string index")?;
        match &self.shared {
            Some((known, text)) if *known == index => Ok(Arc::clone(text)),
            _ => {
                let text = self.strings.get(index, at)?;
                self.budget.spend(text.len(), at)?;
                let text: Arc<str> = text.into();
                self.shared = Some((index, Arc::clone(&text)));
                Ok(text)
            }
        }
    }

    /// The type of a value, by the index at the cursor.
    pub(super) fn value_type(&mut self, cursor: &mut Cursor<'a>) -> Read<TileType> {
        let at = cursor.at();
        let index = cursor.varint("a type index")?;
        self.types.value(index, at, &mut self.budget)
    }

    /// Any type, by the index at the cursor.
    pub(super) fn any_type(&mut self, cursor: &mut Cursor<'a>) -> Read<AnyType> {
        let at = cursor.at();
        let index = cursor.varint("a type index")?;
        self.types.any(index, at, &mut self.budget)
    }

    /// The elements of a tile, by the index at the cursor.
    pub(super) fn dense(&mut self, cursor: &mut Cursor<'a>, tile: &Tile) -> Read<Dense> {
        let at = cursor.at();
        let index = cursor.varint("a constant index")?;
        let data = self.constants.get(index, at)?;
        let Some(scalar) = tile.element.scalar() else {
            return fault(at, Code::OperandType, format!("a constant cannot be `{tile}`"));
        };
        // Each element takes whole bytes; Booleans are packed eight to a byte.
        let splat = data.remaining() <= 1 || data.remaining() == constant_bytes(scalar);
        if !splat {
            let times = if scalar == ScalarType::I1 { 64 } else { 8 };
            self.budget.spend(data.remaining().saturating_mul(times), at)?;
        }
        let dense = elements(data, scalar, tile)?;
        if matches!(dense, Dense::Splat(_)) && (!splat || scalar == ScalarType::I1) {
            let written = constant_item(&dense);
            // The length prefix of such a short constant is one byte.
            if written.get(1..) != Some(data.rest()) {
                self.other_constants.push((written, index));
            }
        }
        match check_dense(tile, &dense) {
            Ok(()) => Ok(dense),
            Err((code, message)) => fault(data.at(), code, message),
        }
    }

    /// A self-describing value.
    pub(super) fn attr(&mut self, cursor: &mut Cursor<'a>) -> Read<Attr> {
        self.attr_at(cursor, 0)
    }

    fn attr_at(&mut self, cursor: &mut Cursor<'a>, depth: u32) -> Read<Attr> {
        let at = cursor.at();
        if depth > MAX_DEPTH {
            return fault(
                at,
                Code::NestingTooDeep,
                format!("attributes are nested deeper than {MAX_DEPTH}"),
            );
        }
        let tag = cursor.varint("an attribute's tag")?;
        Ok(match tag {
            attr_tag::INTEGER => Attr::Number(self.integer(cursor)?),
            attr_tag::FLOAT => Attr::Number(self.float(cursor)?),
            attr_tag::BOOL => Attr::Bool(cursor.u8("a truth value")? != 0),
            attr_tag::TYPE => Attr::Type(self.any_type(cursor)?),
            attr_tag::STRING => Attr::String(self.string(cursor)?),
            attr_tag::ARRAY => Attr::Array(self.attrs_at(cursor, depth)?),
            attr_tag::DENSE => match self.value_type(cursor)? {
                TileType::Tile(tile) => {
                    let dense = self.dense(cursor, &tile)?;
                    Attr::Dense(tile, dense)
                }
                other => {
                    return fault(
                        at,
                        Code::AttributeKind,
                        format!("elements cannot be of type `{other}`"),
                    );
                }
            },
            attr_tag::DIV_BY | attr_tag::SAME_ELEMENTS | attr_tag::BOUNDED => {
                Attr::Predicate(predicate(cursor, tag)?)
            }
            attr_tag::DICT => Attr::Dict(self.dict_at(cursor, depth)?),
            attr_tag::HINTS => Attr::Hints(self.hints_at(cursor, depth)?),
            attr_tag::REDUCTION if self.version >= Version::V13_5 => {
                let at = cursor.at();
                let code = cursor.varint("a reduction")?;
                match u8::try_from(code).ok().and_then(MultimemReduction::from_code) {
                    Some(kind) => Attr::Reduction(kind),
                    None => {
                        return fault(
                            at,
                            Code::BadEnumValue,
                            format!("reduction {code} stands for nothing"),
                        );
                    }
                }
            }
            preview_attr_tag::FIRST..=preview_attr_tag::LAST => {
                if !self.types.preview {
                    let message = format!(
                        "the attribute tag {tag} is preview content, which the file's header does not say that it has"
                    );
                    return fault(at, Code::BadAttributeTag, message);
                }
                self.types.preview_attr(tag, at, cursor)?.into()
            }
            _ => {
                return fault(
                    at,
                    Code::BadAttributeTag,
                    format!("there is no attribute with the tag {tag}"),
                );
            }
        })
    }

    /// A list of self-describing values, without a tag of its own.
    pub(super) fn attrs(&mut self, cursor: &mut Cursor<'a>) -> Read<Vec<Attr>> {
        self.attrs_at(cursor, 0)
    }

    fn attrs_at(&mut self, cursor: &mut Cursor<'a>, depth: u32) -> Read<Vec<Attr>> {
        let count = cursor.count(1, "a number of attributes")?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(self.attr_at(cursor, depth + 1)?);
        }
        Ok(list)
    }

    /// A dictionary without a tag.
    pub(super) fn dict(&mut self, cursor: &mut Cursor<'a>) -> Read<Dict> {
        self.dict_at(cursor, 0)
    }

    fn dict_at(&mut self, cursor: &mut Cursor<'a>, depth: u32) -> Read<Dict> {
        self.entries(cursor, |tables, cursor| tables.attr_at(cursor, depth + 1))
            .map(Dict)
    }

    /// Hints without a tag.
    pub(super) fn hints(&mut self, cursor: &mut Cursor<'a>) -> Read<Hints> {
        self.hints_at(cursor, 0)
    }

    fn hints_at(&mut self, cursor: &mut Cursor<'a>, depth: u32) -> Read<Hints> {
        let entries = self.entries(cursor, |tables, cursor| {
            let at = cursor.at();
            match tables.attr_at(cursor, depth + 1)? {
                Attr::Dict(dict) => Ok(dict),
                _ => fault(
                    at,
                    Code::AttributeKind,
                    "the hints of an architecture are not a dictionary",
                ),
            }
        });
        entries.map(Hints)
    }

    fn entries<T>(
        &mut self,
        cursor: &mut Cursor<'a>,
        mut value: impl FnMut(&mut Self, &mut Cursor<'a>) -> Read<T>,
    ) -> Read<Vec<(String, T)>> {
        let count = cursor.count(2, "a number of dictionary entries")?;
        let mut list: Vec<(String, T)> = Vec::new();
        let mut keys = rustc_hash::FxHashSet::default();
        for _ in 0..count {
            let at = cursor.at();
            let key = self.str(cursor)?;
            if key.is_empty() || !keys.insert(key) {
                let what = if key.is_empty() {
                    "is empty"
                } else {
                    "is given twice"
                };
                return fault(
                    at,
                    Code::AttributeValue,
                    format!("the key {key:?} of a dictionary {what}"),
                );
            }
            self.budget.spend(key.len(), at)?;
            list.push((key.to_owned(), value(self, cursor)?));
        }
        Ok(list)
    }

    fn integer(&mut self, cursor: &mut Cursor<'a>) -> Read<Literal> {
        let scalar = self.types.scalar(cursor)?;
        let at = cursor.at();
        if !scalar.is_int() {
            return fault(
                at,
                Code::AttributeKind,
                format!("an integer attribute is of type {scalar}"),
            );
        }
        let bits = match scalar {
            ScalarType::I1 => u64::from(cursor.u8("an integer")? != 0),
            _ => cursor.varint("an integer")?,
        };
        literal(at, scalar, bits)
    }

    fn float(&mut self, cursor: &mut Cursor<'a>) -> Read<Literal> {
        let scalar = self.types.scalar(cursor)?;
        let at = cursor.at();
        if !scalar.is_float() {
            return fault(
                at,
                Code::AttributeKind,
                format!("a float attribute is of type {scalar}"),
            );
        }
        let bits = if scalar.bits() <= 8 {
            cursor.u8("a float")?.into()
        } else {
            cursor.wrapped_zigzag("a float")?.cast_unsigned()
        };
        literal(at, scalar, bits)
    }
}

fn literal(at: usize, scalar: ScalarType, bits: u64) -> Read<Literal> {
    if bits & !scalar.mask() != 0 {
        return fault(
            at,
            Code::BadLiteral,
            format!("the bits {bits:#x} do not fit {scalar}"),
        );
    }
    Ok(Literal::new(scalar, bits))
}

/// A predicate with its tag.
pub(super) fn tagged_predicate(cursor: &mut Cursor<'_>) -> Read<Predicate> {
    let at = cursor.at();
    match cursor.varint("a predicate's tag")? {
        tag @ (attr_tag::DIV_BY | attr_tag::SAME_ELEMENTS | attr_tag::BOUNDED) => predicate(cursor, tag),
        tag => fault(
            at,
            Code::BadAttributeTag,
            format!("there is no predicate with the tag {tag}"),
        ),
    }
}

fn predicate(cursor: &mut Cursor<'_>, tag: u64) -> Read<Predicate> {
    let flags = |cursor: &mut Cursor<'_>| {
        let at = cursor.at();
        let flags = cursor.u8("a predicate's flags")?;
        if flags > 3 {
            return fault(
                at,
                Code::UnknownFlags,
                format!("a predicate has the flags {flags:#x}, expected 0 to 3"),
            );
        }
        Ok((flags & 1 != 0, flags & 2 != 0))
    };
    let optional = |cursor: &mut Cursor<'_>, present: bool| {
        if present {
            cursor.zigzag("a number of a predicate").map(Some)
        } else {
            Ok(None)
        }
    };
    match tag {
        attr_tag::DIV_BY => {
            let divisor = cursor.varint("a divisor")?;
            let (every, along) = flags(cursor)?;
            Ok(Predicate::DivBy {
                divisor,
                every: optional(cursor, every)?,
                along: optional(cursor, along)?,
            })
        }
        attr_tag::SAME_ELEMENTS => {
            let count = cursor.count(8, "a number of dimensions")?;
            let mut groups = Vec::with_capacity(count);
            for _ in 0..count {
                groups.push(cursor.i64("a group size")?);
            }
            Ok(Predicate::SameElements(groups))
        }
        _ => {
            let (lower, upper) = flags(cursor)?;
            Ok(Predicate::Bounded {
                lower: optional(cursor, lower)?,
                upper: optional(cursor, upper)?,
            })
        }
    }
}

/// The elements encoded by the bytes of a constant.
fn elements(data: Cursor<'_>, scalar: ScalarType, tile: &Tile) -> Read<Dense> {
    let bytes = data.rest();
    let count = tile
        .shape
        .elements()
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(usize::MAX);
    if scalar == ScalarType::I1 && bytes.len() == count.div_ceil(8) {
        let bit = |i: usize| bytes.get(i / 8).map_or(0, |byte| u64::from(byte >> (i % 8) & 1));
        return Ok(Dense::of_elements(scalar, (0..count).map(bit).collect()));
    }
    let width = constant_bytes(scalar);
    let wanted = if scalar == ScalarType::I1 {
        Some(count.div_ceil(8))
    } else {
        count.checked_mul(width)
    };
    if bytes.len() != width && Some(bytes.len()) != wanted {
        let message = format!(
            "a constant of type `{tile}` has {}, expected {width} or {}",
            counted(bytes.len(), "byte"),
            wanted.unwrap_or(usize::MAX)
        );
        return fault(data.at(), Code::ConstantSize, message);
    }
    let element = |bytes: &[u8]| {
        let bits = bytes
            .iter()
            .rev()
            .fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
        bits & scalar.mask()
    };
    if bytes.len() == width {
        return Ok(Dense::Splat(Literal::new(scalar, element(bytes))));
    }
    let elements = bytes.chunks_exact(width).map(element).collect();
    Ok(Dense::of_elements(scalar, elements))
}
