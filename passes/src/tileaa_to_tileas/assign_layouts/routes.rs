//! The routes of loads that threads do: whether they can be taken.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, OpId, Operation, Origin, TermCodec, term_text};
use tilewright_irs::dialects::route::ThreadRoute;
use tilewright_irs::isa::Target;
use tilewright_irs::tileaa::{TileAa, TileAaOp};

use super::accesses::thread_route;
use super::shared::Shared;
use crate::tileaa::choose_copies::Loads;

/// Checks the routes of a body.
///
/// # Errors
/// A route does not fit its load: the code and the numbers, with the origin of the op.
pub(super) fn check_routes(
    body: &Body<TileAa>,
    shared: &Shared,
    target: Target,
) -> Result<(), Diagnostic<Origin>> {
    let routes = body.walk().into_iter().filter_map(|id| {
        let TileAaOp::TileAa(own) = &body.op(id).kind else {
            return None;
        };
        Some((id, thread_route(own)?))
    });
    let mut loads = None;
    for (id, route) in routes {
        check_route(
            body,
            loads.get_or_insert_with(|| Loads::of(body)),
            shared,
            (id, route),
            target,
        )?;
    }
    Ok(())
}

fn check_route(
    body: &Body<TileAa>,
    loads: &Loads<'_>,
    shared: &Shared,
    (id, route): (OpId, ThreadRoute),
    target: Target,
) -> Result<(), Diagnostic<Origin>> {
    let op = body.op(id);
    let name = term_text(&route.write());
    let copies = match route {
        ThreadRoute::Direct => return Ok(()),
        ThreadRoute::Staged => None,
        ThreadRoute::CpAsync { bytes } => Some(bytes),
    };
    if shared.buffer(op.result(0)).is_none()
        && let Some(user) = loads.in_registers(op.result(0))
    {
        let user = body.op(user);
        let message = format!(
            "`{name}` is for a tile with one use, or for one that only products in registers use; `{}` uses this one, \
             too",
            user.kind.name()
        );
        let wrong = Diagnostic::error(Code::AttributeValue, message).at(op.origin, "");
        return Err(wrong.also(user.origin, "the other use"));
    }
    let checked = match (copies, loads.asynchronous(id, target)) {
        (Some(bytes), Some(load)) => load.check(bytes).map_err(|reason| reason.refusal(bytes)),
        _ => Ok(()),
    };
    checked.map_err(|refusal| Diagnostic::error(refusal.code, refusal.message).at(op.origin, ""))
}
