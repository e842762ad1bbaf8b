//! Types of `nvvm`: the contents of machine registers.

use crate::core::{Term, TermCodec, TermError, ValueType};
use crate::element::{ElementType, ScalarType};
use crate::isa::Class;
use crate::llvm::{AddressSpace, Passed};

/// The content of a register: `pred`, `b32`, `f32`, `ptr<1>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NvvmType {
    /// A predicate.
    Pred,
    /// 16 bits of which only the low 8 are significant.
    B8,
    /// 16 bits: an integer, an `f16` or a `bf16`.
    B16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
    /// 128 bits.
    B128,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// An address: 64 bits for global memory, 32 for shared and for local memory.
    Ptr(AddressSpace),
    /// The address, in 64 bits, of a tensor map among the parameters of the kernel.
    TensorMap,
    /// A parameter that is passed by value. No register holds it; its parts are read.
    Passed(Passed),
}

impl NvvmType {
    /// The class of the register.
    pub const fn class(self) -> Class {
        match self {
            Self::Pred => Class::Pred,
            Self::B8 | Self::B16 => Class::B16,
            Self::B32 | Self::Ptr(AddressSpace::Shared | AddressSpace::Local) => Class::B32,
            Self::B64 | Self::Ptr(AddressSpace::Global) | Self::TensorMap | Self::Passed(_) => Class::B64,
            Self::F32 => Class::F32,
            Self::F64 => Class::F64,
            Self::B128 => Class::B128,
        }
    }

    /// Whether addresses of this type have 32 bits: those in memory of a block or of a thread, which may be computed as numbers.
    pub const fn is_narrow_address(self) -> bool {
        matches!(self, Self::B32) || matches!(self, Self::Ptr(space) if space.is_narrow())
    }

    /// The type of a register of this class with all bits significant.
    pub const fn of_class(class: Class) -> Self {
        match class {
            Class::Pred => Self::Pred,
            Class::B16 => Self::B16,
            Class::B32 => Self::B32,
            Class::B64 => Self::B64,
            Class::F32 => Self::F32,
            Class::F64 => Self::F64,
            Class::B128 => Self::B128,
        }
    }

    /// The register type of a number; `None` for numbers that are not held in a register of their own.
    pub const fn of_scalar(scalar: ScalarType) -> Option<Self> {
        match scalar {
            ScalarType::I1 => Some(Self::Pred),
            ScalarType::I8 => Some(Self::B8),
            ScalarType::I16 | ScalarType::F16 | ScalarType::BF16 => Some(Self::B16),
            ScalarType::I32 => Some(Self::B32),
            ScalarType::I64 => Some(Self::B64),
            ScalarType::F32 => Some(Self::F32),
            ScalarType::F64 => Some(Self::F64),
            ScalarType::I4
            | ScalarType::TF32
            | ScalarType::F8E4M3FN
            | ScalarType::F8E5M2
            | ScalarType::F8E8M0FNU
            | ScalarType::F4E2M1FN
            | ScalarType::F8E5M3FNU => None,
        }
    }
}

impl ValueType for NvvmType {
    fn element(&self) -> Option<ElementType> {
        // Registers are untyped: each op determines how it reads them.
        None
    }

    fn with_element(&self, _: ElementType) -> Self {
        *self
    }

    fn is_single(&self) -> bool {
        true
    }

    /// Unused high bits, and being an address, are facts about a value.
    fn bare(&self) -> Self {
        Self::of_class(self.class())
    }
}

impl TermCodec for NvvmType {
    fn write(&self) -> Term {
        match self {
            Self::Pred => Term::word("pred"),
            Self::B8 => Term::word("b8"),
            Self::B16 => Term::word("b16"),
            Self::B32 => Term::word("b32"),
            Self::B64 => Term::word("b64"),
            Self::B128 => Term::word("b128"),
            Self::F32 => Term::word("f32"),
            Self::F64 => Term::word("f64"),
            Self::TensorMap => Term::word("tensor_map"),
            Self::Passed(passed) => passed.write(),
            Self::Ptr(space) => Term::call("ptr", vec![Term::int(space.number()).into()]),
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("pred", [])) => Ok(Self::Pred),
            Some(("tensor_map", [])) => Ok(Self::TensorMap),
            Some(("b8", [])) => Ok(Self::B8),
            Some(("b16", [])) => Ok(Self::B16),
            Some(("b32", [])) => Ok(Self::B32),
            Some(("b64", [])) => Ok(Self::B64),
            Some(("b128", [])) => Ok(Self::B128),
            Some(("f32", [])) => Ok(Self::F32),
            Some(("f64", [])) => Ok(Self::F64),
            Some(("passed", sizes)) => Passed::read(term, sizes).map(Self::Passed),
            Some(("ptr", [arg])) => AddressSpace::read(&arg.value).map(Self::Ptr),
            _ => Err(term.wrong(
                "`pred`, `b8`, `b16`, `b32`, `b64`, `b128`, `f32`, `f64`, `ptr<space>`, `tensor_map` or `passed<…>`",
            )),
        }
    }
}
