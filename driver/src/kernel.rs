//! A kernel as the database tracks it: by its symbol.

#![allow(missing_docs, reason = "salsa's own constructors have none")]

use std::sync::Arc;

use crate::database::Db;
use crate::source_map::{Places, SourceMap};
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
    /// The source locations of its ops, in the text that it was read in.
    #[tracked]
    #[returns(ref)]
    pub(crate) map: Arc<SourceMap>,
    /// The distance in bytes from positions in the map to those in the file.
    #[tracked]
    #[returns(copy)]
    pub(crate) shift: i64,
}

impl<'db> Kernel<'db> {
    /// The locations of the kernel and of its ops in the file.
    pub fn places(self, db: &'db dyn Db) -> Places<'db> {
        Places::new(self.map(db), self.shift(db))
    }
}
