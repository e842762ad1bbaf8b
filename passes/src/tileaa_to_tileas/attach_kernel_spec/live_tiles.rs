//! How many registers the tiles of a function take, without layouts.

use tilewright_irs::core::{Body, Few, OpId, Operation, SideTable, Value, ValueType};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::{MemoryOp, TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};

/// Size of a tile in registers, in bytes, with at least 4 for each element; 0 for other types.
pub(super) fn tile_bytes(ty: &TileAaType) -> u64 {
    match &ty.kind {
        TileAaKind::Tile { shape, element } => {
            let bytes = if element.bits() > 32 { 8 } else { 4 };
            shape.iter().map(|&n| u64::from(n)).product::<u64>() * bytes
        }
        TileAaKind::Scalar(_) | TileAaKind::Memref(_) | TileAaKind::Token => 0,
    }
}

/// Whether an op's results may take the registers of the operands that it is the last to use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reuse {
    InPlace,
    Never,
}

/// The maximum register pressure of the tiles whose types count, in 32-bit registers of all threads.
///
/// A value is live from its definition to its last use in textual order; one that a loop uses and that was defined
/// before it, to the end of the loop. Tiles computed from scalars alone are rematerialised at their uses and not
/// counted.
pub(super) fn registers_at_once(
    body: &Body<TileAa>,
    reuse: Reuse,
    counts: impl Fn(&TileAaType) -> bool,
) -> u64 {
    let lives = Lives::of(body, reuse);
    let mut changes: Vec<(usize, bool, u64)> = Vec::new();
    for (value, ty) in body.values().filter(|(_, ty)| counts(ty)) {
        if let (Some(&begin), None) = (lives.begin.get(value), lives.made.get(value)) {
            let size = tile_bytes(ty) / 4;
            changes.push((begin, true, size));
            changes.push((lives.end.get(value).copied().unwrap_or(begin), false, size));
        }
    }
    changes.sort_unstable_by_key(|&(place, begins, _)| (place, begins == (reuse == Reuse::InPlace)));
    let (mut now, mut most) = (0u64, 0u64);
    for (_, begins, size) in changes {
        if begins {
            now = now.saturating_add(size);
            most = most.max(now);
        } else {
            now = now.saturating_sub(size);
        }
    }
    most
}

/// The registers of all threads, of 32 bits, for tiles that ptxas cannot compute piece by piece, with small elements packed: what is
/// kept across an op that needs whole tiles (a reduction, a scan, the end of a loop or branch), and what is loaded until the next
/// such op, all at once.
pub(super) fn registers_across_joints(body: &Body<TileAa>) -> u64 {
    let lives = Lives::of(body, Reuse::InPlace);
    let bits = |value: Value| match &body.ty(value).kind {
        TileAaKind::Tile { shape, element } => {
            let elements = shape.iter().map(|&n| u64::from(n)).product::<u64>();
            elements.saturating_mul(u64::from(element.bits()))
        }
        TileAaKind::Scalar(_) | TileAaKind::Memref(_) | TileAaKind::Token => 0,
    };
    let ranges: Vec<(usize, usize, u64)> = body
        .values()
        .filter(|(value, _)| lives.made.get(*value).is_none())
        .filter_map(|(value, _)| Some((*lives.begin.get(value)?, *lives.end.get(value)?, bits(value))))
        .collect();
    let kept = |joint: usize| {
        ranges
            .iter()
            .filter(move |(begin, end, _)| *begin < joint && *end > joint)
    };
    let joints = lives.joints.iter().copied();
    let next = lives.joints.iter().copied().skip(1).chain([usize::MAX]);
    let within =
        std::iter::once((0, lives.joints.first().copied().unwrap_or(usize::MAX))).chain(joints.zip(next));
    within
        .map(|(from, to)| {
            let kept: u64 = kept(from).map(|(_, _, bits)| bits).sum();
            let loaded = lives.loads.iter().filter(|(place, _)| (from..to).contains(place));
            kept + loaded.map(|&(_, tile)| bits(tile)).sum::<u64>()
        })
        .max()
        .unwrap_or(0)
        / 32
}

/// The live ranges of a body's values, in positions of the textual order.
struct Lives<'a> {
    body: &'a Body<TileAa>,
    /// Where registers are reused, the values that a loop carries take those of the values before it.
    reuse: Reuse,
    next: usize,
    begin: SideTable<Value, usize>,
    end: SideTable<Value, usize>,
    /// Tiles that take no registers: computed from scalars alone.
    made: SideTable<Value, ()>,
    /// The ops that need whole tiles, in order.
    joints: Vec<usize>,
    /// The loads, and their tiles.
    loads: Vec<(usize, Value)>,
}

impl<'a> Lives<'a> {
    fn of(body: &'a Body<TileAa>, reuse: Reuse) -> Self {
        let mut lives = Self {
            body,
            reuse,
            next: 0,
            begin: body.value_table(),
            end: body.value_table(),
            made: body.value_table(),
            joints: Vec::new(),
            loads: Vec::new(),
        };
        if let Some(entry) = body.entry() {
            for &op in &body.block(entry).ops {
                lives.op(op);
            }
        }
        lives
    }

    /// Visits an op and those in its regions; returns the values from before it that they use.
    fn op(&mut self, id: OpId) -> Few<Value> {
        let (op, place) = (self.body.op(id), self.next);
        self.next += 1;
        let handed = op.kind.operand_list();
        let mut used = handed.clone();
        let mut inside = Few::new();
        let single = |v: &Value| self.body.ty(*v).is_single() || self.made.get(*v).is_some();
        let from_scalars = handed.iter().all(single);
        // A thread holds an element that is repeated along an axis once.
        let repeats = matches!(op.kind, TileAaOp::Tile(TileOp::Broadcast { .. }));
        let is_product = matches!(op.kind, TileAaOp::TileAa(TileAaDialect::Dot { .. }));
        for result in op.results() {
            self.begin.set(result, place);
            let free = from_scalars || (repeats && self.reuse == Reuse::InPlace);
            if free && op.kind.is_pure() && !is_product {
                self.made.set(result, ());
            }
        }
        if let Some(load) = MemoryOp::of(op).filter(|op| op.loads) {
            self.loads.push((place, load.data));
        }
        if is_joint(&op.kind) {
            self.joints.push(place);
        }
        for region in op.kind.region_list() {
            for &block in &self.body.region(region).blocks {
                if self.reuse == Reuse::InPlace {
                    for &arg in &self.body.block(block).args {
                        self.begin.set(arg, place);
                    }
                }
                for &inner in &self.body.block(block).ops {
                    inside.extend(self.op(inner));
                }
            }
        }
        if self.reuse == Reuse::InPlace {
            for result in op.results() {
                self.begin.set(result, self.next - 1);
            }
        }
        used.extend(inside.iter().copied());
        used.sort_unstable();
        used.dedup();
        used.retain(|v| self.begin.get(*v).is_none_or(|&begin| begin < place));
        for &value in &used {
            let carried = self.reuse == Reuse::InPlace && handed.contains(&value) && !inside.contains(&value);
            self.end.set(value, if carried { place } else { self.next - 1 });
        }
        used
    }
}

/// Whether an op needs whole tiles of its operands, or of what is live.
fn is_joint(op: &TileAaOp) -> bool {
    matches!(
        op,
        TileAaOp::Scf(_)
            | TileAaOp::TileAa(
                TileAaDialect::Reduce { .. } | TileAaDialect::Scan { .. } | TileAaDialect::Dot { .. }
            )
    )
}
