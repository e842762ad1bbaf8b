//! `nvvm`: target instructions.
//!
//! One op a family of instructions, with slots in a fixed order: for memory the ordering first, then the scope, then
//! space, cache and eviction; for arithmetic part or rounding, flush-to-zero, saturation, type. A value is what a
//! machine register holds; how its bits are read is said by each op's type slot. Blocks and branches are those of
//! `llvm_like`.
//!
//! Gone from here on: vectors as values, generic ops without a target form, `cute.kernel`.
//!
//! Every op but the control flow stands for one PTX instruction ([`form`]); which forms exist, and on which target,
//! is said once, by the declarations of [`crate::ptx`]. [`native`] asks them on behalf of the passes that legalise.

mod form;
mod native;
mod ops;
mod slots;
mod types;
mod verify;

use crate::core::{Func, Language, Problems};

pub use crate::llvm::KernelAttrs;
pub use form::{OperandSource, form};
pub use native::{direction, float_type, native, precision};
pub use ops::{NvvmDialect, NvvmOp};
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
        verify::verify(func, problems);
    }
}
