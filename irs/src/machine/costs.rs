//! What an operation costs.

use tilewright_layouts::Bytes;
use tilewright_layouts::conversion::CostModel;

use super::rates::Rates;
use super::units::Cycles;
use crate::isa::limits::LANES;

/// What an instruction of a warp costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Cycles after which a warp that is alone issues another such instruction.
    pub interval: Cycles,
    /// Cycles until the result can be used.
    pub latency: Cycles,
}

impl Timing {
    const fn new(interval: u64, latency: u64) -> Self {
        Self {
            interval: Cycles(interval),
            latency: Cycles(latency),
        }
    }
}

/// What a copy or a product of tiles costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Cycles for which the unit that does it is busy: of the multiprocessor for a product, with the work of one warp for
    /// a copy.
    pub busy: Cycles,
    /// Instructions: issue slots of the warp's scheduler.
    pub instructions: u64,
    /// Cycles from the last instruction to its result.
    pub latency: Cycles,
}

impl Cost {
    /// Of what does not exist.
    pub const NEVER: Self = Self {
        busy: Cycles::NEVER,
        instructions: u64::MAX,
        latency: Cycles::NEVER,
    };

    /// Cycles until all is done if nothing else runs.
    pub fn alone(self) -> Cycles {
        self.busy.max(Cycles(self.instructions)) + self.latency
    }
}

/// Latencies of loads by where the data is, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loads {
    /// In the first cache.
    pub l1: Cycles,
    /// In the second cache.
    pub l2: Cycles,
    /// In memory.
    pub memory: Cycles,
}

impl Loads {
    /// How many times the latency of memory a load takes while memory is always busy. (Measured on an H200, where rows
    /// are normalised: more loads than those of the next iteration make it faster if these are 16 KiB, but not if they are 32 KiB.)
    pub const BUSY_LATENCIES: f64 = 3.0;
}

/// What instructions cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// A multiply-add of 32-bit floats.
    pub fma: Timing,
    /// `ex2` and the like.
    pub special: Timing,
    /// `shfl`.
    pub shuffle: Timing,
    /// `ld.shared` of up to 32, 64 and 128 bits.
    pub load_shared: [Timing; 3],
    /// `ldmatrix` of four matrices.
    pub load_matrices: Timing,
    /// `mma.sync` of 16 by 8 by 16 with 16-bit operands: its latency.
    pub mma_sync: Cycles,
    /// The least interval of `wgmma` with both operands in shared memory.
    pub wgmma_shared: Cycles,
    /// Loads from arrays.
    pub loads: Loads,
    /// A barrier of the block: its latency when all warps have arrived.
    pub barrier: Cycles,
    /// From an arrival at an mbarrier to the thread that waits for it.
    pub mbarrier: Cycles,
    /// The same with an mbarrier of another block of the cluster.
    pub remote_mbarrier: Cycles,
    /// A barrier of the blocks of a cluster.
    pub cluster_barrier: Cycles,
    /// `fence.proxy.async` after a store.
    pub proxy_fence: Cycles,
    /// `fence.acq_rel.gpu`.
    pub gpu_fence: Cycles,
    /// A tensor copy of 1 KiB and one of 32 KiB, from issue to the mbarrier.
    pub tensor_copy: [Cycles; 2],
    /// A kernel makes a tensor map: the fields in shared memory, the copy to global memory, and the fence.
    pub make_tensor_map: Cycles,
    /// How much later the first copy with a new tensor map arrives.
    pub first_tensor_copy: Cycles,
}

impl Costs {
    /// Those of an H200, measured; of an H100, by `tests/gpu/microbenchmarks.py`, they differ by a fifth at most, but for
    /// `cluster_barrier`, which costs twice as much there. From that script are the intervals of `fma`, `shfl` and
    /// `ldmatrix`, the mbarrier of another block and the fences. The intervals of `ld.shared` are those of the rates.
    pub(super) const H200: Self = Self {
        fma: Timing::new(2, 4),
        special: Timing::new(8, 17),
        shuffle: Timing::new(4, 24),
        load_shared: [Timing::new(1, 23), Timing::new(2, 25), Timing::new(4, 29)],
        load_matrices: Timing::new(8, 31),
        mma_sync: Cycles(26),
        wgmma_shared: Cycles(19),
        loads: Loads {
            l1: Cycles(38),
            l2: Cycles(287),
            memory: Cycles(567),
        },
        barrier: Cycles(25),
        mbarrier: Cycles(95),
        remote_mbarrier: Cycles(159),
        cluster_barrier: Cycles(358),
        proxy_fence: Cycles(15),
        gpu_fence: Cycles(668),
        tensor_copy: [Cycles(363), Cycles(639)],
        make_tensor_map: Cycles(271 + 65 + 276),
        first_tensor_copy: Cycles(580),
    };

    /// Loads of so many bits of each thread from shared memory.
    pub fn load_shared(&self, bits: u32) -> Timing {
        let [narrow, double, quadruple] = self.load_shared;
        match bits {
            0..=32 => narrow,
            33..=64 => double,
            _ => quadruple,
        }
    }

    /// What conversions between layouts cost all `warps` warps of a block, in half cycles of a multiprocessor: the work of
    /// each at the rates of the units, and the latency of barriers, for which all of them wait. A shuffle has the latency
    /// of a load from shared memory, which is left out of both.
    pub fn conversions(&self, warps: u32) -> CostModel {
        let of_warps = |rate: u32| u64::from(warps) * u64::from(2 * LANES / rate);
        CostModel {
            shuffle: of_warps(Rates::SHUFFLE),
            select: of_warps(Rates::SELECT),
            bank_cycle: 2 * u64::from(warps),
            barrier: 2 * self.barrier.0,
        }
    }

    /// A tensor copy from issue to the mbarrier: by a straight line between those that were measured.
    pub fn tensor_copy(&self, size: Bytes) -> Cycles {
        let [small, large] = self.tensor_copy;
        let (from, to) = (1 << 10, 32 << 10);
        let more = size.0.saturating_sub(from).saturating_mul(large.0 - small.0);
        small + Cycles(more.div_ceil(to - from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_copy_takes_longer_with_its_bytes() {
        let copy = |bytes| Costs::H200.tensor_copy(Bytes(bytes)).0;
        assert_eq!((copy(16), copy(1 << 10), copy(32 << 10)), (363, 363, 639));
        // Half way.
        assert_eq!(copy((33 << 10) / 2), 363 + 138);
    }

    #[test]
    fn warps_share_the_units_and_wait_together() {
        let of = |warps| {
            let prices = Costs::H200.conversions(warps);
            (prices.shuffle, prices.select, prices.bank_cycle, prices.barrier)
        };
        assert_eq!(of(1), (2, 1, 2, 50));
        assert_eq!(of(8), (16, 8, 16, 50));
    }

    #[test]
    fn what_takes_longest_is_when_all_is_done() {
        let cost = |busy, instructions| Cost {
            busy: Cycles(busy),
            instructions,
            latency: Cycles(7),
        };
        assert_eq!(cost(100, 8).alone(), Cycles(107));
        assert_eq!(cost(2, 8).alone(), Cycles(15));
        assert_eq!(Cost::NEVER.alone(), Cycles::NEVER);
    }
}
