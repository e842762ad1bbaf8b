//! Prints kernels, each by its own query, and joins the texts of a file.
//!
//! Line directives depend on source positions. They are added only here, and only with `lineinfo`; without it an edit that
//! moves text does not change a kernel's text.

use std::time::Instant;

use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::core::{FuncText, Origin, func_text, join_texts};
use tilewright_irs::cuda_tile::{TileModule, Version, join_tile_entries, print_tile_entry};
use tilewright_irs::ptx::{self, IsaVersion};

use crate::database::Db;
use crate::inputs::{Options, Source};
use crate::kernel::Kernel;
use crate::lines::LineStarts;
use crate::pipeline;
use crate::reading;
use crate::targets;
use crate::units::{Language, PtxKernel, Stage, TileKernel};

/// The text of one kernel as a part of its file's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Printed {
    /// An entry of `cuda_tile`.
    Tile(String),
    /// A function of the regular syntax.
    Regular(FuncText),
    /// An entry of PTX.
    Ptx(PrintedPtx),
}

/// The text of an entry of PTX, and what its file's header must declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedPtx {
    name: String,
    target: ptx::Target,
    version: IsaVersion,
    functions: Vec<ptx::Function>,
    variables: Vec<ptx::Variable>,
    text: String,
}

impl Printed {
    /// The text of a kernel, without line directives.
    fn of(stage: &Stage) -> Self {
        match stage {
            Stage::CudaTile(kernel) => Self::Tile(print_tile_entry(&kernel.func)),
            Stage::TileAa(func) => Self::Regular(func_text(func)),
            Stage::TileAs(func) => Self::Regular(func_text(func)),
            Stage::Scheduled(func) => Self::Regular(func_text(func)),
            Stage::Cute(func) => Self::Regular(func_text(func)),
            Stage::CuteDesugared(func) => Self::Regular(func_text(func)),
            Stage::Llvm(func) => Self::Regular(func_text(func)),
            Stage::Nvvm(func) => Self::Regular(func_text(func)),
            Stage::Ptx(kernel) => Self::of_ptx(kernel, kernel.entry.to_string()),
        }
    }

    /// A kernel of PTX with its text.
    fn of_ptx(kernel: &PtxKernel, text: String) -> Self {
        Self::Ptx(PrintedPtx {
            name: kernel.entry.name.to_string(),
            target: kernel.target,
            version: kernel.least_version(),
            functions: kernel.functions.clone(),
            variables: kernel.variables.clone(),
            text,
        })
    }
}

/// Source lines of the instructions of a kernel's PTX.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The files, in order of first use.
    files: Vec<String>,
    /// For each instruction: the index of its file, its line and its column, both from 1.
    places: Vec<Option<(usize, u32, u32)>>,
}

/// The line starts of a file.
#[salsa::tracked]
fn line_starts(db: &dyn Db, source: Source) -> LineStarts {
    LineStarts::of(source.bytes(db))
}

/// Source lines of the instructions of a kernel's PTX.
#[salsa::tracked]
pub fn lines<'db>(db: &'db dyn Db, source: Source, kernel: Kernel<'db>, options: Options) -> Lines {
    let mut lines = Lines::default();
    let Some(Stage::Ptx(ptx)) = pipeline::stage(db, kernel, options, Language::Ptx) else {
        return lines;
    };
    let (map, starts, own) = (kernel.source_map(db), line_starts(db, source), source.name(db));
    for instruction in ptx.instructions() {
        let location = instruction.origin.and_then(|origin| map.op(Origin(origin)));
        let place = location
            .and_then(|location| starts.line(own, location))
            .map(|line| {
                let known = lines.files.iter().position(|file| file == line.path);
                let file = known.unwrap_or_else(|| {
                    lines.files.push(line.path.to_owned());
                    lines.files.len() - 1
                });
                (file, line.line, line.column)
            });
        lines.places.push(place);
    }
    lines
}

/// The files that the line directives of a file's PTX name, in order of first use.
#[salsa::tracked]
pub(crate) fn line_files(db: &dyn Db, source: Source, options: Options) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for &kernel in &reading::parse(db, source).kernels {
        for file in &lines(db, source, kernel, options).files {
            if !files.contains(file) {
                files.push(file.clone());
            }
        }
    }
    files
}

/// Whether the text in a language has line directives.
pub(crate) fn has_lines(db: &dyn Db, options: Options, language: Language) -> bool {
    language == Language::Ptx && options.lineinfo(db)
}

/// The text of one kernel in a language; `None` after an error.
#[salsa::tracked]
pub fn printed<'db>(
    db: &'db dyn Db,
    source: Source,
    kernel: Kernel<'db>,
    options: Options,
    language: Language,
) -> Option<Printed> {
    let stage = pipeline::stage(db, kernel, options, language)?;
    let with = has_lines(db, options, language);
    let with = with.then(|| {
        (
            lines(db, source, kernel, options),
            line_files(db, source, options),
        )
    });
    let start = Instant::now();
    let printed = match (&stage, with) {
        (Stage::Ptx(ptx), Some((lines, files))) => {
            Printed::of_ptx(ptx, with_lines(&ptx.entry, lines, files).to_string())
        }
        (stage, _) => Printed::of(stage),
    };
    db.record("print", kernel.name(db), start.elapsed());
    Some(printed)
}

/// The entry with a line directive wherever the source line changes. `files` are those of the whole text.
fn with_lines(entry: &ptx::Entry, lines: &Lines, files: &[String]) -> ptx::Entry {
    let number = |file: usize| {
        let name = lines.files.get(file)?;
        let index = files.iter().position(|known| known == name)?;
        u32::try_from(index + 1).ok()
    };
    let mut places = lines.places.iter();
    let mut body = Vec::with_capacity(entry.body.len());
    let mut last = None;
    for statement in &entry.body {
        match statement {
            ptx::Statement::Instruction(_) => {
                let place = places.next().copied().flatten();
                let here = place.and_then(|(file, line, column)| Some((number(file)?, line, column)));
                if let Some((file, line, column)) = here
                    && here != last
                {
                    body.push(ptx::Statement::Location { file, line, column });
                    last = here;
                }
                body.push(statement.clone());
            }
            // Control may arrive from elsewhere, so the last directive does not apply after a label.
            ptx::Statement::Label(_) => {
                last = None;
                body.push(statement.clone());
            }
            ptx::Statement::Location { .. } => {}
        }
    }
    ptx::Entry {
        body,
        ..entry.clone()
    }
}

/// The text of a file in a language, from those of its kernels. `module` holds the parts of a `cuda_tile` module besides
/// kernels, `files` the names in line directives, `target` the one of PTX without kernels.
///
/// # Errors
/// A diagnostic if the kernels cannot be in one file.
pub(crate) fn join<'a>(
    language: Language,
    kernels: impl Iterator<Item = &'a Printed> + Clone,
    module: Option<&TileModule>,
    files: &[String],
    target: ptx::Target,
) -> Result<String, Diagnostic<Location>> {
    match language {
        Language::CudaTile => {
            let entries = kernels.filter_map(|kernel| match kernel {
                Printed::Tile(text) => Some(text.as_str()),
                Printed::Regular(_) | Printed::Ptx(_) => None,
            });
            let empty = TileModule::new(Version::LATEST);
            Ok(join_tile_entries(module.unwrap_or(&empty), entries))
        }
        Language::TileAa
        | Language::TileAs
        | Language::Scheduled
        | Language::Cute
        | Language::CuteDesugared
        | Language::Llvm
        | Language::Nvvm => Ok(join_texts(kernels.filter_map(|kernel| match kernel {
            Printed::Regular(text) => Some(text),
            Printed::Tile(_) | Printed::Ptx(_) => None,
        }))),
        Language::Ptx => {
            let entries = kernels.filter_map(|kernel| match kernel {
                Printed::Ptx(entry) => Some(entry),
                Printed::Tile(_) | Printed::Regular(_) => None,
            });
            join_ptx(entries, files, target)
        }
    }
}

/// The text of a PTX file.
fn join_ptx<'a>(
    entries: impl Iterator<Item = &'a PrintedPtx> + Clone,
    files: &[String],
    target: ptx::Target,
) -> Result<String, Diagnostic<Location>> {
    let target = entries.clone().next().map_or(target, |entry| entry.target);
    let mut head = ptx::Module::new(target);
    let mut version = IsaVersion::new(6, 0).max(head.lowest_version());
    for entry in entries.clone() {
        if entry.target != target {
            let message = format!(
                "kernel `{}` is for {}, and the one before it for {target}: one PTX file has one target",
                entry.name, entry.target
            );
            return Err(Diagnostic::error(Code::ConflictingAttributes, message));
        }
        version = version.max(entry.version);
        for function in &entry.functions {
            if !head.functions.contains(function) {
                head.functions.push(function.clone());
            }
        }
        for variable in &entry.variables {
            if !head.variables.iter().any(|known| known.name == variable.name) {
                head.variables.push(variable.clone());
            }
        }
    }
    head.version = version;
    head.files = (1..)
        .zip(files)
        .map(|(index, name)| ptx::SourceFile {
            index,
            name: name.clone(),
        })
        .collect();
    let mut text = head.to_string();
    for entry in entries {
        text.push('\n');
        text.push_str(&entry.text);
    }
    Ok(text)
}

/// The text of some stages of one language, without line directives. `module` holds the parts of their `cuda_tile` module
/// besides kernels; without it, the globals that they use are printed.
///
/// # Errors
/// A diagnostic if they cannot be in one file.
pub fn print_stages(stages: &[Stage], module: Option<&TileModule>) -> Result<String, Diagnostic<Location>> {
    let tiles = stages.iter().filter_map(|stage| match stage {
        Stage::CudaTile(kernel) => Some(kernel.as_ref()),
        _ => None,
    });
    let used = module.is_none().then(|| tile_module(tiles)).flatten();
    let module = module.or(used.as_ref());
    let Some(language) = stages.first().map(Stage::language) else {
        let language = module.map(|_| Language::CudaTile);
        return language.map_or(Ok(String::new()), |language| {
            join(language, [].iter(), module, &[], targets::DEFAULT)
        });
    };
    let printed: Vec<_> = stages.iter().map(Printed::of).collect();
    join(language, printed.iter(), module, &[], targets::DEFAULT)
}

/// The parts of a module of these kernels besides them.
fn tile_module<'a>(mut kernels: impl Iterator<Item = &'a TileKernel>) -> Option<TileModule> {
    let mut module = TileModule::clone(&kernels.next()?.module);
    for kernel in kernels {
        for global in &kernel.module.globals {
            if module.global(&global.name).is_none() {
                module.globals.push(global.clone());
            }
        }
    }
    Some(module)
}
