//! Whole files: the stages of all kernels joined, printed in one text.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::core::{FuncTree, Origin, func_tree, print_trees};
use tilewright_irs::cuda_tile::{TileModule, Version, print_tile_module};
use tilewright_irs::ptx::{self, IsaVersion};

use crate::database::{Compiler, Db, Execution};
use crate::inputs::{Options, Source};
use crate::kernel::Kernel;
use crate::locations::{SourceMap, located};
use crate::pipeline;
use crate::reading;
use crate::targets;
use crate::units::{Language, PtxKernel, Stage, TileKernel};

/// Everything about a file in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The text; `None` after an error.
    pub text: Option<Arc<str>>,
    /// Problems that concern the file as a whole.
    pub diagnostics: Vec<Diagnostic<Location>>,
}

/// A file's text in a language: all kernels, in the file's order.
///
/// Line directives depend on positions. They are added here and nowhere else, and only when they are asked for.
#[salsa::tracked]
pub fn text(db: &dyn Db, source: Source, options: Options, language: Language) -> Output {
    let parsed = reading::parse(db, source);
    let start = Instant::now();
    // Positions are read only when they are asked for: then alone may an edit that moves text change the result.
    let with_lines = language == Language::Ptx && options.lineinfo(db);
    let (name, bytes) = if with_lines {
        (source.name(db), source.bytes(db))
    } else {
        ("", &[][..])
    };
    let mut stages = Vec::new();
    for &kernel in &parsed.kernels {
        let Some(stage) = pipeline::stage(db, kernel, options, language) else {
            return Output {
                text: None,
                diagnostics: Vec::new(),
            };
        };
        let map = with_lines.then(|| kernel.source_map(db));
        stages.push((stage, map));
    }
    let output = match print(&stages, name, bytes) {
        Ok(text) => Output {
            text: Some(text.into()),
            diagnostics: Vec::new(),
        },
        Err(problem) => Output {
            text: None,
            diagnostics: vec![problem],
        },
    };
    db.record(Execution {
        query: "join",
        subject: language.name().to_owned(),
        time: start.elapsed(),
    });
    output
}

/// Fewer kernels than this are compiled before threads for them would have started.
const SIDE_BY_SIDE_FROM: usize = 8;

/// Compiles a file to a language, many kernels side by side, and returns its text and all there is to say.
pub fn compile(
    compiler: &Compiler,
    source: Source,
    options: Options,
    language: Language,
) -> (Option<Arc<str>>, Vec<Diagnostic<Location>>) {
    let parsed = reading::parse(compiler, source);
    let mut said = parsed.diagnostics.clone();
    if !parsed.is_sound() {
        return (None, said);
    }
    if let Some(own) = parsed.language
        && own > language
    {
        let message = format!("the file is in `{own}`, which comes after `{language}`");
        said.push(Diagnostic::error(Code::BadArgument, message));
        return (None, said);
    }
    // The language itself has no target; what is made of it has.
    if language != Language::CudaTile {
        let target = options.target(compiler).unwrap_or(targets::DEFAULT);
        let kernels = parsed.kernels.iter();
        said.extend(kernels.flat_map(|&kernel| targets::lacking(compiler, kernel, target)));
        if said.iter().any(Diagnostic::is_error) {
            return (None, said);
        }
    }
    let count = parsed.kernels.len();
    if count >= SIDE_BY_SIDE_FROM
        && let Ok(pool) = rayon::ThreadPoolBuilder::new().stack_size(crate::STACK).build()
    {
        // Each thread has its own handle; what it computes stays in the storage they share.
        let handle = compiler.clone();
        pool.install(move || {
            (0..count).into_par_iter().for_each_with(handle, |compiler, at| {
                if let Some(&kernel) = reading::parse(compiler, source).kernels.get(at) {
                    let _ = pipeline::stage(compiler, kernel, options, language);
                }
            });
        });
    }
    for &kernel in &parsed.kernels {
        said.extend(located(compiler, kernel, options, language).iter().cloned());
        said.extend(other_target(compiler, kernel, options));
    }
    for problem in &mut said {
        name_the_command(problem, compiler, source, options, language);
    }
    if said.iter().any(Diagnostic::is_error) {
        return (None, said);
    }
    let output = text(compiler, source, options, language);
    said.extend(output.diagnostics.iter().cloned());
    (output.text.clone(), said)
}

/// A pass that reports a bug does not know which file it works on; the command that reproduces it does.
fn name_the_command(
    problem: &mut Diagnostic<Location>,
    db: &dyn Db,
    source: Source,
    options: Options,
    language: Language,
) {
    if !matches!(problem.code, Code::Internal | Code::InvalidStage) {
        return;
    }
    let mut command = format!(
        "tilewright compile {} --emit {language} --verify-each",
        source.name(db)
    );
    if let Some(target) = options.target(db) {
        command += &format!(" --target {target}");
    }
    command += &format!(" -O{}", options.opt_level(db));
    problem.notes.retain(|note| !note.starts_with("reproduce with: "));
    problem.notes.push(format!("reproduce with: {command}"));
}

/// A text that names its target cannot be compiled for another.
fn other_target(db: &dyn Db, kernel: Kernel<'_>, options: Options) -> Option<Diagnostic<Location>> {
    let asked = options.target(db)?;
    let own = kernel.body(db).target()?;
    (own != asked).then(|| {
        let message = format!(
            "kernel `{}` is for {own} already, and {asked} is asked for",
            kernel.name(db)
        );
        crate::locations::place(
            Diagnostic::error(Code::ConflictingAttributes, message)
                .at(Origin::FUNCTION, "")
                .help("compile from a language before the choice of a target, or leave out --target"),
            kernel.source_map(db),
            kernel.name(db),
        )
    })
}

/// One text of several stages of one language.
fn print(
    stages: &[(Stage, Option<&SourceMap>)],
    name: &str,
    bytes: &[u8],
) -> Result<String, Diagnostic<Location>> {
    let mut tiles: Vec<&TileKernel> = Vec::new();
    let mut trees: Vec<FuncTree> = Vec::new();
    let mut entries: Vec<(&PtxKernel, Option<&SourceMap>)> = Vec::new();
    for (stage, map) in stages {
        match stage {
            Stage::CudaTile(kernel) => tiles.push(kernel),
            Stage::TileAa(func) => trees.push(func_tree(func)),
            Stage::TileAs(func) => trees.push(func_tree(func)),
            Stage::Scheduled(func) => trees.push(func_tree(func)),
            Stage::Cute(func) => trees.push(func_tree(func)),
            Stage::CuteDesugared(func) => trees.push(func_tree(func)),
            Stage::Llvm(func) => trees.push(func_tree(func)),
            Stage::Nvvm(func) => trees.push(func_tree(func)),
            Stage::Ptx(kernel) => entries.push((kernel, *map)),
        }
    }
    if !tiles.is_empty() {
        return Ok(print_tile_module(&tile_module(&tiles), None));
    }
    if !trees.is_empty() {
        return Ok(print_trees(&trees, &|_, _| None));
    }
    ptx_module(&entries, name, bytes).map(|module| module.to_string())
}

/// The text of some stages of one language, without line directives.
///
/// # Errors
/// A diagnostic when they cannot stand in one file.
pub fn print_stages(stages: &[Stage], name: &str, bytes: &[u8]) -> Result<String, Diagnostic<Location>> {
    let stages: Vec<_> = stages.iter().map(|stage| (stage.clone(), None)).collect();
    print(&stages, name, bytes)
}

/// The `cuda_tile` module of several kernels of one file.
pub(crate) fn tile_module(kernels: &[&TileKernel]) -> TileModule {
    let shared = kernels.first().map(|kernel| TileModule::clone(&kernel.module));
    let mut module = shared.unwrap_or_else(|| TileModule::new(Version::LATEST));
    module.funcs = kernels.iter().map(|kernel| kernel.func.clone()).collect();
    module
}

/// The PTX module of several kernels.
fn ptx_module(
    entries: &[(&PtxKernel, Option<&SourceMap>)],
    name: &str,
    bytes: &[u8],
) -> Result<ptx::Module, Diagnostic<Location>> {
    let target = entries
        .first()
        .map_or(targets::DEFAULT, |(kernel, _)| kernel.target);
    let mut module = ptx::Module::new(target);
    let mut version = IsaVersion::new(6, 0);
    let mut files = LineFiles::new(name, bytes);
    for (kernel, map) in entries {
        if kernel.target != target {
            let message = format!(
                "kernel `{}` is for {}, and the one before it for {target}: one PTX file has one target",
                kernel.entry.name, kernel.target
            );
            return Err(Diagnostic::error(Code::ConflictingAttributes, message));
        }
        version = version.max(kernel.version);
        for variable in &kernel.variables {
            if !module.variables.iter().any(|known| known.name == variable.name) {
                module.variables.push(variable.clone());
            }
        }
        module.entries.push(match map {
            Some(map) => files.add_lines(&kernel.entry, map),
            None => kernel.entry.clone(),
        });
    }
    module.files = files.list();
    module.version = module.lowest_version().max(version);
    Ok(module)
}

/// The files that line directives name, and where the lines of the compiled text begin.
pub(crate) struct LineFiles<'a> {
    own: &'a str,
    starts: Vec<usize>,
    numbers: BTreeMap<String, u32>,
}

impl<'a> LineFiles<'a> {
    /// The places of a file of this name.
    pub(crate) fn new(own: &'a str, bytes: &[u8]) -> Self {
        let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        Self {
            own,
            starts: std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect(),
            numbers: BTreeMap::new(),
        }
    }

    /// File number, line and column, both from 1.
    pub(crate) fn position(&mut self, location: &Location) -> Option<(u32, u32, u32)> {
        match location {
            Location::Span(span) => {
                let start = usize::try_from(span.start).ok()?;
                let line = self.starts.partition_point(|&begin| begin <= start);
                let begin = self.starts.get(line.checked_sub(1)?)?;
                let own = self.own.to_owned();
                let column = u32::try_from(start - begin).ok()?;
                Some((
                    self.number(own),
                    u32::try_from(line).ok()?,
                    column.checked_add(1)?,
                ))
            }
            Location::Source { path, line, column } => {
                Some((self.number(path.clone()), *line, column.checked_add(1)?))
            }
            Location::Offset { .. } => None,
        }
    }

    fn number(&mut self, name: String) -> u32 {
        let next = u32::try_from(self.numbers.len() + 1).unwrap_or(u32::MAX);
        *self.numbers.entry(name).or_insert(next)
    }

    /// The entry with a line directive wherever the source line changes.
    fn add_lines(&mut self, entry: &ptx::Entry, map: &SourceMap) -> ptx::Entry {
        let mut body = Vec::with_capacity(entry.body.len());
        let mut last = None;
        for statement in &entry.body {
            match statement {
                ptx::Statement::Instruction(line) => {
                    let location = line.origin.and_then(|origin| map.op(Origin(origin)));
                    let here = location.and_then(|location| self.position(location));
                    if let Some((file, line, column)) = here
                        && here != last
                    {
                        body.push(ptx::Statement::Location { file, line, column });
                        last = here;
                    }
                    body.push(statement.clone());
                }
                // Control comes from elsewhere: what was said before does not hold here.
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

    fn list(self) -> Vec<ptx::SourceFile> {
        let mut list: Vec<_> = self
            .numbers
            .into_iter()
            .map(|(name, index)| ptx::SourceFile { index, name })
            .collect();
        list.sort_by_key(|file| file.index);
        list
    }
}
