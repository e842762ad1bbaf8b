//! The fields of an op, to be changed, and the values available to it.

use tilewright_irs::core::{Block, Body, OpId, Operation, Region, Value};
use tilewright_irs::cuda_tile::{CudaTile, FieldValue};

use crate::owned::owned;

/// The fields of an op.
pub(crate) fn fields(body: &Body<CudaTile>, op: OpId) -> Vec<FieldValue> {
    body.op(op).kind.fields().iter().copied().map(owned).collect()
}

/// An op and the values available to it.
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
