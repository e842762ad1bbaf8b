//! A kernel as the database tracks it: by its symbol.

#![allow(missing_docs, reason = "salsa's own constructors have none")]

use crate::source_map::SourceMap;
use crate::units::{Language, Stage};

/// A kernel of a file.
#[salsa::tracked(debug)]
pub struct Kernel<'db> {
    /// The symbol, which is the kernel's identity from one version of the file to the next.
    #[returns(deref)]
    pub name: String,
    /// The language that the file is written in.
    #[returns(copy)]
    pub language: Language,
    /// The kernel, without positions.
    #[tracked]
    #[returns(ref)]
    pub body: Stage,
    /// The source locations of its ops.
    #[tracked]
    #[returns(ref)]
    pub source_map: SourceMap,
}
