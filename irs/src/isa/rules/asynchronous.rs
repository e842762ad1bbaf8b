//! Asynchronous copies and mbarriers.
//!
//! Source: PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy" and "Parallel Synchronization and
//! Communication Instructions: mbarrier".

use super::{scope_need, space_need, when};
use crate::isa::modifiers::*;
use crate::isa::target::Need;
use crate::isa::types::Type;

pub(in crate::isa) const CP_ASYNC: Option<Need> = Some(Need::new(7, 0, 80));
/// A copy with a predicate that suppresses reading the source.
pub(in crate::isa) const CP_ASYNC_IGNORE: Need = Need::new(7, 5, 80);

pub(in crate::isa) fn cp_async(
    cache: CopyCache,
    to: Space,
    from: Space,
    hint: CacheHint,
    prefetch: Option<Prefetch>,
    size: u32,
) -> Option<Need> {
    let sizes = match cache {
        CopyCache::Ca => matches!(size, 4 | 8 | 16),
        CopyCache::Cg => size == 16,
    };
    let spaces = matches!(to, Space::Shared | Space::SharedCta) && from == Space::Global;
    let of_cache = if hint.0 || prefetch.is_some() {
        Need::new(7, 4, 80)
    } else {
        Need::BASE
    };
    when(
        sizes && spaces,
        Need::new(7, 0, 80).and(space_need(Some(to))).and(of_cache),
    )
}

/// Whether the mbarrier is in the shared memory of the block itself.
fn own(space: Option<Space>) -> bool {
    matches!(space, None | Some(Space::Shared | Space::SharedCta))
}

pub(in crate::isa) fn mbarrier(ty: Type, space: Option<Space>, need: Need) -> Option<Need> {
    when(ty == Type::B64 && own(space), need.and(space_need(space)))
}

/// Orders and scopes must be given together; they were introduced with clusters.
fn ordering(order: Option<Order>, scope: Option<Scope>, orders: &[Order]) -> Option<Need> {
    match (order, scope) {
        (None, None) => Some(Need::BASE),
        (Some(order), Some(scope @ (Scope::Cta | Scope::Cluster))) if orders.contains(&order) => {
            let relaxed = if order == Order::Relaxed {
                Need::new(8, 0, 90)
            } else {
                Need::new(8, 0, 80)
            };
            Some(relaxed.and(scope_need(Some(scope))))
        }
        _ => None,
    }
}

/// The relaxed order of arrivals and waits came later than acquire and release.
fn relaxed(order: Option<Order>) -> Need {
    match order {
        Some(Order::Relaxed) => Need::new(8, 6, 90),
        _ => Need::BASE,
    }
}

/// The modifiers of an arrival, and its optional operands.
pub(in crate::isa) struct Arrive {
    pub(in crate::isa) mode: Option<ArrivalMode>,
    pub(in crate::isa) order: Option<Order>,
    pub(in crate::isa) scope: Option<Scope>,
    pub(in crate::isa) space: Option<Space>,
    pub(in crate::isa) ty: Type,
    pub(in crate::isa) counted: bool,
    pub(in crate::isa) with_state: bool,
}

pub(in crate::isa) fn mbarrier_arrive(arrive: &Arrive) -> Option<Need> {
    let &Arrive {
        mode,
        order,
        scope,
        space,
        ty,
        counted,
        with_state,
    } = arrive;
    let need = match mode {
        // Without `noComplete`, an arrival count was introduced with Hopper.
        None if counted => Need::new(7, 8, 90),
        None => Need::new(7, 0, 80),
        // The local arrival of a block alone, with the release that is the default.
        Some(ArrivalMode::NoComplete) if !counted || !with_state => return None,
        Some(ArrivalMode::NoComplete) if order == Some(Order::Relaxed) || scope == Some(Scope::Cluster) => {
            return None;
        }
        Some(ArrivalMode::NoComplete) => Need::new(7, 0, 80),
        Some(ArrivalMode::ExpectTx) if !counted => return None,
        Some(ArrivalMode::ExpectTx) => Need::new(8, 0, 90),
    };
    let need = need
        .and(ordering(order, scope, &[Order::Release, Order::Relaxed])?)
        .and(relaxed(order));
    let space_exists = match space {
        // An arrival at another block's mbarrier has no result.
        Some(Space::SharedCluster) => !with_state,
        space => own(space),
    };
    let remote = if with_state {
        Need::BASE
    } else {
        Need::new(7, 1, 80)
    };
    when(
        ty == Type::B64 && space_exists,
        need.and(remote).and(space_need(space)),
    )
}

pub(in crate::isa) fn mbarrier_tx(
    order: Option<Order>,
    scope: Option<Scope>,
    space: Option<Space>,
    ty: Type,
) -> Option<Need> {
    let need = ordering(order, scope, &[Order::Relaxed])?.and(Need::new(8, 0, 90));
    let spaces = own(space) || space == Some(Space::SharedCluster);
    when(ty == Type::B64 && spaces, need.and(space_need(space)))
}

pub(in crate::isa) fn mbarrier_wait(
    order: Option<Order>,
    scope: Option<Scope>,
    space: Option<Space>,
    ty: Type,
    need: Need,
) -> Option<Need> {
    let ordering = ordering(order, scope, &[Order::Acquire, Order::Relaxed])?;
    mbarrier(ty, space, need.and(ordering).and(relaxed(order)))
}
