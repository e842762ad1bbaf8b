//! Types of `llvm_like`.

use crate::core::{Term, TermCodec, TermError, TermKind, ValueType};
use crate::element::{ElementType, ScalarType};

crate::keywords! {
    /// Address space of a pointer.
    pub enum AddressSpace {
        /// Global memory, LLVM's address space 1.
        Global = "global",
        /// The block's shared memory, LLVM's address space 3.
        Shared = "shared",
    }
}

impl AddressSpace {
    /// LLVM's number of the space.
    pub const fn number(self) -> u32 {
        match self {
            Self::Global => 1,
            Self::Shared => 3,
        }
    }
}

/// A type of `llvm_like`: `f32`, `ptr<1>`, `vector<4xf32>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LlvmType {
    /// One number.
    Scalar(ScalarType),
    /// An address.
    Ptr(AddressSpace),
    /// A vector, for memory instructions.
    Vector(u32, ScalarType),
    /// The address of a tensor map among the parameters of the kernel, in LLVM's address space 101.
    TensorMap,
}

impl LlvmType {
    /// The number type of a scalar.
    pub fn scalar(&self) -> Option<ScalarType> {
        match self {
            Self::Scalar(scalar) => Some(*scalar),
            Self::Ptr(_) | Self::Vector(..) | Self::TensorMap => None,
        }
    }
}

impl ValueType for LlvmType {
    fn element(&self) -> Option<ElementType> {
        match self {
            Self::Scalar(scalar) => Some(ElementType::Scalar(*scalar)),
            // Pointers are opaque: each access gives the element type.
            Self::Ptr(AddressSpace::Global) => Some(ElementType::Ptr(ScalarType::I8)),
            Self::Ptr(AddressSpace::Shared) | Self::Vector(..) | Self::TensorMap => None,
        }
    }

    fn with_element(&self, element: ElementType) -> Self {
        match element {
            ElementType::Scalar(scalar) => Self::Scalar(scalar),
            ElementType::Ptr(_) => Self::Ptr(AddressSpace::Global),
        }
    }

    fn is_single(&self) -> bool {
        matches!(self, Self::Scalar(_) | Self::Ptr(_) | Self::TensorMap)
    }
}

impl TermCodec for LlvmType {
    fn write(&self) -> Term {
        match self {
            Self::Scalar(scalar) => scalar.write(),
            Self::Ptr(space) => Term::call("ptr", vec![Term::int(space.number()).into()]),
            Self::TensorMap => Term::word("tensor_map"),
            Self::Vector(count, scalar) => {
                let dims = TermKind::Dims(vec![Some(u64::from(*count))], Box::new(scalar.write()));
                Term::call("vector", vec![Term::from(dims).into()])
            }
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("tensor_map", [])) => Ok(Self::TensorMap),
            Some(("ptr", [arg])) => match arg.value.kind {
                TermKind::Int(1) => Ok(Self::Ptr(AddressSpace::Global)),
                TermKind::Int(3) => Ok(Self::Ptr(AddressSpace::Shared)),
                _ => Err(arg.value.wrong("an address space: 1 (global) or 3 (shared)")),
            },
            Some(("vector", [arg])) => match &arg.value.kind {
                TermKind::Dims(extents, element) => match extents.as_slice() {
                    [Some(count @ (2 | 4 | 8 | 16))] => {
                        let count = u32::try_from(*count).map_err(|_| term.wrong("a vector"))?;
                        Ok(Self::Vector(count, ScalarType::read(element)?))
                    }
                    _ => Err(arg.value.wrong("2, 4, 8 or 16 elements")),
                },
                _ => Err(arg.value.wrong("a count and an element type, such as `4xf32`")),
            },
            _ => ScalarType::read(term).map(Self::Scalar).map_err(|error| {
                error.or(term.wrong("a scalar type, `ptr<space>`, `vector<…>` or `tensor_map`"))
            }),
        }
    }
}
