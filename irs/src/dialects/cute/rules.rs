//! The types of the primitives.

use tilewright_diagnostics::{Code, counted};
use tilewright_layouts::cute::{Bits, Fact};

use super::ops::CuteOp;
use crate::core::{Body, Language, OpData, Operation, Value, ValueType};
use crate::cute_types::{CuteType, Element, Kind, Pointer, Space, ViewLayout};
use crate::element::{ElementType, ScalarType};

/// A type that may be of CuTe's algebra.
pub trait AlgebraValue: ValueType {
    /// The type of the algebra.
    fn algebra(&self) -> Option<&CuteType>;
    /// The type of the base pointer, if values of this type are iterators over tiles.
    fn tile_iterator(&self) -> Option<&CuteType>;
    /// The number of elements, if values of this type are elements.
    fn elements(&self) -> Option<(u32, ElementType)>;
}

/// The machine type of a dynamic leaf.
pub const fn machine_integer(fact: Fact) -> ScalarType {
    match fact {
        Fact::Dynamic { width: Bits::B8, .. } => ScalarType::I8,
        Fact::Dynamic { width: Bits::B16, .. } => ScalarType::I16,
        Fact::Dynamic { width: Bits::B64, .. } => ScalarType::I64,
        Fact::Dynamic { width: Bits::B32, .. } | Fact::Static(_) => ScalarType::I32,
    }
}

type Checked = Result<(), (Code, String)>;

fn refuse(code: Code, message: impl Into<String>) -> Checked {
    Err((code, message.into()))
}

struct Checker<'a, L: Language> {
    body: &'a Body<L>,
    op: &'a OpData<L>,
}

impl<L: Language<Type: AlgebraValue>> Checker<'_, L> {
    fn kind(&self, value: Value, what: &str) -> Result<&Kind, (Code, String)> {
        let kind = self.body.ty(value).algebra().map(CuteType::kind);
        kind.ok_or_else(|| {
            (
                Code::OperandType,
                format!("`{}`: {what} is of a type of `cute`", self.op.kind.name()),
            )
        })
    }

    fn pointer(&self, value: Value) -> Result<&Pointer, (Code, String)> {
        match self.body.ty(value).algebra().map(CuteType::kind) {
            Some(Kind::Pointer(pointer)) => Ok(pointer),
            _ => Err((
                Code::OperandType,
                format!("`{}` takes a pointer of `cute`", self.op.kind.name()),
            )),
        }
    }

    fn result(&self) -> Result<&CuteType, (Code, String)> {
        let ty = self.body.ty(self.op.result(0)).algebra();
        ty.ok_or_else(|| {
            (
                Code::TypeMismatch,
                format!("the result of `{}` is of a type of `cute`", self.op.kind.name()),
            )
        })
    }

    fn result_is(&self, expected: Kind) -> Checked {
        let (have, expected) = (self.result()?, CuteType::from(expected));
        if *have == expected {
            return Ok(());
        }
        refuse(
            Code::TypeMismatch,
            format!(
                "the result of `{}` is `{expected}`, not `{have}`",
                self.op.kind.name()
            ),
        )
    }

    /// Checks that values are the dynamic leaves of a type.
    fn leaves(&self, of: &Kind, values: &mut dyn ExactSizeIterator<Item = Value>) -> Checked {
        let leaves = of.dynamic_leaves();
        if leaves.len() != values.len() {
            let message = format!(
                "`{}` has {}, and the type {}",
                self.op.kind.name(),
                counted(values.len(), "value"),
                counted(leaves.len(), "dynamic leaf"),
            );
            return refuse(Code::OperandType, message);
        }
        for (leaf, value) in leaves.into_iter().zip(values) {
            let (expected, have) = (machine_integer(leaf), self.body.ty(value));
            if !have.is_single() || have.element() != Some(ElementType::Scalar(expected)) {
                return refuse(Code::OperandType, format!("the leaf `{leaf}` is an {expected}"));
            }
        }
        Ok(())
    }

    /// Checks an access of so many elements at a pointer.
    fn access(&self, pointer: &Pointer, value: Value, pred: Option<Value>) -> Checked {
        if pointer.swizzle().is_some() {
            return refuse(
                Code::OperandType,
                "an access is at a pointer without a swizzle: apply it first",
            );
        }
        let elements = self.body.ty(value).elements();
        let scalar = match pointer.element() {
            Some(Element::Number(number)) => number.scalar(),
            _ => None,
        };
        match elements {
            Some((_, ElementType::Scalar(element))) if scalar == Some(element) => {}
            _ => {
                let message = format!(
                    "an access at `{}` is of its elements",
                    CuteType::from(Kind::Pointer(pointer.clone()))
                );
                return refuse(Code::TypeMismatch, message);
            }
        }
        match pred {
            Some(pred)
                if self.body.ty(pred).element() != Some(ElementType::I1)
                    || !self.body.ty(pred).is_single() =>
            {
                refuse(Code::OperandType, "a predicate is an i1")
            }
            _ => Ok(()),
        }
    }
}

/// Verifies a primitive.
///
/// # Errors
/// The error.
pub fn check<L: Language<Type: AlgebraValue>>(body: &Body<L>, op: &OpData<L>, own: &CuteOp) -> Checked {
    let at = Checker { body, op };
    match own {
        CuteOp::Static {} => match at.result()?.kind() {
            kind if kind.dynamic_leaves().is_empty() && kind.has_no_address() => Ok(()),
            _ => refuse(
                Code::TypeMismatch,
                format!("`{}` does not say its value", at.result()?),
            ),
        },
        CuteOp::Flat { leaves } => {
            let kind = at.result()?.kind();
            if !kind.has_no_address() {
                return refuse(
                    Code::TypeMismatch,
                    format!("a `{}` is more than its leaves", at.result()?),
                );
            }
            at.leaves(kind, &mut leaves.iter().copied())
        }
        CuteOp::GetScalars { source } => {
            let kind = at.kind(*source, "the source")?;
            at.leaves(kind, &mut op.results().collect::<Vec<_>>().into_iter())
        }
        CuteOp::MakeView { iter, layout } => match at.result()?.kind() {
            Kind::View(view)
                if view.pointer == *at.pointer(*iter)?
                    && Kind::from(&view.layout) == *at.kind(*layout, "the layout")? =>
            {
                Ok(())
            }
            _ => refuse(
                Code::TypeMismatch,
                format!("`{}` is of another pointer or layout", at.result()?),
            ),
        },
        CuteOp::GetIter { view } => match at.kind(*view, "the tensor")? {
            Kind::View(view) => at.result_is(Kind::Pointer(view.pointer.clone())),
            _ => refuse(Code::OperandType, "`cute.get_iter` takes a tensor in memory"),
        },
        CuteOp::GetLayout { view } => match at.kind(*view, "the tensor")? {
            Kind::View(view) => at.result_is(Kind::from(&view.layout)),
            _ => refuse(Code::OperandType, "`cute.get_layout` takes a tensor in memory"),
        },
        CuteOp::AddOffset { pointer, offset } => {
            let pointer = at.pointer(*pointer)?;
            match at.kind(*offset, "the offset")? {
                Kind::IntTuple(tilewright_layouts::cute::Nested::Leaf(fact)) => {
                    let bits = fact.divisor().saturating_mul(u64::from(pointer.element_bits()));
                    at.result_is(Kind::Pointer(pointer.moved(bits)))
                }
                _ => refuse(Code::OperandType, "the offset of a pointer is one integer"),
            }
        }
        CuteOp::RecastIter { pointer } => {
            let from = at.pointer(*pointer)?.space();
            match at.result()?.kind() {
                Kind::Pointer(to) if to.space() == from => Ok(()),
                _ => refuse(
                    Code::TypeMismatch,
                    format!("`{}` is no pointer to {}", at.result()?, from.word()),
                ),
            }
        }
        CuteOp::IntToPtr { source } => {
            let Kind::Pointer(to) = at.result()?.kind() else {
                return refuse(Code::TypeMismatch, "`cute.inttoptr` makes a pointer");
            };
            address(body, *source, to)
        }
        CuteOp::PtrToInt { pointer } => address(body, op.result(0), at.pointer(*pointer)?),
        CuteOp::ApplySwizzle { pointer } => {
            let pointer = at.pointer(*pointer)?;
            at.result_is(Kind::Pointer(pointer.without_swizzle()))
        }
        CuteOp::Address { pointer } => {
            let pointer = at.pointer(*pointer)?;
            let has_address = matches!(pointer.space(), Space::Global | Space::Shared);
            match has_address && pointer.swizzle().is_none() && body.ty(op.result(0)).algebra().is_none() {
                true => Ok(()),
                false => refuse(
                    Code::OperandType,
                    "the address of a pointer to global or shared memory without a swizzle",
                ),
            }
        }
        CuteOp::Alloca {} => match at.result()?.kind() {
            Kind::View(view)
                if view.pointer.space() == Space::Register
                    && matches!(&view.layout, ViewLayout::Plain(layout) if layout.is_static()) =>
            {
                Ok(())
            }
            _ => refuse(
                Code::TypeMismatch,
                format!("`{}` is no tensor in registers of a static layout", at.result()?),
            ),
        },
        CuteOp::PtrLoad { pointer, pred, .. } => at.access(at.pointer(*pointer)?, op.result(0), *pred),
        CuteOp::PtrStore { value, pointer, pred } => at.access(at.pointer(*pointer)?, *value, *pred),
    }
}

/// Checks that a value can be the address of a pointer.
fn address<L: Language<Type: AlgebraValue>>(body: &Body<L>, value: Value, pointer: &Pointer) -> Checked {
    let expected = match pointer.space() {
        Space::Shared | Space::Register | Space::Tensor => ScalarType::I32,
        Space::Generic | Space::Global | Space::ClusterShared | Space::Constant => ScalarType::I64,
    };
    let ty = body.ty(value);
    if ty.is_single() && ty.element() == Some(ElementType::Scalar(expected)) {
        return Ok(());
    }
    refuse(
        Code::OperandType,
        format!("an address in {} is an {expected}", pointer.space().word()),
    )
}
