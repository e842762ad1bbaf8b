//! Rules of `tileaa` beyond the declarations.

use tilewright_diagnostics::{Code, counted};

use super::ops::{TileAaDialect, TileAaOp};
use super::types::{TileAaKind, TileAaType};
use super::{MemoryOp, MemoryPlace, TileAa};
use crate::core::{Body, Func, OpData, Origin, Part, Problems, Value, ValueType};
use crate::dialects::arith::ArithOp;
use crate::dialects::arith_rules;
use crate::dialects::fold_rules::{check_fold, verify_ends};
use crate::dialects::memory::{Memref, Ordering};
use crate::dialects::memory_rules::{MemoryRules, MemoryType, check_scope, scope_of};
use crate::dialects::product_rules;
use crate::dialects::route::{CopyRoute, StoreRoute, ThreadRoute};
use crate::dialects::scf::{self, Planning};
use crate::dialects::tile_rules::{ShapedType, verify_shape};
use crate::element::ElementType;

pub(super) fn verify(func: &Func<TileAa>, problems: &mut Problems) {
    let body = &func.body;
    let wrong = body
        .params()
        .iter()
        .position(|&param| !body.ty(param).is_single());
    if let Some(wrong) = wrong {
        let message = "a parameter is a number or a pointer";
        problems.error_at(
            Origin::FUNCTION,
            Part::argument(wrong),
            Code::OperandType,
            message,
        );
    }
    scf::verify(
        body,
        Planning::Tiles,
        problems,
        &|op| {
            if let TileAaOp::Scf(op) = op {
                Some(op)
            } else {
                None
            }
        },
        &is_integer,
    );
    verify_ends(body, problems, "tileaa.yield", |op| match op {
        TileAaOp::TileAa(own) => own.fold().map(|fold| fold.body),
        _ => None,
    });
    for id in body.walk() {
        let op = body.op(id);
        match &op.kind {
            TileAaOp::Arith(arith) => verify_arith(body, op, arith, problems),
            TileAaOp::Tile(tile) => {
                verify_shape(body, op, tile, problems);
            }
            TileAaOp::TileAa(own) => {
                check_scope(
                    op,
                    scope_of(own.field(), own.field()),
                    func.attrs.target,
                    problems,
                );
                verify_own(body, op, own, problems);
            }
            TileAaOp::Math(_) | TileAaOp::Scf(_) => {}
        }
    }
}

fn is_integer(ty: &TileAaType) -> bool {
    matches!(&ty.kind, TileAaKind::Scalar(ElementType::Scalar(s)) if s.is_int())
}

fn verify_arith(body: &Body<TileAa>, op: &OpData<TileAa>, arith: &ArithOp, problems: &mut Problems) {
    let elements = body
        .ty(op.result(0))
        .shape()
        .map(|shape| shape.iter().map(|&n| u64::from(n)).product());
    arith_rules::verify(body, op, arith, elements, problems);
}

impl ShapedType for TileAaType {
    fn extents(&self) -> Option<&[u32]> {
        self.shape()
    }
}

impl MemoryType for TileAaType {
    fn memref(&self) -> Option<&Memref> {
        Self::memref(self)
    }
    fn is_token(&self) -> bool {
        self.kind == TileAaKind::Token
    }
}

/// The type of the result of a reduction or a scan for an operand of this type.
fn folded(operand: &TileAaType, own: &TileAaDialect) -> TileAaType {
    match own {
        TileAaDialect::Reduce { axis, .. } => operand.without_axis(*axis as usize),
        _ => operand.bare(),
    }
}

fn verify_own(body: &Body<TileAa>, op: &OpData<TileAa>, own: &TileAaDialect, problems: &mut Problems) {
    if let Some(fold) = own.fold() {
        let results = op.results().map(|result| body.ty(result).bare());
        let checked = check_fold(body, &fold).and_then(|()| {
            let wanted = fold.operands.iter().map(|&value| folded(body.ty(value), own));
            if results.eq(wanted) {
                return Ok(());
            }
            let message = "a reduction gives each operand without the axis, a scan tiles of their types";
            Err((Code::TypeMismatch, message.to_owned()))
        });
        if let Err((code, message)) = checked {
            problems.error(op.origin, code, message);
        }
        return;
    }
    if let TileAaDialect::Dot { a, b, acc, .. } = own {
        if let Err((code, message)) = check_dot(body, op, [*a, *b, *acc]) {
            problems.error(op.origin, code, message);
        }
        return;
    }
    let mut rules = MemoryRules { body, op, problems };
    if let Some(ordering) = own.field::<Ordering>() {
        let by = match own {
            TileAaDialect::Load { route, .. } => route.as_ref().and_then(CopyRoute::asynchronous),
            TileAaDialect::Store { route, .. } => route.as_ref().and_then(StoreRoute::asynchronous),
            TileAaDialect::GatherLoad { route, .. } => route.and_then(ThreadRoute::asynchronous),
            _ => None,
        };
        rules.ordering(ordering, by);
    }
    if let Some(memory) = MemoryOp::of(op) {
        rules.widest(memory.access, memory.data);
        if let (MemoryPlace::Tile(at), Some(boxes)) = (memory.place, memory.boxes)
            && let Some(array) = body.ty(at.memref).memref()
            && let Err((code, message)) = boxes
                .check_rounding(array.element, memory.loads)
                .and_then(|()| at.check_copy_units(array, memory.loads))
        {
            rules
                .problems
                .error_at(op.origin, op.part("route"), code, message);
        }
    }
    match own {
        TileAaDialect::Memref {
            base,
            extents,
            strides,
        } => rules.memref(*base, extents, strides),
        TileAaDialect::Load {
            at, ordering, route, ..
        } => rules.load(at, ordering.after, route.as_ref().and_then(CopyRoute::boxes)),
        TileAaDialect::Store {
            at, value, ordering, ..
        } => rules.store(at, *value, ordering.after),
        TileAaDialect::GatherLoad {
            pointers,
            mask,
            other,
            ordering,
            ..
        } => rules.gather(*pointers, *mask, *other, ordering.after),
        TileAaDialect::ScatterStore {
            pointers,
            value,
            mask,
            ordering,
            ..
        } => rules.scatter(*pointers, *value, *mask, ordering.after, 0),
        // Checked above; where a body ends, with the body.
        TileAaDialect::Reduce { .. } | TileAaDialect::Scan { .. } | TileAaDialect::Yield { .. } => {}
        TileAaDialect::AtomicRmw {
            pointers,
            value,
            mask,
            op: atomic,
            ordering,
            ..
        } => {
            rules.update(*pointers, *value, *mask, ordering.after);
            rules.atomic(*atomic, *value);
        }
        TileAaDialect::AtomicCas {
            pointers,
            compare,
            value,
            mask,
            ordering,
            ..
        } => {
            rules.update(*pointers, *value, *mask, ordering.after);
            rules.swap(*compare, *value);
        }
        TileAaDialect::AtomicScatter {
            pointers,
            value,
            mask,
            op: atomic,
            ordering,
            ..
        } => {
            rules.scatter(*pointers, *value, *mask, ordering.after, 0);
            rules.atomic(*atomic, *value);
        }
        TileAaDialect::AtomicTile {
            at,
            value,
            op: atomic,
            ordering,
            ..
        } => {
            rules.store(at, *value, ordering.after);
            rules.atomic(*atomic, *value);
        }
        TileAaDialect::MultimemLoad {
            at,
            op: combination,
            ordering,
            ..
        } => {
            rules.load(at, ordering.after, None);
            rules.loads_replicas(*combination, op.result(0));
        }
        TileAaDialect::MultimemStore {
            at, value, ordering, ..
        } => {
            rules.store(at, *value, ordering.after);
            rules.replicas(*value);
        }
        TileAaDialect::MultimemReduce {
            at,
            value,
            op: combination,
            ordering,
            ..
        } => {
            rules.store(at, *value, ordering.after);
            rules.updates_replicas(*combination, *value);
        }
        TileAaDialect::Fence { after, .. } => rules.fence(*after),
        TileAaDialect::Cat { parts, axis } => {
            check(op, problems, cat(body, op, parts, *axis));
        }
        TileAaDialect::Extract { source, index } => {
            check(op, problems, part(body, op.result(0), *source, index));
        }
        TileAaDialect::Insert {
            source,
            destination,
            index,
        } => {
            let same = body.ty(*destination).bare() == body.ty(op.result(0)).bare();
            let kept = want(same, "`tileaa.insert` gives a tile of the destination's type");
            check(
                op,
                problems,
                kept.and_then(|()| part(body, *source, *destination, index)),
            );
        }
        TileAaDialect::Dot { .. } | TileAaDialect::Barrier {} => {}
        TileAaDialect::CreateMemToken {} => rules.result_token(0),
        TileAaDialect::JoinMemTokens { tokens } => rules.join(tokens),
        TileAaDialect::Print { format, values } => {
            let wrong = values
                .iter()
                .position(|&value| body.ty(value).element().is_none());
            if let Some(wrong) = wrong {
                let part = op.part("values").entry(wrong);
                problems.error_at(op.origin, part, Code::OperandType, "elements are printed");
            }
            if let Err(message) = crate::format::check(format, values.len()) {
                problems.error_at(op.origin, op.part("format"), Code::AttributeValue, message);
            }
        }
        TileAaDialect::Assert { condition, .. } => {
            if body.ty(*condition).element() != Some(ElementType::I1) {
                let part = op.part("condition");
                problems.error_at(op.origin, part, Code::OperandType, "a condition holds i1");
            }
        }
        TileAaDialect::ProgramId { axis } | TileAaDialect::NumPrograms { axis } => rules.grid_axis(*axis),
        TileAaDialect::BlockRank {} => rules.block_rank(),
    }
}

type Checked = Result<(), String>;

fn want(holds: bool, message: &str) -> Checked {
    if holds { Ok(()) } else { Err(message.to_owned()) }
}

fn check(op: &OpData<TileAa>, problems: &mut Problems, checked: Checked) {
    if let Err(message) = checked {
        problems.error(op.origin, Code::TypeMismatch, message);
    }
}

/// Checks that tiles of one type make up the result along an axis.
fn cat(body: &Body<TileAa>, op: &OpData<TileAa>, parts: &[Value], axis: u32) -> Checked {
    let Some((&first, rest)) = parts.split_first() else {
        return Err("`tileaa.cat` takes at least one part".to_owned());
    };
    let (part, whole) = (body.ty(first), body.ty(op.result(0)));
    want(
        rest.iter().all(|&other| body.ty(other).bare() == part.bare()) && part.element() == whole.element(),
        "parts of a tile have one type, with the tile's elements",
    )?;
    let (from, to) = (
        part.shape().unwrap_or_default(),
        whole.shape().unwrap_or_default(),
    );
    let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
    let mut axes = from.iter().zip(to).enumerate();
    let fits = from.len() == to.len()
        && (axis as usize) < from.len()
        && axes.all(|(i, (&a, &b))| {
            if i == axis as usize {
                a.checked_mul(count) == Some(b)
            } else {
                a == b
            }
        });
    want(
        fits,
        &format!(
            "{to:?} does not consist of {} of {from:?} along axis {axis}",
            counted(count, "part")
        ),
    )
}

/// Checks the types of a part and of the tile that it is in, and the index.
fn part(body: &Body<TileAa>, part: Value, whole: Value, index: &[Value]) -> Checked {
    let (part, whole) = (body.ty(part), body.ty(whole));
    want(
        part.element() == whole.element(),
        "a part of a tile has the tile's elements",
    )?;
    let (small, large) = (
        part.shape().unwrap_or_default(),
        whole.shape().unwrap_or_default(),
    );
    let divides = small.len() == large.len() && small.iter().zip(large).all(|(&a, &b)| a > 0 && b % a == 0);
    want(
        divides && !small.is_empty(),
        &format!("a tile of {large:?} has no parts of {small:?}"),
    )?;
    want(
        index.len() == small.len() && index.iter().all(|&index| is_integer(body.ty(index))),
        &format!(
            "a part of {small:?} is named by {}",
            counted(small.len(), "integer")
        ),
    )
}

/// Checks the types of a product.
fn check_dot(body: &Body<TileAa>, op: &OpData<TileAa>, operands: [Value; 3]) -> Result<(), (Code, String)> {
    let types = operands.map(|value| body.ty(value));
    let [a, b, acc] = types.map(|ty| ty.shape().unwrap_or_default());
    product_rules::extents(a, b, acc)?;
    product_rules::check_elements(types.map(ValueType::element))?;
    let [.., acc] = types;
    if body.ty(op.result(0)).bare() == acc.bare() {
        return Ok(());
    }
    Err((
        Code::TypeMismatch,
        "a product has the type of its accumulator".to_owned(),
    ))
}
