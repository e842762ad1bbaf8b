//! Running a kernel in the simulator.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Origin;

use super::Launch;
use crate::units::PtxKernel;

/// Runs.
///
/// # Errors
/// A fault.
pub fn run(
    _text: &str,
    _kernel: &PtxKernel,
    _launch: &mut Launch,
    _repeat: usize,
) -> Result<Vec<f32>, Diagnostic<Origin>> {
    Err(Diagnostic::error(Code::SimulatorUnsupported, "no simulator"))
}
