//! Multimem ops: accesses through a multicast address, which maps to a replica of the memory on each of several
//! devices.
//!
//! Here one device has all replicas, consecutively in a buffer. A buffer that is not divided has one replica, for
//! which these ops are a load, an atomic op and a store. The order in which replicas are combined, which the language
//! does not specify, is that of the buffer; each step is rounded to the type.

use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{AtomicRmwMode, MultimemReduction};
use tilewright_irs::element::ScalarType;

use super::pointer::{combine, load_from, store_to};
use crate::fault::{Fault, Outcome};
use crate::frame::Frame;
use crate::memory::{Access, Memory};
use crate::number::nudge::Nudge;
use crate::number::{Format, float};
use crate::tile::{Runtime, TileValue};
use crate::unspecified::Mark;

/// Combines two elements.
fn reduced(reduction: MultimemReduction, ty: ScalarType, nudge: Option<Nudge>, old: u64, new: u64) -> u64 {
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
    combine(mode, ty, nudge, old, new)
}

/// `multimem_load_reduce_view_tko`: loads each element that has an address from all replicas, and reduces.
pub(crate) fn load_reduce(
    frame: &mut Frame<'_>,
    addresses: &[u64],
    ty: ScalarType,
    tile: TileValue,
    token: Option<Value>,
    access: Access,
    reduction: MultimemReduction,
) -> Outcome<Vec<Runtime>> {
    let nudge = frame.machine.nudge;
    let read = |memory: &mut Memory, address| {
        let found = memory.read_all(address, ty, &access)?;
        let both =
            |(old, was): (u64, Mark), (new, mark)| (reduced(reduction, ty, nudge, old, new), was.or(mark));
        let all = found.into_iter().reduce(both);
        all.ok_or_else(|| Fault::broken("memory without a replica"))
    };
    load_from(frame, addresses, tile, token, access, read)
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
    let nudge = frame.machine.nudge;
    let update = |memory: &mut Memory, address, (bits, mark)| {
        let new = |(old, was): (u64, Mark)| (reduced(reduction, ty, nudge, old, bits), was.or(mark));
        memory.update_all(address, ty, &access, new)
    };
    store_to(frame, addresses, value, token, access, update)
}
