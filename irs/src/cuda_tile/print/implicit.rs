//! The ends of regions that the text leaves out.

use crate::cuda_tile::ops::{ControlOp, TileOp};

/// Whether the op is left out at the end of a region that ends with `implicit` when nothing is said.
pub(super) fn is_implicit(op: &TileOp, implicit: &str) -> bool {
    match op {
        TileOp::Control(ControlOp::Yield { operands } | ControlOp::Continue { operands }) => {
            operands.is_empty() && op.tile_spec().name == implicit
        }
        _ => false,
    }
}

/// The terminator that the text leaves out at the end of the op's regions, if it passes no values.
pub(super) fn implicit_terminator(op: &TileOp) -> &'static str {
    match op {
        TileOp::Control(ControlOp::For { .. } | ControlOp::Loop { .. }) => "continue",
        TileOp::Control(ControlOp::If { .. }) => "yield",
        _ => "",
    }
}
