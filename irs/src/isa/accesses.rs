//! What an instruction moves between memory and each thread, and in which order.

use super::orders::{AccessOrder, Ordered};
use super::{Instruction, Naming, Scope, Space};

/// The direction of an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Movement {
    /// From memory.
    Load,
    /// To memory.
    Store,
    /// Both: an atomic operation.
    Update,
}

/// What each thread that executes an instruction accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    /// The state space; `None` for generic addresses.
    pub space: Option<Space>,
    /// The direction, seen from the thread; for a copy to shared memory, seen from there.
    pub movement: Movement,
    /// The number of bits that one thread moves.
    pub bits: u32,
}

impl<N: Naming> Instruction<N> {
    /// The memory access of an instruction whose text determines its size; `None` for other instructions. Copies of whole boxes,
    /// which one thread starts for the block, have none.
    pub fn access(&self) -> Option<MemoryAccess> {
        let access = |space, movement, bits: u32, count: usize| {
            let count = u32::try_from(count).ok()?;
            Some(MemoryAccess {
                space,
                movement,
                bits: bits.checked_mul(count)?,
            })
        };
        match self {
            Self::Ld { space, ty, d, .. } => access(*space, Movement::Load, ty.bits(), d.0.len()),
            Self::LdNc { ty, d, .. } => access(Some(Space::Global), Movement::Load, ty.bits(), d.0.len()),
            Self::CpAsync { size, .. } | Self::CpAsyncIgnore { size, .. } => access(
                Some(Space::Global),
                Movement::Load,
                8,
                usize::try_from(*size).ok()?,
            ),
            Self::St { space, ty, b, .. } => access(*space, Movement::Store, ty.bits(), b.0.len()),
            Self::Atom { space, ty, b, .. } | Self::Red { space, ty, b, .. } => {
                access(*space, Movement::Update, ty.bits(), b.0.len())
            }
            Self::AtomCas { space, ty, .. } => access(*space, Movement::Update, ty.bits(), 1),
            _ => None,
        }
    }
}

impl<N: Naming> Instruction<N> {
    /// The order of an access that does not have all orders, and its scope; `None` for a volatile access and every other
    /// instruction.
    pub fn ordering(&self) -> Option<(Ordered, AccessOrder, Option<Scope>)> {
        let (access, order, scope) = match *self {
            Self::Ld { order, scope, .. } | Self::MultimemLoad { order, scope, .. } => {
                (Ordered::Load, order, scope)
            }
            Self::St { order, scope, .. } | Self::MultimemStore { order, scope, .. } => {
                (Ordered::Store, order, scope)
            }
            // Without both it is relaxed, and all threads of the system see it.
            Self::MultimemRed { order, scope, .. } if order.is_some() || scope.is_some() => {
                (Ordered::Reduction, order, scope)
            }
            // Without an order it is relaxed, without a scope the threads of the GPU see it.
            Self::Red { order, scope, .. } => {
                let order = order.map_or(AccessOrder::Relaxed, AccessOrder::from);
                return Some((Ordered::Reduction, order, scope.or(Some(Scope::Gpu))));
            }
            _ => return None,
        };
        Some((access, AccessOrder::of(order)?, scope))
    }
}
