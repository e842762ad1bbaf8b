//! Chooses the number of warps and blocks of a kernel. `tileaa` to `tileaa`.
//!
//! In: any function. Out: the same function with `num_warps` a power of two from 1 to 32 and `num_ctas` set.
//!
//! A hint for the number of warps is rounded down to a power of two and clamped, and raised where tiles that are kept would not
//! fit into the registers of so many threads.
//!
//! Without one the number is the smallest with which no thread holds more than 64 registers of live tiles (16 at most), and at
//! least as many, up to 4, as give each thread at least one access of 16 bytes of the largest tile, or up to 8, of the largest
//! tile that a loop loads. If a multiprocessor has registers for one block of so many warps, but for two of half as many, half
//! as many are taken: one block computes while the other waits; but blocks of persistent kernels are alone, and have half as
//! many warps only where tiles that are kept do not fit beside other warps that load.
//!
//! Where tensor copies are issued by other warps, a persistent kernel has no more warps than its reduced tiles have rows, if
//! these are at least 8 and no thread keeps more than 64 registers: then no row is reduced by warps that wait for each other.
//!
//! With matrix products only tiles of the types of their accumulators count, up to 128 registers: what they multiply is read
//! from shared memory step by step. The layouts of the products for each number of warps say how many registers such a step
//! takes: if there is a number with which these are left as well, that is taken.
//! A tile that is loaded takes 128 registers at most as well: it may pass through them on its way to shared memory.
//!
//! Where products have routes, the warps are those that compute (see [`choose_routes`](crate::tileaa::choose_routes())):
//! others load, and count for the occupancy only.
//!
//! A hint for the occupancy limits the registers of a thread. It is lowered to what leaves room for the live tiles, with
//! matrix products for their accumulators and the steps of their operands.
//!
//! `num_ctas` stays as [`distribute_tiles`](crate::tileaa::distribute_tiles()) set it, and is 1 where nobody asked for clusters. Hints
//! never change the results of a program.

mod live_tiles;
mod operand_registers;

use tilewright_irs::core::{Body, Func, OpData, Origin, ValueType};
use tilewright_irs::cuda_tile::Hint;
use tilewright_irs::machine::{GROUP_WARPS, Multiprocessor, threads};
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{MemoryOp, TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};

use crate::hints::{Cause, HintUse, Warned};
use crate::program_slice::Places;
use crate::register_division::{computing_registers, loading_registers};
use crate::tileaa::choose_routes::{MAX_CHOSEN_WARPS, MAX_WARPS, computing_warps, has_routes};
use crate::tileaa::persistent_loops::{is_persistent, persistent_hints};
use live_tiles::{Reuse, registers_across_joints, registers_at_once, tile_bytes};
use operand_registers::operand_registers;

/// The default number of warps.
const USUAL_WARPS: u32 = 4;
/// The most warps that have a whole access each of a tile that a loop loads, without other reasons for them: fewer blocks at a
/// time read rows that are more likely to be in the cache when they are read again.
const LOOP_WARPS: u32 = 8;
/// The fewest warps that reduce a row each. (On an H200, 8 warps with 8 rows of 1024 halves take 5 % less time than 16, and 4 with
/// 4 rows of 2048 up to 1 % more.)
const ROW_WARPS: u32 = 8;
/// 32-bit registers of a thread for accumulators: half of all, the rest is for operands and addresses.
const ACCUMULATOR_REGISTERS: u64 = 128;
/// 32-bit registers of a thread for a tile that is loaded.
const LOADED_REGISTERS: u64 = 128;
/// 32-bit registers of a thread for live tiles without products. More warps hide more of the latency of memory, barriers and
/// shuffles.
const LIVE_REGISTERS: u64 = 64;
/// 32-bit registers of a thread beside the live tiles: addresses, loop counters and temporaries.
const ADDRESS_REGISTERS: u64 = 32;
/// 32-bit registers of a thread, with products or beside warps that load, for what no estimate counts.
const UNCOUNTED_REGISTERS: u64 = 24;
/// The bytes of the widest access.
const ACCESS_BYTES: u64 = 16;

/// Sets the number of warps and of blocks in a cluster.
pub fn attach_kernel_spec(func: &Func<TileAa>) -> Warned<Func<TileAa>> {
    let asked = &func.attrs;
    let routed = has_routes(&func.body);
    let num_warps = match func.attrs.num_warps {
        _ if routed => computing_warps(func, &Places::of(&func.body)),
        Some(hint) => without_spills(
            &func.body,
            power_of_two_below(hint.clamp(1, Multiprocessor::BLOCK_WARPS)),
        ),
        None => choose_warps(&func.body, func.attrs.target),
    };
    let mut hints = persistent_hints(func);
    let mut made = |hint: Hint, asked: Option<u32>, used, why: String| {
        hints.extend(asked.map(|asked| HintUse {
            origin: Origin::FUNCTION,
            hint: hint.into(),
            asked: Some(asked),
            used,
            why,
            cause: Cause::Forbidden,
        }));
    };
    let why = match routed {
        true => format!("products by `wgmma` are computed by {GROUP_WARPS} to {MAX_WARPS} warps"),
        false => format!(
            "a block has a power of two of warps, up to {}, and so many that {} registers of a thread suffice",
            Multiprocessor::BLOCK_WARPS,
            Multiprocessor::THREAD_REGISTERS.0
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
        let most = u32::try_from(most).map_or(Multiprocessor::MOST_BLOCKS, |most| {
            most.clamp(1, Multiprocessor::MOST_BLOCKS)
        });
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

/// At least so many warps, and as many as leave a thread enough registers, up to [`MAX_CHOSEN_WARPS`]; without products.
fn without_spills(body: &Body<TileAa>, least: u32) -> u32 {
    if least >= MAX_CHOSEN_WARPS || !accumulator_types(body).is_empty() {
        return least;
    }
    let kept = registers_across_joints(body);
    let fits = |warps: &u32| kept / threads_of(*warps) + ADDRESS_REGISTERS <= most_registers();
    let mut more = std::iter::successors(Some(least), |warps| Some(warps * 2));
    more.find(|warps| *warps >= MAX_CHOSEN_WARPS || fits(warps))
        .unwrap_or(least)
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
    let least = warps;
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
        let kept = registers_across_joints(body);
        let blocks = |warps: u32| {
            let each = (kept / threads_of(warps) + ADDRESS_REGISTERS).next_multiple_of(8);
            match each <= most_registers() {
                true => u64::from(Multiprocessor::REGISTERS.0) / (threads_of(warps) * each),
                false => 0,
            }
        };
        let places = Places::of(body);
        let is_alone = body.walk().into_iter().any(|id| is_persistent(body, &places, id));
        let gains = |half: u32| match is_alone {
            true => overflow(body, kept, target, half) < overflow(body, kept, target, warps),
            false => blocks(warps) == 1 && blocks(half) > 1,
        };
        let halved = warps / 2 >= least && gains(warps / 2);
        let warps = if halved { warps / 2 } else { warps };
        let rows = fewest_rows(body).filter(|&rows| is_alone && rows >= ROW_WARPS && loading_warps(body) > 0);
        return rows
            .map(power_of_two_below)
            .filter(|&fewer| fewer < warps && kept / threads_of(fewer) <= LIVE_REGISTERS)
            .unwrap_or(warps);
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

/// How many of so many registers of all threads do not fit into those of so many warps of a block that has a multiprocessor for
/// itself. Tensor copies are issued by other warps.
fn overflow(body: &Body<TileAa>, registers: u64, target: Target, warps: u32) -> u64 {
    let each = u64::from(computing_registers(
        target,
        [warps, loading_warps(body)],
        1,
        loading_registers(0),
    ));
    let needed = registers / threads_of(warps) + ADDRESS_REGISTERS + UNCOUNTED_REGISTERS;
    needed.saturating_sub(each.min(most_registers())) * threads_of(warps)
}

/// The warps that issue the tensor copies of a kernel without products.
fn loading_warps(body: &Body<TileAa>) -> u32 {
    let copies = |(_, op): (_, &OpData<TileAa>)| match &op.kind {
        TileAaOp::TileAa(TileAaDialect::Load {
            route: Some(route), ..
        }) => route.boxes().is_some(),
        _ => false,
    };
    if body.ops().any(copies) { GROUP_WARPS } else { 0 }
}

/// The rows of the tile that is reduced and has the fewest of them: warps that share a row wait for each other.
fn fewest_rows(body: &Body<TileAa>) -> Option<u32> {
    let rows = |(_, op): (_, &OpData<TileAa>)| match &op.kind {
        TileAaOp::TileAa(TileAaDialect::Reduce { operands, axis, .. }) => {
            let shape = body.ty(*operands.first()?).shape()?;
            let others = shape.iter().enumerate().filter(|(at, _)| at != &(*axis as usize));
            Some(others.map(|(_, extent)| extent).product())
        }
        _ => None,
    };
    body.ops().filter_map(rows).min()
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
