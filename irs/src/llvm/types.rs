//! Types of `llvm_like`.

use std::sync::{LazyLock, Mutex, PoisonError};

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, counted};

use crate::core::{Arg, Term, TermCodec, TermError, TermKind, ValueType};
use crate::element::{ElementType, ScalarType};

crate::keywords! {
    /// Address space of a pointer.
    pub enum AddressSpace {
        /// Global memory, LLVM's address space 1.
        Global = "global",
        /// The block's shared memory, LLVM's address space 3.
        Shared = "shared",
        /// The thread's own memory, LLVM's address space 5.
        Local = "local",
    }
}

impl AddressSpace {
    /// The space of this number.
    ///
    /// # Errors
    /// There is no such space.
    pub fn read(term: &Term) -> Result<Self, TermError> {
        match term.kind {
            TermKind::Int(1) => Ok(Self::Global),
            TermKind::Int(3) => Ok(Self::Shared),
            TermKind::Int(5) => Ok(Self::Local),
            _ => Err(term.wrong("an address space: 1 (global), 3 (shared) or 5 (local)")),
        }
    }

    /// Whether its addresses have 32 bits: they are offsets in the memory of a block or of a thread.
    pub const fn is_narrow(self) -> bool {
        match self {
            Self::Global => false,
            Self::Shared | Self::Local => true,
        }
    }

    /// LLVM's number of the space.
    pub const fn number(self) -> u32 {
        match self {
            Self::Global => 1,
            Self::Shared => 3,
            Self::Local => 5,
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
    /// A parameter that is passed by value, as a struct is.
    Passed(Passed),
    /// Several values together.
    Struct(StructType),
}

/// A struct type: `struct<ptr<1>, i32, struct<i64, i64>>`. Its fields are numbers, pointers and structs, and there is at least
/// one. In memory each field is aligned to its own alignment, and the struct to the largest of these, as in C.
///
/// Equal types share one list of fields, which lives as long as the process: there are few, and types are copied everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StructType(&'static [LlvmType]);

/// The lists of fields of all struct types.
static KNOWN: LazyLock<Mutex<FxHashSet<&'static [LlvmType]>>> = LazyLock::new(Mutex::default);

impl StructType {
    /// The type with these fields; `None` if there are none, or a field can be none.
    pub fn new(fields: &[LlvmType]) -> Option<Self> {
        let can_be = |ty: &LlvmType| match ty {
            LlvmType::Scalar(_) | LlvmType::Ptr(_) | LlvmType::Struct(_) => true,
            LlvmType::Vector(..) | LlvmType::TensorMap | LlvmType::Passed(_) => false,
        };
        if fields.is_empty() || !fields.iter().all(can_be) {
            return None;
        }
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.get(fields) {
            return Some(Self(same));
        }
        let fields: &'static [LlvmType] = Vec::leak(fields.to_vec());
        known.insert(fields);
        Some(Self(fields))
    }

    /// Its fields, in order.
    pub const fn fields(self) -> &'static [LlvmType] {
        self.0
    }

    /// Writes it.
    fn write(self) -> Term {
        Term::call(
            "struct",
            self.0.iter().map(|field| field.write().into()).collect(),
        )
    }

    /// Reads what is in the brackets of the type.
    ///
    /// # Errors
    /// There are no fields, or one is no type that a field can have.
    fn read(term: &Term, fields: &[Arg]) -> Result<Self, TermError> {
        let types = fields.iter().map(|field| LlvmType::read(&field.value));
        let types = types.collect::<Result<Vec<_>, _>>()?;
        let wrong = || term.wrong("a struct of at least one field, each a number, a pointer or a struct");
        Self::new(&types).ok_or_else(wrong)
    }
}

/// The place of a parameter that is passed by value: `passed<24, 8>` has 24 bytes, aligned to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Passed {
    /// Its size in bytes.
    pub bytes: u32,
    /// Its alignment in bytes, a power of two.
    pub align: u32,
}

impl Passed {
    /// Bytes of all parameters of a kernel at most. (PTX ISA, "Kernel Function Parameters".)
    pub(super) const MOST_BYTES: u32 = 32764;
    /// The largest alignment.
    const MOST_ALIGN: u32 = 128;

    /// Writes it as a type of `llvm_like` or `nvvm`.
    pub(crate) fn write(self) -> Term {
        let sizes = [self.bytes, self.align].map(|size| Term::int(size).into());
        Term::call("passed", sizes.to_vec())
    }

    /// Reads what is in the brackets of the type.
    ///
    /// # Errors
    /// No such size or alignment.
    pub(crate) fn read(term: &Term, sizes: &[Arg]) -> Result<Self, TermError> {
        let [bytes, align] = sizes else {
            return Err(term.wrong("a size and an alignment in bytes, such as `passed<24, 8>`"));
        };
        let size = bytes.value.to_int("a size in bytes")?;
        if !(1..=Self::MOST_BYTES).contains(&size) {
            return Err(bytes
                .value
                .wrong(format!("a size of 1 to {} bytes", Self::MOST_BYTES)));
        }
        let aligned: u32 = align.value.to_int("an alignment in bytes")?;
        if !aligned.is_power_of_two() || aligned > Self::MOST_ALIGN {
            return Err(align
                .value
                .wrong(format!("an alignment: a power of two up to {}", Self::MOST_ALIGN)));
        }
        Ok(Self {
            bytes: size,
            align: aligned,
        })
    }

    /// Checks that a part of so many bytes lies at an offset.
    ///
    /// # Errors
    /// Why it does not.
    pub(crate) fn check_part(self, offset: u32, bytes: u32) -> Result<(), (Code, String)> {
        let fits = u64::from(offset) + u64::from(bytes) <= u64::from(self.bytes);
        if fits && offset.is_multiple_of(bytes) && bytes <= self.align {
            return Ok(());
        }
        let message = format!(
            "{} at offset {offset} are not an aligned part of a parameter of {}, aligned to {}",
            counted(bytes, "byte"),
            counted(self.bytes, "byte"),
            self.align
        );
        Err((Code::AttributeValue, message))
    }
}

impl LlvmType {
    /// The number type of a scalar.
    pub fn scalar(&self) -> Option<ScalarType> {
        match self {
            Self::Scalar(scalar) => Some(*scalar),
            Self::Ptr(_) | Self::Vector(..) | Self::TensorMap | Self::Passed(_) | Self::Struct(_) => None,
        }
    }
}

impl ValueType for LlvmType {
    fn element(&self) -> Option<ElementType> {
        match self {
            Self::Scalar(scalar) => Some(ElementType::Scalar(*scalar)),
            // Pointers are opaque: each access gives the element type.
            Self::Ptr(AddressSpace::Global) => Some(ElementType::Ptr(ScalarType::I8)),
            Self::Ptr(AddressSpace::Shared | AddressSpace::Local)
            | Self::Vector(..)
            | Self::TensorMap
            | Self::Passed(_)
            | Self::Struct(_) => None,
        }
    }

    fn with_element(&self, element: ElementType) -> Self {
        match element {
            ElementType::Scalar(scalar) => Self::Scalar(scalar),
            ElementType::Ptr(_) => Self::Ptr(AddressSpace::Global),
        }
    }

    fn is_single(&self) -> bool {
        matches!(
            self,
            Self::Scalar(_) | Self::Ptr(_) | Self::TensorMap | Self::Passed(_)
        )
    }
}

impl TermCodec for LlvmType {
    fn write(&self) -> Term {
        match self {
            Self::Scalar(scalar) => scalar.write(),
            Self::Ptr(space) => Term::call("ptr", vec![Term::int(space.number()).into()]),
            Self::TensorMap => Term::word("tensor_map"),
            Self::Passed(passed) => passed.write(),
            Self::Struct(ty) => ty.write(),
            Self::Vector(count, scalar) => {
                let dims = TermKind::Dims(vec![Some(u64::from(*count))], Box::new(scalar.write()));
                Term::call("vector", vec![Term::from(dims).into()])
            }
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("tensor_map", [])) => Ok(Self::TensorMap),
            Some(("struct", fields)) => StructType::read(term, fields).map(Self::Struct),
            Some(("passed", sizes)) => Passed::read(term, sizes).map(Self::Passed),
            Some(("ptr", [arg])) => AddressSpace::read(&arg.value).map(Self::Ptr),
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
                error.or(term.wrong(
                    "a scalar type, `ptr<space>`, `vector<…>`, `struct<…>`, `tensor_map` or `passed<…>`",
                ))
            }),
        }
    }
}
