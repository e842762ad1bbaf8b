//! Lowers layout conversions, slices and concatenations of tiles to register permutations, and agreements of the lanes
//! of a warp to shuffles.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::dialects::arith::Predicate;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::tileas::{concat_registers, replicated_lanes, slice_registers};
use tilewright_layouts::{Dim, LinearLayout};

use super::agent::Agent;
use super::emit::{Cx, I32, at, bug, gathered};
use super::placement::{register_coordinate, thread_bases};

fn layouts<'a>(
    cx: &Cx<'a>,
    id: OpId,
    source: Value,
) -> Result<(&'a LinearLayout, &'a LinearLayout), Diagnostic<Origin>> {
    match (
        cx.from.ty(source).layout(),
        cx.from.ty(cx.old(id).result(0)).layout(),
    ) {
        (Some(from), Some(to)) => Ok((from, to)),
        _ => Err(bug(cx.origin(), "a layout conversion is about tiles")),
    }
}

/// A conversion within each thread.
pub(super) fn in_registers(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
    let (from, to) = layouts(cx, id, source)?;
    let Some(map) = to.registers_from(from) else {
        let message = "a layout conversion in registers would move elements between threads";
        return Err(bug(cx.origin(), message).note(format!("from {from} to {to}")));
    };
    let new = cx.one(source);
    let new = at(cx).rearrange(new, map.sources().collect());
    cx.bind(cx.old(id).result(0), [new]);
    Ok(())
}

/// The elements that the first of the lanes holding them has.
pub(super) fn agree(cx: &mut Cx<'_>, id: OpId, source: Value, agent: Agent) -> Translated {
    let layout = cx.from.ty(source).layout();
    let Some(replicas) = replicated_lanes(layout, agent.warps) else {
        let message = "an agreement would move elements between warps";
        return Err(bug(cx.origin(), message));
    };
    let mut value = cx.one(source);
    if let Some(layout) = layout {
        let copies = layout.copy_mask(Dim::Register);
        if copies != 0 {
            let registers = 0..layout.in_size(Dim::Register);
            value = at(cx).rearrange(value, registers.map(|register| register & !copies).collect());
        }
    }
    if replicas != 0 {
        let ty = cx.ty(value).clone();
        let mut emit = at(cx);
        let kept = emit.i32(31 & !replicas);
        let lane = emit.and(agent.thread, kept);
        value = emit.0.value(GpuOp::ShuffleIdx { value, lane }, ty);
    }
    cx.bind(cx.old(id).result(0), [value]);
    Ok(())
}

/// A box of a tile.
pub(super) fn slice(cx: &mut Cx<'_>, id: OpId, source: Value, offsets: &[u32]) -> Translated {
    let (from, to) = layouts(cx, id, source)?;
    let registers = slice_registers(from, offsets, to).map_err(|message| bug(cx.origin(), message))?;
    let new = cx.one(source);
    let new = at(cx).rearrange(new, registers);
    cx.bind(cx.old(id).result(0), [new]);
    Ok(())
}

/// Concatenates tiles along an axis.
///
/// The part of an element may depend on the thread. A fragment is then built for each contribution of the threads to
/// the coordinate, and each thread selects its own.
pub(super) fn concat(cx: &mut Cx<'_>, id: OpId, parts: &[Value], axis: u32, agent: Agent) -> Translated {
    let (origin, axis) = (cx.origin(), axis as usize);
    let Some(&first) = parts.first() else {
        return Err(bug(origin, "a tile of no parts"));
    };
    let (part, whole) = layouts(cx, id, first)?;
    let map = concat_registers(part, whole, axis).map_err(|message| bug(origin, message))?;
    let extent = part.shape().get(axis).copied().unwrap_or(1).max(1);
    let bases: Vec<i64> = thread_bases(whole, axis)
        .into_iter()
        .map(|basis| basis / i64::from(extent))
        .collect();
    let fragments: Vec<Value> = parts.iter().map(|&part| cx.one(part)).collect();
    let steps: Vec<i64> = {
        let mut steps: Vec<i64> = bases.iter().copied().filter(|&basis| basis != 0).collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    };
    let reached = u32::try_from(steps.iter().fold(0, |all, step| all | step)).unwrap_or(0);
    let of_thread = |number: u32| -> Option<Vec<(Value, u32)>> {
        (0..whole.in_size(Dim::Register))
            .map(|register| {
                let own = register_coordinate(whole, register, axis) / extent;
                let fragment = fragments.get((own ^ number) as usize)?;
                Some((*fragment, map.source(register)))
            })
            .collect()
    };
    // The contributions of threads, in order; the first is 0.
    let mut choices: Vec<(u32, Value)> = Vec::new();
    for number in (0..count_of(parts)).filter(|number| number & !reached == 0) {
        let places = of_thread(number).ok_or_else(|| bug(origin, "a part of a tile is missing"))?;
        let value = gathered(cx, &places).ok_or_else(|| bug(origin, "a tile of no registers"))?;
        choices.push((number, value));
    }
    let mut choices = choices.into_iter();
    let Some((_, mut value)) = choices.next() else {
        return Err(bug(origin, "a tile of no parts"));
    };
    if reached != 0 {
        let mut emit = at(cx);
        let own = emit.linear_index(agent.thread, bases, I32);
        for (number, other) in choices {
            let number = emit.i32(number);
            let condition = emit.compare(own, Predicate::Equal, number);
            value = emit.select(condition, other, value);
        }
    }
    cx.bind(cx.old(id).result(0), [value]);
    Ok(())
}

fn count_of(parts: &[Value]) -> u32 {
    u32::try_from(parts.len()).unwrap_or(u32::MAX)
}
