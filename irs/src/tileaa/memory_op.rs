//! The common properties of `tileaa`'s memory ops: data, place in memory, and memory order.

use super::{TileAa, TileAaDialect, TileAaOp};
use crate::core::{OpData, Value};
use crate::dialects::access::Widest;
use crate::dialects::boxes::Boxes;
use crate::dialects::memory::{AtomicOp, AtomicOrdering, Ordering, TileAccess};
use crate::dialects::route::{CopyRoute, StoreRoute};

/// A load, a store or an atomic access.
#[derive(Clone, Copy, Debug)]
pub struct MemoryOp<'a> {
    /// Whether its data is its result.
    pub loads: bool,
    /// The tile that is loaded or stored; of an atomic access the old values, or without them the operand.
    pub data: Value,
    /// The operation by which its data is combined with memory, if it stores atomically, and the order.
    pub combines: Option<(AtomicOp, &'a AtomicOrdering)>,
    /// The place of its elements in memory.
    pub place: MemoryPlace<'a>,
    /// Whether it allows concurrent accesses, or orders others.
    pub concurrent: bool,
    /// The widest vector access, if known.
    pub access: Option<&'a Widest>,
    /// The boxes in which tensor copies move its tile from or to shared memory, if they do.
    pub boxes: Option<&'a Boxes>,
}

/// The place of a memory op's elements.
#[derive(Clone, Copy, Debug)]
pub enum MemoryPlace<'a> {
    /// A tile of an array.
    Tile(&'a TileAccess),
    /// One address for each element, where the mask is 1.
    Pointers {
        /// The addresses.
        pointers: Value,
        /// The mask.
        mask: Option<Value>,
    },
}

impl<'a> MemoryOp<'a> {
    /// The op as a memory op; `None` for other ops.
    pub fn of(op: &'a OpData<TileAa>) -> Option<Self> {
        let TileAaOp::TileAa(own) = &op.kind else {
            return None;
        };
        let place = match own {
            TileAaDialect::GatherLoad { pointers, mask, .. }
            | TileAaDialect::ScatterStore { pointers, mask, .. }
            | TileAaDialect::AtomicRmw { pointers, mask, .. }
            | TileAaDialect::AtomicScatter { pointers, mask, .. }
            | TileAaDialect::AtomicCas { pointers, mask, .. } => MemoryPlace::Pointers {
                pointers: *pointers,
                mask: *mask,
            },
            _ => MemoryPlace::Tile(own.field()?),
        };
        let concurrent = match own {
            // Vectors are as good as single elements: each element of theirs is atomic.
            TileAaDialect::MultimemLoad { .. }
            | TileAaDialect::MultimemStore { .. }
            | TileAaDialect::MultimemReduce { .. } => false,
            _ => !own.field::<Ordering>().is_some_and(Ordering::is_weak),
        };
        let stored = match own {
            TileAaDialect::Store { value, .. }
            | TileAaDialect::ScatterStore { value, .. }
            | TileAaDialect::AtomicScatter { value, .. }
            | TileAaDialect::AtomicTile { value, .. }
            | TileAaDialect::MultimemStore { value, .. }
            | TileAaDialect::MultimemReduce { value, .. } => Some(*value),
            _ => None,
        };
        let ordering = stored.and_then(|_| own.field::<AtomicOrdering>());
        Some(Self {
            combines: own.field().copied().zip(ordering),
            loads: stored.is_none(),
            data: stored.unwrap_or_else(|| op.result(0)),
            place,
            concurrent,
            access: own.field::<Option<Widest>>().and_then(Option::as_ref),
            boxes: match own {
                TileAaDialect::Load { route, .. } => route.as_ref().and_then(CopyRoute::boxes),
                TileAaDialect::Store { route, .. } => route.as_ref().and_then(StoreRoute::boxes),
                _ => None,
            },
        })
    }

    /// The tiles that give an op without data of its own a layout, in order of preference: the data, then the pointers and the
    /// mask that it must meet.
    pub fn tiles(&self) -> impl Iterator<Item = Value> + use<> {
        let others = match self.place {
            MemoryPlace::Pointers { pointers, mask } => [Some(pointers), mask],
            MemoryPlace::Tile(_) => [None, None],
        };
        [Some(self.data)].into_iter().chain(others).flatten()
    }
}
