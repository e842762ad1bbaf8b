//! Removes ops of `cuda_tile` whose results nobody uses.
//!
//! In and out: `cuda_tile`. Beside pure ops, reductions, scans, branches and counted loops go when nobody uses their
//! results, all that is in them is pure, and control does not leave them for elsewhere. A `loop` stays, since it may
//! never end; so do loads, stores, assertions and whatever orders memory.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::cuda_tile::CudaTile;

use super::behaviour::is_removable;
use crate::cleanup::eliminate_dead_code::eliminate_dead_ops;

/// Removes what has no effect.
///
/// # Errors
/// None; the type is that of all passes.
pub fn eliminate_dead_tile_ops(func: &Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>> {
    eliminate_dead_ops(func, &is_removable)
}
