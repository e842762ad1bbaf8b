//! What ops on whole tiles ask for.

use tilewright_diagnostics::Code;

use super::Check;
use super::check::RESULT;
use crate::core::Part;
use crate::cuda_tile::attrs::Predicate;
use crate::cuda_tile::ops::{ShapeOp, TileOp};
use crate::cuda_tile::type_rules::check_dense;
use crate::cuda_tile::types::{Element, Tile, TileType};
use crate::element::ScalarType as S;

/// `constant`: elements of the result's type, as many as it holds.
pub(in crate::cuda_tile) fn constant(check: &mut Check<'_>) {
    let TileOp::Shape(ShapeOp::Constant { value }) = &check.op.kind else {
        return;
    };
    if let Some(tile) = check.result_tile()
        && let Err((code, message)) = check_dense(tile, value)
    {
        check.error_at(check.part("value"), code, message);
    }
}

/// `iota`: one dimension, and every number fits.
pub(in crate::cuda_tile) fn iota(check: &mut Check<'_>) {
    let Some(tile) = check.result_tile() else { return };
    let [extent] = &*tile.shape else {
        let message = format!(
            "the result is `{tile}`, expected one dimension, not {}",
            tile.shape.len()
        );
        check.error_at(RESULT, Code::RankMismatch, message);
        return;
    };
    let bits = tile.element.plain().bits();
    if bits < 63 && *extent > 1 << bits {
        let message = format!(
            "the result is `{tile}`, but {bits} bits count only to {}",
            1u64 << bits
        );
        check.error_at(RESULT, Code::TypeMismatch, message);
    }
}

/// `reshape`: the same elements.
pub(in crate::cuda_tile) fn reshape(check: &mut Check<'_>) {
    let Some((source, result)) = ends(check) else {
        return;
    };
    check.same_element(RESULT, result, check.part("source"), source);
    let (have, wanted) = (result.shape.elements(), source.shape.elements());
    if have != wanted {
        let message = format!(
            "reshapes `{source}` with {} elements to the result `{result}` with {}",
            wanted.unwrap_or(u64::MAX),
            have.unwrap_or(u64::MAX)
        );
        check.error_at(RESULT, Code::TypeMismatch, message);
    }
}

/// `broadcast`: extents of 1 become any.
pub(in crate::cuda_tile) fn broadcast(check: &mut Check<'_>) {
    let Some((source, result)) = ends(check) else {
        return;
    };
    check.same_element(RESULT, result, check.part("source"), source);
    if !check.same_rank(RESULT, result, check.part("source"), source) {
        return;
    }
    for (i, (&from, &to)) in source.shape.iter().zip(result.shape.iter()).enumerate() {
        if from != to && from != 1 {
            let message =
                format!("extent {i} of `{source}` is {from}, expected 1 or {to} to become `{result}`");
            check.error_at(RESULT, Code::TypeMismatch, message);
        }
    }
}

/// `permute`: the dimensions in another order.
pub(in crate::cuda_tile) fn permute(check: &mut Check<'_>) {
    let TileOp::Shape(ShapeOp::Permute { permutation, .. }) = &check.op.kind else {
        return;
    };
    let Some((source, result)) = ends(check) else {
        return;
    };
    check.same_element(RESULT, result, check.part("source"), source);
    if !check.same_rank(RESULT, result, check.part("source"), source) {
        return;
    }
    let rank = source.shape.len();
    if rank < 2 {
        let message =
            format!("operand `source` is `{source}` of rank {rank}, expected at least 2 dimensions");
        check.error_at(check.part("source"), Code::RankMismatch, message);
        return;
    }
    if permutation.len() != rank {
        let message = format!(
            "attribute `permutation` has {} entries, expected {rank}, the rank of `{source}`",
            permutation.len()
        );
        check.error_at(check.part("permutation"), Code::BadDimMap, message);
        return;
    }
    let mut seen = vec![false; rank];
    for (i, &dim) in permutation.iter().enumerate() {
        match usize::try_from(dim).ok().and_then(|dim| seen.get_mut(dim)) {
            None => {
                let message = format!(
                    "entry {i} of attribute `permutation` is {dim}, expected 0 to {}",
                    rank - 1
                );
                check.error_at(check.part("permutation"), Code::BadDimMap, message);
                return;
            }
            Some(true) => {
                let message =
                    format!("entry {i} of attribute `permutation` names dimension {dim} a second time");
                check.error_at(check.part("permutation"), Code::BadDimMap, message);
                return;
            }
            Some(fresh) => *fresh = true,
        }
    }
    for (i, &dim) in permutation.iter().enumerate() {
        let wanted = usize::try_from(dim).ok().and_then(|dim| source.shape.get(dim));
        if result.shape.get(i) != wanted {
            let message = format!(
                "extent {i} of the result `{result}` must be extent {dim} of `{source}`, which is {}",
                wanted.copied().unwrap_or(0)
            );
            check.error_at(RESULT, Code::TypeMismatch, message);
        }
    }
}

/// `cat`: one after the other along a dimension.
pub(in crate::cuda_tile) fn cat(check: &mut Check<'_>) {
    let TileOp::Shape(ShapeOp::Cat { lhs, rhs, dim }) = check.op.kind else {
        return;
    };
    let (Some(lhs), Some(rhs), Some(result)) = (check.tile(lhs), check.tile(rhs), check.result_tile()) else {
        return;
    };
    let mut ranks = true;
    let first = check.part("lhs");
    for (part, tile) in [(check.part("rhs"), rhs), (RESULT, result)] {
        check.same_element(part, tile, first, lhs);
        ranks &= check.same_rank(part, tile, first, lhs);
    }
    if !ranks {
        return;
    }
    let rank = lhs.shape.len();
    let Some(along) = usize::try_from(dim).ok().filter(|&along| along < rank) else {
        check.error_at(
            check.part("dim"),
            Code::AttributeValue,
            format!("attribute `dim` is {dim}, but there are {rank} dimensions"),
        );
        return;
    };
    for (i, ((&a, &b), &c)) in lhs
        .shape
        .iter()
        .zip(rhs.shape.iter())
        .zip(result.shape.iter())
        .enumerate()
    {
        let wanted = if i == along { a.saturating_add(b) } else { a };
        if c != wanted || i != along && a != b {
            let message = format!(
                "joins `{lhs}` and `{rhs}` along dimension {dim} to `{result}`: extent {i} is {c}, expected {wanted}"
            );
            check.error_at(RESULT, Code::TypeMismatch, message);
        }
    }
}

/// A tile cut out of a whole: extents that divide those of the whole, an index for each.
fn part(
    check: &mut Check<'_>,
    (part_is, part): (Part, &Tile),
    (whole_is, whole): (Part, &Tile),
    indices: usize,
) {
    check.same_element(part_is, part, whole_is, whole);
    if !check.same_rank(part_is, part, whole_is, whole) {
        return;
    }
    for (i, (&small, &large)) in part.shape.iter().zip(whole.shape.iter()).enumerate() {
        if small == 0 || large % small != 0 {
            let message = format!(
                "{} is `{part}`, but {} is `{whole}`: extent {i} is {small}, expected a divisor of {large}",
                check.noun(part_is),
                check.noun(whole_is)
            );
            check.error_at(part_is, Code::TypeMismatch, message);
        }
    }
    if indices != whole.shape.len() {
        let message = format!(
            "has {indices} operands `indices`, expected {} for `{whole}`",
            whole.shape.len()
        );
        check.error_at(check.part("indices"), Code::OperandCount, message);
    }
}

/// `extract`
pub(in crate::cuda_tile) fn extract(check: &mut Check<'_>) {
    let TileOp::Shape(ShapeOp::Extract { indices, .. }) = &check.op.kind else {
        return;
    };
    let Some((source, result)) = ends(check) else {
        return;
    };
    let from = check.part("source");
    part(check, (RESULT, result), (from, source), indices.len());
}

/// `insert`
pub(in crate::cuda_tile) fn insert(check: &mut Check<'_>) {
    let TileOp::Shape(ShapeOp::Insert {
        source,
        destination,
        indices,
    }) = &check.op.kind
    else {
        return;
    };
    if let Some(result) = check.result() {
        check.same_type(RESULT, result, check.part("destination"), check.ty(*destination));
    }
    if let (Some(source), Some(whole)) = (check.tile(*source), check.tile(*destination)) {
        let (from, to) = (check.part("source"), check.part("destination"));
        part(check, (from, source), (to, whole), indices.len());
    }
}

/// `select`: a choice for each element.
pub(in crate::cuda_tile) fn select(check: &mut Check<'_>) {
    let TileOp::Shape(ShapeOp::Select {
        cond,
        val_if_true,
        val_if_false,
    }) = check.op.kind
    else {
        return;
    };
    let yes = check.ty(val_if_true);
    let first = check.part("val_if_true");
    check.same_type(check.part("val_if_false"), check.ty(val_if_false), first, yes);
    if let Some(result) = check.result() {
        check.same_type(RESULT, result, first, yes);
    }
    if let (Some(cond), Some(yes)) = (check.tile(cond), check.tile(val_if_true)) {
        check.same_shape(check.part("cond"), cond, first, yes);
        if yes.element.scalar() == Some(S::F4E2M1FN) {
            check.error_at(
                first,
                Code::OperandType,
                format!("chooses between `{yes}`: f4E2M1FN cannot be selected"),
            );
        }
    }
}

/// `assume`: a predicate that fits the value.
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
    if let Err((code, message)) = refused {
        let name = if code == Code::OperandType {
            "value"
        } else {
            "predicate"
        };
        check.error_at(check.part(name), code, message);
    }
}

type Refused = Result<(), (Code, String)>;

/// A tile of integers or pointers.
fn countable(ty: &TileType) -> Option<&Tile> {
    let tile = ty.as_tile()?;
    match tile.element {
        Element::Ptr(_) => Some(tile),
        Element::Scalar(scalar) => scalar.is_int().then_some(tile),
    }
}

fn divisible(ty: &TileType, divisor: u64, every: Option<i64>, along: Option<i64>) -> Refused {
    let value = |message| Err((Code::AttributeValue, message));
    if !divisor.is_power_of_two() || divisor > 1 << 62 {
        return value(format!(
            "div_by has the divisor {divisor}, expected a power of two from 1 to 2^62"
        ));
    }
    let tile = countable(ty);
    if tile.is_none() && ty.as_tensor_view().is_none() {
        let message = format!(
            "operand `value` is `{ty}`: div_by needs a tile of integers or pointers, or a tensor_view"
        );
        return Err((Code::OperandType, message));
    }
    let (every, along) = match (every, along) {
        (None, None) => return Ok(()),
        (Some(every), Some(along)) => (every, along),
        (Some(_), None) => return value("div_by has `every` without `along`".to_owned()),
        (None, Some(_)) => return value("div_by has `along` without `every`".to_owned()),
    };
    let Some(tile) = tile.filter(|tile| !tile.shape.is_empty()) else {
        return value(format!(
            "div_by has `every` and `along`, but `{ty}` has no dimensions"
        ));
    };
    let Some(&extent) = usize::try_from(along)
        .ok()
        .and_then(|along| tile.shape.get(along))
    else {
        return value(format!(
            "div_by has `along` {along}, but `{ty}` has {} dimensions, counted from 0",
            tile.shape.len()
        ));
    };
    if !u64::try_from(every).is_ok_and(|every| every <= extent) {
        return value(format!(
            "div_by has `every` {every}, expected 0 to {extent}, the extent of `{ty}`"
        ));
    }
    Ok(())
}

fn same_elements(ty: &TileType, groups: &[i64]) -> Refused {
    let Some(tile) = countable(ty) else {
        let message =
            format!("operand `value` is `{ty}`: same_elements needs a tile of integers or pointers");
        return Err((Code::OperandType, message));
    };
    if groups.len() != tile.shape.len() {
        let message = format!(
            "same_elements has {} entries, but `{ty}` has {} dimensions",
            groups.len(),
            tile.shape.len()
        );
        return Err((Code::AttributeValue, message));
    }
    for (i, (&group, &extent)) in groups.iter().zip(tile.shape.iter()).enumerate() {
        if !u64::try_from(group).is_ok_and(|group| group <= extent) {
            let message = format!(
                "entry {i} of same_elements is {group}, expected 0 to {extent}, the extent of that dimension of `{ty}`"
            );
            return Err((Code::AttributeValue, message));
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
        return Err((Code::OperandType, message));
    };
    let (least, greatest) = (i64::MIN >> (64 - scalar.bits()), i64::MAX >> (64 - scalar.bits()));
    for (what, bound) in [("lower", lower), ("upper", upper)] {
        if let Some(bound) = bound
            && !(least..=greatest).contains(&bound)
        {
            let message =
                format!("bounded has the {what} bound {bound}, expected {least} to {greatest} for {scalar}");
            return Err((Code::AttributeValue, message));
        }
    }
    match (lower, upper) {
        (Some(lower), Some(upper)) if lower > upper => {
            let message = format!("bounded has the lower bound {lower} above the upper bound {upper}");
            Err((Code::AttributeValue, message))
        }
        _ => Ok(()),
    }
}

/// The source's and the result's tile.
fn ends<'a>(check: &Check<'a>) -> Option<(&'a Tile, &'a Tile)> {
    let &(_, source) = check.operands().first()?;
    Some((check.tile(source)?, check.result_tile()?))
}
