//! The state of the barrier of a cluster. (PTX ISA, "barrier.cluster".)

use crate::clock::Clock;

/// The barrier of a cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterBarrier {
    /// The threads that have arrived in this phase, of each warp of the cluster.
    pub(crate) arrived: Vec<u32>,
    /// The threads that have arrived in the complete phase and not waited for it yet.
    pub(crate) may_leave: Vec<u32>,
    pub(crate) arriving: Clock,
    pub(crate) complete: Clock,
}

impl ClusterBarrier {
    /// The barrier of a cluster of so many warps.
    pub(crate) fn new(warps: usize) -> Self {
        Self {
            arrived: vec![0; warps],
            may_leave: vec![0; warps],
            ..Self::default()
        }
    }

    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.arrived.len());
    }

    /// Threads that have arrived in this phase.
    pub(crate) fn arrived(&self) -> u32 {
        self.arrived.iter().map(|lanes| lanes.count_ones()).sum()
    }
}
