//! The threads that run an agent's code.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::gpu::GpuOp;

use super::emit::Cx;

/// The threads that run what is being translated.
#[derive(Clone, Copy)]
pub(super) struct Agent {
    /// The thread's number among them.
    pub(super) thread: Value,
    /// How many warps they are.
    pub(super) warps: u32,
    /// The hardware barrier at which they meet.
    pub(super) barrier: u32,
}

/// All threads of the agent meet.
pub(super) fn barrier(cx: &mut Cx<'_>, agent: Agent) {
    let (id, threads) = (agent.barrier, agent.warps.saturating_mul(32));
    cx.build().effect(GpuOp::Barrier { id, threads });
}
