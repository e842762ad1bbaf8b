//! Loads and stores of matrices of a warp.

use tilewright_irs::core::{Translated, Value};
use tilewright_irs::cute_types::{LoadMatrix, MatrixOrder as Written, MatrixPattern, StoreMatrix};
use tilewright_irs::dialects::cute_nvgpu::MatrixOrder;
use tilewright_irs::dialects::fragment::FragmentOp;

use super::bytes;
use super::elements::Tensor;
use crate::cute_to_cute_desugared::state::{Cx, unsupported};

/// Bytes of a matrix that a thread has.
const THREAD_BYTES: u32 = 4;

const fn order(written: Written) -> MatrixOrder {
    match written {
        Written::Normal => MatrixOrder::Normal,
        Written::Transposed => MatrixOrder::Transposed,
    }
}

/// One `ldmatrix` of rows to which the warp's lanes point.
pub(super) fn load(
    cx: &mut Cx<'_>,
    matrix: &LoadMatrix,
    source: &Tensor,
    destination: &Tensor,
    pred: Option<Value>,
) -> Translated {
    let count = matrix.matrices.get();
    let elements = count * THREAD_BYTES / bytes(destination.scalar);
    let fits = usize::try_from(elements) == Ok(destination.indices.len());
    if pred.is_some() || !fits || !matches!(matrix.pattern, MatrixPattern::U16 | MatrixPattern::U8) {
        return Err(unsupported(
            cx.origin(),
            format!("a load of {count} matrices in this form"),
        ));
    }
    let pointer = source.address(cx)?;
    let op = FragmentOp::LoadMatrix {
        pointer,
        offsets: vec![0],
        count,
        order: order(matrix.order),
    };
    let loaded = cx.value(op, destination.ty(destination.indices.len()));
    destination.store(cx, loaded, None)
}

/// One `stmatrix` to rows to which the warp's lanes point.
pub(super) fn store(
    cx: &mut Cx<'_>,
    matrix: &StoreMatrix,
    source: &Tensor,
    destination: &Tensor,
    pred: Option<Value>,
) -> Translated {
    let count = matrix.matrices.get();
    let elements = count * THREAD_BYTES / bytes(source.scalar);
    if usize::try_from(elements) != Ok(source.indices.len()) {
        return Err(unsupported(
            cx.origin(),
            format!("a store of {count} matrices in this form"),
        ));
    }
    let value = source.load(cx, None)?;
    let pointer = destination.address(cx)?;
    cx.build().effect(FragmentOp::StoreMatrix {
        pointer,
        value,
        pred,
        offsets: vec![0],
        count,
        order: order(matrix.order),
    });
    Ok(())
}
