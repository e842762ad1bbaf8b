//! Arrays of the thread, and accesses at a pointer.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_types::{Kind, View};
use tilewright_irs::dialects::memory::{LoadPolicy, MemoryOrder, PrefetchSize};
use tilewright_irs::element::ScalarType;
use tilewright_irs::llvm::{AddressSpace, LlvmDialect, LlvmType};

use super::leaves::{algebra, packing};
use super::pointers::pointer;
use crate::cute_to_llvm::emit::{Cx, unsupported};
use crate::cute_to_llvm::lower_addresses::at_byte;
use crate::cute_to_llvm::lower_memory::data_scalar;
use crate::cute_to_llvm::lower_warp::Packed;

/// Bytes of the widest access.
const WIDEST: u32 = 16;

/// Bytes of a register.
const WORD: u32 = 4;

/// The arrays of the thread so far.
#[derive(Debug, Default)]
pub(in super::super) struct Arrays(u32);

impl Arrays {
    /// A new array of bytes: its address.
    pub(super) fn slot(&mut self, cx: &mut Cx<'_>, bytes: u32, align: u32) -> Value {
        let slot = self.0;
        self.0 += 1;
        let ty = LlvmType::Ptr(AddressSpace::Local);
        cx.value(LlvmDialect::Alloca { slot, bytes, align }, ty)
    }

    /// An array of the bytes that the layout spans.
    pub(super) fn alloca(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let result = cx.old(id).result(0);
        let bytes = match algebra(cx, result)?.kind() {
            Kind::View(view) => array_bytes(view),
            _ => None,
        };
        let Some((bytes, align)) = bytes else {
            return Err(unsupported(cx.origin(), "an array whose size is not known"));
        };
        let packing = packing(cx, result)?;
        let address = self.slot(cx, bytes, align);
        let view = packing.pack(cx, Some(address), &[]);
        cx.bind(result, view);
        Ok(())
    }
}

/// Size and alignment of the array of a tensor in registers.
fn array_bytes(view: &View) -> Option<(u32, u32)> {
    let elements = view.layout.layout().cosize().ok()?.value()?;
    let bits = u32::try_from(elements)
        .ok()?
        .checked_mul(view.pointer.element_bits())?;
    let align = u32::try_from(view.pointer.align().get())
        .unwrap_or(WIDEST)
        .min(WIDEST);
    Some((bits.div_ceil(8).max(1).next_multiple_of(align), align))
}

/// The accesses that move so many elements of a type from an address of such an alignment: the elements of each.
fn pieces(count: u32, scalar: ScalarType, align: u64) -> Option<(u32, Vec<u32>)> {
    let bytes = scalar.bytes()?;
    let mut widest = 1;
    while widest < count && widest * 2 * bytes <= WIDEST && u64::from(widest * 2 * bytes) <= align {
        widest *= 2;
    }
    let (mut left, mut pieces) = (count, Vec::new());
    while left > 0 {
        while widest > left {
            widest /= 2;
        }
        pieces.push(widest);
        left -= widest;
    }
    Some((bytes, pieces))
}

/// How an access moves its elements.
struct Access {
    address: Value,
    mask: Option<Value>,
    /// The elements.
    scalar: ScalarType,
    /// What is moved: the elements, or 32-bit words of several narrow ones, so that pairs stay together in registers.
    moved: ScalarType,
    bytes: u32,
    pieces: Vec<u32>,
}

impl Access {
    fn of(cx: &Cx<'_>, at: Value, data: Value, pred: Option<Value>) -> Result<Self, Diagnostic<Origin>> {
        let ty = cx.from.ty(data);
        let align = pointer(cx, at)?.align().get();
        let split = data_scalar(ty).and_then(|scalar| {
            let (moved, count) = words(scalar, ty.count(), align).unwrap_or((scalar, ty.count()));
            Some((scalar, moved, pieces(count, moved, align)?))
        });
        let Some((scalar, moved, (bytes, pieces))) = split else {
            return Err(unsupported(
                cx.origin(),
                "an access of something that is no number",
            ));
        };
        Ok(Self {
            address: cx.one(at),
            mask: pred.map(|pred| cx.one(pred)),
            scalar,
            moved,
            bytes,
            pieces,
        })
    }

    fn ty(&self, count: u32) -> LlvmType {
        match count {
            1 => LlvmType::Scalar(self.moved),
            _ => LlvmType::Vector(count, self.moved),
        }
    }
}

/// The words of elements that fill some, each at an address that is a multiple of its size.
fn words(scalar: ScalarType, count: u32, align: u64) -> Option<(ScalarType, u32)> {
    let bytes = scalar
        .bytes()
        .filter(|bytes| *bytes < WORD && scalar.bits() >= 8)?;
    let whole = (count * bytes).is_multiple_of(WORD) && align.is_multiple_of(u64::from(WORD));
    whole.then(|| (ScalarType::I32, count * bytes / WORD))
}

/// Loads of at most 16 bytes each.
pub(super) fn load(
    words: &mut Packed,
    cx: &mut Cx<'_>,
    id: OpId,
    at: Value,
    pred: Option<Value>,
    (cache, prefetch): (Option<LoadPolicy>, Option<PrefetchSize>),
) -> Translated {
    let result = cx.old(id).result(0);
    let access = Access::of(cx, at, result, pred)?;
    let (mut offset, mut loaded) = (0i64, Vec::new());
    for &count in &access.pieces {
        let pointer = at_byte(cx, access.address, offset);
        offset += i64::from(count * access.bytes);
        let op = LlvmDialect::Load {
            pointer,
            mask: access.mask,
            other: None,
            align: count * access.bytes,
            order: MemoryOrder::Weak,
            scope: None,
            cache_policy: None,
            cache,
            prefetch,
        };
        loaded.push((count, cx.value(op, access.ty(count))));
    }
    let mut elements = Vec::new();
    for (count, vector) in loaded {
        match count {
            1 => elements.push(vector),
            _ => elements.extend((0..count).map(|index| {
                let op = LlvmDialect::ExtractElement { vector, index };
                cx.value(op, LlvmType::Scalar(access.moved))
            })),
        }
    }
    if access.moved != access.scalar {
        elements = words.loaded(cx, &elements, access.scalar);
    }
    cx.bind(result, elements);
    Ok(())
}

/// Stores of at most 16 bytes each.
pub(super) fn store(
    words: &mut Packed,
    cx: &mut Cx<'_>,
    data: Value,
    at: Value,
    pred: Option<Value>,
) -> Translated {
    let access = Access::of(cx, at, data, pred)?;
    let mut elements = cx.all(data).to_vec();
    if access.moved != access.scalar {
        elements = words.pack(cx, &elements, access.scalar);
    }
    let (mut offset, mut rest) = (0i64, elements.as_slice());
    for &count in &access.pieces {
        let (own, after) = rest.split_at(rest.len().min(count as usize));
        rest = after;
        let pointer = at_byte(cx, access.address, offset);
        offset += i64::from(count * access.bytes);
        let value = match own {
            [one] => *one,
            many => {
                let elements = many.to_vec();
                cx.value(LlvmDialect::BuildVector { elements }, access.ty(count))
            }
        };
        cx.build().effect(LlvmDialect::Store {
            pointer,
            value,
            mask: access.mask,
            align: count * access.bytes,
            order: MemoryOrder::Weak,
            scope: None,
            cache_policy: None,
            cache: None,
        });
    }
    Ok(())
}
