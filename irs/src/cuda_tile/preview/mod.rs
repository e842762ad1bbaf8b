//! The preview content of 13.5, feature `simt`: functions that are implemented in machine code outside of the module,
//! and calls of them.
//!
//! A module declares such a function ([`ExternFunc`]) and may describe implementations of it ([`ExternImpl`]): where
//! each thread finds its part of each tile (a [`Fragment`]), how the threads synchronise, what memory they need. Shapes
//! and numbers in these descriptions are [expressions](Expr) over constant parameters, which a call binds.
//!
//! Bytecode that has any of this says so in its header, and is read only when it is asked for.

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
    /// What a function does with an argument.
    Access(PreviewAccess),
    /// Shared memory that an implementation asks for.
    Scratch(Scratch),
    /// A constant parameter.
    ConstParam(ConstParam),
}

impl PreviewAttr {
    /// What kind of value it is, for a message.
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
