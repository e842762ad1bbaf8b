//! Owned copies of op fields.

use tilewright_irs::cuda_tile::{AttrRef, FieldRef, FieldValue};

/// Converts a field to the form that a reader returns.
pub(crate) fn owned(field: FieldRef<'_>) -> FieldValue {
    match field {
        FieldRef::Operand(value) => FieldValue::Operand(value),
        FieldRef::OptionalOperand(None) | FieldRef::Attr(None) => FieldValue::Absent,
        FieldRef::OptionalOperand(Some(value)) => FieldValue::Operand(value),
        FieldRef::Operands(values) => FieldValue::Operands(values.to_vec()),
        FieldRef::Region(region) => FieldValue::Region(region),
        FieldRef::Flag(set) => FieldValue::Flag(set),
        FieldRef::Attr(Some(attr)) => match attr {
            AttrRef::Enum(code) => FieldValue::Enum(code),
            AttrRef::I64(number) => FieldValue::I64(number),
            AttrRef::I32(number) => FieldValue::I32(number),
            AttrRef::Bool(truth) => FieldValue::Bool(truth),
            AttrRef::String(text) => FieldValue::String(text.to_owned()),
            AttrRef::Symbol(name) => FieldValue::Symbol(name.to_owned()),
            AttrRef::I32s(list) => FieldValue::I32s(list.to_vec()),
            AttrRef::Bools(list) => FieldValue::Bools(list.to_vec()),
            AttrRef::Dense(dense) => FieldValue::Dense(dense.clone()),
            AttrRef::Predicate(predicate) => FieldValue::Predicate(predicate.clone()),
            AttrRef::Attrs(list) => FieldValue::Attrs(list.to_vec()),
            AttrRef::Exprs(list) => FieldValue::Exprs(list.to_vec()),
            AttrRef::Hints(hints) => FieldValue::Hints(hints.clone()),
        },
    }
}
