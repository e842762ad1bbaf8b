//! Has the blocks of a cluster load a tile that all of them need together: each copies a part of it to all (PTX ISA,
//! `cp.async.bulk.tensor` with `.multicast::cluster`), so that it is read once for the cluster.
//!
//! Blocks need the same tile if nothing that describes it depends on the rank of the block in its cluster, and load it equally
//! often if no loop or branch around the copy does. The boxes of the tile are halved until each block has one.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Body, Func, OpId, Operation, Value};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::{Buffer, TileAsDialect};
use tilewright_layouts::Dim;

use crate::program_slice::Places;

/// Marks the copies among `loading` that the blocks of a cluster share.
pub(super) fn share_copies(func: &mut Func<Scheduled>, loading: &[OpId]) {
    let blocks = func.attrs.kernel_spec.num_ctas;
    if blocks < 2 {
        return;
    }
    let body = &func.body;
    let places = Places::of(body);
    let own = values_of_rank(body, &places);
    let copies: Vec<(OpId, Value, Boxes)> = loading
        .iter()
        .filter_map(|&id| {
            let (map, boxes) = shared_boxes(body, id, blocks)?;
            let needs = body.op(id).kind.operand_list();
            let around = |id: OpId| places.around(places.block(id)?);
            let is_same = needs.iter().all(|value| !own.contains(value))
                && std::iter::successors(around(id), |&id| around(id)).all(|id| {
                    let operands = body.op(id).kind.operand_list();
                    operands.iter().all(|value| !own.contains(value))
                });
            is_same.then_some((id, map, boxes))
        })
        .collect();
    // The copies that take the stages of one ring in turn are all of one kind.
    let is_shared = |id: OpId| copies.iter().any(|(other, ..)| *other == id);
    let in_turn = |id: OpId| ring_of(body, &places, id);
    let with_others = |&id: &OpId| {
        let ring = in_turn(id);
        ring.is_none()
            || loading
                .iter()
                .all(|&other| in_turn(other) != ring || is_shared(other))
    };
    let mut shared: FxHashSet<OpId> = FxHashSet::default();
    let mut boxes_of: FxHashMap<Value, Boxes> = FxHashMap::default();
    for (id, map, boxes) in copies.iter().filter(|(id, ..)| with_others(id)) {
        shared.insert(*id);
        boxes_of.insert(*map, boxes.clone());
    }
    let Ok(mask) = u32::try_from((1u64 << blocks) - 1) else {
        return;
    };
    for id in func.body.walk() {
        let made = func.body.op(id).results().next();
        let (map, atom) = match &mut func.body.op_mut(id).kind {
            ScheduledOp::TileAs(TileAsDialect::TensorMap { atom, .. }) => (made, atom),
            ScheduledOp::TileAs(
                TileAsDialect::CopyIn { map, atom, .. } | TileAsDialect::CopyOut { map, atom, .. },
            ) => (*map, atom),
            _ => continue,
        };
        if let Some(own) = map.and_then(|map| atom.with_boxes(boxes_of.get(&map)?)) {
            *atom = own;
        }
        if let Some(own) = shared.contains(&id).then(|| atom.by_blocks(mask)).flatten() {
            *atom = own;
        }
    }
}

/// The ring whose stages the buffers of several copies take in turn, if that of a copy does.
fn ring_of(body: &Body<Scheduled>, places: &Places<'_, Scheduled>, id: OpId) -> Option<u32> {
    let ScheduledOp::TileAs(TileAsDialect::CopyIn { to, .. }) = &body.op(id).kind else {
        return None;
    };
    match &body.op(places.definition(*to)?).kind {
        ScheduledOp::TileAs(TileAsDialect::Alloc { depth, .. }) => (*depth)?.ring(),
        _ => None,
    }
}

/// The tensor map of a copy, and its boxes such that there is one for each of so many blocks.
fn shared_boxes(body: &Body<Scheduled>, id: OpId, blocks: u32) -> Option<(Value, Boxes)> {
    let ScheduledOp::TileAs(TileAsDialect::CopyIn {
        to,
        map: Some(map),
        atom,
        ..
    }) = &body.op(id).kind
    else {
        return None;
    };
    let buffer = body.ty(*to).buffer()?;
    let mut boxes = atom.boxes()?.clone();
    while !boxes.count(&buffer.shape).is_multiple_of(u64::from(blocks)) {
        boxes = halved(&boxes, buffer)?;
    }
    Some((*map, boxes))
}

/// Boxes of half the size, in the order that the buffer has their elements in; `None` if there are none.
fn halved(boxes: &Boxes, buffer: &Buffer) -> Option<Boxes> {
    let inside: u32 = boxes.extents.iter().map(|extent| extent.ilog2()).sum();
    let layout = buffer.linear()?;
    let last = layout
        .bases(Dim::Offset)
        .nth(inside.checked_sub(1)? as usize)?
        .to_vec();
    let mut along = last.iter().enumerate().filter(|(_, step)| **step != 0);
    let (axis, step) = along.next()?;
    let is_swizzled = along.next().is_some();
    let mut halved = boxes.clone();
    let extent = halved.extents.get_mut(axis)?;
    if is_swizzled || *extent != 2 * step {
        return None;
    }
    *extent = *step;
    let bytes = halved.bytes(buffer.element);
    (bytes >= u64::from(boxes.alignment())).then_some(halved)
}

/// The values that depend on the rank of the block in its cluster.
fn values_of_rank(body: &Body<Scheduled>, places: &Places<'_, Scheduled>) -> FxHashSet<Value> {
    let mut own: FxHashSet<Value> = FxHashSet::default();
    loop {
        let before = own.len();
        for id in body.walk() {
            let kind = &body.op(id).kind;
            let regions = kind.region_list().into_iter();
            let blocks = regions.flat_map(|region| &body.region(region).blocks);
            let args = blocks.flat_map(|&block| body.block(block).args.iter().copied());
            let given: Vec<Value> = args.chain(body.op(id).results()).collect();
            let is_own = match kind {
                ScheduledOp::TileAs(TileAsDialect::BlockRank {}) => true,
                ScheduledOp::Scf(scf) => deciding(body, scf).iter().any(|value| own.contains(value)),
                kind => kind.operand_list().iter().any(|value| own.contains(value)),
            };
            let handed = |value: &Value| {
                let from = places.handed(*value).unwrap_or_default();
                from.iter().any(|from| own.contains(from))
            };
            let more: Vec<Value> = given
                .into_iter()
                .filter(|value| is_own || handed(value))
                .collect();
            own.extend(more);
        }
        if own.len() == before {
            return own;
        }
    }
}

/// The values that decide which iterations a loop has, or which way a branch goes.
fn deciding(body: &Body<Scheduled>, op: &ScfOp) -> Vec<Value> {
    match op {
        ScfOp::For {
            lower, upper, step, ..
        } => vec![*lower, *upper, *step],
        ScfOp::If { condition, .. } => vec![*condition],
        // Anything in it may.
        ScfOp::Loop { inits, body: inner } => {
            let inside = body.walk_region(*inner).into_iter();
            let used = inside.flat_map(|id| body.op(id).kind.operand_list());
            inits.iter().copied().chain(used).collect()
        }
        ScfOp::Continue { .. } | ScfOp::Break { .. } | ScfOp::Yield { .. } | ScfOp::Return {} => Vec::new(),
    }
}
