//! Computes the widest vector access of each memory op. `tileaa` to `tileaa`.
//!
//! In: any function, with facts in its types. Out: the same function, where every load, store and atomic access has its `access`:
//! the number of elements that one instruction can move, the axis, and the order of axes in memory. It is the part of
//! a copy atom (`ld`, `st`) that does not depend on layouts; `assign_layouts` uses it to choose layouts and completes
//! the atom.
//!
//! A vector access of `n` elements by one thread requires that they are contiguous in memory, that the first one is
//! aligned to the whole vector, and that they are masked or out of bounds all together. This is proven from facts:
//!
//! - a tiled access: a unit stride along the axis; base address, other strides and the tile's offset divisible; the
//!   extent divisible or the access promised to be in bounds;
//! - a gather or scatter: contiguity and divisibility of the pointers, constancy of the mask.
//!
//! An `access` that is written already is the widest that the op may have.
//!
//! An access that orders others (acquire, release) or allows concurrent ones (relaxed, atomic) moves one element at a time. But a
//! relaxed atomic access without old values has the vectors for which the target has an instruction: each of their elements is
//! accessed by itself.
//! Elements that do not fill bytes in memory are refused (E0502).

use tilewright_diagnostics::{Code, Diagnostic, counted};
use tilewright_irs::core::{Body, Func, OpId, Origin, SideTable, Value, ValueType};
use tilewright_irs::dialects::access::Widest;
use tilewright_irs::dialects::memory::{AtomicOrder, Memref, TileAccess, VectorFact, VectorLimit};
use tilewright_irs::element::ElementType;
use tilewright_irs::isa::Target;
use tilewright_irs::nvvm::native_atomic;
use tilewright_irs::tileaa::{MemoryOp, MemoryPlace, TileAa, TileAaOp, TileAaType};

use crate::hints::{Cause, HintUse, Warned, Wish};

use super::reason::{Explanation, FasterRoute, Reason, Subject};

/// The widest access of a thread in bytes.
const MAX_BYTES: u32 = 16;
/// A divisor that represents zero, which everything divides.
const ANY: u64 = 1 << 62;

/// Computes the `access` of every memory op.
///
/// # Errors
/// An element does not fill whole bytes in memory (E0502), with the op's origin.
pub fn select_atoms(func: &Func<TileAa>) -> Result<Warned<Func<TileAa>>, Vec<Diagnostic<Origin>>> {
    let widest = widest_accesses(func).map_err(|problem| vec![problem])?;
    let mut func = func.clone();
    let mut hints = Vec::new();
    for id in func.body.walk() {
        let op = func.body.op_mut(id);
        if let TileAaOp::TileAa(own) = &mut op.kind
            && let Some(access) = own.field_mut::<Option<Widest>>()
        {
            let asked = access.take();
            *access = widest.get(id).cloned();
            if let (Some(asked), Some(access)) = (asked, access) {
                access.vector = access.vector.min(asked.vector);
                access.inside = access.inside.min(asked.inside);
                hints.push(HintUse {
                    origin: op.origin,
                    hint: Wish::Access,
                    asked: Some(asked.vector),
                    used: access.vector,
                    why: "facts about the addresses, the shape and the mask allow no wider vectors"
                        .to_owned(),
                    cause: Cause::Forbidden,
                });
            }
        }
    }
    Ok(Warned { func, hints })
}

/// The widest vector access of every memory op of a function.
///
/// # Errors
/// An element does not fill whole bytes in memory (E0502), with the op's origin.
pub(super) fn widest_accesses(func: &Func<TileAa>) -> Result<SideTable<OpId, Widest>, Diagnostic<Origin>> {
    let body = &func.body;
    let mut accesses = SideTable::new(body.op_count());
    for id in body.walk() {
        if let Some(widest) = widest_of(func, id) {
            let widest = widest.map_err(|element| {
                let message = format!("elements of `{element}` do not fill whole bytes in memory");
                Diagnostic::error(Code::UnsupportedType, message).at(body.op(id).origin, "")
            })?;
            accesses.set(id, widest);
        }
    }
    Ok(accesses)
}

/// Explains the widths that [`select_atoms`] computes: of each load and store, in the order of the ops. Atomic accesses and
/// those that order others have no explanation. An `access` that is narrower than facts allow was
/// written.
pub fn explain_accesses(func: &Func<TileAa>) -> Vec<Explanation> {
    let body = &func.body;
    let explained = |id: OpId| {
        let memory =
            MemoryOp::of(body.op(id)).filter(|memory| !memory.concurrent && memory.boxes.is_none())?;
        let found = match memory.place {
            MemoryPlace::Tile(at) => {
                let array = body.ty(at.memref).memref()?;
                Tiled { body, at }.narrow(array, memory.data)
            }
            MemoryPlace::Pointers { pointers, mask } => {
                let each = element_bytes(body.ty(memory.data)).ok()?;
                let access = scattered(body, pointers, mask, memory.data, MAX_BYTES / each).ok()?;
                let bytes = access.vector * each;
                match bytes >= MAX_BYTES {
                    true => Ok(bytes),
                    false => Err(Reason::ShortRun {
                        bytes,
                        least: MAX_BYTES,
                    }),
                }
            }
        };
        let outcome = written(func, id, memory.data).map_or(found, |bytes| Err(Reason::Written { bytes }));
        Some(Explanation {
            origin: body.op(id).origin,
            subject: match memory.loads {
                true => Subject::Load,
                false => Subject::Store,
            },
            route: FasterRoute::Vectors,
            outcome: outcome.map(|bytes| counted(bytes, "byte").to_string()),
        })
    };
    body.walk().into_iter().filter_map(explained).collect()
}

/// The bytes of a vector, if a memory op has an `access` that is narrower than facts allow.
fn written(func: &Func<TileAa>, id: OpId, data: Value) -> Option<u32> {
    let body = &func.body;
    let TileAaOp::TileAa(own) = &body.op(id).kind else {
        return None;
    };
    let access = own.field::<Option<Widest>>()?.as_ref()?;
    let widest = widest_of(func, id)?.ok()?;
    let bytes = element_bytes(body.ty(data)).ok()?;
    (access.vector < widest.vector).then_some(access.vector * bytes)
}

/// The widest vector access of a memory op, or the name of an element type without whole bytes; `None` for other ops.
pub(super) fn widest_of(func: &Func<TileAa>, id: OpId) -> Option<Result<Widest, String>> {
    let body = &func.body;
    let memory = MemoryOp::of(body.op(id))?;
    let widest = |bytes| {
        let most = most(&memory, body.ty(memory.data), bytes, func.attrs.target);
        match memory.place {
            MemoryPlace::Tile(at) => {
                let array = body.ty(at.memref).memref();
                Tiled { body, at }.access(array, memory.data, most)
            }
            MemoryPlace::Pointers { pointers, mask } => scattered(body, pointers, mask, memory.data, most),
        }
    };
    Some(element_bytes(body.ty(memory.data)).and_then(widest))
}

/// The widest vector access of a tile, of at most so many elements, if its array had this type; `None` where elements have no
/// whole bytes.
pub(super) fn widest_in(
    body: &Body<TileAa>,
    array: &Memref,
    at: &TileAccess,
    tile: Value,
    most: u32,
) -> Option<Widest> {
    Tiled { body, at }.access(Some(array), tile, most).ok()
}

/// The most elements, of so many bytes, that one instruction of a memory op can access.
fn most(memory: &MemoryOp<'_>, data: &TileAaType, bytes: u32, target: Target) -> u32 {
    let vector = MAX_BYTES / bytes;
    let scalar = data.element().and_then(ElementType::scalar);
    match memory.combines.zip(scalar) {
        Some(((op, ordering), scalar)) if ordering.order == AtomicOrder::Relaxed => {
            let is_native = |count| native_atomic(op, scalar, count, ordering.scope, target);
            largest(vector, |n| u32::try_from(n).is_ok_and(is_native))
        }
        _ if memory.concurrent => 1,
        _ => vector,
    }
}

/// Size of an element in memory, in bytes, or the name of a type without whole bytes.
fn element_bytes(ty: &TileAaType) -> Result<u32, String> {
    match ty.element() {
        Some(ElementType::Scalar(scalar)) => scalar.bytes().ok_or_else(|| scalar.to_string()),
        Some(ElementType::Ptr(_)) => Ok(8),
        None => Err("no type".to_owned()),
    }
}

/// Axes as attribute values.
fn axes_of(axes: &[usize]) -> Vec<u32> {
    axes.iter().filter_map(|&axis| u32::try_from(axis).ok()).collect()
}

/// The largest power of two that divides a number.
fn two_part(number: u64) -> u64 {
    if number == 0 {
        ANY
    } else {
        (1 << number.trailing_zeros()).min(ANY)
    }
}

/// A product of divisors.
fn times(a: u64, b: u64) -> u64 {
    a.saturating_mul(b).min(ANY)
}

/// The largest power of two, up to `most`, for which the predicate is true.
fn largest(most: u32, holds: impl Fn(u64) -> bool) -> u32 {
    let mut vector = most.max(1);
    while vector > 1 && !holds(u64::from(vector)) {
        vector /= 2;
    }
    vector
}

/// Checks that vectors of `n` elements along the axis `fast` are aligned, and, unless the tile is `inside` of the array, in or out
/// of bounds as a whole.
fn check_vectors(
    align: u64,
    bytes: u32,
    axes: &[Axis],
    (fast, axis): (usize, &Axis),
    inside: bool,
    n: u64,
) -> Result<(), VectorLimit> {
    let check = |fact, known: u64, needed: u64| match known.is_multiple_of(needed) {
        true => Ok(()),
        false => Err(VectorLimit { fact, known, needed }),
    };
    check(VectorFact::Base, align, n * u64::from(bytes))?;
    check(VectorFact::Step { axis: fast }, axis.start_div, n)?;
    for (_, other) in axes.iter().enumerate().filter(|&(i, _)| i != fast) {
        let moves = if other.extent > 1 { 1 } else { other.start_div };
        let fact = VectorFact::Stride { axis: other.memory };
        check(fact, times(other.stride_div, moves), n)?;
    }
    let bound = if inside { ANY } else { axis.bound_div };
    check(VectorFact::Extent { axis: axis.memory }, bound, n)
}

/// A tiled access.
struct Tiled<'a> {
    body: &'a Body<TileAa>,
    at: &'a TileAccess,
}

/// One tile axis of a tiled access.
struct Axis {
    /// The tile's extent.
    extent: u32,
    /// The array's stride, if it is static and not zero.
    stride: Option<u64>,
    /// The array's axis.
    memory: u32,
    /// A divisor of the array's stride, in elements.
    stride_div: u64,
    /// A divisor of the first coordinate of the tile along this axis.
    start_div: u64,
    /// A divisor of the array's extent; `ANY` if no element is out of bounds.
    bound_div: u64,
}

impl Tiled<'_> {
    fn axes(&self, memref: &Memref, shape: &[u32]) -> Vec<Axis> {
        (0..shape.len())
            .filter_map(|axis| self.axis(memref, shape, axis))
            .collect()
    }

    /// Why threads cannot access full tiles by the widest vectors.
    fn narrow(&self, array: &Memref, tile: Value) -> Result<u32, Reason> {
        let ty = self.body.ty(tile);
        let bytes = element_bytes(ty).map_err(|_| Reason::Element(array.element))?;
        let axes = self.axes(array, ty.shape().unwrap_or_default());
        let mut fast = axes.iter().enumerate().filter(|(_, axis)| axis.stride == Some(1));
        let fast = fast
            .find(|(_, axis)| axis.extent > 1)
            .ok_or(Reason::NoUnitStride)?;
        let n = (MAX_BYTES / bytes).min(fast.1.extent);
        check_vectors(array.align, bytes, &axes, fast, true, n.into())
            .map_err(|limit| Reason::vectors(array, limit))?;
        match n * bytes {
            MAX_BYTES => Ok(MAX_BYTES),
            bytes => Err(Reason::ShortRow {
                bytes,
                least: MAX_BYTES,
            }),
        }
    }

    /// The widest access, of at most so many elements.
    fn access(&self, memref: Option<&Memref>, tile: Value, most: u32) -> Result<Widest, String> {
        let ty = self.body.ty(tile);
        let bytes = element_bytes(ty)?;
        let shape = ty.shape().unwrap_or_default();
        let axes = memref.map_or_else(Vec::new, |memref| self.axes(memref, shape));
        let mut by_stride: Vec<usize> = (0..shape.len()).collect();
        // Among dynamic strides, the last axis of the array is assumed to be the most contiguous.
        by_stride.sort_by_key(|&i| {
            axes.get(i).map_or((u64::MAX, 0), |axis| {
                (axis.stride.unwrap_or(u64::MAX), u32::MAX - axis.memory)
            })
        });
        let fastest = by_stride
            .first()
            .and_then(|&i| Some((i, axes.get(i)?)))
            .filter(|(_, axis)| axis.stride == Some(1) && axis.extent > 1);
        let align = memref.map_or(1, |memref| memref.align);
        let vector = |inside: bool| {
            fastest.map_or(1, |(fast, axis)| {
                largest(most.min(axis.extent), |n| {
                    check_vectors(align, bytes, &axes, (fast, axis), inside, n).is_ok()
                })
            })
        };
        Ok(Widest {
            vector: vector(false),
            inside: vector(true),
            along: fastest.and_then(|(i, _)| u8::try_from(i).ok()),
            order: axes_of(&by_stride),
        })
    }

    fn axis(&self, memref: &Memref, shape: &[u32], axis: usize) -> Option<Axis> {
        let memory = *self.at.dim_map.get(axis)?;
        let place = memory as usize;
        let stride = *memref.strides.get(place)?;
        let extent = *memref.extents.get(place)?;
        let index = &self.body.ty(*self.at.index.get(axis)?).facts;
        let index_div = index.divisibility.first().copied().unwrap_or(1);
        let known = |number: Option<u64>, divisors: &[u64]| {
            let divisor = two_part(divisors.get(place).copied().unwrap_or(1).max(1));
            number.map_or(divisor, |n| two_part(n).max(divisor))
        };
        Some(Axis {
            extent: *shape.get(axis)?,
            stride: stride.filter(|&s| s != 0),
            memory,
            stride_div: known(stride, &memref.stride_div),
            start_div: times(index_div, two_part(u64::from(*self.at.steps.get(axis)?))),
            bound_div: if *self.at.inbounds.get(axis)? {
                ANY
            } else {
                known(extent, &memref.extent_div)
            },
        })
    }
}

/// The widest access through pointers, of at most so many elements.
fn scattered(
    body: &Body<TileAa>,
    pointers: Value,
    mask: Option<Value>,
    data: Value,
    most: u32,
) -> Result<Widest, String> {
    let bytes = element_bytes(body.ty(data))?;
    let ty = body.ty(pointers);
    let shape = ty.shape().unwrap_or_default();
    let at = |list: &[u64], axis: usize| list.get(axis).copied().unwrap_or(1);
    let vector = |axis: usize| {
        let same = mask.map_or(ANY, |mask| at(&body.ty(mask).facts.constancy, axis));
        let run = at(&ty.facts.contiguity, axis);
        let divisor = at(&ty.facts.divisibility, axis);
        let extent = shape.get(axis).copied().unwrap_or(1);
        largest(most.min(extent), |n| {
            [run, same].iter().all(|d| d.is_multiple_of(n)) && divisor.is_multiple_of(n * u64::from(bytes))
        })
    };
    // The widest vectors first; then the longest runs; then the last axis.
    let mut by_run: Vec<usize> = (0..shape.len()).rev().collect();
    by_run.sort_by_key(|&axis| {
        let run = at(&ty.facts.contiguity, axis);
        std::cmp::Reverse((vector(axis), run))
    });
    let fastest = by_run
        .first()
        .copied()
        .filter(|&axis| at(&ty.facts.contiguity, axis) > 1 && shape.get(axis).is_some_and(|&n| n > 1));
    let vector = fastest.map_or(1, vector);
    Ok(Widest {
        vector,
        inside: vector,
        along: fastest.and_then(|axis| u8::try_from(axis).ok()),
        order: axes_of(&by_run),
    })
}
