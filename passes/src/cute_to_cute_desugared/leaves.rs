//! Dynamic leaves of values, and comparisons of all of them.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Origin, Value};
use tilewright_irs::cute_desugared::{CuteDesugaredOp, DesugaredType};
use tilewright_irs::cute_types::{CuteType, Kind};
use tilewright_irs::dialects::arith::{ArithOp, Predicate, Signedness};
use tilewright_irs::dialects::cute::{AlgebraValue, CuteOp, machine_integer};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_layouts::cute::Fact;

use super::state::{Cx, unsupported};
use crate::leaf_arithmetic::{constant, resized};

/// The dynamic leaves of a new value. Those of a value that was put together here are not taken apart again.
pub(super) fn leaves_of(cx: &mut Cx<'_>, value: Value) -> Vec<Value> {
    let Some(ty) = cx.ty(value).algebra().cloned() else {
        return vec![value];
    };
    let leaves = ty.kind().dynamic_leaves();
    if leaves.is_empty() {
        return Vec::new();
    }
    if let Some(known) = flat_leaves(cx, value) {
        return known;
    }
    let types: Vec<DesugaredType> = leaves
        .iter()
        .map(|leaf| DesugaredType::Scalar(machine_integer(*leaf).into()))
        .collect();
    let op = cx.build().op(CuteOp::GetScalars { source: value }, types);
    cx.new_body().op(op).results().collect()
}

/// The leaves of a value whose op, in this block so far, is `cute.flat`; of a tensor those of its layout.
fn flat_leaves(cx: &Cx<'_>, value: Value) -> Option<Vec<Value>> {
    let body = cx.new_body();
    let made = body
        .block(cx.current())
        .ops
        .iter()
        .rev()
        .take(NEAR)
        .find(|id| body.op(**id).results().any(|own| own == value))?;
    match &body.op(*made).kind {
        CuteDesugaredOp::Cute(CuteOp::Flat { leaves }) => Some(leaves.clone()),
        CuteDesugaredOp::Cute(CuteOp::MakeView { layout, .. }) => flat_leaves(cx, *layout),
        _ => None,
    }
}

/// How many ops back a value is looked for.
const NEAR: usize = 32;

/// A value of the type with these leaves.
pub(super) fn flat(cx: &mut Cx<'_>, ty: CuteType, leaves: Vec<Value>) -> Value {
    let op = match leaves.is_empty() {
        true => CuteOp::Static {},
        false => CuteOp::Flat { leaves },
    };
    cx.value(op, DesugaredType::Cute(ty))
}

/// The integers of a new value, static ones too, each an `i32`, or an `i64` where its type says so.
pub(super) fn all_integers(cx: &mut Cx<'_>, value: Value) -> Result<Vec<(Fact, Value)>, Diagnostic<Origin>> {
    let Some(ty) = cx.ty(value).algebra().cloned() else {
        return Err(unsupported(cx.origin(), "a value that is not of CuTe's algebra"));
    };
    let mut dynamic = leaves_of(cx, value).into_iter();
    let facts = integers(ty.kind());
    let all = facts.into_iter().map(|fact| match fact.value() {
        None => Some((fact, dynamic.next()?)),
        Some(number) => Some((fact, constant(cx, machine_integer(fact), number))),
    });
    let all: Option<Vec<_>> = all.collect();
    all.ok_or_else(|| unsupported(cx.origin(), "a value without its leaves"))
}

/// Every integer of a tuple in order, static ones too.
pub(super) fn integers(kind: &Kind) -> Vec<Fact> {
    use tilewright_layouts::cute::{SlotOf, Stride};
    match kind {
        Kind::IntTuple(tuple) | Kind::Shape(tuple) | Kind::CoordIterator(tuple) => {
            tuple.leaves().copied().collect()
        }
        Kind::Coord(coord) => coord
            .leaves()
            .filter_map(|slot| match slot {
                SlotOf::At(fact) => Some(*fact),
                SlotOf::All => None,
            })
            .collect(),
        Kind::Stride(stride) => stride.leaves().map(|leaf| *leaf.factor()).collect(),
        Kind::Layout(layout) => {
            let (shape, stride) = (layout.shape(), layout.stride());
            let strides = stride.leaves().map(|leaf| *leaf.factor());
            shape.leaves().copied().chain(strides).collect()
        }
        _ => kind.dynamic_leaves(),
    }
}

/// Whether all integers of a tuple are less than those of another.
pub(super) fn all_less(cx: &mut Cx<'_>, lhs: Value, rhs: Value) -> Result<Value, Diagnostic<Origin>> {
    compared(cx, lhs, rhs, Predicate::Less)
}

/// Whether all integers of two tuples are equal.
pub(super) fn all_equal(cx: &mut Cx<'_>, lhs: Value, rhs: Value) -> Result<Value, Diagnostic<Origin>> {
    compared(cx, lhs, rhs, Predicate::Equal)
}

fn compared(
    cx: &mut Cx<'_>,
    lhs: Value,
    rhs: Value,
    predicate: Predicate,
) -> Result<Value, Diagnostic<Origin>> {
    let (lhs, rhs) = (all_integers(cx, lhs)?, all_integers(cx, rhs)?);
    let boolean = DesugaredType::Scalar(ElementType::I1);
    let mut all: Option<Value> = None;
    for ((one, lhs), (other, rhs)) in lhs.into_iter().zip(rhs) {
        let known = match (one.value(), other.value(), predicate) {
            (Some(one), Some(other), Predicate::Equal) => one == other,
            (Some(one), Some(other), _) => one < other,
            _ => false,
        };
        if known {
            continue;
        }
        let wider = if one.width() >= other.width() { one } else { other };
        let scalar = machine_integer(Fact::opaque(wider.width()));
        let (lhs, rhs) = (resized(cx, lhs, scalar), resized(cx, rhs, scalar));
        let signedness = Signedness::Signed;
        let holds = cx.value(
            ArithOp::CmpI {
                lhs,
                rhs,
                predicate,
                signedness,
            },
            boolean.clone(),
        );
        all = Some(match all {
            None => holds,
            Some(lhs) => cx.value(ArithOp::AndI { lhs, rhs: holds }, boolean.clone()),
        });
    }
    Ok(all.unwrap_or_else(|| constant(cx, ScalarType::I1, 1)))
}
