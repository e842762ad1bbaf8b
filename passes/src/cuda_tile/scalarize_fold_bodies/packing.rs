//! `pack` and `unpack` of tiles that have become scalars: shifts and conversions.
//!
//! Little-endian; integers narrower than a byte start at its low bits. (CUDA Tile IR, `pack` and `unpack`.)

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::cuda_tile::{CastOp, IntOp, IntegerOverflow, RoundingMode, Signedness, TileType};
use tilewright_irs::element::ScalarType;

use super::products::scalar_type;
use super::{Cx, Scalarize, number};

const I8: ScalarType = ScalarType::I8;

impl Scalarize {
    /// The bytes of numbers.
    pub(super) fn pack(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
        let ty = scalar_type(cx, source);
        let (width, holder) = held(ty);
        let numbers = cx.all(source).to_vec();
        let numbers: Vec<Value> = numbers
            .into_iter()
            .map(|number| bits_of(cx, number, ty))
            .collect();
        let mut bytes = Vec::new();
        if width < 8 {
            for chunk in numbers.chunks(8 / width as usize) {
                bytes.extend(joined(cx, chunk, width, I8));
            }
        } else {
            for number in numbers {
                for shift in (0..width).step_by(8) {
                    let byte = shifted_right(cx, number, shift, holder);
                    bytes.push(resized(cx, byte, holder, I8));
                }
            }
        }
        cx.bind(cx.old(id).result(0), bytes);
        Ok(())
    }

    /// The numbers of bytes.
    pub(super) fn unpack(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
        let result = cx.old(id).result(0);
        let ty = scalar_type(cx, result);
        let (width, holder) = held(ty);
        let bytes = cx.all(source).to_vec();
        let mut numbers = Vec::new();
        if width < 8 {
            for byte in bytes {
                for shift in (0..8).step_by(width as usize) {
                    let bits = shifted_right(cx, byte, shift, I8);
                    numbers.push(of_bits(cx, bits, ty));
                }
            }
        } else {
            for chunk in bytes.chunks(width as usize / 8) {
                let wide: Vec<Value> = chunk.iter().map(|&byte| resized(cx, byte, I8, holder)).collect();
                let bits = joined(cx, &wide, 8, holder);
                numbers.extend(bits.map(|bits| of_bits(cx, bits, ty)));
            }
        }
        cx.bind(result, numbers);
        Ok(())
    }
}

/// The bits of a number in packed bytes, and the integer that they are computed in.
fn held(ty: ScalarType) -> (u32, ScalarType) {
    match ty {
        ScalarType::I1 => (1, I8),
        ScalarType::I4 | ScalarType::F4E2M1FN => (4, I8),
        ScalarType::I8
        | ScalarType::F8E4M3FN
        | ScalarType::F8E5M2
        | ScalarType::F8E8M0FNU
        | ScalarType::F8E5M3FNU => (8, I8),
        ScalarType::I16 | ScalarType::F16 | ScalarType::BF16 => (16, ScalarType::I16),
        ScalarType::I32 | ScalarType::F32 | ScalarType::TF32 => (32, ScalarType::I32),
        ScalarType::I64 | ScalarType::F64 => (64, ScalarType::I64),
    }
}

/// The bits of a number, zero-extended.
fn bits_of(cx: &mut Cx<'_>, number: Value, ty: ScalarType) -> Value {
    match ty {
        // Memory has a tf32 as the f32 of its value.
        ScalarType::TF32 => {
            let wide = converted(cx, number, ScalarType::F32);
            bitcast(cx, wide, ScalarType::I32)
        }
        ScalarType::I1 | ScalarType::I4 => resized(cx, number, ty, I8),
        _ if ty.is_int() => number,
        _ => bitcast(cx, number, held(ty).1),
    }
}

/// The number of the low bits.
fn of_bits(cx: &mut Cx<'_>, bits: Value, ty: ScalarType) -> Value {
    match ty {
        // The low bits of a tf32 are dropped.
        ScalarType::TF32 => {
            let bits = masked(cx, bits, 0xFFFF_E000, ScalarType::I32);
            let number = bitcast(cx, bits, ScalarType::F32);
            converted(cx, number, ty)
        }
        ScalarType::I1 | ScalarType::I4 => resized(cx, bits, I8, ty),
        _ if ty.is_int() => bits,
        _ => bitcast(cx, bits, ty),
    }
}

fn bitcast(cx: &mut Cx<'_>, source: Value, to: ScalarType) -> Value {
    cx.value(CastOp::Bitcast { source }, TileType::scalar(to))
}

/// A float that the type has, in that type.
fn converted(cx: &mut Cx<'_>, from: Value, to: ScalarType) -> Value {
    let rounding_mode = RoundingMode::NearestEven;
    cx.value(CastOp::FToF { from, rounding_mode }, TileType::scalar(to))
}

/// An integer, zero-extended or truncated.
fn resized(cx: &mut Cx<'_>, from: Value, ty: ScalarType, to: ScalarType) -> Value {
    let (signedness, overflow) = (Signedness::Unsigned, IntegerOverflow::None);
    match ty.bits().cmp(&to.bits()) {
        std::cmp::Ordering::Less => cx.value(CastOp::ExtI { from, signedness }, TileType::scalar(to)),
        std::cmp::Ordering::Equal => from,
        std::cmp::Ordering::Greater => cx.value(CastOp::TruncI { from, overflow }, TileType::scalar(to)),
    }
}

fn masked(cx: &mut Cx<'_>, lhs: Value, mask: u64, ty: ScalarType) -> Value {
    let rhs = number(cx, ty, mask);
    cx.value(IntOp::AndI { lhs, rhs }, TileType::scalar(ty))
}

fn either(cx: &mut Cx<'_>, lhs: Value, rhs: Value, ty: ScalarType) -> Value {
    cx.value(IntOp::OrI { lhs, rhs }, TileType::scalar(ty))
}

fn shifted_right(cx: &mut Cx<'_>, lhs: Value, by: u32, ty: ScalarType) -> Value {
    if by == 0 {
        return lhs;
    }
    let (rhs, signedness) = (number(cx, ty, by.into()), Signedness::Unsigned);
    cx.value(IntOp::ShrI { lhs, rhs, signedness }, TileType::scalar(ty))
}

fn shifted_left(cx: &mut Cx<'_>, lhs: Value, by: u32, ty: ScalarType) -> Value {
    if by == 0 {
        return lhs;
    }
    let (rhs, overflow) = (number(cx, ty, by.into()), IntegerOverflow::None);
    cx.value(IntOp::ShlI { lhs, rhs, overflow }, TileType::scalar(ty))
}

/// The disjunction of shifted integers, the first one in the low bits; `None` without any.
fn joined(cx: &mut Cx<'_>, parts: &[Value], step: u32, ty: ScalarType) -> Option<Value> {
    let mut all = None;
    for (shift, &part) in (0..).step_by(step as usize).zip(parts) {
        let part = shifted_left(cx, part, shift, ty);
        all = Some(match all {
            None => part,
            Some(all) => either(cx, all, part, ty),
        });
    }
    all
}
