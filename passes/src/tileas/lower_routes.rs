//! Lowers loads to shared memory, and stores from there, to copies and waits. `tileas` to `tileas`.
//!
//! In: any function. Out: the same program, where a load whose result is a buffer
//!
//! ```text
//! %b, %t = tileas.load %array, [%x, %i] {…, atom = tma<box = [128, 64], swizzle = "128B">} : #buffer, token
//! ```
//!
//! allocates the buffer, copies the tile by the tensor map of its array, and waits for it:
//!
//! ```text
//! %map = tileas.tensor_map %array, %scratch {…}          (after the array's definition)
//! %to = tileas.alloc {align = 1024} : #buffer
//! %copy, %t = tileas.copy_in %array, [%x, %i], %to, map %map {…} : pending<#buffer>, token
//! %b = tileas.copy_wait %copy {in_flight = 0} : #buffer
//! ```
//!
//! A load whose result is a tile in registers then reads the buffer. Threads that copy tiles by `cp.async` need no tensor map; of
//! what is behind pointers, they copy what `tileas.gather_load` would load by `tileas.gather_in`.
//!
//! A store of a tile in registers
//!
//! ```text
//! %t = tileas.store %array, [%x, %y], %tile {…, atom = tma<box = [128, 64], swizzle = "128B">}
//! ```
//!
//! goes through shared memory, in loops box by box if the parts of the tile are in registers of their threads:
//!
//! ```text
//! %part = tileas.extract_slice %tile {offsets = [0, 64]}
//! %from = tileas.alloc {align = 1024} : #buffer
//! tileas.copy %part, to %from {atom = stmatrix<x4>}
//! %copy, %t = tileas.copy_out %array, [%x, %y1], %from, map %map {…} : pending, token
//! tileas.copy_wait %copy {in_flight = 0}
//! ```
//!
//! That is correct by itself; `schedule_loops` and `expand_schedule` issue loads ahead, and do not wait for stores.

mod stores;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Body, Field, Func, OpId, Origin, Translate, Translated, Translation, Value, translate_func,
};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::memory::{MemoryOrder, Ordering};
use tilewright_irs::element::ScalarType;
use tilewright_irs::tileas::atoms::{CopyAtom, DESCRIBED_ALIGN, MAP_BYTES, Refusal};
use tilewright_irs::tileas::{Buffer, Pending, TileAs, TileAsDialect, TileAsOp, TileAsType};
use tilewright_layouts::{Dim, LinearLayout};

use crate::shared_copies;
use stores::Stores;

/// Lowers the loads to shared memory and the stores from there.
///
/// # Errors
/// The layout of a tensor map, or of a part of a tile, exceeds a limit (E0408), or an access that is not weak would be copied
/// asynchronously (E0604), with the origin of the op.
pub fn lower_routes(func: &Func<TileAs>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let func = &stores::with_local_boxes(func);
    let mut wanted: FxHashMap<Value, Vec<Map>> = FxHashMap::default();
    for (_, op) in func.body.ops() {
        if let Some((array, map)) = Map::of(&op.kind) {
            let maps = wanted.entry(array).or_default();
            if !maps.contains(&map) {
                maps.push(map);
            }
        }
    }
    let is_copied = |id: &OpId| copies(&func.body, *id);
    if wanted.is_empty() && !func.body.walk().iter().any(is_copied) {
        return Ok(func.clone());
    }
    let mut pass = Lower {
        wanted,
        made: FxHashMap::default(),
        stores: Stores::of(&func.body),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// Whether an op is a load to shared memory.
fn copies(body: &Body<TileAs>, id: OpId) -> bool {
    let op = body.op(id);
    let is_load = matches!(
        op.kind,
        TileAsOp::TileAs(TileAsDialect::Load { .. } | TileAsDialect::GatherLoad { .. })
    );
    is_load && body.ty(op.result(0)).buffer().is_some()
}

/// What a tensor map of an array depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Map {
    /// Whether it is for stores: these are issued by another agent than loads, which needs maps of its own, and what is stored to
    /// an array without elements must not be loaded.
    stores: bool,
    dim_map: Vec<u32>,
    atom: CopyAtom,
}

impl Map {
    /// The array and the tensor map of a load to shared memory, or of a store from there.
    fn of(op: &TileAsOp) -> Option<(Value, Self)> {
        let TileAsOp::TileAs(TileAsDialect::Load { at, atom, .. } | TileAsDialect::Store { at, atom, .. }) =
            op
        else {
            return None;
        };
        atom.boxes()?;
        let map = Self {
            stores: matches!(op, TileAsOp::TileAs(TileAsDialect::Store { .. })),
            dim_map: at.dim_map.clone(),
            atom: atom.clone(),
        };
        Some((at.memref, map))
    }
}

struct Lower {
    /// The tensor maps of each array, in the old body.
    wanted: FxHashMap<Value, Vec<Map>>,
    made: FxHashMap<(Value, Map), Value>,
    stores: Stores,
}

type Cx<'a> = Translation<'a, TileAs, TileAs>;

impl Translate<TileAs, TileAs> for Lower {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let op = cx.old(id);
        if let Some((array, map)) = Map::of(&op.kind) {
            return match &op.kind {
                TileAsOp::TileAs(TileAsDialect::Store { .. }) => self.store(cx, id, &(array, map)),
                _ => self.load(cx, id, Some((array, map))),
            };
        }
        if copies(cx.from, id) {
            return match &op.kind {
                TileAsOp::TileAs(TileAsDialect::GatherLoad { .. }) => gather(cx, id),
                _ => self.load(cx, id, None),
            };
        }
        cx.carry(id, &op.kind, self)?;
        if let TileAsOp::TileAs(TileAsDialect::Memref { .. }) = &op.kind {
            self.maps(cx, op.result(0))?;
        }
        Ok(())
    }
}

impl Lower {
    /// Makes the tensor maps of an array.
    fn maps(&mut self, cx: &mut Cx<'_>, array: Value) -> Translated {
        for map in self.wanted.get(&array).into_iter().flatten() {
            let bytes = LinearLayout::identity_1d(MAP_BYTES, Dim::Offset, Dim::Axis(0));
            let bytes = bytes.map_err(|error| {
                let message = format!("no layout for a tensor map: {error}");
                Diagnostic::error(Code::BadLayout, message).at(cx.origin(), "")
            })?;
            let scratch = allocated(cx, MAP_BYTES, Buffer::shared(ScalarType::I8, bytes));
            let made = TileAsDialect::TensorMap {
                memref: cx.one(array),
                scratch,
                dim_map: map.dim_map.clone(),
                atom: map.atom.clone(),
            };
            let made = cx.value(made, TileAsType::TensorMap);
            self.made.insert((array, map.clone()), made);
        }
        Ok(())
    }

    fn load(&self, cx: &mut Cx<'_>, id: OpId, key: Option<(Value, Map)>) -> Translated {
        let old = cx.old(id);
        // The atom is chosen, by `allow_tma` and by the route.
        let TileAsOp::TileAs(TileAsDialect::Load {
            at,
            ordering,
            latency,
            allow_tma: _,
            atom,
            route: _,
        }) = &old.kind
        else {
            return Ok(());
        };
        let ty = cx.from.ty(old.result(0));
        let buffer = match (ty, cx.from.ty(at.memref), atom.boxes()) {
            (TileAsType::Buffer(buffer), ..) => buffer.clone(),
            (TileAsType::Tile { shape, .. }, TileAsType::Memref(array), Some(boxes)) => {
                let refuse =
                    |refusal: Refusal| Diagnostic::error(refusal.code, refusal.message).at(cx.origin(), "");
                let memory = boxes.memory(array, &at.dim_map, shape).map_err(refuse)?;
                Buffer::shared(boxes.element(array.element), memory)
            }
            _ => {
                let message = format!("a load by `{}` gives a buffer or a tile", atom.word());
                return Err(Diagnostic::error(Code::TypeMismatch, message).at(cx.origin(), ""));
            }
        };
        let align = atom.boxes().map_or(DESCRIBED_ALIGN, Boxes::alignment);
        let to = allocated(cx, align, buffer.clone());
        let copy = TileAsDialect::CopyIn {
            at: at.with_operands(&mut |value| cx.one(value)),
            to,
            map: key.and_then(|key| self.made.get(&key).copied()),
            mask: None,
            after: after(ordering, cx.origin())?.map(|after| cx.one(after)),
            latency: *latency,
            atom: atom.clone(),
        };
        let (ready, token) = awaited(cx, copy, &buffer);
        let loaded = match ty.layout() {
            Some(layout) => {
                let atom = shared_copies::load(layout, &buffer).map_err(|error| {
                    let message = format!("no accesses to a tile that `{}` loads: {error}", atom.word());
                    Diagnostic::error(Code::BadLayout, message).at(cx.origin(), "")
                })?;
                let copy = TileAsDialect::Copy {
                    source: ready,
                    to: None,
                    atom,
                };
                cx.value(copy, ty.clone())
            }
            None => ready,
        };
        cx.bind_results(id, [loaded, token]);
        Ok(())
    }
}

/// Copies what is behind pointers to shared memory, and waits for it.
fn gather(cx: &mut Cx<'_>, id: OpId) -> Translated {
    let old = cx.old(id);
    let (
        TileAsOp::TileAs(TileAsDialect::GatherLoad {
            pointers,
            mask,
            // The verifier: what a copy leaves out is zero.
            other: _,
            ordering,
            latency,
            atom,
            route: _,
        }),
        TileAsType::Buffer(buffer),
    ) = (&old.kind, cx.from.ty(old.result(0)))
    else {
        return Ok(());
    };
    let copy = TileAsDialect::GatherIn {
        pointers: cx.one(*pointers),
        to: allocated(cx, DESCRIBED_ALIGN, buffer.clone()),
        mask: mask.map(|mask| cx.one(mask)),
        after: after(ordering, cx.origin())?.map(|after| cx.one(after)),
        latency: *latency,
        atom: atom.clone(),
    };
    let (ready, token) = awaited(cx, copy, buffer);
    cx.bind_results(id, [ready, token]);
    Ok(())
}

/// What an asynchronous copy comes after. It has no other order: one that an access asks for would be lost.
fn after(ordering: &Ordering, origin: Origin) -> Result<Option<Value>, Diagnostic<Origin>> {
    let Ordering { after, order, scope } = ordering;
    if (*order, *scope) == (MemoryOrder::Weak, None) {
        return Ok(*after);
    }
    let scope = scope.map_or(String::new(), |scope| format!(" and the scope `{scope}`"));
    let message = format!("an asynchronous copy would lose the order `{order}`{scope} of its access");
    Err(Diagnostic::error(Code::AttributeLost, message).at(origin, "is not weak"))
}

/// Begins a copy to a buffer, and waits for it; gives the buffer, and the token of the copy.
fn awaited(cx: &mut Cx<'_>, copy: TileAsDialect, buffer: &Buffer) -> (Value, Value) {
    let pending = TileAsType::Pending(Some(Box::new(Pending::Buffer(buffer.clone()))));
    let copy = cx.build().op(copy, [pending, TileAsType::Token]);
    let copy = cx.new_body().op(copy);
    let (pending, token) = (copy.result(0), copy.result(1));
    let wait = TileAsDialect::CopyWait {
        copy: pending,
        in_flight: 0,
    };
    (cx.value(wait, TileAsType::Buffer(buffer.clone())), token)
}

/// A new buffer.
fn allocated(cx: &mut Cx<'_>, align: u32, buffer: Buffer) -> Value {
    let alloc = TileAsDialect::Alloc {
        align,
        offset: None,
        depth: None,
    };
    cx.value(alloc, TileAsType::Buffer(buffer))
}
