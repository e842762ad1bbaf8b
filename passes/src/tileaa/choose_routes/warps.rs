//! The warps that compute where products have routes.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Func, OpId, Operation, Value, ValueType};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::machine::{GROUP_WARPS, Machine, threads};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};

use super::super::own_sums::has_own_sum;
use super::{ACCUMULATOR_REGISTERS, LEAST_STAGES, MAX_WARPS, ROWS, copies, is_of_sums};
use crate::program_slice::Places;

/// The blocks on a multiprocessor for which one warp group is enough: one computes while the other one begins or ends.
const BLOCKS: u32 = 2;
/// 32-bit registers of a thread for accumulators where so many blocks share a multiprocessor.
const SHARED_ACCUMULATORS: u64 = 160;
/// Bytes of a 32-bit register.
const REGISTER_BYTES: u64 = 4;

/// The warps that compute: as the hint says, or a warp group for each 64 rows of the products, up to two, and two, which share the
/// columns, where the accumulators do not fit into the registers of one; only one if two blocks then share a multiprocessor: its
/// threads have registers for the accumulators and the left operands of a loop, and each block shared memory for more stages than
/// [`LEAST_STAGES`].
pub(crate) fn computing_warps(func: &Func<TileAa>, places: &Places<'_, TileAa>) -> u32 {
    let needs = needs(func, places);
    let loops = by_loop(func, places, &needs);
    let rows = needs.iter().map(|need| need.rows);
    let groups = rows.filter(|&rows| rows >= ROWS).map(|rows| rows / ROWS).min();
    let wanted = match func.attrs.num_warps {
        Some(warps) => 1 << warps.max(1).ilog2(),
        None if one_group_suffices(func, &loops) => GROUP_WARPS,
        None if !accumulators_fit(&loops) => MAX_WARPS,
        None => groups.unwrap_or(1).saturating_mul(GROUP_WARPS),
    };
    wanted.clamp(GROUP_WARPS, MAX_WARPS)
}

/// What a product needs.
struct Need {
    block: Option<Block>,
    acc: Value,
    rows: u32,
    /// Bytes of registers, of all threads, of the accumulator, unless it is another product's.
    accumulator: u64,
    /// Those of the operands that are not loaded.
    operands: u64,
    /// Those of a sum of its own beside that.
    own: u64,
    /// Bytes of the operands that are loaded.
    shared: u64,
}

/// Bytes of a tile, or of a scalar.
fn bytes(func: &Func<TileAa>, value: Value) -> u64 {
    let ty = func.body.ty(value);
    let elements = ty.shape().unwrap_or_default().iter();
    let each = ty.element().map_or(0, |element| element.stored_bytes());
    elements.map(|&extent| u64::from(extent)).product::<u64>() * u64::from(each)
}

fn needs(func: &Func<TileAa>, places: &Places<'_, TileAa>) -> Vec<Need> {
    let body = &func.body;
    let bytes = |value: Value| bytes(func, value);
    let of_product = |id: OpId, op: &TileAaOp| {
        let TileAaOp::TileAa(op @ TileAaDialect::Dot { a, b, acc, .. }) = op else {
            return None;
        };
        let shape = body.ty(*acc).shape()?;
        let is_chained = places
            .definition(*acc)
            .is_some_and(|acc| matches!(body.op(acc).kind, TileAaOp::TileAa(TileAaDialect::Dot { .. })));
        let mut need = Need {
            block: places.block(id),
            acc: *acc,
            rows: *shape.get(shape.len().checked_sub(2)?)?,
            accumulator: if is_chained { 0 } else { bytes(*acc) },
            operands: 0,
            own: match has_own_sum(body, |value| places.definition(value), op) {
                true => bytes(*acc),
                false => 0,
            },
            shared: bytes(*b),
        };
        match is_loaded(func, places, *a) {
            true => need.shared += bytes(*a),
            false => need.operands += bytes(*a),
        }
        // Threads load or compute B, and then store it to shared memory.
        if !is_loaded(func, places, *b) {
            need.operands += bytes(*b);
            if !is_of_sums(places, body, *b) {
                need.shared += bytes(*b);
            }
        }
        Some(need)
    };
    body.ops()
        .filter_map(|(id, op)| of_product(id, &op.kind))
        .collect()
}

/// Whether a tile is copied to shared memory.
fn is_loaded(func: &Func<TileAa>, places: &Places<'_, TileAa>, tile: Value) -> bool {
    let mut tile = tile;
    while let Some(id) = places.definition(tile) {
        match &func.body.op(id).kind {
            TileAaOp::Tile(TileOp::Reshape { source } | TileOp::Permute { source, .. }) => tile = *source,
            TileAaOp::TileAa(TileAaDialect::Load { .. }) => return true,
            _ => return copies::is_copied(func, places, id),
        }
    }
    false
}

/// What the products of a loop need.
#[derive(Default)]
struct LoopNeed {
    /// For the accumulators, and for tiles of their types that the loop carries beside them: sums to which their results are added.
    accumulators: u64,
    operands: u64,
    own: u64,
    shared: u64,
}

fn by_loop(
    func: &Func<TileAa>,
    places: &Places<'_, TileAa>,
    needs: &[Need],
) -> FxHashMap<Option<Block>, LoopNeed> {
    let mut loops: FxHashMap<Option<Block>, LoopNeed> = FxHashMap::default();
    for need in needs {
        let all = loops.entry(need.block).or_default();
        all.accumulators += need.accumulator;
        all.operands += need.operands;
        all.own = need.own.max(all.own);
        all.shared += need.shared;
    }
    for (block, all) in &mut loops {
        let Some(block) = *block else { continue };
        let products = || needs.iter().filter(|need| need.block == Some(block));
        let mut summed = FxHashSet::default();
        products().for_each(|need| add_sources(func, places, need.acc, &mut summed));
        let ty = |value: Value| func.body.ty(value);
        let beside = func.body.block(block).args.iter().filter(|&&arg| {
            !summed.contains(&arg) && products().any(|need| ty(need.acc).kind == ty(arg).kind)
        });
        all.accumulators += beside.map(|&arg| bytes(func, arg)).sum::<u64>();
    }
    loops
}

/// Adds the tiles of its block, of the same shape, from which an accumulator is computed.
fn add_sources(func: &Func<TileAa>, places: &Places<'_, TileAa>, acc: Value, sources: &mut FxHashSet<Value>) {
    let body = &func.body;
    let shape = body.ty(acc).shape();
    let mut open = vec![acc];
    while let Some(value) = open.pop() {
        if body.ty(value).shape() != shape || !sources.insert(value) {
            continue;
        }
        if let Some(id) = places.definition(value) {
            match &body.op(id).kind {
                TileAaOp::TileAa(TileAaDialect::Dot { acc, .. }) => open.push(*acc),
                op => open.extend(op.operand_list()),
            }
        }
    }
}

/// 32-bit registers of each thread of a warp group.
fn of_thread(bytes: u64) -> u64 {
    bytes.div_ceil(REGISTER_BYTES * u64::from(threads(GROUP_WARPS)))
}

/// Whether the accumulators of each loop fit into the registers of one warp group.
fn accumulators_fit(loops: &FxHashMap<Option<Block>, LoopNeed>) -> bool {
    loops
        .values()
        .all(|need| of_thread(need.accumulators) <= ACCUMULATOR_REGISTERS)
}

fn one_group_suffices(func: &Func<TileAa>, loops: &FxHashMap<Option<Block>, LoopNeed>) -> bool {
    let room = Machine::of(func.attrs.target).multiprocessor.shared_of(BLOCKS).0;
    loops.values().all(|need| {
        let registers = need.accumulators + need.operands;
        of_thread(registers) <= SHARED_ACCUMULATORS
            && of_thread(registers + need.own) <= ACCUMULATOR_REGISTERS
            && (LEAST_STAGES + 1) * need.shared <= room
    })
}
