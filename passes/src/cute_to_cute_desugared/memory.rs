//! Arrays of the thread, and accesses of elements.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::infer::{Question, compute};
use tilewright_irs::cute_types::{Dialect, Element, Kind, Pointer, Space, ValueType};
use tilewright_irs::dialects::cute::CuteOp;
use tilewright_irs::element::ElementType;
use tilewright_layouts::cute::{Nested, Traced};

use super::pointers::{pointer, unswizzled};
use super::state::{Cx, not_lowered, unsupported};
use super::types::types;
use super::values::{algebra, inputs};
use super::views::{as_type, memory_view, moved, pointer_of};

/// An array of the thread.
pub(super) fn alloca(cx: &mut Cx<'_>, id: OpId) -> Translated {
    let result = cx.old(id).result(0);
    let ty = algebra(cx, result)?;
    match ty.kind() {
        Kind::View(view) if view.pointer.space() == Space::Register => {
            let align = view.pointer.align().get();
            if !align.is_power_of_two() {
                let message = format!("an array of a thread is aligned to a power of two, not to {align}");
                return Err(Diagnostic::error(Code::OperandType, message).at(cx.origin(), ""));
            }
            let array = cx.value(CuteOp::Alloca {}, DesugaredType::Cute(ty.clone()));
            cx.bind(result, [array]);
            Ok(())
        }
        _ => Err(not_lowered(cx, id)),
    }
}

/// The pointer to an element of a tensor in memory.
fn element(cx: &mut Cx<'_>, tensor: Value, coord: Value) -> Result<Value, Diagnostic<Origin>> {
    let view = memory_view(cx, tensor)?;
    let layout = Kind::from(&view.layout);
    let asked = [
        ValueType::Cute(algebra(cx, coord)?.clone()),
        ValueType::Cute(layout.into()),
    ];
    let refused = |message: String| Diagnostic::error(Code::OperandType, message).at(cx.origin(), "");
    let question = Question {
        dialect: Dialect::Library,
        operands: &asked,
        attributes: &[],
    };
    let answer = match compute("cute.crd2idx", &question) {
        Some(Ok(answers)) => answers.into_iter().next(),
        Some(Err(refusal)) => return Err(refused(refusal.to_string())),
        None => None,
    };
    let Some(answer) = answer else {
        return Err(refused("a coordinate has no index in this tensor".to_owned()));
    };
    let inputs = inputs(cx, &[coord, tensor]);
    let tensor = cx.one(tensor);
    let pointer = pointer_of(cx, tensor, view);
    let index = match answer.leaves.as_slice() {
        [index] => index.clone(),
        _ => match answer.ty {
            ValueType::Cute(ref ty) if let Kind::IntTuple(Nested::Leaf(fact)) = ty.kind() => {
                Traced::input(*fact, 0)
            }
            ValueType::Cute(_) | ValueType::Machine(_) => {
                return Err(unsupported(cx.origin(), "an index of several integers"));
            }
        },
    };
    moved(cx, pointer, &index, &inputs)
}

/// Loads an element of a tensor, or adds up a coordinate.
pub(super) fn load(cx: &mut Cx<'_>, id: OpId, tensor: Value, coord: Value) -> Translated {
    match algebra(cx, tensor)?.kind() {
        Kind::View(_) => {
            let at = element(cx, tensor, coord)?;
            load_result(cx, id, at)
        }
        _ => super::computed::computed(cx, id, Dialect::Library),
    }
}

/// Loads what is at a pointer.
pub(super) fn load_at(cx: &mut Cx<'_>, id: OpId, at: Value) -> Translated {
    let at = cx.one(at);
    load_result(cx, id, at)
}

fn load_result(cx: &mut Cx<'_>, id: OpId, at: Value) -> Translated {
    let result = cx.old(id).result(0);
    let ty = types(cx.from.ty(result))?;
    let [ty] = ty.as_slice() else {
        return Err(not_lowered(cx, id));
    };
    let at = to_numbers(cx, at)?;
    let value = load_value(cx, at, ty.clone(), None)?;
    cx.bind(result, [value]);
    Ok(())
}

/// Stores an element of a tensor.
pub(super) fn store(cx: &mut Cx<'_>, tensor: Value, coord: Value, value: Value) -> Translated {
    let at = element(cx, tensor, coord)?;
    let value = cx.one(value);
    store_value(cx, value, at, None)
}

/// Stores at a pointer.
pub(super) fn store_at(cx: &mut Cx<'_>, value: Value, at: Value) -> Translated {
    let (value, at) = (cx.one(value), cx.one(at));
    let at = to_numbers(cx, at)?;
    store_value(cx, value, at, None)
}

/// A pointer to vectors as one to their numbers.
fn to_numbers(cx: &mut Cx<'_>, at: Value) -> Result<Value, Diagnostic<Origin>> {
    let of = pointer(cx, at)?;
    match of.element() {
        Some(Element::Vector(_, number)) => {
            let element = Some(Element::Number(*number));
            let to = Pointer::new(element, of.space(), of.align(), of.swizzle());
            Ok(as_type(cx, at, Kind::Pointer(to).into()))
        }
        _ => Ok(at),
    }
}

/// The number type of what a new pointer points to.
pub(super) fn pointee(cx: &Cx<'_>, at: Value) -> Result<ElementType, Diagnostic<Origin>> {
    match pointer(cx, at)?.element() {
        Some(Element::Number(number)) if let Some(scalar) = number.scalar() => {
            Ok(ElementType::Scalar(scalar))
        }
        _ => Err(unsupported(
            cx.origin(),
            "an access of something that is no number",
        )),
    }
}

/// Loads one element, or a fragment of adjacent ones.
pub(super) fn load_value(
    cx: &mut Cx<'_>,
    at: Value,
    ty: DesugaredType,
    pred: Option<Value>,
) -> Result<Value, Diagnostic<Origin>> {
    let pointer = unswizzled(cx, at)?;
    let (cache, prefetch) = (None, None);
    Ok(cx.value(
        CuteOp::PtrLoad {
            pointer,
            pred,
            cache,
            prefetch,
        },
        ty,
    ))
}

/// Stores one element, or a fragment of adjacent ones.
pub(super) fn store_value(cx: &mut Cx<'_>, value: Value, at: Value, pred: Option<Value>) -> Translated {
    let pointer = unswizzled(cx, at)?;
    cx.build().effect(CuteOp::PtrStore { value, pointer, pred });
    Ok(())
}
