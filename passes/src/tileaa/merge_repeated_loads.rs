//! Merges loads of the same tile. `tileaa` to `tileaa`.
//!
//! In: any function with its number of warps. Out: the same program, where a weak load that is equal to an earlier one in
//! its block, its token included, is replaced by it: a program that reads a tile twice, once to reduce it and once to
//! scale it, loads it once.
//!
//! Between two such loads no store is ordered, so both read the same. Loads differ neither by their hints nor by a padding
//! that the later one does not need. The one that stays has the larger `latency` of both, and may use the tensor memory accelerator
//! only if both may. The tile stays in registers up to its last use, so a function merges loads of at most
//! [`MAX_BYTES`] in each thread. A tile that tensor copies load for products, which read it in shared memory, is not merged with one that
//! they load for other ops, which threads read to registers.
//!
//! Equal pure ops are merged before, since the addresses of a gather are computed for each.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, OpId, Operation, Origin, Region, SideTable, Value};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};

use super::early_loads::{held_bytes, is_weak_load};
use crate::cleanup::merge_common_subexpressions;
use crate::cleanup::substitute::Substitute;
use crate::uses::users_of;

/// The most bytes of each thread's registers that hold tiles for a second use.
pub(super) const MAX_BYTES: u64 = 192;

/// Merges repeated loads.
///
/// # Errors
/// None; the type is that of all passes.
pub fn merge_repeated_loads(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    if func.body.ops().filter(|(_, op)| is_weak_load(&op.kind)).count() < 2 {
        return Ok(func.clone());
    }
    let mut func = merge_common_subexpressions(func)?;
    let users = users_of(&func.body);
    let loads = func.body.walk().into_iter();
    let multiplied = loads.filter(|&id| {
        is_weak_load(&func.body.op(id).kind) && is_multiplied(&func.body, &users, func.body.op(id).result(0))
    });
    let mut merge = Merge {
        multiplied: multiplied.collect(),
        values: func.body.value_table(),
        num_warps: func.attrs.num_warps.unwrap_or(1),
        held: FxHashSet::default(),
        room: MAX_BYTES,
        body: func.body,
    };
    merge.region(merge.body.root());
    merge
        .body
        .follow_replaced(|value| merge.values.get(value).copied());
    func.body = merge.body.renumbered();
    Ok(func)
}

struct Merge {
    body: Body<TileAa>,
    /// The replacement of each result of a merged load.
    values: SideTable<Value, Value>,
    num_warps: u32,
    /// The loads whose tiles, or views of them, products multiply.
    multiplied: FxHashSet<OpId>,
    /// The loads that replace others.
    held: FxHashSet<OpId>,
    /// How many bytes of each thread's registers may still hold tiles.
    room: u64,
}

/// Whether a product multiplies a tile or a view of it.
fn is_multiplied(body: &Body<TileAa>, users: &FxHashMap<Value, Vec<OpId>>, tile: Value) -> bool {
    let mut users_of_tile = users.get(&tile).into_iter().flatten();
    users_of_tile.any(|&user| match &body.op(user).kind {
        TileAaOp::Tile(TileOp::Reshape { .. } | TileOp::Permute { .. }) => {
            is_multiplied(body, users, body.op(user).result(0))
        }
        op => matches!(op, TileAaOp::TileAa(TileAaDialect::Dot { .. })),
    })
}

/// Whether tensor copies do a load.
fn is_boxed(op: &TileAaOp) -> bool {
    let TileAaOp::TileAa(TileAaDialect::Load { route, .. }) = op else {
        return false;
    };
    route.as_ref().is_some_and(|route| route.boxes().is_some())
}

/// A load without its hints and its padding.
pub(super) fn stripped(op: &TileAaOp) -> TileAaOp {
    let mut op = op.clone();
    if let TileAaOp::TileAa(TileAaDialect::Load {
        at,
        latency,
        allow_tma,
        ..
    }) = &mut op
    {
        (at.padding, *latency, *allow_tma) = (None, None, None);
    }
    if let TileAaOp::TileAa(TileAaDialect::GatherLoad { latency, other, .. }) = &mut op {
        (*latency, *other) = (None, None);
    }
    op
}

/// The hints of a load: its latency, and whether it may use the tensor memory accelerator.
fn hints(op: &TileAaOp) -> (Option<u32>, Option<bool>) {
    match op {
        TileAaOp::TileAa(TileAaDialect::Load {
            latency, allow_tma, ..
        }) => (*latency, *allow_tma),
        TileAaOp::TileAa(TileAaDialect::GatherLoad { latency, .. }) => (*latency, None),
        _ => (None, None),
    }
}

/// Adds the hints of an equal load to a load.
fn add_hints(op: &mut TileAaOp, (latency, allow_tma): (Option<u32>, Option<bool>)) {
    let (own_latency, own_allow_tma) = match op {
        TileAaOp::TileAa(TileAaDialect::Load {
            latency, allow_tma, ..
        }) => (latency, Some(allow_tma)),
        TileAaOp::TileAa(TileAaDialect::GatherLoad { latency, .. }) => (latency, None),
        _ => return,
    };
    *own_latency = latency.max(*own_latency);
    if let Some(own) = own_allow_tma {
        *own = match (*own, allow_tma) {
            (Some(own), Some(other)) => Some(own && other),
            (own, other) => own.or(other),
        };
    }
}

/// Whether the later of two loads that are equal but for that may be replaced by the earlier.
pub(super) fn pads_alike(earlier: &TileAaOp, later: &TileAaOp) -> bool {
    let padding = |op: &TileAaOp| match op {
        TileAaOp::TileAa(TileAaDialect::Load { at, .. }) => at.padding,
        _ => None,
    };
    let other = |op: &TileAaOp| match op {
        TileAaOp::TileAa(TileAaDialect::GatherLoad { other, .. }) => *other,
        _ => None,
    };
    (padding(later).is_none() || padding(later) == padding(earlier))
        && (other(later).is_none() || other(later) == other(earlier))
}

impl Merge {
    fn region(&mut self, region: Region) {
        for block in self.body.region(region).blocks.clone() {
            let mut known: Vec<OpId> = Vec::new();
            let mut ops = self.body.block(block).ops.clone();
            ops.retain(|&id| {
                self.body.op_mut(id).kind.remap(&mut Substitute(&self.values));
                for inner in self.body.op(id).kind.region_list() {
                    self.region(inner);
                }
                !self.repeats(&mut known, id)
            });
            self.body.arrange_ops(block, ops);
        }
    }

    /// Whether a load is equal to an earlier one, whose results then replace its own.
    fn repeats(&mut self, known: &mut Vec<OpId>, id: OpId) -> bool {
        let op = self.body.op(id);
        if !is_weak_load(&op.kind) {
            return false;
        }
        let form = stripped(&op.kind);
        let earlier = known.iter().find(|&&earlier| {
            let is_alike = self.multiplied.contains(&earlier) == self.multiplied.contains(&id);
            let earlier = self.body.op(earlier);
            stripped(&earlier.kind) == form
                && pads_alike(&earlier.kind, &op.kind)
                && (is_alike || !is_boxed(&op.kind))
        });
        let Some(&earlier) = earlier else {
            known.push(id);
            return false;
        };
        let bytes = held_bytes(&self.body, earlier, self.num_warps);
        if !self.held.contains(&earlier) {
            if bytes > self.room {
                return false;
            }
            self.room -= bytes;
            self.held.insert(earlier);
        }
        let hints = hints(&op.kind);
        let pairs: Vec<(Value, Value)> = op.results().zip(self.body.op(earlier).results()).collect();
        for (repeated, first) in pairs {
            self.values.set(repeated, first);
        }
        add_hints(&mut self.body.op_mut(earlier).kind, hints);
        true
    }
}
