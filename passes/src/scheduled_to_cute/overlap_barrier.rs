//! Lowers barriers that only arrays with overlapping elements need: a test of extents and strides, which are the same for all
//! threads, and a barrier behind it.

use tilewright_irs::core::{Translated, Value};
use tilewright_irs::dialects::arith::Predicate;
use tilewright_irs::dialects::memory::Memref;
use tilewright_irs::tileas::TileAsType;

use super::agent::{Agent, barrier};
use super::emit::{Cx, at, bug, when};

/// Lowers a `tileas.overlap_barrier`.
pub(super) fn lower(cx: &mut Cx<'_>, memref: Value, agent: Agent) -> Translated {
    let TileAsType::Memref(ty) = cx.from.ty(memref) else {
        return Err(bug(
            cx.origin(),
            "a barrier for the elements of something else than a memref",
        ));
    };
    match ty.has_distinct_addresses() {
        Some(true) => {}
        Some(false) => barrier(cx, agent),
        None => {
            let overlap = may_overlap(cx, memref, ty)
                .ok_or_else(|| bug(cx.origin(), "an array without all of its extents and strides"))?;
            when(cx, overlap, &[], |cx| {
                barrier(cx, agent);
                Ok(Vec::new())
            })?;
        }
    }
    Ok(())
}

/// Whether some stride is smaller than what the axes inside of its own span; see [`Memref::axes_from_innermost`].
fn may_overlap(cx: &mut Cx<'_>, memref: Value, ty: &Memref) -> Option<Value> {
    let mut open = cx.all(memref).to_vec().into_iter().skip(1);
    let mut emit = at(cx);
    let mut sizes = |known: &[Option<u64>]| -> Option<Vec<Value>> {
        let size = |size: &Option<u64>| size.map_or_else(|| open.next(), |size| Some(emit.i64(size)));
        known.iter().map(size).collect()
    };
    let (extents, strides) = (sizes(&ty.extents)?, sizes(&ty.strides)?);
    let mut span = emit.i64(1);
    let mut overlap = emit.i1(false);
    for axis in ty.axes_from_innermost() {
        let (&stride, &extent) = (strides.get(axis)?, extents.get(axis)?);
        let inside = emit.compare(stride, Predicate::Less, span);
        overlap = emit.or(overlap, inside);
        span = emit.mul(stride, extent);
    }
    Some(overlap)
}
