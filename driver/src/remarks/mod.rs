//! Remarks: what the compiler made of the matrix products, the memory accesses and the hints of a program, why it did not make
//! more of them, and how long it predicts a kernel to take. Their names and texts are NVIDIA's (`Remarks.td` of NVIDIA/cuda-tile,
//! and the output of tileiras 13.5) where it has the same remark.
//!
//! | module | contents |
//! |---|---|
//! | `chosen` | what was chosen for each product and access |
//! | `missed` | why the faster way was not possible, and which fact would allow it |
//! | `hints` | the hints that were not followed |
//! | `kernel` | the limiter and the predicted time of a kernel, its clusters, and tuned hints |
//! | `text` | YAML, and text for people |

mod chosen;
mod hints;
mod kernel;
pub(crate) mod missed;
mod text;

use std::collections::HashSet;

use tilewright_diagnostics::{Files, Location};
use tilewright_irs::core::Origin;

use crate::database::Compiler;
use crate::inputs::{Options, Source};
use crate::reading;
use crate::source_map::Places;

pub(crate) use text::{plain, yaml};

/// The kind of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// An optimisation was done.
    Passed,
    /// An optimisation was not done.
    Missed,
    /// An optimisation was tried, and failed.
    Failed,
    /// A result of an analysis.
    Analysis,
}

/// The subject of a remark, by which remarks can be requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Category {
    /// Matrix products.
    TensorCore,
    /// Accesses to global memory.
    Memory,
    /// The blocks and warps of a kernel, and its time.
    Schedule,
}

impl Category {
    /// The name in remarks.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::TensorCore => "TensorCore",
            Self::Memory => "Memory",
            Self::Schedule => "Schedule",
        }
    }

    /// The word that requests it.
    const fn word(self) -> &'static str {
        match self {
            Self::TensorCore => "tensorcore",
            Self::Memory => "memory",
            Self::Schedule => "schedule",
        }
    }
}

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Remark {
    /// The kind.
    pub(crate) kind: Kind,
    /// The subject.
    pub(crate) category: Category,
    /// The name.
    pub(crate) name: &'static str,
    /// The file, the line and the column, as in the debug information; in a text, all count from 1.
    pub(crate) place: Option<(String, u32, u32)>,
    /// The kernel.
    pub(crate) kernel: String,
    /// The text.
    pub(crate) text: String,
    /// Further facts, each with its name.
    pub(crate) facts: Vec<(&'static str, String)>,
}

/// The remarks that are requested: by their kind, if one is named, and by their category.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted(Vec<(Option<Kind>, String)>);

/// The words for no category and for every category.
const NONE: &str = "none";
const ALL: &str = "all";

impl Wanted {
    /// All remarks.
    pub(crate) fn all() -> Self {
        Self(vec![(None, ALL.to_owned())])
    }

    /// Requests the remarks of a kind, or of all kinds, whose category has this word.
    pub(crate) fn ask(&mut self, kind: Option<Kind>, word: &str) {
        self.0.push((kind, word.to_owned()));
    }

    /// Whether no remarks are requested.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|(_, word)| word == NONE)
    }

    fn admits(&self, remark: &Remark) -> bool {
        self.0.iter().any(|(kind, word)| {
            kind.is_none_or(|kind| kind == remark.kind) && (word == ALL || word == remark.category.word())
        })
    }
}

/// The remarks on a compiled file: kernel by kernel, first on the kernel, then in the order of its ops. What a pass did twice for
/// one op, as for the iterations of an unrolled loop, is said once.
pub(crate) fn collect(compiler: &Compiler, source: Source, options: Options, wanted: &Wanted) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let files = compiler.files();
    for &kernel in &reading::parse(compiler, source).kernels {
        let places = kernel.places(compiler);
        let mut said = HashSet::new();
        let found = kernel::remarks(compiler, kernel, options).into_iter();
        let found = found.chain(chosen::remarks(compiler, kernel, options));
        let found = found.chain(missed::remarks(compiler, kernel, options));
        let found = found.chain(hints::remarks(compiler, kernel, options));
        let mut of_kernel: Vec<_> = found.filter(|found| said.insert(found.clone())).collect();
        of_kernel.sort_by_key(|(origin, _)| (*origin != Origin::FUNCTION, *origin));
        remarks.extend(of_kernel.into_iter().map(|(origin, remark)| Remark {
            place: place(places, &files, origin),
            kernel: kernel.name(compiler).to_owned(),
            ..remark
        }));
    }
    remarks.retain(|remark| wanted.admits(remark));
    remarks
}

/// A remark on an op, whose place and kernel are still to be named.
fn remark(kind: Kind, category: Category, name: &'static str, text: impl Into<String>) -> Remark {
    Remark {
        kind,
        category,
        name,
        place: None,
        kernel: String::new(),
        text: text.into(),
        facts: Vec::new(),
    }
}

fn place(places: Places<'_>, files: &Files, origin: Origin) -> Option<(String, u32, u32)> {
    match places.get(origin)? {
        Location::Source { path, line, column } => Some((path, line, column)),
        Location::Span(span) => {
            let at = files.position(span.file, usize::try_from(span.start).ok()?)?;
            let number = |at: usize| u32::try_from(at).ok();
            Some((
                files.name(span.file).to_owned(),
                number(at.line)?,
                number(at.column)?,
            ))
        }
        Location::Offset { .. } => None,
    }
}
