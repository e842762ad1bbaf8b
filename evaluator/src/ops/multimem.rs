//! Multimem ops: accesses through a multicast address, which leads to a replica of the memory on each of some devices.
//!
//! Here one device holds all replicas, one after the other in a buffer. A buffer that nobody divided is one replica, for
//! which these ops are a load, an atomic op and a store. The order in which replicas are combined, which the language
//! leaves open, is that of the buffer; each step is rounded to the type.

use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{AtomicRmwMode, MultimemReduction};
use tilewright_irs::element::ScalarType;

use super::pointer::{combine, of_element};
use crate::exec::Frame;
use crate::fault::Outcome;
use crate::memory::{ABSENT, Access};
use crate::number::{Format, float};
use crate::tile::{Runtime, TileValue};
use crate::unspecified::{Mark, MarkList};

/// What a reduction makes of two elements.
fn reduced(reduction: MultimemReduction, ty: ScalarType, old: u64, new: u64) -> u64 {
    let mode = match (reduction, Format::of(ty)) {
        (MultimemReduction::Add, Some(_)) => AtomicRmwMode::AddF,
        (MultimemReduction::Add, None) => AtomicRmwMode::Add,
        (MultimemReduction::Min, Some(format)) => return float::min(format, false, false, old, new),
        (MultimemReduction::Max, Some(format)) => return float::max(format, false, false, old, new),
        (MultimemReduction::Min, None) => AtomicRmwMode::Min,
        (MultimemReduction::Max, None) => AtomicRmwMode::Max,
        (MultimemReduction::And, _) => AtomicRmwMode::And,
        (MultimemReduction::Or, _) => AtomicRmwMode::Or,
        (MultimemReduction::Xor, _) => AtomicRmwMode::Xor,
        (MultimemReduction::UMin, _) => AtomicRmwMode::UMin,
        (MultimemReduction::UMax, _) => AtomicRmwMode::UMax,
    };
    combine(mode, ty, old, new)
}

/// `multimem_load_reduce_view_tko`: loads each element that has an address from all replicas, and reduces.
pub(crate) fn load_reduce(
    frame: &mut Frame<'_>,
    addresses: &[u64],
    ty: ScalarType,
    mut tile: TileValue,
    token: Option<Value>,
    access: Access,
    reduction: MultimemReduction,
) -> Outcome<Vec<Runtime>> {
    let after = frame.token(token)?;
    let memory = &mut frame.machine.memory;
    let event = memory.begin(after, access)?;
    let mut bits = std::mem::take(&mut tile.bits);
    let mut marks = MarkList::over(&tile.marks, bits.len());
    for (at, (slot, &address)) in bits.iter_mut().zip(addresses).enumerate() {
        if address == ABSENT {
            continue;
        }
        let found = memory.read_all(address, ty, &access);
        let found = found.map_err(of_element(&tile, at))?;
        let both = |(old, was): (u64, Mark), (new, mark)| (reduced(reduction, ty, old, new), was.or(mark));
        if let Some((new, mark)) = found.into_iter().reduce(both) {
            *slot = new;
            marks.set(at, mark);
        }
    }
    tile.bits = bits;
    tile.marks = marks.finish();
    memory.end(event);
    Ok(vec![tile.into(), event.into()])
}

/// `multimem_reduce_view_tko`: combines each element that has an address with all replicas.
pub(crate) fn reduce(
    frame: &mut Frame<'_>,
    addresses: &[u64],
    ty: ScalarType,
    value: Value,
    token: Option<Value>,
    access: Access,
    reduction: MultimemReduction,
) -> Outcome<Vec<Runtime>> {
    let values = frame.tile(value)?;
    let after = frame.token(token)?;
    let memory = &mut frame.machine.memory;
    let event = memory.begin(after, access)?;
    for (at, (&bits, &address)) in values.bits.iter().zip(addresses).enumerate() {
        if address != ABSENT {
            let mark = values.marks.get(at);
            let new = |(old, was): (u64, Mark)| (reduced(reduction, ty, old, bits), was.or(mark));
            let done = memory.update_all(address, ty, &access, new);
            done.map_err(of_element(&values, at))?;
        }
    }
    memory.end(event);
    Ok(vec![event.into()])
}

/// `multimem_store_view_tko`: stores each element that has an address to all replicas.
pub(crate) fn store(
    frame: &mut Frame<'_>,
    addresses: &[u64],
    ty: ScalarType,
    value: Value,
    token: Option<Value>,
    access: Access,
) -> Outcome<Vec<Runtime>> {
    let values = frame.tile(value)?;
    let after = frame.token(token)?;
    let memory = &mut frame.machine.memory;
    let event = memory.begin(after, access)?;
    for (at, (&bits, &address)) in values.bits.iter().zip(addresses).enumerate() {
        if address != ABSENT {
            let done = memory.write_all(address, ty, (bits, values.marks.get(at)), &access);
            done.map_err(of_element(&values, at))?;
        }
    }
    memory.end(event);
    Ok(vec![event.into()])
}
