//! Types of MLIR text: the builtin ones, and those of the dialects `llvm`, `cuda`, `cute` and `cute_nvgpu`.

use std::fmt;
use std::sync::Arc;

use crate::cute_types::{CuteType, Kind};
use crate::element::ScalarType;

/// What the sign of an integer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signedness {
    /// `i8`: the op says it.
    Signless,
    /// `si8`
    Signed,
    /// `ui8`
    Unsigned,
}

crate::keywords! {
    /// The formats of floats.
    pub enum FloatFormat {
        /// IEEE half precision.
        F16 = "f16",
        /// Brain float.
        Bf16 = "bf16",
        /// IEEE single precision.
        F32 = "f32",
        /// IEEE double precision.
        F64 = "f64",
        /// TensorFloat, of 19 bits.
        Tf32 = "tf32",
        /// 5 bits of exponent, 2 of mantissa.
        F8E5m2 = "f8E5M2",
        /// 4 bits of exponent, 3 of mantissa, no infinities.
        F8E4m3fn = "f8E4M3FN",
        /// A power of two.
        F8E8m0fnu = "f8E8M0FNU",
        /// 2 bits of exponent, 3 of mantissa.
        F6E2m3fn = "f6E2M3FN",
        /// 3 bits of exponent, 2 of mantissa.
        F6E3m2fn = "f6E3M2FN",
        /// 2 bits of exponent, 1 of mantissa.
        F4E2m1fn = "f4E2M1FN",
    }
}

impl FloatFormat {
    /// The number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F64 => 64,
            Self::F32 => 32,
            Self::Tf32 => 19,
            Self::F16 | Self::Bf16 => 16,
            Self::F8E5m2 | Self::F8E4m3fn | Self::F8E8m0fnu => 8,
            Self::F6E2m3fn | Self::F6E3m2fn => 6,
            Self::F4E2m1fn => 4,
        }
    }

    /// The scalar type, for the formats whose numbers can be written in decimal.
    pub const fn decimal(self) -> Option<ScalarType> {
        match self {
            Self::F16 => Some(ScalarType::F16),
            Self::Bf16 => Some(ScalarType::BF16),
            Self::F32 => Some(ScalarType::F32),
            Self::F64 => Some(ScalarType::F64),
            _ => None,
        }
    }
}

/// `vector<4x8xf32>`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VectorType {
    /// The extents.
    pub shape: Vec<u64>,
    /// The type of an element.
    pub element: Type,
}

/// `(T, T) -> T`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// The types of the arguments.
    pub arguments: Vec<Type>,
    /// The types of the results.
    pub results: Vec<Type>,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `i32`, `si8`, `ui64`
    Integer(Signedness, u32),
    /// `f32`
    Float(FloatFormat),
    /// `index`
    Index,
    /// `none`
    None,
    /// `vector<16xf32>`
    Vector(Arc<VectorType>),
    /// `(i32) -> i32`
    Function(Arc<FunctionType>),
    /// `!llvm.ptr<3>`: a pointer into an address space.
    Pointer(u32),
    /// `!llvm.struct<(i32, f32)>`
    Struct(Arc<[Type]>),
    /// `!cute.tuple<i32, f32>`: values side by side.
    Tuple(Arc<[Type]>),
    /// `!cuda.stream`
    Stream,
    /// `!cuda.result`
    LaunchResult,
    /// `!cuda.launch_cfg<max_attrs = 17>`: how a kernel is launched.
    LaunchConfig(u32),
    /// A type of `cute` or `cute_nvgpu`.
    Cute(CuteType),
}

/// The largest width of an integer.
pub const MAX_WIDTH: u32 = 128;

impl Type {
    /// A Boolean.
    pub const I1: Self = Self::signless(1);
    /// A byte.
    pub const I8: Self = Self::signless(8);
    /// A 32-bit integer.
    pub const I32: Self = Self::signless(32);
    /// A 64-bit integer.
    pub const I64: Self = Self::signless(64);

    /// `iN`
    pub const fn signless(width: u32) -> Self {
        Self::Integer(Signedness::Signless, width)
    }

    /// What a type of `cute` says; `None` for other types.
    pub fn kind(&self) -> Option<&Kind> {
        match self {
            Self::Cute(ty) => Some(ty.kind()),
            _ => None,
        }
    }

    /// The type of one element: of a vector its element's, else the type itself.
    pub fn scalar(&self) -> &Self {
        match self {
            Self::Vector(vector) => &vector.element,
            other => other,
        }
    }

    /// The same container with other elements.
    #[must_use]
    pub fn with_scalar(&self, element: Self) -> Self {
        match self {
            Self::Vector(vector) => Self::Vector(Arc::new(VectorType {
                shape: vector.shape.clone(),
                element,
            })),
            _ => element,
        }
    }
}

/// Writes types with commas between them.
pub fn write_types<'a>(types: impl IntoIterator<Item = &'a Type>, out: &mut impl fmt::Write) -> fmt::Result {
    for (i, ty) in types.into_iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(out, "{comma}{ty}")?;
    }
    Ok(())
}

/// Writes the types of results: one alone, others in parentheses.
pub fn write_results(types: &[Type], out: &mut impl fmt::Write) -> fmt::Result {
    match types {
        [only] if !matches!(only, Type::Function(_)) => write!(out, "{only}"),
        _ => {
            out.write_char('(')?;
            write_types(types, out)?;
            out.write_char(')')
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(sign, width) => {
                f.write_str(match sign {
                    Signedness::Signless => "i",
                    Signedness::Signed => "si",
                    Signedness::Unsigned => "ui",
                })?;
                write!(f, "{width}")
            }
            Self::Float(format) => f.write_str(format.word()),
            Self::Index => f.write_str("index"),
            Self::None => f.write_str("none"),
            Self::Vector(vector) => {
                f.write_str("vector<")?;
                vector
                    .shape
                    .iter()
                    .try_for_each(|extent| write!(f, "{extent}x"))?;
                write!(f, "{}>", vector.element)
            }
            Self::Function(function) => {
                f.write_str("(")?;
                write_types(&function.arguments, f)?;
                f.write_str(") -> ")?;
                write_results(&function.results, f)
            }
            Self::Pointer(0) => f.write_str("!llvm.ptr"),
            Self::Pointer(space) => write!(f, "!llvm.ptr<{space}>"),
            Self::Struct(members) => {
                f.write_str("!llvm.struct<(")?;
                write_types(members.iter(), f)?;
                f.write_str(")>")
            }
            Self::Tuple(members) => {
                f.write_str("!cute.tuple<")?;
                write_types(members.iter(), f)?;
                f.write_str(">")
            }
            Self::Stream => f.write_str("!cuda.stream"),
            Self::LaunchResult => f.write_str("!cuda.result"),
            Self::LaunchConfig(attributes) => write!(f, "!cuda.launch_cfg<max_attrs = {attributes}>"),
            Self::Cute(ty) => write!(f, "!{ty}"),
        }
    }
}
