//! `llvm_like`: machine values.
//!
//! Scalars, short vectors, pointers with an address space, structs of these (until `dissolve_structs`), and a control-flow graph whose blocks take arguments.
//! The function has the `nvvm.*` attributes that follow from its kernel spec.
//!
//! Removed: structured control flow, fragments, layouts as values.

mod arrays;
mod ops;
mod passed;
mod structs;
mod types;
mod verify;

use tilewright_diagnostics::{Code, Diagnostic, counted};

use crate::core::{Attributes, Func, Language, Origin, Problem, Problems, Value};
use crate::isa::limits;
use crate::machine::Machine;
use crate::ptx::{Directive, Launch};
use crate::shared_size::verify_shared_size;

pub use crate::extents::Extents;
pub(crate) use arrays::check_arrays;
pub use ops::{LlvmDialect, LlvmOp, Unrolling};
pub(crate) use passed::{check_passed, misuses_passed};
pub use structs::{Leaf, MemoryLayout};
pub use types::{AddressSpace, LlvmType, Passed, StructType};

/// The language `llvm_like`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Llvm;

crate::attributes! {
    /// Function attributes of `llvm_like` and `nvvm`.
    pub struct KernelAttrs {
        /// The target GPU.
        target in Capability: crate::isa::Target,
        /// Marks a kernel; `nvvm` calls it `nvvm.kernel`.
        cute_kernel ["cute.kernel"] in KernelSpec: crate::core::Flag,
        /// Marks a kernel.
        nvvm_kernel ["nvvm.kernel"] in KernelSpec: crate::core::Flag,
        /// The most threads of a block, along each axis; excludes `nvvm.reqntid`.
        maxntid ["nvvm.maxntid"] in LaunchShape: Option<Extents>,
        /// The threads of a block: 32 times the warps of the kernel spec, or along each axis.
        reqntid ["nvvm.reqntid"] in LaunchShape: Option<Extents>,
        /// The number of blocks to fit on one multiprocessor.
        minctasm ["nvvm.minctasm"] in LaunchShape: Option<u32>,
        /// Register limit of a thread.
        maxnreg ["nvvm.maxnreg"] in LaunchShape: Option<u32>,
        /// A launch must say how large clusters are. (PTX ISA, `.explicitcluster`.)
        explicit_cluster ["nvvm.explicitcluster"] in LaunchShape: crate::core::Flag,
        /// Blocks in a cluster, along the grid's first axis or along each.
        cluster_dim ["nvvm.cluster_dim"] in LaunchShape: Option<Extents>,
        /// The most blocks of a cluster; excludes `nvvm.cluster_dim`.
        max_cluster_rank ["nvvm.maxclusterrank"] in LaunchShape: Option<u32>,
        /// The grid of a launch counts clusters, not blocks. (PTX ISA, `.blocksareclusters`.)
        blocks_are_clusters ["nvvm.blocksareclusters"] in LaunchShape: crate::core::Flag,
        /// The numbers of the parameters that are passed by value and that no thread changes: all tensor maps.
        grid_constant ["nvvm.grid_constant"] in LaunchShape: Option<Vec<u32>>,
        /// Bytes of shared memory.
        shared_bytes in LaunchShape: u32,
        /// Alignment of shared memory in bytes: a power of two up to 65536; 16 if absent.
        shared_align in LaunchShape: Option<crate::SharedAlign>,
        /// The launch says how many bytes of shared memory there are; excludes `shared_bytes`.
        shared_dynamic in LaunchShape: crate::core::Flag,
    }
}

impl KernelAttrs {
    /// The launch directives that the attributes become.
    pub fn launch(&self) -> Launch {
        let Self {
            target: _,
            cute_kernel: _,
            nvvm_kernel: _,
            maxntid,
            reqntid,
            minctasm,
            maxnreg,
            explicit_cluster,
            cluster_dim,
            max_cluster_rank,
            blocks_are_clusters,
            // The type of the parameter says it.
            grid_constant: _,
            shared_bytes: _,
            shared_align: _,
            shared_dynamic: _,
        } = *self;
        Launch {
            max_threads: maxntid.map(|Extents(all)| all),
            required_threads: reqntid.map(|Extents(all)| all),
            min_blocks_per_sm: minctasm,
            max_registers: maxnreg,
            explicit_cluster: explicit_cluster.0,
            required_cluster: cluster_dim.map(|Extents(all)| all),
            max_cluster_rank,
            blocks_are_clusters: blocks_are_clusters.0,
        }
    }

    /// The most threads of a block.
    pub fn threads(&self) -> u32 {
        let most = self.reqntid.or(self.maxntid);
        most.map_or(limits::MOST_THREADS, Extents::count)
    }

    /// Checks the attributes that become launch directives, the shared memory, and which parameters are grid constants: those
    /// whose entry of `by_value` is true.
    pub(crate) fn verify(&self, by_value: &[bool], problems: &mut Problems) {
        if self.reqntid.or(self.maxntid).is_none() {
            let message = "a kernel has `nvvm.reqntid` or `nvvm.maxntid`, and this one has neither";
            problems.error(Origin::FUNCTION, Code::MissingAttribute, message);
        }
        self.verify_grid_constants(by_value, problems);
        for problem in self.launch().problems(self.target, None) {
            problems.list.push(Problem {
                diagnostic: Diagnostic::error(problem.code(), problem.message(attribute))
                    .at(Origin::FUNCTION, problem.label()),
                part: Self::part(attribute(problem.directive)),
            });
        }
        let dynamic = Self::part("shared_dynamic");
        verify_shared_size(self.shared_dynamic, self.shared_bytes, dynamic, problems);
        let most = Machine::of(self.target).multiprocessor.shared_static.0;
        if u64::from(self.shared_bytes) > most {
            let message = format!(
                "`shared_bytes` asks for {} bytes of shared memory; a block on {} has at most {most}",
                self.shared_bytes, self.target
            );
            let part = Self::part("shared_bytes");
            problems.error_at(Origin::FUNCTION, part, Code::SharedMemory, message);
        }
    }
}

impl KernelAttrs {
    fn verify_grid_constants(&self, by_value: &[bool], problems: &mut Problems) {
        let Some(named) = &self.grid_constant else { return };
        let part = Self::part("nvvm.grid_constant");
        for (i, &number) in named.iter().enumerate() {
            let message = match by_value.get(number as usize) {
                Some(true) => continue,
                Some(false) => {
                    format!("`nvvm.grid_constant` names parameter {number}, which is no tensor map")
                }
                None => format!(
                    "`nvvm.grid_constant` names parameter {number}, and the kernel has {}",
                    counted(by_value.len(), "parameter")
                ),
            };
            problems.error_at(Origin::FUNCTION, part.entry(i), Code::AttributeValue, message);
        }
        let is_named = |number: &usize| named.iter().any(|&named| named as usize == *number);
        let mut maps = by_value.iter().enumerate().filter(|(_, by_value)| **by_value);
        if let Some((number, _)) = maps.find(|(number, _)| !is_named(number)) {
            let message = format!(
                "`nvvm.grid_constant` leaves out parameter {number}, a tensor map, which no thread may change"
            );
            problems.error_at(Origin::FUNCTION, part, Code::AttributeValue, message);
        }
    }
}

/// The attribute that becomes a launch directive.
fn attribute(directive: Directive) -> &'static str {
    match directive {
        Directive::MaxThreads => "nvvm.maxntid",
        Directive::ExplicitCluster => "nvvm.explicitcluster",
        Directive::MaxCluster => "nvvm.maxclusterrank",
        Directive::RequiredThreads => "nvvm.reqntid",
        Directive::MinBlocks => "nvvm.minctasm",
        Directive::MaxRegisters => "nvvm.maxnreg",
        Directive::RequiredCluster => "nvvm.cluster_dim",
        Directive::BlocksAreClusters => "nvvm.blocksareclusters",
        other => other.word(),
    }
}

impl Language for Llvm {
    const NAME: &'static str = "llvm";
    type Type = LlvmType;
    type Op = LlvmOp;
    type Tag = ();
    type FuncAttrs = KernelAttrs;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        let is_map = |&param: &Value| matches!(func.body.ty(param), LlvmType::TensorMap);
        let by_value: Vec<bool> = func.body.params().iter().map(is_map).collect();
        func.attrs.verify(&by_value, problems);
        verify::verify(func, problems);
    }
}
