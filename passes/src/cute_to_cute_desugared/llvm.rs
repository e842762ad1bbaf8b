//! Pointers and accesses of MLIR's `llvm`.
//!
//! A pointer is one of `cute` to bytes of no type. An access is at the same address as a pointer to its elements, of the alignment
//! that the op says.

use std::num::{NonZeroU32, NonZeroU64};

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::{CuteType, Element, Float, Kind, Number, Pointer, Sign};
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::dialects::cute::CuteOp;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::dialects::memory::{FenceOrder, MemoryScope};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::mlir::Type;
use tilewright_irs::mlir::dialects::LlvmOp;
use tilewright_irs::mlir::enums::AtomicOrdering;
use tilewright_layouts::cute::{Bits, Fact, Nested};

use super::bits::recast;
use super::inline_ptx;
use super::instructions::of;
use super::memory::{load_value, store_value};
use super::nvvm::{float_word, ordered};
use super::pointers::{address_type, pointer};
use super::state::{Cx, Desugar, not_lowered, unsupported};
use super::types::{number, scalar, types};
use super::views::as_type;
use crate::leaf_arithmetic::{constant, resized};

/// Lowers an op.
pub(super) fn lower(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, op: &LlvmOp) -> Translated {
    match op {
        LlvmOp::InlineAsm {
            operands,
            asm_string,
            constraints,
            ..
        } => inline_ptx::lower(pass, cx, id, (asm_string, constraints), operands),
        LlvmOp::Bitcast { arg } => bitcast(cx, id, *arg),
        LlvmOp::CallIntrinsic { args, name, .. } => intrinsic(pass, cx, id, name, args),
        LlvmOp::Load {
            addr,
            alignment,
            volatile,
            ordering,
            syncscope,
            ..
        } => {
            let order = ordered(*ordering, volatile.0);
            let scope = scope(cx, syncscope.as_deref())?;
            match order {
                None => load(cx, id, *addr, *alignment),
                Some(order) => super::nvvm::ordered_load(pass, cx, id, *addr, (order, scope)),
            }
        }
        LlvmOp::Store {
            value,
            addr,
            alignment,
            volatile,
            ordering,
            syncscope,
            ..
        } => {
            let order = ordered(*ordering, volatile.0);
            let scope = scope(cx, syncscope.as_deref())?;
            match order {
                None => store(cx, id, *value, *addr, *alignment),
                Some(order) => super::nvvm::ordered_store(pass, cx, id, (*value, *addr), (order, scope)),
            }
        }
        LlvmOp::MaskedLoad {
            data,
            mask,
            otherwise,
            alignment,
            ..
        } => masked_load(cx, id, (*data, *mask, *otherwise), i64::from(*alignment)),
        LlvmOp::MaskedStore {
            value,
            data,
            mask,
            alignment,
        } => masked_store(cx, id, (*value, *data, *mask), i64::from(*alignment)),
        LlvmOp::GetElementPtr {
            base,
            dynamic,
            constant,
            element,
            ..
        } => element_pointer(cx, id, *base, (dynamic, constant), element),
        LlvmOp::PtrToInt { arg } => {
            let from = cx.one(*arg);
            let number = super::instructions::number_of(cx, from)?;
            let result = cx.old(id).result(0);
            let Some(to) = scalar(cx.from.ty(result)) else {
                return Err(not_lowered(cx, id));
            };
            let number = unsigned(cx, number, to);
            cx.bind(result, [number]);
            Ok(())
        }
        LlvmOp::IntToPtr { arg } => {
            let source = cx.one(*arg);
            let result = cx.old(id).result(0);
            let ty = pointer_type(cx, id, result)?;
            let Kind::Pointer(to) = ty.kind() else {
                return Err(not_lowered(cx, id));
            };
            let source = match address_type(to) {
                ElementType::Scalar(scalar) => unsigned(cx, source, scalar),
                ElementType::Ptr(_) => source,
            };
            let made = cx.value(CuteOp::IntToPtr { source }, DesugaredType::Cute(ty));
            cx.bind(result, [made]);
            Ok(())
        }
        LlvmOp::Fence { ordering, syncscope } => {
            let order = match ordering {
                AtomicOrdering::SeqCst => FenceOrder::Sc,
                _ => FenceOrder::AcqRel,
            };
            let scope = scope(cx, syncscope.as_deref())?;
            cx.build().effect(GpuOp::ThreadFence { order, scope });
            Ok(())
        }
        LlvmOp::ExtractValue { container, position } => extract(cx, id, *container, position),
        LlvmOp::Undef {} | LlvmOp::Poison {} => anything(cx, id),
    }
}

/// A value that nothing depends on.
pub(super) fn anything(cx: &mut Cx<'_>, id: OpId) -> Translated {
    // Any value will do.
    let result = cx.old(id).result(0);
    let zeros = types(cx.from.ty(result))?
        .into_iter()
        .map(|ty| match &ty {
            DesugaredType::Scalar(ElementType::Scalar(scalar)) => Ok(constant(cx, *scalar, 0)),
            DesugaredType::Fragment(_, ElementType::Scalar(scalar)) => {
                let source = constant(cx, *scalar, 0);
                Ok(cx.value(FragmentOp::Splat { source }, ty))
            }
            _ => Err(not_lowered(cx, id)),
        })
        .collect::<Result<Vec<_>, _>>()?;
    cx.bind(result, zeros);
    Ok(())
}

/// The same bits as a value of another type.
fn bitcast(cx: &mut Cx<'_>, id: OpId, arg: Value) -> Translated {
    let result = cx.old(id).result(0);
    let Some(ty) = number(cx.from.ty(result)) else {
        return Err(not_lowered(cx, id));
    };
    let source = cx.one(arg);
    let Some(value) = recast(cx, source, &ty)? else {
        return Err(not_lowered(cx, id));
    };
    cx.bind(result, [value]);
    Ok(())
}

/// The instructions on floats that LLVM has as intrinsics, `llvm.nvvm.sin.approx.f`: the name of one is its words, and `f` or `d` for
/// its type, unless any type is possible.
const FLOAT_INSTRUCTIONS: [&str; 14] = [
    "abs", "add", "cos", "div", "ex2", "fma", "lg2", "mul", "rcp", "rsqrt", "sin", "sqrt", "sub", "tanh",
];

/// Lowers the call of an intrinsic.
fn intrinsic(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, name: &str, args: &[Value]) -> Translated {
    let unknown = |cx: &Cx<'_>| {
        let message = format!("the intrinsic `{name}` is not known");
        Diagnostic::error(Code::UnsupportedOp, message).at(cx.origin(), "")
    };
    let Some(words) = name.strip_prefix("llvm.nvvm.") else {
        return Err(unknown(cx));
    };
    let instruction = words.split('.').next().unwrap_or(words);
    let result = cx.old(id).results().next();
    let ty = result.and_then(|result| number(cx.from.ty(result)));
    let (true, Some(ty)) = (
        FLOAT_INSTRUCTIONS.contains(&instruction),
        ty.as_ref().and_then(float_word),
    ) else {
        return Err(unknown(cx));
    };
    let words = match words.rsplit_once('.') {
        Some((words, "f" | "d" | "f16" | "f16x2" | "bf16" | "bf16x2")) => words,
        _ => words,
    };
    inline_ptx::lower_to(pass, cx, id, &format!("{words}.{ty}"), args)
}

/// The scope of a name of LLVM's.
fn scope(cx: &Cx<'_>, name: Option<&str>) -> Result<MemoryScope, Diagnostic<Origin>> {
    match name {
        None | Some("") => Ok(MemoryScope::System),
        Some("device") => Ok(MemoryScope::Device),
        Some("cluster") => Ok(MemoryScope::Cluster),
        Some("block") => Ok(MemoryScope::Block),
        Some(name) => {
            let message = format!("the scope `{name}` is not known: `block`, `cluster`, `device`, or none");
            Err(Diagnostic::error(Code::AttributeValue, message).at(cx.origin(), ""))
        }
    }
}

/// An integer as one of another width, without a sign.
fn unsigned(cx: &mut Cx<'_>, source: Value, to: ScalarType) -> Value {
    match *cx.ty(source) {
        DesugaredType::Scalar(ElementType::Scalar(from)) if from.bits() < to.bits() => {
            let signedness = Signedness::Unsigned;
            cx.value(ArithOp::ExtI { source, signedness }, of(to))
        }
        _ => resized(cx, source, to),
    }
}

/// The type of a result that is a pointer.
fn pointer_type(cx: &Cx<'_>, id: OpId, result: Value) -> Result<CuteType, Diagnostic<Origin>> {
    match types(cx.from.ty(result))?.as_slice() {
        [DesugaredType::Cute(ty)] => Ok(ty.clone()),
        _ => Err(not_lowered(cx, id)),
    }
}

/// The number that a scalar of memory is.
fn element_of(ty: &Type) -> Option<Number> {
    let integer = |bits| {
        let sign = Sign::Signless;
        Some(Number::Integer { sign, bits })
    };
    match ty.scalar() {
        // Truth values are bytes.
        Type::Integer(_, bits) => integer(NonZeroU32::new((*bits).max(8))?),
        Type::Float(format) => Float::from_word(format.word()).map(Number::Float),
        _ => None,
    }
}

/// A pointer to elements at an address, of an alignment in bytes; of that of one element if none is said.
fn typed(
    cx: &mut Cx<'_>,
    id: OpId,
    at: Value,
    element: &Type,
    alignment: Option<i64>,
) -> Result<Value, Diagnostic<Origin>> {
    let at = cx.one(at);
    let from = pointer(cx, at)?;
    let Some(number) = element_of(element) else {
        return Err(not_lowered(cx, id));
    };
    let natural = u64::from(number.bits().div_ceil(8));
    let count = match element {
        Type::Vector(vector) => vector.shape.iter().product::<u64>().next_power_of_two(),
        _ => 1,
    };
    let align = alignment.and_then(|bytes| u64::try_from(bytes).ok());
    let align = NonZeroU64::new(align.unwrap_or(natural * count)).unwrap_or(NonZeroU64::MIN);
    let to = Pointer::new(Some(Element::Number(number)), from.space(), align, None);
    Ok(as_type(cx, at, Kind::Pointer(to).into()))
}

/// Loads what is at an address.
fn load(cx: &mut Cx<'_>, id: OpId, addr: Value, alignment: Option<i64>) -> Translated {
    let result = cx.old(id).result(0);
    let ty = cx.from.ty(result).clone();
    let Some(own) = number(&ty) else {
        return Err(not_lowered(cx, id));
    };
    let at = typed(cx, id, addr, &ty, alignment)?;
    let value = match boolean(&own) {
        None => load_value(cx, at, own, None)?,
        Some(bytes) => {
            let bytes = load_value(cx, at, bytes, None)?;
            truth(cx, bytes, own)
        }
    };
    cx.bind(result, [value]);
    Ok(())
}

/// The bytes in which truth values are in memory; `None` for other numbers.
fn boolean(ty: &DesugaredType) -> Option<DesugaredType> {
    let byte = ElementType::Scalar(ScalarType::I8);
    match ty {
        DesugaredType::Scalar(ElementType::Scalar(ScalarType::I1)) => Some(DesugaredType::Scalar(byte)),
        DesugaredType::Fragment(count, ElementType::Scalar(ScalarType::I1)) => {
            Some(DesugaredType::Fragment(*count, byte))
        }
        _ => None,
    }
}

/// The truth values of bytes: their lowest bits.
fn truth(cx: &mut Cx<'_>, source: Value, ty: DesugaredType) -> Value {
    cx.value(ArithOp::TruncI { source }, ty)
}

/// The bytes of truth values.
fn bytes(cx: &mut Cx<'_>, source: Value) -> Value {
    use tilewright_irs::dialects::arith::{ArithOp, Signedness};
    match boolean(cx.ty(source)) {
        None => source,
        Some(ty) => {
            let signedness = Signedness::Unsigned;
            cx.value(ArithOp::ExtI { source, signedness }, ty)
        }
    }
}

/// Stores a value at an address.
fn store(cx: &mut Cx<'_>, id: OpId, value: Value, addr: Value, alignment: Option<i64>) -> Translated {
    let ty = cx.from.ty(value).clone();
    if number(&ty).is_none() {
        return Err(not_lowered(cx, id));
    }
    let at = typed(cx, id, addr, &ty, alignment)?;
    let value = cx.one(value);
    let value = bytes(cx, value);
    store_value(cx, value, at, None)
}

/// The pointer so many elements on.
fn displaced(cx: &mut Cx<'_>, at: Value, by: i64) -> Result<Value, Diagnostic<Origin>> {
    let from = pointer(cx, at)?;
    let fact = Fact::Static(by);
    let ty = Kind::IntTuple(Nested::Leaf(fact)).into();
    let offset = cx.value(CuteOp::Static {}, DesugaredType::Cute(ty));
    let bits = by.unsigned_abs().saturating_mul(u64::from(from.element_bits()));
    let to = DesugaredType::Cute(Kind::Pointer(from.moved(bits)).into());
    Ok(cx.value(CuteOp::AddOffset { pointer: at, offset }, to))
}

/// The elements of a vector with their conditions.
fn masked(cx: &mut Cx<'_>, mask: Value) -> Vec<Value> {
    let source = cx.one(mask);
    let count = cx.ty(source).count();
    (0..count)
        .map(|index| cx.value(FragmentOp::Extract { source, index }, of(ScalarType::I1)))
        .collect()
}

/// Loads the elements whose bits in the mask are set.
fn masked_load(
    cx: &mut Cx<'_>,
    id: OpId,
    (data, mask, otherwise): (Value, Value, Option<Value>),
    alignment: i64,
) -> Translated {
    use tilewright_irs::dialects::arith::ArithOp;
    let result = cx.old(id).result(0);
    let ty = cx.from.ty(result).clone();
    let Some(DesugaredType::Fragment(count, element)) = number(&ty) else {
        return Err(not_lowered(cx, id));
    };
    let first = typed(cx, id, data, &ty, Some(alignment))?;
    let otherwise = otherwise.map(|value| cx.one(value));
    let mut elements = Vec::new();
    for (index, pred) in (0u32..).zip(masked(cx, mask)) {
        let at = displaced(cx, first, i64::from(index))?;
        let one = DesugaredType::Scalar(element);
        let loaded = load_value(cx, at, one.clone(), Some(pred))?;
        elements.push(match otherwise {
            None => loaded,
            Some(source) => {
                let no = cx.value(FragmentOp::Extract { source, index }, one.clone());
                let select = ArithOp::Select {
                    condition: pred,
                    yes: loaded,
                    no,
                };
                cx.value(select, one)
            }
        });
    }
    let value = cx.value(
        FragmentOp::Make { elements },
        DesugaredType::Fragment(count, element),
    );
    cx.bind(result, [value]);
    Ok(())
}

/// Stores the elements whose bits in the mask are set.
fn masked_store(
    cx: &mut Cx<'_>,
    id: OpId,
    (value, data, mask): (Value, Value, Value),
    alignment: i64,
) -> Translated {
    let ty = cx.from.ty(value).clone();
    let Some(DesugaredType::Fragment(_, element)) = number(&ty) else {
        return Err(not_lowered(cx, id));
    };
    let first = typed(cx, id, data, &ty, Some(alignment))?;
    let source = cx.one(value);
    for (index, pred) in (0u32..).zip(masked(cx, mask)) {
        let at = displaced(cx, first, i64::from(index))?;
        let one = cx.value(
            FragmentOp::Extract { source, index },
            DesugaredType::Scalar(element),
        );
        store_value(cx, one, at, Some(pred))?;
    }
    Ok(())
}

/// An address so many elements on.
fn element_pointer(
    cx: &mut Cx<'_>,
    id: OpId,
    base: Value,
    (dynamic, constants): (&[Value], &[i32]),
    element: &Type,
) -> Translated {
    let result = cx.old(id).result(0);
    let to = pointer_type(cx, id, result)?;
    let [at] = constants else {
        // Of structs and arrays only whole ones are counted.
        return Err(not_lowered(cx, id));
    };
    let Some(stride) = element_type(element) else {
        return Err(not_lowered(cx, id));
    };
    let from = cx.one(base);
    let space = pointer(cx, from)?.space();
    let ty = Kind::Pointer(Pointer::new(Some(stride), space, NonZeroU64::MIN, None)).into();
    let from = as_type(cx, from, ty);
    let moved = match (at, dynamic) {
        (&i32::MIN, [index]) => {
            let leaf = cx.one(*index);
            let (leaf, width) = match *cx.ty(leaf) {
                DesugaredType::Scalar(ElementType::Scalar(ScalarType::I64)) => (leaf, Bits::B64),
                _ => (resized(cx, leaf, ScalarType::I32), Bits::B32),
            };
            let fact = Fact::Dynamic {
                width,
                divisor: NonZeroU64::MIN,
            };
            let ty: CuteType = Kind::IntTuple(Nested::Leaf(fact)).into();
            let offset = cx.value(CuteOp::Flat { leaves: vec![leaf] }, DesugaredType::Cute(ty));
            let own = pointer(cx, from)?;
            let bits = u64::from(own.element_bits());
            let to = DesugaredType::Cute(Kind::Pointer(own.moved(bits)).into());
            cx.value(
                CuteOp::AddOffset {
                    pointer: from,
                    offset,
                },
                to,
            )
        }
        (&number, []) => displaced(cx, from, i64::from(number))?,
        _ => {
            return Err(unsupported(
                cx.origin(),
                "an address computation of several numbers",
            ));
        }
    };
    let moved = as_type(cx, moved, to);
    cx.bind(result, [moved]);
    Ok(())
}

/// What an address computation counts, as what a pointer points to.
fn element_type(ty: &Type) -> Option<Element> {
    let number = element_of(ty)?;
    match ty {
        Type::Vector(vector) => {
            let count = vector.shape.iter().product::<u64>();
            let lanes = u32::try_from(count).ok().and_then(NonZeroU32::new)?;
            // LLVM's vectors are as large as a power of two of elements.
            lanes.is_power_of_two().then_some(Element::Vector(lanes, number))
        }
        _ => Some(Element::Number(number)),
    }
}

/// A part of a struct: its values are those of its members, one after the other.
fn extract(cx: &mut Cx<'_>, id: OpId, container: Value, position: &[i64]) -> Translated {
    let result = cx.old(id).result(0);
    let all = cx.all(container).to_vec();
    let mut ty = cx.from.ty(container);
    let mut before = 0;
    for &number in position {
        let Type::Struct(members) = ty else {
            return Err(not_lowered(cx, id));
        };
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        for member in members.iter().take(number) {
            before += types(member)?.len();
        }
        match members.get(number) {
            Some(member) => ty = member,
            None => return Err(not_lowered(cx, id)),
        }
    }
    let count = types(ty)?.len();
    let values: Vec<Value> = all.into_iter().skip(before).take(count).collect();
    cx.bind(result, values);
    Ok(())
}
