//! Renames the mark of a kernel: `cute.kernel` becomes `nvvm.kernel`.
//!
//! In: a function of `llvm_like` with either mark. Out: the same function with `nvvm.kernel` alone. The launch shape
//! and the target stay as they are. A function with neither mark is no kernel, and code is made for kernels only.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Flag, Func, Origin};
use tilewright_irs::llvm::Llvm;

/// Renames `cute.kernel` to `nvvm.kernel`.
pub fn rename_kernel_marker(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    if !func.attrs.cute_kernel.0 && !func.attrs.nvvm_kernel.0 {
        let message = format!("function `{}` is not marked as a kernel", func.name);
        return Err(vec![
            Diagnostic::error(Code::MissingAttribute, message)
                .at(Origin::FUNCTION, "neither `cute.kernel` nor `nvvm.kernel`"),
        ]);
    }
    let mut func = func.clone();
    func.attrs.cute_kernel = Flag(false);
    func.attrs.nvvm_kernel = Flag(true);
    Ok(func)
}
