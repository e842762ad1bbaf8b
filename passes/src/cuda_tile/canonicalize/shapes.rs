//! Consecutive shape ops, parts of tiles, assumptions.

use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{ShapeOp, Tile, TileOp, TileType};
use tilewright_irs::literal::{Dense, Literal};

use super::dense;
use super::look::{Look, Simpler};

/// Applies one rule, if any matches.
pub(super) fn step(look: &Look<'_, '_>, op: &TileOp, ty: &TileType) -> Option<Simpler> {
    let TileOp::Shape(op) = op else {
        return None;
    };
    let same = |value: Value| (look.ty(value) == ty).then_some(Simpler::Value(value));
    let tile = ty.as_tile();
    match op {
        ShapeOp::Constant { .. } => None,
        ShapeOp::Iota {} => {
            let tile = tile?;
            let scalar = tile.element.scalar()?;
            (*tile.shape == [1]).then(|| Simpler::Constant(Dense::Splat(Literal::new(scalar, 0))))
        }
        ShapeOp::Reshape { source } => same(*source)
            .or_else(|| {
                let dense = look.dense(*source)?;
                let count = usize::try_from(tile?.shape.elements()?).ok()?;
                dense::gather(dense, count, Some).map(Simpler::Constant)
            })
            .or_else(|| match look.op(*source)? {
                TileOp::Shape(ShapeOp::Reshape { source }) => {
                    Some(Simpler::Op(ShapeOp::Reshape { source: *source }.into()))
                }
                _ => None,
            }),
        ShapeOp::Broadcast { source } => same(*source)
            .or_else(|| Some(Simpler::Constant(Dense::Splat(look.splat(*source)?))))
            .or_else(|| match look.op(*source)? {
                TileOp::Shape(ShapeOp::Broadcast { source }) => {
                    Some(Simpler::Op(ShapeOp::Broadcast { source: *source }.into()))
                }
                _ => None,
            }),
        ShapeOp::Permute { source, permutation } => permuted(look, *source, permutation, tile?),
        ShapeOp::Cat { lhs, rhs, .. } => {
            let (lhs, rhs) = (look.splat(*lhs)?, look.splat(*rhs)?);
            (lhs == rhs).then_some(Simpler::Constant(Dense::Splat(lhs)))
        }
        ShapeOp::Extract { source, indices } => same(*source).or_else(|| part(look, *source, indices, tile?)),
        // A part as large as the tile replaces all of it.
        ShapeOp::Insert { source, .. } => same(*source),
        ShapeOp::Assume { value, predicate } => match look.op(*value)? {
            TileOp::Shape(ShapeOp::Assume { predicate: first, .. }) if first == predicate => {
                Some(Simpler::Value(*value))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The coordinates of an index in row-major order.
fn coordinates(mut at: u64, shape: &[u64]) -> Option<Vec<u64>> {
    let mut place = vec![0; shape.len()];
    for (slot, &extent) in place.iter_mut().zip(shape).rev() {
        *slot = at.checked_rem(extent)?;
        at /= extent;
    }
    Some(place)
}

/// The index of coordinates in row-major order.
fn index(place: &[u64], shape: &[u64]) -> Option<usize> {
    let mut at = 0u64;
    for (&coordinate, &extent) in place.iter().zip(shape) {
        if coordinate >= extent {
            return None;
        }
        at = at.checked_mul(extent)?.checked_add(coordinate)?;
    }
    usize::try_from(at).ok()
}

fn permuted(look: &Look<'_, '_>, source: Value, permutation: &[i32], tile: &Tile) -> Option<Simpler> {
    let order: Option<Vec<usize>> = permutation.iter().map(|&dim| usize::try_from(dim).ok()).collect();
    let order = order?;
    if order.iter().enumerate().all(|(at, &dim)| at == dim) {
        return Some(Simpler::Value(source));
    }
    if let Some(dense) = look.dense(source) {
        let shape = &look.tile(source)?.shape;
        let count = usize::try_from(shape.elements()?).ok()?;
        let from = |at: usize| {
            let result = coordinates(u64::try_from(at).ok()?, &tile.shape)?;
            let mut place = vec![0; shape.len()];
            for (&dim, coordinate) in order.iter().zip(result) {
                *place.get_mut(dim)? = coordinate;
            }
            index(&place, shape)
        };
        return dense::gather(dense, count, from).map(Simpler::Constant);
    }
    let Some(TileOp::Shape(ShapeOp::Permute {
        source,
        permutation: first,
    })) = look.op(source)
    else {
        return None;
    };
    let composed: Option<Vec<i32>> = order.iter().map(|&dim| first.get(dim).copied()).collect();
    Some(Simpler::Op(
        ShapeOp::Permute {
            source: *source,
            permutation: composed?,
        }
        .into(),
    ))
}

/// A part of a constant or of a concatenation.
fn part(look: &Look<'_, '_>, source: Value, indices: &[Value], tile: &Tile) -> Option<Simpler> {
    let whole = look.tile(source)?;
    // The first element of the part.
    let mut start = Vec::with_capacity(indices.len());
    for ((&part, &extent), &size) in indices.iter().zip(whole.shape.iter()).zip(tile.shape.iter()) {
        let first = look.splat(part)?.bits.checked_mul(size)?;
        if first >= extent {
            return None;
        }
        start.push(first);
    }
    if let Some(dense) = look.dense(source) {
        let count = usize::try_from(tile.shape.elements()?).ok()?;
        let from = |at: usize| {
            let mut place = coordinates(u64::try_from(at).ok()?, &tile.shape)?;
            for (coordinate, first) in place.iter_mut().zip(&start) {
                *coordinate += first;
            }
            index(&place, &whole.shape)
        };
        return dense::gather(dense, count, from).map(Simpler::Constant);
    }
    let Some(TileOp::Shape(ShapeOp::Cat { lhs, rhs, dim })) = look.op(source) else {
        return None;
    };
    let dim = usize::try_from(*dim).ok()?;
    let left = look.tile(*lhs)?;
    let boundary = *left.shape.get(dim)?;
    let at = *start.get(dim)?;
    let side = if at < boundary { *lhs } else { *rhs };
    let first = if at < boundary { at } else { at - boundary };
    let others = start
        .iter()
        .enumerate()
        .all(|(other, &at)| other == dim || at == 0);
    (first == 0 && others && look.tile(side)? == tile).then_some(Simpler::Value(side))
}
