//! Whether a launch fits its kernel and its GPU: grid, clusters, dynamic shared memory.
//!
//! The driver and the simulator launch what [`Configuration::new`] accepts.

use std::fmt;

use super::module::{Entry, Module, volume};
use crate::isa::limits::{MOST_CLUSTER, PORTABLE_CLUSTER};
use crate::isa::rules::forms;
use crate::isa::{Need, Target};
use crate::machine::Machine;

/// What a launch asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The grid: in clusters for a kernel with `.blocksareclusters`, else in blocks.
    pub grid: [u32; 3],
    /// The shape of a cluster in blocks. A kernel that requires one need not be given it.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory; `None` for a kernel that has none.
    pub dynamic_shared: Option<u32>,
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The grid, in blocks.
    pub blocks: [u32; 3],
    /// The shape of a cluster in blocks; `None` without clusters.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
}

impl Configuration {
    /// The launch of a verified entry of `module` on a GPU of this target.
    ///
    /// # Errors
    /// Why the kernel or the GPU does not allow it.
    pub fn new(module: &Module, entry: &Entry, asked: &Asked, gpu: Target) -> Result<Self, Refusal> {
        let cluster = cluster(entry, asked.cluster, gpu)?;
        Ok(Self {
            blocks: blocks(entry, asked.grid, cluster.unwrap_or([1; 3]))?,
            cluster,
            dynamic_shared: dynamic_shared(module, entry, asked.dynamic_shared, gpu)?,
        })
    }

    /// Whether all GPUs with clusters have clusters as large as this launch's.
    pub fn is_portable(&self) -> bool {
        self.cluster.is_none_or(is_portable)
    }
}

/// Whether all GPUs with clusters have clusters of this shape.
pub fn is_portable(cluster: [u32; 3]) -> bool {
    volume(cluster) <= u64::from(PORTABLE_CLUSTER)
}

fn cluster(entry: &Entry, asked: Option<[u32; 3]>, gpu: Target) -> Result<Option<[u32; 3]>, Refusal> {
    let launch = &entry.launch;
    let shape = match (launch.required_cluster, asked) {
        (Some(required), Some(asked)) if required != asked => {
            return Err(Refusal::OtherCluster { required, asked });
        }
        (Some(cluster), _) | (None, Some(cluster)) => cluster,
        (None, None) if launch.explicit_cluster || launch.blocks_are_clusters => {
            return Err(Refusal::NoClusterShape);
        }
        (None, None) => return Ok(None),
    };
    if let Some(need) = forms::clusters().filter(|&need| !gpu.provides(need)) {
        return Err(Refusal::NoClusters { shape, need, gpu });
    }
    let most = launch.max_cluster_rank.unwrap_or(MOST_CLUSTER).min(MOST_CLUSTER);
    if !(1..=u64::from(most)).contains(&volume(shape)) {
        return Err(Refusal::ClusterSize { shape, most });
    }
    Ok(Some(shape))
}

fn blocks(entry: &Entry, grid: [u32; 3], cluster: [u32; 3]) -> Result<[u32; 3], Refusal> {
    let mut blocks = grid;
    for (axis, (blocks, cluster_blocks)) in (Axis::ALL.into_iter()).zip(blocks.iter_mut().zip(cluster)) {
        if entry.launch.blocks_are_clusters {
            *blocks = (blocks.checked_mul(cluster_blocks)).ok_or(Refusal::Grid { grid, cluster, axis })?;
        } else if !blocks.is_multiple_of(cluster_blocks) {
            return Err(Refusal::Undivided { grid, cluster, axis });
        }
    }
    Ok(blocks)
}

fn dynamic_shared(module: &Module, entry: &Entry, asked: Option<u32>, gpu: Target) -> Result<u32, Refusal> {
    let align = module.dynamic_shared(entry).map(|variable| variable.align).max();
    let asked = match (asked, align) {
        (Some(asked), _) => asked,
        (None, None) => 0,
        (None, Some(_)) => return Err(Refusal::NoDynamicSize),
    };
    let declared = module.shared_bytes(entry);
    let begin = declared.checked_next_multiple_of(u64::from(align.unwrap_or(1).max(1)));
    let most = Machine::of(gpu).multiprocessor.shared_opt_in.0;
    if begin.unwrap_or(u64::MAX).saturating_add(u64::from(asked)) > most {
        return Err(Refusal::SharedMemory {
            declared,
            asked,
            most,
            gpu,
        });
    }
    Ok(asked)
}

/// An axis of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

impl Axis {
    const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    fn of(self, [x, y, z]: [u32; 3]) -> u32 {
        match self {
            Self::X => x,
            Self::Y => y,
            Self::Z => z,
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        })
    }
}

/// Why a kernel is not launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Neither the kernel nor the launch says the shape of its clusters.
    NoClusterShape,
    /// The launch asks for clusters of another shape than the kernel.
    OtherCluster {
        /// The kernel's.
        required: [u32; 3],
        /// The launch's.
        asked: [u32; 3],
    },
    /// The GPU has no clusters.
    NoClusters {
        /// The shape of the clusters that are asked for.
        shape: [u32; 3],
        /// What clusters need.
        need: Need,
        /// The GPU.
        gpu: Target,
    },
    /// A cluster without blocks, or with too many.
    ClusterSize {
        /// Its shape.
        shape: [u32; 3],
        /// The most blocks.
        most: u32,
    },
    /// The grid is not made of whole clusters.
    Undivided {
        /// The grid in blocks.
        grid: [u32; 3],
        /// The shape of a cluster.
        cluster: [u32; 3],
        /// The first axis where a cluster is cut off.
        axis: Axis,
    },
    /// The clusters of the grid have too many blocks.
    Grid {
        /// The grid in clusters.
        grid: [u32; 3],
        /// The shape of a cluster.
        cluster: [u32; 3],
        /// The first axis with too many.
        axis: Axis,
    },
    /// The launch does not say the size of the kernel's dynamic shared memory.
    NoDynamicSize,
    /// More shared memory than a block has.
    SharedMemory {
        /// The bytes that the kernel declares.
        declared: u64,
        /// The bytes that the launch asks for.
        asked: u32,
        /// The most of a block.
        most: u64,
        /// The GPU.
        gpu: Target,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |[x, y, z]: [u32; 3]| format!("{x},{y},{z}");
        match *self {
            Self::NoClusterShape => write!(
                f,
                "the kernel leaves the shape of its clusters to the launch, which does not say it"
            ),
            Self::OtherCluster { required, asked } => write!(
                f,
                "the kernel requires clusters of {} blocks, not {}",
                text(required),
                text(asked)
            ),
            Self::NoClusters { shape, need, gpu } => write!(
                f,
                "clusters of {} blocks need {need}, and the GPU is {gpu}",
                text(shape)
            ),
            Self::ClusterSize { shape, most } => write!(
                f,
                "a cluster of {} has {} blocks, of 1 to {most}",
                text(shape),
                volume(shape)
            ),
            Self::Undivided { grid, cluster, axis } => write!(
                f,
                "a grid of {} blocks is not made of clusters of {}: along {axis}, {} is no multiple of {}",
                text(grid),
                text(cluster),
                axis.of(grid),
                axis.of(cluster)
            ),
            Self::Grid { grid, cluster, axis } => write!(
                f,
                "{} clusters of {} are too many blocks along {axis}: {} times {}",
                text(grid),
                text(cluster),
                axis.of(grid),
                axis.of(cluster)
            ),
            Self::NoDynamicSize => write!(
                f,
                "the kernel has dynamic shared memory, and the launch does not say how much"
            ),
            Self::SharedMemory {
                declared,
                asked,
                most,
                gpu,
            } => write!(
                f,
                "the kernel declares {declared} bytes of shared memory, and the launch asks for {asked} more; a block on {gpu} \
                 has at most {most}"
            ),
        }
    }
}
