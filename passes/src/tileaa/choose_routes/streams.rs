//! The loads of persistent kernels without products, by tensor copies of other warps: the tiles of later iterations arrive in
//! shared memory while those of one are reduced and stored.
//!
//! A persistent kernel has as many blocks as are resident at once, so that no other block's loads hide the latency of its own.
//! Loads in other loops stay in registers: many blocks with few iterations each hide it, and take longer to begin with rings.
//! So do loads that `prefetch_loads` issues an iteration ahead, if they are enough bytes to keep memory busy. (On an H200, rows
//! that are normalised take 20 % less time by copies than without loads ahead, and up to 7 % less with iterations of 16 KiB;
//! with 32 KiB and more they take up to 10 % more.)

use tilewright_irs::core::{Body, Func, OpId, Operation, Region};
use tilewright_irs::machine::Machine;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};

use super::{Decided, LEAST_STAGES, Loads, MAX_CHOSEN_WARPS, loads, returns_once};
use crate::program_slice::Places;
use crate::tileaa::early_loads::held_bytes;
use crate::tileaa::loads_in_flight::MAX_DOUBLE_BYTES;
use crate::tileaa::merge_repeated_loads::stripped;
use crate::tileaa::persistent_loops::{is_persistent, planned};
use crate::tileaa::reason::Reason;

/// Bytes of the smallest tile that is loaded this way.
const LEAST_BYTES: u64 = 1024;

/// Chooses the loads of a function without products, and says why the others in persistent loops stay.
///
/// # Errors
/// The reason why the whole function is left alone.
pub(super) fn streams(func: &Func<TileAa>, places: &Places<'_, TileAa>) -> Result<Decided, Option<Reason>> {
    let body = &func.body;
    let persistent = |id: &OpId| is_in_persistent_loop(body, places, *id);
    let mut found: Loads = loads::candidates(func, places);
    found.retain(|id, _| persistent(id));
    if found.is_empty() {
        return Err(None);
    }
    returns_once(body).map_err(Some)?;
    for chosen in found.values_mut() {
        if let Ok((_, buffer)) = chosen
            && buffer.bytes() < LEAST_BYTES
        {
            *chosen = Err(Reason::SmallTile {
                bytes: buffer.bytes(),
                least: LEAST_BYTES,
            });
        }
    }
    let machine = Machine::of(func.attrs.target);
    let most = machine.multiprocessor.shared_static.0;
    // Repeated loads have a ring together, unless their tile would take too many registers.
    let mut forms = Vec::new();
    let (mut each, mut together, mut held) = (0, 0, 0);
    let warps = func.attrs.num_warps.unwrap_or(MAX_CHOSEN_WARPS);
    for (id, (_, buffer)) in found
        .iter()
        .filter_map(|(id, chosen)| Some((id, chosen.as_ref().ok()?)))
    {
        let form = stripped(&body.op(*id).kind);
        each += buffer.bytes();
        if !forms.contains(&form) {
            together += buffer.bytes();
            held += held_bytes(body, *id, warps);
            forms.push(form);
        }
    }
    let enough = |needed| together as f64 >= needed;
    if held <= MAX_DOUBLE_BYTES && machine.bytes_in_flight().is_some_and(enough) {
        return Err(None);
    }
    for (stages, bytes) in [(LEAST_STAGES, together), (1, each)] {
        let needed = stages * bytes;
        if needed > most {
            return Err(Some(Reason::SharedMemory { stages, needed, most }));
        }
    }
    Ok(Decided {
        loads: found,
        ..Decided::default()
    })
}

/// Whether a load is in a persistent loop that reduces or scans: others have nothing to wait for.
fn is_in_persistent_loop(body: &Body<TileAa>, places: &Places<'_, TileAa>, id: OpId) -> bool {
    let around = |id: OpId| places.around(places.block(id)?);
    let waits = |region: Region| {
        body.walk_region(region).into_iter().any(|id| {
            matches!(
                body.op(id).kind,
                TileAaOp::TileAa(TileAaDialect::Reduce { .. } | TileAaDialect::Scan { .. })
            )
        })
    };
    std::iter::successors(around(id), |&id| around(id)).any(|id| {
        let op = &body.op(id).kind;
        is_persistent(body, places, id) && !planned(op).serial.0 && op.region_list().into_iter().any(waits)
    })
}
