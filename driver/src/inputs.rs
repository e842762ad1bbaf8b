//! The inputs of the database: files and options. Everything else is computed from them.

#![allow(missing_docs, reason = "salsa's own constructors and setters have none")]

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode;
use tilewright_irs::cuda_tile::HintOverrides;
use tilewright_irs::cuda_tile::preview::Features;
use tilewright_irs::dialects::fast_math::FastMath;
use tilewright_irs::dialects::route::ForcedRoute;
use tilewright_irs::ptx::Target;

use crate::units::Language;

/// A file.
#[salsa::input(debug)]
pub struct Source {
    /// The name that diagnostics show.
    #[returns(deref)]
    pub name: String,
    /// Its number in [`Files`](tilewright_diagnostics::Files).
    #[returns(copy)]
    pub file: FileId,
    /// The contents: bytecode, or text of any language.
    #[returns(deref)]
    pub bytes: Vec<u8>,
    /// The preview content that it may have.
    #[returns(copy)]
    pub preview: Features,
    /// The language given by the file's name or by the editor, for a text whose beginning is not that of any language.
    #[returns(copy)]
    pub named: Option<Language>,
}

/// The options of a compilation. A query depends only on the fields that it reads.
#[salsa::input(debug)]
pub struct Options {
    /// The GPU, unless the text names one.
    #[returns(copy)]
    pub target: Option<Target>,
    /// The optimisation level, 0 to 3.
    #[returns(copy)]
    pub opt_level: u8,
    /// Whether the PTX has `.loc` directives.
    #[returns(copy)]
    pub lineinfo: bool,
    /// In what the results of all float ops may differ from their definitions, beside what the program allows.
    #[returns(copy)]
    pub fast_math: FastMath,
    /// Hints that replace those of the program.
    #[returns(copy)]
    pub hints: HintOverrides,
    /// A route that all accesses take that can.
    #[returns(copy)]
    pub route: Option<ForcedRoute>,
    /// Whether kernels of `cute` check what they assert, and that the layouts that they compose fit.
    #[returns(copy)]
    pub checks: bool,
    /// Whether each pass's output is verified.
    #[returns(copy)]
    pub verify_each: bool,
}

impl Options {
    /// Makes the calling query depend on an input that may change. salsa never frees the results of queries that depend on no
    /// such input (interned keys of high durability); with it, they are freed with their kernel.
    pub(crate) fn may_change(self, db: &dyn salsa::Database) {
        let _ = self.verify_each(db);
    }
}

/// Options as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The GPU, unless the text names one.
    pub target: Option<Target>,
    /// The optimisation level, 0 to 3.
    pub opt_level: u8,
    /// Whether the PTX has `.loc` directives.
    pub lineinfo: bool,
    /// In what the results of all float ops may differ from their definitions, beside what the program allows.
    pub fast_math: FastMath,
    /// Hints that replace those of the program.
    pub hints: HintOverrides,
    /// A route that all accesses take that can, whatever would be chosen for them.
    pub route: Option<ForcedRoute>,
    /// Whether kernels of `cute` check what they assert, and that the layouts that they compose fit.
    pub checks: bool,
    /// Whether each pass's output is verified; always on in debug builds.
    pub verify_each: bool,
    /// The preview content that the program may have.
    pub preview: Features,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            target: None,
            opt_level: 3,
            lineinfo: false,
            fast_math: FastMath::NONE,
            hints: HintOverrides::default(),
            route: None,
            checks: false,
            verify_each: cfg!(debug_assertions),
            preview: Features::NONE,
        }
    }
}

/// The bytes of a bytecode header: magic and version.
const HEADER: usize = 12;

/// Whether a file is bytecode, possibly damaged: it begins like bytecode, or is not text.
pub fn is_bytecode(bytes: &[u8]) -> bool {
    // A damaged header still contains zero bytes, which text does not.
    let header = bytes.get(..HEADER).unwrap_or(bytes);
    let wide_text = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    bytes.starts_with(&bytecode::MAGIC[..4]) || (header.contains(&0) && !wide_text)
}
