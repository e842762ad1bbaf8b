//! Chooses the number of warps and blocks of a kernel. `tileaa` to `tileaa`.
//!
//! In: any function. Out: the same function with `num_warps` a power of two from 1 to 32 and `num_ctas` set.
//!
//! A hint for the number of warps is rounded down to a power of two and clamped. Without one the number is the
//! smallest with which no thread holds more than 64 registers of live tiles (16 at most), and at least as many, up
//! to 4, as give each thread at least one access of 16 bytes of the largest tile, or up to 8, of the largest tile that a loop
//! loads. With matrix products only tiles of the
//! types of their accumulators count, up to 128 registers: what they multiply is read from shared memory step by step. The
//! layouts of the products for each number of warps say how many registers such a step takes: if there is a number with which
//! these are left as well, that is taken.
//! A tile that is loaded takes 128 registers at most as well: it may pass through them on its way to shared memory.
//!
//! Where products have routes, the warps are those that compute (see [`choose_routes`](crate::tileaa::choose_routes())):
//! others load, and count for the occupancy only.
//!
//! A hint for the occupancy limits the registers of a thread. It is lowered to what leaves room for the live tiles, with
//! matrix products for their accumulators and the steps of their operands.
//!
//! `num_ctas` stays as [`distribute_tiles`](crate::tileaa::distribute_tiles()) set it, and is 1 without it. Hints never change the
//! results of a program.

mod operand_registers;

use tilewright_irs::core::{Body, Few, Func, OpId, Operation, Origin, SideTable, Value, ValueType};
use tilewright_irs::cuda_tile::Hint;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::machine::{GROUP_WARPS, Multiprocessor, threads};
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{MemoryOp, TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};

use crate::hints::{HintUse, Warned};
use crate::program_slice::Places;
use crate::tileaa::choose_routes::{MAX_WARPS, computing_warps, has_routes};
use operand_registers::operand_registers;

/// The maximum number of warps without a hint.
const MAX_CHOSEN_WARPS: u32 = 16;
/// The default number of warps.
const USUAL_WARPS: u32 = 4;
/// The most warps that have a whole access each of a tile that a loop loads, without other reasons for them: fewer blocks at a
/// time read rows that are more likely to be in the cache when they are read again.
const LOOP_WARPS: u32 = 8;
/// 32-bit registers of a thread for accumulators: half of all, the rest is for operands and addresses.
const ACCUMULATOR_REGISTERS: u64 = 128;
/// 32-bit registers of a thread for a tile that is loaded.
const LOADED_REGISTERS: u64 = 128;
/// 32-bit registers of a thread for live tiles without products. More warps hide more of the latency of memory, barriers and
/// shuffles.
const LIVE_REGISTERS: u64 = 64;
/// 32-bit registers of a thread beside the live tiles: addresses, loop counters and temporaries.
const ADDRESS_REGISTERS: u64 = 32;
/// 32-bit registers of a thread, with products, for what no estimate counts.
const UNCOUNTED_REGISTERS: u64 = 24;
/// The bytes of the widest access.
const ACCESS_BYTES: u64 = 16;

/// Sets the number of warps and of blocks in a cluster.
pub fn attach_kernel_spec(func: &Func<TileAa>) -> Warned<Func<TileAa>> {
    let asked = &func.attrs;
    let routed = has_routes(&func.body);
    let num_warps = match func.attrs.num_warps {
        _ if routed => computing_warps(func, &Places::of(&func.body)),
        Some(hint) => power_of_two_below(hint.clamp(1, Multiprocessor::BLOCK_WARPS)),
        None => choose_warps(&func.body, func.attrs.target),
    };
    let mut hints = Vec::new();
    let mut made = |hint, asked: Option<u32>, used, why: String| {
        hints.extend(asked.map(|asked| HintUse {
            origin: Origin::FUNCTION,
            hint,
            asked: Some(asked),
            used,
            why,
        }));
    };
    let why = match routed {
        true => format!("products by `wgmma` are computed by {GROUP_WARPS} to {MAX_WARPS} warps"),
        false => format!(
            "a block has a power of two of warps, up to {}",
            Multiprocessor::BLOCK_WARPS
        ),
    };
    made(Hint::NumWarps, asked.num_warps, num_warps, why);
    let mut func = func.clone();
    func.attrs.num_warps = Some(num_warps);
    func.attrs.num_ctas.get_or_insert(1);
    if let Some(hint) = func.attrs.occupancy {
        let threads = threads_of(num_warps);
        let (registers, operands) = match registers_of_products(&func.body) {
            // Operands are in shared memory.
            Some(registers) if routed => (registers, 0),
            Some(registers) => (
                registers,
                operand_registers(&func.body, func.attrs.target, num_warps),
            ),
            None => (registers_at_once(&func.body, Reuse::InPlace, |_| true), 0),
        };
        let each = (registers / threads + operands + ADDRESS_REGISTERS).min(most_registers());
        let loading = match routed {
            true => threads_of(GROUP_WARPS) * ADDRESS_REGISTERS,
            false => 0,
        };
        let most = u64::from(Multiprocessor::REGISTERS.0) / (threads * each + loading);
        let most = u32::try_from(most).unwrap_or(u32::MAX).max(1);
        let why = format!(
            "a block needs {} registers, of {} of a multiprocessor",
            threads * each + loading,
            Multiprocessor::REGISTERS.0
        );
        made(Hint::Occupancy, Some(hint), hint.min(most), why);
        func.attrs.occupancy = Some(hint.min(most));
    }
    Warned { func, hints }
}

/// The most registers of a thread, in whole units.
fn most_registers() -> u64 {
    let most = Multiprocessor::THREAD_REGISTERS.round_up(Multiprocessor::THREAD_UNIT);
    u64::from(most.0)
}

/// The threads of so many warps.
fn threads_of(warps: u32) -> u64 {
    u64::from(threads(warps))
}

fn power_of_two_below(count: u32) -> u32 {
    1 << count.max(1).ilog2()
}

fn choose_warps(body: &Body<TileAa>, target: Target) -> u32 {
    let largest = body.values().map(|(_, ty)| tile_bytes(ty)).max().unwrap_or(0);
    let busy = |bytes: u64, most: u32| {
        let accesses = bytes / (threads_of(1) * ACCESS_BYTES);
        power_of_two_below(u32::try_from(accesses).unwrap_or(most).clamp(1, most))
    };
    let products = registers_of_products(body);
    let mut warps = busy(largest, USUAL_WARPS);
    if products.is_none() {
        warps = warps.max(busy(bytes_of_looped_loads(body), LOOP_WARPS));
    }
    let (registers, most) = match products {
        Some(registers) => (registers, ACCUMULATOR_REGISTERS),
        None => (registers_at_once(body, Reuse::Never, |_| true), LIVE_REGISTERS),
    };
    let loaded = registers_of_loads(body);
    let fits =
        |warps: u32| registers / threads_of(warps) <= most && loaded / threads_of(warps) <= LOADED_REGISTERS;
    while warps < MAX_CHOSEN_WARPS && !fits(warps) {
        warps *= 2;
    }
    if products.is_none() {
        return warps;
    }
    // More warps have fewer registers each, so there need not be a number with which the operands fit as well.
    let has_room = |warps: u32| {
        let each = (u64::from(Multiprocessor::REGISTERS.0) / threads_of(warps)).min(most_registers());
        let operands = operand_registers(body, target, warps);
        registers / threads_of(warps) + operands + ADDRESS_REGISTERS + UNCOUNTED_REGISTERS <= each
    };
    let more = std::iter::successors(Some(warps), |warps| Some(warps * 2));
    let mut more = more.take_while(|&warps| warps <= MAX_CHOSEN_WARPS);
    more.find(|&warps| has_room(warps)).unwrap_or(warps)
}

/// Bytes of the largest tile that a load in a loop reads.
fn bytes_of_looped_loads(body: &Body<TileAa>) -> u64 {
    let places = Places::of(body);
    let looped = body.walk().into_iter().filter(|&id| places.is_in_loop(id));
    let tiles = looped.filter_map(|id| MemoryOp::of(body.op(id)).filter(|op| op.loads).map(|op| op.data));
    let bytes = tiles.map(|tile| {
        let elements = body.ty(tile).shape().unwrap_or_default().iter();
        let each = body
            .ty(tile)
            .element()
            .map_or(0, |element| element.stored_bytes());
        elements.map(|&extent| u64::from(extent)).product::<u64>() * u64::from(each)
    });
    bytes.max().unwrap_or(0)
}

/// The registers of the largest tile that a load reads, of all threads, with small elements packed.
fn registers_of_loads(body: &Body<TileAa>) -> u64 {
    let loads = body.walk().into_iter().filter_map(|id| MemoryOp::of(body.op(id)));
    let sizes = loads
        .filter(|op| op.loads)
        .map(|op| match &body.ty(op.data).kind {
            TileAaKind::Tile { shape, element } => {
                let elements = shape.iter().map(|&n| u64::from(n)).product::<u64>();
                elements.saturating_mul(u64::from(element.bits())) / 32
            }
            TileAaKind::Scalar(_) | TileAaKind::Memref(_) | TileAaKind::Token => 0,
        });
    sizes.max().unwrap_or(0)
}

/// The registers of the accumulators of matrix products that are live at once, of all threads; `None` without products.
fn registers_of_products(body: &Body<TileAa>) -> Option<u64> {
    let accumulators = accumulator_types(body);
    let counts = |ty: &TileAaType| accumulators.contains(&&ty.kind);
    (!accumulators.is_empty()).then(|| registers_at_once(body, Reuse::InPlace, counts))
}

/// The types of the accumulators of matrix products.
fn accumulator_types(body: &Body<TileAa>) -> Vec<&TileAaKind> {
    let mut types = Vec::new();
    for id in body.walk() {
        if let TileAaOp::TileAa(TileAaDialect::Dot { acc, .. }) = body.op(id).kind
            && !types.contains(&&body.ty(acc).kind)
        {
            types.push(&body.ty(acc).kind);
        }
    }
    types
}

/// Size of a tile in registers, in bytes, with at least 4 for each element; 0 for other types.
fn tile_bytes(ty: &TileAaType) -> u64 {
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
enum Reuse {
    InPlace,
    Never,
}

/// The maximum register pressure of the tiles whose types count, in 32-bit registers of all threads.
///
/// A value is live from its definition to its last use in textual order; one that a loop uses and that was defined
/// before it, to the end of the loop. Tiles computed from scalars alone are rematerialised at their uses and not
/// counted.
fn registers_at_once(body: &Body<TileAa>, reuse: Reuse, counts: impl Fn(&TileAaType) -> bool) -> u64 {
    let mut lives = Lives {
        body,
        reuse,
        next: 0,
        begin: body.value_table(),
        end: body.value_table(),
        made: body.value_table(),
    };
    if let Some(entry) = body.entry() {
        for &op in &body.block(entry).ops {
            lives.op(op);
        }
    }
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
}

impl Lives<'_> {
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
