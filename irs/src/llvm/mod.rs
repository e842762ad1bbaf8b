//! `llvm_like`: machine values.
//!
//! Scalars, short vectors, pointers with an address space, and a control-flow graph whose blocks take arguments.
//! The function has the `nvvm.*` attributes that follow from its kernel spec.
//!
//! Removed: structured control flow, fragments, layouts as values.

mod ops;
mod types;
mod verify;

use tilewright_diagnostics::Code;

use crate::core::{Attributes, Func, Language, Origin, Problems};
use crate::isa::limits;
use crate::machine::Machine;

pub use ops::{LlvmDialect, LlvmOp};
pub use types::{AddressSpace, LlvmType};

/// The language `llvm_like`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Llvm;

crate::attributes! {
    /// Function attributes of `llvm_like` and `nvvm`.
    pub struct KernelAttrs {
        /// The target GPU.
        target: crate::isa::Target,
        /// Marks a kernel; `nvvm` calls it `nvvm.kernel`.
        cute_kernel ["cute.kernel"]: crate::core::Flag,
        /// Marks a kernel.
        nvvm_kernel ["nvvm.kernel"]: crate::core::Flag,
        /// Threads in a block: 32 times the warps of the kernel spec.
        reqntid ["nvvm.reqntid"]: u32,
        /// The number of blocks to fit on one multiprocessor.
        minctasm ["nvvm.minctasm"]: Option<u32>,
        /// Register limit of a thread.
        maxnreg ["nvvm.maxnreg"]: Option<u32>,
        /// Blocks in a cluster, along the grid's first axis.
        cluster_dim ["nvvm.cluster_dim"]: Option<u32>,
        /// The grid of a launch counts clusters, not blocks. (PTX ISA, `.blocksareclusters`.)
        blocks_are_clusters ["nvvm.blocksareclusters"]: crate::core::Flag,
        /// Bytes of shared memory.
        shared_bytes: u32,
        /// Alignment of shared memory in bytes: a power of two up to 65536; 16 if absent.
        shared_align: Option<crate::SharedAlign>,
    }
}

impl KernelAttrs {
    /// Checks the launch attributes: values that ptxas refuses, and those with which no launch succeeds.
    pub(crate) fn verify(&self, problems: &mut Problems) {
        let within =
            |name, what, n: Option<u64>, most| n.map(|n| (name, limits::within(name, what, n, most)));
        let block = "nvvm.reqntid";
        let checks = [
            Some((block, limits::block(block, [self.reqntid, 1, 1]))),
            within("nvvm.minctasm", "blocks", self.minctasm.map(u64::from), None),
            within("nvvm.maxnreg", "registers", self.maxnreg.map(u64::from), None),
            within(
                "nvvm.cluster_dim",
                "blocks",
                self.cluster_dim.map(u64::from),
                Some(limits::MOST_CLUSTER),
            ),
        ];
        for (name, checked) in checks.into_iter().flatten() {
            if let Err(limit) = checked {
                let message = limit.to_string();
                problems.error_at(Origin::FUNCTION, Self::part(name), Code::LaunchShape, message);
            }
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
