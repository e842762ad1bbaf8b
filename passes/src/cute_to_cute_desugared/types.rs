//! Types, and casts between those of different dialects.

use std::num::NonZeroU64;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Operation, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::{CuteType, Kind, Pointer, Space};
use tilewright_irs::dialects::cute::CuteOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::mlir::Type;
use tilewright_irs::mlir::types::FloatFormat;
use tilewright_layouts::cute::Bits;

use super::state::{Cx, not_lowered, unsupported};

/// The number type of a scalar.
pub(super) fn scalar(ty: &Type) -> Option<ScalarType> {
    match ty {
        Type::Integer(_, 1) => Some(ScalarType::I1),
        Type::Integer(_, 4) => Some(ScalarType::I4),
        Type::Integer(_, 8) => Some(ScalarType::I8),
        Type::Integer(_, 16) => Some(ScalarType::I16),
        Type::Integer(_, 32) => Some(ScalarType::I32),
        Type::Integer(_, 64) | Type::Index => Some(ScalarType::I64),
        Type::Float(format) => match format {
            FloatFormat::F16 => Some(ScalarType::F16),
            FloatFormat::Bf16 => Some(ScalarType::BF16),
            FloatFormat::F32 => Some(ScalarType::F32),
            FloatFormat::F64 => Some(ScalarType::F64),
            // Its bits, as they are in memory.
            FloatFormat::Tf32 => Some(ScalarType::I32),
            FloatFormat::F8E5m2 => Some(ScalarType::F8E5M2),
            FloatFormat::F8E4m3fn => Some(ScalarType::F8E4M3FN),
            FloatFormat::F8E8m0fnu => Some(ScalarType::F8E8M0FNU),
            FloatFormat::F4E2m1fn => Some(ScalarType::F4E2M1FN),
            FloatFormat::F6E2m3fn | FloatFormat::F6E3m2fn => None,
        },
        _ => None,
    }
}

/// Whether an op has operands or results of type `tf32`.
pub(super) fn has_tf32(cx: &Cx<'_>, id: OpId) -> bool {
    let op = cx.old(id);
    let values = op.kind.operand_list().into_iter().chain(op.results());
    let mut types = values.map(|value| cx.from.ty(value).scalar());
    types.any(|ty| *ty == Type::Float(FloatFormat::Tf32))
}

/// The type of a number, or of a vector of numbers as a fragment.
pub(super) fn number(ty: &Type) -> Option<DesugaredType> {
    match ty {
        Type::Vector(vector) => {
            let count = vector
                .shape
                .iter()
                .try_fold(1u64, |count, extent| count.checked_mul(*extent))?;
            let element = ElementType::Scalar(scalar(&vector.element)?);
            Some(DesugaredType::Fragment(u32::try_from(count).ok()?, element))
        }
        ty => scalar(ty).map(|scalar| DesugaredType::Scalar(scalar.into())),
    }
}

/// The integer type of a width.
const fn of_width(width: Bits) -> ScalarType {
    match width {
        Bits::B8 => ScalarType::I8,
        Bits::B16 => ScalarType::I16,
        Bits::B32 => ScalarType::I32,
        Bits::B64 => ScalarType::I64,
    }
}

/// The space of a number of LLVM's. (LLVM, "User Guide for NVPTX Back-end", address spaces.)
pub(super) const fn space(number: u32) -> Option<Space> {
    match number {
        0 => Some(Space::Generic),
        1 => Some(Space::Global),
        3 => Some(Space::Shared),
        4 => Some(Space::Constant),
        5 => Some(Space::Register),
        6 => Some(Space::Tensor),
        7 => Some(Space::ClusterShared),
        _ => None,
    }
}

/// A pointer of LLVM.
fn untyped(space: Space) -> CuteType {
    Kind::Pointer(Pointer::new(None, space, NonZeroU64::MIN, None)).into()
}

/// The types of what a value becomes: none for what a type says alone.
pub(super) fn types(ty: &Type) -> Result<Vec<DesugaredType>, Diagnostic<Origin>> {
    if let Some(number) = number(ty) {
        return Ok(vec![number]);
    }
    match ty {
        Type::Cute(cute) => Ok(match cute.kind() {
            Kind::Swizzle(_) | Kind::TiledCopy(_) | Kind::TiledMma(_) | Kind::Copy(_) | Kind::Mma(_) => {
                Vec::new()
            }
            Kind::Integer(integer) => vec![DesugaredType::Scalar(of_width(integer.width).into())],
            _ => vec![DesugaredType::Cute(cute.clone())],
        }),
        Type::Pointer(number) if let Some(space) = space(*number) => {
            Ok(vec![DesugaredType::Cute(untyped(space))])
        }
        Type::Struct(members) => {
            let mut all = Vec::new();
            for member in members.iter() {
                all.extend(types(member)?);
            }
            Ok(all)
        }
        _ => Err(unsupported(
            Origin::FUNCTION,
            format!("values of type `{ty}` are not lowered yet"),
        )),
    }
}

/// A cast between a number and the same number of another type system.
pub(super) fn cast(cx: &mut Cx<'_>, id: OpId, inputs: &[Value]) -> Translated {
    let [input] = inputs else {
        return Err(not_lowered(cx, id));
    };
    let result = cx.old(id).result(0);
    let (from, to) = (types(cx.from.ty(*input))?, types(cx.from.ty(result))?);
    if from != to {
        let is_pointer = |types: &[DesugaredType]| match types {
            [DesugaredType::Cute(ty)] => match ty.kind() {
                Kind::Pointer(pointer) => Some(pointer.space()),
                _ => None,
            },
            _ => None,
        };
        // The same address: a swizzle is that of an access, of which a pointer without one knows nothing.
        if let [to] = to.as_slice()
            && is_pointer(&from).is_some()
            && is_pointer(&from) == is_pointer(std::slice::from_ref(to))
        {
            let pointer = cx.one(*input);
            let cast = cx.value(CuteOp::RecastIter { pointer }, to.clone());
            cx.bind(result, [cast]);
            return Ok(());
        }
        return Err(not_lowered(cx, id));
    }
    let values = cx.all(*input).to_vec();
    cx.bind(result, values);
    Ok(())
}
