//! Rules of the primitive ops.

use tilewright_diagnostics::{Code, counted, counted_as};
use tilewright_layouts::cute::{Int, Layout, Nested, Width};

use super::infer::{self, Inferred, Operands};
use super::ops::CuteOp;
use super::types::{AlgebraType, CuteSpace, View};
use crate::core::{Body, Language, OpData, Operation, Problems, TermCodec, Value, ValueType, term_text};
use crate::dialects::cute_nvgpu::Atom;
use crate::dialects::memory::MemoryOrder;
use crate::dialects::memory_rules::{Caching, check_caching};
use crate::element::{ElementType, ScalarType};

/// A value type that may be one of the layout algebra.
pub trait AlgebraValue: ValueType {
    /// The type of the algebra; `None` for other types.
    fn algebra(&self) -> Option<&AlgebraType>;
}

type Checked = Result<(), (Code, String)>;

fn refuse(code: Code, message: impl Into<String>) -> Checked {
    Err((code, message.into()))
}

/// Checks that the result type is the inferred one.
///
/// # Errors
/// The operands are invalid, or the result's type differs.
pub fn check_inferred<L: Language<Type: AlgebraValue>>(
    body: &Body<L>,
    op: &OpData<L>,
    infer: impl FnOnce(&Operands) -> Inferred,
) -> Checked {
    let name = op.kind.name();
    let types = op.kind.operand_list().into_iter().map(|value| body.ty(value));
    let types: Option<Vec<AlgebraType>> = types.map(|ty| ty.algebra().cloned()).collect();
    let Some(operands) = types.and_then(Operands::new) else {
        return refuse(
            Code::OperandType,
            format!("the operands of `{name}` are of `cute`'s types"),
        );
    };
    let inferred = infer(&operands).map_err(|why| (Code::OperandType, format!("`{name}`: {why}")))?;
    let Some(inferred) = inferred.sealed() else {
        return refuse(
            Code::OperandType,
            format!("`{name}` has no result for these operands"),
        );
    };
    let have = body.ty(op.result(0));
    if have.algebra() == Some(&inferred) {
        return Ok(());
    }
    let message = format!(
        "the result of `{name}` is `{}`, not `{}`",
        term_text(&inferred.write()),
        term_text(&have.write())
    );
    refuse(Code::TypeMismatch, message)
}

/// Infers the result type of a primitive op from the operand types. Its unknowns are expressions in those of the
/// operands.
///
/// # Errors
/// A message for the user: the operands are incompatible, or do not determine the result.
pub fn infer_primitive(op: &CuteOp, operands: &Operands) -> Inferred {
    match op {
        CuteOp::MakeLayout { stride, .. } => {
            let shape = operands.tuple(0)?;
            let layout = match stride {
                Some(_) => Layout::new(shape.clone(), operands.tuple(1)?.clone()),
                None => Layout::column_major(shape),
            };
            layout.map(AlgebraType::Layout).map_err(infer::failed)
        }
        CuteOp::MakeView { .. } => Ok(AlgebraType::Memref(View {
            pointer: operands.pointer(0)?.clone(),
            layout: operands.function(1)?,
        })),
        CuteOp::GetIter { .. } => Ok(AlgebraType::Pointer(operands.view(0)?.pointer.clone())),
        CuteOp::GetLayout { .. } => Ok(infer::layout_type(operands.view(0)?.layout.clone())),
        CuteOp::GetShape { .. } => Ok(AlgebraType::Shape(operands.shape(0)?)),
        CuteOp::GetStride { .. } => {
            let layout = operands.function(0)?;
            match layout.as_plain() {
                Some(plain) => Ok(AlgebraType::Stride(plain.stride())),
                None => Err("a composed layout has no strides".to_owned()),
            }
        }
        CuteOp::Size { .. } => {
            let size = operands.shape(0)?.product().map_err(infer::failed)?;
            Ok(AlgebraType::IntTuple(Nested::Leaf(size)))
        }
        CuteOp::Cosize { .. } => {
            let size = operands.function(0)?.cosize().map_err(infer::failed)?;
            Ok(AlgebraType::IntTuple(Nested::Leaf(size)))
        }
        CuteOp::Crd2Idx { .. } => {
            let index = infer::index(&operands.function(1)?, &operands.coord(0)?)?;
            Ok(AlgebraType::IntTuple(Nested::Leaf(index)))
        }
        CuteOp::TupleAdd { .. } => {
            infer::leaf_by_leaf(operands.tuple(0)?, operands.tuple(1)?, &mut |a, b| a.plus(b))
                .map(AlgebraType::IntTuple)
        }
        CuteOp::TupleMul { .. } => {
            infer::leaf_by_leaf(operands.tuple(0)?, operands.tuple(1)?, &mut |a, b| a.times(b))
                .map(AlgebraType::IntTuple)
        }
        CuteOp::AddOffset { .. } => match operands.tuple(1)? {
            Nested::Leaf(offset) => Ok(AlgebraType::Pointer(operands.pointer(0)?.after(offset))),
            Nested::Tuple(_) => Err("an offset is one integer".to_owned()),
        },
        CuteOp::Static {}
        | CuteOp::MakeIntTuple { .. }
        | CuteOp::MakeCoord { .. }
        | CuteOp::MakeShape { .. }
        | CuteOp::MakeStride { .. }
        | CuteOp::GetScalars { .. }
        | CuteOp::RecastIter { .. }
        | CuteOp::MemrefAlloca { .. }
        | CuteOp::MemrefLoad { .. }
        | CuteOp::MemrefStore { .. }
        | CuteOp::MakeAtom {}
        | CuteOp::Copy { .. }
        | CuteOp::Gemm { .. } => Err("the operands do not say the result".to_owned()),
    }
}

/// The integer type of a dynamic leaf.
pub fn leaf_scalar(leaf: &Int) -> ScalarType {
    match leaf {
        Int::Dynamic(dynamic) if dynamic.width() == Width::I64 => ScalarType::I64,
        Int::Dynamic(_) | Int::Static(_) => ScalarType::I32,
    }
}

/// Checks the operands of an op that are the dynamic leaves of its result.
fn check_leaves<L: Language<Type: AlgebraValue>>(
    body: &Body<L>,
    name: &str,
    tuple: Value,
    leaves: &[Value],
) -> Checked {
    let Some(ty) = body.ty(tuple).algebra() else {
        return refuse(Code::OperandType, format!("`{name}` is about values of `cute`"));
    };
    let want: Vec<ScalarType> = ty.dynamic_leaves().iter().map(leaf_scalar).collect();
    if want.len() != leaves.len() {
        let message = format!(
            "`{}` has {}, `{name}` {}",
            term_text(&ty.write()),
            counted_as(want.len(), "dynamic leaf", "dynamic leaves"),
            counted(leaves.len(), "integer")
        );
        return refuse(Code::OperandCount, message);
    }
    for (i, (&leaf, want)) in leaves.iter().zip(want).enumerate() {
        let have = body.ty(leaf);
        if !have.is_single() || have.element() != Some(ElementType::Scalar(want)) {
            let message = format!("leaf {i} of `{name}` is an `{want}`");
            return refuse(Code::TypeMismatch, message);
        }
    }
    Ok(())
}

fn algebra<L: Language<Type: AlgebraValue>>(body: &Body<L>, value: Value) -> Option<&AlgebraType> {
    body.ty(value).algebra()
}

/// Checks an op that accesses one element of a tensor.
fn check_access<L: Language<Type: AlgebraValue>>(
    body: &Body<L>,
    (view, coord, value): (Value, Value, Value),
) -> Checked {
    let (Some(AlgebraType::Memref(tensor)), Some(coord)) = (algebra(body, view), algebra(body, coord)) else {
        return refuse(Code::OperandType, "a tensor is read and written at a coordinate");
    };
    let operands = Operands::new([AlgebraType::Memref(tensor.clone()), coord.clone()]);
    let place = operands
        .ok_or_else(|| "no coordinate".to_owned())
        .and_then(|operands| infer::index(&operands.function(0)?, &operands.coord(1)?));
    if let Err(why) = place {
        return refuse(Code::OperandType, why);
    }
    let ty = body.ty(value);
    if !ty.is_single() || ty.element() != Some(ElementType::Scalar(tensor.pointer.element)) {
        let message = format!("an element of the tensor is a `{}`", tensor.pointer.element);
        return refuse(Code::TypeMismatch, message);
    }
    Ok(())
}

/// Checks that operands are tensors with the element types of the op's atom.
fn check_atom_types(atom: Option<&AlgebraType>, tensors: &[Option<&AlgebraType>]) -> Checked {
    let Some(AlgebraType::Atom(atom)) = atom else {
        return refuse(Code::OperandType, "the first operand is an atom");
    };
    let views: Option<Vec<&View>> = tensors
        .iter()
        .map(|ty| match ty {
            Some(AlgebraType::Memref(view)) => Some(view),
            _ => None,
        })
        .collect();
    let Some(views) = views else {
        return refuse(Code::OperandType, "an atom works on tensors");
    };
    let elements: Vec<ScalarType> = views.iter().map(|view| view.pointer.element).collect();
    let spaces: Vec<CuteSpace> = views.iter().map(|view| view.pointer.space).collect();
    let copies = |element: ScalarType, from: &[CuteSpace], to: &[CuteSpace]| {
        let fits = matches!(*spaces.as_slice(), [s, d] if from.contains(&s) && to.contains(&d));
        if elements != [element, element] || !fits {
            let words = |spaces: &[CuteSpace]| {
                let words: Vec<&str> = spaces.iter().map(|space| space.word()).collect();
                words.join(" or ")
            };
            let message = format!(
                "the atom copies `{element}` from {} to {}",
                words(from),
                words(to)
            );
            return refuse(Code::TypeMismatch, message);
        }
        Ok(())
    };
    match atom {
        Atom::UniversalCopy { element, .. } => copies(*element, CuteSpace::ALL, CuteSpace::ALL),
        Atom::SimtAsyncCopy { element, .. } => copies(*element, &[CuteSpace::Global], &[CuteSpace::Shared]),
        Atom::Ldsm { element, .. } => copies(*element, &[CuteSpace::Shared], &[CuteSpace::Register]),
        Atom::Mma(mma) => {
            let [a, b] = mma.operands;
            let want = [mma.accumulator, a, b, mma.accumulator];
            if elements != want || spaces.iter().any(|space| *space != CuteSpace::Register) {
                let message = format!(
                    "the atom multiplies `{a}` by `{b}` in registers and adds `{}`",
                    mma.accumulator
                );
                return refuse(Code::TypeMismatch, message);
            }
            Ok(())
        }
    }
}

/// Checks how an access to a tensor uses the caches, at its attributes.
pub fn check_cached<L: Language<Type: AlgebraValue>>(
    body: &Body<L>,
    op: &OpData<L>,
    own: &CuteOp,
    problems: &mut Problems,
) {
    let (view, caching) = match *own {
        CuteOp::MemrefLoad {
            view,
            cache,
            prefetch,
            ..
        } => (view, Caching::of_load(cache, prefetch, false)),
        CuteOp::MemrefStore { view, cache, .. } => (view, Caching::of_store(cache, false)),
        _ => return,
    };
    let is_global = matches!(algebra(body, view), Some(AlgebraType::Memref(view)) if view.pointer.space == CuteSpace::Global);
    check_caching(op, caching, MemoryOrder::Weak, is_global, problems);
}

/// Verifies a primitive op.
///
/// # Errors
/// The error.
pub fn check_primitive<L: Language<Type: AlgebraValue>>(
    body: &Body<L>,
    op: &OpData<L>,
    own: &CuteOp,
) -> Checked {
    let name = op.kind.name();
    match own {
        CuteOp::Static {} => match algebra(body, op.result(0)) {
            Some(ty) if ty.is_static() => Ok(()),
            _ => refuse(
                Code::TypeMismatch,
                "the type of a static value has no dynamic leaf",
            ),
        },
        CuteOp::MakeIntTuple { leaves } => match algebra(body, op.result(0)) {
            Some(AlgebraType::IntTuple(_)) => check_leaves(body, name, op.result(0), leaves),
            _ => refuse(Code::TypeMismatch, "the result is a `cute.int_tuple`"),
        },
        CuteOp::MakeCoord { leaves } => match algebra(body, op.result(0)) {
            Some(AlgebraType::Coord(_)) => check_leaves(body, name, op.result(0), leaves),
            _ => refuse(Code::TypeMismatch, "the result is a `cute.coord`"),
        },
        CuteOp::MakeShape { leaves } => match algebra(body, op.result(0)) {
            Some(AlgebraType::Shape(_)) => check_leaves(body, name, op.result(0), leaves),
            _ => refuse(Code::TypeMismatch, "the result is a `cute.shape`"),
        },
        CuteOp::MakeStride { leaves } => match algebra(body, op.result(0)) {
            Some(AlgebraType::Stride(_)) => check_leaves(body, name, op.result(0), leaves),
            _ => refuse(Code::TypeMismatch, "the result is a `cute.stride`"),
        },
        CuteOp::GetScalars { source } => check_leaves(body, name, *source, &op.results().collect::<Vec<_>>()),
        CuteOp::RecastIter { pointer } => match (algebra(body, *pointer), algebra(body, op.result(0))) {
            (Some(AlgebraType::Pointer(from)), Some(AlgebraType::Pointer(to))) if from.space == to.space => {
                Ok(())
            }
            _ => refuse(Code::TypeMismatch, "a pointer stays in its memory space"),
        },
        CuteOp::MemrefAlloca { layout } => match (algebra(body, *layout), algebra(body, op.result(0))) {
            (Some(AlgebraType::Layout(layout)), Some(AlgebraType::Memref(view)))
                if view.layout.as_plain() == Some(layout)
                    && layout.is_static()
                    && view.pointer.space == CuteSpace::Register =>
            {
                Ok(())
            }
            _ => refuse(
                Code::TypeMismatch,
                "registers are a tensor in `rmem` of a static layout, the operand's",
            ),
        },
        CuteOp::MemrefLoad { view, coord, .. } => check_access(body, (*view, *coord, op.result(0))),
        CuteOp::MemrefStore {
            view, coord, value, ..
        } => check_access(body, (*view, *coord, *value)),
        CuteOp::MakeAtom {} => match algebra(body, op.result(0)) {
            Some(AlgebraType::Atom(_)) => Ok(()),
            _ => refuse(Code::TypeMismatch, "the result is an atom"),
        },
        CuteOp::Copy {
            atom,
            source,
            destination,
        } => {
            let tensors = [algebra(body, *source), algebra(body, *destination)];
            check_atom_types(algebra(body, *atom), &tensors)
        }
        CuteOp::Gemm { atom, d, a, b, c } => {
            let tensors = [d, a, b, c].map(|value| algebra(body, *value));
            check_atom_types(algebra(body, *atom), &tensors)
        }
        CuteOp::MakeLayout { .. }
        | CuteOp::MakeView { .. }
        | CuteOp::GetIter { .. }
        | CuteOp::GetLayout { .. }
        | CuteOp::GetShape { .. }
        | CuteOp::GetStride { .. }
        | CuteOp::Size { .. }
        | CuteOp::Cosize { .. }
        | CuteOp::Crd2Idx { .. }
        | CuteOp::TupleAdd { .. }
        | CuteOp::TupleMul { .. }
        | CuteOp::AddOffset { .. } => check_inferred(body, op, |operands| infer_primitive(own, operands)),
    }
}
