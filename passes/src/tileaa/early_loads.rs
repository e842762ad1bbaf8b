//! Loads that may be issued early, for passes within `tileaa`.

use tilewright_irs::core::{Block, Body, OpId, Operation, SideTable, Value, ValueType};
use tilewright_irs::element::ElementType;
use tilewright_irs::machine::threads;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};

/// Loads that can be issued before the rest of their iteration, with the ops that they need.
pub(super) struct EarlyLoads {
    /// The ops, in order.
    pub(super) ops: Vec<OpId>,
    /// The results of loads, tokens included.
    pub(super) loaded: Vec<Value>,
    /// The bytes that each thread loads.
    pub(super) bytes: u64,
    /// The bytes of registers that hold them, with at least 4 bytes for an element.
    pub(super) held: u64,
}

impl EarlyLoads {
    /// Whether an op is one of them.
    pub(super) fn contains(&self, id: OpId) -> bool {
        self.ops.contains(&id)
    }
}

/// The weak loads directly in a loop's body whose operands, tokens included, follow from the counter and from values
/// from outside of the loop by pure ops. `None` if there are none.
///
/// Memory ops are ordered by tokens only, so such a load may be moved before all other ops of its iteration, and of the
/// iterations before.
pub(super) fn early_loads(body: &Body<TileAa>, block: Block, num_warps: u32) -> Option<EarlyLoads> {
    // What depends on an earlier iteration or is not computed early.
    let mut late: SideTable<Value, ()> = body.value_table();
    for &arg in body.block(block).args.iter().skip(1) {
        late.set(arg, ());
    }
    let mut candidates = Vec::new();
    for &id in &body.block(block).ops {
        let op = body.op(id);
        let mut early =
            (op.kind.is_pure() && op.kind.region_list().is_empty()) || is_weak_load_to_registers(&op.kind);
        op.kind.operands(&mut |value| early &= late.get(value).is_none());
        if early {
            candidates.push(id);
        } else {
            op.results().for_each(|result| late.set(result, ()));
        }
    }
    // Of these, the loads and what they need.
    let mut needed: SideTable<Value, ()> = body.value_table();
    let mut early = EarlyLoads {
        ops: Vec::new(),
        loaded: Vec::new(),
        bytes: 0,
        held: 0,
    };
    for &id in candidates.iter().rev() {
        let op = body.op(id);
        let loads = is_weak_load_to_registers(&op.kind);
        if loads || op.results().any(|result| needed.get(result).is_some()) {
            op.kind.operands(&mut |value| needed.set(value, ()));
            early.ops.push(id);
        }
        if loads {
            early.loaded.extend(op.results());
            early.bytes += loaded_bytes(body, id, num_warps);
            early.held += held_bytes(body, id, num_warps);
        }
    }
    early.ops.reverse();
    (!early.loaded.is_empty()).then_some(early)
}

/// Whether threads exchange numbers in an op.
pub(super) fn is_reduction(op: &TileAaOp) -> bool {
    matches!(
        op,
        TileAaOp::TileAa(TileAaDialect::Reduce { .. } | TileAaDialect::Scan { .. })
    )
}

/// Whether an op is a load that orders nothing and that no concurrent store may touch.
pub(super) fn is_weak_load(op: &TileAaOp) -> bool {
    matches!(
        op,
        TileAaOp::TileAa(TileAaDialect::Load { ordering, .. } | TileAaDialect::GatherLoad { ordering, .. })
            if ordering.is_weak()
    )
}

/// Whether an op is such a load, and to registers.
pub(super) fn is_weak_load_to_registers(op: &TileAaOp) -> bool {
    let is_routed = matches!(
        op,
        TileAaOp::TileAa(
            TileAaDialect::Load { route: Some(_), .. } | TileAaDialect::GatherLoad { route: Some(_), .. }
        )
    );
    is_weak_load(op) && !is_routed
}

/// The bytes of registers that the results of an op take in each thread: at least a register of 4 bytes for an element.
pub(super) fn held_bytes(body: &Body<TileAa>, id: OpId, num_warps: u32) -> u64 {
    bytes_in_thread(body, id, num_warps, 4)
}

/// The bytes of an op's results in each thread.
pub(super) fn loaded_bytes(body: &Body<TileAa>, id: OpId, num_warps: u32) -> u64 {
    bytes_in_thread(body, id, num_warps, 1)
}

/// The bytes of an op's results in each thread, with at least `least` bytes for each element.
fn bytes_in_thread(body: &Body<TileAa>, id: OpId, num_warps: u32, least: u64) -> u64 {
    let threads = u64::from(threads(num_warps.max(1)));
    let results = body.op(id).results();
    results
        .map(|result| tile_bytes(body.ty(result), least).div_ceil(threads))
        .sum()
}

/// The size of a tile or a scalar with at least `least` bytes for each element; 0 for other types.
fn tile_bytes(ty: &TileAaType, least: u64) -> u64 {
    match &ty.kind {
        TileAaKind::Scalar(_) | TileAaKind::Tile { .. } => {
            let bits = ty.element().map_or(0, ElementType::bits);
            let count: u64 = ty
                .shape()
                .unwrap_or_default()
                .iter()
                .map(|&n| u64::from(n))
                .product();
            count * u64::from(bits.div_ceil(8)).max(least)
        }
        TileAaKind::Memref(_) | TileAaKind::Token => 0,
    }
}
