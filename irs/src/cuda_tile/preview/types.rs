//! The types that only preview content has. No value of a program has such a type.

use tilewright_diagnostics::Code;

use super::fragment::{Fragment, SymbolicTile};
use crate::cuda_tile::types::AnyType;

crate::keywords! {
    /// The kind of a constant parameter's arguments.
    pub enum ParamKind {
        /// An integer.
        Index = "index",
        /// A list of integers.
        Shape = "shape",
        /// A type.
        Datatype = "Datatype",
        /// A string.
        String = "string",
    }
}

impl ParamKind {
    /// The tag of the type in bytecode.
    pub const fn tag(self) -> u64 {
        match self {
            Self::Datatype => 211,
            Self::Shape => 212,
            Self::String => 213,
            Self::Index => 214,
        }
    }

    /// A description of such arguments, for messages.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Index => "an integer",
            Self::Shape => "a tuple of integers",
            Self::Datatype => "a type",
            Self::String => "a string",
        }
    }
}

/// A type that only preview content has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PreviewType {
    /// The type that a constant parameter stands for, by its name.
    Symbolic(String),
    /// A part of a tile.
    Fragment(Fragment),
    /// A tile whose type depends on constant parameters.
    Tile(SymbolicTile),
    /// The type of a constant parameter.
    Param(ParamKind),
    /// The type `none`.
    None,
}

impl PreviewType {
    /// Checks the type by itself, without the module around it.
    ///
    /// # Errors
    /// The code and the message of the error.
    pub fn check(&self) -> Result<(), (Code, String)> {
        match self {
            Self::Fragment(fragment) => fragment.check(),
            Self::Tile(tile) => tile.check(),
            Self::Symbolic(_) | Self::Param(_) | Self::None => Ok(()),
        }
    }

    /// The bytes of heap that a copy takes, roughly.
    pub fn heap_bytes(&self) -> usize {
        let all = |list: &[super::Expr]| -> usize {
            let bytes = list
                .iter()
                .map(|expr| size_of::<super::Expr>() + expr.heap_bytes());
            bytes.sum()
        };
        let layout = |layout: &super::Layout| all(&layout.shape) + all(&layout.stride);
        size_of::<Self>()
            + match self {
                Self::Symbolic(name) => name.len(),
                Self::Fragment(fragment) => {
                    all(&fragment.shape)
                        + layout(&fragment.mem_layout)
                        + layout(&fragment.fragmap)
                        + fragment.alignment.heap_bytes()
                        + fragment.element.heap_bytes()
                }
                Self::Tile(tile) => all(&tile.shape),
                Self::Param(_) | Self::None => 0,
            }
    }
}

impl AnyType {
    /// Calls `found` for each use of a constant parameter in the type of a tile or an element.
    pub fn vars<'a>(&'a self, found: &mut impl FnMut(&'a str)) {
        match self {
            Self::Preview(ty) => match ty.as_ref() {
                PreviewType::Symbolic(name) => found(name),
                PreviewType::Tile(tile) => tile.vars(found),
                PreviewType::Fragment(_) | PreviewType::Param(_) | PreviewType::None => {}
            },
            Self::Scalar(_) | Self::Ptr(_) | Self::Value(_) | Self::Func(_) => {}
        }
    }

    /// The bytes of heap that a copy takes, roughly.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Scalar(_) | Self::Ptr(_) => 0,
            Self::Value(ty) => ty.heap_bytes(),
            Self::Func(signature) => {
                let all = signature.inputs.iter().chain(&signature.results);
                all.map(|ty| ty.heap_bytes() + size_of::<Self>()).sum()
            }
            Self::Preview(ty) => ty.heap_bytes(),
        }
    }
}
