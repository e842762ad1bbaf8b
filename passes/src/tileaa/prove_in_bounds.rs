//! Marks the axes along which a tile access is provably in bounds. `tileaa` to `tileaa`.
//!
//! In: any function, with facts in its types. Out: the same ops; a tiled access has `inbounds` along each axis
//! where facts prove that the index is not negative and `index * step + tile` is at most the array's extent. A load
//! that is in bounds along all axes has no padding. Existing marks are kept.
//!
//! It does not suffice that the extent is a multiple of the tile: there are no partial tiles then, but the index may
//! be beyond the last tile. Without a bound on the index such an access keeps one comparison at run time.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, Origin};
use tilewright_irs::dialects::memory::TileAccess;
use tilewright_irs::tileaa::{TileAa, TileAaOp};

use super::tiled::{Extent, TiledAxis, tiled_axes};

/// Marks accesses that facts prove to be in bounds.
///
/// Never fails; the result's type is that of every pass.
pub fn prove_in_bounds(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut out = func.clone();
    let body = &func.body;
    let definitions = body.definitions();
    for id in body.walk() {
        let Some(axes) = tiled_axes(body, &definitions, id) else {
            continue;
        };
        let proven: Vec<bool> = axes
            .iter()
            .map(|axis| axis.inbounds || always_inside(body, axis))
            .collect();
        if let TileAaOp::TileAa(op) = &mut out.body.op_mut(id).kind
            && let Some(at) = op.field_mut::<TileAccess>()
        {
            at.set_inbounds(proven);
        }
    }
    Ok(out)
}

/// Whether facts prove that all elements of the tile are in bounds along an axis.
fn always_inside(body: &Body<TileAa>, axis: &TiledAxis) -> bool {
    let index = &body.ty(axis.index).facts;
    let (Some(0..), Some(last)) = (index.min, index.max) else {
        return false;
    };
    let least = match axis.extent {
        Extent::Known(extent) => Some(extent),
        Extent::Value(value) => body.ty(value).facts.min,
    };
    let end = i128::from(last) * i128::from(axis.step) + i128::from(axis.tile);
    least.is_some_and(|least| end <= i128::from(least))
}
