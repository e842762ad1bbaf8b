//! MLIR text with the dialects `cute` and `cute_nvgpu`, as version 4.8.1 of CUTLASS's library for Python prints it.
//!
//! Every op is declared once, in the files of its dialect, with its operands and properties, how the types of its results
//! follow, and its text (see [`declare`]). A value has a [`Type`], a property is an [`Attribute`] in the text and a type
//! of Rust in its op, a file is an [`MlirModule`].

pub mod attribute;
pub mod declare;
pub mod dialects;
pub mod enums;
mod infer;
mod module;
pub mod open;
mod ops;
mod passed;
pub mod print;
pub mod property;
pub mod reader;
pub mod scan;
mod shared_memory;
pub mod syntax;
mod terms;
pub mod types;
mod verify;

pub use attribute::{Attribute, Dictionary, SymbolRef};
pub use declare::{Class, Inferred, MlirFieldSpec, MlirOpSpec};
pub use infer::{atom_fields, compute, result_types};
pub use module::{FunctionAttributes, GpuModule, Item, Mlir, MlirModule};
pub use ops::{MlirOp, Views};
pub use passed::is_passed;
pub use property::{FieldKind, FieldValue, FieldView, MlirField, Property};
pub use shared_memory::{SHARED_ALIGN, SHARED_BYTES, SharedMemory, shared_base, shared_bytes, shared_memory};
pub use types::Type;
pub use verify::verify_module;
