//! Reorders instructions where more values are live than a thread has registers. `nvvm` to `nvvm`.
//!
//! In: any function. Out: the same function; in each block whose register pressure exceeds the limit, the instructions
//! have the order, among those that were tried, in which the pressure is lowest, if it is much lower. All other blocks
//! keep their order, in which loads are far ahead of their uses.
//!
//! Up to the last matrix product, and in loops with products, kernels keep their order, which hides the latency of the operands:
//! ptxas finds registers for them where this estimate finds none, and spills when the blocks around a pipelined loop have another
//! order. What is behind the last product is reordered if it needs many more registers than there are, such as an
//! epilogue that adds a tile of accumulators to memory, element by element: ptxas keeps the addresses of all elements at once, if
//! they are computed ahead of the first access.
//!
//! The limit is a share of the registers that `setmaxnreg` or the launch attributes leave to a thread, where `nvvm.minctasm` does not
//! count: ptxas orders instructions for so many blocks itself, and better. A part is needed for what ptxas adds, such as the predicates of accesses and the halves of addresses. The pressure is the sum of the sizes
//! of all live values; constants and addresses of variables take no registers. Instructions keep their order where
//! one writes what the other accesses ([`Effects`](tilewright_irs::core::Effects)).

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, OpId, Origin, SideTable, Value};
use tilewright_irs::nvvm::Nvvm;

use super::dependences::Dependences;
use super::liveness::Liveness;
use super::order::{Choice, order};
use super::pressure::{Instructions, Pressure, SHARE, limit, most_registers, sizes};
use super::product_loops::Products;

/// The highest pressure for which a block is reordered, in percent of its pressure before. ptxas reorders instructions
/// too: what little is left to gain it finds by itself, and it hides the latency of loads better in the given order.
const WORTH: u32 = 92;

/// The lowest pressure, in percent of a thread's registers, for which what is behind products is reordered.
const EXCESS: u32 = 120;

/// Reorders instructions where register pressure is high; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn reduce_register_pressure(func: &Func<Nvvm>) -> Result<Func<Nvvm>, Vec<Diagnostic<Origin>>> {
    let registers = Pressure::of_registers(most_registers(func, limit(&func.attrs)));
    let limit = registers.percent(SHARE);
    let sizes = sizes(&func.body);
    let each = func.body.values().filter_map(|(value, _)| sizes.get(value));
    if each.map(|size| u64::from(size.0)).sum::<u64>() <= u64::from(limit.0) {
        return Ok(func.clone());
    }
    let mut body = func.body.clone();
    let liveness = Liveness::of(&func.body);
    let products = Products::of(&func.body);
    let allowed = match products.is_empty() {
        true => limit,
        false => registers.percent(EXCESS),
    };
    for &block in &func.body.region(func.body.root()).blocks {
        let (kept, free) = products.split(block);
        if let Some(better) = improved(&func.body, free, liveness.after(block), &sizes, [limit, allowed]) {
            body.arrange_ops(block, kept.iter().copied().chain(better).collect());
        }
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: body.renumbered(),
    })
}

/// The ops of a block in an order whose pressure is within a limit if possible; `None` if it is one that is allowed, or cannot be
/// lowered by much.
fn improved(
    body: &Body<Nvvm>,
    ops: &[OpId],
    live_after: &[Value],
    sizes: &SideTable<Value, Pressure>,
    [limit, allowed]: [Pressure; 2],
) -> Option<Vec<OpId>> {
    let instructions = Instructions::new(body, ops, live_after, sizes);
    let given: Vec<usize> = (0..ops.len()).collect();
    let before = instructions.peak(&given);
    if before <= allowed {
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
