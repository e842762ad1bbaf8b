//! `llvm_like`: machine values.
//!
//! Scalars, short vectors, pointers with an address space, and a control-flow graph whose blocks take arguments.
//! The function has the `nvvm.*` attributes that follow from its kernel spec.
//!
//! Gone from here on: structured control flow, fragments, layouts as values.

mod ops;
mod types;
mod verify;

use crate::core::{Func, Language, Problems};

pub use ops::{LlvmDialect, LlvmOp};
pub use types::{AddressSpace, LlvmType};

/// The language `llvm_like`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Llvm;

crate::attributes! {
    /// What `llvm_like` and `nvvm` record on a function.
    pub struct KernelAttrs {
        /// The GPU that code is made for.
        target: crate::isa::Target,
        /// The function is a kernel; `nvvm` calls the mark `nvvm.kernel`.
        cute_kernel ["cute.kernel"]: crate::core::Flag,
        /// The function is a kernel.
        nvvm_kernel ["nvvm.kernel"]: crate::core::Flag,
        /// Threads in a block: 32 times the warps of the kernel spec.
        reqntid ["nvvm.reqntid"]: u32,
        /// Blocks that should fit on one multiprocessor.
        minctasm ["nvvm.minctasm"]: Option<u32>,
        /// Registers a thread may use.
        maxnreg ["nvvm.maxnreg"]: Option<u32>,
        /// Blocks in a cluster, along the grid's first axis.
        cluster_dim ["nvvm.cluster_dim"]: Option<u32>,
        /// Bytes of shared memory.
        shared_bytes: u32,
    }
}

impl Language for Llvm {
    const NAME: &'static str = "llvm";
    type Type = LlvmType;
    type Op = LlvmOp;
    type Tag = ();
    type FuncAttrs = KernelAttrs;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        verify::verify(func, problems);
    }
}
