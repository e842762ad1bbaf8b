//! Narrows tiles to the elements that can reach memory. `tileaa` to `tileaa`.
//!
//! In: any function. Out: the same function, where a tile that is stored to an array of fewer elements along an axis has
//! no more elements than the array, rounded up to a power of two, and neither have the tiles that it is computed from.
//! The query of a decoding step is one row, say, of which programs load a tile of 64 rows, padded, to multiply it:
//!
//! ```text
//! %q = tileaa.load %queries, [%x, %zero] {steps = [64, 128], ...} : tile<64x128xf16>     // of memref<1x128xf16>
//! %s = tileaa.dot %q, %keys, %zeros : tile<64x256xf32>
//! %o = tileaa.store %results, [%x, %zero], %s {steps = [64, 256], ...}                  // to memref<1x256xf32>
//! ```
//!
//! has tiles of 16 rows then: a store drops what is outside of its array, so that no other row is used. A tile keeps the
//! extents of the smallest matrix instruction along the axes of products.
//!
//! Axes that must have one extent form a [class](super::axis_classes). What uses all elements (a reduction along the
//! axis, a store by pointers, a print) keeps the whole extent of a class.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, Origin, Value};
use tilewright_irs::tileaa::{TileAa, TileAaOp, TileAaType};

use super::axis_classes::{Classes, needs, stored, with_extents};

/// Narrows tiles to the elements that can reach memory.
///
/// # Errors
/// None; the type is that of all passes.
pub fn narrow_tiles(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut func = func.clone();
    if !func.body.ops().any(|(_, op)| stores_part(&func.body, &op.kind)) {
        return Ok(func);
    }
    let mut classes = Classes::of(&func.body);
    let narrowed: Vec<(Value, TileAaType)> = func
        .body
        .values()
        .filter_map(|(value, ty)| Some((value, narrowed(&mut classes, value, ty)?)))
        .collect();
    for (value, ty) in narrowed {
        func.body.set_ty(value, ty);
    }
    Ok(func)
}

/// Whether an op stores a tile of which some elements are outside of the array whatever the index.
fn stores_part(body: &Body<TileAa>, op: &TileAaOp) -> bool {
    let TileAaOp::TileAa(own) = op else { return false };
    let Some((at, tile)) = stored(own) else {
        return false;
    };
    let shape = body.ty(tile).shape().unwrap_or_default();
    shape
        .iter()
        .zip(needs(body, at, shape))
        .any(|(&extent, need)| need < extent)
}

/// The type of a tile with the extents that are needed, if they are fewer than it has.
fn narrowed(classes: &mut Classes, value: Value, ty: &TileAaType) -> Option<TileAaType> {
    let shape = ty.shape()?;
    let mut extents = Vec::with_capacity(shape.len());
    for (axis, &extent) in shape.iter().enumerate() {
        let class = classes.class_of(value, axis)?;
        let need = classes.needed(class);
        extents.push(need.map_or(extent, |need| need.next_power_of_two().min(extent)));
    }
    (extents != shape).then(|| with_extents(ty, extents))
}
