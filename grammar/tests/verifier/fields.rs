//! The fields of an op, to be changed, and the values that it may use.

use tilewright_irs::core::{Block, Body, OpId, Operation, Region, Value};
use tilewright_irs::cuda_tile::{AttrRef, CudaTile, FieldRef, FieldValue};

/// A field as a reader would deliver it.
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
            AttrRef::Hints(hints) => FieldValue::Hints(hints.clone()),
        },
    }
}

/// The fields of an op.
pub(crate) fn fields(body: &Body<CudaTile>, op: OpId) -> Vec<FieldValue> {
    body.op(op).kind.fields().iter().copied().map(owned).collect()
}

/// An op, and the values that it may use.
pub(crate) struct Place {
    pub(crate) op: OpId,
    pub(crate) visible: Vec<Value>,
}

/// The ops of a body.
pub(crate) fn places(body: &Body<CudaTile>) -> Vec<Place> {
    let mut places = Vec::new();
    let mut todo: Vec<(Block, Vec<Value>)> = body
        .entry()
        .map(|block| (block, Vec::new()))
        .into_iter()
        .collect();
    while let Some((block, mut visible)) = todo.pop() {
        visible.extend(&body.block(block).args);
        for &op in &body.block(block).ops {
            places.push(Place {
                op,
                visible: visible.clone(),
            });
            body.op(op).kind.regions(&mut |region: Region| {
                let blocks = body.region(region).blocks.iter();
                todo.extend(blocks.map(|&block| (block, visible.clone())));
            });
            visible.extend(body.op(op).results());
        }
    }
    places
}
