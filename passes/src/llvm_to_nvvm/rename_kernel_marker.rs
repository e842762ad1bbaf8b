//! Renames the kernel marker `cute.kernel` to `nvvm.kernel`.
//!
//! In: a function of `llvm_like` with either marker. Out: the same function with only `nvvm.kernel`. The launch shape
//! and the target are unchanged. A function without a marker is not a kernel, which is an error.

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
