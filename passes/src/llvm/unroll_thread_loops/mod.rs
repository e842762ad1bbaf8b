//! Unrolls loops of which the number of iterations is known.
//!
//! In and out: `llvm_like`. A loop is replaced by its iterations, one after the other, if the branch that leaves it asks for that
//! (`unroll = full`), or if it does not forbid it (`unroll = never`) and an address in the loop depends on the loop's counter and
//! points into an array of the thread: with the counter known, the array can become values. The loop has one block through which
//! it is entered, one branch back to it, and one branch that leaves it, in the block where an iteration begins or ends; the number
//! of its iterations is found by computing its condition from constants. A nest of loops is unrolled from the outside in, so that
//! the bounds of an inner loop may depend on the counters around it. A loop stays if its iterations together have more than
//! [`MOST_OPS`] ops, without those that are folded once the counters are known.
//!
//! A function in which loops are unrolled is [simplified](super::simplify()) before, folded while it is copied, and common
//! subexpressions and dead code are eliminated from it.

mod candidates;
mod iterations;
mod trips;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp, Unrolling};

use super::rewrite::rewritten;
use super::simplify;
use crate::cleanup::{without_common_subexpressions, without_dead_code};
use candidates::Loop;
use iterations::Unroll;

/// Ops that the iterations of a loop have at most when it is unrolled.
pub const MOST_OPS: usize = 1 << 14;

/// Unrolls the loops of a function; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn unroll_thread_loops(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let asks = |kind: &LlvmOp| {
        matches!(
            kind,
            LlvmOp::Llvm(
                LlvmDialect::Alloca { .. }
                    | LlvmDialect::CondBr {
                        unroll: Some(Unrolling::Full),
                        ..
                    }
            )
        )
    };
    if !func.body.ops().any(|(_, op)| asks(&op.kind)) {
        return Ok(func.clone());
    }
    if Loop::all(&func.body).is_empty() {
        return Ok(func.clone());
    }
    // What is copied should be short.
    let simple = simplify(func)?;
    let loops = Loop::all(&simple.body);
    let mut pass = Unroll::new(&simple.body, &loops);
    let body = rewritten(
        &simple.body,
        |ty| ty,
        |cx, order| {
            pass.list(cx, order);
            Ok(())
        },
    );
    let body = body.map_err(|problem| vec![problem])?;
    if !pass.changed() {
        return Ok(func.clone());
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: without_dead_code(without_common_subexpressions(body)),
    })
}
