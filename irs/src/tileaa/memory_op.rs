//! The common properties of `tileaa`'s memory ops: data, place in memory, and memory order.

use super::{TileAa, TileAaDialect, TileAaOp};
use crate::core::{OpData, Value};
use crate::dialects::access::Widest;
use crate::dialects::memory::{MemoryOrder, TileAt};

/// A load, a store or an atomic access.
#[derive(Clone, Copy, Debug)]
pub struct MemoryOp<'a> {
    /// Whether its data is its result.
    pub loads: bool,
    /// The tile that is loaded or stored; of an atomic access the old values, or without them the operand.
    pub data: Value,
    /// The place of its elements in memory.
    pub place: MemoryPlace<'a>,
    /// Whether it allows concurrent accesses, or orders others.
    pub concurrent: bool,
    /// The widest vector access, if known.
    pub access: Option<&'a Widest>,
}

/// The place of a memory op's elements.
#[derive(Clone, Copy, Debug)]
pub enum MemoryPlace<'a> {
    /// A tile of an array.
    Tile(TileAt<'a>),
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
        let (place, concurrent, access) = match own {
            TileAaDialect::Load { order, access, .. } | TileAaDialect::Store { order, access, .. } => (
                MemoryPlace::Tile(own.tile_at()?),
                *order != MemoryOrder::Weak,
                access,
            ),
            TileAaDialect::AtomicTile { access, .. } => (MemoryPlace::Tile(own.tile_at()?), true, access),
            // Vectors are as good as single elements: each element of theirs is atomic.
            TileAaDialect::MultimemLoad { access, .. }
            | TileAaDialect::MultimemStore { access, .. }
            | TileAaDialect::MultimemReduce { access, .. } => {
                (MemoryPlace::Tile(own.tile_at()?), false, access)
            }
            TileAaDialect::GatherLoad {
                pointers,
                mask,
                order,
                access,
                ..
            }
            | TileAaDialect::ScatterStore {
                pointers,
                mask,
                order,
                access,
                ..
            } => {
                let (pointers, mask) = (*pointers, *mask);
                let concurrent = *order != MemoryOrder::Weak;
                (MemoryPlace::Pointers { pointers, mask }, concurrent, access)
            }
            TileAaDialect::AtomicRmw {
                pointers,
                mask,
                access,
                ..
            }
            | TileAaDialect::AtomicCas {
                pointers,
                mask,
                access,
                ..
            } => {
                let (pointers, mask) = (*pointers, *mask);
                (MemoryPlace::Pointers { pointers, mask }, true, access)
            }
            TileAaDialect::Memref { .. }
            | TileAaDialect::Reduce { .. }
            | TileAaDialect::Scan { .. }
            | TileAaDialect::Yield { .. }
            | TileAaDialect::Fence { .. }
            | TileAaDialect::Barrier {}
            | TileAaDialect::Dot { .. }
            | TileAaDialect::CreateMemToken {}
            | TileAaDialect::JoinMemTokens { .. }
            | TileAaDialect::Print { .. }
            | TileAaDialect::Assert { .. }
            | TileAaDialect::ProgramId { .. }
            | TileAaDialect::NumPrograms { .. }
            | TileAaDialect::Cat { .. }
            | TileAaDialect::Extract { .. }
            | TileAaDialect::Insert { .. } => return None,
        };
        let stored = match own {
            TileAaDialect::Store { value, .. }
            | TileAaDialect::ScatterStore { value, .. }
            | TileAaDialect::AtomicTile { value, .. }
            | TileAaDialect::MultimemStore { value, .. }
            | TileAaDialect::MultimemReduce { value, .. } => Some(*value),
            _ => None,
        };
        Some(Self {
            loads: stored.is_none(),
            data: stored.unwrap_or_else(|| op.result(0)),
            place,
            concurrent,
            access: access.as_ref(),
        })
    }

    /// The tiles that give an op without data of its own a layout, in order of preference: the data, then what a
    /// scatter's data must meet.
    pub fn tiles(&self) -> impl Iterator<Item = Value> + use<> {
        let others = match self.place {
            MemoryPlace::Pointers { pointers, mask } if !self.loads => [Some(pointers), mask],
            MemoryPlace::Pointers { .. } | MemoryPlace::Tile(_) => [None, None],
        };
        [Some(self.data)].into_iter().chain(others).flatten()
    }
}

impl TileAaDialect {
    /// The widest vector access of a memory op, where one is set; `None` for other ops.
    pub fn access_mut(&mut self) -> Option<&mut Option<Widest>> {
        match self {
            Self::Load { access, .. }
            | Self::Store { access, .. }
            | Self::GatherLoad { access, .. }
            | Self::ScatterStore { access, .. }
            | Self::AtomicRmw { access, .. }
            | Self::AtomicCas { access, .. }
            | Self::AtomicTile { access, .. }
            | Self::MultimemLoad { access, .. }
            | Self::MultimemStore { access, .. }
            | Self::MultimemReduce { access, .. } => Some(access),
            _ => None,
        }
    }

    /// Marks the axes along which a tiled access is in bounds. What is in bounds along all axes needs no padding.
    pub fn set_inbounds(&mut self, proven: Vec<bool>) {
        let whole = !proven.contains(&false);
        match self {
            Self::Load {
                inbounds, padding, ..
            }
            | Self::MultimemLoad {
                inbounds, padding, ..
            } => {
                *inbounds = proven;
                if whole {
                    *padding = None;
                }
            }
            Self::Store { inbounds, .. }
            | Self::AtomicTile { inbounds, .. }
            | Self::MultimemStore { inbounds, .. }
            | Self::MultimemReduce { inbounds, .. } => *inbounds = proven,
            _ => {}
        }
    }
}
