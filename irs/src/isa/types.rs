//! Value types, register classes, and the operands of instructions.

use std::fmt;

use super::naming::Naming;
use crate::core::{self, Effects, FieldEffects, Term, TermCodec, TermError, TermKind, is_plain_word};
use crate::element::ScalarType;
use crate::literal::Literal;

/// Declares an enum whose variants are PTX keywords: `Display`, lookup by keyword, and use as a modifier.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident $(in $family:ident)? { $($(#[doc = $doc:literal])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[doc = $doc])* $variant),* }

        impl $name {
            /// Every value, in order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The PTX keywords with their meanings, in order of declaration.
            pub const KEYWORDS: &'static [crate::core::Keyword] =
                &[$(crate::core::Keyword { word: $word, doc: concat!($($doc),*) }),*];

            /// What such a modifier is about.
            pub const FAMILY: crate::core::Family = super::types::words!(@family $($family)?);

            /// The PTX keyword, without a leading dot.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// The value with this keyword.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
    (@family) => { crate::core::Family::Meaning };
    (@family $family:ident) => { crate::core::Family::$family };
}
pub(crate) use words;

/// Makes enums of keywords usable as attributes of `nvvm`.
macro_rules! word_attribute {
    ($name:ident) => {
        impl crate::core::TermCodec for $name {
            const KEYWORDS: &'static [crate::core::Keyword] = Self::KEYWORDS;
            const FAMILY: crate::core::Family = Self::FAMILY;
            fn write(&self) -> crate::core::Term {
                super::types::write_word(self.word())
            }
            fn read(term: &crate::core::Term) -> Result<Self, crate::core::TermError> {
                super::types::read_word(
                    term,
                    Self::from_word,
                    &mut Self::ALL.iter().map(|this| this.word()),
                )
            }
        }
        crate::attribute_field!($name);
    };
}
pub(crate) use word_attribute;

/// A PTX keyword as a term: some, such as `L1::evict_first`, are not plain words of the regular syntax.
pub(super) fn write_word(word: &str) -> Term {
    if is_plain_word(word) {
        Term::word(word)
    } else {
        TermKind::Str(word.to_owned()).into()
    }
}

/// Parses a term as a PTX keyword, one of `all`.
pub(super) fn read_word<T>(
    term: &Term,
    from_word: impl FnOnce(&str) -> Option<T>,
    all: &mut dyn Iterator<Item = &'static str>,
) -> Result<T, TermError> {
    match &term.kind {
        TermKind::Word(word) | TermKind::Str(word) => from_word(word),
        _ => None,
    }
    .ok_or_else(|| {
        let words: Vec<_> = all.map(|word| format!("`{word}`")).collect();
        term.wrong(format!("one of {}", words.join(", ")))
    })
}

words! {
    /// The type in an instruction's name or a declaration.
    Type {
        /// One bit of a predicate register.
        Pred = "pred",
        /// Eight untyped bits.
        B8 = "b8",
        /// Sixteen untyped bits.
        B16 = "b16",
        /// Thirty-two untyped bits.
        B32 = "b32",
        /// Sixty-four untyped bits.
        B64 = "b64",
        /// A hundred and twenty-eight untyped bits.
        B128 = "b128",
        /// Unsigned, 8 bits.
        U8 = "u8",
        /// Unsigned, 16 bits.
        U16 = "u16",
        /// Unsigned, 32 bits.
        U32 = "u32",
        /// Unsigned, 64 bits.
        U64 = "u64",
        /// Signed, 8 bits.
        S8 = "s8",
        /// Signed, 16 bits.
        S16 = "s16",
        /// Signed, 32 bits.
        S32 = "s32",
        /// Signed, 64 bits.
        S64 = "s64",
        /// IEEE binary16.
        F16 = "f16",
        /// Two binary16 values; the first is in the low half.
        F16x2 = "f16x2",
        /// bfloat16.
        Bf16 = "bf16",
        /// Two bfloat16 values; the first is in the low half.
        Bf16x2 = "bf16x2",
        /// TensorFloat-32: 10 bits of mantissa in a 32-bit container.
        Tf32 = "tf32",
        /// Two eight-bit floats, four bits of exponent.
        E4m3x2 = "e4m3x2",
        /// Two eight-bit floats, five bits of exponent.
        E5m2x2 = "e5m2x2",
        /// Four eight-bit floats, four bits of exponent.
        E4m3x4 = "e4m3x4",
        /// Four eight-bit floats, five bits of exponent.
        E5m2x4 = "e5m2x4",
        /// IEEE binary32.
        F32 = "f32",
        /// IEEE binary64.
        F64 = "f64",
    }
}

word_attribute!(Type);

/// The interpretation of a [`Type`]'s bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A predicate.
    Predicate,
    /// Untyped bits.
    Bits,
    /// Unsigned integer.
    Unsigned,
    /// Two's complement integer.
    Signed,
    /// One float.
    Float,
    /// Two or four floats packed in one register.
    PackedFloat,
}

impl Type {
    /// Size in bits; a predicate counts as one.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Pred => 1,
            Self::B8 | Self::U8 | Self::S8 => 8,
            Self::B16 | Self::U16 | Self::S16 | Self::F16 | Self::Bf16 | Self::E4m3x2 | Self::E5m2x2 => 16,
            Self::B32
            | Self::U32
            | Self::S32
            | Self::F16x2
            | Self::Bf16x2
            | Self::Tf32
            | Self::E4m3x4
            | Self::E5m2x4
            | Self::F32 => 32,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 => 64,
            Self::B128 => 128,
        }
    }

    /// Size in memory, in bytes; `None` for a predicate, which has no memory form.
    pub const fn bytes(self) -> Option<u32> {
        match self {
            Self::Pred => None,
            other => Some(other.bits() / 8),
        }
    }

    /// The interpretation of the bits.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Pred => Kind::Predicate,
            Self::B8 | Self::B16 | Self::B32 | Self::B64 | Self::B128 => Kind::Bits,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Kind::Unsigned,
            Self::S8 | Self::S16 | Self::S32 | Self::S64 => Kind::Signed,
            Self::F16 | Self::Bf16 | Self::Tf32 | Self::F32 | Self::F64 => Kind::Float,
            Self::F16x2 | Self::Bf16x2 | Self::E4m3x2 | Self::E5m2x2 | Self::E4m3x4 | Self::E5m2x4 => {
                Kind::PackedFloat
            }
        }
    }

    /// The register class of values of this type (8-bit values are held in 16-bit registers).
    pub const fn class(self) -> Class {
        match self {
            Self::Pred => Class::Pred,
            Self::F32 => Class::F32,
            Self::F64 => Class::F64,
            other => match other.bits() {
                8 | 16 => Class::B16,
                32 => Class::B32,
                64 => Class::B64,
                _ => Class::B128,
            },
        }
    }
}

/// A class of virtual registers. Each class is declared once in an entry, with its number of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// `.pred %p`.
    Pred,
    /// `.b16 %rs`: 8- and 16-bit integers, `f16`, `bf16`.
    B16,
    /// `.b32 %r`: 32-bit integers, packed halves.
    B32,
    /// `.b64 %rd`: 64-bit integers, addresses.
    B64,
    /// `.f32 %f`.
    F32,
    /// `.f64 %fd`.
    F64,
    /// `.b128 %rq`.
    B128,
}

impl Class {
    /// Every class, in the order of their declarations.
    pub const ALL: [Self; 7] = [
        Self::Pred,
        Self::B16,
        Self::B32,
        Self::B64,
        Self::F32,
        Self::F64,
        Self::B128,
    ];

    /// The prefix of the class's register names.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Pred => "%p",
            Self::B16 => "%rs",
            Self::B32 => "%r",
            Self::B64 => "%rd",
            Self::F32 => "%f",
            Self::F64 => "%fd",
            Self::B128 => "%rq",
        }
    }

    /// The type in the class's declaration.
    pub const fn declared(self) -> Type {
        match self {
            Self::Pred => Type::Pred,
            Self::B16 => Type::B16,
            Self::B32 => Type::B32,
            Self::B64 => Type::B64,
            Self::F32 => Type::F32,
            Self::F64 => Type::F64,
            Self::B128 => Type::B128,
        }
    }

    /// Size of a register in bits; a predicate counts as one.
    pub const fn bits(self) -> u32 {
        self.declared().bits()
    }

    /// The index of the class in [`Class::ALL`].
    pub const fn index(self) -> usize {
        match self {
            Self::Pred => 0,
            Self::B16 => 1,
            Self::B32 => 2,
            Self::B64 => 3,
            Self::F32 => 4,
            Self::F64 => 5,
            Self::B128 => 6,
        }
    }
}

/// A virtual register: `%rd7` is number 7 of class [`Class::B64`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register {
    /// The class.
    pub class: Class,
    /// The number in the class.
    pub index: u32,
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.class.prefix(), self.index)
    }
}

impl Naming for Register {
    type Def = Self;
    type Use = Self;
    type Operand = Value;
    type Predicate = Predicate;
    type Label = Label;
    type Parameter = Symbol;
}

/// A place in an entry's body to branch to, printed `$L_<n>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub u32);

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "$L_{}", self.0)
    }
}

/// A constant operand. Floats are stored as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Immediate {
    /// An integer, or the bits of a half; unsigned 64-bit values are stored in two's complement.
    Int(i64),
    /// The bits of an `f32`, printed `0f3F800000`.
    F32(u32),
    /// The bits of an `f64`, printed `0d3FF0000000000000`.
    F64(u64),
}

impl Immediate {
    /// The constant `value`.
    pub const fn f32(value: f32) -> Self {
        Self::F32(value.to_bits())
    }

    /// The constant `value`.
    pub const fn f64(value: f64) -> Self {
        Self::F64(value.to_bits())
    }
}

impl Immediate {
    /// A constant operand; `None` for types without constants in PTX.
    pub fn of(literal: Literal) -> Option<Self> {
        match literal.ty {
            ScalarType::I1
            | ScalarType::I8
            | ScalarType::I16
            | ScalarType::I32
            | ScalarType::I64
            | ScalarType::F16
            | ScalarType::BF16 => {
                let signed = match literal.ty {
                    // Halves are bits, and a predicate is 0 or 1.
                    ScalarType::F16 | ScalarType::BF16 | ScalarType::I1 => literal.bits.cast_signed(),
                    _ => literal.signed(),
                };
                Some(Self::Int(signed))
            }
            ScalarType::F32 => u32::try_from(literal.bits).ok().map(Self::F32),
            ScalarType::F64 => Some(Self::F64(literal.bits)),
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

impl fmt::Display for Immediate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // ptxas parses the magnitude before the sign, and 2^63 does not fit.
            Self::Int(i64::MIN) => write!(f, "0x8000000000000000"),
            Self::Int(value) => write!(f, "{value}"),
            Self::F32(bits) => write!(f, "0f{bits:08X}"),
            Self::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

/// A source operand: a register or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The contents of a register.
    Register(Register),
    /// A constant.
    Immediate(Immediate),
}

impl From<Register> for Value {
    fn from(register: Register) -> Self {
        Self::Register(register)
    }
}

impl From<Immediate> for Value {
    fn from(immediate: Immediate) -> Self {
        Self::Immediate(immediate)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Immediate(Immediate::Int(value))
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Self::from(i64::from(value))
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::from(i64::from(value))
    }
}

impl From<f32> for Value {
    fn from(value: f32) -> Self {
        Self::Immediate(Immediate::f32(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Immediate(Immediate::f64(value))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(register) => register.fmt(f),
            Self::Immediate(immediate) => immediate.fmt(f),
        }
    }
}

/// The name of a parameter, a shared array or a global variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub String);

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Symbol {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

/// The base of an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base<N: Naming = Register> {
    /// A 64-bit register (32-bit for shared, local and parameter space).
    Register(N::Use),
    /// A declared variable or parameter.
    Symbol(Symbol),
}

/// A memory operand, `[base+offset]`; the offset is in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address<N: Naming = Register> {
    /// The base.
    pub base: Base<N>,
    /// The byte offset.
    pub offset: i32,
}

impl From<Register> for Address {
    fn from(register: Register) -> Self {
        Self {
            base: Base::Register(register),
            offset: 0,
        }
    }
}

impl From<(Register, i32)> for Address {
    fn from((register, offset): (Register, i32)) -> Self {
        Self {
            base: Base::Register(register),
            offset,
        }
    }
}

impl From<Symbol> for Address {
    fn from(symbol: Symbol) -> Self {
        Self {
            base: Base::Symbol(symbol),
            offset: 0,
        }
    }
}

impl From<(Symbol, i32)> for Address {
    fn from((symbol, offset): (Symbol, i32)) -> Self {
        Self {
            base: Base::Symbol(symbol),
            offset,
        }
    }
}

impl From<(core::Value, i32)> for Address<core::Value> {
    fn from((base, offset): (core::Value, i32)) -> Self {
        Self {
            base: Base::Register(base),
            offset,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.base {
            Base::Register(register) => write!(f, "[{register}")?,
            Base::Symbol(symbol) => write!(f, "[{symbol}")?,
        }
        match self.offset {
            0 => write!(f, "]"),
            // ptxas does not accept a subtraction here.
            offset => write!(f, "+{offset}]"),
        }
    }
}

/// An element of a tensor, `[map, {coordinates}]`: a tensor map, and the start of a box in the tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorAddress<N: Naming = Register> {
    /// The generic address of the tensor map.
    pub map: N::Use,
    /// A coordinate for each dimension, the innermost first.
    pub coordinates: Vec<N::Operand>,
}

/// A predicate register, or its negation: a guard or a source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// The register, of class [`Class::Pred`].
    pub register: Register,
    /// Whether the predicate is true if the register is false.
    pub negated: bool,
}

impl Predicate {
    /// True if the register is false.
    pub const fn not(register: Register) -> Self {
        Self {
            register,
            negated: true,
        }
    }
}

impl From<Register> for Predicate {
    fn from(register: Register) -> Self {
        Self {
            register,
            negated: false,
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negated {
            f.write_str("!")?;
        }
        self.register.fmt(f)
    }
}

words! {
    /// A special register.
    Special {
        /// Thread index in the block, x.
        TidX = "%tid.x",
        /// Thread index in the block, y.
        TidY = "%tid.y",
        /// Thread index in the block, z.
        TidZ = "%tid.z",
        /// Block size, x.
        NtidX = "%ntid.x",
        /// Block size, y.
        NtidY = "%ntid.y",
        /// Block size, z.
        NtidZ = "%ntid.z",
        /// Block index in the grid, x.
        CtaidX = "%ctaid.x",
        /// Block index in the grid, y.
        CtaidY = "%ctaid.y",
        /// Block index in the grid, z.
        CtaidZ = "%ctaid.z",
        /// Grid size in blocks, x.
        NctaidX = "%nctaid.x",
        /// Grid size in blocks, y.
        NctaidY = "%nctaid.y",
        /// Grid size in blocks, z.
        NctaidZ = "%nctaid.z",
        /// Thread in its warp.
        Laneid = "%laneid",
        /// Warp in its block.
        Warpid = "%warpid",
        /// Multiprocessor.
        Smid = "%smid",
        /// Mask of this lane.
        LanemaskEq = "%lanemask_eq",
        /// Mask of the lanes below.
        LanemaskLt = "%lanemask_lt",
        /// Mask of this lane and those below.
        LanemaskLe = "%lanemask_le",
        /// Mask of the lanes above.
        LanemaskGt = "%lanemask_gt",
        /// Mask of this lane and those above.
        LanemaskGe = "%lanemask_ge",
        /// Cycle counter, 32 bits.
        Clock = "%clock",
        /// Cycle counter, 64 bits.
        Clock64 = "%clock64",
        /// Nanosecond timer, 64 bits.
        Globaltimer = "%globaltimer",
        /// Nanosecond timer, its lower 32 bits.
        GlobaltimerLo = "%globaltimer_lo",
        /// Number of the launch.
        Gridid = "%gridid",
        /// Number of multiprocessors.
        Nsmid = "%nsmid",
        /// Number of warps that a multiprocessor has place for.
        Nwarpid = "%nwarpid",
        /// Bytes of dynamic shared memory.
        DynamicSmemSize = "%dynamic_smem_size",
        /// Index of the cluster in the grid, x.
        ClusteridX = "%clusterid.x",
        /// Index of the cluster in the grid, y.
        ClusteridY = "%clusterid.y",
        /// Index of the cluster in the grid, z.
        ClusteridZ = "%clusterid.z",
        /// Grid size in clusters, x.
        NclusteridX = "%nclusterid.x",
        /// Grid size in clusters, y.
        NclusteridY = "%nclusterid.y",
        /// Grid size in clusters, z.
        NclusteridZ = "%nclusterid.z",
        /// Block index in the cluster, x.
        ClusterCtaidX = "%cluster_ctaid.x",
        /// Block index in the cluster, y.
        ClusterCtaidY = "%cluster_ctaid.y",
        /// Block index in the cluster, z.
        ClusterCtaidZ = "%cluster_ctaid.z",
        /// Cluster size in blocks, x.
        ClusterNctaidX = "%cluster_nctaid.x",
        /// Cluster size in blocks, y.
        ClusterNctaidY = "%cluster_nctaid.y",
        /// Cluster size in blocks, z.
        ClusterNctaidZ = "%cluster_nctaid.z",
        /// Rank of the block in its cluster.
        ClusterCtarank = "%cluster_ctarank",
        /// Number of blocks of the cluster.
        ClusterNctarank = "%cluster_nctarank",
    }
}

impl Special {
    /// The type of the register's value.
    pub const fn ty(self) -> Type {
        match self {
            Self::Clock64 | Self::Globaltimer => Type::U64,
            _ => Type::U32,
        }
    }

    /// Whether the register tells the size of the grid.
    pub const fn is_of_grid(self) -> bool {
        matches!(
            self,
            Self::NctaidX
                | Self::NctaidY
                | Self::NctaidZ
                | Self::NclusteridX
                | Self::NclusteridY
                | Self::NclusteridZ
        )
    }

    /// Whether the register describes the cluster, or the block's place in it.
    pub(super) const fn is_of_cluster(self) -> bool {
        matches!(
            self,
            Self::ClusteridX
                | Self::ClusteridY
                | Self::ClusteridZ
                | Self::NclusteridX
                | Self::NclusteridY
                | Self::NclusteridZ
                | Self::ClusterCtaidX
                | Self::ClusterCtaidY
                | Self::ClusterCtaidZ
                | Self::ClusterNctaidX
                | Self::ClusterNctaidY
                | Self::ClusterNctaidZ
                | Self::ClusterCtarank
                | Self::ClusterNctarank
        )
    }
}

/// In `nvvm`, without the percent sign.
impl TermCodec for Special {
    fn write(&self) -> Term {
        write_word(self.word().trim_start_matches('%'))
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let from_word = |word: &str| Self::from_word(&format!("%{word}"));
        let words = &mut Self::ALL.iter().map(|this| this.word().trim_start_matches('%'));
        read_word(term, from_word, words)
    }
}
crate::attribute_field!(Special: FieldEffects);

/// A clock has a new value at each read.
impl FieldEffects for Special {
    const EFFECTS: Effects = Effects::PURE.and_allocates();
    fn refine(&self, effects: Effects) -> Effects {
        Effects {
            allocates: effects.allocates
                && matches!(
                    self,
                    Self::Clock | Self::Clock64 | Self::Globaltimer | Self::GlobaltimerLo
                ),
            ..effects
        }
    }
}
