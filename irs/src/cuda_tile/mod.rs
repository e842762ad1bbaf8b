//! `cuda_tile`: the input program: tiles, views, tokens, structured control flow, hints.
//!
//! Every op is declared once, in [`ops`](TileOp): the Rust variant, its opcode and encoding in bytecode, its text,
//! its type constraints and its checks follow from the declaration (see [`declare`]). Types are [`TileType`], a file
//! is a [`TileModule`] with its [`DebugInfo`], and [`verify_module`] checks the rules.

pub mod attrs;
pub mod constraint;
pub mod debug;
pub mod declare;
pub mod enums;
mod fields;
pub mod gates;
mod hints;
mod module;
mod ops;
pub mod preview;
mod print;
mod shape;
pub mod syntax;
mod terms;
mod type_rules;
mod type_text;
pub mod types;
pub mod verify;
mod version;
mod write;

pub use attrs::{Attr, Dict, Hints, Predicate, PredicateWord, Symbol};
pub use constraint::Constraint;
pub use debug::{DebugAttr, DebugId, DebugInfo, Frame, FuncLocations, SourceLocation};
pub use declare::{DefaultValue, FieldRefs, TileFieldSpec, TileOpSpec, TileResultSpec};
pub use enums::{
    AtomicRmwMode, ComparisonOrdering, ComparisonPredicate, IntegerOverflow, MemoryOrdering, MemoryScope,
    MultimemReduction, PaddingValue, PreviewAccess, PreviewMemorySpace, PreviewSynchronization, PtrAttr,
    RoundingMode, Signedness,
};
pub use fields::{AttrKind, AttrRef, FieldKind, FieldRef, FieldValue, TileField};
pub use gates::{Needs, check_target};
pub use hints::{ARCHITECTURES, DEFAULT_HINTS, Hint, HintOverrides, hint_flag, hint_key, hint_number};
pub use module::{CudaTile, EntryAttrs, Global, TileModule};
pub use ops::{CastOp, ControlOp, FloatOp, IntOp, MemoryOp, PreviewOp, ShapeOp, TileOp, ViewOp};
pub use preview::{External, ExternalKind};
pub use print::{
    float_text, join_tile_entries, parse_float, print_tile_entry, print_tile_module,
    print_tile_module_generic,
};
pub use shape::{MAX_GRID_EXTENT, MAX_RANK, MAX_TILE_ELEMENTS, Shape};
pub use type_rules::{MAX_REGION_DEPTH, check_dense, check_type};
pub use types::{
    AnyType, Element, GatherScatterView, PartitionView, Pointer, Signature, StridedView, TensorView, Tile,
    TileType, TypeWord, View, ViewPart,
};
pub use verify::{
    ModuleProblem, PartialFunc, Unknown, check_hints, verify_debug, verify_module, verify_rest, warnings,
};
pub use version::Version;
