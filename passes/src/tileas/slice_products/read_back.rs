//! Tiles that threads need as they load them, in loops whose products read operands from registers: the factors of weights, and
//! weights that ops compute operands from. By `cp.async`, as their routes say, they come several iterations ahead, and take no
//! registers until they are read.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Region, ValueType};
use tilewright_irs::dialects::route::ThreadRoute;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::tileas::{TileAsDialect, TileAsOp};

use super::copies::{Copied, Loads};
use super::memory::OperandMemory;
use super::{Product, wrong};

/// The share of a block's shared memory for one stage of such tiles.
const SHARE: u64 = 8;

/// The loads of such tiles, and their buffers and copies, except for those that are copied otherwise.
pub(super) fn find_read_back(
    loads: &Loads<'_>,
    limit: u64,
    is_copied: impl Fn(OpId) -> bool,
) -> Result<FxHashMap<OpId, (OperandMemory, Copied)>, Diagnostic<Origin>> {
    let body = loads.body();
    let mut found = FxHashMap::default();
    let mut room = limit / SHARE;
    for id in body.walk() {
        let op = body.op(id);
        let TileAsOp::TileAs(TileAsDialect::Load {
            route: Some(ThreadRoute::CpAsync { .. }),
            ..
        }) = op.kind
        else {
            continue;
        };
        let ty = body.ty(op.result(0));
        let scalar = ty.element().and_then(ElementType::scalar);
        let (Some(layout), Some(scalar), false) = (ty.layout(), scalar, is_copied(id)) else {
            continue;
        };
        if !is_beside_products(loads, id) {
            continue;
        }
        let rank = layout.shape().len();
        for along in (rank.saturating_sub(2)..rank).rev() {
            let memory = OperandMemory::plan(layout, layout, scalar, Some(along));
            if let Some(memory) = memory.map_err(|error| wrong(op.origin, &error))?
                && let Some(copy) = loads.copied_load(id, &memory.buffer, false)
                && memory.buffer.bytes() <= room
            {
                room -= memory.buffer.bytes();
                found.insert(id, (memory, copy));
                break;
            }
        }
    }
    Ok(found)
}

/// Whether an op is directly in a counted loop in which all products read their operands from registers.
fn is_beside_products(loads: &Loads<'_>, id: OpId) -> bool {
    let Some(TileAsOp::Scf(ScfOp::For { body: region, .. })) = loads.around(id) else {
        return false;
    };
    let body = loads.body();
    let products = |region: Region| {
        let inside = body.walk_region(region).into_iter().map(|id| &body.op(id).kind);
        inside.filter(|op| matches!(op, TileAsOp::TileAs(TileAsDialect::Dot { .. })))
    };
    products(*region).next().is_some() && products(*region).all(|op| Product::of(body, op).is_some())
}
