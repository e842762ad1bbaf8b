//! `nvvm`: target instructions in SSA form.
//!
//! An op is an instruction of [`crate::isa`] whose operands are SSA values ([`TargetOp`]), unconditional or with a
//! guard predicate; [`NvvmDialect`] adds constants and branches. A value is the content of a machine register; each
//! op's type determines how its bits are read. Blocks and branches are those of `llvm_like`.
//!
//! Removed: vectors as values, generic ops without a target form, `cute.kernel`.
//!
//! The forms of instructions and their targets are declared in [`crate::isa`]. [`native`] queries them for the passes
//! that legalise.

mod native;
mod ops;
mod types;
mod verify;

use crate::core::{Func, Language, Problems, Value};

pub use crate::isa::TargetOp;
pub use crate::llvm::KernelAttrs;
pub use native::{
    atomic_form, direction, float_instruction, float_type, memory_order, memory_scope, native, native_atomic,
    prefetch_size,
};
pub use ops::{Instruction, NvvmDialect, NvvmOp};
pub use types::NvvmType;

/// The language `nvvm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Nvvm;

impl Language for Nvvm {
    const NAME: &'static str = "nvvm";
    type Type = NvvmType;
    type Op = NvvmOp;
    type Tag = ();
    type FuncAttrs = KernelAttrs;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        let is_map = |&param: &Value| matches!(func.body.ty(param), NvvmType::TensorMap);
        let by_value: Vec<bool> = func.body.params().iter().map(is_map).collect();
        func.attrs.verify(&by_value, problems);
        verify::verify(func, problems);
    }
}
