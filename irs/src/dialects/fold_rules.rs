//! Rules of reductions and scans, shared by the languages that have them, and of their bodies.

mod commutative;

pub use commutative::is_commutative;

use tilewright_diagnostics::{Code, counted_as};

use super::tile_rules::ShapedType;
use crate::core::{
    Body, Exit, Flow, Language, Operation, Problems, Region, Resource, SideTable, Value, ValueType,
};
use crate::element::ElementType;
use crate::literal::Literal;

/// The common parts of a reduction and a scan. The body takes the combination so far for each operand, then the next
/// element of each, and yields the new combinations.
#[derive(Clone, Copy, Debug)]
pub struct Fold<'a> {
    /// The tiles, of one shape.
    pub operands: &'a [Value],
    /// The axis along which elements are combined.
    pub axis: u32,
    /// A neutral element of each operand's type.
    pub identities: &'a [Literal],
    /// The body.
    pub body: Region,
    /// The name of the op that ends the body.
    pub end: &'static str,
}

/// Defines `fold`, which gives the common parts of a dialect's reductions and scans.
#[macro_export]
macro_rules! fold_accessor {
    ($dialect:ident, [$($fold:ident),+], $end:literal) => {
        impl $dialect {
            /// The common parts of a reduction or a scan; `None` for other ops.
            pub fn fold(&self) -> Option<$crate::dialects::fold_rules::Fold<'_>> {
                match self {
                    $(Self::$fold { operands, axis, identities, body, .. })|+ => {
                        Some($crate::dialects::fold_rules::Fold {
                            operands,
                            axis: *axis,
                            identities,
                            body: *body,
                            end: $end,
                        })
                    }
                    _ => None,
                }
            }
        }
    };
}

type Checked = Result<(), (Code, String)>;

fn want(holds: bool, code: Code, message: impl Into<String>) -> Checked {
    if holds {
        Ok(())
    } else {
        Err((code, message.into()))
    }
}

/// Checks the operands, the identities and the body.
///
/// # Errors
/// The code and a message for the user.
pub fn check_fold<L: Language<Type: ShapedType>>(body: &Body<L>, fold: &Fold<'_>) -> Checked {
    let extents = |&value: &Value| body.ty(value).extents();
    let Some(first) = fold.operands.first() else {
        return want(false, Code::OperandCount, "at least one tile is combined");
    };
    let Some(shape) = extents(first).filter(|shape| !shape.is_empty()) else {
        return want(false, Code::OperandType, "tiles are combined along an axis");
    };
    let rank = shape.len();
    want(
        (fold.axis as usize) < rank,
        Code::AttributeValue,
        format!(
            "a tile of {} has no axis {}",
            counted_as(rank, "axis", "axes"),
            fold.axis
        ),
    )?;
    want(
        fold.operands.iter().all(|value| extents(value) == Some(shape)),
        Code::TypeMismatch,
        "tiles that are combined together have one shape",
    )?;
    let elements: Vec<Option<ElementType>> = fold
        .operands
        .iter()
        .map(|&value| body.ty(value).element())
        .collect();
    let literals = fold
        .identities
        .iter()
        .map(|literal| Some(ElementType::Scalar(literal.ty)));
    want(
        literals.eq(elements.iter().copied()),
        Code::AttributeValue,
        "there is one identity for each operand, in its element type",
    )?;
    check_body(body, fold, &elements)
}

/// Checks that the body has the right arguments and terminator, computes with single elements, and has no effects.
fn check_body<L: Language<Type: ShapedType>>(
    body: &Body<L>,
    fold: &Fold<'_>,
    elements: &[Option<ElementType>],
) -> Checked {
    let Some(block) = body.only_block(fold.body) else {
        return want(false, Code::RegionCount, "what combines is one block");
    };
    let single = |&value: &Value| {
        let ty = body.ty(value);
        ty.is_single().then(|| ty.element()).flatten()
    };
    let args = body.block(block).args.iter().map(single);
    want(
        args.eq(elements.iter().chain(elements).copied()),
        Code::BlockArguments,
        "what combines takes what was combined so far of each operand, then an element of each",
    )?;
    let end = body.terminator(block).map(|end| &body.op(end).kind);
    want(
        end.is_some_and(|end| end.name() == fold.end),
        Code::TypeMismatch,
        format!("what combines ends with `{}`", fold.end),
    )?;
    check_ops(body, fold.body, false)
}

/// Checks that the ops of a region compute with single elements, have no effects and do not leave the body. `in_loop`
/// says whether the region is in a loop within the body.
fn check_ops<L: Language>(body: &Body<L>, region: Region, in_loop: bool) -> Checked {
    for &block in &body.region(region).blocks {
        for &id in &body.block(block).ops {
            let op = body.op(id);
            let (name, effects) = (op.kind.name(), op.kind.effects().without(Resource::Control));
            let values = op.kind.operand_list().into_iter().chain(op.results());
            want(
                values.into_iter().all(|value| body.ty(value).is_single()),
                Code::OperandType,
                format!("`{name}` combines with something else than single elements"),
            )?;
            want(
                effects.touches().is_empty() && !effects.convergent,
                Code::MisplacedOp,
                format!("`{name}` has an effect, and what combines must have none"),
            )?;
            let leaves = match effects.flow {
                Flow::Exit(Exit::Function) => true,
                Flow::Exit(Exit::Loop) => !in_loop,
                Flow::Exit(Exit::Block) | Flow::Next | Flow::Regions | Flow::Loop => false,
            };
            want(
                !leaves,
                Code::MisplacedOp,
                format!("`{name}` leaves what combines, which must end"),
            )?;
            for inner in op.kind.region_list() {
                check_ops(body, inner, in_loop || effects.flow == Flow::Loop)?;
            }
        }
    }
    Ok(())
}

/// Checks that each op `end` is the terminator of the body of a reduction or scan, and yields what the body takes as combined so
/// far; `fold` gives the body of such an op.
pub fn verify_ends<L: Language<Type: ShapedType>>(
    body: &Body<L>,
    problems: &mut Problems,
    end: &str,
    fold: impl Fn(&L::Op) -> Option<Region>,
) {
    let mut ends = SideTable::new(body.op_count());
    for id in body.walk() {
        let block = fold(&body.op(id).kind).and_then(|region| body.only_block(region));
        let Some((block, last)) = block.and_then(|block| Some((block, body.terminator(block)?))) else {
            continue;
        };
        ends.set(last, ());
        let single = |&value: &Value| {
            let ty = body.ty(value);
            ty.is_single().then(|| ty.element()).flatten()
        };
        let (op, args) = (body.op(last), &body.block(block).args);
        let so_far = args.iter().take(args.len() / 2).map(single);
        if op.kind.name() == end && !op.kind.operand_list().iter().map(single).eq(so_far) {
            let message = "what combines yields one element for each operand";
            problems.error(op.origin, Code::TypeMismatch, message);
        }
    }
    for id in body.walk() {
        let op = body.op(id);
        if op.kind.name() == end && ends.get(id).is_none() {
            let message = format!("`{end}` ends the body of a reduction or a scan only");
            problems.error(op.origin, Code::MisplacedOp, message);
        }
    }
}
