//! Queries about tiles of a body and layout relations of ops.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, OpData, Origin, Value, ValueType};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::tileaa::{TileAa, TileAaKind, TileAaOp};
use tilewright_irs::tileas::shape_operand_layout;
use tilewright_layouts::linear::Spread;
use tilewright_layouts::{Blocked, LayoutError, LinearLayout};

/// The default size of a vector, in bytes.
const VECTOR_BYTES: u32 = 16;

pub(super) fn is_tile(body: &Body<TileAa>, value: Value) -> bool {
    matches!(body.ty(value).kind, TileAaKind::Tile { .. })
}

pub(super) fn wrong(origin: Origin, error: &LayoutError) -> Diagnostic<Origin> {
    Diagnostic::error(Code::BadLayout, format!("no layout for this tile: {error}")).at(origin, "")
}

/// Size of an element in a layout conversion, in bytes: at least one.
pub(super) fn exchange_bytes(body: &Body<TileAa>, value: Value) -> u32 {
    body.ty(value).element().map_or(8, ElementType::stored_bytes)
}

/// A layout for a tile without constraints.
pub(super) fn default_layout(
    body: &Body<TileAa>,
    value: Value,
    num_warps: u32,
) -> Result<LinearLayout, LayoutError> {
    let shape = body.ty(value).shape().unwrap_or_default();
    let order: Vec<usize> = (0..shape.len()).rev().collect();
    Blocked::coalesced(shape, vector_elements(body, value), &order, num_warps)?.to_linear(shape)
}

/// The elements of a tile that one access of a thread moves at most.
pub(super) fn vector_elements(body: &Body<TileAa>, value: Value) -> u32 {
    let bytes = exchange_bytes(body, value).next_power_of_two();
    (VECTOR_BYTES / bytes).max(1)
}

/// The layout that the tile operands of a pure op must have so that its result has the layout `result`, without
/// moving an element to another thread. It is the same for all tile operands of the op.
///
/// # Errors
/// A limit of the layouts is exceeded.
pub(super) fn operand_layout(
    body: &Body<TileAa>,
    op: &OpData<TileAa>,
    result: &LinearLayout,
) -> Result<LinearLayout, LayoutError> {
    match &op.kind {
        TileAaOp::Tile(tile) => match tile {
            TileOp::Broadcast { source } | TileOp::Reshape { source } | TileOp::Permute { source, .. } => {
                shape_operand_layout(tile, body.ty(*source).shape().unwrap_or_default(), result)
            }
            TileOp::Splat { .. } | TileOp::Iota {} | TileOp::PtrAdd { .. } => Ok(result.clone()),
        },
        TileAaOp::Arith(_) | TileAaOp::Math(_) | TileAaOp::Scf(_) | TileAaOp::TileAa(_) => Ok(result.clone()),
    }
}

/// The layout of a shape op's result, if its operand has `source` and no element moves.
pub(super) fn result_layout(
    body: &Body<TileAa>,
    op: &OpData<TileAa>,
    source: &LinearLayout,
) -> Result<LinearLayout, LayoutError> {
    let shape = body.ty(op.result(0)).shape().unwrap_or_default();
    match &op.kind {
        TileAaOp::Tile(TileOp::Broadcast { .. }) => {
            let mut layout = source.clone();
            for (axis, (&from, &to)) in source.shape().iter().zip(shape).enumerate() {
                if from < to {
                    layout = layout.broadcast(axis, to, Spread::CopiesFirst)?;
                }
            }
            Ok(layout)
        }
        TileAaOp::Tile(TileOp::Reshape { .. }) => source.reshape_outs(shape),
        TileAaOp::Tile(TileOp::Permute { permutation, .. }) => {
            let axes: Vec<usize> = permutation.iter().map(|&axis| axis as usize).collect();
            source.permute_axes(&axes)
        }
        TileAaOp::Tile(TileOp::Splat { .. } | TileOp::Iota {} | TileOp::PtrAdd { .. })
        | TileAaOp::Arith(_)
        | TileAaOp::Math(_)
        | TileAaOp::Scf(_)
        | TileAaOp::TileAa(_) => Ok(source.clone()),
    }
}
