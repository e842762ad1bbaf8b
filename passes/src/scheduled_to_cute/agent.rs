//! The threads of an agent.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Origin, Value};
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::machine::threads;

use super::emit::{Cx, bug};

/// The threads of the current agent.
#[derive(Clone, Copy)]
pub(super) struct Agent {
    /// The thread's index among them.
    pub(super) thread: Value,
    /// The number of warps.
    pub(super) warps: u32,
    /// The index of their hardware barrier.
    pub(super) barrier: u32,
    /// Whether the thread issues the agent's tensor copies; `None` in kernels without any.
    pub(super) issues: Option<Value>,
}

impl Agent {
    /// Whether the thread issues the agent's tensor copies.
    pub(super) fn issuer(self, cx: &Cx<'_>) -> Result<Value, Diagnostic<Origin>> {
        self.issues
            .ok_or_else(|| bug(cx.origin(), "a tensor copy outside of an agent"))
    }
}

/// A barrier of all threads of the agent.
pub(super) fn barrier(cx: &mut Cx<'_>, agent: Agent) {
    let (id, threads) = (agent.barrier, threads(agent.warps));
    cx.build().effect(GpuOp::Barrier { id, threads });
}
