//! Which memory orders an access may have, in every language. (PTX ISA, "Memory Consistency Model", `ld`, `st`, `red`,
//! `multimem`, `cp.async`, `cp.async.bulk`.)
//!
//! | access | orders |
//! |---|---|
//! | load | weak, relaxed, acquire |
//! | store | weak, relaxed, release |
//! | reduction: an atomic operation that does not give what was there | relaxed, release |
//! | asynchronous copy | weak |
//!
//! A weak access has no scope, every other one has a scope. Atomic operations that give what was there, and fences, have all
//! orders of their types, and a scope.

use super::modifiers::{AtomicOrder, Order, Scope};
use crate::core::{Effects, Resource};

crate::keywords! {
    /// The memory order of an access.
    pub enum AccessOrder {
        /// No concurrent access is allowed.
        Weak = "weak",
        /// Without ordering.
        Relaxed = "relaxed",
        /// Accesses before the release that it reads from are visible.
        Acquire = "acquire",
        /// Accesses before it are visible to an acquire that reads from it.
        Release = "release",
        /// Acquire and release.
        AcqRel = "acq_rel",
    }
}

impl AccessOrder {
    /// The order of a load or a store; `None` for a volatile one.
    pub(super) fn of(order: Option<Order>) -> Option<Self> {
        Some(match order {
            None | Some(Order::Weak) => Self::Weak,
            Some(Order::Volatile) => return None,
            Some(Order::Relaxed) => Self::Relaxed,
            Some(Order::Acquire) => Self::Acquire,
            Some(Order::Release) => Self::Release,
        })
    }
}

impl From<AtomicOrder> for AccessOrder {
    fn from(order: AtomicOrder) -> Self {
        match order {
            AtomicOrder::Relaxed => Self::Relaxed,
            AtomicOrder::Acquire => Self::Acquire,
            AtomicOrder::Release => Self::Release,
            AtomicOrder::AcqRel => Self::AcqRel,
        }
    }
}

/// An access that does not have all orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordered {
    /// From memory.
    Load,
    /// To memory.
    Store,
    /// Both at once, without a result.
    Reduction,
    /// Between memories, complete at a wait.
    Copy,
}

/// What is wrong with the order of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misordered {
    /// Such an access has no such order.
    Order,
    /// The order needs a scope.
    NoScope,
    /// The order has no scope.
    Scope,
}

impl Ordered {
    /// The access of an op with these effects on global memory.
    pub fn by(effects: Effects) -> Self {
        let touches = [effects.reads, effects.writes].map(|all| all.contains(Resource::Global));
        match touches {
            [true, true] => Self::Reduction,
            [false, true] => Self::Store,
            [_, false] => Self::Load,
        }
    }

    /// The orders that it may have.
    pub const fn orders(self) -> &'static [AccessOrder] {
        use AccessOrder as O;
        match self {
            Self::Load => &[O::Weak, O::Relaxed, O::Acquire],
            Self::Store => &[O::Weak, O::Relaxed, O::Release],
            Self::Reduction => &[O::Relaxed, O::Release],
            Self::Copy => &[O::Weak],
        }
    }

    /// Checks the order and whether there is a scope.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check<S>(self, order: AccessOrder, scope: Option<S>) -> Result<(), Misordered> {
        if !self.orders().contains(&order) {
            return Err(Misordered::Order);
        }
        match (order, scope) {
            (AccessOrder::Weak, Some(_)) => Err(Misordered::Scope),
            (AccessOrder::Weak, None) | (_, Some(_)) => Ok(()),
            (_, None) => Err(Misordered::NoScope),
        }
    }

    /// Whether PTX has such an access with these modifiers: volatile loads and stores have no scope.
    pub(super) fn admits(self, order: Option<Order>, scope: Option<Scope>) -> bool {
        match AccessOrder::of(order) {
            Some(order) => self.check(order, scope).is_ok(),
            None => scope.is_none() && matches!(self, Self::Load | Self::Store),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AccessOrder as O, Misordered, Ordered};

    #[test]
    fn each_access_has_its_orders_and_each_order_but_weak_a_scope() {
        let allowed = |access: Ordered, scope: Option<()>| -> Vec<O> {
            let orders = O::ALL.iter().copied();
            orders
                .filter(|&order| access.check(order, scope).is_ok())
                .collect()
        };
        for (access, weak, ordered) in [
            (Ordered::Load, &[O::Weak][..], &[O::Relaxed, O::Acquire][..]),
            (Ordered::Store, &[O::Weak], &[O::Relaxed, O::Release]),
            (Ordered::Reduction, &[], &[O::Relaxed, O::Release]),
            (Ordered::Copy, &[O::Weak], &[]),
        ] {
            assert_eq!(allowed(access, None), weak, "{access:?}");
            assert_eq!(allowed(access, Some(())), ordered, "{access:?}");
        }
        assert_eq!(
            Ordered::Load.check(O::Relaxed, None::<()>),
            Err(Misordered::NoScope)
        );
        assert_eq!(Ordered::Load.check(O::Weak, Some(())), Err(Misordered::Scope));
        assert_eq!(
            Ordered::Load.check(O::Release, None::<()>),
            Err(Misordered::Order)
        );
    }
}
