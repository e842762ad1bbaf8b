//! Rules of `assume`.

use tilewright_diagnostics::{Code, counted};

use super::Check;
use super::check::RESULT;
use crate::cuda_tile::attrs::Predicate;
use crate::cuda_tile::ops::{ShapeOp, TileOp};
use crate::cuda_tile::types::{Element, Tile, TileType};

/// `assume`: the predicate matches the type of the value.
pub(in crate::cuda_tile) fn assume(check: &mut Check<'_>) {
    let TileOp::Shape(ShapeOp::Assume { value, predicate }) = &check.op.kind else {
        return;
    };
    let ty = check.ty(*value);
    if let Some(result) = check.result() {
        check.same_type(RESULT, result, check.part("value"), ty);
    }
    let refused = match predicate {
        Predicate::DivBy {
            divisor,
            every,
            along,
        } => divisible(ty, *divisor, *every, *along),
        Predicate::SameElements(groups) => same_elements(ty, groups),
        Predicate::Bounded { lower, upper } => bounded(ty, *lower, *upper),
    };
    if let Err((of, code, message)) = refused {
        let part = match of {
            Of::Value => check.part("value"),
            Of::Predicate => check.part("predicate"),
            Of::Entry(entry) => check.entry("predicate", entry),
        };
        check.error_at(part, code, message);
    }
}

/// What does not match: the value, the predicate, or one of its numbers, in the order of their declaration.
enum Of {
    Value,
    Predicate,
    Entry(usize),
}

type Refused = Result<(), (Of, Code, String)>;

/// A tile of integers or pointers.
fn countable(ty: &TileType) -> Option<&Tile> {
    let tile = ty.as_tile()?;
    match tile.element {
        Element::Ptr(_) => Some(tile),
        Element::Scalar(scalar) => scalar.is_int().then_some(tile),
    }
}

fn divisible(ty: &TileType, divisor: u64, every: Option<i64>, along: Option<i64>) -> Refused {
    let wrong = |of, message| Err((of, Code::AttributeValue, message));
    let (its_divisor, its_every, its_along) = (Of::Entry(0), Of::Entry(1), Of::Entry(2));
    if !divisor.is_power_of_two() || divisor > 1 << 62 {
        return wrong(
            its_divisor,
            format!("div_by has the divisor {divisor}, expected a power of two from 1 to 2^62"),
        );
    }
    let tile = countable(ty);
    if tile.is_none() && ty.as_tensor_view().is_none() {
        let message = format!(
            "operand `value` is `{ty}`: div_by needs a tile of integers or pointers, or a tensor_view"
        );
        return Err((Of::Value, Code::OperandType, message));
    }
    let (every, along) = match (every, along) {
        (None, None) => return Ok(()),
        (Some(every), Some(along)) => (every, along),
        (Some(_), None) => {
            return wrong(its_every, "div_by has `every` without `along`".to_owned());
        }
        (None, Some(_)) => {
            return wrong(its_along, "div_by has `along` without `every`".to_owned());
        }
    };
    let Some(tile) = tile.filter(|tile| !tile.shape.is_empty()) else {
        return wrong(
            Of::Predicate,
            format!("div_by has `every` and `along`, but `{ty}` has no dimensions"),
        );
    };
    let Some(&extent) = usize::try_from(along)
        .ok()
        .and_then(|along| tile.shape.get(along))
    else {
        return wrong(
            its_along,
            format!(
                "div_by has `along` {along}, but `{ty}` has {}, counted from 0",
                counted(tile.shape.len(), "dimension")
            ),
        );
    };
    if !u64::try_from(every).is_ok_and(|every| every <= extent) {
        return wrong(
            its_every,
            format!("div_by has `every` {every}, expected 0 to {extent}, the extent of `{ty}`"),
        );
    }
    Ok(())
}

fn same_elements(ty: &TileType, groups: &[i64]) -> Refused {
    let Some(tile) = countable(ty) else {
        let message =
            format!("operand `value` is `{ty}`: same_elements needs a tile of integers or pointers");
        return Err((Of::Value, Code::OperandType, message));
    };
    if groups.len() != tile.shape.len() {
        let message = format!(
            "same_elements has {}, but `{ty}` has {}",
            counted(groups.len(), "entry"),
            counted(tile.shape.len(), "dimension")
        );
        return Err((Of::Predicate, Code::AttributeValue, message));
    }
    for (i, (&group, &extent)) in groups.iter().zip(tile.shape.iter()).enumerate() {
        if !u64::try_from(group).is_ok_and(|group| group <= extent) {
            let message = format!(
                "entry {i} of same_elements is {group}, expected 0 to {extent}, the extent of that dimension of `{ty}`"
            );
            return Err((Of::Entry(i), Code::AttributeValue, message));
        }
    }
    Ok(())
}

fn bounded(ty: &TileType, lower: Option<i64>, upper: Option<i64>) -> Refused {
    let integer = ty
        .as_tile()
        .and_then(|tile| tile.element.scalar())
        .filter(|s| s.is_int());
    let Some(scalar) = integer else {
        let message = format!("operand `value` is `{ty}`: bounded needs a tile of integers");
        return Err((Of::Value, Code::OperandType, message));
    };
    let (least, greatest) = (i64::MIN >> (64 - scalar.bits()), i64::MAX >> (64 - scalar.bits()));
    for (i, (what, bound)) in [("lower", lower), ("upper", upper)].into_iter().enumerate() {
        if let Some(bound) = bound
            && !(least..=greatest).contains(&bound)
        {
            let message =
                format!("bounded has the {what} bound {bound}, expected {least} to {greatest} for {scalar}");
            return Err((Of::Entry(i), Code::AttributeValue, message));
        }
    }
    match (lower, upper) {
        (Some(lower), Some(upper)) if lower > upper => {
            let message = format!("bounded has the lower bound {lower} above the upper bound {upper}");
            Err((Of::Predicate, Code::AttributeValue, message))
        }
        _ => Ok(()),
    }
}
