//! Lowers the making of tensor maps: each of their fields is written to shared memory.

use tilewright_irs::core::{Translated, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::map_table::MAP_BYTES;
use tilewright_irs::dialects::memory::MemoryOrder;
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Instruction, MapChoice, MapExtent, MapField, MapObjectWord, Space, Type};
use tilewright_irs::llvm::{LlvmDialect, LlvmType};
use tilewright_layouts::SwizzleMode;

use super::emit::{Cx, I32, at, i32, i64, unsupported};
use super::lower_addresses::{at_byte, generic};

/// Bytes of the widest store.
const WIDEST: u32 = 16;

/// The code of `tf32`, of which loads round numbers of type `f32`: to nearest, ties to even, as `cvt.rn.tf32.f32` does (measured
/// on an H200). (PTX ISA, `tensormap.replace`, `.elemtype`.)
const ROUNDED: u32 = 11;

/// The code of an element type whose bits are copied. (PTX ISA, `tensormap.replace`, `.elemtype`.)
fn element_code(element: ScalarType) -> Option<u32> {
    Some(match element {
        ScalarType::I1
        | ScalarType::I8
        | ScalarType::F8E4M3FN
        | ScalarType::F8E5M2
        | ScalarType::F8E8M0FNU
        | ScalarType::F8E5M3FNU => 0,
        ScalarType::I16 => 1,
        ScalarType::I32 => 2,
        ScalarType::I64 => 4,
        ScalarType::F16 => 6,
        ScalarType::F32 | ScalarType::TF32 => 7,
        ScalarType::F64 => 9,
        ScalarType::BF16 => 10,
        ScalarType::I4 | ScalarType::F4E2M1FN => return None,
    })
}

/// The code of a swizzle. (PTX ISA, `tensormap.replace`, `.swizzle_mode`; the atoms need sm_100a.)
fn swizzle_code(swizzle: SwizzleMode) -> Option<u32> {
    Some(match swizzle {
        SwizzleMode::None => 0,
        SwizzleMode::B32 => 1,
        SwizzleMode::B64 => 2,
        SwizzleMode::B128 => 3,
        SwizzleMode::B128Atom32 | SwizzleMode::B128Atom32Flip8 | SwizzleMode::B128Atom64 => return None,
    })
}

/// An array in a tensor map.
pub(super) struct Array<'a> {
    pub(super) base: Value,
    pub(super) extents: &'a [Value],
    pub(super) strides: &'a [Value],
    pub(super) box_extents: &'a [u32],
    pub(super) swizzle: SwizzleMode,
    pub(super) rounded: bool,
}

/// Writes a tensor map to shared memory.
pub(super) fn make_map(cx: &mut Cx<'_>, to: Value, array: &Array<'_>) -> Translated {
    let origin = cx.origin();
    let element = cx.from.ty(array.base).pointee();
    let code = match array.rounded {
        true => Some(ROUNDED),
        false => element.and_then(element_code),
    };
    let code = code.ok_or_else(|| {
        let name = element.map_or("this", |element| element.word());
        unsupported(origin, format!("a tensor map of elements of type `{name}`"))
    })?;
    let swizzle = swizzle_code(array.swizzle)
        .ok_or_else(|| unsupported(origin, "a tensor map with a swizzle of other atoms than 16 bytes"))?;
    let map = cx.one(to);
    let zero = i64(cx, 0);
    let zeros = cx.value(
        LlvmDialect::BuildVector {
            elements: vec![zero, zero],
        },
        LlvmType::Vector(2, ScalarType::I64),
    );
    for offset in (0..MAP_BYTES).step_by(WIDEST as usize) {
        let pointer = at_byte(cx, map, i64::from(offset));
        cx.build().effect(LlvmDialect::Store {
            pointer,
            value: zeros,
            mask: None,
            align: WIDEST,
            order: MemoryOrder::Weak,
            scope: None,
            cache_policy: None,
            cache: None,
        });
    }
    let (space, object) = (Some(Space::SharedCta), MapObjectWord);
    let base = cx.one(array.base);
    let base = generic(cx, base);
    cx.build().effect(Instruction::TensormapReplace {
        field: MapField::GlobalAddress,
        space,
        object,
        ty: Type::B64,
        a: at(map),
        value: base,
    });
    let dimensions = u32::try_from(array.extents.len()).unwrap_or(u32::MAX);
    let value = i32(cx, dimensions.saturating_sub(1));
    cx.build().effect(Instruction::TensormapReplace {
        field: MapField::Rank,
        space,
        object,
        ty: Type::B32,
        a: at(map),
        value,
    });
    let extent = |cx: &mut Cx<'_>, field, ty, dimension, value| {
        cx.build().effect(Instruction::TensormapReplaceExtent {
            field,
            space,
            object,
            ty,
            a: at(map),
            dimension,
            value,
        });
    };
    for (dimension, &size) in (0..).zip(array.box_extents) {
        let value = i32(cx, size);
        extent(cx, MapExtent::BoxDim, Type::B32, dimension, value);
        let one = i32(cx, 1);
        extent(cx, MapExtent::ElementStride, Type::B32, dimension, one);
    }
    for (dimension, &size) in (0..).zip(array.extents) {
        let source = cx.one(size);
        let value = cx.value(ArithOp::TruncI { source }, I32);
        extent(cx, MapExtent::GlobalDim, Type::B32, dimension, value);
    }
    for (dimension, &stride) in (0..).zip(array.strides) {
        let value = cx.one(stride);
        extent(cx, MapExtent::GlobalStride, Type::B64, dimension, value);
    }
    for (field, choice) in [
        (MapChoice::ElementType, code),
        (MapChoice::InterleaveLayout, 0),
        (MapChoice::SwizzleMode, swizzle),
        (MapChoice::FillMode, 0),
    ] {
        cx.build().effect(Instruction::TensormapReplaceChoice {
            field,
            space,
            object,
            ty: Type::B32,
            a: at(map),
            choice,
        });
    }
    Ok(())
}
