//! Which two accesses need a barrier in between: of buffers by their bytes, of global memory by what threads own.

use tilewright_irs::core::{Body, OpId, Operation, Resource, Value};
use tilewright_irs::dialects::memory::{AtomicOrdering, FenceKind, MemoryOrder, Ordering, TileAccess};
use tilewright_irs::machine::LANES;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::TileAsDialect;
use tilewright_layouts::{Dim, LinearLayout};

use super::Search;
use crate::scheduled::buffers::{Location, Touch};

/// Why there is a barrier between two accesses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Conflict {
    /// Threads access elements of each other if two elements of the array have the same address, which is known when the
    /// kernel runs.
    IfOverlapping,
    /// They may do so in any case, or one of the accesses orders others.
    Always,
}

/// An access to bytes of shared memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Buffered {
    /// The allocation's first byte, and the first byte after it.
    pub(super) begin: u64,
    pub(super) end: u64,
    /// The part of the allocation that is accessed, if that is known.
    pub(super) location: Option<Location>,
    pub(super) touch: Touch,
}

impl Buffered {
    /// Whether the earlier access must be complete in all threads before the later one begins in any.
    pub(super) fn conflicts_with(&self, later: &Self) -> bool {
        let apart = match (self.location, later.location) {
            (Some(one), Some(other)) => one.root == other.root && one.part.is_apart(other.part),
            _ => false,
        };
        let bytes = self.begin < later.end && later.begin < self.end && !apart;
        // When a thread has waited for its copy, nothing happens that was not ordered when the copy began.
        let orders = match (self.touch, later.touch) {
            (_, Touch::Ends) | (Touch::Reads, Touch::Reads) | (Touch::FirstWarp, Touch::FirstWarp) => false,
            (Touch::Reads | Touch::Writes | Touch::Begins | Touch::Ends | Touch::FirstWarp, _) => true,
        };
        bytes && orders
    }
}

impl<'a> Search<'a> {
    pub(super) fn access(&self, id: OpId) -> Option<Access<'a>> {
        match &self.body.op(id).kind {
            ScheduledOp::TileAs(op) => Access::of(self.body, id, op),
            ScheduledOp::Arith(_)
            | ScheduledOp::Math(_)
            | ScheduledOp::Scf(_)
            | ScheduledOp::Tile(_)
            | ScheduledOp::Pipe(_)
            | ScheduledOp::Grid(_)
            | ScheduledOp::Scheduled(_) => None,
        }
    }

    /// Whether the earlier access must be complete in all threads before the later one begins in any.
    pub(super) fn conflict(&self, earlier: OpId, later: OpId) -> Option<Conflict> {
        let (a, b) = (self.access(earlier)?, self.access(later)?);
        if a.acquires || b.releases {
            return Some(Conflict::Always);
        }
        // One thread issues both, and waits for the earlier one.
        let is_sent = |id| {
            let op = &self.body.op(id).kind;
            matches!(op, ScheduledOp::TileAs(TileAsDialect::CopyOut { .. }))
        };
        if is_sent(earlier) && is_sent(later) {
            return None;
        }
        if !a.writes && !b.writes {
            return None;
        }
        let (Some(a_place), Some(b_place)) = (&a.place, &b.place) else {
            return Some(Conflict::Always);
        };
        let class = |place: &TileAccess| self.body.ty(place.memref).memref().map(|memref| memref.class);
        if class(a_place) != class(b_place) {
            return None;
        }
        if a.layout != b.layout {
            return Some(Conflict::Always);
        }
        let conflict = self.shared_elements(a.layout, a_place, b_place)?;
        let is_covered = conflict == Conflict::IfOverlapping && self.covered.contains(&earlier);
        (!is_covered).then_some(conflict)
    }

    /// Whether a layout gives each element to exactly one thread. A scalar belongs to all threads.
    pub(super) fn has_one_owner(&self, layout: Option<&LinearLayout>) -> bool {
        layout.is_some_and(|layout| {
            layout.is_injective()
                && layout.in_size(Dim::Lane) == LANES
                && layout.in_size(Dim::Warp) == self.warps
        })
    }

    /// Whether threads may access elements of each other in two accesses by this layout.
    fn shared_elements(
        &self,
        layout: Option<&LinearLayout>,
        a: &TileAccess,
        b: &TileAccess,
    ) -> Option<Conflict> {
        let (Some(layout), Some(memref)) = (layout, self.body.ty(a.memref).memref()) else {
            return Some(Conflict::Always);
        };
        let same_way = a.memref == b.memref && a.dim_map == b.dim_map && a.steps == b.steps;
        if !same_way || !self.has_one_owner(Some(layout)) {
            return Some(Conflict::Always);
        }
        if a.index == b.index && !a.index.iter().any(|value| self.varying.contains(value)) {
            return None;
        }
        let apart = a
            .steps
            .iter()
            .zip(layout.shape())
            .all(|(&step, extent)| step >= extent);
        match memref.has_distinct_addresses() {
            Some(true) if apart => None,
            None if apart => Some(Conflict::IfOverlapping),
            Some(_) | None => Some(Conflict::Always),
        }
    }
}

/// The memory accessed by an op.
pub(super) struct Access<'a> {
    writes: bool,
    /// Whether later accesses are ordered after it (`acquires`), and earlier ones before it (`releases`).
    acquires: bool,
    releases: bool,
    /// The array and the tile; unknown for pointers.
    place: Option<&'a TileAccess>,
    /// The layout of the data; `None` for a single element.
    pub(super) layout: Option<&'a LinearLayout>,
}

impl<'a> Access<'a> {
    /// The array of a tiled access.
    pub(super) fn memref(&self) -> Option<Value> {
        self.place.map(|at| at.memref)
    }

    pub(super) fn of(body: &'a Body<Scheduled>, id: OpId, op: &'a TileAsDialect) -> Option<Self> {
        let data = match op {
            TileAsDialect::Load { .. }
            | TileAsDialect::MultimemLoad { .. }
            | TileAsDialect::GatherLoad { .. } => body.op(id).result(0),
            TileAsDialect::GatherIn { pointers, .. } => *pointers,
            TileAsDialect::CopyIn { to: buffer, .. } | TileAsDialect::CopyOut { source: buffer, .. } => {
                *buffer
            }
            TileAsDialect::Store { value, .. }
            | TileAsDialect::ScatterStore { value, .. }
            | TileAsDialect::MultimemStore { value, .. }
            | TileAsDialect::MultimemReduce { value, .. }
            | TileAsDialect::AtomicScatter { value, .. }
            | TileAsDialect::AtomicTile { value, .. }
            | TileAsDialect::AtomicRmw { value, .. }
            | TileAsDialect::AtomicCas { value, .. } => *value,
            // Of the accesses of all threads before it.
            TileAsDialect::Fence {
                kind: FenceKind::Alias,
                ..
            } => {
                return Some(Self {
                    writes: false,
                    acquires: false,
                    releases: true,
                    place: None,
                    layout: None,
                });
            }
            _ => return None,
        };
        let (plain, atomic) = (op.field::<Ordering>(), op.field::<AtomicOrdering>());
        let is = |order| plain.is_some_and(|ordering| ordering.order == order);
        Some(Self {
            writes: op.effects().writes.contains(Resource::Global),
            acquires: is(MemoryOrder::Acquire) || atomic.is_some_and(|ordering| ordering.order.acquires()),
            releases: is(MemoryOrder::Release) || atomic.is_some_and(|ordering| ordering.order.releases()),
            place: op.field(),
            layout: body.ty(data).layout(),
        })
    }
}
