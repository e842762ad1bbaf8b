//! Source lines of the instructions of a kernel's PTX, and the `.loc` directives that name them.
//!
//! They depend on source positions, so they are added after all passes, and only with `lineinfo`; without it an edit that moves
//! text does not change a kernel's text. Directives change no instruction.
//!
//! An instruction has the line of the op that it was lowered from; where ops were merged, that of the first. An instruction
//! without an op, or whose op has no location, has the line of the kernel itself. An op of an inlined function has its line in
//! that function, and the calls that led to it.

use rustc_hash::FxHashMap;
use tilewright_irs::core::Origin;
use tilewright_irs::ptx;

use crate::database::Db;
use crate::inputs::{Options, Source};
use crate::kernel::Kernel;
use crate::lines::{Line, LineStarts};
use crate::pipeline;
use crate::reading;
use crate::source_map::Places;
use crate::units::{Language, Stage};

/// The names that `.loc` directives use: those of files and of inlined functions, each in order of first use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) files: Vec<String>,
    pub(crate) functions: Vec<String>,
}

/// The index of a name in a list; a new name is appended.
fn index_of(names: &mut Vec<String>, name: &str) -> usize {
    let known = names.iter().position(|known| known == name);
    known.unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

/// A line that instructions have; numbers of names are indices.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    file: usize,
    /// From 1.
    line: u32,
    /// From 1.
    column: u32,
    /// The function, if it was inlined, and the index of the place that it was called from.
    inlined: Option<(usize, usize)>,
}

/// Source lines of the instructions of a kernel's PTX.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    names: Names,
    /// The distinct places; a call comes before the places in the function that it calls.
    places: Vec<Place>,
    /// For each instruction the index of its place.
    instructions: Vec<Option<usize>>,
}

impl Lines {
    fn file(&mut self, line: &Line<'_>) -> usize {
        index_of(&mut self.names.files, line.path)
    }

    /// The index of a line in a function, or of a call there.
    fn place(&mut self, line: &Line<'_>, inlined: Option<(usize, usize)>) -> usize {
        let place = Place {
            file: self.file(line),
            line: line.line,
            column: line.column,
            inlined,
        };
        let known = self.places.iter().position(|known| *known == place);
        known.unwrap_or_else(|| {
            self.places.push(place);
            self.places.len() - 1
        })
    }

    /// The index of the place of an op, `None` without a location.
    fn op(&mut self, places: Places<'_>, starts: &LineStarts, own: &str, origin: Origin) -> Option<usize> {
        let mut place = None;
        for frame in places.frames(origin).iter().rev() {
            let line = starts.line(own, &frame.location)?;
            let function = frame.function.as_deref();
            let inlined = place.zip(function).map(|(call, name)| {
                let function = index_of(&mut self.names.functions, name);
                (function, call)
            });
            place = Some(self.place(&line, inlined));
        }
        place
    }
}

/// The line starts of a file.
#[salsa::tracked]
fn line_starts(db: &dyn Db, source: Source) -> LineStarts {
    LineStarts::of(source.bytes(db))
}

/// Source lines of the instructions of a kernel's PTX.
#[salsa::tracked]
pub(crate) fn lines<'db>(db: &'db dyn Db, source: Source, kernel: Kernel<'db>, options: Options) -> Lines {
    let mut lines = Lines::default();
    let Some(Stage::Ptx(ptx)) = pipeline::stage(db, kernel, options, Language::Ptx) else {
        return lines;
    };
    let (places, starts, own) = (kernel.places(db), line_starts(db, source), source.name(db));
    let whole = lines.op(places, starts, own, Origin::FUNCTION);
    let mut known: FxHashMap<u32, Option<usize>> = FxHashMap::default();
    for instruction in ptx.instructions() {
        let place = instruction.origin.and_then(|origin| {
            let place = known.entry(origin);
            *place.or_insert_with(|| lines.op(places, starts, own, Origin(origin)))
        });
        lines.instructions.push(place.or(whole));
    }
    lines
}

/// The names in the line directives of a file's PTX.
#[salsa::tracked]
pub(crate) fn line_names(db: &dyn Db, source: Source, options: Options) -> Names {
    let mut all = Names::default();
    for &kernel in &reading::parse(db, source).kernels {
        let Names { files, functions } = &lines(db, source, kernel, options).names;
        for file in files {
            index_of(&mut all.files, file);
        }
        for function in functions {
            index_of(&mut all.functions, function);
        }
    }
    all
}

/// Whether the text in a language has `.loc` directives.
pub(crate) fn has_lines(db: &dyn Db, options: Options, language: Language) -> bool {
    language == Language::Ptx && options.lineinfo(db)
}

/// The entry with a line directive wherever the source line changes. `names` are those of the whole text.
pub(crate) fn with_lines(entry: &ptx::Entry, lines: &Lines, names: &Names) -> ptx::Entry {
    let mut writer = Writer {
        lines,
        files: numbers(&lines.names.files, &names.files),
        functions: numbers(&lines.names.functions, &names.functions),
        located: vec![false; lines.places.len()],
        body: Vec::with_capacity(entry.body.len()),
    };
    let mut places = lines.instructions.iter();
    let mut last = None;
    for statement in &entry.body {
        match statement {
            ptx::Statement::Instruction(_) => {
                let here = places.next().copied().flatten();
                if here.is_some() && here != last {
                    writer.locate(here);
                    last = here;
                }
                writer.body.push(statement.clone());
            }
            // Control may arrive from elsewhere, so the last directive does not apply after a label.
            ptx::Statement::Label(_) => {
                last = None;
                writer.body.push(statement.clone());
            }
            ptx::Statement::Location { .. } => {}
        }
    }
    ptx::Entry {
        body: writer.body,
        ..entry.clone()
    }
}

/// The index in `all` of each name.
fn numbers(names: &[String], all: &[String]) -> Vec<u32> {
    let number = |name| {
        let index = all.iter().position(|known| known == name);
        index.and_then(|index| u32::try_from(index).ok()).unwrap_or(0)
    };
    names.iter().map(number).collect()
}

/// Adds line directives to a body.
struct Writer<'a> {
    lines: &'a Lines,
    files: Vec<u32>,
    functions: Vec<u32>,
    /// Which places have a directive.
    located: Vec<bool>,
    body: Vec<ptx::Statement>,
}

impl Writer<'_> {
    /// Adds the directive of a place. ptxas requires that the directive of a call comes before the first one in the function
    /// called.
    fn locate(&mut self, place: Option<usize>) {
        let mut next = place;
        let mut chain = Vec::new();
        while let Some((index, place)) = next.and_then(|index| Some((index, self.lines.places.get(index)?))) {
            chain.push(index);
            next = place
                .inlined
                .map(|(_, call)| call)
                .filter(|call| !self.is_located(*call));
        }
        for index in chain.into_iter().rev() {
            let Some(place) = self.lines.places.get(index) else {
                continue;
            };
            let inlined = place.inlined.and_then(|(function, call)| {
                Some(ptx::Inlined {
                    function: *self.functions.get(function)?,
                    called_from: self.position(self.lines.places.get(call)?),
                })
            });
            let at = self.position(place);
            self.body.push(ptx::Statement::Location { at, inlined });
            if let Some(located) = self.located.get_mut(index) {
                *located = true;
            }
        }
    }

    fn is_located(&self, place: usize) -> bool {
        self.located.get(place).is_some_and(|located| *located)
    }

    fn position(&self, place: &Place) -> ptx::Position {
        ptx::Position {
            // Files count from 1.
            file: self.files.get(place.file).map_or(1, |index| index + 1),
            line: place.line,
            column: place.column,
        }
    }
}
