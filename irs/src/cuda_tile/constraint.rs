//! Type constraints of operands and results.

use super::types::{Element, Tile, TileType};
use crate::element::ScalarType as S;

macro_rules! constraints {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal;)+) => {
        /// A set of types.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Constraint { $($(#[doc = $doc])+ $name),+ }

        impl Constraint {
            /// The set, for messages.
            pub const fn describe(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }
        }
    };
}

constraints! {
    /// Any type.
    Any = "of any type";
    /// A tile.
    AnyTile = "a tile";
    /// A tile of integers, i4 excluded.
    IntTile = "a tile of i1, i8, i16, i32 or i64";
    /// A tile of integers, i4 included.
    IntTileI4 = "a tile of integers";
    /// A tile of the floats that arithmetic is done on.
    BaseFloatTile = "a tile of f16, bf16, f32 or f64";
    /// A tile of any floats.
    FloatTile = "a tile of floats";
    /// A tile of numbers, i4 excluded.
    NumberTile = "a tile of numbers other than i4";
    /// A tile of numbers, i4 included.
    NumberTileI4 = "a tile of numbers";
    /// A tile of pointers.
    PtrTile = "a tile of pointers";
    /// A pointer.
    PtrScalar = "a scalar pointer (a tile of rank 0)";
    /// An integer.
    IntScalar = "a scalar i1, i8, i16, i32 or i64 (a tile of rank 0)";
    /// A Boolean.
    I1Scalar = "a scalar i1 (a tile of rank 0)";
    /// A 32-bit integer.
    I32Scalar = "a scalar i32 (a tile of rank 0)";
    /// A tile of Booleans.
    I1Tile = "a tile of i1";
    /// A tile of bytes.
    I8Tile = "a tile of i8";
    /// A tile of 32-bit integers.
    I32Tile = "a tile of i32";
    /// A tile of 64-bit integers.
    I64Tile = "a tile of i64";
    /// A tile of f32.
    F32Tile = "a tile of f32";
    /// An operand of a float matrix product.
    MmaFloatTile = "a tile of f16, bf16, f32, f64, tf32, f8E4M3FN or f8E5M2";
    /// An accumulator of a float matrix product.
    MmaFloatAccTile = "a tile of f16, f32 or f64";
    /// An operand of a scaled matrix product.
    MmaScaledTile = "a tile of f8E4M3FN, f8E5M2 or f4E2M1FN";
    /// The scales of a scaled matrix product.
    ScaleTile = "a tile of f8E8M0FNU, f8E4M3FN or fnv8E5M3FNU";
    /// A tensor.
    TensorView = "a tensor_view";
    /// A view of tiles.
    TileView = "a partition_view, strided_view or gather_scatter_view";
    /// A partition view.
    PartitionView = "a partition_view";
    /// A strided view.
    StridedView = "a strided_view";
    /// A gather-scatter view.
    GatherScatterView = "a gather_scatter_view";
    /// A token.
    Token = "a token";
}

impl Constraint {
    /// Whether a type is in the set.
    pub fn admits(self, ty: &TileType) -> bool {
        let scalar = |rank0: bool, wanted: fn(S) -> bool| match ty {
            TileType::Tile(Tile {
                shape,
                element: Element::Scalar(scalar),
            }) => (!rank0 || shape.is_empty()) && wanted(*scalar),
            _ => false,
        };
        let pointer = |rank0: bool| match ty {
            TileType::Tile(Tile {
                shape,
                element: Element::Ptr(_),
            }) => !rank0 || shape.is_empty(),
            _ => false,
        };
        match self {
            Self::Any => true,
            Self::AnyTile => matches!(ty, TileType::Tile(_)),
            Self::IntTile => scalar(false, |s| s.is_int() && s != S::I4),
            Self::IntTileI4 => scalar(false, S::is_int),
            Self::BaseFloatTile => scalar(false, |s| matches!(s, S::F16 | S::BF16 | S::F32 | S::F64)),
            Self::FloatTile => scalar(false, S::is_float),
            Self::NumberTile => scalar(false, |s| s != S::I4),
            Self::NumberTileI4 => scalar(false, |_| true),
            Self::PtrTile => pointer(false),
            Self::PtrScalar => pointer(true),
            Self::IntScalar => scalar(true, |s| s.is_int() && s != S::I4),
            Self::I1Scalar => scalar(true, |s| s == S::I1),
            Self::I32Scalar => scalar(true, |s| s == S::I32),
            Self::I1Tile => scalar(false, |s| s == S::I1),
            Self::I8Tile => scalar(false, |s| s == S::I8),
            Self::I32Tile => scalar(false, |s| s == S::I32),
            Self::I64Tile => scalar(false, |s| s == S::I64),
            Self::F32Tile => scalar(false, |s| s == S::F32),
            Self::MmaFloatTile => scalar(false, |s| {
                matches!(
                    s,
                    S::F16 | S::BF16 | S::F32 | S::F64 | S::TF32 | S::F8E4M3FN | S::F8E5M2
                )
            }),
            Self::MmaFloatAccTile => scalar(false, |s| matches!(s, S::F16 | S::F32 | S::F64)),
            Self::MmaScaledTile => scalar(false, |s| matches!(s, S::F8E4M3FN | S::F8E5M2 | S::F4E2M1FN)),
            Self::ScaleTile => scalar(false, |s| matches!(s, S::F8E8M0FNU | S::F8E4M3FN | S::F8E5M3FNU)),
            Self::TensorView => matches!(ty, TileType::TensorView(_)),
            Self::TileView => ty.as_view().is_some(),
            Self::PartitionView => matches!(ty, TileType::PartitionView(_)),
            Self::StridedView => matches!(ty, TileType::StridedView(_)),
            Self::GatherScatterView => matches!(ty, TileType::GatherScatterView(_)),
            Self::Token => matches!(ty, TileType::Token),
        }
    }
}
