//! Lowers loads, stores and atomic accesses of fragments to instructions of at most 16 bytes.

use tilewright_irs::core::Value;
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::memory::{LoadPolicy, MemoryOrder, MemoryScope, PrefetchSize, StorePolicy};
use tilewright_irs::element::ScalarType;
use tilewright_irs::llvm::{LlvmDialect, LlvmType};

use super::emit::Cx;
use super::lower_addresses::at_byte;

/// The common operands of loads and stores.
pub(super) struct Access<'a> {
    /// One pointer, or one for each vector.
    pub(super) pointer: Value,
    /// One predicate, or one for each vector.
    pub(super) pred: Option<Value>,
    /// The offset of each vector, in elements.
    pub(super) offsets: &'a [i64],
    /// Elements of a vector.
    pub(super) vector: u32,
    /// The memory order.
    pub(super) order: MemoryOrder,
    /// The scope of the memory order.
    pub(super) scope: Option<MemoryScope>,
}

impl<'a> Access<'a> {
    /// The access of a load or a store of vectors; `None` for other ops.
    pub(super) fn of(op: &'a FragmentOp) -> Option<Self> {
        match op {
            FragmentOp::Load {
                pointer,
                pred,
                offsets,
                vector,
                order,
                scope,
                ..
            }
            | FragmentOp::Store {
                pointer,
                pred,
                offsets,
                vector,
                order,
                scope,
                ..
            }
            | FragmentOp::MultimemLoad {
                pointer,
                pred,
                offsets,
                vector,
                order,
                scope,
                ..
            }
            | FragmentOp::MultimemStore {
                pointer,
                pred,
                offsets,
                vector,
                order,
                scope,
                ..
            }
            | FragmentOp::MultimemReduce {
                pointer,
                pred,
                offsets,
                vector,
                order,
                scope,
                ..
            } => Some(Self {
                pointer: *pointer,
                pred: *pred,
                offsets,
                vector: *vector,
                order: *order,
                scope: *scope,
            }),
            _ => None,
        }
    }
}

/// The size of a pointer's element type.
pub(super) fn pointee_bytes(ty: &DesugaredType) -> u32 {
    ty.pointee().and_then(ScalarType::bytes).unwrap_or(1)
}

fn shared_or_own(values: &[Value], group: usize) -> Option<Value> {
    match values {
        [one] => Some(*one),
        all => all.get(group).copied(),
    }
}

/// The address and the mask of vector `group`, `offset` elements after its pointer.
fn place(
    cx: &mut Cx<'_>,
    (pointer, pred): (Value, Option<Value>),
    group: usize,
    offset: i64,
) -> Option<(Value, Option<Value>)> {
    let bytes = pointee_bytes(cx.from.ty(pointer));
    let base = shared_or_own(cx.all(pointer), group)?;
    let mask = pred.and_then(|pred| shared_or_own(cx.all(pred), group));
    Some((at_byte(cx, base, offset.wrapping_mul(i64::from(bytes))), mask))
}

/// The place of an atomic access.
pub(super) struct Atomic<'a> {
    /// One pointer, or one for each vector.
    pub(super) pointer: Value,
    /// One predicate, or one for each vector.
    pub(super) pred: Option<Value>,
    /// The offset of each vector, in elements.
    pub(super) offsets: &'a [i64],
    /// Elements of a vector.
    pub(super) vector: u32,
}

/// Lowers an atomic access of a fragment to one of each vector; binds `result`.
pub(super) fn atomic<const N: usize>(
    cx: &mut Cx<'_>,
    result: Value,
    access: &Atomic<'_>,
    operands: [Value; N],
    op: impl Fn(Value, [Value; N], Option<Value>) -> LlvmDialect,
) {
    let Some(scalar) = data_scalar(cx.from.ty(result)) else {
        return;
    };
    let ty = vector_type(access.vector, scalar);
    let vector = access.vector.max(1) as usize;
    let mut old = Vec::with_capacity(access.offsets.len());
    for (group, &offset) in access.offsets.iter().enumerate() {
        let Some((pointer, mask)) = place(cx, (access.pointer, access.pred), group, offset) else {
            continue;
        };
        let operands = operands.map(|operand| {
            let own = cx.all(operand).chunks(vector).nth(group).map(<[Value]>::to_vec);
            own.and_then(|own| together(cx, &own, ty)).unwrap_or(pointer)
        });
        old.push(cx.value(op(pointer, operands, mask), ty));
    }
    let old = apart(cx, old, (access.vector, scalar));
    cx.bind(result, old);
}

/// The type of so many elements that one instruction moves.
const fn vector_type(vector: u32, scalar: ScalarType) -> LlvmType {
    match vector {
        1 => LlvmType::Scalar(scalar),
        _ => LlvmType::Vector(vector, scalar),
    }
}

impl Access<'_> {
    /// The address and the mask of a vector.
    pub(super) fn place(&self, cx: &mut Cx<'_>, group: usize, offset: i64) -> Option<(Value, Option<Value>)> {
        place(cx, (self.pointer, self.pred), group, offset)
    }

    /// The type that one instruction moves, and its size.
    fn moved(&self, cx: &Cx<'_>, scalar: ScalarType) -> (LlvmType, u32) {
        let bytes = pointee_bytes(cx.from.ty(self.pointer));
        (
            vector_type(self.vector, scalar),
            bytes.saturating_mul(self.vector),
        )
    }
}

/// The vector of some elements; a single element is returned unchanged.
fn together(cx: &mut Cx<'_>, elements: &[Value], ty: LlvmType) -> Option<Value> {
    match elements {
        [one] => Some(*one),
        _ => {
            let elements = elements.to_vec();
            Some(cx.value(LlvmDialect::BuildVector { elements }, ty))
        }
    }
}

/// The elements of vectors of so many, or of scalars.
fn apart(cx: &mut Cx<'_>, vectors: Vec<Value>, (vector, scalar): (u32, ScalarType)) -> Vec<Value> {
    if vector == 1 {
        return vectors;
    }
    let mut elements = Vec::with_capacity(vectors.len());
    for vector_value in vectors {
        for index in 0..vector {
            let element = LlvmDialect::ExtractElement {
                vector: vector_value,
                index,
            };
            elements.push(cx.value(element, LlvmType::Scalar(scalar)));
        }
    }
    elements
}

/// The number type of a fragment of data.
pub(super) fn data_scalar(ty: &DesugaredType) -> Option<ScalarType> {
    match ty {
        DesugaredType::Scalar(element) | DesugaredType::Fragment(_, element) => element.scalar(),
        DesugaredType::SharedPtr(_)
        | DesugaredType::Cute(_)
        | DesugaredType::TileIterator(_)
        | DesugaredType::TmaDescriptor(_)
        | DesugaredType::Pipe(_) => None,
    }
}

/// Lowers a load; binds `result`. All vectors are loaded before any is split.
pub(super) fn load(
    cx: &mut Cx<'_>,
    result: Value,
    access: &Access<'_>,
    other: Option<Value>,
    (cache_policy, cache, prefetch): (Option<Value>, Option<LoadPolicy>, Option<PrefetchSize>),
) {
    let Some(scalar) = data_scalar(cx.from.ty(result)) else {
        return;
    };
    let (ty, align) = access.moved(cx, scalar);
    let others = other.map(|other| cx.all(other).to_vec());
    let mut loaded = Vec::with_capacity(access.offsets.len());
    for (group, &offset) in access.offsets.iter().enumerate() {
        let Some((pointer, mask)) = access.place(cx, group, offset) else {
            continue;
        };
        let first = group * access.vector as usize;
        let own = others
            .as_deref()
            .and_then(|others| others.get(first..first + access.vector as usize))
            .map(<[Value]>::to_vec);
        let other = mask.and(own).and_then(|own| together(cx, &own, ty));
        let (order, scope) = (access.order, access.scope);
        loaded.push(cx.value(
            LlvmDialect::Load {
                pointer,
                mask,
                other,
                align,
                order,
                scope,
                cache_policy,
                cache,
                prefetch,
            },
            ty,
        ));
    }
    let elements = apart(cx, loaded, (access.vector, scalar));
    cx.bind(result, elements);
}

/// Lowers a store.
pub(super) fn store(
    cx: &mut Cx<'_>,
    value: Value,
    access: &Access<'_>,
    (cache_policy, cache): (Option<Value>, Option<StorePolicy>),
) {
    let Some(scalar) = data_scalar(cx.from.ty(value)) else {
        return;
    };
    let (ty, align) = access.moved(cx, scalar);
    let elements = cx.all(value).to_vec();
    let mut groups = elements.chunks(access.vector.max(1) as usize);
    for (group, &offset) in access.offsets.iter().enumerate() {
        let Some(value) = groups.next().and_then(|own| together(cx, own, ty)) else {
            continue;
        };
        let Some((pointer, mask)) = access.place(cx, group, offset) else {
            continue;
        };
        let (order, scope) = (access.order, access.scope);
        cx.build().effect(LlvmDialect::Store {
            pointer,
            value,
            mask,
            align,
            order,
            scope,
            cache_policy,
            cache,
        });
    }
}
