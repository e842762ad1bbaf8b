//! Which register of its source each register of a tile stems from, where no element leaves its thread.
//!
//! The verifier asks whether there is an answer; the lowering to fragments uses it.

use tilewright_layouts::{LayoutError, LinearLayout, RegisterMap};

use super::types::TileAsType;
use crate::core::Operation;
use crate::dialects::tile::TileOp;

/// The registers that a shape op takes, if both its operand `from` and its result `to` are tiles and the op moves
/// elements at all.
///
/// # Errors
/// Words for the user: an element would have to leave its thread.
pub fn shape_registers(
    op: &TileOp,
    from: &TileAsType,
    to: &TileAsType,
) -> Result<Option<RegisterMap>, String> {
    let (Some(have), Some(layout)) = (from.layout(), to.layout()) else {
        return Ok(None);
    };
    let wanted = match op {
        TileOp::Broadcast { .. } => repeated_axes(have, layout),
        TileOp::Reshape { .. } => layout.reshape_outs(&have.shape()),
        TileOp::Permute { permutation, .. } => {
            let mut back = vec![0; permutation.len()];
            for (i, &axis) in permutation.iter().enumerate() {
                if let Some(slot) = back.get_mut(axis as usize) {
                    *slot = i;
                }
            }
            layout.permute_axes(&back)
        }
        TileOp::Splat { .. } | TileOp::Iota {} | TileOp::PtrAdd { .. } => return Ok(None),
    };
    let wanted = wanted.map_err(|error| format!("the layouts of a shape op: {error}"))?;
    match wanted.registers_from(have) {
        Some(map) => Ok(Some(map)),
        None => Err(format!(
            "the layouts of `{}` would move elements between threads: from `{have}` to `{layout}`",
            op.name()
        )),
    }
}

/// The result's layout as one of the source's shape: every element of a repeated axis is the source's only one there.
fn repeated_axes(have: &LinearLayout, layout: &LinearLayout) -> Result<LinearLayout, LayoutError> {
    let (from, to) = (have.shape(), layout.shape());
    let axes = from.iter().zip(&to).enumerate();
    let repeated = axes.filter_map(|(axis, (a, b))| (a != b).then_some(axis));
    repeated
        .into_iter()
        .try_fold(layout.clone(), |layout, axis| layout.slice(axis))
}
