//! Checks of `assume`. Anything may be assumed of an unspecified element.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Body, Operation, Value};
use tilewright_irs::cuda_tile::{CudaTile, Element, Predicate, ShapeOp, Signedness, TileOp, ViewOp};
use tilewright_irs::element::ScalarType;

use crate::fault::{Fault, Outcome};
use crate::frame::{Frame, Op};
use crate::memory::bytes_of;
use crate::number::int;
use crate::tile::{Runtime, TileValue, coordinates};

pub(crate) fn evaluate(
    frame: &Frame<'_>,
    op: &Op,
    value: Value,
    predicate: &Predicate,
) -> Outcome<Vec<Runtime>> {
    let runtime = frame.value(value)?.clone();
    match check(frame, &runtime, predicate) {
        Err(fault) if fault.code == Code::BrokenPromise && no_address_depends(frame.body, op) => {}
        checked => checked?,
    }
    Ok(vec![runtime])
}

/// Whether the result of an op is used only as strides of dimensions with static extent 1, possibly through further
/// assumptions. Front ends state the same promises about such strides as about others, although they are false: no
/// address depends on them.
fn no_address_depends(body: &Body<CudaTile>, op: &Op) -> bool {
    let mut open: Vec<Value> = op.results().collect();
    let mut is_used = false;
    let mut seen = 0;
    while let Some(value) = open.get(seen).copied() {
        seen += 1;
        for (_, user) in body.ops() {
            let uses = user
                .kind
                .operand_list()
                .iter()
                .filter(|&&other| other == value)
                .count();
            match &user.kind {
                _ if uses == 0 => {}
                TileOp::Shape(ShapeOp::Assume { .. }) => open.extend(user.results()),
                _ if idle_strides(body, user, value) == uses => is_used = true,
                _ => return false,
            }
        }
    }
    is_used
}

/// The number of uses of a value as the stride of a dimension of extent 1.
fn idle_strides(body: &Body<CudaTile>, user: &Op, value: Value) -> usize {
    let TileOp::View(ViewOp::MakeTensorView { dynamic_strides, .. }) = &user.kind else {
        return 0;
    };
    let view = user
        .results()
        .next()
        .and_then(|view| body.ty(view).as_tensor_view());
    let Some(view) = view else { return 0 };
    // The dynamic strides, in order, belong to the dimensions whose stride is dynamic in the type.
    let dims = view.shape.iter().zip(view.strides.iter());
    let open = dims.filter(|(_, stride)| stride.is_none());
    let idle = open.zip(dynamic_strides);
    idle.filter(|((extent, _), stride)| **extent == Some(1) && **stride == value)
        .count()
}

fn check(frame: &Frame<'_>, runtime: &Runtime, predicate: &Predicate) -> Outcome<()> {
    match (runtime, predicate) {
        (
            Runtime::Tile(tile),
            Predicate::DivBy {
                divisor,
                every,
                along,
            },
        ) => divisible(tile, *divisor, (*every).zip(*along)),
        (Runtime::Tile(tile), Predicate::SameElements(groups)) => same_elements(tile, groups),
        (Runtime::Tile(tile), Predicate::Bounded { lower, upper }) => bounded(tile, *lower, *upper),
        (Runtime::Tensor(tensor), Predicate::DivBy { divisor, .. }) => {
            if tensor.base.is_multiple_of(*divisor) {
                return Ok(());
            }
            let at = frame.machine.memory.buffers.describe(tensor.base);
            Err(violated(format!(
                "a tensor is assumed to begin at a multiple of {divisor}, and begins at {at}"
            )))
        }
        (Runtime::Tensor(_), Predicate::SameElements(_) | Predicate::Bounded { .. })
        | (Runtime::Token(_), _) => Err(Fault::broken("an assumption about what has no elements")),
    }
}

fn violated(message: String) -> Box<Fault> {
    Fault::new(Code::BrokenPromise, message)
}

/// An element as a number: pointers are unsigned.
fn number(tile: &TileValue, bits: u64) -> i128 {
    match tile.element {
        Element::Scalar(ty) => int::value(ty, Signedness::Signed, bits),
        Element::Ptr(_) => i128::from(bits),
    }
}

fn divisible(tile: &TileValue, divisor: u64, groups: Option<(i64, i64)>) -> Outcome<()> {
    let divisor = i128::from(divisor.max(1));
    let what = match tile.element {
        Element::Scalar(_) => "",
        Element::Ptr(_) => "the address ",
    };
    let mask = tile.element.scalar().map_or(u64::MAX, ScalarType::mask);
    // The elements of a group are consecutive, starting with the first one.
    let step = match tile.element {
        Element::Scalar(_) => 1,
        Element::Ptr(pointer) => i128::from(bytes_of(pointer.pointee)),
    };
    let (every, inner, extent) = match groups {
        None => (1, 1, 1),
        Some((every, along)) => {
            let along = usize::try_from(along).unwrap_or(usize::MAX);
            let inner: u64 = tile.shape.iter().skip(along.saturating_add(1)).product();
            let extent = tile.shape.get(along).copied().unwrap_or(1);
            (u64::try_from(every).unwrap_or(1), inner.max(1), extent.max(1))
        }
    };
    // An empty group is vacuous.
    if every == 0 {
        return Ok(());
    }
    for (at, &bits) in tile.bits.iter().enumerate() {
        if tile.marks.get(at).is_set() {
            continue;
        }
        let have = number(tile, bits);
        let flat = u64::try_from(at).unwrap_or(u64::MAX);
        let along = flat / inner % extent;
        let within = along % every;
        if within == 0 {
            if have % divisor != 0 {
                return Err(violated(format!(
                    "{what}{have}{} is assumed to be a multiple of {divisor}",
                    tile.place(at)
                )));
            }
            continue;
        }
        let back = usize::try_from(within.saturating_mul(inner)).unwrap_or(usize::MAX);
        let first = at.checked_sub(back).filter(|&at| !tile.marks.get(at).is_set());
        let Some(&first) = first.and_then(|at| tile.bits.get(at)) else {
            continue;
        };
        // Consecutive values wrap in the type.
        let want = number(tile, first) + i128::from(within) * step;
        if (want - have) & i128::from(mask) != 0 {
            return Err(violated(format!(
                "{what}{have}{} is assumed to be {want}, {within} more than the first of its group",
                tile.place(at),
            )));
        }
    }
    Ok(())
}

fn same_elements(tile: &TileValue, groups: &[i64]) -> Outcome<()> {
    for (at, &bits) in tile.bits.iter().enumerate() {
        if tile.marks.get(at).is_set() {
            continue;
        }
        // The first element of the box of this one.
        let mut first = 0u64;
        for ((coordinate, &extent), &group) in coordinates(&tile.shape, at)
            .into_iter()
            .zip(tile.shape.iter())
            .zip(groups)
        {
            let group = u64::try_from(group).unwrap_or(0).max(1);
            first = first
                .saturating_mul(extent)
                .saturating_add(coordinate - coordinate % group);
        }
        let first = usize::try_from(first).unwrap_or(usize::MAX);
        let want = tile.bits.get(first).copied();
        let want = want.filter(|_| !tile.marks.get(first).is_set());
        if want.is_some_and(|want| want != bits) {
            let want = number(tile, want.unwrap_or(0));
            return Err(violated(format!(
                "{}{} is assumed to equal {want}{}",
                number(tile, bits),
                tile.place(at),
                tile.place(first)
            )));
        }
    }
    Ok(())
}

fn bounded(tile: &TileValue, lower: Option<i64>, upper: Option<i64>) -> Outcome<()> {
    for (at, &bits) in tile.bits.iter().enumerate() {
        if tile.marks.get(at).is_set() {
            continue;
        }
        let have = number(tile, bits);
        let (word, bound) = match (lower, upper) {
            (Some(lower), _) if have < i128::from(lower) => ("least", lower),
            (_, Some(upper)) if have > i128::from(upper) => ("most", upper),
            _ => continue,
        };
        return Err(violated(format!(
            "{have}{} is assumed to be at {word} {bound}",
            tile.place(at)
        )));
    }
    Ok(())
}
