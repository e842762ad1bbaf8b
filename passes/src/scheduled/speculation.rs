//! Ops that may be executed where the program does not execute them.

use tilewright_irs::core::{Body, OpId, Operation, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::literal::Dense;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};

use crate::program_slice::Places;

/// Whether an op may be executed although nothing uses its result: it is pure, and defined for its operands, as a division by a
/// positive constant is. A broken promise then makes a value that nothing uses.
pub(super) fn is_speculatable(body: &Body<Scheduled>, places: &Places<'_, Scheduled>, id: OpId) -> bool {
    match &body.op(id).kind {
        ScheduledOp::Arith(ArithOp::DivI { rhs, .. } | ArithOp::RemI { rhs, .. }) => {
            constant(body, places, *rhs).is_some_and(|divisor| divisor > 0)
        }
        kind => kind.effects().without_promises().is_speculatable(),
    }
}

/// The number that a value always is, if it is defined as one.
pub(super) fn constant(body: &Body<Scheduled>, places: &Places<'_, Scheduled>, value: Value) -> Option<i64> {
    match &body.op(places.definition(value)?).kind {
        ScheduledOp::Arith(ArithOp::Constant {
            value: Dense::Splat(number),
        }) => Some(number.signed()),
        _ => None,
    }
}
