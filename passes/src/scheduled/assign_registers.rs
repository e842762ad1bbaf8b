//! Divides the registers of a block among its agents (`setmaxnreg`). `scheduled` to `scheduled`.
//!
//! In: any function. Out: the same function, where agents that only copy give registers to the others, if threads begin with fewer
//! registers than a thread can use, and with enough for each of their products. Such agents hold no tiles but the addresses of what
//! they copy by `cp.async`.
//!
//! A function is left alone if one of its agents has a number of registers already, or does not consist of whole warp groups, or if
//! some of its warps are of no agent.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Func, OpId, Operation, Origin, Region};
use tilewright_irs::machine::{GROUP_WARPS, Multiprocessor, threads};
use tilewright_irs::scheduled::{
    AgentSpec, Scheduled, ScheduledDialect, ScheduledOp, agents, registers_of_products,
};
use tilewright_irs::tileas::TileAsDialect;

use super::copy_groups::copied_vectors;
use super::expand_schedule::is_large;
use crate::register_division::{computing_registers, loading_registers};

/// Assigns the registers of agents.
///
/// # Errors
/// None; all passes return this type.
pub fn assign_registers(func: &Func<Scheduled>) -> Result<Func<Scheduled>, Vec<Diagnostic<Origin>>> {
    let agents = agents(func);
    let Some(computing) = budget(func, &agents) else {
        return Ok(func.clone());
    };
    let budgets = agents.iter().map(|agent| match computes(func, agent.body) {
        true => (agent.op, computing),
        false => (agent.op, loading_registers(vectors(func, agent.body))),
    });
    let budgets: Vec<_> = budgets.collect();
    let mut func = func.clone();
    for (id, budget) in budgets {
        if let ScheduledOp::Scheduled(ScheduledDialect::Agent { registers, .. }) =
            &mut func.body.op_mut(id).kind
        {
            *registers = Some(budget);
        }
    }
    Ok(func)
}

/// The registers of each thread of the agents that hold tiles; `None` if all agents keep the registers that they begin with.
fn budget(func: &Func<Scheduled>, agents: &[AgentSpec]) -> Option<u32> {
    let is_group = |agent: &AgentSpec| {
        agent.first_warp.is_multiple_of(GROUP_WARPS) && agent.warps.is_multiple_of(GROUP_WARPS)
    };
    if !agents
        .iter()
        .all(|agent| is_group(agent) && agent.registers.is_none())
    {
        return None;
    }
    let warps_of = |tiles: bool| -> u32 {
        let agents = agents.iter().filter(|agent| computes(func, agent.body) == tiles);
        agents.map(|agent| agent.warps).sum()
    };
    let (computing, loading) = (warps_of(true), warps_of(false));
    let blocks = func.attrs.kernel_spec.blocks();
    if computing == 0 || loading == 0 || computing + loading != func.attrs.kernel_spec.num_warps {
        return None;
    }
    let begin = Multiprocessor::thread_registers(threads(computing + loading), blocks);
    let only_copies = agents.iter().filter(|agent| !computes(func, agent.body));
    let kept = only_copies
        .map(|agent| loading_registers(vectors(func, agent.body)))
        .max()?;
    let each = computing_registers(func.attrs.target, [computing, loading], blocks, kept);
    (each > begin.0 && begin >= registers_of_products(func)).then_some(each)
}

/// Whether an agent has tiles in registers, or other values that are distributed over its threads, for anything but its copies: not of
/// one element, which all threads have.
fn computes(func: &Func<Scheduled>, region: Region) -> bool {
    let body = &func.body;
    let mut ops = body.walk_region(region).into_iter();
    vectors(func, region) == 0
        && ops.any(|id| {
            let op = body.op(id);
            let is_large = |result| body.ty(result).layout().is_some_and(is_large);
            op.results().any(is_large) && !op.kind.is_terminator()
        })
}

/// The vectors that a thread of an agent that only copies does so by `cp.async`; 0 for other agents.
fn vectors(func: &Func<Scheduled>, region: Region) -> u32 {
    let body = &func.body;
    let ops = body.walk_region(region);
    let multiplies = |id: &OpId| matches!(body.op(*id).kind, ScheduledOp::TileAs(TileAsDialect::Dot { .. }));
    match ops.iter().any(multiplies) {
        true => 0,
        false => ops.iter().map(|&id| copied_vectors(body, id)).sum(),
    }
}
