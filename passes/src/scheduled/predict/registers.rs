//! The registers of a thread, before the compiler of PTX has chosen them.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Flow, Func, OpId, Operation, Value, ValueType};
use tilewright_irs::scheduled::{Scheduled, agents, registers_at_entry};
use tilewright_irs::tileas::TileAsType;
use tilewright_layouts::Dim;

use crate::program_slice::Places;

/// Registers beside those of tiles: addresses, counters and temporaries.
const OTHERS: u32 = 24;

/// The registers that each thread of a kernel has: what it begins with if agents divide them, else what the tiles need that are live
/// at a time, up to what a hint for the occupancy leaves.
pub(super) fn registers(
    func: &Func<Scheduled>,
    places: &Places<'_, Scheduled>,
    vectors: &FxHashMap<Value, u32>,
) -> u32 {
    let begin = registers_at_entry(func);
    let divided = agents(func).iter().any(|agent| agent.registers.is_some());
    match divided {
        true => begin,
        false => (live(func, places, vectors) + OTHERS).min(begin),
    }
}

/// The most registers that hold tiles at a time, in the order of the text. A value that a loop uses and does not define is live
/// until its end.
fn live(func: &Func<Scheduled>, places: &Places<'_, Scheduled>, vectors: &FxHashMap<Value, u32>) -> u32 {
    let body = &func.body;
    let order = body.walk();
    let at: FxHashMap<OpId, usize> = order.iter().enumerate().map(|(at, &id)| (id, at)).collect();
    let last_inside = |id: OpId| {
        let regions = body.op(id).kind.region_list();
        let inside = regions.iter().map(|&region| body.walk_region(region).len());
        at.get(&id).copied().unwrap_or(0) + inside.sum::<usize>()
    };
    let around = |id: OpId| places.around(places.block(id)?);
    let mut changes = vec![0i64; order.len() + 1];
    let mut lives: FxHashMap<Value, (usize, usize)> = FxHashMap::default();
    for (now, &id) in order.iter().enumerate() {
        let op = body.op(id);
        for result in op.results() {
            lives.insert(result, (now, now));
        }
        for region in op.kind.region_list() {
            let args = body.only_block(region).map(|block| &body.block(block).args);
            for &arg in args.into_iter().flatten() {
                lives.insert(arg, (now, now));
            }
        }
        for used in op.kind.operand_list() {
            let Some((made, end)) = lives.get_mut(&used) else {
                continue;
            };
            let outermost = std::iter::successors(around(id), |&id| around(id))
                .filter(|outer| at.get(outer).is_some_and(|outer| outer > made))
                .filter(|&outer| body.op(outer).kind.effects().flow == Flow::Loop)
                .last();
            *end = (*end).max(outermost.map_or(now, last_inside));
        }
    }
    for (value, (from, to)) in lives {
        let words = words(body.ty(value), vectors.get(&value).copied().unwrap_or(1));
        if let Some(change) = changes.get_mut(from) {
            *change += words;
        }
        if let Some(change) = changes.get_mut(to) {
            *change -= words;
        }
    }
    let mut now = 0;
    let most = changes.into_iter().map(|change| {
        now += change;
        now
    });
    u32::try_from(most.max().unwrap_or(0)).unwrap_or(0)
}

/// The registers of a tile, of whose vectors a thread computes the first element only.
fn words(ty: &TileAsType, vector: u32) -> i64 {
    let (Some(layout), Some(element)) = (ty.layout(), ty.element()) else {
        return 0;
    };
    let computed = (layout.in_size(Dim::Register) / vector.max(1)).max(1);
    (i64::from(computed) * i64::from(element.stored_bytes()) + 3) / 4
}
