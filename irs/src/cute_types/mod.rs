//! The types of NVIDIA's `cute` and `cute_nvgpu`: shapes, layouts, pointers, views, and the instructions that copy and
//! multiply. A type says what is known of each number in it, so that the types of results follow from the types of
//! operands.
//!
//! Texts are those that the library prints, and reading them is stricter than the library: a malformed string is refused
//! where it goes wrong.

mod atoms;
mod dialect;
mod element;
pub mod infer;
mod open;
mod passing;
mod pointer;
mod reader;
mod scalar;
mod terms;
mod tiled;
mod types;
mod value;
mod view;

pub use atoms::*;
pub use dialect::Dialect;
pub use element::{Element, Float, Number, Opaque, Sign, SparseElement, Stored};
pub use open::open_problem;
pub use passing::Passing;
pub use pointer::{Pointer, Space};
pub use reader::TypeError;
pub use scalar::{DivisorWidth, FastDivisor, Integer};
pub use tiled::{TiledCopy, TiledMma};
pub use types::{CuteType, Kind};
pub use value::ValueType;
pub use view::{CoordTensor, Descriptor, DescriptorView, View, ViewLayout};
