//! Asynchronous copies from global to shared memory.

use tilewright_irs::core::{Translated, Value};
use tilewright_irs::dialects::fragment::FragmentOp;

use super::elements::Tensor;
use crate::cute_to_cute_desugared::state::{Cx, unsupported};

/// One `cp.async`; where the predicate does not hold, zeros are stored.
pub(super) fn lower(
    cx: &mut Cx<'_>,
    source: &Tensor,
    destination: &Tensor,
    pred: Option<Value>,
) -> Translated {
    let vector = u32::try_from(source.indices.len()).unwrap_or(u32::MAX);
    if source.indices.len() != destination.indices.len()
        || !source.is_contiguous()
        || !destination.is_contiguous()
    {
        let message = "an asynchronous copy whose elements are not adjacent";
        return Err(unsupported(cx.origin(), message));
    }
    let (to, source) = (destination.address(cx)?, source.address(cx)?);
    cx.build().effect(FragmentOp::CopyAsync {
        to,
        source,
        pred,
        sizes: None,
        cache_policy: None,
        offsets: vec![0],
        source_offsets: vec![0],
        vector,
        prefetch: None,
    });
    Ok(())
}
