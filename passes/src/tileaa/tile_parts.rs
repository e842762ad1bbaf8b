//! Writes ops for a part of their tiles: an equal number of elements along one axis of each tile.
//!
//! An access to a tile becomes one to the part, a tile of 0, 1, 2, … one of the numbers of the part, and the types of tiles those of
//! parts.

use tilewright_irs::core::{Body, OpId, Operation, SideTable, Translation, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::dialects::memory::TileAccess;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileaa::{MemoryOp, TileAa, TileAaDialect, TileAaOp, TileAaType};

use super::axis_classes::{Classes, with_extents};
use crate::scalars::integer;

pub(super) type Cx<'a> = Translation<'a, TileAa, TileAa>;

/// The tiles of a body that have parts.
pub(super) struct TileParts {
    /// The axis along which a tile has parts.
    axes: SideTable<Value, usize>,
    /// The number of parts of each tile.
    count: u32,
    /// For each memref whether its extents are below 2^31.
    narrow: SideTable<Value, bool>,
}

/// Which part is meant.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Number(u32),
    /// A number that is known at run time, an i32 of the new function.
    Value(Value),
}

/// An op of which a part is being written.
pub(super) struct Begun {
    /// The op with the distances between parts.
    pub(super) kind: TileAaOp,
    /// The axis of an access that has parts, and its index.
    index: Option<(usize, Value)>,
}

impl TileParts {
    /// Parts of all tiles with an axis of these classes; `None` if a tile has several such axes.
    pub(super) fn along(
        body: &Body<TileAa>,
        classes: &mut Classes,
        chosen: &[usize],
        count: u32,
    ) -> Option<Self> {
        let mut axes: SideTable<Value, usize> = body.value_table();
        for (value, ty) in body.values() {
            let rank = ty.shape().unwrap_or_default().len();
            let mut own = (0..rank).filter(|&axis| {
                let class = classes.class_of(value, axis);
                class.is_some_and(|class| chosen.contains(&class))
            });
            if let Some(axis) = own.next() {
                axes.set(value, axis);
            }
            if own.next().is_some() {
                return None;
            }
        }
        Some(Self::of(body, axes, count))
    }

    /// Parts of the tiles that have an axis here.
    pub(super) fn of(body: &Body<TileAa>, axes: SideTable<Value, usize>, count: u32) -> Self {
        Self {
            axes,
            count,
            narrow: narrow_arrays(body),
        }
    }

    /// The axis along which a tile has parts.
    pub(super) fn axis(&self, tile: Value) -> Option<usize> {
        self.axes.get(tile).copied()
    }

    /// The number of parts of each tile.
    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    /// Whether adjacent tiles of an access are whole numbers of parts apart.
    pub(super) fn divide(&self, body: &Body<TileAa>, tile: Value, steps: &[u32]) -> bool {
        let extent = |axis: usize| Some(body.ty(tile).shape()?.get(axis)? / self.count);
        self.axis(tile).is_none_or(|axis| {
            let pair = steps.get(axis).zip(extent(axis));
            pair.is_some_and(|(step, extent)| extent > 0 && step.is_multiple_of(extent))
        })
    }

    /// Begins to write a part of an op: what is to be copied.
    pub(super) fn begin(&self, cx: &mut Cx<'_>, id: OpId, part: Part) -> Begun {
        let old = cx.old(id);
        let mut kind = old.kind.clone();
        // The part's index replaces that of the whole tile after the access is copied.
        let index = MemoryOp::of(old).and_then(|memory| {
            let axis = self.axis(memory.data)?;
            let extent = cx.from.ty(memory.data).shape()?.get(axis)? / self.count;
            let at = access(&mut kind)?;
            let (&index, step) = (at.index.get(axis)?, at.steps.get_mut(axis)?);
            let factor = std::mem::replace(step, extent) / extent.max(1);
            let narrow = self.narrow.get(at.memref) == Some(&true);
            Some((axis, index_of_part(cx, index, factor, part, narrow)))
        });
        Begun { kind, index }
    }

    /// Ends the part of an op that was copied last.
    pub(super) fn end(&self, cx: &mut Cx<'_>, id: OpId, begun: &Begun, part: Part) {
        if let Some((axis, new)) = begun.index {
            let block = cx.current();
            let last = cx.new_body().block(block).ops.last().copied();
            let at = last.and_then(|last| access(&mut cx.body_mut().op_mut(last).kind));
            if let Some(slot) = at.and_then(|at| at.index.get_mut(axis)) {
                *slot = new;
            }
        }
        self.narrow_results(cx, id);
        if let TileAaOp::Tile(TileOp::Iota {}) = &begun.kind {
            self.offset(cx, cx.old(id).result(0), part);
        }
    }

    /// Gives the results of an op, and the arguments of its regions, the extents of parts.
    fn narrow_results(&self, cx: &mut Cx<'_>, id: OpId) {
        let op = cx.old(id);
        let mut values: Vec<Value> = op.results().collect();
        for region in op.kind.region_list() {
            let blocks = cx.from.region(region).blocks.iter();
            values.extend(blocks.flat_map(|&block| &cx.from.block(block).args));
        }
        for old in values {
            let Some(axis) = self.axis(old) else {
                continue;
            };
            let ty = cx.from.ty(old).clone();
            let mut extents = ty.shape().unwrap_or_default().to_vec();
            if let Some(extent) = extents.get_mut(axis) {
                *extent /= self.count;
            }
            let new = cx.one(old);
            cx.body_mut().set_ty(new, with_extents(&ty, extents));
        }
    }

    /// Adds the number of elements before a part to a part of 0, 1, 2, ….
    fn offset(&self, cx: &mut Cx<'_>, old: Value, part: Part) {
        let Some(axis) = self.axis(old) else { return };
        let lhs = cx.one(old);
        let ty = TileAaType::new(cx.ty(lhs).kind.clone());
        let extent = ty.shape().and_then(|shape| shape.get(axis)).copied();
        let (Some(ElementType::Scalar(scalar)), Some(extent)) = (ty.element(), extent) else {
            return;
        };
        let Some(source) = elements_before(cx, scalar, part, extent) else {
            return;
        };
        let rhs = cx.value(TileOp::Splat { source }, ty.clone());
        let overflow = Overflow::Wraps;
        let moved = cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty);
        cx.bind(old, [moved]);
    }
}

/// The place of an access to a tile of an array.
fn access(kind: &mut TileAaOp) -> Option<&mut TileAccess> {
    match kind {
        TileAaOp::TileAa(own) => own.field_mut(),
        _ => None,
    }
}

/// The index of a part of a tile among parts, of which `factor` begin between this tile and the next one: as a 32-bit
/// number if the array has fewer than 2^31 elements, else as a 64-bit number. It is limited so that what is outside of the
/// array stays outside.
fn index_of_part(cx: &mut Cx<'_>, index: Value, factor: u32, part: Part, narrow: bool) -> Value {
    let mut new = cx.one(index);
    let element = cx.from.ty(index).element();
    let is_i32 = element == Some(ElementType::Scalar(ScalarType::I32));
    let (scalar, most) = match is_i32 && narrow {
        true => (ScalarType::I32, i64::from(i32::MAX)),
        false => (ScalarType::I64, i64::MAX),
    };
    let ty: TileAaType = scalar.into();
    let signedness = Signedness::Signed;
    if element == Some(ElementType::Scalar(scalar)) {
        let limit = most / i64::from(factor.max(1)) - 1;
        let (lhs, rhs) = (new, integer(cx, scalar, limit));
        new = cx.value(ArithOp::MinI { lhs, rhs, signedness }, ty.clone());
        let (lhs, rhs) = (new, integer(cx, scalar, -limit));
        new = cx.value(ArithOp::MaxI { lhs, rhs, signedness }, ty.clone());
    } else {
        let source = new;
        new = cx.value(ArithOp::ExtI { source, signedness }, ty.clone());
    }
    let overflow = Overflow::Wraps;
    if factor != 1 {
        let (lhs, rhs) = (new, integer(cx, scalar, factor.into()));
        new = cx.value(ArithOp::MulI { lhs, rhs, overflow }, ty.clone());
    }
    if let Some(rhs) = elements_before(cx, scalar, part, 1) {
        let lhs = new;
        new = cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty);
    }
    new
}

/// The number of elements before a part of so many elements; `None` for 0.
fn elements_before(cx: &mut Cx<'_>, scalar: ScalarType, part: Part, extent: u32) -> Option<Value> {
    let source = match part {
        Part::Number(0) => return None,
        Part::Number(number) => return Some(integer(cx, scalar, i64::from(number) * i64::from(extent))),
        Part::Value(number) => number,
    };
    let signedness = Signedness::Signed;
    let lhs = match scalar.bits().cmp(&ScalarType::I32.bits()) {
        std::cmp::Ordering::Less => cx.value(ArithOp::TruncI { source }, scalar.into()),
        std::cmp::Ordering::Equal => source,
        std::cmp::Ordering::Greater => cx.value(ArithOp::ExtI { source, signedness }, scalar.into()),
    };
    if extent == 1 {
        return Some(lhs);
    }
    let rhs = integer(cx, scalar, extent.into());
    let overflow = Overflow::Wraps;
    Some(cx.value(ArithOp::MulI { lhs, rhs, overflow }, scalar.into()))
}

/// For each memref whether its extents are below 2^31.
fn narrow_arrays(body: &Body<TileAa>) -> SideTable<Value, bool> {
    let mut narrow = body.value_table();
    for (_, op) in body.ops() {
        if let TileAaOp::TileAa(TileAaDialect::Memref { extents, .. }) = &op.kind {
            let memref = op.result(0);
            let is_narrow =
                |&value: &Value| body.ty(value).element() == Some(ElementType::Scalar(ScalarType::I32));
            let known = body.ty(memref).memref().map_or(&[][..], |memref| &memref.extents);
            let small = known.iter().flatten().all(|&extent| extent < 1 << 31);
            narrow.set(memref, small && extents.iter().all(is_narrow));
        }
    }
    narrow
}
