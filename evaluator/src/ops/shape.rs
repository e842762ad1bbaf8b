//! Ops on whole tiles: constants, shapes, parts, selection.

use std::rc::Rc;

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{Shape, ShapeOp};
use tilewright_irs::literal::Dense;

use super::{assume, fold, matrix};
use crate::fault::{Fault, Outcome};
use crate::frame::{Frame, Op};
use crate::tile::{Runtime, TileValue, count};
use crate::unspecified::{Mark, Marks};

pub(crate) fn evaluate(frame: &mut Frame<'_>, op: &Op, kind: &ShapeOp) -> Outcome<Vec<Runtime>> {
    let tile = match kind {
        ShapeOp::Constant { value } => constant(frame, op, value)?,
        ShapeOp::Iota {} => {
            let ty = frame.result_tile(op)?;
            let end = u64::try_from(count(&ty.shape)?).unwrap_or(u64::MAX);
            TileValue::new(ty.element, ty.shape.clone(), (0..end).collect())
        }
        ShapeOp::Reshape { source } => {
            let source = frame.tile(*source)?;
            let mut tile = Rc::unwrap_or_clone(source);
            tile.shape = frame.result_tile(op)?.shape.clone();
            tile
        }
        ShapeOp::Broadcast { source } => {
            let source = frame.tile(*source)?;
            let shape = &frame.result_tile(op)?.shape;
            let strides = strides(&source.shape);
            // A dimension of extent 1 has stride 0.
            let dims = source.shape.iter().zip(&strides);
            let steps: Vec<u64> = dims
                .map(|(&extent, &stride)| if extent == 1 { 0 } else { stride })
                .collect();
            gather(&source, shape, &steps, 0)?
        }
        ShapeOp::Permute { source, permutation } => {
            let source = frame.tile(*source)?;
            let shape = &frame.result_tile(op)?.shape;
            let strides = strides(&source.shape);
            let pick = |&dim: &i32| {
                usize::try_from(dim)
                    .ok()
                    .and_then(|dim| strides.get(dim).copied())
            };
            let steps: Option<Vec<u64>> = permutation.iter().map(pick).collect();
            let steps = steps.ok_or_else(|| Fault::broken("a permutation of other dimensions"))?;
            gather(&source, shape, &steps, 0)?
        }
        ShapeOp::Cat { lhs, rhs, dim } => {
            let (lhs, rhs) = (frame.tile(*lhs)?, frame.tile(*rhs)?);
            cat(&lhs, &rhs, *dim, frame.result_tile(op)?.shape.clone())?
        }
        ShapeOp::Extract { source, indices } => {
            let source = frame.tile(*source)?;
            let shape = &frame.result_tile(op)?.shape;
            let start = start_of_part(frame, indices, shape, &source.shape)?;
            gather(&source, shape, &strides(&source.shape), start)?
        }
        ShapeOp::Insert {
            source,
            destination,
            indices,
        } => {
            let (source, destination) = (frame.tile(*source)?, frame.tile(*destination)?);
            let start = start_of_part(frame, indices, &source.shape, &destination.shape)?;
            let mut tile = Rc::unwrap_or_clone(destination);
            let places = positions(&source.shape, &strides(&tile.shape), start)?;
            let mut marks = tile.marks.to_vec(tile.bits.len());
            for (from, (place, &bits)) in places.into_iter().zip(&source.bits).enumerate() {
                if let (Some(slot), Some(mark)) = (tile.bits.get_mut(place), marks.get_mut(place)) {
                    *slot = bits;
                    *mark = source.marks.get(from);
                }
            }
            tile.marked(Marks::of(marks.into_iter()))
        }
        ShapeOp::Select {
            cond,
            val_if_true,
            val_if_false,
        } => {
            let cond = frame.tile(*cond)?;
            let (yes, no) = (frame.tile(*val_if_true)?, frame.tile(*val_if_false)?);
            let tile = yes.zip3(&no, &cond, |yes, no, cond| if cond != 0 { yes } else { no });
            let marks = chosen_marks(&cond, &yes, &no, &tile);
            tile.marked(marks)
        }
        ShapeOp::Assume { value, predicate } => return assume::evaluate(frame, op, *value, predicate),
        ShapeOp::Reduce {
            operands,
            dim,
            identities: _,
            body,
        } => return fold::reduce(frame, op, operands, *dim, *body),
        ShapeOp::Scan {
            operands,
            dim,
            reverse,
            identities,
            body,
        } => return fold::scan(frame, operands, *dim, *reverse, identities, *body),
        ShapeOp::MmaF { lhs, rhs, acc, .. } => matrix::floats(frame, [*lhs, *rhs, *acc])?,
        ShapeOp::MmaI {
            lhs,
            rhs,
            acc,
            signedness_lhs,
            signedness_rhs,
        } => matrix::integers(frame, [*lhs, *rhs, *acc], [*signedness_lhs, *signedness_rhs])?,
        ShapeOp::MmaFScaled {
            lhs,
            rhs,
            acc,
            lhs_scale,
            rhs_scale,
        } => matrix::scaled(frame, op, [*lhs, *rhs, *acc], [*lhs_scale, *rhs_scale])?,
    };
    Ok(vec![tile.into()])
}

/// The marks of a `select`: those of the selected operand, and a mark where the condition is unspecified, unless both
/// operands are specified and equal.
fn chosen_marks(cond: &TileValue, yes: &TileValue, no: &TileValue, tile: &TileValue) -> Marks {
    if tile.marks.is_none() {
        return Marks::NONE;
    }
    let picked = |at: usize| {
        let is_set = cond.bits.get(at).is_some_and(|&cond| cond != 0);
        let from = if is_set { yes } else { no };
        let specified = yes.marks.get(at).or(no.marks.get(at)) == Mark::NONE;
        let same = specified && yes.bits.get(at) == no.bits.get(at);
        let chosen = if same { Mark::NONE } else { cond.marks.get(at) };
        chosen.or(from.marks.get(at))
    };
    Marks::of((0..tile.bits.len()).map(picked))
}

fn constant(frame: &Frame<'_>, op: &Op, value: &Dense) -> Outcome<TileValue> {
    let ty = frame.result_tile(op)?;
    let elements = count(&ty.shape)?;
    // In a body that is executed for all lines, a scalar has an element for each of them.
    let lanes = frame.lanes.filter(|_| ty.shape.is_empty());
    let bits = match value {
        Dense::Splat(literal) => vec![literal.bits; lanes.unwrap_or(elements)],
        Dense::Elements(_, bits) => match (bits.as_slice(), lanes) {
            ([only], Some(lanes)) => vec![*only; lanes],
            _ => bits.clone(),
        },
    };
    if lanes.is_none() && bits.len() != elements {
        return Err(Fault::broken(format_args!(
            "a constant of {} elements",
            bits.len()
        )));
    }
    Ok(TileValue::new(ty.element, ty.shape.clone(), bits))
}

/// The row-major strides of a shape.
pub(crate) fn strides(shape: &Shape) -> Vec<u64> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut step = 1u64;
    for &extent in shape.iter().rev() {
        strides.push(step);
        step = step.saturating_mul(extent);
    }
    strides.reverse();
    strides
}

/// For each element of a shape, in row-major order: `start` and, for each dimension, the coordinate times the step.
pub(crate) fn positions(shape: &Shape, steps: &[u64], start: u64) -> Outcome<Vec<usize>> {
    let mut found = Vec::with_capacity(count(shape)?);
    found.push(start);
    for (&extent, &step) in shape.iter().zip(steps) {
        let wider: Vec<u64> = found
            .iter()
            .flat_map(|&base| (0..extent).map(move |i| base.wrapping_add(i.wrapping_mul(step))))
            .collect();
        found = wider;
    }
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    Ok(found.into_iter().map(place).collect())
}

/// A tile gathered from another one.
fn gather(source: &TileValue, shape: &Shape, steps: &[u64], start: u64) -> Outcome<TileValue> {
    let places = positions(shape, steps, start)?;
    let bits: Option<Vec<u64>> = places.iter().map(|&at| source.bits.get(at).copied()).collect();
    let bits = bits.ok_or_else(|| Fault::broken("an element outside of its tile"))?;
    let marks = source.marks.pick(places.into_iter());
    Ok(TileValue::new(source.element, shape.clone(), bits).marked(marks))
}

fn cat(lhs: &TileValue, rhs: &TileValue, dim: i64, shape: Shape) -> Outcome<TileValue> {
    let wrong = || Fault::broken(format_args!("`cat` along dimension {dim}"));
    let along = usize::try_from(dim).map_err(|_| wrong())?;
    // The dimensions after it are copied in one piece.
    let run = |tile: &TileValue| -> usize {
        let inner = tile.shape.iter().skip(along).product::<u64>();
        usize::try_from(inner).unwrap_or(usize::MAX).max(1)
    };
    let bits = alternate([&lhs.bits, &rhs.bits], [run(lhs), run(rhs)]);
    let marks = if lhs.marks.is_none() && rhs.marks.is_none() {
        Marks::NONE
    } else {
        let marks = [lhs, rhs].map(|tile| tile.marks.to_vec(tile.bits.len()));
        Marks::of(alternate([&marks[0], &marks[1]], [run(lhs), run(rhs)]).into_iter())
    };
    Ok(TileValue::new(lhs.element, shape, bits).marked(marks))
}

/// Alternates runs of two slices.
fn alternate<T: Copy>([left, right]: [&[T]; 2], runs: [usize; 2]) -> Vec<T> {
    let mut joined = Vec::with_capacity(left.len() + right.len());
    for (left, right) in left.chunks(runs[0]).zip(right.chunks(runs[1])) {
        joined.extend_from_slice(left);
        joined.extend_from_slice(right);
    }
    joined
}

/// The index of the first element of a part. Indices count parts, and are unsigned.
fn start_of_part(frame: &Frame<'_>, indices: &[Value], part: &Shape, whole: &Shape) -> Outcome<u64> {
    let mut start = 0u64;
    let dims = part.iter().zip(whole.iter()).zip(strides(whole));
    for (i, (&index, ((&small, &large), stride))) in indices.iter().zip(dims).enumerate() {
        let index = frame.scalar(index, &format!("index {i}"))?;
        let parts = large / small.max(1);
        if index >= parts {
            let message = format!(
                "index {i} is {index}, with {} of {small} in {}",
                counted(parts, "part"),
                counted(large, "element")
            );
            return Err(
                Fault::new(Code::IndexOutOfRange, message).note("indices count parts, and are unsigned")
            );
        }
        start = start.wrapping_add(index.wrapping_mul(small).wrapping_mul(stride));
    }
    Ok(start)
}
