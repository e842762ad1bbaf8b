//! Rules of conversions beyond type constraints.

use tilewright_diagnostics::{Code, counted};

use super::Check;
use super::check::RESULT;
use crate::core::{Part, alternatives};
use crate::cuda_tile::enums::RoundingMode;
use crate::cuda_tile::ops::{CastOp, TileOp};
use crate::cuda_tile::types::Tile;
use crate::element::ScalarType;

/// The tile types of source and result.
fn ends<'a>(check: &Check<'a>) -> Option<(&'a Tile, &'a Tile)> {
    let &(_, source) = check.operands().first()?;
    Some((check.tile(source)?, check.result_tile()?))
}

/// `bitcast`: elements of one width.
pub(in crate::cuda_tile) fn bitcast(check: &mut Check<'_>) {
    let Some((source, result)) = ends(check) else {
        return;
    };
    check.same_shape(RESULT, result, check.part("source"), source);
    let (from, to) = (source.element.plain(), result.element.plain());
    // A 4-bit float is not convertible to any other 4-bit type.
    let f4 = |e: crate::element::ElementType| e.scalar() == Some(ScalarType::F4E2M1FN);
    if from.bits() != to.bits() || f4(from) != f4(to) {
        let message = format!(
            "the result is `{result}` with {} an element, but operand `source` is `{source}` with {}: expected as many",
            counted(to.bits(), "bit"),
            from.bits()
        );
        check.error_at(RESULT, Code::TypeMismatch, message);
    }
}

/// `exti`: to wider integers.
pub(in crate::cuda_tile) fn extension(check: &mut Check<'_>) {
    let Some((from, to)) = ends(check) else { return };
    if to.element.plain().bits() <= from.element.plain().bits() {
        let message =
            format!("the result is `{to}`, but operand `from` is `{from}`: expected wider elements");
        check.error_at(RESULT, Code::TypeMismatch, message);
    }
}

/// `trunci`: to narrower integers.
pub(in crate::cuda_tile) fn truncation(check: &mut Check<'_>) {
    let Some((from, to)) = ends(check) else { return };
    if to.element.plain().bits() >= from.element.plain().bits() {
        let message =
            format!("the result is `{to}`, but operand `from` is `{from}`: expected narrower elements");
        check.error_at(RESULT, Code::TypeMismatch, message);
    }
}

/// `itof`: integers cannot be rounded to powers of two.
pub(in crate::cuda_tile) fn int_to_float(check: &mut Check<'_>) {
    if let Some((_, to)) = ends(check)
        && to.element.scalar() == Some(ScalarType::F8E8M0FNU)
    {
        let message = format!("the result is `{to}`, expected a tile of floats other than f8E8M0FNU");
        check.error_at(RESULT, Code::OperandType, message);
    }
}

/// The rounding modes of a conversion between two float types.
fn modes(from: ScalarType, to: ScalarType) -> &'static [RoundingMode] {
    use RoundingMode::{NearestAway, NearestEven, NegativeInf, PositiveInf, Zero};
    use ScalarType as S;
    match to {
        S::F8E8M0FNU => return &[Zero, PositiveInf],
        S::F8E4M3FN | S::F8E5M2 | S::F4E2M1FN | S::F8E5M3FNU => return &[NearestEven],
        _ => {}
    }
    let fits = to.is_as_wide_as(from);
    // The smallest powers of two are subnormal in types with equally wide exponents.
    let inexact = matches!(
        (from, to),
        (S::F8E8M0FNU, S::BF16 | S::F32 | S::TF32) | (S::F8E5M3FNU, S::F16)
    );
    match (from, to) {
        _ if fits && !inexact => &[NearestEven, Zero, NegativeInf, PositiveInf, NearestAway],
        (S::F64, S::F32) => &[NearestEven, Zero, NegativeInf, PositiveInf],
        (S::F32, S::TF32) => &[NearestEven, Zero, NearestAway],
        _ => &[NearestEven, Zero],
    }
}

/// `ftof`: to another type, with a rounding mode that it supports.
pub(in crate::cuda_tile) fn float_to_float(check: &mut Check<'_>) {
    let TileOp::Cast(CastOp::FToF { rounding_mode, .. }) = check.op.kind else {
        return;
    };
    let Some((source, result)) = ends(check) else {
        return;
    };
    let (Some(from), Some(to)) = (source.element.scalar(), result.element.scalar()) else {
        return;
    };
    if from == to {
        let message = format!(
            "the result is `{result}`, but operand `from` is `{source}`: expected another element type"
        );
        check.error_at(RESULT, Code::TypeMismatch, message);
        return;
    }
    let modes = modes(from, to);
    if !modes.contains(&rounding_mode) {
        let words: Vec<_> = modes.iter().map(|mode| mode.word()).collect();
        let message = format!(
            "attribute `rounding_mode` is {rounding_mode}, but {from} to {to} takes {}",
            alternatives(&words)
        );
        check.error_at(check.part("rounding_mode"), Code::AttributeValue, message);
    }
}

/// Bits of an element in packed bytes.
fn packed_bits(ty: ScalarType) -> u64 {
    match ty {
        ScalarType::TF32 => 32,
        other => other.bits().into(),
    }
}

fn repack(check: &mut Check<'_>, (numbers_are, numbers): (Part, &Tile), (bytes_are, bytes): (Part, &Tile)) {
    for (part, tile) in [(numbers_are, numbers), (bytes_are, bytes)] {
        if tile.shape.len() != 1 {
            let message = format!(
                "{} is `{tile}` with {} dimensions, expected one: `source` and `result` have rank 1",
                check.noun(part),
                tile.shape.len()
            );
            check.error_at(part, Code::RankMismatch, message);
            return;
        }
    }
    let Some(element) = numbers.element.scalar() else {
        return;
    };
    if element.bits() == 8 {
        let message = format!(
            "{} is `{numbers}`, expected elements of more or less than 8 bits: `bitcast` converts those of 8",
            check.noun(numbers_are)
        );
        check.error_at(numbers_are, Code::OperandType, message);
        return;
    }
    let bits = numbers
        .shape
        .elements()
        .map(|n| n.saturating_mul(packed_bits(element)));
    let have = bytes.shape.elements().map(|n| n.saturating_mul(8));
    if bits != have {
        let message = format!(
            "{} is `{numbers}` with {}, but {} is `{bytes}` with {}",
            check.noun(numbers_are),
            counted(bits.map_or(u64::MAX, |bits| bits.div_ceil(8)), "byte"),
            check.noun(bytes_are),
            have.map_or(u64::MAX, |bits| bits / 8)
        );
        check.error_at(numbers_are, Code::TypeMismatch, message);
    }
}

/// `pack`: the same size in bytes.
pub(in crate::cuda_tile) fn pack(check: &mut Check<'_>) {
    if let Some((source, result)) = ends(check) {
        let from = check.part("source");
        repack(check, (from, source), (RESULT, result));
    }
}

/// `unpack`: the same size in bytes.
pub(in crate::cuda_tile) fn unpack(check: &mut Check<'_>) {
    if let Some((source, result)) = ends(check) {
        let from = check.part("source");
        repack(check, (RESULT, result), (from, source));
    }
}
