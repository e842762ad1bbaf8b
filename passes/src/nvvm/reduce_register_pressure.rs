//! Reorders instructions where more values are live than a thread has registers. `nvvm` to `nvvm`.
//!
//! In: any function. Out: the same function; in each block whose register pressure exceeds the limit, the instructions
//! have the order, among those that were tried, in which the pressure is lowest, if it is much lower. All other blocks
//! keep their order, in which loads are far ahead of their uses.
//!
//! Kernels with matrix products keep their order, which hides the latency of the operands: ptxas finds registers for
//! them where this estimate finds none, and spills when the blocks around a pipelined loop have another order.
//!
//! The limit is a share of the registers that the launch attributes leave to a thread, where `nvvm.minctasm` does not count: ptxas
//! orders instructions for so many blocks itself, and better. A part is needed for what ptxas adds, such as the predicates of accesses and the halves of addresses. The pressure is the sum of the sizes
//! of all live values; constants and addresses of variables take no registers. Instructions keep their order where
//! one writes what the other accesses ([`Effects`](tilewright_irs::core::Effects)).

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, OpId, Origin, SideTable, Value};
use tilewright_irs::nvvm::Nvvm;

use super::dependences::Dependences;
use super::liveness::Liveness;
use super::order::{Choice, order};
use super::pressure::{Instructions, Pressure, SHARE, has_products, limit, sizes};

/// The highest pressure for which a block is reordered, in percent of its pressure before. ptxas reorders instructions
/// too: what little is left to gain it finds by itself, and it hides the latency of loads better in the given order.
const WORTH: u32 = 92;

/// Reorders instructions where register pressure is high; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn reduce_register_pressure(func: &Func<Nvvm>) -> Result<Func<Nvvm>, Vec<Diagnostic<Origin>>> {
    if has_products(&func.body) {
        return Ok(func.clone());
    }
    let limit = Pressure::of_registers(limit(&func.attrs)).percent(SHARE);
    let sizes = sizes(&func.body);
    let each = func.body.values().filter_map(|(value, _)| sizes.get(value));
    if each.map(|size| u64::from(size.0)).sum::<u64>() <= u64::from(limit.0) {
        return Ok(func.clone());
    }
    let mut body = func.body.clone();
    let liveness = Liveness::of(&func.body);
    for &block in &func.body.region(func.body.root()).blocks {
        if let Some(better) = improved(
            &func.body,
            &func.body.block(block).ops,
            liveness.after(block),
            &sizes,
            limit,
        ) {
            body.arrange_ops(block, better);
        }
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: body.renumbered(),
    })
}

/// The ops of a block in an order of lower pressure; `None` if its pressure is within the limit or cannot be lowered by
/// much.
fn improved(
    body: &Body<Nvvm>,
    ops: &[OpId],
    live_after: &[Value],
    sizes: &SideTable<Value, Pressure>,
    limit: Pressure,
) -> Option<Vec<OpId>> {
    let instructions = Instructions::new(body, ops, live_after, sizes);
    let given: Vec<usize> = (0..ops.len()).collect();
    let before = instructions.peak(&given);
    if before <= limit {
        return None;
    }
    let dependences = Dependences::of(body, ops);
    let choices = [
        Choice::LowestPressure,
        Choice::GivenOrderBelow(limit.percent(50)),
        Choice::GivenOrderBelow(limit),
    ];
    let orders = choices.map(|choice| order(&instructions, &dependences, choice));
    let (peak, best) = orders
        .into_iter()
        .map(|order| (instructions.peak(&order), order))
        .min_by_key(|&(peak, _)| peak)?;
    (peak <= before.percent(WORTH)).then(|| best.iter().map(|&at| ops[at]).collect())
}
