//! Stores by tensor maps. A tile goes through shared memory at once where the memory of the loads is free by then, box by box in
//! loops and if it is large: in boxes of fewer rows, if only whole rows are in the registers of their threads.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, Field, Func, OpId, Translated, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::memory::TileAccess;
use tilewright_irs::element::ElementType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileas::atoms::{CopyAtom, Refusal};
use tilewright_irs::tileas::{
    Buffer, TileAs, TileAsDialect, TileAsOp, TileAsType, slice_layout, slice_registers,
};
use tilewright_layouts::{LayoutError, LinearLayout};

use super::{Cx, Lower, Map, after, allocated};
use crate::program_slice::Places;
use crate::shared_copies;

/// The largest tile outside of loops that is stored at once, in bytes.
const AT_ONCE: u64 = 1 << 16;

/// The places of the stores by tensor maps.
#[derive(Default)]
pub(super) struct Stores {
    /// Those in loops.
    looped: FxHashSet<OpId>,
    /// Those that may come after others: those in loops, and all but the first.
    ordered: FxHashSet<OpId>,
}

impl Stores {
    /// Those of a body.
    pub(super) fn of(body: &Body<TileAs>) -> Self {
        let places = Places::of(body);
        let mut stores = Self::default();
        let mut is_first = true;
        for id in body.walk() {
            let op = &body.op(id).kind;
            if !matches!(op, TileAsOp::TileAs(TileAsDialect::Store { .. })) || Map::of(op).is_none() {
                continue;
            }
            let is_looped = places.is_in_loop(id);
            if is_looped {
                stores.looped.insert(id);
            }
            if is_looped || !is_first {
                stores.ordered.insert(id);
            }
            is_first = false;
        }
        stores
    }
}

/// The function with stores by tensor maps box by box where that is possible with boxes of fewer rows only.
pub(super) fn with_local_boxes(func: &Func<TileAs>) -> Func<TileAs> {
    let stores = Stores::of(&func.body);
    let mut func = func.clone();
    for id in func.body.walk() {
        let narrowed = stores.narrowed(&func.body, id);
        if let (Some(narrowed), TileAsOp::TileAs(TileAsDialect::Store { atom, .. })) =
            (narrowed, &mut func.body.op_mut(id).kind)
        {
            *atom = narrowed;
        }
    }
    func
}

impl Stores {
    /// Whether a tile of so many bytes is stored box by box, where that is possible.
    fn is_split(&self, id: OpId, bytes: u64) -> bool {
        self.looped.contains(&id) || bytes > AT_ONCE
    }

    /// The atom of a store with boxes of fewer rows, of which those beside each other have about the elements of one before: if such
    /// rows of the tile are in registers of the same threads, and its boxes are not.
    fn narrowed(&self, body: &Body<TileAs>, id: OpId) -> Option<CopyAtom> {
        let TileAsOp::TileAs(TileAsDialect::Store { at, value, atom, .. }) = &body.op(id).kind else {
            return None;
        };
        let (boxes, layout) = (atom.boxes()?, body.ty(*value).layout()?);
        let TileAsType::Memref(array) = body.ty(at.memref) else {
            return None;
        };
        let bytes = u64::from(array.element.bytes()?) << layout.total_out_bits();
        let is_along_rows = array.strides.get(*at.dim_map.last()? as usize) == Some(&Some(1));
        if !is_along_rows || !self.is_split(id, bytes) || parts(layout, &boxes.extents, at).is_some() {
            return None;
        }
        let &[rows, columns] = boxes.extents.as_slice() else {
            return None;
        };
        let beside = layout.shape().last()? / columns.max(1);
        let extents = vec![rows / beside.max(1), columns];
        let narrowed = Boxes {
            extents,
            ..boxes.clone()
        };
        parts(layout, &rows_of(&narrowed, layout), at)?;
        let is_aligned = narrowed.bytes(array.element) >= u64::from(narrowed.alignment());
        atom.with_boxes(&narrowed).filter(|_| is_aligned)
    }
}

/// The extents of the boxes of a tile that are beside each other.
fn rows_of(boxes: &Boxes, layout: &LinearLayout) -> Vec<u32> {
    let mut extents = boxes.extents.clone();
    if let (Some(extent), Some(&whole)) = (extents.last_mut(), layout.shape().last()) {
        *extent = whole;
    }
    extents
}

impl Lower {
    /// Lowers a store by a tensor map.
    pub(super) fn store(&self, cx: &mut Cx<'_>, id: OpId, key: &(Value, Map)) -> Translated {
        let (old, origin) = (cx.old(id), cx.origin());
        let TileAsOp::TileAs(TileAsDialect::Store {
            at,
            value,
            ordering,
            latency: _,
            allow_tma: _,
            atom: by,
        }) = &old.kind
        else {
            return Ok(());
        };
        let Some(boxes) = by.boxes() else {
            return Ok(());
        };
        let (
            TileAsType::Memref(memref),
            TileAsType::Tile {
                element,
                layout,
                shape,
            },
        ) = (cx.from.ty(at.memref), cx.from.ty(*value))
        else {
            let message = format!("`{}` stores a tile to an array", by.word());
            return Err(Diagnostic::error(Code::OperandType, message).at(origin, ""));
        };
        let wrong = |error: LayoutError| {
            let message = format!(
                "no layout for a part of a tile that `{}` stores: {error}",
                by.word()
            );
            Diagnostic::error(Code::BadLayout, message).at(origin, "")
        };
        let refuse = |refusal: Refusal| Diagnostic::error(refusal.code, refusal.message).at(origin, "");
        let whole = (shape, vec![vec![0; shape.len()]]);
        let bytes = u64::from(memref.element.bytes().unwrap_or(1)) << layout.total_out_bits();
        let rows = rows_of(boxes, layout);
        let split = [&boxes.extents, &rows]
            .into_iter()
            .filter(|_| self.stores.is_split(id, bytes));
        let mut split = split.filter_map(|extents| Some((extents, parts(layout, extents, at)?)));
        let (extents, offsets) = split.next().unwrap_or(whole);
        let layout = slice_layout(layout, extents).map_err(wrong)?;
        let memory = boxes.memory(memref, &at.dim_map, extents).map_err(refuse)?;
        let buffer = Buffer::shared(memref.element, memory);
        let atom = shared_copies::store(&layout, &buffer).map_err(wrong)?;
        let mut after = after(ordering, origin)?.filter(|_| self.stores.ordered.contains(&id));
        let mut tokens = Vec::with_capacity(offsets.len());
        for offsets in offsets {
            let at = part_access(cx, at, [shape, extents], &offsets);
            let source = cx.one(*value);
            let source = match extents == shape {
                true => source,
                false => {
                    let ty = TileAsType::tile(*element, layout.clone());
                    cx.value(TileAsDialect::ExtractSlice { source, offsets }, ty)
                }
            };
            let from = allocated(cx, boxes.alignment(), buffer.clone());
            cx.build().effect(TileAsDialect::Copy {
                source,
                to: Some(from),
                atom: atom.clone(),
            });
            let copy = TileAsDialect::CopyOut {
                at,
                source: from,
                map: self.made.get(key).copied(),
                after: after.take().map(|after| cx.one(after)),
                atom: by.clone(),
            };
            let copy = cx
                .build()
                .op(copy, [TileAsType::Pending(None), TileAsType::Token]);
            let copy = cx.new_body().op(copy);
            let (pending, token) = (copy.result(0), copy.result(1));
            cx.build().effect(TileAsDialect::CopyWait {
                copy: pending,
                in_flight: 0,
            });
            tokens.push(token);
        }
        let token = match tokens.as_slice() {
            &[token] => token,
            _ => cx.value(TileAsDialect::JoinMemTokens { tokens }, TileAsType::Token),
        };
        cx.bind(old.result(0), [token]);
        Ok(())
    }
}

/// The offsets of the boxes of a tile, if each can be stored by itself: its elements are in registers of the same threads as
/// those of the others, and its place in the array is a whole number of boxes away.
fn parts(layout: &LinearLayout, extents: &[u32], at: &TileAccess) -> Option<Vec<Vec<u32>>> {
    let mut all = vec![Vec::new()];
    for ((whole, &part), step) in layout.shape().into_iter().zip(extents).zip(&at.steps) {
        if part != whole && !step.is_multiple_of(part) {
            return None;
        }
        let begins = (0..whole).step_by(part.max(1) as usize);
        let with = |offsets: &Vec<u32>, begin: u32| [offsets.as_slice(), &[begin]].concat();
        all = all
            .iter()
            .flat_map(|offsets| begins.clone().map(move |begin| with(offsets, begin)))
            .collect();
    }
    let part = slice_layout(layout, extents).ok()?;
    let is_local = |offsets: &Vec<u32>| slice_registers(layout, offsets, &part).is_ok();
    all.iter().all(is_local).then_some(all)
}

/// The access of the part at `offsets` of a tile of the extents `whole`: along the axes that are split, the index counts parts.
fn part_access(
    cx: &mut Cx<'_>,
    at: &TileAccess,
    [whole, part]: [&Vec<u32>; 2],
    offsets: &[u32],
) -> TileAccess {
    let mut new = at.with_operands(&mut |value| cx.one(value));
    for (axis, (index, step)) in new.index.iter_mut().zip(&mut new.steps).enumerate() {
        let (Some(&whole), Some(&part), Some(&offset)) = (whole.get(axis), part.get(axis), offsets.get(axis))
        else {
            continue;
        };
        if part != whole {
            *index = scaled(cx, *index, *step / part.max(1), offset / part.max(1));
            *step = part;
        }
    }
    new
}

/// `index * factor + more`.
fn scaled(cx: &mut Cx<'_>, index: Value, factor: u32, more: u32) -> Value {
    let ty = cx.ty(index).clone();
    let Some(scalar) = ty.element().and_then(ElementType::scalar) else {
        return index;
    };
    let overflow = Overflow::Wraps;
    let number = |cx: &mut Cx<'_>, number: u32| {
        let value = Dense::Splat(Literal::new(scalar, number.into()));
        cx.value(ArithOp::Constant { value }, ty.clone())
    };
    let mut index = index;
    if factor != 1 {
        let (lhs, rhs) = (index, number(cx, factor));
        index = cx.value(ArithOp::MulI { lhs, rhs, overflow }, ty.clone());
    }
    if more != 0 {
        let (lhs, rhs) = (index, number(cx, more));
        index = cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty.clone());
    }
    index
}
