//! Addresses and predicates of tiled accesses.
//!
//! A register's coordinate along an axis is the exclusive or of a part that depends on the thread index and a
//! constant of the register. If the two have no bits in common it is a sum: the pointer is computed once for the
//! thread, and registers are at constant offsets. Otherwise, or if a stride is dynamic, each vector has its own
//! pointer.
//!
//! A vector is in bounds if its distance from the tile's first element is less than that of the array's end, by one
//! unsigned comparison for each vector. Where extents and index are 32-bit numbers and the tiles are side by side, this is
//! computed in 32 bits: the array ends in the tile of the index `extent / tile`, and what is left of it there does not
//! overflow. Along an axis where the array consists of whole tiles, one comparison applies
//! to all vectors: whether the tile begins inside. A tile that begins past the end, or at a negative index, is
//! entirely out of bounds.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Origin, Value};
use tilewright_irs::dialects::arith::Predicate;
use tilewright_irs::dialects::memory::{MemoryOrder, Memref, TileAccess};
use tilewright_irs::machine::threads;
use tilewright_irs::tileas::TileAsType;
use tilewright_layouts::{ColumnAction, Dim, LinearLayout};

use super::agent::Agent;
use super::emit::{Cx, Emit, I32, I64, at, bug};
use super::placement::{
    copy_threads, disjoint, distinct_registers, register_coordinate, span_mask, thread_bases,
};

/// The place of an access, as given by the op.
pub(super) struct Place<'a> {
    /// The tile and the array.
    pub(super) at: &'a TileAccess,
    /// Whether the array's dynamic extents are 32-bit numbers.
    pub(super) narrow: bool,
    /// Bits per thread and instruction.
    pub(super) bits: u32,
    /// Whether the end of the array may cut a vector.
    pub(super) cuts: bool,
}

/// An extent or a stride.
#[derive(Clone, Copy)]
enum Size {
    Known(u64),
    /// A dynamic one, a 64-bit value.
    Open(Value),
}

/// A tile axis and the array's axis under it.
struct Axis {
    /// The tile's extent.
    tile: u32,
    extent: Size,
    extent_div: u64,
    stride: Size,
    step: u32,
    index: Value,
    inbounds: bool,
    /// Whether a dynamic extent is a 32-bit number.
    narrow: bool,
    /// The contribution of each bit of the thread index to the coordinate.
    bases: Vec<i64>,
}

impl Axis {
    /// Whether the bound can be computed in 32 bits: tiles side by side, and an index and an extent of 32 bits.
    fn is_narrow(&self, emit: &Emit<'_>) -> bool {
        let extent = match self.extent {
            Size::Known(extent) => u32::try_from(extent).is_ok(),
            Size::Open(_) => self.narrow,
        };
        extent && self.step == self.tile && self.tile.is_power_of_two() && emit.is_i32(self.index)
    }

    /// The array's extent and the number of whole tiles in it, in 32 bits.
    fn narrow_extent(&self, emit: &mut Emit<'_>) -> (Value, Value) {
        let log = self.tile.ilog2();
        match self.extent {
            Size::Known(extent) => {
                let extent = u32::try_from(extent).unwrap_or(u32::MAX);
                (emit.i32(extent), emit.i32(extent >> log))
            }
            Size::Open(extent) => {
                let extent = emit.narrow(extent);
                (extent, emit.shift_right(extent, log))
            }
        }
    }

    /// Whether a tile is entirely in or out of bounds: its start and the extent are multiples of the tile's extent.
    fn is_whole(&self) -> bool {
        let tile = u64::from(self.tile);
        self.extent_div.is_multiple_of(tile) && u64::from(self.step).is_multiple_of(tile)
    }

    /// The coordinate of the tile's first element, below 2^63.
    fn start(&self, emit: &mut Emit<'_>) -> Value {
        let index = if emit.is_i64(self.index) {
            // The product of a 64-bit index wraps; a clamped index is beyond every array and does not.
            let last = i64::MAX.unsigned_abs() / u64::from(self.step.max(1));
            let last = emit.i64(last);
            emit.min(self.index, last)
        } else {
            emit.widen(self.index)
        };
        emit.scale(index, u64::from(self.step))
    }

    /// What is left of an array of this extent where a narrow tile begins; unspecified if it begins past the end.
    fn narrow_rest(&self, emit: &mut Emit<'_>, extent: Value) -> Value {
        let size = emit.i32(self.tile);
        let start = emit.mul(self.index, size);
        emit.sub(extent, start)
    }

    /// What is left of the array where the tile begins, in 32 bits.
    fn rest(&self, emit: &mut Emit<'_>) -> Value {
        let (start, extent) = (self.start(emit), self.extent(emit));
        // A tile that begins past the end has no elements in bounds, rather than a huge number.
        let rest = emit.sub(extent, start);
        let none = emit.i64(0);
        let rest = emit.max_signed(rest, none);
        let tile = emit.i64(u64::from(self.tile));
        let rest = emit.min(rest, tile);
        emit.narrow(rest)
    }

    /// The array's extent as a 64-bit value.
    fn extent(&self, emit: &mut Emit<'_>) -> Value {
        match self.extent {
            Size::Known(extent) => emit.i64(extent),
            Size::Open(extent) => extent,
        }
    }

    fn is_unit(&self) -> bool {
        matches!(self.stride, Size::Known(1))
    }
}

/// An access, ready to be emitted.
pub(super) struct Access {
    /// The registers that are moved, vector by vector.
    pub(super) registers: Vec<u32>,
    /// Elements of a vector.
    pub(super) vector: u32,
    /// One pointer, or one for each vector.
    pub(super) pointer: Value,
    /// The offset of each vector, in elements.
    pub(super) offsets: Vec<i64>,
    /// One predicate, or one for each vector. Of a vector that the end of the array may cut, it says whether the first element is in
    /// bounds.
    pub(super) pred: Option<Value>,
    /// The bytes of each vector that are in bounds where its first element is, if the end of the array may cut it.
    pub(super) sizes: Option<Value>,
}

fn axes(cx: &Cx<'_>, place: &Place<'_>, layout: Option<&LinearLayout>) -> Option<(Value, Vec<Axis>, Memref)> {
    let TileAsType::Memref(memref) = cx.from.ty(place.at.memref) else {
        return None;
    };
    let mut parts = cx.all(place.at.memref).iter().copied();
    let base = parts.next()?;
    let mut sizes = |known: &[Option<u64>]| -> Option<Vec<Size>> {
        known
            .iter()
            .map(|size| match size {
                Some(size) => Some(Size::Known(*size)),
                None => parts.next().map(Size::Open),
            })
            .collect()
    };
    let (extents, strides) = (sizes(&memref.extents)?, sizes(&memref.strides)?);
    let shape = layout.map(LinearLayout::shape).unwrap_or_default();
    let mut axes = Vec::with_capacity(shape.len());
    for (i, &tile) in shape.iter().enumerate() {
        let axis = *place.at.dim_map.get(i)? as usize;
        let (extent, stride) = (*extents.get(axis)?, *strides.get(axis)?);
        let divisor = |size: Size, listed: &[u64]| match size {
            Size::Known(size) => Some(size),
            Size::Open(_) => listed.get(axis).copied(),
        };
        axes.push(Axis {
            tile,
            extent,
            extent_div: divisor(extent, &memref.extent_div)?,
            stride,
            step: *place.at.steps.get(i)?,
            index: cx.one(*place.at.index.get(i)?),
            inbounds: *place.at.inbounds.get(i)?,
            narrow: place.narrow,
            bases: layout.map(|layout| thread_bases(layout, i)).unwrap_or_default(),
        });
    }
    Some((base, axes, memref.clone()))
}

/// The registers that are moved and the vector width. The atom gives the maximum; it is smaller if the layout, the
/// alignment or the extents do not allow it.
fn vectors(place: &Place<'_>, axes: &[Axis], memref: &Memref, layout: &LinearLayout) -> (Vec<u32>, u32) {
    let bytes = memref.element.bytes().unwrap_or(1);
    let wanted = (place.bits / (8 * bytes)).max(1);
    let unit = axes.iter().position(Axis::is_unit);
    let Some(unit) = unit else {
        return (distinct_registers(layout), 1);
    };
    let dim = Dim::Axis(u8::try_from(unit).unwrap_or(u8::MAX));
    let mut ordered = layout.clone();
    if layout.num_consecutive_in_out(dim) < wanted {
        let action = ColumnAction::contiguous_first(layout, Dim::Register, dim);
        // The action was made for this layout, so it applies.
        ordered = action.apply(layout).unwrap_or(ordered);
    }
    let mut vector = wanted.min(ordered.num_consecutive_in_out(dim));
    let carries = |vector: u32| match place.cuts {
        true => place.at.check_cut_vectors(memref, unit, vector.into()).is_ok(),
        false => place.at.has_vectors(memref, unit, vector.into()),
    };
    while vector > 1 && !carries(vector) {
        vector /= 2;
    }
    // Registers are reordered only for vectors.
    let ordered = if vector > 1 { &ordered } else { layout };
    let kept = distinct_registers(ordered);
    let registers = match ordered.registers_from(layout) {
        Some(map) => kept.iter().map(|&r| map.source(r)).collect(),
        None => kept,
    };
    (registers, vector)
}

/// The addresses of each thread's vectors, and the predicates of those in bounds.
pub(super) fn access(
    cx: &mut Cx<'_>,
    place: &Place<'_>,
    layout: Option<&LinearLayout>,
    owner: Option<Value>,
    agent: Agent,
) -> Result<Access, Diagnostic<Origin>> {
    let origin = cx.origin();
    let Some((base, axes, memref)) = axes(cx, place, layout) else {
        return Err(bug(origin, "a tiled access that does not fit its array"));
    };
    let (registers, vector) = match layout {
        Some(layout) => vectors(place, &axes, &memref, layout),
        None => (vec![0], 1),
    };
    // The coordinates of each vector's first element: the registers' part, axis by axis.
    let firsts: Vec<Vec<u32>> = axes
        .iter()
        .enumerate()
        .map(|(i, _)| {
            registers
                .iter()
                .step_by(vector as usize)
                .map(|&r| layout.map_or(0, |layout| register_coordinate(layout, r, i)))
                .collect()
        })
        .collect();
    let groups = registers.len() / vector as usize;
    let mut emit = at(cx);
    let (pointer, offsets) = pointers(&mut emit, base, &axes, &firsts, groups, agent.thread);
    let pred = predicate(&mut emit, &axes, &firsts, groups, owner, agent.thread);
    let cut = axes.iter().zip(&firsts).find(|(axis, _)| {
        place.cuts && axis.is_unit() && !axis.inbounds && !axis.extent_div.is_multiple_of(u64::from(vector))
    });
    let whole = (vector, memref.element.bytes().unwrap_or(1));
    let sizes = cut.and_then(|(axis, firsts)| sizes(&mut emit, axis, firsts, whole, agent.thread));
    Ok(Access {
        registers,
        vector,
        pointer,
        offsets,
        pred,
        sizes,
    })
}

/// Whether the coordinate is the sum of the thread's and the register's parts.
fn is_sum(axis: &Axis, firsts: &[u32]) -> bool {
    let mask = span_mask(&axis.bases);
    firsts.iter().all(|&first| i64::from(first) & mask == 0)
}

fn pointers(
    emit: &mut Emit<'_>,
    base: Value,
    axes: &[Axis],
    firsts: &[Vec<u32>],
    groups: usize,
    thread: Value,
) -> (Value, Vec<i64>) {
    let mut terms = Vec::new();
    for axis in axes {
        let index = emit.widen(axis.index);
        terms.push(match axis.stride {
            Size::Known(stride) => emit.scale(index, u64::from(axis.step).wrapping_mul(stride)),
            Size::Open(stride) => {
                let start = emit.scale(index, u64::from(axis.step));
                emit.mul(start, stride)
            }
        });
    }
    let sums: Vec<bool> = axes
        .iter()
        .zip(firsts)
        .map(|(axis, firsts)| is_sum(axis, firsts))
        .collect();
    // The threads' parts along axes of static strides form one layout, if the scaled bases have no bits in common.
    let known = |axis: &Axis| match axis.stride {
        Size::Known(stride) => i64::try_from(stride).ok(),
        Size::Open(_) => None,
    };
    let mut merged: Vec<i64> = Vec::new();
    for (axis, _) in axes.iter().zip(&sums).filter(|(_, sum)| **sum) {
        if let Some(stride) = known(axis) {
            merged.resize(merged.len().max(axis.bases.len()), 0);
            for (all, basis) in merged.iter_mut().zip(&axis.bases) {
                *all = all.wrapping_add(basis.wrapping_mul(stride));
            }
        }
    }
    let mergeable = disjoint(&merged)
        && axes
            .iter()
            .zip(&sums)
            .filter(|(axis, sum)| **sum && known(axis).is_some())
            .all(|(axis, _)| disjoint(&axis.bases));
    if mergeable && span_mask(&merged) != 0 {
        terms.push(emit.linear_index(thread, merged, I64));
    }
    for (axis, _) in axes.iter().zip(&sums).filter(|(_, sum)| **sum) {
        if span_mask(&axis.bases) == 0 || (mergeable && known(axis).is_some()) {
            continue;
        }
        let part = emit.linear_index(thread, axis.bases.clone(), I64);
        terms.push(times(emit, part, axis.stride));
    }
    let pointer = match emit.sum(terms) {
        Some(offset) => emit.add_offset(base, offset),
        None => base,
    };
    // The remaining part depends on the vector.
    let is_static = |axis: &Axis, firsts: &[u32]| known(axis).is_some() || firsts.iter().all(|&f| f == 0);
    let all_static = axes
        .iter()
        .zip(firsts)
        .zip(&sums)
        .all(|((axis, firsts), sum)| *sum && is_static(axis, firsts));
    if all_static {
        let mut offsets = vec![0i64; groups];
        for (axis, firsts) in axes.iter().zip(firsts) {
            let stride = known(axis).unwrap_or(0);
            for (offset, &first) in offsets.iter_mut().zip(firsts) {
                *offset = offset.wrapping_add(i64::from(first).wrapping_mul(stride));
            }
        }
        return (pointer, offsets);
    }
    let mut moved = Vec::with_capacity(groups);
    for group in 0..groups {
        let mut terms = Vec::new();
        for ((axis, firsts), &sum) in axes.iter().zip(firsts).zip(&sums) {
            let first = firsts.get(group).copied().unwrap_or(0);
            if sum && first == 0 {
                continue;
            }
            let coordinate = if sum {
                emit.i64(u64::from(first))
            } else {
                let part = emit.linear_index(thread, axis.bases.clone(), I64);
                let first = emit.i64(u64::from(first));
                emit.xor(part, first)
            };
            terms.push(times(emit, coordinate, axis.stride));
        }
        moved.push(match emit.sum(terms) {
            Some(offset) => emit.add_offset(pointer, offset),
            None => pointer,
        });
    }
    let pointer = match moved.as_slice() {
        [one] => *one,
        _ => emit.fragment(moved).unwrap_or(pointer),
    };
    (pointer, vec![0; groups])
}

fn times(emit: &mut Emit<'_>, value: Value, size: Size) -> Value {
    match size {
        Size::Known(size) => emit.scale(value, size),
        Size::Open(size) => emit.mul(value, size),
    }
}

/// The predicates of vectors in bounds: one condition if all vectors share it, else one for each.
fn predicate(
    emit: &mut Emit<'_>,
    axes: &[Axis],
    firsts: &[Vec<u32>],
    groups: usize,
    owner: Option<Value>,
    thread: Value,
) -> Option<Value> {
    let open = || axes.iter().zip(firsts).filter(|(axis, _)| !axis.inbounds);
    let mut whole = owner;
    for (axis, _) in open().filter(|(axis, _)| axis.is_whole()) {
        let inside = if axis.is_narrow(emit) {
            let (_, tiles) = axis.narrow_extent(emit);
            emit.compare(axis.index, Predicate::Less, tiles)
        } else {
            let (start, extent) = (axis.start(emit), axis.extent(emit));
            emit.compare(start, Predicate::Less, extent)
        };
        whole = emit.both(whole, Some(inside));
    }
    let cut: Vec<(&Axis, &Vec<u32>)> = open().filter(|(axis, _)| !axis.is_whole()).collect();
    if cut.is_empty() {
        return whole;
    }
    let mut limits = Vec::with_capacity(cut.len());
    for (axis, _) in &cut {
        if axis.is_narrow(emit) {
            let (extent, tiles) = axis.narrow_extent(emit);
            let begins = emit.compare(axis.index, Predicate::LessEqual, tiles);
            whole = emit.both(whole, Some(begins));
            limits.push(axis.narrow_rest(emit, extent));
        } else {
            limits.push(axis.rest(emit));
        }
    }
    let shared = cut
        .iter()
        .all(|(_, firsts)| firsts.iter().all(|first| Some(first) == firsts.first()));
    let mut conditions = Vec::with_capacity(groups);
    for group in 0..if shared { 1 } else { groups } {
        let mut all = whole;
        for ((axis, firsts), &limit) in cut.iter().zip(&limits) {
            let coordinate = coordinate(emit, axis, firsts, group, thread);
            let inside = emit.compare(coordinate, Predicate::Less, limit);
            all = emit.both(all, Some(inside));
        }
        conditions.extend(all);
    }
    match conditions.as_slice() {
        [one] => Some(*one),
        _ => emit.fragment(conditions),
    }
}

/// The coordinate of a vector in the tile, in 32 bits.
fn coordinate(emit: &mut Emit<'_>, axis: &Axis, firsts: &[u32], group: usize, thread: Value) -> Value {
    let part = emit.linear_index(thread, axis.bases.clone(), I32);
    match firsts.get(group).copied().unwrap_or(0) {
        0 => part,
        first => {
            let first = emit.i32(first);
            if is_sum(axis, firsts) {
                emit.add(part, first)
            } else {
                emit.xor(part, first)
            }
        }
    }
}

/// The bytes of each vector along an axis that are in bounds, where its first element is. A vector has so many elements of so many
/// bytes.
fn sizes(
    emit: &mut Emit<'_>,
    axis: &Axis,
    firsts: &[u32],
    (vector, bytes): (u32, u32),
    thread: Value,
) -> Option<Value> {
    let limit = match axis.is_narrow(emit) {
        true => {
            let (extent, _) = axis.narrow_extent(emit);
            axis.narrow_rest(emit, extent)
        }
        false => axis.rest(emit),
    };
    let sizes: Vec<Value> = (0..firsts.len())
        .map(|group| {
            let coordinate = coordinate(emit, axis, firsts, group, thread);
            let (rest, all) = (emit.sub(limit, coordinate), emit.i32(vector));
            let (count, bytes) = (emit.min(rest, all), emit.i32(bytes));
            emit.mul(count, bytes)
        })
        .collect();
    match sizes.as_slice() {
        [one] => Some(*one),
        _ => emit.fragment(sizes),
    }
}

/// The condition under which this thread stores an element that other threads may hold as well.
pub(super) fn owner(cx: &mut Cx<'_>, layout: Option<&LinearLayout>, agent: Agent) -> Option<Value> {
    let copies = copy_threads(layout, agent.warps);
    if copies == 0 {
        return None;
    }
    let mut emit = at(cx);
    let all = threads(agent.warps).saturating_sub(1);
    let zero = emit.i32(0);
    let bits = if copies == all {
        agent.thread
    } else {
        let mask = emit.i32(copies);
        emit.and(agent.thread, mask)
    };
    Some(emit.compare(bits, Predicate::Equal, zero))
}

/// The condition under which this thread loads an element that other threads may hold as well: several may load what
/// no one stores meanwhile.
pub(super) fn loader(
    cx: &mut Cx<'_>,
    layout: Option<&LinearLayout>,
    order: MemoryOrder,
    agent: Agent,
) -> Option<Value> {
    match order {
        MemoryOrder::Weak => None,
        MemoryOrder::Relaxed | MemoryOrder::Acquire | MemoryOrder::Release => owner(cx, layout, agent),
    }
}
