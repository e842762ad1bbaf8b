//! Rules shared by several ops, named by their declarations.

use tilewright_diagnostics::Code;

use super::Check;
use super::check::RESULT;
use crate::cuda_tile::enums::{MemoryOrdering, PtrAttr, RoundingMode};
use crate::cuda_tile::fields::FieldRef;
use crate::cuda_tile::types::{Element, TileType};
use crate::element::ScalarType;

/// All operands but tokens, and all results, have the same type.
pub(in crate::cuda_tile) fn same_types(check: &mut Check<'_>) {
    let operands = check.operands();
    let Some(&(first, value)) = operands.first() else {
        return;
    };
    let wanted = check.ty(value);
    for (part, value) in operands.into_iter().skip(1) {
        check.same_type(part, check.ty(value), first, wanted);
    }
    for ty in check.result_types() {
        check.same_type(RESULT, ty, first, wanted);
    }
}

/// The operand and the result have the same shape.
pub(in crate::cuda_tile) fn same_shapes(check: &mut Check<'_>) {
    let Some(&(part, value)) = check.operands().first() else {
        return;
    };
    if let (Some(source), Some(result)) = (check.tile(value), check.result_tile()) {
        check.same_shape(RESULT, result, part, source);
    }
}

/// Two operands of the same type give Booleans in their shape.
pub(in crate::cuda_tile) fn compare(check: &mut Check<'_>) {
    let operands = check.operands();
    let &[(first, lhs), (second, rhs)] = operands.as_slice() else {
        return;
    };
    check.same_type(second, check.ty(rhs), first, check.ty(lhs));
    if let (Some(lhs), Some(result)) = (check.tile(lhs), check.result_tile()) {
        check.same_shape(RESULT, result, first, lhs);
    }
}

fn result_is_f32(check: &Check<'_>) -> bool {
    check
        .result_tile()
        .is_some_and(|tile| tile.element == Element::Scalar(ScalarType::F32))
}

/// Subnormals can be flushed to zero in f32 only.
pub(in crate::cuda_tile) fn flush_needs_f32(check: &mut Check<'_>) {
    if let (Some(FieldRef::Flag(true)), Some(ty)) = (check.field("flush_to_zero"), check.result())
        && !result_is_f32(check)
    {
        check.error_at(
            check.part("flush_to_zero"),
            Code::AttributeValue,
            format!("attribute `flush_to_zero` needs f32 elements, but the type is `{ty}`"),
        );
    }
}

fn rounding_needs_f32(check: &mut Check<'_>, modes: &[RoundingMode]) {
    if let (Some(code), Some(ty)) = (check.case("rounding_mode"), check.result())
        && let Some(mode) = RoundingMode::from_code(code)
        && modes.contains(&mode)
        && !result_is_f32(check)
    {
        check.error_at(
            check.part("rounding_mode"),
            Code::AttributeValue,
            format!("attribute `rounding_mode` is {mode}, which needs f32 elements, but the type is `{ty}`"),
        );
    }
}

/// Approximations exist for f32 only.
pub(in crate::cuda_tile) fn approx_needs_f32(check: &mut Check<'_>) {
    rounding_needs_f32(check, &[RoundingMode::Approx]);
}

/// Approximations, `full` included, exist for f32 only.
pub(in crate::cuda_tile) fn approx_and_full_need_f32(check: &mut Check<'_>) {
    rounding_needs_f32(check, &[RoundingMode::Approx, RoundingMode::Full]);
}

/// A weak access has no scope, every other one has one.
pub(in crate::cuda_tile) fn ordering_and_scope(check: &mut Check<'_>) {
    let ordering = check.case("ordering").and_then(MemoryOrdering::from_code);
    let (Some(ordering), Some(FieldRef::Attr(scope))) = (ordering, check.field("scope")) else {
        return;
    };
    match (ordering == MemoryOrdering::Weak, scope) {
        (true, Some(_)) => check.error_at(
            check.part("scope"),
            Code::AttributeValue,
            "attribute `scope` is given, but a weak access has none",
        ),
        (false, None) => check.error_at(
            check.part("ordering"),
            Code::MissingAttribute,
            format!("attribute `scope` is missing: the ordering is {ordering}"),
        ),
        (true, None) | (false, Some(_)) => {}
    }
}

/// Addresses of multicast mappings are allowed in multimem ops only.
pub(in crate::cuda_tile) fn no_multicast(check: &mut Check<'_>) {
    for (part, value) in check.operands() {
        let attr = match check.ty(value) {
            TileType::Tile(tile) => tile.element.pointer().and_then(|pointer| pointer.attr),
            other => other.as_view().and_then(|view| view.tensor.attr),
        };
        if attr == Some(PtrAttr::Multicast) {
            let message = format!(
                "{} is `{}`; only multimem ops take multicast addresses",
                check.noun(part),
                check.ty(value)
            );
            check.error_at(part, Code::OperandType, message);
        }
    }
}
