//! The bits of a value as a value of another type.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Origin, Value, ValueType as _};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::element::{ElementType, ScalarType};

use super::inline_ptx::{as_bits, integer, packed, unpacked};
use super::instructions::of;
use super::state::Cx;
use crate::leaf_arithmetic::constant;

/// The bits of the narrowest elements; PTX packs only wider ones.
const BYTE: u32 = 8;

/// The bits of a number or a vector as a value of type `ty`: several narrow elements are a wide one, the first of them lowest.
/// `None` if `ty` has more or fewer bits, or elements that are no whole bytes.
///
/// # Errors
/// Elements that no register holds side by side.
pub(super) fn recast(
    cx: &mut Cx<'_>,
    source: Value,
    ty: &DesugaredType,
) -> Result<Option<Value>, Diagnostic<Origin>> {
    let from = cx.ty(source).clone();
    let element = |ty: &DesugaredType| ty.element().and_then(ElementType::scalar);
    let (Some(own), Some(to)) = (element(&from), element(ty)) else {
        return Ok(None);
    };
    let is_vector = |ty: &DesugaredType| matches!(ty, DesugaredType::Fragment(..));
    if from == *ty {
        return Ok(Some(source));
    }
    if from.count() == ty.count() && is_vector(&from) == is_vector(ty) {
        return Ok(Some(cx.value(ArithOp::Bitcast { source }, ty.clone())));
    }
    let bits_of = |ty: ScalarType| integer(ty.bits()).filter(|bits| bits.bits() >= BYTE);
    let (Some(own_bits), Some(to_bits)) = (bits_of(own), bits_of(to)) else {
        return Ok(None);
    };
    if from.count() * own.bits() != ty.count() * to.bits() {
        return Ok(None);
    }
    let parts: Vec<Value> = match from {
        DesugaredType::Fragment(count, _) => (0..count)
            .map(|index| cx.value(FragmentOp::Extract { source, index }, of(own)))
            .collect(),
        _ => vec![source],
    };
    let mut elements = Vec::new();
    match to.bits().checked_div(own.bits()) {
        Some(0) | None => {
            for part in parts {
                elements.extend(apart(cx, part, own_bits, to)?);
            }
        }
        Some(count) => {
            for parts in parts.chunks(count as usize) {
                let whole = together(cx, parts, own, to_bits)?;
                elements.push(as_bits(cx, whole, to));
            }
        }
    }
    Ok(Some(match (ty, elements.as_slice()) {
        (DesugaredType::Fragment(..), _) | (_, []) => cx.value(FragmentOp::Make { elements }, ty.clone()),
        (_, [first, ..]) => *first,
    }))
}

/// Elements side by side in an integer of type `whole`; one alone as it is.
fn together(
    cx: &mut Cx<'_>,
    parts: &[Value],
    own: ScalarType,
    whole: ScalarType,
) -> Result<Value, Diagnostic<Origin>> {
    match (parts, own.bits()) {
        ([part], _) => Ok(*part),
        (_, BYTE) => Ok(of_bytes(cx, parts, whole)),
        _ => {
            let count = u32::try_from(parts.len()).unwrap_or(0);
            let ty = DesugaredType::Fragment(count, ElementType::Scalar(own));
            let elements = parts.to_vec();
            let source = cx.value(FragmentOp::Make { elements }, ty);
            packed(cx, source, count, own)
        }
    }
}

/// The elements that one is, whose bits are an integer of type `whole`; the lowest first.
fn apart(
    cx: &mut Cx<'_>,
    part: Value,
    whole: ScalarType,
    to: ScalarType,
) -> Result<Vec<Value>, Diagnostic<Origin>> {
    let part = as_bits(cx, part, whole);
    let count = whole.bits() / to.bits();
    if to.bits() == BYTE {
        return Ok(bytes(cx, part, whole, count, to));
    }
    let source = unpacked(cx, part, count, to)?;
    let element = |cx: &mut Cx<'_>, index| cx.value(FragmentOp::Extract { source, index }, of(to));
    Ok((0..count).map(|index| element(cx, index)).collect())
}

/// The integer that bytes are together, the first one lowest.
fn of_bytes(cx: &mut Cx<'_>, parts: &[Value], whole: ScalarType) -> Value {
    let mut sum = constant(cx, whole, 0);
    for (at, &byte) in (0i64..).zip(parts) {
        let source = as_bits(cx, byte, ScalarType::I8);
        let signedness = Signedness::Unsigned;
        let lhs = cx.value(ArithOp::ExtI { source, signedness }, of(whole));
        let rhs = constant(cx, whole, 8 * at);
        let overflow = Overflow::Wraps;
        let rhs = cx.value(ArithOp::ShlI { lhs, rhs, overflow }, of(whole));
        sum = cx.value(ArithOp::OrI { lhs: sum, rhs }, of(whole));
    }
    sum
}

/// The bytes of an integer, the lowest one first.
fn bytes(cx: &mut Cx<'_>, lhs: Value, whole: ScalarType, count: u32, to: ScalarType) -> Vec<Value> {
    let mut found = Vec::new();
    for index in 0..count {
        let source = match index {
            0 => lhs,
            _ => {
                let rhs = constant(cx, whole, i64::from(8 * index));
                let signedness = Signedness::Unsigned;
                cx.value(ArithOp::ShrI { lhs, rhs, signedness }, of(whole))
            }
        };
        let byte = cx.value(ArithOp::TruncI { source }, of(ScalarType::I8));
        found.push(as_bits(cx, byte, to));
    }
    found
}
