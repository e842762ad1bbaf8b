//! `nvvm`: target instructions in SSA form.
//!
//! An op is an instruction of [`crate::isa`] whose operands are SSA values ([`TargetOp`]), executed always or under a
//! guard; constants and branches stand beside them ([`NvvmDialect`]). A value is what a machine register holds; how its
//! bits are read is said by each op's type. Blocks and branches are those of `llvm_like`.
//!
//! Gone from here on: vectors as values, generic ops without a target form, `cute.kernel`.
//!
//! Which forms exist, and on which target, is said once, by the declarations of [`crate::isa`]. [`native`] asks them on
//! behalf of the passes that legalise.

mod native;
mod ops;
mod types;
mod verify;

use crate::core::{Func, Language, Problems};

pub use crate::isa::TargetOp;
pub use crate::llvm::KernelAttrs;
pub use native::{direction, float_type, native, precision};
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
        func.attrs.verify(problems);
        verify::verify(func, problems);
    }
}
