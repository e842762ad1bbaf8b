//! An estimate of the registers that a thread needs, for those who have no ptxas.

use tilewright_irs::core::Func;
use tilewright_irs::nvvm::Nvvm;

use super::pressure::{SHARE, peak, registers};

/// The 32-bit registers that a thread of a kernel needs, and those that it may have: if it needs more, it spills.
///
/// The need is the maximum of the values that are live at once, with the share that ptxas takes for itself. It is within a few
/// registers for kernels that use many, and too high for small ones, whose instructions ptxas reorders freely.
pub fn estimate_registers(func: &Func<Nvvm>) -> (u32, u32) {
    let live = peak(&func.body).0.div_ceil(4);
    let needed = (u64::from(live) * 100).div_ceil(u64::from(SHARE));
    (u32::try_from(needed).unwrap_or(u32::MAX), registers(&func.attrs))
}
