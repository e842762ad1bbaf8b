//! The required type of an operand: the width of its register, and the constants that it may be.
//!
//! Source: PTX ISA, "Operand Type Checking" and "Operand Size Exceeding Instruction-Type Size".

use std::fmt;

use super::limits;
use super::modifiers::{MatrixType, Space};
use super::types::{Class, Immediate, Kind, Type};

/// The required type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Want {
    /// A register of the same width as the type; floats and integers are not interchangeable.
    Exactly(Type),
    /// A register at least as wide as the type; a float register as wide as a float type. Floats and integers are not
    /// interchangeable. (PTX ISA, operand size exceeding instruction-type size.)
    AtLeast(Type),
    /// A register as for [`Exactly`](Self::Exactly), but no constant.
    Register(Type),
    /// An address in this state space; `None` is generic.
    Address(Option<Space>),
    /// A constant from `least` to `most`.
    Constant {
        /// The minimum.
        least: i64,
        /// The maximum.
        most: i64,
    },
    /// 32 bits; a constant must be a multiple of `step` from `least` to `most`.
    Range {
        /// The minimum of a constant.
        least: i64,
        /// The maximum of a constant.
        most: i64,
        /// A divisor of every constant.
        step: i64,
    },
    /// Not a register: a label or a name.
    Name,
}

impl From<Type> for Want {
    fn from(ty: Type) -> Self {
        Self::Exactly(ty)
    }
}

impl From<Option<Space>> for Want {
    fn from(space: Option<Space>) -> Self {
        Self::Address(space)
    }
}

impl From<Space> for Want {
    fn from(space: Space) -> Self {
        Self::Address(Some(space))
    }
}

impl Want {
    /// Whether a register of this class is allowed.
    pub const fn admits(self, class: Class) -> bool {
        match self {
            Self::Exactly(ty) | Self::Register(ty) => class.bits() == ty.bits() && agree(ty, class),
            Self::AtLeast(ty) => {
                let wide_enough = match (ty.kind(), class) {
                    (Kind::Float, Class::F32 | Class::F64) => class.bits() == ty.bits(),
                    _ => class.bits() >= ty.bits(),
                };
                !matches!(class, Class::Pred) && wide_enough && agree(ty, class)
            }
            Self::Address(Some(
                Space::Shared
                | Space::SharedCta
                | Space::SharedCluster
                | Space::Local
                | Space::Param
                | Space::Const,
            )) => matches!(class, Class::B32 | Class::B64),
            Self::Address(None | Some(Space::Global)) => matches!(class, Class::B64),
            Self::Range { .. } => matches!(class, Class::B32),
            Self::Constant { .. } | Self::Name => false,
        }
    }

    /// Whether any constant is allowed: PTX has none for 16-bit and packed floats, and ptxas, which accepts lists of
    /// constants elsewhere, takes none for the elements of matrices that are a [`Register`](Self::Register).
    pub const fn takes_constants(self) -> bool {
        match self {
            Self::Exactly(ty) | Self::AtLeast(ty) => {
                !matches!(ty, Type::F16 | Type::Bf16) && !matches!(ty.kind(), Kind::PackedFloat)
            }
            Self::Constant { .. } | Self::Range { .. } => true,
            Self::Register(_) | Self::Address(_) | Self::Name => false,
        }
    }

    /// Whether this constant is allowed where constants are: in PTX that depends on
    /// [`takes_constants`](Self::takes_constants); and as the value of a register in `nvvm`.
    pub const fn admits_constant(self, constant: Immediate) -> bool {
        match (self, constant) {
            (Self::Range { least, most, step }, Immediate::Int(value)) => {
                least <= value && value <= most && value % step == 0
            }
            (Self::Constant { least, most }, Immediate::Int(value)) => least <= value && value <= most,
            (Self::Constant { .. } | Self::Range { .. }, Immediate::F32(_) | Immediate::F64(_)) => false,
            // Numbers of these types are written as such; bits may be written as either.
            (Self::Exactly(ty) | Self::AtLeast(ty) | Self::Register(ty), Immediate::Int(_)) => {
                !matches!(ty, Type::F32 | Type::F64)
            }
            (
                Self::Exactly(ty) | Self::AtLeast(ty) | Self::Register(ty),
                Immediate::F32(_) | Immediate::F64(_),
            ) => !matches!(ty.kind(), Kind::Unsigned | Kind::Signed),
            (Self::Address(_) | Self::Name, _) => true,
        }
    }
}

const fn agree(ty: Type, class: Class) -> bool {
    let float = matches!(class, Class::F32 | Class::F64);
    match ty.kind() {
        // A TensorFloat-32 is held in a register of bits.
        Kind::Float if matches!(ty, Type::Tf32) => !float,
        Kind::Predicate | Kind::Bits => true,
        // A register class without a type of its own holds either.
        Kind::Float => true,
        Kind::Unsigned | Kind::Signed | Kind::PackedFloat => !float,
    }
}

impl fmt::Display for Want {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(Type::Pred) => f.write_str("a predicate"),
            Self::Exactly(ty) | Self::Register(ty) => {
                write!(f, "a register of {} bits for `.{ty}`", ty.bits())
            }
            Self::AtLeast(ty) => write!(f, "a register of at least {} bits for `.{ty}`", ty.bits()),
            Self::Address(Some(space)) => write!(f, "an address in `.{space}`"),
            Self::Address(None) => f.write_str("a generic address of 64 bits"),
            Self::Constant { least, most } => write!(f, "a constant from {least} to {most}"),
            Self::Range { least, most, step: 1 } => {
                write!(f, "32 bits, as a constant from {least} to {most}")
            }
            Self::Range { least, most, step } => {
                write!(
                    f,
                    "32 bits, as a constant a multiple of {step} from {least} to {most}"
                )
            }
            Self::Name => f.write_str("a name"),
        }
    }
}

/// The full product of two numbers of a type, or the sum with it.
pub(super) const fn wide(ty: Type) -> Want {
    Want::Exactly(if ty.bits() == 16 { Type::B32 } else { Type::B64 })
}

/// The type of a product or of its addend: twice as wide for a full product.
pub(super) fn product(part: Option<super::modifiers::Part>, ty: Type) -> Want {
    if part == Some(super::modifiers::Part::Wide) {
        wide(ty)
    } else {
        Want::Exactly(ty)
    }
}

/// One of `parts` equal parts of a register. If no register has that size, the form does not exist.
pub(super) fn part_of(ty: Type, parts: usize) -> Want {
    let bits = u32::try_from(parts)
        .ok()
        .and_then(|parts| ty.bits().checked_div(parts));
    Want::Exactly(match bits {
        Some(64) => Type::B64,
        Some(32) => Type::B32,
        Some(16) => Type::B16,
        _ => Type::B8,
    })
}

/// A loaded or stored value: a single one may be in a wider register, an element of a vector may not.
pub(super) fn moved(ty: Type, elements: usize) -> Want {
    match (elements, ty.bits()) {
        (1, _) => Want::AtLeast(ty),
        // 8 bits are held in 16-bit registers.
        (_, 8) => Want::Exactly(Type::B16),
        _ => Want::Exactly(ty),
    }
}

/// An operand of a conversion from or to `other`. A single integer or float may be in a wider register, unless `other`
/// is a format that only later GPUs have.
pub(super) fn converted(ty: Type, other: Type) -> Want {
    let exact = |ty| matches!(ty, Type::Bf16 | Type::Bf16x2 | Type::Tf32);
    if exact(ty) || exact(other) {
        Want::Exactly(ty)
    } else {
        Want::AtLeast(ty)
    }
}

/// The index of a barrier.
pub(super) const BARRIER: Want = Want::Range {
    least: 0,
    most: limits::NAMED_BARRIERS as i64 - 1,
    step: 1,
};

/// The number of participating threads of a block: whole warps.
pub(super) const THREADS: Want = Want::Range {
    least: limits::LANES as i64,
    most: limits::MOST_THREADS as i64,
    step: limits::LANES as i64,
};

/// The arrival count of an mbarrier (PTX ISA, "Size and alignment of mbarrier object").
pub(super) const ARRIVALS: Want = Want::Range {
    least: 1,
    most: (1 << 20) - 1,
    step: 1,
};

/// A register of matrix elements or, where it holds a single one, a constant. 16-bit floats are packed in pairs;
/// TensorFloat-32 is held in an untyped register.
pub(super) const fn elements(ty: MatrixType) -> Want {
    match ty {
        MatrixType::F32 | MatrixType::F64 | MatrixType::S32 => Want::Exactly(ty.register()),
        MatrixType::F16 => Want::Register(Type::F16x2),
        MatrixType::Bf16 => Want::Register(Type::Bf16x2),
        MatrixType::Tf32 => Want::Register(Type::Tf32),
        MatrixType::S8
        | MatrixType::U8
        | MatrixType::S4
        | MatrixType::U4
        | MatrixType::B1
        | MatrixType::E4m3
        | MatrixType::E5m2
        | MatrixType::E3m2
        | MatrixType::E2m3
        | MatrixType::E2m1 => Want::Register(ty.register()),
    }
}
