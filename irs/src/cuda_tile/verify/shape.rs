//! Rules of ops on whole tiles.

use tilewright_diagnostics::{Code, counted};

use super::Check;
use super::check::RESULT;
use crate::core::Part;
use crate::cuda_tile::ops::{ShapeOp, TileOp};
use crate::cuda_tile::type_rules::check_dense;
use crate::cuda_tile::types::Tile;
use crate::element::ScalarType as S;

/// `constant`: elements of the result's element type, in the right number.
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

/// `iota`: one dimension, and every number is representable.
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
            "the result is `{tile}`, expected an extent of at most {}: as many numbers have {}",
            1u64 << bits,
            counted(bits, "bit")
        );
        check.error_at(RESULT, Code::TypeMismatch, message);
    }
}

/// `reshape`: the same number of elements.
pub(in crate::cuda_tile) fn reshape(check: &mut Check<'_>) {
    let Some((source, result)) = ends(check) else {
        return;
    };
    check.same_element(RESULT, result, check.part("source"), source);
    let (have, wanted) = (result.shape.elements(), source.shape.elements());
    if have != wanted {
        let message = format!(
            "the result is `{result}` with {}, but operand `source` is `{source}` with {}: expected the same \
             number",
            counted(have.unwrap_or(u64::MAX), "element"),
            wanted.unwrap_or(u64::MAX)
        );
        check.error_at(RESULT, Code::TypeMismatch, message);
    }
}

/// `broadcast`: only extents of 1 change.
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
            let message = format!(
                "operand `source` is `{source}`, but the result is `{result}`: extent {i} is {from}, expected 1 or {to}"
            );
            check.error_at(check.part("source"), Code::TypeMismatch, message);
        }
    }
}

/// `permute`: a permutation of the dimensions.
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
            "attribute `permutation` has {}, expected {rank}, the rank of `{source}`",
            counted(permutation.len(), "entry")
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
                check.error_at(check.entry("permutation", i), Code::BadDimMap, message);
                return;
            }
            Some(true) => {
                let message =
                    format!("entry {i} of attribute `permutation` names dimension {dim} a second time");
                check.error_at(check.entry("permutation", i), Code::BadDimMap, message);
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

/// `cat`: concatenation along a dimension.
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
            format!(
                "attribute `dim` is {dim}, expected 0 to {}: `{lhs}` has {}",
                rank.saturating_sub(1),
                counted(rank, "dimension")
            ),
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
        if i != along && a != b {
            let message = format!(
                "operand `rhs` is `{rhs}`, but operand `lhs` is `{lhs}`, joined along dimension {dim}: extent {i} is \
                 {b}, expected {a}"
            );
            check.error_at(check.part("rhs"), Code::TypeMismatch, message);
        } else if c != wanted {
            let message = format!(
                "the result is `{result}`, but operand `lhs` is `{lhs}` and operand `rhs` is `{rhs}`, joined along dimension \
                 {dim}: extent {i} is {c}, expected {wanted}"
            );
            check.error_at(RESULT, Code::TypeMismatch, message);
        }
    }
}

/// Checks a part of a tile: extents that divide those of the whole, an index for each.
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
            "has {} `indices`, expected {} for `{whole}`",
            counted(indices, "operand"),
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

/// `select`: elementwise selection.
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
                format!("operand `val_if_true` is `{yes}`, expected elements other than f4E2M1FN"),
            );
        }
    }
}

/// The tile types of source and result.
fn ends<'a>(check: &Check<'a>) -> Option<(&'a Tile, &'a Tile)> {
    let &(_, source) = check.operands().first()?;
    Some((check.tile(source)?, check.result_tile()?))
}
