//! Ops that rings of any kind need: stages, copies to them, and the iterations that they are for.

use tilewright_irs::core::{Field, OpId, Translate, Translated, Translation, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::memory::{Padding, TileAccess};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileas::{Buffer, CopyAtom, Pending, TileAs, TileAsDialect, TileAsOp, TileAsType};

use super::candidates::{Candidate, Way};

pub(super) type Cx<'a> = Translation<'a, TileAs, TileAs>;

/// A counted loop from some iteration on.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub(super) from: Value,
    pub(super) upper: Value,
    pub(super) unsigned: bool,
    pub(super) step: u64,
    pub(super) scalar: ScalarType,
}

impl Counted {
    /// The loop from another iteration on.
    pub(super) fn from(self, from: Value) -> Self {
        Self { from, ..self }
    }
}

/// Executes ops of the body for the iteration that the counter is bound to.
pub(super) fn compute(
    cx: &mut Cx<'_>,
    slice: &[OpId],
    pass: &mut (impl Translate<TileAs, TileAs> + ?Sized),
) -> Translated {
    for &id in slice {
        let op = cx.old(id);
        cx.set_origin(op.origin);
        cx.carry(id, &op.kind, pass)?;
    }
    Ok(())
}

/// Binds the buffer of the old body to the stage that is ready.
pub(super) fn bind_buffer(cx: &mut Cx<'_>, ring: &Candidate, ready: Value) {
    let buffer = cx.old(ring.alloc).result(0);
    let ty = cx.from.ty(buffer);
    let view = match cx.ty(ready) == ty {
        true => ready,
        false => cx.value(TileAsDialect::Reinterpret { buffer: ready }, ty.clone()),
    };
    cx.bind(buffer, [view]);
}

/// The stages of a new ring.
pub(super) fn allocated(cx: &mut Cx<'_>, candidate: &Candidate, count: u32) -> Vec<Value> {
    let op = cx.old(candidate.alloc);
    cx.set_origin(op.origin);
    let TileAsOp::TileAs(alloc) = &op.kind else {
        return Vec::new();
    };
    let ring = Buffer {
        stages: count,
        ..candidate.buffer.clone()
    };
    let buffer = cx.value(alloc.clone(), TileAsType::Buffer(ring));
    if count == 1 {
        return vec![buffer];
    }
    let mut stages = Vec::new();
    for number in 0..count {
        let stage = Some(number_of(cx, ScalarType::I32, u64::from(number)));
        let view = TileAsDialect::Subview {
            buffer,
            stage,
            offsets: Vec::new(),
        };
        stages.push(cx.value(view, TileAsType::Buffer(candidate.buffer.clone())));
    }
    stages
}

/// Begins the copy of a tile to a stage.
pub(super) fn copy_in(
    cx: &mut Cx<'_>,
    ring: &Candidate,
    load: OpId,
    to: Value,
    exists: Value,
) -> Option<Value> {
    let op = cx.old(load);
    cx.set_origin(op.origin);
    let (TileAsOp::TileAs(own), Way::Async(_, atom)) = (&op.kind, &ring.way) else {
        return None;
    };
    let atom = CopyAtom::from(atom.clone());
    let copy = match own {
        TileAsDialect::Load {
            at,
            ordering,
            latency,
            ..
        } => TileAsDialect::CopyIn {
            at: TileAccess {
                padding: Some(Padding::Zero),
                ..at.with_operands(&mut |value| cx.one(value))
            },
            to,
            map: None,
            mask: Some(exists),
            after: ordering.after.map(|after| cx.one(after)),
            latency: *latency,
            atom,
        },
        TileAsDialect::GatherLoad {
            pointers,
            mask,
            ordering,
            ..
        } => {
            let pointers = cx.one(*pointers);
            let ty = cx.ty(pointers).with_element(ElementType::I1);
            let mut all = cx.value(TileOp::Splat { source: exists }, ty.clone());
            if let Some(mask) = mask {
                let (lhs, rhs) = (all, cx.one(*mask));
                all = cx.value(ArithOp::AndI { lhs, rhs }, ty);
            }
            TileAsDialect::GatherIn {
                pointers,
                to,
                mask: Some(all),
                after: ordering.after.map(|after| cx.one(after)),
                atom,
            }
        }
        _ => return None,
    };
    let pending = TileAsType::Pending(Some(Box::new(Pending::Buffer(ring.buffer.clone()))));
    let op = cx.build().op(copy, [pending, TileAsType::Token]);
    Some(cx.new_body().op(op).result(0))
}

/// Waits for a stage, until `in_flight` later copies are pending.
pub(super) fn wait(cx: &mut Cx<'_>, copy: Value, in_flight: u32) -> Option<Value> {
    let TileAsType::Pending(Some(what)) = cx.ty(copy) else {
        return None;
    };
    let ready = what.ready();
    Some(cx.value(TileAsDialect::CopyWait { copy, in_flight }, ready))
}

fn number_of(cx: &mut Cx<'_>, scalar: ScalarType, number: u64) -> Value {
    let value = Dense::Splat(Literal::new(scalar, number));
    cx.value(
        ArithOp::Constant { value },
        TileAsType::Scalar(ElementType::Scalar(scalar)),
    )
}

fn compare(cx: &mut Cx<'_>, lhs: Value, rhs: Value, unsigned: bool) -> Value {
    let signedness = match unsigned {
        true => Signedness::Unsigned,
        false => Signedness::Signed,
    };
    let op = ArithOp::CmpI {
        lhs,
        rhs,
        predicate: Predicate::Less,
        signedness,
    };
    cx.value(op, TileAsType::Scalar(ElementType::Scalar(ScalarType::I1)))
}

/// Whether the loop has a first iteration.
pub(super) fn begins(cx: &mut Cx<'_>, counted: Counted) -> Value {
    compare(cx, counted.from, counted.upper, counted.unsigned)
}

pub(super) fn both(cx: &mut Cx<'_>, lhs: Value, rhs: Value) -> Value {
    cx.value(
        ArithOp::AndI { lhs, rhs },
        TileAsType::Scalar(ElementType::Scalar(ScalarType::I1)),
    )
}

/// The distance to the upper bound, an unsigned number if the iteration exists.
pub(super) fn difference(cx: &mut Cx<'_>, counted: Counted) -> Value {
    let op = ArithOp::SubI {
        lhs: counted.upper,
        rhs: counted.from,
        overflow: Overflow::Wraps,
    };
    cx.value(op, TileAsType::Scalar(ElementType::Scalar(counted.scalar)))
}

/// Whether the iteration `ahead` steps later exists.
pub(super) fn is_farther(cx: &mut Cx<'_>, counted: Counted, left: Value, ahead: u32) -> Value {
    let distance = number_of(cx, counted.scalar, u64::from(ahead) * counted.step);
    compare(cx, distance, left, true)
}

/// The counter `ahead` steps later.
pub(super) fn later(cx: &mut Cx<'_>, counted: Counted, ahead: u32) -> Value {
    if ahead == 0 {
        return counted.from;
    }
    let rhs = number_of(cx, counted.scalar, u64::from(ahead) * counted.step);
    let op = ArithOp::AddI {
        lhs: counted.from,
        rhs,
        overflow: Overflow::Wraps,
    };
    cx.value(op, TileAsType::Scalar(ElementType::Scalar(counted.scalar)))
}
