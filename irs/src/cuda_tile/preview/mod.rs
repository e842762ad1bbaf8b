//! The preview content of 13.5, feature `simt`: external functions, which are implemented in machine code outside of
//! the module, and calls of them.
//!
//! A module declares such a function ([`ExternFunc`]) and may describe implementations of it ([`ExternImpl`]): which
//! part of each tile each thread holds (a [`Fragment`]), how the threads synchronise, and how much memory they need.
//! Extents and other numbers in these descriptions are [expressions](Expr) over constant parameters, which a call
//! binds.
//!
//! Bytecode with preview content says so in its header, and is read only if the user enables the feature.

mod access;
mod expr;
mod external;
mod features;
mod fragment;
mod known;
mod layout;
mod terms;
mod text;
mod types;

pub use access::{ACCESS, access};
pub use expr::{BinaryOp, Expr, MAX_EXPR_DEPTH};
pub use external::{ConstParam, ExternFunc, ExternImpl, External, ExternalKind, Scratch};
pub use features::Features;
pub use fragment::{Fragment, SymbolicTile, TileElement};
pub use known::Known;
pub use layout::Layout;
pub use text::{Spacing, expr_list, write_const_params};
pub use types::{ParamKind, PreviewType};

use super::enums::{PreviewAccess, PreviewMemorySpace, PreviewSynchronization};

/// The value of an attribute that only preview content has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PreviewAttr {
    /// An expression.
    Expr(Expr),
    /// A layout.
    Layout(Layout),
    /// A memory space.
    MemorySpace(PreviewMemorySpace),
    /// Which threads an implementation synchronises.
    Synchronization(PreviewSynchronization),
    /// How a function accesses an argument.
    Access(PreviewAccess),
    /// Shared memory that an implementation requests.
    Scratch(Scratch),
    /// A constant parameter.
    ConstParam(ConstParam),
}

impl PreviewAttr {
    /// The kind of the value, for messages.
    pub const fn describe(&self) -> &'static str {
        match self {
            Self::Expr(_) => "a symbolic expression",
            Self::Layout(_) => "a layout",
            Self::MemorySpace(_) => "a memory space",
            Self::Synchronization(_) => "a synchronization",
            Self::Access(_) => "an access",
            Self::Scratch(_) => "a request of scratch memory",
            Self::ConstParam(_) => "a constant parameter",
        }
    }
}
