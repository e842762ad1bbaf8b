//! Selects target instructions.
//!
//! In: a function of `llvm_like` marked `nvvm.kernel`, whose scalar arithmetic is native to its target
//! ([`tilewright_irs::nvvm::native`]).
//! Out: `nvvm`, verified by its own rules, without dead instructions. Constant parts of addresses are in the memory
//! instructions' offsets; a vector access becomes an instruction on several registers. A non-native op, and a vector
//! parameter, is an internal error: earlier passes legalise. An i1 is a byte in memory and among the parameters: read
//! as "not zero", written as 0 or 1.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, Func, Origin};
use tilewright_irs::llvm::{Llvm, LlvmType};
use tilewright_irs::nvvm::{Nvvm, NvvmType};

use super::selector::Selector;
use crate::cleanup::without_dead_code;

/// Selects the target instructions of a function.
///
/// # Errors
/// A value of a type that is not held in a register of its own (E0502), with its op's origin.
pub fn select_instructions(func: &Func<Llvm>) -> Result<Func<Nvvm>, Vec<Diagnostic<Origin>>> {
    let strange = without_register(&func.body);
    if !strange.is_empty() {
        return Err(strange);
    }
    let body = Selector::new(func).run().map_err(|problem| vec![problem])?;
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        // Folding leaves dead parts of addresses and products.
        body: without_dead_code(body),
    })
}

/// Reports values that are not held in a register of their own.
fn without_register(body: &Body<Llvm>) -> Vec<Diagnostic<Origin>> {
    let definitions = body.definitions();
    let strange = body.values().filter_map(|(value, ty)| {
        let (LlvmType::Scalar(scalar) | LlvmType::Vector(_, scalar)) = *ty else {
            return None;
        };
        if NvvmType::of_scalar(scalar).is_some() {
            return None;
        }
        let message = format!("numbers of type `{scalar}` are not supported yet");
        let origin = definitions
            .get(value)
            .map_or(Origin::FUNCTION, |&op| body.op(op).origin);
        Some(Diagnostic::error(Code::UnsupportedType, message).at(origin, ""))
    });
    strange.collect()
}
