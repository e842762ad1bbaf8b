//! Divides numbers that are not negative as unsigned ones. `tileaa` to `tileaa`.
//!
//! In: any function, with facts in its types. Out: the same ops, where `arith.divi` and `arith.remi` of operands that are known not to
//! be negative are unsigned, and round down as they round toward zero.
//!
//! Quotients of signed numbers need a correction of their sign, and are not shifts where the divisor is a power of two.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, Origin, Value};
use tilewright_irs::dialects::arith::{ArithOp, QuotientRounding, Signedness};
use tilewright_irs::tileaa::{TileAa, TileAaOp};

/// Makes divisions unsigned whose operands are known not to be negative.
///
/// # Errors
/// None; the type is that of all passes.
pub fn unsigned_divisions(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let body = &func.body;
    let is_possible = |op: &TileAaOp| match op {
        TileAaOp::Arith(ArithOp::DivI { lhs, rhs, .. } | ArithOp::RemI { lhs, rhs, .. }) => {
            is_natural(body, *lhs) && is_natural(body, *rhs)
        }
        _ => false,
    };
    let found: Vec<_> = body
        .ops()
        .filter(|(_, op)| is_possible(&op.kind))
        .map(|(id, _)| id)
        .collect();
    if found.is_empty() {
        return Ok(func.clone());
    }
    let mut out = func.clone();
    for id in found {
        match &mut out.body.op_mut(id).kind {
            TileAaOp::Arith(ArithOp::DivI {
                signedness, rounding, ..
            }) => {
                *signedness = Signedness::Unsigned;
                if *rounding == QuotientRounding::Down {
                    *rounding = QuotientRounding::Zero;
                }
            }
            TileAaOp::Arith(ArithOp::RemI { signedness, .. }) => *signedness = Signedness::Unsigned,
            _ => {}
        }
    }
    Ok(out)
}

/// Whether all elements are known not to be negative.
fn is_natural(body: &Body<TileAa>, value: Value) -> bool {
    body.ty(value).facts.min.is_some_and(|least| least >= 0)
}
