//! Preferred layouts of memory ops, the cost of an access in a given layout, and the routes of loads.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, OpId, Operation, Origin, SideTable};
use tilewright_irs::dialects::access::Widest;
use tilewright_irs::dialects::memory::AtomicOrder;
use tilewright_irs::dialects::route::{CopyRoute, ThreadRoute};
use tilewright_irs::machine::weights;
use tilewright_irs::tileaa::{MemoryOp, MemoryPlace, TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::atoms::{load_weight, ordering_weight, store_weight};
use tilewright_layouts::conversion::SliceLoad;
use tilewright_layouts::distributed::MatrixMove;
use tilewright_layouts::{Blocked, Dim, LayoutError, LinearLayout};

use super::tiles::exchange_bytes;

/// Bytes of the widest access of a thread to shared memory.
const WIDEST_SHARED: u32 = 16;
/// Bytes of a bank of shared memory.
const BANK_BYTES: u32 = 4;
/// The weight of a cycle of shared memory: the widest access of a warp takes four.
const SHARED_CYCLE: u64 = weights::SHARED_ACCESS / 4;

/// Where threads access the tile of a memory op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In global memory.
    Global,
    /// In shared memory, to which `cp.async` copies it in the layout of the load.
    Copied,
    /// In shared memory, to which a tensor copy brings it in this layout.
    Boxed(LinearLayout),
}

impl Place {
    fn of(body: &Body<TileAa>, op: &TileAaOp, memory: &MemoryOp<'_>) -> Self {
        let (TileAaOp::TileAa(own @ TileAaDialect::Load { .. }), MemoryPlace::Tile(at)) = (op, memory.place)
        else {
            return Self::Global;
        };
        if matches!(thread_route(own), Some(ThreadRoute::CpAsync { .. })) {
            return Self::Copied;
        }
        let shape = body.ty(memory.data).shape().unwrap_or_default();
        let array = body.ty(at.memref).memref();
        let layout = memory
            .boxes
            .zip(array)
            .and_then(|(boxes, array)| boxes.memory(array, &at.dim_map, shape).ok());
        layout.map_or(Self::Global, Self::Boxed)
    }
}

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
    /// Where threads access the tile.
    pub(super) place: Place,
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
        match &self.place {
            Place::Global => {}
            Place::Copied => return self.reading_cost(layout),
            Place::Boxed(memory) => {
                return match SliceLoad::plan(layout, memory, self.bytes, &MatrixMove::LOADS) {
                    Ok(load) => SHARED_CYCLE * load.cost.cycles,
                    Err(_) => self.reading_cost(layout),
                };
            }
        }
        let elements = self.elements(layout, self.widest.inside);
        let weight = match (self.loads, self.orders) {
            (true, _) => load_weight,
            (false, false) => store_weight,
            (false, true) => ordering_weight,
        };
        weight(layout, self.bytes, elements, self.widest.along)
    }

    /// The weight for one warp of reading a tile from shared memory: an access of less than a word of each thread takes as long as one
    /// of a word.
    fn reading_cost(&self, layout: &LinearLayout) -> u64 {
        let most = self.widest.inside.min(WIDEST_SHARED / self.bytes.max(1)).max(1);
        let elements = self.elements(layout, most).max(1);
        let accesses = u64::from(layout.in_size(Dim::Register) / elements);
        SHARED_CYCLE * accesses * u64::from((elements * self.bytes).div_ceil(BANK_BYTES))
    }
}

/// The widest accesses of a thread to shared memory by which it writes or reads its elements of a tile.
pub(super) fn shared_accesses(layout: &LinearLayout, bytes: u32) -> u64 {
    let held = u64::from(layout.in_size(Dim::Register)) * u64::from(bytes);
    held.div_ceil(u64::from(WIDEST_SHARED)).max(1)
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
                place: Place::of(body, &op.kind, &memory),
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
