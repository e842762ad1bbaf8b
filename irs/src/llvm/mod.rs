//! `llvm_like`: machine values.
//!
//! Scalars, short vectors, pointers with an address space, and a control-flow graph whose blocks take arguments.
//! The function has the `nvvm.*` attributes that follow from its kernel spec.
//!
//! Removed: structured control flow, fragments, layouts as values.

mod ops;
mod types;
mod verify;

use tilewright_diagnostics::{Code, Diagnostic};

use crate::core::{Attributes, Func, Language, Origin, Problem, Problems};
use crate::machine::Machine;
use crate::ptx::{Directive, Launch};

pub use ops::{LlvmDialect, LlvmOp};
pub use types::{AddressSpace, LlvmType};

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
        /// Threads in a block: 32 times the warps of the kernel spec.
        reqntid ["nvvm.reqntid"] in LaunchShape: u32,
        /// The number of blocks to fit on one multiprocessor.
        minctasm ["nvvm.minctasm"] in LaunchShape: Option<u32>,
        /// Register limit of a thread.
        maxnreg ["nvvm.maxnreg"] in LaunchShape: Option<u32>,
        /// Blocks in a cluster, along the grid's first axis.
        cluster_dim ["nvvm.cluster_dim"] in LaunchShape: Option<u32>,
        /// The grid of a launch counts clusters, not blocks. (PTX ISA, `.blocksareclusters`.)
        blocks_are_clusters ["nvvm.blocksareclusters"] in LaunchShape: crate::core::Flag,
        /// Bytes of shared memory.
        shared_bytes in LaunchShape: u32,
        /// Alignment of shared memory in bytes: a power of two up to 65536; 16 if absent.
        shared_align in LaunchShape: Option<crate::SharedAlign>,
    }
}

impl KernelAttrs {
    /// The launch directives that the attributes become.
    pub fn launch(&self) -> Launch {
        let Self {
            target: _,
            cute_kernel: _,
            nvvm_kernel: _,
            reqntid,
            minctasm,
            maxnreg,
            cluster_dim,
            blocks_are_clusters,
            shared_bytes: _,
            shared_align: _,
        } = *self;
        Launch {
            max_threads: None,
            required_threads: Some([reqntid, 1, 1]),
            min_blocks_per_sm: minctasm,
            max_registers: maxnreg,
            explicit_cluster: false,
            required_cluster: cluster_dim.map(|blocks| [blocks, 1, 1]),
            max_cluster_rank: None,
            blocks_are_clusters: blocks_are_clusters.0,
        }
    }

    /// Checks the attributes that become launch directives, and the shared memory.
    pub(crate) fn verify(&self, problems: &mut Problems) {
        for problem in self.launch().problems(self.target, None) {
            problems.list.push(Problem {
                diagnostic: Diagnostic::error(problem.code(), problem.message(attribute))
                    .at(Origin::FUNCTION, problem.label()),
                part: Self::part(attribute(problem.directive)),
            });
        }
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

/// The attribute that becomes a launch directive.
fn attribute(directive: Directive) -> &'static str {
    match directive {
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
        func.attrs.verify(problems);
        verify::verify(func, problems);
    }
}
