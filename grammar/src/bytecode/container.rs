//! The sections of a file, and the tags of types and attributes.

use tilewright_irs::cuda_tile::Version;
use tilewright_irs::element::ScalarType;

/// The sections of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    String,
    Function,
    Debug,
    Constant,
    Type,
    Global,
    Producer,
}

impl Section {
    pub(super) const COUNT: usize = 7;

    pub(super) fn from_id(id: u8) -> Option<Self> {
        match id {
            1 => Some(Self::String),
            2 => Some(Self::Function),
            3 => Some(Self::Debug),
            4 => Some(Self::Constant),
            5 => Some(Self::Type),
            6 => Some(Self::Global),
            7 => Some(Self::Producer),
            _ => None,
        }
    }

    pub(super) fn id(self) -> u8 {
        match self {
            Self::String => 1,
            Self::Function => 2,
            Self::Debug => 3,
            Self::Constant => 4,
            Self::Type => 5,
            Self::Global => 6,
            Self::Producer => 7,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Function => "function",
            Self::Debug => "debug",
            Self::Constant => "constant",
            Self::Type => "type",
            Self::Global => "global",
            Self::Producer => "producer",
        }
    }

    /// The alignment that the section's contents require.
    pub(super) fn alignment(self) -> usize {
        match self {
            Self::String | Self::Type => 4,
            Self::Function | Self::Debug | Self::Constant => 8,
            Self::Global | Self::Producer => 1,
        }
    }
}

/// The tag of a scalar type in the type table, and the version that introduced it.
pub(super) fn scalar_tag(scalar: ScalarType) -> (u64, Version) {
    match scalar {
        ScalarType::I1 => (0, Version::V13_1),
        ScalarType::I8 => (1, Version::V13_1),
        ScalarType::I16 => (2, Version::V13_1),
        ScalarType::I32 => (3, Version::V13_1),
        ScalarType::I64 => (4, Version::V13_1),
        ScalarType::F16 => (5, Version::V13_1),
        ScalarType::BF16 => (6, Version::V13_1),
        ScalarType::F32 => (7, Version::V13_1),
        ScalarType::TF32 => (8, Version::V13_1),
        ScalarType::F64 => (9, Version::V13_1),
        ScalarType::F8E4M3FN => (10, Version::V13_1),
        ScalarType::F8E5M2 => (11, Version::V13_1),
        ScalarType::F8E8M0FNU => (18, Version::V13_2),
        ScalarType::F4E2M1FN => (19, Version::V13_3),
        ScalarType::I4 => (22, Version::V13_3),
        ScalarType::F8E5M3FNU => (130, Version::V13_4),
    }
}

/// The scalar type with this tag.
pub(super) fn scalar_of_tag(tag: u64) -> Option<(ScalarType, Version)> {
    let find = |&&scalar: &&ScalarType| scalar_tag(scalar).0 == tag;
    let scalar = ScalarType::ALL.iter().find(find)?;
    Some((*scalar, scalar_tag(*scalar).1))
}

/// The tags of the other types.
pub(super) mod type_tag {
    pub(crate) const PTR: u64 = 12;
    pub(crate) const TILE: u64 = 13;
    pub(crate) const TENSOR_VIEW: u64 = 14;
    pub(crate) const PARTITION_VIEW: u64 = 15;
    pub(crate) const FUNCTION: u64 = 16;
    pub(crate) const TOKEN: u64 = 17;
    pub(crate) const GATHER_SCATTER_VIEW: u64 = 20;
    pub(crate) const STRIDED_VIEW: u64 = 21;
}

/// The tags of self-describing attributes.
pub(super) mod attr_tag {
    pub(crate) const INTEGER: u64 = 1;
    pub(crate) const FLOAT: u64 = 2;
    pub(crate) const BOOL: u64 = 3;
    pub(crate) const TYPE: u64 = 4;
    pub(crate) const STRING: u64 = 5;
    pub(crate) const ARRAY: u64 = 6;
    pub(crate) const DENSE: u64 = 7;
    pub(crate) const DIV_BY: u64 = 8;
    pub(crate) const SAME_ELEMENTS: u64 = 9;
    pub(crate) const DICT: u64 = 10;
    pub(crate) const HINTS: u64 = 11;
    pub(crate) const BOUNDED: u64 = 12;
    pub(crate) const REDUCTION: u64 = 13;
}

/// The tags of preview types, except those of the kinds of constant parameters.
pub(super) mod preview_type_tag {
    pub(crate) const SYMBOLIC: u64 = 209;
    pub(crate) const FRAGMENT: u64 = 210;
    pub(crate) const NONE: u64 = 215;
    pub(crate) const FIRST: u64 = SYMBOLIC;
    pub(crate) const LAST: u64 = NONE;
}

/// The tags of preview attributes, except those of binary expressions.
pub(super) mod preview_attr_tag {
    pub(crate) const INT: u64 = 209;
    pub(crate) const VAR: u64 = 210;
    pub(crate) const TUPLE: u64 = 216;
    pub(crate) const LAYOUT: u64 = 217;
    pub(crate) const TYPE: u64 = 219;
    pub(crate) const NEG: u64 = 220;
    pub(crate) const MEMORY_SPACE: u64 = 221;
    pub(crate) const SYNCHRONIZATION: u64 = 222;
    pub(crate) const ACCESS: u64 = 223;
    pub(crate) const SCRATCH: u64 = 224;
    pub(crate) const CONST_PARAM: u64 = 226;
    pub(crate) const BUILTIN: u64 = 227;
    pub(crate) const STR: u64 = 228;
    pub(crate) const FIRST: u64 = INT;
    pub(crate) const LAST: u64 = STR;
}

/// The tags of debug attributes.
pub(super) mod debug_tag {
    pub(crate) const UNKNOWN: u64 = 0;
    pub(crate) const COMPILE_UNIT: u64 = 1;
    pub(crate) const FILE: u64 = 2;
    pub(crate) const LEXICAL_BLOCK: u64 = 3;
    pub(crate) const LOC: u64 = 4;
    pub(crate) const SUBPROGRAM: u64 = 5;
    pub(crate) const CALL_SITE: u64 = 6;
}

/// The value of a dynamic extent or stride.
pub(super) const DYNAMIC: i64 = i64::MIN;
