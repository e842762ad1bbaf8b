//! Lowers waits for asynchronous copies and products.

use tilewright_irs::core::{Flag, OpId, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::tileas::TileAsType;

use super::agent::{Agent, barrier};
use super::emit::{Cx, fragment_type};

/// Waits for copies, except for `in_flight` later ones: for this thread's to buffers, or until the agent's from buffers have read
/// them.
pub(super) fn copy(cx: &mut Cx<'_>, id: OpId, copy: Value, in_flight: u32, agent: Agent) -> Translated {
    if *cx.from.ty(copy) == TileAsType::Pending(None) {
        let read = Flag(true);
        cx.build().effect(GpuOp::BulkWait { in_flight, read });
        barrier(cx, agent);
        return Ok(());
    }
    cx.build().effect(GpuOp::AsyncWait { in_flight });
    let ready = cx.all(copy).to_vec();
    for result in cx.old(id).results() {
        cx.bind(result, ready.clone());
    }
    Ok(())
}

/// Waits for a product.
pub(super) fn product(cx: &mut Cx<'_>, id: OpId, product: Value, in_flight: u32) -> Translated {
    let results: Vec<Value> = cx.old(id).results().collect();
    let types: Vec<DesugaredType> = results
        .iter()
        .filter_map(|&result| fragment_type(cx.from.ty(result)))
        .collect();
    let values = match results.is_empty() {
        true => Vec::new(),
        false => vec![cx.one(product)],
    };
    let made = cx.build().op(FragmentOp::WgmmaWait { values, in_flight }, types);
    let tiles: Vec<Value> = cx.new_body().op(made).results().collect();
    for (result, tile) in results.into_iter().zip(tiles) {
        cx.bind(result, [tile]);
    }
    Ok(())
}
