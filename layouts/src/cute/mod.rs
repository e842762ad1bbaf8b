//! CuTe's algebra of layouts: hierarchical shapes and strides.
//!
//! A [`Layout`] maps coordinates of a nested shape to indices by strides. The operations here build
//! layouts from layouts: coalesce, compose, invert, divide into tiles, repeat. Extents and strides
//! are integers of up to 64 bits, not only powers of two, and may be dynamic ([`Int`]); overflow, and
//! decisions that depend on a dynamic integer, are errors.
//!
//! The algebra is generic over its integers ([`Leaf`]): [`Int`] for layouts that the compiler works
//! with, [`Fact`] for the types of NVIDIA's CuTe IR, which say less and leave more to run time, and
//! [`Traced`] for values of such types.
//!
//! Names and semantics are those of CUTLASS (`media/docs/cpp/cute` and `media/docs/cutlass_compiler`
//! in its repository). Where its headers, its documentation and the `pycute` package differ, each
//! function documents its behaviour.

mod arithmetic;
mod basis;
mod coalesce;
mod common;
mod complement;
mod composed;
mod composed_algebra;
mod composed_type;
mod composition;
mod coord;
mod cotiled;
mod decay;
mod divide;
mod error;
mod expr;
mod fact;
mod filter;
mod identity;
mod index;
mod int;
mod inverse;
mod layout;
mod leaf;
mod local;
mod modes;
mod open;
mod open_leaf;
mod part;
mod print;
mod product;
mod recast;
mod stencil;
mod swizzle;
mod symbol;
mod text;
mod tile_to_shape;
mod tiled_copy;
mod tiled_mma;
mod tiler;
mod traced;
mod tuple;
mod type_leaf;

pub use basis::Scaled;
pub use composed::Composed;
pub use composed_type::{ComposedOf, LastOf, TypeComposed};
pub use coord::{Coord, CoordOf, Slot, SlotOf};
pub use decay::PartLayout;
pub use error::{Arithmetic, CuteError, Op};
pub use expr::Evaluate;
pub use fact::{Bits, Fact};
pub use int::{Dynamic, Int};
pub use layout::{Layout, LayoutOf, Mode, ModeOf};
pub use leaf::{Leaf, Stride};
pub use local::projected;
pub use open_leaf::Open;
pub use part::Part;
pub use swizzle::{MAX_SWIZZLE_BITS, Swizzle, SwizzleError};
pub use symbol::{Name, Symbol, Width};
pub use text::{MAX_TEXT_DEPTH, MAX_TEXT_LEAVES, ParseCuteError};
pub use tiled_copy::{CopyAtom, CopyAtomOf, CopyEnd, TiledCopy, TiledCopyOf};
pub use tiled_mma::{MmaAtom, MmaAtomOf, MmaMatrix, TiledMma, TiledMmaOf};
pub use tiler::{Tiler, TilerOf};
pub use traced::{Emit, Emitted, RunTime, Term, Traced};
pub use tuple::{IntTuple, Leaves, Nested};
pub use type_leaf::TypeLeaf;

pub use crate::units::MatrixCount;

/// A layout as a type says it: `(?,64):(?{i64 div=8},1)`, `(4,2):(1@0,1@1)`.
pub type TypeLayout = LayoutOf<Fact>;
