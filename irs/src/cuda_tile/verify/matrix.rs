//! Rules of matrix products.

use tilewright_diagnostics::Code;

use super::Check;
use super::check::RESULT;
use crate::cuda_tile::ops::{ShapeOp, TileOp};
use crate::cuda_tile::types::Tile;
use crate::element::ScalarType as S;

/// The tiles of `lhs`, `rhs` and `acc`.
fn operands<'a>(check: &Check<'a>) -> Option<[&'a Tile; 3]> {
    let operands = check.operands();
    let tile = |i: usize| check.tile(operands.get(i)?.1);
    Some([tile(0)?, tile(1)?, tile(2)?])
}

/// Matching extents: `MxK` times `KxN` gives `MxN`, optionally with a leading batch dimension.
pub(in crate::cuda_tile) fn product(check: &mut Check<'_>) {
    let Some([lhs, rhs, acc]) = operands(check) else {
        return;
    };
    let ranks = [lhs.shape.len(), rhs.shape.len(), acc.shape.len()];
    if ranks != [2; 3] && ranks != [3; 3] {
        let message = format!(
            "takes `lhs` of `{lhs}`, `rhs` of `{rhs}` and `acc` of `{acc}` with {}, {} and {} dimensions: \
             expected 2 or 3 each",
            ranks[0], ranks[1], ranks[2]
        );
        // The first that is wrong by itself, or else unlike the first.
        let odd = ranks.iter().position(|rank| !matches!(rank, 2 | 3));
        let odd = odd.or_else(|| ranks.iter().position(|&rank| rank != ranks[0]));
        let part = match odd {
            Some(0) => "lhs",
            Some(1) => "rhs",
            _ => "acc",
        };
        check.error_at(check.part(part), Code::RankMismatch, message);
        return;
    }
    let last = ranks[0] - 1;
    // MxK by KxN into MxN, optionally with a leading batch dimension.
    let mut pairs = vec![
        (("rhs", rhs, last - 1), ("lhs", lhs, last)),
        (("acc", acc, last - 1), ("lhs", lhs, last - 1)),
        (("acc", acc, last), ("rhs", rhs, last)),
    ];
    if last == 2 {
        pairs.push((("rhs", rhs, 0), ("lhs", lhs, 0)));
        pairs.push((("acc", acc, 0), ("lhs", lhs, 0)));
    }
    for (one, other) in pairs {
        same_extent(check, one, other);
    }
    check.same_element(check.part("rhs"), rhs, check.part("lhs"), lhs);
    if let Some(result) = check.result_tile() {
        check.same_shape(RESULT, result, check.part("acc"), acc);
        check.same_element(RESULT, result, check.part("acc"), acc);
    }
}

/// Reports unless two operands agree in an extent.
fn same_extent(check: &mut Check<'_>, one: (&str, &Tile, usize), other: (&str, &Tile, usize)) {
    let ((a, first, i), (b, second, j)) = (one, other);
    if let (Some(n), Some(m)) = (first.shape.get(i), second.shape.get(j))
        && n != m
    {
        let message = format!(
            "operand `{b}` is `{second}` and operand `{a}` is `{first}`: dimension {j} of `{b}` is {m}, but \
             dimension {i} of `{a}` is {n}"
        );
        check.error_at(check.part(a), Code::TypeMismatch, message);
    }
}

/// `mmaf`: valid combinations of element types.
pub(in crate::cuda_tile) fn float_types(check: &mut Check<'_>) {
    let Some([lhs, _, acc]) = operands(check) else {
        return;
    };
    let (Some(from), Some(to)) = (lhs.element.scalar(), acc.element.scalar()) else {
        return;
    };
    let (allowed, expected) = match from {
        S::F16 | S::F8E4M3FN | S::F8E5M2 => (matches!(to, S::F16 | S::F32), "f16 or f32"),
        S::BF16 | S::TF32 | S::F32 => (to == S::F32, "f32"),
        S::F64 => (to == S::F64, "f64"),
        _ => (false, "other operands"),
    };
    if !allowed {
        let message = format!(
            "operand `acc` is `{acc}`, but operand `lhs` is `{lhs}`: products of {from} are accumulated in {expected}, \
             not in {to}"
        );
        check.error_at(check.part("acc"), Code::OperandType, message);
    }
}

/// `mmaf_scaled`: one scale for each block of `V` elements along `K`.
pub(in crate::cuda_tile) fn scales(check: &mut Check<'_>) {
    let TileOp::Shape(ShapeOp::MmaFScaled {
        lhs,
        rhs,
        acc,
        lhs_scale,
        rhs_scale,
        ..
    }) = check.op.kind
    else {
        return;
    };
    let tiles = [lhs, rhs, lhs_scale, rhs_scale].map(|v| check.tile(v));
    let [Some(lhs), Some(rhs), Some(lhs_scale), Some(rhs_scale)] = tiles else {
        return;
    };
    let rank = lhs.shape.len();
    if !matches!(rank, 2 | 3)
        || rank != rhs.shape.len()
        || check.tile(acc).is_none_or(|acc| acc.shape.len() != rank)
    {
        // `product` has reported it.
        return;
    }
    let (lhs_scales, rhs_scales) = (check.part("lhs_scale"), check.part("rhs_scale"));
    let lhs_ranks = check.same_rank(lhs_scales, lhs_scale, check.part("lhs"), lhs);
    let rhs_ranks = check.same_rank(rhs_scales, rhs_scale, check.part("rhs"), rhs);
    check.same_element(rhs_scales, rhs_scale, lhs_scales, lhs_scale);
    if !lhs_ranks || !rhs_ranks {
        return;
    }
    let ([.., k], [.., sk]) = (&*lhs.shape, &*lhs_scale.shape) else {
        return;
    };
    let Some(last) = lhs.shape.len().checked_sub(1).filter(|last| *last > 0) else {
        return;
    };
    // Rows of `lhs`, columns of `rhs`, and the leading batch dimension, if any.
    let before = check.problems.list.len();
    for i in 0..last {
        same_extent(check, ("lhs_scale", lhs_scale, i), ("lhs", lhs, i));
    }
    for i in (0..last - 1).chain([last]) {
        same_extent(check, ("rhs_scale", rhs_scale, i), ("rhs", rhs, i));
    }
    let along_k = (("rhs_scale", rhs_scale, last - 1), ("lhs_scale", lhs_scale, last));
    same_extent(check, along_k.0, along_k.1);
    if check.problems.list.len() > before {
        return;
    }
    let Some(block) = k.checked_div(*sk).filter(|block| k % sk == 0 && *block > 0) else {
        let message = format!(
            "operand `lhs_scale` is `{lhs_scale}`, but operand `lhs` is `{lhs}`: {sk} scales for an extent of {k} along K, \
             expected a divisor of {k}"
        );
        check.error_at(lhs_scales, Code::TypeMismatch, message);
        return;
    };
    let (Some(element), Some(scale)) = (lhs.element.scalar(), lhs_scale.element.scalar()) else {
        return;
    };
    let allowed = match (element, scale) {
        (S::F8E4M3FN | S::F8E5M2, S::F8E8M0FNU) => block == 32,
        (S::F4E2M1FN, S::F8E8M0FNU | S::F8E5M3FNU) => block == 16 || block == 32,
        (S::F4E2M1FN, S::F8E4M3FN) => block == 16,
        _ => false,
    };
    if !allowed {
        let message = format!(
            "operand `lhs_scale` is `{lhs_scale}`, but operand `lhs` is `{lhs}`, which scales {element} by {scale} in \
             blocks of {block}: expected shapes of `lhs_scale` and `rhs_scale` that make blocks of 32 for f8 by f8E8M0FNU, \
             of 16 or 32 for f4E2M1FN by f8E8M0FNU or fnv8E5M3FNU, or of 16 for f4E2M1FN by f8E4M3FN"
        );
        check.error_at(lhs_scales, Code::OperandType, message);
    }
}
