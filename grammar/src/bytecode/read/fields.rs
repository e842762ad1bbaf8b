//! Reads the flags, attributes and operands of an op.

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::cuda_tile::declare::MAX_FIELDS;
use tilewright_irs::cuda_tile::enums::EnumSpec;
use tilewright_irs::cuda_tile::{
    AttrKind, DefaultValue, FieldKind, FieldValue, TileFieldSpec, TileOpSpec, TileType, Version,
};

use super::super::layout::Layout;
use super::attrs::tagged_predicate;
use super::body::BodyReader;
use super::cursor::{Cursor, Read, fault};
use super::external::exprs;

/// The optional fields that are present: a bit for each, by its position in the declaration.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Present(u32);

const _: () = assert!(MAX_FIELDS <= u32::BITS as usize);

impl Present {
    fn insert(&mut self, field: usize) {
        self.0 |= 1 << field;
    }

    fn contains(self, field: usize) -> bool {
        self.0 >> field & 1 == 1
    }
}

impl BodyReader<'_, '_> {
    /// The presence bits, by field.
    pub(super) fn flags(&mut self, spec: &'static TileOpSpec, layout: &'static Layout) -> Read<Present> {
        let version = self.tables.version;
        let mut set = Present::default();
        let mut flagged = layout.flagged.iter();
        if !flagged.any(|(_, field)| field.since <= version) {
            return Ok(set);
        }
        let at = self.cursor.at();
        let mut flags = self.cursor.varint("an op's flags")?;
        if flags == 0 {
            return Ok(set);
        }
        let whole = flags;
        for &(i, field) in &layout.flagged {
            if flags & 1 == 1 {
                if field.since > version {
                    let message = format!(
                        "`{}` of `cuda_tile.{}` needs bytecode version {}, but the file has {version}",
                        field.name, spec.name, field.since
                    );
                    return fault(at, Code::UnknownFlags, message);
                }
                set.insert(i);
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

    /// Sets a field of the current op, which is absent until then.
    fn set(&mut self, field: usize, value: FieldValue) {
        if let Some(place) = self.fields.get_mut(field) {
            *place = value;
        }
    }

    /// Reads the attributes that are present.
    pub(super) fn attributes(&mut self, layout: &'static Layout, present: Present) -> Read<()> {
        for &(i, field) in &layout.attributes {
            let value = match field.kind {
                FieldKind::Flag if present.contains(i) => FieldValue::Flag(true),
                FieldKind::Attr(kind) if field.since <= self.tables.version => self.attribute(field, kind)?,
                FieldKind::OptionalAttr(kind) if present.contains(i) => self.attribute(field, kind)?,
                FieldKind::Flag
                | FieldKind::Attr(_)
                | FieldKind::OptionalAttr(_)
                | FieldKind::Operand
                | FieldKind::OptionalOperand
                | FieldKind::Operands
                | FieldKind::Region => continue,
            };
            self.set(i, value);
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
                // Negative numbers are written in two's complement, in 32 or 64 bits.
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
            AttrKind::Dense => match self.result.map(|value| self.body.ty(value)) {
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
            AttrKind::Exprs => FieldValue::Exprs(exprs(at, self.tables.attrs(cursor)?)?),
        })
    }

    /// Reads the operands that are present.
    pub(super) fn operands(
        &mut self,
        spec: &'static TileOpSpec,
        layout: &'static Layout,
        present: Present,
    ) -> Read<()> {
        // One list and nothing optional: a common count comes first.
        let mut total = None;
        if layout.together {
            let at = self.cursor.at();
            let count = self.cursor.count(1, "a number of operands")?;
            let fixed = layout.fixed;
            let Some(listed) = count.checked_sub(fixed) else {
                let message = format!(
                    "`cuda_tile.{}` has {}, expected at least {fixed}",
                    spec.name,
                    counted(count, "operand")
                );
                return fault(at, Code::OperandCount, message);
            };
            total = Some(listed);
        }
        for &(i, field) in &layout.operands {
            let value = match field.kind {
                FieldKind::Operand => FieldValue::Operand(self.value(spec)?),
                FieldKind::OptionalOperand if present.contains(i) => FieldValue::Operand(self.value(spec)?),
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
            self.set(i, value);
        }
        Ok(())
    }

    /// Sets attributes that are newer than the file to their defaults.
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
            self.set(i, value);
        }
    }
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
