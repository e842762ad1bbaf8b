//! Loads and stores of one thread.

use tilewright_irs::core::{Translated, Value};

use super::elements::Tensor;
use crate::cute_to_cute_desugared::state::{Cx, unsupported};

/// Loads the elements and stores them, where the predicate holds. Elements of another type are copied bit by bit.
pub(super) fn lower(
    cx: &mut Cx<'_>,
    source: &Tensor,
    destination: &Tensor,
    pred: Option<Value>,
) -> Translated {
    let (from, to) = (source.indices.len(), destination.indices.len());
    if from != to {
        let message = format!("a copy of {from} elements to {to}");
        return Err(unsupported(cx.origin(), message));
    }
    let value = match source.scalar == destination.scalar {
        true => source.load(cx, pred)?,
        false => source.with_elements_of(cx, destination)?.load(cx, pred)?,
    };
    destination.store(cx, value, pred)
}
