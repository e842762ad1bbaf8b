//! What the CUDA driver is told of a launch besides its arguments.

use cudarc::driver::sys::CUfunction_attribute as Attribute;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Origin;
use tilewright_irs::ptx::{Asked, Configuration, Refusal, Target};

use super::Launch;
use crate::units::PtxKernel;

/// A launch that its kernel and the GPU allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configured {
    /// The grid: in clusters for a kernel with `.blocksareclusters`, else in blocks.
    pub grid: [u32; 3],
    /// The threads of a block; (1, 1, 1) where the kernel says how many there are.
    pub block: [u32; 3],
    /// The launch attribute for the shape of a cluster in blocks.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Whether all blocks run at the same time.
    pub cooperative: bool,
    /// Whether it may begin before the launch before it has ended.
    pub programmatic: bool,
    /// The attributes that the function needs before the launch.
    pub function: Vec<(Attribute, i32)>,
}

impl Configured {
    /// The launch of a kernel on a GPU of this target.
    ///
    /// # Errors
    /// Why the kernel or the GPU does not allow it, at the kernel.
    pub fn new(kernel: &PtxKernel, launch: &Launch, gpu: Target) -> Result<Self, Diagnostic<Origin>> {
        let asked = Asked {
            grid: launch.grid,
            cluster: launch.cluster,
            dynamic_shared: launch.dynamic_shared,
        };
        let allowed = Configuration::new(&kernel.module(), &kernel.entry, &asked, gpu).map_err(refused)?;
        let mut function = Vec::new();
        // Without it, a launch may ask for 48 KiB at most.
        if let Ok(bytes @ 1..) = i32::try_from(allowed.dynamic_shared) {
            function.push((Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
        }
        if !allowed.is_portable() {
            function.push((Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
        }
        // The attribute counts the grid in blocks. Where that counts clusters, the kernel says their shape.
        let counts_blocks = !kernel.entry.launch.blocks_are_clusters;
        Ok(Self {
            grid: launch.grid,
            block: launch.block.unwrap_or([1; 3]),
            cluster: allowed.cluster.filter(|_| counts_blocks),
            dynamic_shared: allowed.dynamic_shared,
            cooperative: launch.cooperative,
            programmatic: launch.programmatic,
            function,
        })
    }
}

fn refused(refusal: Refusal) -> Diagnostic<Origin> {
    let (code, help) = match refusal {
        Refusal::NoClusterShape => (Code::BadArgument, Some("give it with --cluster X[,Y[,Z]]")),
        Refusal::NoDynamicSize => (Code::BadArgument, Some("give it with --dynamic-shared BYTES")),
        Refusal::OtherCluster { .. }
        | Refusal::ClusterSize { .. }
        | Refusal::Undivided { .. }
        | Refusal::Grid { .. } => (Code::LaunchShape, None),
        Refusal::NoClusters { .. } => (Code::TargetLacksFeature, None),
        Refusal::SharedMemory { .. } => (Code::SharedMemory, None),
    };
    let mut problem =
        Diagnostic::error(code, refusal.to_string()).at(Origin::FUNCTION, "the kernel that is launched");
    problem.help.extend(help.map(str::to_owned));
    problem
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_irs::ptx::{Entry, Module, Space, Variable};

    /// A kernel for sm_90a with this change, and with dynamic shared memory if asked for.
    fn kernel(change: impl FnOnce(&mut Entry), has_dynamic: bool) -> PtxKernel {
        let mut entry = Entry::new("k");
        if has_dynamic {
            entry.variables.push(Variable {
                bytes: None,
                ..Variable::shared("tile", 16, 0)
            });
            assert_eq!(entry.variables[0].space, Space::Shared);
        }
        change(&mut entry);
        let mut module = Module::new(Target::sm_a(90));
        module.entries.push(entry);
        PtxKernel::of_module(module.with_lowest_version())
    }

    fn launch(grid: [u32; 3], cluster: Option<[u32; 3]>, dynamic_shared: Option<u32>) -> Launch {
        Launch {
            kernel: "k".to_owned(),
            grid,
            block: None,
            cluster,
            dynamic_shared,
            cooperative: false,
            programmatic: false,
            parameters: Vec::new(),
            buffers: Vec::new(),
            addresses: Vec::new(),
            names: Vec::new(),
            empty: Vec::new(),
            max_steps: None,
            deadline: None,
            unspecified: Vec::new(),
        }
    }

    const SHARED: Attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    const LARGE: Attribute = Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;

    #[test]
    fn the_driver_is_told_of_clusters_and_dynamic_shared_memory() {
        let h100 = Target::sm_a(90);
        let told = |kernel: &PtxKernel, launch: &Launch| {
            let configured = Configured::new(kernel, launch, h100).expect("allowed");
            assert_eq!(configured.grid, launch.grid);
            (configured.cluster, configured.dynamic_shared, configured.function)
        };
        let plain = kernel(|_| {}, false);
        assert_eq!(told(&plain, &launch([3, 1, 1], None, None)), (None, 0, vec![]));
        // The shape comes from the kernel, or from the launch; more than eight blocks must be allowed.
        let of = |blocks| {
            kernel(
                |entry| entry.launch.required_cluster = Some([blocks, 1, 1]),
                false,
            )
        };
        for (blocks, function) in [
            (2, vec![]),
            (8, vec![]),
            (9, vec![(LARGE, 1)]),
            (16, vec![(LARGE, 1)]),
        ] {
            let shape = [blocks, 1, 1];
            let grid = [2 * blocks, 3, 1];
            let want = (Some(shape), 0, function);
            assert_eq!(told(&of(blocks), &launch(grid, None, None)), want);
            assert_eq!(told(&plain, &launch(grid, Some(shape), None)), want);
        }
        // The driver takes the shape from the kernel if the grid counts clusters.
        let counted = kernel(
            |entry| {
                entry.launch.required_threads = Some([32, 1, 1]);
                entry.launch.required_cluster = Some([16, 1, 1]);
                entry.launch.blocks_are_clusters = true;
            },
            false,
        );
        let want = (None, 0, vec![(LARGE, 1)]);
        assert_eq!(told(&counted, &launch([3, 1, 1], None, None)), want);
        let dynamic = kernel(|_| {}, true);
        for bytes in [1, 100_000, 232_448] {
            let want = (None, bytes, vec![(SHARED, i32::try_from(bytes).expect("small"))]);
            assert_eq!(told(&dynamic, &launch([1; 3], None, Some(bytes))), want);
        }
        assert_eq!(told(&dynamic, &launch([1; 3], None, Some(0))), (None, 0, vec![]));
    }

    #[test]
    fn what_the_gpu_lacks_is_refused_whatever_the_kernel_was_compiled_for() {
        let refused = |kernel: &PtxKernel, launch: &Launch, gpu| {
            let problem = Configured::new(kernel, launch, gpu).expect_err("a refusal");
            (problem.code, problem.message)
        };
        let plain = kernel(|_| {}, false);
        let (code, message) = refused(&plain, &launch([2, 1, 1], Some([2, 1, 1]), None), Target::sm(89));
        assert_eq!(code, Code::TargetLacksFeature);
        assert!(
            message.starts_with("clusters of 2,1,1 blocks need sm_90 and later")
                && message.ends_with("sm_89")
        );
        let dynamic = kernel(|_| {}, true);
        let (code, message) = refused(&dynamic, &launch([1; 3], None, Some(110_000)), Target::sm_a(120));
        assert_eq!(code, Code::SharedMemory);
        assert!(
            message.ends_with("a block on sm_120a has at most 101376"),
            "{message}"
        );
    }
}
