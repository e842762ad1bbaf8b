//! The fields of an instruction descriptor.

use std::fmt;

/// A field of an instruction descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InstructionField {
    /// The sparsity selector; without sparsity it is 0.
    SparsitySelector,
    /// The type of D.
    TypeD,
    /// The type of A.
    TypeA,
    /// The type of B.
    TypeB,
    /// N, in units of 8.
    N,
    /// M, in units of 16.
    M,
    /// Bits that are zero for the kind, those of operations that it lacks included.
    Reserved,
}

impl fmt::Display for InstructionField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InstructionField::SparsitySelector => "sparsity selector",
            InstructionField::TypeD => "type of D",
            InstructionField::TypeA => "type of A",
            InstructionField::TypeB => "type of B",
            InstructionField::N => "N",
            InstructionField::M => "M",
            InstructionField::Reserved => "reserved bits",
        })
    }
}

/// A word that is no instruction descriptor of its kind, or a number that no field can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstructionError {
    /// The field.
    pub field: InstructionField,
    /// Its bits, moved down to bit 0, or the number; for reserved bits, those in place.
    pub value: u32,
}

impl fmt::Display for InstructionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InstructionError { field, value } = self;
        write!(
            f,
            "{value:#x} is no value of the {field} of an instruction descriptor"
        )
    }
}

impl std::error::Error for InstructionError {}

/// N of an instruction: a multiple of 8 from 8 to 256. (Kinds and groups of blocks restrict it further.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Columns(u8);

impl Columns {
    /// That many columns.
    ///
    /// # Errors
    /// It is not a multiple of 8 from 8 to 256.
    pub fn new(n: u32) -> Result<Columns, InstructionError> {
        let eighths = u8::try_from(n / 8).ok();
        eighths
            .filter(|eighths| n.is_multiple_of(8) && (1..=32).contains(eighths))
            .map(Columns)
            .ok_or(InstructionError {
                field: InstructionField::N,
                value: n,
            })
    }

    /// The code in the descriptor.
    pub(super) fn code(self) -> u32 {
        u32::from(self.0)
    }

    /// How many.
    pub fn get(self) -> u32 {
        u32::from(self.0) * 8
    }
}

macro_rules! coded {
    ($(#[$doc:meta])* $name:ident, $($(#[$variant_doc:meta])* $variant:ident = $code:literal),+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_doc])* $variant),+
        }

        impl $name {
            /// Every value, in the order of the codes.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The code in the descriptor.
            pub const fn code(self) -> u32 {
                match self {
                    $($name::$variant => $code),+
                }
            }

            pub(super) fn decode(code: u32, field: InstructionField) -> Result<$name, InstructionError> {
                let found = Self::ALL.iter().find(|value| value.code() == code);
                found.copied().ok_or(InstructionError { field, value: code })
            }
        }
    };
}

coded!(
    /// M of an instruction; the code is M / 16.
    Rows,
    /// 32, in weight-stationary mode.
    M32 = 2,
    /// 64.
    M64 = 4,
    /// 128.
    M128 = 8,
    /// 256, by a pair of blocks.
    M256 = 16
);
coded!(
    /// A factor of `.kind::f16`.
    HalfType,
    /// f16.
    F16 = 0,
    /// bf16.
    BF16 = 1
);
coded!(
    /// A factor of `.kind::f8f6f4` and `.kind::mxf8f6f4`.
    SmallFloat,
    /// e4m3, 8 bits.
    E4M3 = 0,
    /// e5m2, 8 bits.
    E5M2 = 1,
    /// e2m3, 6 bits.
    E2M3 = 3,
    /// e3m2, 6 bits.
    E3M2 = 4,
    /// e2m1, 4 bits.
    E2M1 = 5
);
coded!(
    /// A factor of `.kind::i8`.
    ByteType,
    /// Unsigned.
    U8 = 0,
    /// Signed.
    S8 = 1
);
coded!(
    /// The sum of a floating-point kind.
    FloatSum,
    /// f16.
    F16 = 0,
    /// f32.
    F32 = 1
);
coded!(
    /// The largest shift by which B may be reused in weight-stationary mode.
    MaxShift,
    /// None.
    None = 0,
    /// 8 columns.
    Shift8 = 1,
    /// 16 columns.
    Shift16 = 2,
    /// 32 columns.
    Shift32 = 3
);

/// The types of an instruction whose blocks are not scaled: its kind, and what the kind has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Types {
    /// `.kind::f16`.
    F16 {
        /// A.
        a: HalfType,
        /// B.
        b: HalfType,
        /// D.
        d: FloatSum,
        /// Which factors are negated.
        negate: Negate,
    },
    /// `.kind::tf32`, with sums of f32.
    Tf32 {
        /// Which factors are negated.
        negate: Negate,
    },
    /// `.kind::f8f6f4`.
    F8f6f4 {
        /// A.
        a: SmallFloat,
        /// B.
        b: SmallFloat,
        /// D.
        d: FloatSum,
        /// Which factors are negated.
        negate: Negate,
    },
    /// `.kind::i8`, with sums of s32.
    I8 {
        /// A.
        a: ByteType,
        /// B.
        b: ByteType,
        /// Whether sums saturate.
        saturate: bool,
    },
}

/// A kind whose blocks are not scaled. The word itself does not say which it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `.kind::f16`.
    F16,
    /// `.kind::tf32`.
    Tf32,
    /// `.kind::f8f6f4`.
    F8f6f4,
    /// `.kind::i8`.
    I8,
}

/// Which factors are negated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Negate {
    /// A.
    pub a: bool,
    /// B.
    pub b: bool,
}

impl Negate {
    pub(super) fn bits(self) -> u32 {
        u32::from(self.a) << 13 | u32::from(self.b) << 14
    }

    pub(super) fn decode(word: u32) -> Negate {
        Negate {
            a: word >> 13 & 1 == 1,
            b: word >> 14 & 1 == 1,
        }
    }
}

/// Whether A is structured-sparse, and if so, which of its metadata are used: 0 to 3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sparsity {
    /// It is dense.
    #[default]
    Dense,
    /// It is sparse.
    Sparse(MetadataSelector),
}

coded!(
    /// The sparsity selector.
    MetadataSelector,
    /// 0.
    Id0 = 0,
    /// 1.
    Id1 = 1,
    /// 2.
    Id2 = 2,
    /// 3.
    Id3 = 3
);
