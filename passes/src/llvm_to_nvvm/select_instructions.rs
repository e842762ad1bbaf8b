//! Selects target instructions.
//!
//! In: a function of `llvm_like` marked `nvvm.kernel`, whose scalar arithmetic is native to its target
//! ([`tilewright_irs::nvvm::native`]) and whose memory accesses hold numbers that registers hold.
//! Out: `nvvm`, verified by its own rules, without dead instructions. Constant parts of addresses are in the memory
//! instructions' offsets; vectors are gone: a memory instruction moves several registers.
//! What is not native, and a parameter that is a vector, is an internal error: passes before this one legalise.
//! An i1 is a byte in memory and among the parameters: read as "not zero", written as 0 or 1.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::llvm::Llvm;
use tilewright_irs::nvvm::Nvvm;

use super::selector::Selector;
use crate::nvvm::remove_dead_code;

/// Selects the target instructions of a function.
pub fn select_instructions(func: &Func<Llvm>) -> Result<Func<Nvvm>, Vec<Diagnostic<Origin>>> {
    let body = Selector::new(func).run().map_err(|problem| vec![problem])?;
    let selected = Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body,
    };
    // Folding leaves the parts of addresses and products behind.
    remove_dead_code(&selected)
}
