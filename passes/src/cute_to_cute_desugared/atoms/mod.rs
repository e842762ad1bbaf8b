//! One instruction of an atom, by the atom's type.

mod async_copy;
mod elements;
mod fma;
mod matrix_copy;
mod mma_sync;
mod scalar_copies;
mod universal_copy;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::{CopyAtom, Kind, MmaAtom};
use tilewright_irs::dialects::arith::{ArithOp, Predicate, Signedness};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::mlir::Type;

use super::state::{Cx, unsupported};
use super::values::algebra;
use crate::leaf_arithmetic::constant;
use elements::Tensor;

/// An atom that this pass has no instruction for.
fn no_instruction(cx: &Cx<'_>, id: OpId, atom: Value) -> Diagnostic<Origin> {
    let name = match cx.from.ty(atom) {
        Type::Cute(ty) => ty.word(),
        _ => "an atom",
    };
    let message = format!("`{name}` is not lowered yet");
    Diagnostic::error(Code::UnsupportedOp, message).at(cx.old(id).origin, "")
}

/// One instruction of a copy.
pub(super) fn copy(
    cx: &mut Cx<'_>,
    id: OpId,
    atom: Value,
    (sources, destinations): (&[Value], &[Value]),
    pred: Option<Value>,
) -> Translated {
    let (&[source], &[destination]) = (sources, destinations) else {
        return Err(no_instruction(cx, id, atom));
    };
    // The atom of a tiled copy that has fields stays in it.
    let instruction = match algebra(cx, atom)?.kind() {
        Kind::Copy(instruction) => instruction,
        Kind::TiledCopy(tiled) => &tiled.atom,
        _ => return Err(no_instruction(cx, id, atom)),
    };
    let pred = match pred {
        Some(pred) => Some(predicate(cx, pred)?),
        None => None,
    };
    let (source, destination) = (Tensor::of(cx, source)?, Tensor::of(cx, destination)?);
    match instruction {
        CopyAtom::Universal(_) => universal_copy::lower(cx, &source, &destination, pred),
        CopyAtom::Async(_) => async_copy::lower(cx, &source, &destination, pred),
        CopyAtom::LoadMatrix(matrix) => matrix_copy::load(cx, matrix, &source, &destination, pred),
        CopyAtom::StoreMatrix(matrix) => matrix_copy::store(cx, matrix, &source, &destination, pred),
        CopyAtom::GlobalLoad(atom) => scalar_copies::global_load(cx, atom, [&source, &destination], pred),
        CopyAtom::GlobalStore(atom) => scalar_copies::global_store(cx, atom, [&source, &destination], pred),
        CopyAtom::SharedLoad(atom) => scalar_copies::shared_load(cx, atom, [&source, &destination], pred),
        CopyAtom::SharedStore(atom) => scalar_copies::shared_store(cx, atom, [&source, &destination], pred),
        _ => Err(no_instruction(cx, id, atom)),
    }
}

/// One instruction of a product: `d = a * b + c`.
pub(super) fn multiply(
    cx: &mut Cx<'_>,
    id: OpId,
    atom: Value,
    [d, c]: [Value; 2],
    [a, b]: [&[Value]; 2],
) -> Translated {
    let (&[a], &[b]) = (a, b) else {
        return Err(no_instruction(cx, id, atom));
    };
    let Kind::Mma(instruction) = algebra(cx, atom)?.kind() else {
        return Err(no_instruction(cx, id, atom));
    };
    let [d, a, b, c] = [d, a, b, c].map(|operand| Tensor::of(cx, operand));
    let (d, factors, c) = (d?, [a?, b?], c?);
    match instruction {
        MmaAtom::Fma(_) => fma::lower(cx, &d, &factors, &c),
        MmaAtom::Sm80(atom) => mma_sync::lower(cx, mma_sync::sm80(atom), &d, &factors, &c),
        MmaAtom::Sm89(atom) => mma_sync::lower(cx, mma_sync::sm89(atom), &d, &factors, &c),
        _ => Err(no_instruction(cx, id, atom)),
    }
}

/// Whether an instruction is executed: a truth value, or the only element of a tensor of them, true unless it is 0.
fn predicate(cx: &mut Cx<'_>, pred: Value) -> Result<Value, Diagnostic<Origin>> {
    let boolean = DesugaredType::Scalar(ElementType::I1);
    let number = match cx.from.ty(pred) {
        Type::Cute(_) => {
            let tensor = Tensor::of(cx, pred)?;
            let elements = tensor.load(cx, None)?;
            tensor.first(cx, elements)
        }
        _ => cx.one(pred),
    };
    let scalar = match *cx.ty(number) {
        DesugaredType::Scalar(ElementType::I1) => return Ok(number),
        DesugaredType::Scalar(ElementType::Scalar(scalar)) => scalar,
        _ => return Err(unsupported(cx.origin(), "a predicate that is no number")),
    };
    let (lhs, rhs) = (number, constant(cx, scalar, 0));
    let (predicate, signedness) = (Predicate::NotEqual, Signedness::Unsigned);
    Ok(cx.value(
        ArithOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        },
        boolean,
    ))
}

/// The size of a number type in bytes.
fn bytes(scalar: ScalarType) -> u32 {
    scalar.bytes().unwrap_or(1)
}
