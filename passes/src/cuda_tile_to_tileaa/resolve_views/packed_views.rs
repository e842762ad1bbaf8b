//! Loads and stores of elements of four bits, of which two share a byte, the first in its low bits.
//!
//! A tile of whole bytes, next to each other along an axis of stride 1, is loaded and stored as a tile of bytes. This
//! needs an even start, an even extent, and rows that begin at whole bytes. The language promises an even extent of such
//! a dimension of the tensor, so a byte is inside of it or outside.
//!
//! In other tiles each element is taken out of its byte, and put into its word by two atomic operations, which leave the
//! neighbours as they are.

use tilewright_irs::core::{OpId, Translated, Value, ValueType};
use tilewright_irs::cuda_tile::ViewOp;
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::dialects::memory::{
    AtomicOp, AtomicOrder, AtomicOrdering, MemoryOrder, MemoryScope, Memref, Ordering, TileAccess,
};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAaDialect, TileAaKind, TileAaType};

use super::elements::{Elements, Tile, sum};
use super::pass::{Lowering, Parts, Pass};
use super::views::{Extent, promises, tiling};
use super::{hints, types};

const BYTE: ElementType = ElementType::Scalar(ScalarType::I8);
const HALF: ElementType = ElementType::Scalar(ScalarType::I4);
const WORD: ElementType = ElementType::I32;
const WIDE: ElementType = ElementType::Scalar(ScalarType::I64);

/// A tile of bytes of an array, two elements each along an axis.
struct Bytes {
    at: TileAccess,
    /// The axis along which a byte holds two elements.
    axis: usize,
}

/// The bytes that hold the elements of a tile, one address for each element.
struct Nibbles {
    pointers: Value,
    mask: Option<Value>,
    /// Whether an element is the second one in its byte: a tile of i64, 0 or 1.
    second: Value,
}

impl Pass<'_> {
    /// Lowers a load or a store of a tile of four-bit elements.
    pub(super) fn packed_view(
        &mut self,
        cx: &mut Lowering<'_>,
        id: OpId,
        op: &ViewOp,
        name: &str,
    ) -> Translated {
        match op {
            ViewOp::LoadViewTko {
                view,
                index,
                token,
                ordering,
                scope,
                optimization_hints,
                inbounds,
            } => {
                let result = Self::result_type(cx, id)?;
                let shape = result.shape().unwrap_or_default().to_vec();
                let tile = Tile {
                    view: *view,
                    shape,
                    index,
                    inbounds: promises(inbounds, index.len()),
                };
                let ordering = Self::ordering(cx, *token, *ordering, *scope, name)?;
                let latency = hints::latency(optimization_hints.as_ref(), self.target);
                let (numbers, token) = if let Some(bytes) = self.bytes(cx, &tile) {
                    let halved = halved(&tile.shape, bytes.axis);
                    let load = TileAaDialect::Load {
                        at: bytes.at,
                        ordering,
                        latency,
                        allow_tma: hints::allow_tma(optimization_hints.as_ref(), self.target),
                        access: None,
                        route: None,
                    };
                    let (loaded, token) = two(cx, load, TileAaType::tile(&halved, BYTE));
                    (unpacked(cx, loaded, &tile.shape, bytes.axis), token)
                } else {
                    let Some(nibbles) = self.nibbles(cx, &tile) else {
                        return Self::unsupported_op(name);
                    };
                    let ty = TileAaType::tile(&tile.shape, BYTE);
                    let load = TileAaDialect::GatherLoad {
                        pointers: nibbles.pointers,
                        mask: nibbles.mask,
                        other: nibbles.mask.map(|_| number(cx, 0, &ty)),
                        ordering,
                        latency,
                        access: None,
                        route: None,
                    };
                    let (loaded, token) = two(cx, load, ty.clone());
                    let second = cx.value(
                        ArithOp::TruncI {
                            source: nibbles.second,
                        },
                        ty,
                    );
                    let by = shifted_left(cx, second, 2);
                    (low(cx, shifted_right(loaded, by), &tile.shape), token)
                };
                let numbers = reinterpreted(cx, numbers, result);
                cx.bind_results(id, [numbers, token]);
                Ok(())
            }
            ViewOp::StoreViewTko {
                tile: value,
                view,
                index,
                token,
                ordering,
                scope,
                optimization_hints,
                inbounds,
            } => {
                let value = cx.one(*value);
                let shape = cx.ty(value).shape().unwrap_or_default().to_vec();
                let tile = Tile {
                    view: *view,
                    shape,
                    index,
                    inbounds: promises(inbounds, index.len()),
                };
                let ordering = Self::ordering(cx, *token, *ordering, *scope, name)?;
                let numbers = reinterpreted(cx, value, TileAaType::tile(&tile.shape, HALF));
                if let Some(bytes) = self.bytes(cx, &tile) {
                    let store = TileAaDialect::Store {
                        at: TileAccess {
                            padding: None,
                            ..bytes.at
                        },
                        value: packed(cx, numbers, &tile.shape, bytes.axis),
                        ordering,
                        latency: hints::latency(optimization_hints.as_ref(), self.target),
                        allow_tma: hints::allow_tma(optimization_hints.as_ref(), self.target),
                        access: None,
                        route: None,
                    };
                    return Self::replace(cx, id, store);
                }
                let Some(nibbles) = self.nibbles(cx, &tile) else {
                    return Self::unsupported_op(name);
                };
                let token = put(cx, &nibbles, numbers, &ordering);
                cx.bind_results(id, [token]);
                Ok(())
            }
            _ => Self::unsupported_op(name),
        }
    }

    /// The tile as one of whole bytes, if it is known to be one.
    fn bytes(&mut self, cx: &mut Lowering<'_>, tile: &Tile<'_>) -> Option<Bytes> {
        let tiling = tiling(cx.from.ty(tile.view))?;
        let extents = self.extents(cx, tile.view);
        let strides = self.strides(cx, tile.view);
        let even = |n: u64| n.is_multiple_of(2);
        let mut axes = tiling.dim_map.iter().zip(&tile.shape).zip(&tiling.steps);
        let axis = axes.position(|((&dim, &extent), &step)| {
            matches!(strides.get(dim as usize), Some(Extent::Fixed(1))) && even(extent.into()) && even(step)
        })?;
        let own = *tiling.dim_map.get(axis)? as usize;
        let whole = strides.iter().enumerate().all(|(dim, stride)| {
            dim == own
                || match stride {
                    Extent::Fixed(stride) => even(*stride),
                    Extent::Open(stride) => cx
                        .ty(*stride)
                        .facts
                        .divisibility
                        .first()
                        .is_some_and(|&n| even(n)),
                }
        });
        if !whole {
            return None;
        }
        let base = self.parts.get(cx.all(tile.view).first()?)?.base;
        let base = cx.value(
            ArithOp::PtrToPtr { source: base },
            TileAaType::scalar(ElementType::Ptr(ScalarType::I8)),
        );
        let mut parts = Parts {
            base,
            extents: Vec::new(),
            strides: Vec::new(),
        };
        let mut known = [Vec::new(), Vec::new()];
        let sizes = [
            (&extents, &mut parts.extents, true),
            (&strides, &mut parts.strides, false),
        ];
        for ((sizes, open, is_extent), known) in sizes.into_iter().zip(&mut known) {
            for (dim, &size) in sizes.iter().enumerate() {
                // Extents count bytes along this dimension, strides along the others.
                let halves = (dim == own) == is_extent;
                known.push(match size {
                    Extent::Fixed(size) => Some(if halves { size / 2 } else { size }),
                    Extent::Open(size) => {
                        open.push(if halves { half(cx, size) } else { size });
                        None
                    }
                });
            }
        }
        let [extents, strides] = known;
        let rank = extents.len();
        let memref = Memref {
            element: ScalarType::I8,
            extents,
            strides,
            align: 1,
            extent_div: vec![1; rank],
            stride_div: vec![1; rank],
            class: super::views::ONE_CLASS,
        };
        let mut steps = super::views::steps(&tiling).ok()?;
        if let Some(step) = steps.get_mut(axis) {
            *step /= 2;
        }
        Some(Bytes {
            at: TileAccess {
                memref: self.memref(cx, parts, TileAaType::new(TileAaKind::Memref(memref))),
                index: tile.index.iter().map(|&v| cx.one(v)).collect(),
                dim_map: tiling.dim_map,
                steps,
                // The elements have no padding value but zero.
                padding: tiling.padding.map(types::padding),
                inbounds: tile.inbounds.clone(),
            },
            axis,
        })
    }

    /// The bytes of the elements of a tile. `None` if the view does not fit its tensor, which the language's verifier
    /// refuses.
    fn nibbles(&self, cx: &mut Lowering<'_>, tile: &Tile<'_>) -> Option<Nibbles> {
        let base = self.parts.get(cx.all(tile.view).first()?)?.base;
        let Elements { start, offsets, mask } = self.elements(cx, tile)?;
        let wide = TileAaType::tile(&tile.shape, WIDE);
        let start = start.map(|source| cx.value(TileOp::Splat { source }, wide.clone()));
        let offset = sum(cx, start, offsets);
        let pointer = ElementType::Ptr(ScalarType::I8);
        let base = cx.value(ArithOp::PtrToPtr { source: base }, TileAaType::scalar(pointer));
        let pointers = TileAaType::tile(&tile.shape, pointer);
        let base = cx.value(TileOp::Splat { source: base }, pointers.clone());
        let rhs = number(cx, 1, &wide);
        let signedness = Signedness::Signed;
        let place = ArithOp::ShrI {
            lhs: offset,
            rhs,
            signedness,
        };
        let place = cx.value(place, wide.clone());
        let add = TileOp::PtrAdd {
            pointer: base,
            offset: place,
        };
        Some(Nibbles {
            pointers: cx.value(add, pointers),
            mask,
            second: cx.value(ArithOp::AndI { lhs: offset, rhs }, wide),
        })
    }
}

/// Puts numbers of four bits into their words.
fn put(cx: &mut Lowering<'_>, nibbles: &Nibbles, numbers: Value, ordering: &Ordering) -> Value {
    let shape = cx.ty(numbers).shape().unwrap_or_default().to_vec();
    let (wide, word) = (TileAaType::tile(&shape, WIDE), TileAaType::tile(&shape, WORD));
    let source = nibbles.pointers;
    let address = cx.value(ArithOp::PtrToInt { source }, wide.clone());
    let and = |cx: &mut Lowering<'_>, lhs, mask: u64| {
        let rhs = number(cx, mask, &wide);
        cx.value(ArithOp::AndI { lhs, rhs }, wide.clone())
    };
    let place = and(cx, address, !3);
    let pointers = TileAaType::tile(&shape, ElementType::Ptr(ScalarType::I32));
    let pointers = cx.value(ArithOp::IntToPtr { source: place }, pointers);
    // The number of the element in its word, times its width.
    let byte = and(cx, address, 3);
    let twice = shifted_left(cx, byte, 1);
    let element = sum(cx, Some(twice), nibbles.second);
    let by = shifted_left(cx, element, 2);
    let by = cx.value(ArithOp::TruncI { source: by }, word.clone());
    let at = |cx: &mut Lowering<'_>, lhs| {
        let overflow = Overflow::Wraps;
        cx.value(
            ArithOp::ShlI {
                lhs,
                rhs: by,
                overflow,
            },
            word.clone(),
        )
    };
    let bits = number(cx, 15, &word);
    let others = at(cx, bits);
    let all = number(cx, u64::MAX, &word);
    let others = cx.value(
        ArithOp::XorI {
            lhs: others,
            rhs: all,
        },
        word.clone(),
    );
    let signedness = Signedness::Unsigned;
    let bits = ArithOp::ExtI {
        source: numbers,
        signedness,
    };
    let bits = cx.value(bits, word.clone());
    let bits = at(cx, bits);
    let last = match ordering.order {
        MemoryOrder::Release => AtomicOrder::Release,
        MemoryOrder::Weak | MemoryOrder::Relaxed | MemoryOrder::Acquire => AtomicOrder::Relaxed,
    };
    let update = |op, value, order, after| TileAaDialect::AtomicScatter {
        pointers,
        value,
        mask: nibbles.mask,
        op,
        ordering: AtomicOrdering {
            after,
            order,
            scope: ordering.scope.unwrap_or(MemoryScope::Device),
        },
        access: None,
    };
    let clear = update(AtomicOp::And, others, AtomicOrder::Relaxed, ordering.after);
    let token = TileAaType::new(TileAaKind::Token);
    let cleared = cx.value(clear, token.clone());
    cx.value(update(AtomicOp::Or, bits, last, Some(cleared)), token)
}

/// An op that gives a value of this type and a token.
fn two(cx: &mut Lowering<'_>, op: TileAaDialect, ty: TileAaType) -> (Value, Value) {
    let op = cx.build().op(op, [ty, TileAaType::new(TileAaKind::Token)]);
    let op = cx.new_body().op(op);
    (op.result(0), op.result(1))
}

/// A number, or a tile of it.
fn number(cx: &mut Lowering<'_>, number: u64, ty: &TileAaType) -> Value {
    let scalar = ty.element().and_then(ElementType::scalar);
    let value = Dense::Splat(Literal::new(scalar.unwrap_or(ScalarType::I64), number));
    cx.value(ArithOp::Constant { value }, ty.clone())
}

fn shifted_left(cx: &mut Lowering<'_>, lhs: Value, by: u64) -> Value {
    let ty = cx.ty(lhs).bare();
    let (rhs, overflow) = (number(cx, by, &ty), Overflow::Wraps);
    cx.value(ArithOp::ShlI { lhs, rhs, overflow }, ty)
}

const fn shifted_right(lhs: Value, rhs: Value) -> ArithOp {
    let signedness = Signedness::Unsigned;
    ArithOp::ShrI { lhs, rhs, signedness }
}

/// Half of an even size.
fn half(cx: &mut Lowering<'_>, size: Value) -> Value {
    let ty = cx.ty(size).bare();
    let one = number(cx, 1, &ty);
    cx.value(shifted_right(size, one), ty)
}

/// The low four bits of bytes.
fn low(cx: &mut Lowering<'_>, bytes: ArithOp, shape: &[u32]) -> Value {
    let source = cx.value(bytes, TileAaType::tile(shape, BYTE));
    cx.value(ArithOp::TruncI { source }, TileAaType::tile(shape, HALF))
}

/// Bits as a tile of another type.
fn reinterpreted(cx: &mut Lowering<'_>, source: Value, ty: TileAaType) -> Value {
    if cx.ty(source).element() == ty.element() {
        return source;
    }
    cx.value(ArithOp::Bitcast { source }, ty)
}

/// The extents of the bytes of a tile.
fn halved(shape: &[u32], axis: usize) -> Vec<u32> {
    let mut halved = shape.to_vec();
    if let Some(extent) = halved.get_mut(axis) {
        *extent /= 2;
    }
    halved
}

/// The extents of a tile of bytes before, along and after an axis, with `along` numbers in each byte.
fn folded(shape: &[u32], axis: usize, along: u32) -> [u32; 4] {
    let (before, rest) = shape.split_at(axis.min(shape.len()));
    let (own, after) = rest.split_first().map_or((2, rest), |(own, after)| (*own, after));
    [before.iter().product(), own / 2, along, after.iter().product()]
}

/// The numbers of bytes, two along an axis.
fn unpacked(cx: &mut Lowering<'_>, bytes: Value, shape: &[u32], axis: usize) -> Value {
    let halved = halved(shape, axis);
    let ty = cx.ty(bytes).bare();
    let four = number(cx, 4, &ty);
    let first = cx.value(ArithOp::TruncI { source: bytes }, TileAaType::tile(&halved, HALF));
    let second = low(cx, shifted_right(bytes, four), &halved);
    let column = TileAaType::tile(&folded(shape, axis, 1), HALF);
    let parts = [first, second].map(|source| cx.value(TileOp::Reshape { source }, column.clone()));
    let pairs = TileAaType::tile(&folded(shape, axis, 2), HALF);
    let parts = parts.to_vec();
    let source = cx.value(TileAaDialect::Cat { parts, axis: 2 }, pairs);
    cx.value(TileOp::Reshape { source }, TileAaType::tile(shape, HALF))
}

/// The bytes of numbers, two along an axis.
fn packed(cx: &mut Lowering<'_>, numbers: Value, shape: &[u32], axis: usize) -> Value {
    let halved = halved(shape, axis);
    let bytes = TileAaType::tile(&halved, BYTE);
    let pairs = TileAaType::tile(&folded(shape, axis, 2), HALF);
    let pairs = cx.value(TileOp::Reshape { source: numbers }, pairs);
    let [first, second] = [0, 1].map(|i| {
        let scalar = TileAaType::scalar(ScalarType::I32);
        let index = [0, 0, i, 0].map(|i| number(cx, i, &scalar)).to_vec();
        let column = TileAaType::tile(&folded(shape, axis, 1), HALF);
        let part = TileAaDialect::Extract { source: pairs, index };
        let source = cx.value(part, column);
        let source = cx.value(TileOp::Reshape { source }, TileAaType::tile(&halved, HALF));
        let signedness = Signedness::Unsigned;
        cx.value(ArithOp::ExtI { source, signedness }, bytes.clone())
    });
    let rhs = shifted_left(cx, second, 4);
    cx.value(ArithOp::OrI { lhs: first, rhs }, bytes)
}
