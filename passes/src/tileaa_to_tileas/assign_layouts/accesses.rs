//! Preferred layouts of memory ops, the cost of an access in a given layout, and the routes of loads.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, OpId, Operation, Origin, SideTable};
use tilewright_irs::dialects::access::Widest;
use tilewright_irs::dialects::memory::AtomicOrder;
use tilewright_irs::dialects::route::{CopyRoute, ThreadRoute};
use tilewright_irs::machine::weights;
use tilewright_irs::tileaa::{MemoryOp, TileAa, TileAaDialect};
use tilewright_irs::tileas::atoms::{load_weight, ordering_weight, store_weight};
use tilewright_layouts::{Blocked, Dim, LayoutError, LinearLayout};

use super::tiles::exchange_bytes;

/// The properties of a memory op that determine its layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// The widest vector access, and its axis.
    pub(super) widest: Widest,
    /// Bytes of an element.
    pub(super) bytes: u32,
    /// Whether it allows concurrent accesses, or orders others.
    pub(super) concurrent: bool,
    /// Whether it loads; else it stores.
    pub(super) loads: bool,
    /// Whether a tensor copy moves the tile, which threads access in shared memory.
    pub(super) boxed: bool,
    /// Whether it stores atomically and orders other accesses.
    pub(super) orders: bool,
}

impl Access {
    /// The preferred layout of this access: consecutive lanes take consecutive vectors.
    ///
    /// # Errors
    /// A limit of the layouts is exceeded.
    pub(super) fn preferred(&self, shape: &[u32], num_warps: u32) -> Result<LinearLayout, LayoutError> {
        let order: Vec<usize> = self.widest.order.iter().map(|&axis| axis as usize).collect();
        Blocked::coalesced(shape, self.widest.inside, &order, num_warps)?.to_linear(shape)
    }

    /// The preferred layout of a tile that is reduced along an axis, with all elements that are combined in one warp: the warps are
    /// along the other axes. `None` if these are too short for all warps.
    ///
    /// # Errors
    /// A limit of the layouts is exceeded.
    pub(super) fn preferred_for_fold(
        &self,
        shape: &[u32],
        axis: usize,
        num_warps: u32,
    ) -> Result<Option<LinearLayout>, LayoutError> {
        let order: Vec<usize> = self.widest.order.iter().map(|&axis| axis as usize).collect();
        let (last, first): (Vec<usize>, Vec<usize>) = order.iter().partition(|&&other| other == axis);
        let blocked = Blocked::coalesced(shape, self.widest.inside, &order, num_warps)?;
        let blocked = blocked.with_warps_along(shape, &[first, last].concat())?;
        let is_in_warp = blocked.warps_per_cta.get(axis).is_some_and(|&warps| warps == 1);
        is_in_warp.then(|| blocked.to_linear(shape)).transpose()
    }

    /// Bits per thread and instruction in this layout.
    pub(super) fn bits(&self, layout: Option<&LinearLayout>) -> u32 {
        layout.map_or(1, |layout| self.elements(layout, self.widest.vector)) * self.bytes * 8
    }

    /// Elements per thread and instruction, up to `most`, in this layout.
    fn elements(&self, layout: &LinearLayout, most: u32) -> u32 {
        match self.widest.along {
            Some(axis) => layout.num_consecutive_in_out(Dim::Axis(axis)).min(most),
            None => 1,
        }
    }

    /// A layout with the registers of each thread in an order in which vectors are of consecutive ones.
    pub(super) fn in_order(&self, layout: &LinearLayout) -> Option<LinearLayout> {
        let along = usize::from(self.widest.along?);
        let rank = |bit: usize, basis: &[u32]| {
            let is_along = |(axis, &step): (usize, &u32)| (axis == along) == (step != 0);
            let step = basis.get(along).copied().unwrap_or(0);
            let is_inside = basis.iter().enumerate().all(is_along) && step < self.widest.inside;
            (!is_inside, if is_inside { step } else { 0 }, bit)
        };
        let bases = layout.bases(Dim::Register).enumerate();
        let mut ranks: Vec<(bool, u32, usize)> = bases.map(|(bit, basis)| rank(bit, &basis)).collect();
        ranks.sort_unstable();
        let order: Vec<usize> = ranks.into_iter().map(|(.., bit)| bit).collect();
        layout.permute_bits(Dim::Register, &order).ok()
    }

    /// The weight for one warp of accessing a full tile in this layout.
    pub(super) fn cost(&self, layout: &LinearLayout) -> u64 {
        if self.boxed && self.loads {
            return weights::SHARED_ACCESS * shared_accesses(layout, self.bytes);
        }
        let elements = self.elements(layout, self.widest.inside);
        let weight = match (self.loads, self.orders) {
            (true, _) => load_weight,
            (false, false) => store_weight,
            (false, true) => ordering_weight,
        };
        weight(layout, self.bytes, elements, self.widest.along)
    }
}

/// The widest accesses of a thread to shared memory by which it writes or reads its elements of a tile.
pub(super) fn shared_accesses(layout: &LinearLayout, bytes: u32) -> u64 {
    let held = u64::from(layout.in_size(Dim::Register)) * u64::from(bytes);
    held.div_ceil(16).max(1)
}

/// The access of every memory op of a body.
///
/// # Errors
/// A memory op has no `access` yet (E0316), with the op's origin.
pub(super) fn accesses(body: &Body<TileAa>) -> Result<SideTable<OpId, Access>, Diagnostic<Origin>> {
    let mut accesses = SideTable::new(body.op_count());
    for id in body.walk() {
        let op = body.op(id);
        let Some(memory) = MemoryOp::of(op) else {
            continue;
        };
        let Some(widest) = memory.access.cloned() else {
            let message = format!("`{}` has no `access`", op.kind.name());
            return Err(Diagnostic::error(Code::MissingAttribute, message)
                .at(op.origin, "")
                .help("`select_atoms` gives it one"));
        };
        accesses.set(
            id,
            Access {
                widest,
                bytes: exchange_bytes(body, memory.data),
                concurrent: memory.concurrent,
                loads: memory.loads,
                boxed: memory.boxes.is_some(),
                orders: memory
                    .combines
                    .is_some_and(|(_, ordering)| ordering.order != AtomicOrder::Relaxed),
            },
        );
    }
    Ok(accesses)
}

/// The route of a load that threads do.
pub(super) fn thread_route(op: &TileAaDialect) -> Option<ThreadRoute> {
    match op {
        TileAaDialect::Load {
            route: Some(CopyRoute::Threads(route)),
            ..
        } => Some(*route),
        TileAaDialect::GatherLoad { route, .. } => *route,
        _ => None,
    }
}
