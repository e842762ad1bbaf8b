//! Special registers: thread, block and warp indices.

use crate::block::Block;
use crate::row::Row;
use crate::warp::Warp;
use tilewright_irs::ptx::Special;

impl Block<'_> {
    /// The thread's index in the block, from its warp and lane.
    pub(crate) fn thread(&self, warp: usize, lane: usize) -> [u32; 3] {
        let [x, y, _] = self.shape.threads;
        let flat = (warp * 32 + lane) as u32;
        [flat % x, flat / x % y, flat / x / y]
    }

    /// The value of a special register in each lane.
    pub(crate) fn special(&self, warp: &Warp, register: Special) -> Row {
        let same = |value: u32| [u64::from(value); 32];
        let each_lane = |f: &dyn Fn(usize) -> u32| std::array::from_fn(|lane| u64::from(f(lane)));
        let thread = |axis: usize| each_lane(&|lane| self.thread(warp.index, lane)[axis]);
        match register {
            Special::TidX => thread(0),
            Special::TidY => thread(1),
            Special::TidZ => thread(2),
            Special::NtidX => same(self.shape.threads[0]),
            Special::NtidY => same(self.shape.threads[1]),
            Special::NtidZ => same(self.shape.threads[2]),
            Special::CtaidX => same(self.here.index[0]),
            Special::CtaidY => same(self.here.index[1]),
            Special::CtaidZ => same(self.here.index[2]),
            Special::NctaidX => same(self.shape.grid[0]),
            Special::NctaidY => same(self.shape.grid[1]),
            Special::NctaidZ => same(self.shape.grid[2]),
            Special::Laneid => each_lane(&|lane| lane as u32),
            Special::Warpid => same(warp.index as u32),
            Special::Smid | Special::Gridid => same(0),
            Special::Nsmid => same(1),
            Special::Nwarpid => same(self.shape.threads.iter().product::<u32>().div_ceil(32)),
            Special::LanemaskEq => each_lane(&|lane| 1 << lane),
            Special::LanemaskLt => each_lane(&|lane| (1 << lane) - 1),
            Special::LanemaskLe => each_lane(&|lane| (1u32 << lane) | ((1 << lane) - 1)),
            Special::LanemaskGt => each_lane(&|lane| !((1u32 << lane) | ((1 << lane) - 1))),
            Special::LanemaskGe => each_lane(&|lane| !((1u32 << lane) - 1)),
            Special::Clock | Special::GlobaltimerLo => {
                same((self.stats.warp_instructions & 0xffff_ffff) as u32)
            }
            Special::Clock64 | Special::Globaltimer => [self.stats.warp_instructions; 32],
            Special::DynamicSmemSize => same(self.shape.dynamic_shared),
            Special::ClusteridX => same(self.here.index[0] / self.shape.cluster[0]),
            Special::ClusteridY => same(self.here.index[1] / self.shape.cluster[1]),
            Special::ClusteridZ => same(self.here.index[2] / self.shape.cluster[2]),
            Special::NclusteridX => same(self.shape.grid[0] / self.shape.cluster[0]),
            Special::NclusteridY => same(self.shape.grid[1] / self.shape.cluster[1]),
            Special::NclusteridZ => same(self.shape.grid[2] / self.shape.cluster[2]),
            Special::ClusterCtaidX => same(self.here.index[0] % self.shape.cluster[0]),
            Special::ClusterCtaidY => same(self.here.index[1] % self.shape.cluster[1]),
            Special::ClusterCtaidZ => same(self.here.index[2] % self.shape.cluster[2]),
            Special::ClusterNctaidX => same(self.shape.cluster[0]),
            Special::ClusterNctaidY => same(self.shape.cluster[1]),
            Special::ClusterNctaidZ => same(self.shape.cluster[2]),
            Special::ClusterCtarank => same(self.here.rank as u32),
            Special::ClusterNctarank => same(self.parties.blocks as u32),
        }
    }
}
