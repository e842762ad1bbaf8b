//! Where loads of later iterations are issued: behind the last use of what was in their registers.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, OpId, Operation, SideTable, Value};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::{TileAa, TileAaKind, TileAaOp};

use super::super::early_loads::{EarlyLoads, is_weak_load_to_registers};

/// Where the loads of a later iteration are issued, with what they need.
#[derive(Default)]
pub(super) struct Places {
    /// Before all other ops.
    pub(super) first: Vec<OpId>,
    /// Behind ops of the body.
    pub(super) behind: FxHashMap<OpId, Vec<OpId>>,
}

impl Places {
    /// The places of early loads, each of which is issued behind the op at this position of its body, if there is one.
    pub(super) fn of(
        body: &Body<TileAa>,
        ops: &[OpId],
        early: &EarlyLoads,
        behind: impl Fn(OpId) -> Option<usize>,
    ) -> Self {
        let mut wanted: SideTable<Value, Option<usize>> = body.value_table();
        let mut places = Self::default();
        for &id in early.ops.iter().rev() {
            let op = body.op(id);
            let own = is_weak_load_to_registers(&op.kind).then(|| behind(id));
            let others = op.results().filter_map(|result| wanted.get(result).copied());
            let place = others.chain(own).min().flatten();
            op.kind.operands(&mut |value| {
                let earliest = wanted.get(value).map_or(place, |other| place.min(*other));
                wanted.set(value, earliest);
            });
            match place.and_then(|place| ops.get(place)) {
                Some(&before) => places.behind.entry(before).or_default().push(id),
                None => places.first.push(id),
            }
        }
        places.first.reverse();
        places.behind.values_mut().for_each(|ids| ids.reverse());
        places
    }
}

/// The last of a block's ops that uses what a load loads, or what ops of which `passes_on` holds make of it; `None` if none does.
pub(super) fn last_use(
    body: &Body<TileAa>,
    ops: &[OpId],
    load: OpId,
    passes_on: impl Fn(&TileAaOp) -> bool,
) -> Option<usize> {
    let mut tiles: SideTable<Value, ()> = body.value_table();
    for result in body.op(load).results() {
        if body.ty(result).kind != TileAaKind::Token {
            tiles.set(result, ());
        }
    }
    let mut last = None;
    for (position, &id) in ops.iter().enumerate() {
        let mut operands = with_inner(body, id).flat_map(|id| body.op(id).kind.operand_list());
        if !operands.any(|value| tiles.get(value).is_some()) {
            continue;
        }
        last = Some(position);
        if passes_on(&body.op(id).kind) {
            body.op(id).results().for_each(|result| tiles.set(result, ()));
        }
    }
    last
}

/// The last of a block's ops, but those that are issued early, that uses what a load loads under any shape.
pub(super) fn last_unissued_use(
    body: &Body<TileAa>,
    ops: &[OpId],
    early: &EarlyLoads,
    load: OpId,
) -> Option<usize> {
    let others: Vec<OpId> = ops.iter().copied().filter(|&id| !early.contains(id)).collect();
    let last = others.get(last_use(body, &others, load, reshapes)?)?;
    ops.iter().position(|id| id == last)
}

/// Whether the result of an op is in the registers of its operand.
fn reshapes(op: &TileAaOp) -> bool {
    matches!(
        op,
        TileAaOp::Tile(TileOp::Reshape { .. } | TileOp::Broadcast { .. } | TileOp::Permute { .. })
    )
}

/// An op and those in its regions.
pub(super) fn with_inner(body: &Body<TileAa>, id: OpId) -> impl Iterator<Item = OpId> {
    let regions = body.op(id).kind.region_list().into_iter();
    regions.flat_map(|region| body.walk_region(region)).chain([id])
}
