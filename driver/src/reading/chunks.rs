//! Reads a text function by function: each is parsed in a small text of its own, by a query of its own.
//!
//! The text is read as a whole instead if a problem may cross functions: if there is a diagnostic outside of functions, if a name
//! is defined twice, or if a diagnostic of a function points outside of it.

#![allow(missing_docs, reason = "salsa's own constructors have none")]

use std::sync::Arc;
use std::time::Instant;

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Diagnostic, FileId, Location, Span};
use tilewright_grammar::{Alone, Frame, cut};
use tilewright_irs::cuda_tile::TileModule;
use tilewright_irs::cuda_tile::preview::Features;

use super::Collected;
use super::languages::{self, Read, Reading};
use crate::database::Db;
use crate::inputs::{Source, is_bytecode};
use crate::source_map::moved_location;
use crate::units::Language;

/// A function of a text.
#[salsa::tracked(debug)]
struct Chunk<'db> {
    /// Its name, which is its identity from one version of the text to the next.
    #[returns(deref)]
    name: String,
    #[returns(copy)]
    language: Language,
    #[returns(copy)]
    file: FileId,
    #[returns(copy)]
    preview: Features,
    /// Its text.
    #[tracked]
    #[returns(deref)]
    text: Arc<str>,
    /// The number of functions before it.
    #[tracked]
    #[returns(copy)]
    number: usize,
}

/// The part of a text outside of its functions.
#[salsa::tracked(debug)]
struct Rest<'db> {
    #[returns(copy)]
    language: Language,
    #[returns(copy)]
    file: FileId,
    #[returns(copy)]
    preview: Features,
    /// Its definitions.
    #[tracked]
    #[returns(ref)]
    frame: Frame,
    /// The text itself.
    #[tracked]
    #[returns(deref)]
    text: String,
}

/// The result of reading one function.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ChunkReading {
    kernels: Vec<Read>,
    broken: Vec<Read>,
    syntax: Vec<Diagnostic<Location>>,
    verified: Vec<Diagnostic<Location>>,
}

/// The small text in which a function is parsed.
#[salsa::tracked(returns(ref))]
fn alone<'db>(db: &'db dyn Db, chunk: Chunk<'db>, rest: Rest<'db>) -> Alone {
    let frame = rest.frame(db);
    let number = match frame.depends_on_number() {
        true => chunk.number(db),
        false => 0,
    };
    frame.alone(chunk.text(db), number)
}

/// Reads one function; `None` if one of its diagnostics points outside of it.
#[salsa::tracked(returns(ref))]
fn read_function<'db>(db: &'db dyn Db, chunk: Chunk<'db>, rest: Rest<'db>) -> Option<Arc<ChunkReading>> {
    let start = Instant::now();
    let Alone { text, at } = alone(db, chunk, rest);
    let read = || languages::read_text(chunk.language(db), text, chunk.file(db), chunk.preview(db));
    // A panic is reported by the reading of the whole text.
    let reading = crate::panics::caught(read).ok()?;
    let Reading {
        kernels,
        broken,
        syntax,
        verified,
        ..
    } = reading;
    let within = |span: Span| {
        let offset = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
        at.start <= offset(span.start) && offset(span.end) <= at.end
    };
    let is_within = |location: &Location| matches!(location, Location::Span(span) if within(*span));
    let mut all = syntax.iter().chain(&verified);
    let inside = all.all(|problem| problem.primary.is_some() && problem.locations().all(is_within));
    db.record("read", chunk.name(db), start.elapsed());
    inside.then(|| {
        Arc::new(ChunkReading {
            kernels,
            broken,
            syntax,
            verified,
        })
    })
}

/// Reads what is outside of functions: the parts of a `cuda_tile` module besides kernels. `None` if there is any diagnostic.
#[salsa::tracked(returns(ref))]
fn read_rest<'db>(db: &'db dyn Db, rest: Rest<'db>) -> Option<Option<Arc<TileModule>>> {
    let start = Instant::now();
    let read = || languages::read_frame(rest.language(db), rest.text(db), rest.file(db), rest.preview(db));
    let module = crate::panics::caught(read).ok().flatten();
    db.record("read", "the frame", start.elapsed());
    module
}

/// Reads a text function by function; `None` if it must be read as a whole.
pub(super) fn read(db: &dyn Db, source: Source) -> Option<(Language, Collected)> {
    let bytes = source.bytes(db);
    if is_bytecode(bytes) {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let language = languages::language_of(text, source.named(db))?;
    let cut = cut(language.name(), text)?;
    if cut.functions.is_empty() {
        return None;
    }
    let (file, preview) = (source.file(db), source.preview(db));
    let rest = Rest::new(db, language, file, preview, cut.frame, cut.rest);
    let chunks: Vec<_> = cut
        .functions
        .iter()
        .enumerate()
        .map(|(number, piece)| {
            let own = text.get(piece.at.clone()).unwrap_or_default();
            Chunk::new(
                db,
                piece.name.to_owned(),
                language,
                file,
                preview,
                own.into(),
                number,
            )
        })
        .collect();
    let module = read_rest(db, rest).clone()?;
    let mut collected = Collected {
        kernels: Vec::with_capacity(chunks.len()),
        hosts: Vec::new(),
        broken: Vec::new(),
        module,
        syntax: Vec::new(),
        verified: Vec::new(),
    };
    for (&chunk, piece) in chunks.iter().zip(&cut.functions) {
        let reading = read_function(db, chunk, rest).as_deref()?;
        let inside = alone(db, chunk, rest).at.start;
        let shift = i64::try_from(piece.at.start).ok()? - i64::try_from(inside).ok()?;
        let moved = |list: &[Read]| list.iter().map(|read| (read.clone(), shift)).collect::<Vec<_>>();
        collected.kernels.extend(moved(&reading.kernels));
        collected.broken.extend(moved(&reading.broken));
        let placed = |list: &[Diagnostic<Location>]| {
            let problems = list.iter().cloned();
            let moved = problems.map(|problem| problem.map_location(|at| Some(moved_location(at, shift))));
            moved.collect::<Vec<_>>()
        };
        collected.syntax.extend(placed(&reading.syntax));
        collected.verified.extend(placed(&reading.verified));
    }
    if defines_twice(&collected) {
        return None;
    }
    once_for_each_alias(text, &mut collected.syntax);
    Some((language, collected))
}

/// Whether two functions, or a function and another part of the module, have the same name.
fn defines_twice(collected: &Collected) -> bool {
    let mut names = FxHashSet::default();
    let functions = collected.kernels.iter().chain(&collected.broken);
    let functions = functions
        .map(|(read, _)| read.name.as_str())
        .filter(|name| *name != "?");
    let module = collected.module.as_deref();
    let globals = module.iter().flat_map(|module| &module.globals);
    let externals = module.iter().flat_map(|module| &module.externals);
    functions
        .chain(globals.map(|global| global.name.as_str()))
        .chain(externals.map(|external| external.name()))
        .any(|name| !names.insert(name))
}

/// Keeps only the first of equal errors about an alias: it is one mistake, however many functions use the alias.
fn once_for_each_alias(text: &str, syntax: &mut Vec<Diagnostic<Location>>) {
    let mut seen = FxHashSet::default();
    syntax.retain(|problem| {
        let Some(Location::Span(span)) = problem.primary.as_ref().map(|label| &label.at) else {
            return true;
        };
        let offset = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
        let word = text.get(offset(span.start)..offset(span.end)).unwrap_or_default();
        let alias = word.starts_with(['!', '#']) && !word.contains('.');
        !alias || seen.insert((word, problem.code, problem.message.clone()))
    });
}
