//! What an op holds: its flags, attributes and operands.

use tilewright_diagnostics::Code;
use tilewright_irs::cuda_tile::declare::{EnumSpec, MAX_FIELDS};
use tilewright_irs::cuda_tile::{
    AttrKind, DefaultValue, FieldKind, FieldValue, TileFieldSpec, TileOpSpec, TileType, Version,
};

use super::super::layout::layout;
use super::attrs::tagged_predicate;
use super::body::BodyReader;
use super::cursor::{Cursor, Read, fault};

impl BodyReader<'_, '_> {
    /// The bits that say what is there, by field.
    pub(super) fn flags(&mut self, spec: &'static TileOpSpec) -> Read<[bool; MAX_FIELDS]> {
        let version = self.tables.version;
        let mut set = [false; MAX_FIELDS];
        if !flagged(spec).any(|(_, field)| field.since <= version) {
            return Ok(set);
        }
        let at = self.cursor.at();
        let mut flags = self.cursor.varint("an op's flags")?;
        if flags == 0 {
            return Ok(set);
        }
        let whole = flags;
        for (i, field) in flagged(spec) {
            if flags & 1 == 1 {
                if field.since > version {
                    let message = format!(
                        "`{}` of `cuda_tile.{}` needs bytecode version {}, but the file has {version}",
                        field.name, spec.name, field.since
                    );
                    return fault(at, Code::UnknownFlags, message);
                }
                if let Some(place) = set.get_mut(i) {
                    *place = true;
                }
            }
            flags >>= 1;
        }
        if flags != 0 {
            let message = format!(
                "`cuda_tile.{}` has the flags {whole:#x}, of which some are unknown",
                spec.name
            );
            return fault(at, Code::UnknownFlags, message);
        }
        Ok(set)
    }

    /// Reads the attributes that are there.
    pub(super) fn attributes(&mut self, spec: &'static TileOpSpec, flags: [bool; MAX_FIELDS]) -> Read<()> {
        for (i, field) in spec.fields.iter().enumerate() {
            let set = flags.get(i).copied().unwrap_or(false);
            let value = match field.kind {
                FieldKind::Flag => FieldValue::Flag(set),
                FieldKind::Attr(kind) if field.since <= self.tables.version => self.attribute(field, kind)?,
                FieldKind::OptionalAttr(kind) if set => self.attribute(field, kind)?,
                FieldKind::Attr(_)
                | FieldKind::OptionalAttr(_)
                | FieldKind::Operand
                | FieldKind::OptionalOperand
                | FieldKind::Operands
                | FieldKind::Region => continue,
            };
            if let Some(place) = self.fields.get_mut(i) {
                *place = value;
            }
        }
        Ok(())
    }

    fn attribute(&mut self, field: &TileFieldSpec, kind: AttrKind) -> Read<FieldValue> {
        let what = field.name;
        let cursor = &mut self.cursor;
        let at = cursor.at();
        Ok(match kind {
            AttrKind::Enum(spec) => FieldValue::Enum(case(cursor, spec, what, self.tables.version)?),
            AttrKind::I64 => FieldValue::I64(cursor.varint(what)?.cast_signed()),
            AttrKind::I32 => {
                let value = cursor.varint(what)?;
                // Negative numbers are written as their bits, in 32 or in 64.
                match u32::try_from(value)
                    .map(u32::cast_signed)
                    .or_else(|_| i32::try_from(value.cast_signed()))
                {
                    Ok(value) => FieldValue::I32(value),
                    Err(_) => {
                        return fault(
                            at,
                            Code::AttributeValue,
                            format!("`{what}` is {value}, which needs more than 32 bits"),
                        );
                    }
                }
            }
            AttrKind::Bool => FieldValue::Bool(cursor.u8(what)? != 0),
            AttrKind::String => FieldValue::String(self.tables.string(cursor)?),
            AttrKind::Symbol => {
                let name = self.tables.string(cursor)?;
                if name.is_empty() {
                    return fault(at, Code::AttributeValue, format!("`{what}` is empty"));
                }
                FieldValue::Symbol(name)
            }
            AttrKind::I32s => {
                let count = cursor.count(4, what)?;
                let mut list = Vec::with_capacity(count);
                for _ in 0..count {
                    list.push(cursor.i32(what)?);
                }
                FieldValue::I32s(list)
            }
            AttrKind::Bools => {
                let count = cursor.count(1, what)?;
                let bytes = cursor.bytes(count, what)?;
                FieldValue::Bools(bytes.iter().map(|&byte| byte != 0).collect())
            }
            AttrKind::Dense => match self.types.first() {
                Some(TileType::Tile(tile)) => FieldValue::Dense(self.tables.dense(cursor, tile)?),
                _ => {
                    return fault(
                        at,
                        Code::OperandType,
                        "a constant is of a type that has no elements",
                    );
                }
            },
            AttrKind::Predicate => FieldValue::Predicate(tagged_predicate(cursor)?),
            AttrKind::Attrs => FieldValue::Attrs(self.tables.attrs(cursor)?),
            AttrKind::Hints => FieldValue::Hints(self.tables.hints(cursor)?),
        })
    }

    /// Reads the operands that are there.
    pub(super) fn operands(&mut self, spec: &'static TileOpSpec, flags: [bool; MAX_FIELDS]) -> Read<()> {
        // One list and nothing optional: a count of everything comes first.
        let mut total = None;
        if layout(spec).together {
            let at = self.cursor.at();
            let count = self.cursor.count(1, "a number of operands")?;
            let fixed = layout(spec).fixed;
            let Some(listed) = count.checked_sub(fixed) else {
                let message = format!(
                    "`cuda_tile.{}` has {count} operands, expected at least {fixed}",
                    spec.name
                );
                return fault(at, Code::OperandCount, message);
            };
            total = Some(listed);
        }
        for (i, field) in spec.fields.iter().enumerate() {
            let set = flags.get(i).copied().unwrap_or(false);
            let value = match field.kind {
                FieldKind::Operand => FieldValue::Operand(self.value(spec)?),
                FieldKind::OptionalOperand if set => FieldValue::Operand(self.value(spec)?),
                FieldKind::Operands => {
                    let count = match total {
                        Some(listed) => listed,
                        None => self.cursor.count(1, "a number of operands")?,
                    };
                    let mut list = Vec::with_capacity(count);
                    for _ in 0..count {
                        list.push(self.value(spec)?);
                    }
                    FieldValue::Operands(list)
                }
                FieldKind::OptionalOperand
                | FieldKind::Flag
                | FieldKind::Attr(_)
                | FieldKind::OptionalAttr(_)
                | FieldKind::Region => continue,
            };
            if let Some(place) = self.fields.get_mut(i) {
                *place = value;
            }
        }
        Ok(())
    }

    /// Gives attributes that are newer than the file their defaults.
    pub(super) fn defaults(&mut self, spec: &'static TileOpSpec) {
        for (i, field) in spec.fields.iter().enumerate() {
            if field.since <= self.tables.version || !matches!(field.kind, FieldKind::Attr(_)) {
                continue;
            }
            let value = match field.default {
                Some(DefaultValue::Code(code)) => FieldValue::Enum(code),
                Some(DefaultValue::AllFalse(of)) => {
                    let list = spec.field(of).and_then(|i| self.fields.get(i));
                    let len = if let Some(FieldValue::Operands(list)) = list {
                        list.len()
                    } else {
                        0
                    };
                    FieldValue::Bools(vec![false; len])
                }
                None => FieldValue::Absent,
            };
            if let Some(place) = self.fields.get_mut(i) {
                *place = value;
            }
        }
    }
}

/// The fields that have a bit among the flags, in the order of the bits.
fn flagged(spec: &'static TileOpSpec) -> impl Iterator<Item = (usize, &'static TileFieldSpec)> {
    let places = layout(spec).flagged.iter();
    places.filter_map(|&i| Some((i, spec.fields.get(i)?)))
}

fn case(cursor: &mut Cursor<'_>, spec: &'static EnumSpec, what: &str, version: Version) -> Read<u8> {
    let at = cursor.at();
    let code = cursor.varint(what)?;
    match spec.by_code(code) {
        Some(case) if case.since <= version => Ok(case.code),
        Some(case) => fault(
            at,
            Code::BadEnumValue,
            format!(
                "`{what}` is {}, which needs bytecode version {}, but the file has {version}",
                case.word, case.since
            ),
        ),
        None => fault(
            at,
            Code::BadEnumValue,
            format!("`{what}` is {code}, which stands for no {}", spec.name),
        ),
    }
}
