//! Limits that PTX has on all targets: threads per block, blocks per grid and cluster, named barriers, registers that `setmaxnreg`
//! can request. (CUDA C++ Programming Guide, technical specifications per compute capability; PTX ISA where said.)

use std::fmt;

/// Lanes of a warp.
pub const LANES: u32 = 32;
/// The maximum number of threads of a block, in total and along x and y each.
pub const MOST_THREADS: u32 = 1024;
/// The maximum number of threads of a block along z.
const MOST_THREADS_Z: u32 = 64;
/// The maximum number of blocks of a grid along x, y and z.
pub const MOST_BLOCKS: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
/// The maximum number of blocks of a cluster. (CUDA C++ Programming Guide, "Thread Block Clusters".)
pub const MOST_CLUSTER: u32 = 16;
/// The largest cluster, in blocks, that every GPU with clusters supports. The launch must opt in to larger ones.
pub const PORTABLE_CLUSTER: u32 = 8;

/// The named barriers of a block. (PTX ISA, `barrier`.)
pub const NAMED_BARRIERS: u32 = 16;
/// The numbers of registers per thread that `setmaxnreg` takes. (PTX ISA, `setmaxnreg`.)
pub const SETMAXNREG: Steps = Steps {
    least: 24,
    most: 256,
    step: 8,
};

/// All multiples of `step` from `least` to `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Steps {
    /// The least.
    pub least: u32,
    /// The largest.
    pub most: u32,
    /// Every number is a multiple of this.
    pub step: u32,
}

impl Steps {
    /// Whether a number is one of them.
    pub const fn contains(self, number: u32) -> bool {
        self.least <= number && number <= self.most && number.is_multiple_of(self.step)
    }
}

/// A number that is not between 1 and a limit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Limit {
    /// The unit of the number.
    pub what: &'static str,
    /// The value.
    pub asked: u64,
    /// The maximum, if there is one.
    pub most: Option<u64>,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, asked, most } = self;
        match most {
            Some(most) => write!(f, "asks for {asked} {what}, of 1 to {most}"),
            None => write!(f, "asks for {asked} {what}, of at least 1"),
        }
    }
}

/// Checks that a number is between 1 and `most`.
///
/// # Errors
/// It is out of range.
pub fn within(what: &'static str, asked: u64, most: Option<u32>) -> Result<(), Limit> {
    let most = most.map(u64::from);
    if asked >= 1 && most.is_none_or(|most| asked <= most) {
        return Ok(());
    }
    Err(Limit { what, asked, most })
}

/// Checks the shape of a block.
///
/// # Errors
/// The first axis with too few or too many threads, or their total.
pub fn block([x, y, z]: [u32; 3]) -> Result<(), Limit> {
    let axes = [
        ("threads along x", x, MOST_THREADS),
        ("threads along y", y, MOST_THREADS),
        ("threads along z", z, MOST_THREADS_Z),
    ];
    for (what, extent, most) in axes {
        within(what, u64::from(extent), Some(most))?;
    }
    let threads = u64::from(x) * u64::from(y) * u64::from(z);
    within("threads", threads, Some(MOST_THREADS))
}
