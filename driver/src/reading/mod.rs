//! Reads a file into kernels: the only queries that see text and positions.
//!
//! Each kernel has a body without positions and, beside it, a source map. An edit that only moves text yields equal bodies, so
//! that no later query runs again. A text that is edited is read function by function (`chunks`), so that an edit of one
//! function reads that one again.

mod chunks;
mod hosts;
mod languages;

use std::sync::Arc;
use std::time::Instant;

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::core::Origin;
use tilewright_irs::cuda_tile::TileModule;

use crate::database::Db;
use crate::inputs::{Source, is_bytecode};
use crate::kernel::Kernel;
use crate::source_map::{Places, SourceMap, place};
use crate::units::{Language, Stage};
use languages::{Read, Reading};

pub use hosts::{HostModule, host_module};
pub use languages::{TileFile, tile_file};

/// The contents of a file.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Parsed<'db> {
    /// The language; `None` if it cannot be determined.
    pub language: Option<Language>,
    /// The kernels without errors.
    pub kernels: Vec<Kernel<'db>>,
    /// The functions of the host without errors.
    pub hosts: Vec<Uncompiled>,
    /// The kernels and functions with errors, as far as they could be read: for an editor, which shows them while they are typed.
    pub broken: Vec<Uncompiled>,
    /// The parts of a `cuda_tile` module besides kernels.
    pub module: Option<Arc<TileModule>>,
    /// The errors of the file, in its order.
    pub diagnostics: Vec<Diagnostic<Location>>,
}

impl Parsed<'_> {
    /// Whether the file can be compiled.
    pub fn is_sound(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The error about a file that has functions of the host alone: nothing of it is compiled.
    pub fn lacks_kernels(&self) -> Option<Diagnostic<Location>> {
        let host = self.hosts.first().filter(|_| self.kernels.is_empty())?;
        let problem = languages::no_kernel();
        Some(match host.places().function() {
            Some(at) => problem.at(at, "a function of the host"),
            None => problem,
        })
    }
}

/// A function that is not compiled: one of the host, or one with errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncompiled {
    /// Its name; `?` if it could not be read.
    pub name: String,
    /// What could be read of it. One with errors has not been verified.
    pub body: Stage,
    map: Arc<SourceMap>,
    /// The distance in bytes from positions in the map to those in the file.
    shift: i64,
}

impl Uncompiled {
    fn of(read: Read, shift: i64) -> Self {
        Self {
            name: read.name,
            body: read.body,
            map: read.map,
            shift,
        }
    }

    /// The locations of its ops in the file.
    pub fn places(&self) -> Places<'_> {
        Places::new(&self.map, self.shift)
    }
}

/// Kernels of a file, each with the distance in bytes from positions in its map to those in the file.
struct Collected {
    kernels: Vec<(Read, i64)>,
    hosts: Vec<(Read, i64)>,
    broken: Vec<(Read, i64)>,
    module: Option<Arc<TileModule>>,
    /// The diagnostics of the parser.
    syntax: Vec<Diagnostic<Location>>,
    /// The diagnostics of the verifiers.
    verified: Vec<Diagnostic<Location>>,
}

impl From<Reading> for Collected {
    fn from(reading: Reading) -> Self {
        let unmoved = |list: Vec<Read>| list.into_iter().map(|read| (read, 0)).collect();
        Self {
            kernels: unmoved(reading.kernels),
            hosts: unmoved(reading.hosts),
            broken: unmoved(reading.broken),
            module: reading.module,
            syntax: reading.syntax,
            verified: reading.verified,
        }
    }
}

/// The language of a file, by its beginning; `None` if it cannot be determined.
pub fn language(db: &dyn Db, source: Source) -> Option<Language> {
    let bytes = source.bytes(db);
    if is_bytecode(bytes) {
        return Some(Language::CudaTile);
    }
    let text = std::str::from_utf8(bytes).ok()?;
    languages::language_of(text, source.named(db))
}

/// Reads and verifies a file, whatever its language.
#[salsa::tracked]
pub fn parse<'db>(db: &'db dyn Db, source: Source) -> Parsed<'db> {
    let start = Instant::now();
    let (language, collected) = match chunks::read(db, source) {
        Some((language, collected)) => (Some(language), collected),
        None => {
            let reading = read_whole(db, source);
            (reading.language, reading.into())
        }
    };
    let Collected {
        kernels,
        hosts,
        mut broken,
        module,
        syntax: mut diagnostics,
        verified,
    } = collected;
    diagnostics.extend(verified);
    let mut names = FxHashSet::default();
    let mut fresh = Vec::with_capacity(kernels.len());
    for (read, shift) in kernels {
        if names.insert(read.name.clone()) {
            let language = read.body.language();
            fresh.push(Kernel::new(db, read.name, language, read.body, read.map, shift));
        } else {
            let message = format!("kernel `{}` is defined twice", read.name);
            let problem = Diagnostic::error(Code::DuplicateSymbol, message).at(Origin::FUNCTION, "");
            diagnostics.push(place(problem, Places::new(&read.map, shift), &read.name));
            broken.push((read, shift));
        }
    }
    Reading::sort(&mut diagnostics);
    let uncompiled = |list: Vec<(Read, i64)>| {
        let list = list.into_iter();
        list.map(|(read, shift)| Uncompiled::of(read, shift)).collect()
    };
    let parsed = Parsed {
        language,
        kernels: fresh,
        hosts: uncompiled(hosts),
        broken: uncompiled(broken),
        module,
        diagnostics,
    };
    db.record("parse", source.name(db), start.elapsed());
    parsed
}

/// Reads a file as one piece.
fn read_whole(db: &dyn Db, source: Source) -> Reading {
    let start = Instant::now();
    let read = || {
        let (file, preview) = (source.file(db), source.preview(db));
        languages::read(source.bytes(db), file, preview, source.named(db))
    };
    let reading = crate::panics::caught(read).unwrap_or_else(|message| {
        let command = format!("tilewright check {}", source.name(db));
        Reading::refused(None, Diagnostic::bug("input", "parse", message, &command))
    });
    db.record("read", "the whole text", start.elapsed());
    reading
}
