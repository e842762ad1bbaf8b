//! The tiles that routes put into shared memory: those that tensor copies, or threads by `cp.async`, load for products that read
//! them there, and views of them. The other loads of tensor copies give tiles in registers, and their stores take such tiles, of
//! any layout.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, OpId, Origin, SideTable, Value, ValueType};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::route::ThreadRoute;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::isa::Target;
use tilewright_irs::tileaa::{MemoryOp, MemoryPlace, TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::Buffer;
use tilewright_irs::tileas::atoms::{CopyAtom, CopyUse, CpAsync, Place, Refusal};

use super::accesses::{Access, thread_route};
use crate::tileaa::choose_routes::is_of_one_tile;
use crate::uses::users_of;

/// Bytes that a thread copies at a time.
const BYTES: u32 = 16;

/// The tiles in shared memory, and the loads and stores that copy from and to there.
pub(super) struct Shared {
    buffers: SideTable<Value, Buffer>,
    copies: SideTable<OpId, CopyAtom>,
}

impl Shared {
    /// Those of a body.
    ///
    /// # Errors
    /// A route does not fit its load or store: the code and the numbers, with the origin of the op.
    pub(super) fn of(
        body: &Body<TileAa>,
        accesses: &SideTable<OpId, Access>,
        target: Target,
        num_warps: u32,
    ) -> Result<Self, Diagnostic<Origin>> {
        let mut shared = Self {
            buffers: body.value_table(),
            copies: SideTable::new(body.op_count()),
        };
        let users = users_of(body);
        for id in body.walk() {
            let op = body.op(id);
            let shape = |value: Value| body.ty(value).shape().unwrap_or_default();
            match &op.kind {
                TileAaOp::TileAa(own) => {
                    let Some(memory) = MemoryOp::of(op) else {
                        continue;
                    };
                    if let (Some(ThreadRoute::CpAsync { bytes: BYTES }), Some(access)) =
                        (thread_route(own), accesses.get(id))
                        && stays(body, &users, memory.data)
                        && let Some((buffer, copy)) = copied(body, &memory, access, (target, num_warps))
                    {
                        shared.buffers.set(memory.data, buffer);
                        shared.copies.set(id, copy);
                        continue;
                    }
                    let (MemoryPlace::Tile(at), Some(boxes)) = (memory.place, memory.boxes) else {
                        continue;
                    };
                    let Some(array) = body.ty(at.memref).memref() else {
                        continue;
                    };
                    let copy = CopyAtom::of_boxes(boxes);
                    let refuse =
                        |refusal: Refusal| Diagnostic::error(refusal.code, refusal.message).at(op.origin, "");
                    let layout = boxes.memory(array, &at.dim_map, shape(memory.data));
                    let buffer = Buffer::shared(boxes.element(array.element), layout.map_err(refuse)?);
                    let (outside, inside) = (Place::Global(array), Place::Buffer(&buffer));
                    let (from, to) = match memory.loads {
                        true => (outside, inside),
                        false => (inside, outside),
                    };
                    let checked = copy.check(&CopyUse {
                        target,
                        warps: num_warps,
                        from,
                        to,
                        dim_map: &at.dim_map,
                    });
                    checked.map_err(refuse)?;
                    if memory.loads && stays(body, &users, memory.data) {
                        shared.buffers.set(memory.data, buffer);
                    }
                    shared.copies.set(id, copy);
                }
                TileAaOp::Tile(view @ (TileOp::Reshape { source } | TileOp::Permute { source, .. })) => {
                    let Some(buffer) = shared.buffers.get(*source) else {
                        continue;
                    };
                    let seen = match view {
                        TileOp::Permute { permutation, .. } => {
                            let axes: Vec<usize> = permutation.iter().map(|&axis| axis as usize).collect();
                            buffer.permuted(&axes)
                        }
                        _ => buffer.reshaped(shape(op.result(0))),
                    };
                    let seen = seen.map_err(|message| {
                        let message = format!("no layout for this tile: {message}");
                        Diagnostic::error(Code::BadLayout, message).at(op.origin, "")
                    })?;
                    shared.buffers.set(op.result(0), seen);
                }
                _ => {}
            }
        }
        Ok(shared)
    }

    /// The buffer of a tile in shared memory.
    pub(super) fn buffer(&self, tile: Value) -> Option<&Buffer> {
        self.buffers.get(tile)
    }

    /// The copy of a load to shared memory, or of a store from there.
    pub(super) fn copy(&self, access: OpId) -> Option<&CopyAtom> {
        self.copies.get(access)
    }
}

/// The buffer of a tile that threads copy to shared memory, [`BYTES`] at a time, and the copy: it is stored in the rows in which it
/// is contiguous in memory. `None` if the threads cannot do that, each with elements of its own.
fn copied(
    body: &Body<TileAa>,
    memory: &MemoryOp<'_>,
    access: &Access,
    (target, warps): (Target, u32),
) -> Option<(Buffer, CopyAtom)> {
    let ty = body.ty(memory.data);
    let shape = ty.shape()?;
    let element = ty.element().and_then(ElementType::scalar)?;
    let unit = usize::from(access.widest.along?);
    let buffer = Buffer::shared(element, Boxes::memory_of_rows(unit, shape, access.bytes).ok()?);
    let threads = access.preferred(shape, warps).ok()?;
    let (from, dim_map) = match memory.place {
        MemoryPlace::Tile(at) => (Place::Global(body.ty(at.memref).memref()?), at.dim_map.as_slice()),
        MemoryPlace::Pointers { .. } => (Place::Pointers, &[][..]),
    };
    let is_once = threads.is_injective();
    let copy = CopyAtom::from(CpAsync::new(8 * BYTES, threads));
    let by = CopyUse {
        target,
        warps,
        from,
        to: Place::Buffer(&buffer),
        dim_map,
    };
    let is_allowed = is_once && copy.check(&by).is_ok();
    is_allowed.then_some((buffer, copy))
}

/// Whether all uses of a tile, of views of it, or of what is computed from its elements one by one, are products with routes: those
/// that need it in registers read it from shared memory.
fn stays(body: &Body<TileAa>, users: &FxHashMap<Value, Vec<OpId>>, tile: Value) -> bool {
    let mut users_of_tile = users.get(&tile).into_iter().flatten();
    users_of_tile.all(|&user| match &body.op(user).kind {
        TileAaOp::Tile(TileOp::Reshape { .. } | TileOp::Permute { .. }) => {
            stays(body, users, body.op(user).result(0))
        }
        TileAaOp::Arith(op) if is_of_one_tile(op) => stays(body, users, body.op(user).result(0)),
        TileAaOp::TileAa(TileAaDialect::Dot {
            acc, route: Some(_), ..
        }) => *acc != tile,
        _ => false,
    })
}
