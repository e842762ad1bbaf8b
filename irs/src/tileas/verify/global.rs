//! Rules of accesses to global memory, of tokens and of the grid.

use tilewright_diagnostics::Code;

use super::{Checked, Rules, want};
use crate::core::{Language, Value};
use crate::dialects::boxes::Boxes;
use crate::dialects::memory::{Ordering, TileAccess};
use crate::dialects::route::ThreadRoute;
use crate::element::{ElementType, ScalarType};
use crate::tileas::atoms::{Completion, CopyAtom, Ld, MAP_BYTES, Place, St};
use crate::tileas::buffer::{Buffer, Space};
use crate::tileas::ops::TileAsDialect;
use crate::tileas::types::{Pending, TileAsType};

impl<'a, L: Language<Type = TileAsType>> Rules<'a, L> {
    pub(super) fn global(&mut self, own: &TileAsDialect) -> Checked {
        let (op, body) = (self.op, self.body);
        let mut rules = self.memory();
        if let Some(ordering) = own.field::<Ordering>() {
            let atom = own.field::<CopyAtom>();
            let atom = atom.filter(|atom| atom.completion() == Completion::Asynchronous);
            let route = own.field::<Option<ThreadRoute>>().copied().flatten();
            let by = atom.map(CopyAtom::word);
            rules.ordering(ordering, by.or(route.and_then(ThreadRoute::asynchronous)));
            let caching = match own.field::<CopyAtom>() {
                Some(CopyAtom::Ld(ld)) => Some(ld.caching()),
                Some(CopyAtom::St(st)) => Some(st.caching()),
                _ => None,
            };
            if let Some(Err((_, message))) = caching.map(|caching| caching.check(ordering.order, true)) {
                rules.error_at(op.part("atom"), Code::AttributeValue, message);
            }
        }
        match own {
            TileAsDialect::Memref {
                base,
                extents,
                strides,
            } => rules.memref(*base, extents, strides),
            TileAsDialect::Load {
                at, ordering, atom, ..
            } => {
                if matches!(body.ty(op.result(0)), TileAsType::Buffer(_)) {
                    rules.after(ordering.after);
                    rules.result_token(1);
                    let place = self.buffer_at(at, op.result(0), atom)?;
                    return self.asynchronous(atom, at, place, true);
                }
                rules.load(at, ordering.after, atom.boxes());
                match atom.boxes() {
                    Some(boxes) => self.through_buffer(atom, boxes, at, op.result(0), true)?,
                    None => self.access(atom, Some(at), op.result(0), true)?,
                }
            }
            TileAsDialect::Store {
                at,
                value,
                ordering,
                atom,
                ..
            } => {
                rules.store(at, *value, ordering.after);
                match atom.boxes() {
                    Some(boxes) => self.through_buffer(atom, boxes, at, *value, false)?,
                    None => self.access(atom, Some(at), *value, false)?,
                }
            }
            TileAsDialect::GatherLoad {
                pointers,
                mask,
                other,
                ordering,
                atom,
                ..
            } => {
                if let TileAsType::Buffer(buffer) = body.ty(op.result(0)) {
                    rules.after(ordering.after);
                    rules.result_token(1);
                    want(
                        other.is_none(),
                        Code::OperandType,
                        "a load to a buffer has zeros where the mask is 0, and no `other`",
                    )?;
                    return self.gathered(*pointers, buffer, *mask, atom);
                }
                rules.gather(*pointers, *mask, *other, ordering.after);
                self.access(atom, None, op.result(0), true)?;
            }
            TileAsDialect::ScatterStore {
                pointers,
                value,
                mask,
                ordering,
                atom,
                ..
            } => {
                rules.scatter(*pointers, *value, *mask, ordering.after, 0);
                self.access(atom, None, *value, false)?;
            }
            TileAsDialect::TensorMap {
                memref,
                scratch,
                dim_map,
                atom,
            } => self.tensor_map(*memref, *scratch, dim_map, atom)?,
            TileAsDialect::CopyIn {
                at,
                to,
                map,
                mask,
                after,
                atom,
                ..
            } => {
                rules.after(*after);
                rules.result_token(1);
                self.mapped(*map, atom)?;
                if let Some(mask) = mask {
                    want(
                        *self.ty(*mask) == TileAsType::Scalar(ElementType::Scalar(ScalarType::I1)),
                        Code::OperandType,
                        "the mask of a copy is one i1 for the whole tile",
                    )?;
                }
                let place = self.buffer_at(at, *to, atom)?;
                let Place::Buffer(buffer) = place else {
                    return Ok(());
                };
                let wanted = TileAsType::Pending(Some(Box::new(Pending::Buffer(buffer.clone()))));
                want(
                    *self.result(0) == wanted,
                    Code::TypeMismatch,
                    "a copy into a buffer gives that buffer, pending",
                )?;
                self.asynchronous(atom, at, place, true)?;
            }
            TileAsDialect::GatherIn {
                pointers,
                to,
                mask,
                after,
                latency: _,
                atom,
            } => {
                rules.after(*after);
                rules.result_token(1);
                let TileAsType::Buffer(buffer) = self.ty(*to) else {
                    return want(
                        false,
                        Code::OperandType,
                        "this op copies from a tile of pointers to a buffer",
                    );
                };
                let pending = TileAsType::Pending(Some(Box::new(Pending::Buffer(buffer.clone()))));
                want(
                    *self.result(0) == pending,
                    Code::TypeMismatch,
                    "a copy into a buffer gives that buffer, pending",
                )?;
                self.gathered(*pointers, buffer, *mask, atom)?;
            }
            TileAsDialect::CopyOut {
                at,
                source,
                map,
                after,
                atom,
            } => {
                rules.after(*after);
                rules.result_token(1);
                rules.unpadded(at);
                self.mapped(*map, atom)?;
                let place = self.buffer_at(at, *source, atom)?;
                want(
                    *self.result(0) == TileAsType::Pending(None),
                    Code::TypeMismatch,
                    "a copy out of a buffer gives `pending`",
                )?;
                self.asynchronous(atom, at, place, false)?;
            }
            TileAsDialect::AtomicRmw {
                pointers,
                value,
                mask,
                op: atomic,
                ordering,
            } => {
                rules.update(*pointers, *value, *mask, ordering.after);
                rules.atomic(*atomic, *value);
            }
            TileAsDialect::AtomicCas {
                pointers,
                compare,
                value,
                mask,
                ordering,
            } => {
                rules.update(*pointers, *value, *mask, ordering.after);
                rules.swap(*compare, *value);
            }
            TileAsDialect::AtomicScatter {
                pointers,
                value,
                mask,
                op: atomic,
                ordering,
                atom,
            } => {
                rules.scatter(*pointers, *value, *mask, ordering.after, 0);
                rules.atomic(*atomic, *value);
                uncached(atom)?;
                self.access(atom, None, *value, false)?;
            }
            TileAsDialect::AtomicTile {
                at,
                value,
                op: atomic,
                ordering,
                atom,
            } => {
                rules.store(at, *value, ordering.after);
                rules.atomic(*atomic, *value);
                uncached(atom)?;
                self.access(atom, Some(at), *value, false)?;
            }
            TileAsDialect::MultimemLoad {
                at,
                op: combination,
                ordering,
                atom,
            } => {
                rules.load(at, ordering.after, None);
                rules.loads_replicas(*combination, op.result(0));
                uncached(atom)?;
                self.access(atom, Some(at), op.result(0), true)?;
            }
            TileAsDialect::MultimemStore {
                at,
                value,
                ordering,
                atom,
            } => {
                rules.store(at, *value, ordering.after);
                rules.replicas(*value);
                uncached(atom)?;
                self.access(atom, Some(at), *value, false)?;
            }
            TileAsDialect::MultimemReduce {
                at,
                value,
                op: combination,
                ordering,
                atom,
            } => {
                rules.store(at, *value, ordering.after);
                rules.updates_replicas(*combination, *value);
                uncached(atom)?;
                self.access(atom, Some(at), *value, false)?;
            }
            TileAsDialect::Fence { after, .. } => rules.fence(*after),
            TileAsDialect::CreateMemToken {} => rules.result_token(0),
            TileAsDialect::JoinMemTokens { tokens } => rules.join(tokens),
            TileAsDialect::ProgramId { axis } | TileAsDialect::NumPrograms { axis } => rules.grid_axis(*axis),
            TileAsDialect::BlockRank {} => rules.block_rank(),
            _ => {}
        }
        Ok(())
    }

    /// Rules of a synchronous atom that moves data between memory and registers; `loads` says in which direction.
    fn access(&self, atom: &CopyAtom, at: Option<&TileAccess>, data: Value, loads: bool) -> Checked {
        let dim_map = at.map_or(&[][..], |at| &at.dim_map);
        let outside = match at.map(|at| self.ty(at.memref)) {
            Some(TileAsType::Memref(memref)) => Place::Global(memref),
            Some(_) => return Ok(()),
            None => Place::Pointers,
        };
        let Some(data) = Place::of(self.ty(data)) else {
            return Ok(());
        };
        let copy = match loads {
            true => self.copy(outside, data, dim_map),
            false => self.copy(data, outside, dim_map),
        };
        atom.check(&copy)
    }

    /// Rules of a load or a store of a tile in registers through the buffer that `lower_routes` allocates.
    fn through_buffer(
        &self,
        atom: &CopyAtom,
        boxes: &Boxes,
        at: &TileAccess,
        tile: Value,
        loads: bool,
    ) -> Checked {
        let (TileAsType::Memref(memref), TileAsType::Tile { shape, .. }) =
            (self.ty(at.memref), self.ty(tile))
        else {
            let message = format!("`{}` copies tiles of an array", atom.word());
            return want(false, Code::OperandType, message);
        };
        let memory = boxes.memory(memref, &at.dim_map, shape)?;
        let buffer = Buffer::shared(boxes.element(memref.element), memory);
        self.asynchronous(atom, at, Place::Buffer(&buffer), loads)
    }

    /// Rules of the tensor map of an array.
    fn tensor_map(&self, memref: Value, scratch: Value, dim_map: &[u32], atom: &CopyAtom) -> Checked {
        want(
            *self.result(0) == TileAsType::TensorMap,
            Code::TypeMismatch,
            "the tensor map of an array is a `tensor_map`",
        )?;
        let TileAsType::Memref(memref) = self.ty(memref) else {
            return want(
                false,
                Code::OperandType,
                "a tensor map is of an array, a `memref<…>`",
            );
        };
        let room = match self.ty(scratch) {
            TileAsType::Buffer(buffer) if buffer.space == Space::Shared => buffer.bytes(),
            _ => 0,
        };
        want(
            room >= u64::from(MAP_BYTES),
            Code::OperandType,
            format!("a tensor map is made in {MAP_BYTES} bytes of shared memory; there are {room}"),
        )?;
        let Some(boxes) = atom.boxes() else {
            let message = format!("`{}` copies without a tensor map", atom.word());
            return want(false, Code::AttributeValue, message);
        };
        boxes
            .check_map(memref, dim_map, self.attrs.target)
            .map_err(super::Refusal::from)
    }

    /// Checks that a copy has a tensor map if and only if its atom needs one.
    fn mapped(&self, map: Option<Value>, atom: &CopyAtom) -> Checked {
        let wants = atom.boxes().is_some();
        let is_map = |map: Value| matches!(self.ty(map), TileAsType::TensorMap | TileAsType::MapParameter(_));
        let has = map.is_some_and(is_map);
        want(
            wants == has && wants == map.is_some(),
            Code::OperandType,
            match wants {
                true => format!(
                    "`{}` copies by the tensor map of the array: `map` is a `tensor_map`",
                    atom.word()
                ),
                false => format!("`{}` copies without a tensor map", atom.word()),
            },
        )
    }

    /// Rules of an asynchronous copy through pointers.
    fn gathered(&self, pointers: Value, buffer: &Buffer, mask: Option<Value>, atom: &CopyAtom) -> Checked {
        let TileAsType::Tile {
            element,
            layout,
            shape,
        } = self.ty(pointers)
        else {
            return want(
                false,
                Code::OperandType,
                "this op copies from a tile of pointers to a buffer",
            );
        };
        want(
            *element == ElementType::Ptr(buffer.element) && *shape == buffer.shape && buffer.stages == 1,
            Code::TypeMismatch,
            "each element of the buffer, which has one stage, has a pointer to an element of its type",
        )?;
        if let Some(mask) = mask {
            let wanted = TileAsType::tile(ElementType::Scalar(ScalarType::I1), layout.clone());
            want(
                *self.ty(mask) == wanted,
                Code::TypeMismatch,
                "the mask is a tile of i1 with the layout of the pointers",
            )?;
        }
        let Some(threads) = atom.threads() else {
            let message = format!(
                "`{}` does not copy through pointers; `cp_async` does",
                atom.word()
            );
            return want(false, Code::AttributeValue, message);
        };
        want(
            threads == layout,
            Code::BadLayout,
            "each thread copies the elements whose pointers it holds",
        )?;
        atom.check(&self.copy(Place::Pointers, Place::Buffer(buffer), &[]))
    }

    /// The buffer of a copy from or to a tile of an array, checked against the tile.
    fn buffer_at(
        &mut self,
        at: &TileAccess,
        buffer: Value,
        atom: &CopyAtom,
    ) -> Result<Place<'a>, super::Refusal> {
        let TileAsType::Buffer(found) = self.ty(buffer) else {
            want(false, Code::OperandType, "the tile of this copy is in a buffer")?;
            return Ok(Place::Pointers);
        };
        want(
            found.stages == 1,
            Code::OperandType,
            format!("a copy is about one stage, the buffer has {}", found.stages),
        )?;
        let tile = (found.shape.as_slice(), ElementType::Scalar(found.element));
        let part = self.op.operand(buffer);
        self.memory().tiled_as(at, part, tile, atom.boxes());
        Ok(Place::Buffer(found))
    }

    fn asynchronous(&self, atom: &CopyAtom, at: &TileAccess, buffer: Place<'_>, into: bool) -> Checked {
        want(
            atom.completion() == Completion::Asynchronous,
            Code::AttributeValue,
            format!("`{}` is done at once; this op gives what is pending", atom.word()),
        )?;
        let TileAsType::Memref(memref) = self.ty(at.memref) else {
            return Ok(());
        };
        let outside = Place::Global(memref);
        let copy = match into {
            true => self.copy(outside, buffer, &at.dim_map),
            false => self.copy(buffer, outside, &at.dim_map),
        };
        atom.check(&copy)?;
        match at.check_copy_units(memref, into) {
            Err((code, message)) if atom.boxes().is_some() => want(false, code, message),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Refuses a cache policy of an atomic access, or of one to all replicas, which the instruction does not have.
fn uncached(atom: &CopyAtom) -> Checked {
    let is_default = match atom {
        CopyAtom::Ld(ld) => *ld == Ld::new(ld.bits),
        CopyAtom::St(st) => *st == St::new(st.bits),
        _ => true,
    };
    want(
        is_default,
        Code::AttributeValue,
        "an atomic access and one to all replicas have no cache policy",
    )
}
