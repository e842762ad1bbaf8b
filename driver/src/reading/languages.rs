//! Reads bytes of any language: to kernels without positions, each with a source map, and to diagnostics.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Label, Location, Span};
use tilewright_grammar::cuda_tile::{TextOptions, parse_tile_text_with};
use tilewright_grammar::mlir::{ParsedMlir, ReadMlir, parse_mlir, read_mlir};
use tilewright_grammar::stages::{self, FuncSpans};
use tilewright_grammar::{bytecode, detect_language, ptx as ptx_grammar};
use tilewright_irs::core::{self, Func, Origin, Problem};
use tilewright_irs::cuda_tile::preview::Features;
use tilewright_irs::cuda_tile::{
    CudaTile, DebugInfo, MemoryOp, ModuleProblem, TileModule, TileOp, check_hints, verify_debug,
    verify_module, warnings,
};
use tilewright_irs::mlir::Mlir;
use tilewright_irs::ptx;

use crate::database::Db;
use crate::inputs::{Source, is_bytecode};
use crate::source_map::{Places, SourceMap, place};
use crate::targets;
use crate::units::{CuteKernel, Language, PtxKernel, Stage, TileKernel};

/// A kernel as returned by a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) name: String,
    pub(super) body: Stage,
    pub(super) map: Arc<SourceMap>,
}

/// The result of a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) language: Option<Language>,
    pub(super) kernels: Vec<Read>,
    /// The functions of the host.
    pub(super) hosts: Vec<Read>,
    /// The kernels and functions that the parser or a verifier refuses.
    pub(super) broken: Vec<Read>,
    /// The parts of a `cuda_tile` module besides kernels.
    pub(super) module: Option<Arc<TileModule>>,
    /// The diagnostics of the parser.
    pub(super) syntax: Vec<Diagnostic<Location>>,
    /// The diagnostics of the verifiers.
    pub(super) verified: Vec<Diagnostic<Location>>,
}

impl Reading {
    pub(super) fn refused(language: Option<Language>, problem: Diagnostic<Location>) -> Self {
        Self {
            language,
            kernels: Vec::new(),
            hosts: Vec::new(),
            broken: Vec::new(),
            module: None,
            syntax: vec![problem],
            verified: Vec::new(),
        }
    }

    /// Verifies the kernels, and moves those with errors to `broken`. Modules of `cuda_tile` and of `cute` have been verified as a
    /// whole before.
    fn verify(mut self) -> Self {
        let Self {
            kernels,
            broken,
            verified,
            ..
        } = &mut self;
        kernels.retain(|kernel| {
            let problems = match &kernel.body {
                Stage::CudaTile(_) | Stage::Cute(_) => Vec::new(),
                body => body.verify(),
            };
            let mut sound = true;
            let target = unknown_target(&kernel.body);
            for problem in problems.into_iter().chain(target) {
                sound = false;
                verified.push(place(problem, Places::new(&kernel.map, 0), &kernel.name));
            }
            if !sound {
                broken.push(kernel.clone());
            }
            sound
        });
        self
    }

    /// Sorts the problems of a text by position. Those of bytecode keep the verifier's order.
    pub(super) fn sort(diagnostics: &mut [Diagnostic<Location>]) {
        let start = |diagnostic: &Diagnostic<Location>| match diagnostic.primary.as_ref()?.at {
            Location::Span(span) => Some(span.start),
            Location::Source { .. } | Location::Offset { .. } => None,
        };
        if diagnostics.iter().all(|diagnostic| start(diagnostic).is_some()) {
            diagnostics.sort_by_key(start);
        }
    }
}

/// Refuses inner-language text whose target is not supported. PTX is accepted, since no code is generated from it.
fn unknown_target(body: &Stage) -> Option<Problem> {
    let target = body.target().filter(|_| body.language() != Language::Ptx)?;
    if targets::SUPPORTED.contains(&target) {
        return None;
    }
    // Aliases of the command line are not accepted in a text.
    let problem = targets::parse(&target.to_string()).err();
    let problem = problem.unwrap_or_else(|| {
        Diagnostic::error(
            Code::UnknownTarget,
            format!("code is made for {target}a, not for {target}"),
        )
    });
    Some(Problem {
        diagnostic: problem.at(Origin::FUNCTION, ""),
        part: body.attribute("target"),
    })
}

/// Reads and verifies a file in any language; `named` is used for a text that does not tell its language.
pub(super) fn read(bytes: &[u8], file: FileId, preview: Features, named: Option<Language>) -> Reading {
    if is_bytecode(bytes) {
        return read_bytecode(bytes, file, preview);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let problem = Diagnostic::error(Code::TextNotUtf8, "the file is neither bytecode nor UTF-8 text")
                .at(
                    Location::Offset {
                        file,
                        offset: u64::try_from(error.valid_up_to()).unwrap_or(u64::MAX),
                    },
                    "not UTF-8",
                );
            return Reading::refused(None, problem);
        }
    };
    let Some(language) = language_of(text, named) else {
        let problem = Diagnostic::error(Code::UnexpectedToken, "the text begins like no language of the compiler")
            .at(Location::Span(Span::new(file, 0, text.len().min(1))), "")
            .help(
                "a text begins with `cuda_tile.module`, `.version` (PTX), or a function such as `tileaa.func @name`",
            );
        return Reading::refused(None, problem);
    };
    read_text(language, text, file, preview)
}

/// The language of a text: that of its first word, or else the one that is `named`.
pub(super) fn language_of(text: &str, named: Option<Language>) -> Option<Language> {
    let begun = detect_language(text).and_then(|name| name.parse().ok());
    begun.or(named)
}

/// Reads and verifies a text of a language.
pub(super) fn read_text(language: Language, text: &str, file: FileId, preview: Features) -> Reading {
    let reading = match language {
        Language::CudaTile => {
            let parsed = parse_tile_text_with(text, file, with_preview(preview));
            let maps = parsed.spans.iter().map(span_map).collect();
            let said = with_spans(parsed.diagnostics);
            let place = |problem: &ModuleProblem| text_place(problem, &parsed.globals, &parsed.externals);
            let partial = parsed
                .partial
                .iter()
                .map(|(func, spans)| (func.clone(), span_map(spans)));
            tile_kernels(parsed.module, &parsed.debug, maps, partial.collect(), said, place)
        }
        Language::TileAa => regular::<tilewright_irs::tileaa::TileAa>(text, file, language),
        Language::TileAs => regular::<tilewright_irs::tileas::TileAs>(text, file, language),
        Language::Scheduled => regular::<tilewright_irs::scheduled::Scheduled>(text, file, language),
        Language::Cute => read_cute(text, file),
        Language::CuteDesugared => {
            regular::<tilewright_irs::cute_desugared::CuteDesugared>(text, file, language)
        }
        Language::Llvm => regular::<tilewright_irs::llvm::Llvm>(text, file, language),
        Language::Nvvm => regular::<tilewright_irs::nvvm::Nvvm>(text, file, language),
        Language::Ptx => read_ptx(text, file),
    };
    reading.verify()
}

/// Reads what is outside of a text's functions: the parts of a `cuda_tile` module besides kernels. `None` if there is any
/// diagnostic.
pub(super) fn read_frame(
    language: Language,
    text: &str,
    file: FileId,
    preview: Features,
) -> Option<Option<Arc<TileModule>>> {
    match language {
        Language::CudaTile => {
            let reading = read_text(language, text, file, preview);
            let bare = reading.kernels.is_empty() && reading.broken.is_empty();
            (bare && reading.syntax.is_empty() && reading.verified.is_empty()).then_some(reading.module)
        }
        Language::Ptx => {
            let parsed = ptx_grammar::parse(file, text);
            (parsed.diagnostics.is_empty() && parsed.module.entries.is_empty()).then_some(None)
        }
        Language::Cute => {
            let read = read_mlir(text, file).ok()?;
            read.module.kernels().next().is_none().then_some(None)
        }
        Language::TileAa
        | Language::TileAs
        | Language::Scheduled
        | Language::CuteDesugared
        | Language::Llvm
        | Language::Nvvm => {
            let (tree, problems, _) = stages::parse_stage_tree(text, file);
            (problems.is_empty() && tree.funcs.is_empty()).then_some(None)
        }
    }
}

/// Reads bytecode. The location of an op is that of its debug information, or else its byte offset in the file.
fn read_bytecode(bytes: &[u8], file: FileId, preview: Features) -> Reading {
    let read = match bytecode::read_with(bytes, file, preview) {
        Ok(read) => read,
        Err(syntax) => {
            return Reading {
                language: Some(Language::CudaTile),
                kernels: Vec::new(),
                hosts: Vec::new(),
                broken: Vec::new(),
                module: None,
                syntax,
                verified: Vec::new(),
            };
        }
    };
    let debug = Arc::new(read.debug);
    let maps = (0..read.module.funcs.len()).map(|at| {
        let offsets = read.offsets.get(at);
        let place = |origin: Origin, offset: Option<u32>| {
            let source = debug.location(at, origin).map(|place| Location::Source {
                path: place.file,
                line: place.line,
                column: place.column,
            });
            source.or_else(|| {
                offset.map(|offset| Location::Offset {
                    file,
                    offset: u64::from(offset),
                })
            })
        };
        let ops = offsets.map(|offsets| offsets.ops.as_slice()).unwrap_or_default();
        SourceMap {
            function: place(Origin::FUNCTION, offsets.map(|offsets| offsets.func)),
            ops: (0..)
                .map(Origin)
                .zip(ops)
                .map(|(origin, &offset)| place(origin, Some(offset)))
                .collect(),
            debug: Some((Arc::clone(&debug), at)),
            ..SourceMap::default()
        }
    });
    let maps = maps.collect();
    let external = |problem: &ModuleProblem| {
        let at = problem.external?;
        let place = debug.externals.get(at).copied().flatten();
        let source = place.and_then(|id| debug.position(id));
        let source = source.map(|place| Location::source(place.file, place.line, place.column));
        let offset = || {
            Some(Location::Offset {
                file,
                offset: u64::from(*read.externals.get(at)?),
            })
        };
        source.or_else(offset)
    };
    tile_kernels(read.module, &debug, maps, Vec::new(), Vec::new(), external)
}

/// A module of `cuda_tile` as one piece: what the writer of bytecode takes.
#[derive(Clone, Debug)]
pub struct TileFile {
    /// The module.
    pub module: TileModule,
    /// The debug information of its ops.
    pub debug: DebugInfo,
    /// How the file is arranged, if it is bytecode.
    pub arrangement: Option<bytecode::Arrangement>,
}

/// A file of `cuda_tile` as one piece; `None` if it is not a valid `cuda_tile` file, and [`parse`](super::parse) reports why.
pub fn tile_file(db: &dyn Db, source: Source) -> Option<TileFile> {
    let (bytes, file, preview) = (source.bytes(db), source.file(db), source.preview(db));
    if is_bytecode(bytes) {
        let read = bytecode::read_with(bytes, file, preview).ok()?;
        return Some(TileFile {
            module: read.module,
            debug: read.debug,
            arrangement: Some(read.arrangement),
        });
    }
    let text = std::str::from_utf8(bytes).ok()?;
    if language_of(text, source.named(db))? != Language::CudaTile {
        return None;
    }
    let parsed = parse_tile_text_with(text, file, with_preview(preview));
    (!parsed.diagnostics.iter().any(Diagnostic::is_error)).then_some(TileFile {
        module: parsed.module,
        debug: parsed.debug,
        arrangement: None,
    })
}

/// Text options that enable this preview content.
fn with_preview(preview: Features) -> TextOptions {
    TextOptions {
        preview,
        ..TextOptions::default()
    }
}

/// The span of the global or the external function that a problem is about.
fn text_place(problem: &ModuleProblem, globals: &[Span], externals: &[Span]) -> Option<Location> {
    let span = match problem.global {
        Some(global) => globals.get(global)?,
        None => externals.get(problem.external?)?,
    };
    Some(Location::Span(*span))
}

/// The kernels of a module, each with the shared parts, but not those that the verifier refuses. `outside` gives the location of
/// a problem that is not in a kernel.
fn tile_kernels(
    mut module: TileModule,
    debug: &DebugInfo,
    mut maps: Vec<SourceMap>,
    partial: Vec<(Func<CudaTile>, SourceMap)>,
    syntax: Vec<Diagnostic<Location>>,
    outside: impl Fn(&ModuleProblem) -> Option<Location>,
) -> Reading {
    let mut problems = verify_module(&module).err().unwrap_or_default();
    problems.extend(verify_debug(&module, debug));
    problems.extend(warnings(&module));
    problems.extend(check_hints(&module));
    let mut refused = FxHashSet::default();
    let mut verified = Vec::with_capacity(problems.len());
    let funcs = std::mem::take(&mut module.funcs);
    maps.resize_with(funcs.len(), SourceMap::default);
    for problem in problems {
        let outside = outside(&problem);
        let func = problem
            .func
            .and_then(|at| Some((at, funcs.get(at)?, maps.get(at)?)));
        refused.extend(problem.func.filter(|_| problem.diagnostic.is_error()));
        let mut diagnostic = match func {
            Some((_, func, map)) => {
                let ModuleProblem { diagnostic, part, .. } = problem;
                place(Problem { diagnostic, part }, Places::new(map, 0), &func.name)
            }
            None => problem.diagnostic.map_location(|_| None),
        };
        if let Some(at) = outside {
            let message = diagnostic.primary.take().map(|label| label.message);
            diagnostic.primary = Some(Label {
                at,
                message: message.unwrap_or_default(),
            });
        }
        verified.push(diagnostic);
    }
    let shared = Arc::new(module);
    let read = |(mut func, map): (Func<CudaTile>, SourceMap)| {
        func.body.follow_values();
        Read {
            name: func.name.clone(),
            body: Arc::new(TileKernel {
                module: used_by(&func, &shared),
                func,
            })
            .into(),
            map: Arc::new(map),
        }
    };
    let all = funcs.into_iter().zip(maps).map(read).enumerate();
    let (broken, kernels): (Vec<_>, Vec<_>) = all.partition(|(at, _)| refused.contains(at));
    let broken = broken.into_iter().map(|(_, kernel)| kernel);
    Reading {
        language: Some(Language::CudaTile),
        kernels: kernels.into_iter().map(|(_, kernel)| kernel).collect(),
        hosts: Vec::new(),
        broken: broken.chain(partial.into_iter().map(read)).collect(),
        module: Some(Arc::clone(&shared)),
        syntax,
        verified,
    }
}

/// The module with only those globals that a kernel uses, so that an edit of another global does not affect the kernel.
fn used_by(func: &Func<CudaTile>, module: &Arc<TileModule>) -> Arc<TileModule> {
    if module.globals.is_empty() {
        return Arc::clone(module);
    }
    let ops = func.body.walk().into_iter().map(|op| &func.body.op(op).kind);
    let names: FxHashSet<&str> = ops
        .filter_map(|op| match op {
            TileOp::Memory(MemoryOp::GetGlobal { name }) => Some(name.0.as_str()),
            _ => None,
        })
        .collect();
    let globals = module.globals.iter();
    Arc::new(TileModule {
        version: module.version,
        producer: module.producer.clone(),
        globals: globals
            .filter(|global| names.contains(global.name.as_str()))
            .cloned()
            .collect(),
        funcs: Vec::new(),
        externals: module.externals.clone(),
    })
}

fn with_spans(problems: Vec<Diagnostic<Span>>) -> Vec<Diagnostic<Location>> {
    let place = |problem: Diagnostic<Span>| problem.map_location(|span| Some(Location::Span(span)));
    problems.into_iter().map(place).collect()
}

fn regular<L: core::Language>(text: &str, file: FileId, language: Language) -> Reading
where
    Stage: From<Arc<Func<L>>>,
{
    let parsed = stages::parse_stage::<L>(text, file);
    let mut syntax = with_spans(parsed.diagnostics);
    if syntax.is_empty() && parsed.module.funcs.is_empty() {
        syntax.push(empty(file));
    }
    let read = |(mut func, spans): (Func<L>, FuncSpans)| {
        func.body.follow_values();
        Read {
            name: func.name.clone(),
            body: Arc::new(func).into(),
            map: Arc::new(span_map(&spans)),
        }
    };
    let kernels = parsed.module.funcs.into_iter().zip(parsed.spans);
    Reading {
        language: Some(language),
        kernels: kernels.map(read).collect(),
        hosts: Vec::new(),
        broken: parsed.partial.into_iter().map(read).collect(),
        module: None,
        syntax,
        verified: Vec::new(),
    }
}

fn span_map(spans: &FuncSpans) -> SourceMap {
    SourceMap {
        function: Some(Location::Span(spans.name)),
        ops: spans.ops.iter().map(|&span| Some(Location::Span(span))).collect(),
        parts: spans.parts.clone(),
        debug: None,
        whole: Some(spans.whole),
        names: spans.names.clone(),
    }
}

/// The error about a text without kernels.
pub(super) fn no_kernel() -> Diagnostic<Location> {
    Diagnostic::error(Code::UnexpectedEnd, "the file holds no kernel")
}

/// The same about a text without anything.
fn empty(file: FileId) -> Diagnostic<Location> {
    no_kernel().at(Location::Span(Span::new(file, 0, 0)), "")
}

/// A module of `cute`: each kernel with the functions of the host.
fn read_cute(text: &str, file: FileId) -> Reading {
    let parsed = parse_mlir(text, file);
    let problems = parsed.problems();
    let ParsedMlir {
        read: ReadMlir { mut module, places },
        partial,
        diagnostics,
    } = parsed;
    let of_kernels: Vec<bool> = module.in_order().map(|(_, is_kernel)| is_kernel).collect();
    let mut own_kernels = module.take_kernels().into_iter();
    let shared = Arc::new(module);
    let mut own_hosts = shared.functions().cloned();
    let read = |func: Func<Mlir>, spans: &FuncSpans| Read {
        name: func.name.clone(),
        body: Arc::new(CuteKernel {
            func,
            module: Arc::clone(&shared),
        })
        .into(),
        map: Arc::new(span_map(spans)),
    };
    let refused: FxHashSet<usize> = problems.iter().map(|(number, _)| *number).collect();
    let (mut kernels, mut hosts) = (Vec::new(), Vec::new());
    let mut broken: Vec<Read> = partial
        .into_iter()
        .map(|(func, spans)| read(func, &spans))
        .collect();
    for (number, (is_kernel, spans)) in of_kernels.into_iter().zip(&places).enumerate() {
        let (func, list) = match is_kernel {
            true => (own_kernels.next(), &mut kernels),
            false => (own_hosts.next(), &mut hosts),
        };
        let list = if refused.contains(&number) {
            &mut broken
        } else {
            list
        };
        list.extend(func.map(|func| read(func, spans)));
    }
    let mut syntax = with_spans(diagnostics);
    if kernels.is_empty() && hosts.is_empty() && broken.is_empty() && syntax.is_empty() {
        syntax.push(empty(file));
    }
    Reading {
        language: Some(Language::Cute),
        kernels,
        hosts,
        broken,
        module: None,
        syntax,
        verified: with_spans(problems.into_iter().map(|(_, problem)| problem).collect()),
    }
}

/// PTX: each entry becomes a kernel, each instruction its own origin.
fn read_ptx(text: &str, file: FileId) -> Reading {
    let parsed = ptx_grammar::parse(file, text);
    let mut syntax = with_spans(parsed.diagnostics);
    if syntax.is_empty() && parsed.module.entries.is_empty() {
        syntax.push(empty(file));
    }
    if let Some(missing) = parsed.missing.first().filter(|_| syntax.is_empty()) {
        let message = format!("the module has no `.{}`", missing.word());
        let problem = Diagnostic::error(Code::UnexpectedToken, message);
        syntax.push(problem.at(Location::Span(Span::new(file, 0, 0)), "expected it here"));
    }
    let mut kernels = Vec::new();
    let module = parsed.module;
    for (at, mut entry) in module.entries.into_iter().enumerate() {
        let spans = parsed.statements.get(at).map(Vec::as_slice).unwrap_or_default();
        let mut ops = Vec::new();
        for (index, statement) in entry.body.iter_mut().enumerate() {
            if let ptx::Statement::Instruction(line) = statement {
                line.origin = u32::try_from(ops.len()).ok();
                ops.push(spans.get(index).map(|&span| Location::Span(span)));
            }
        }
        let launch = parsed.launches.get(at).map(Vec::as_slice).unwrap_or_default();
        let parts = launch
            .iter()
            .map(|&(directive, span)| (Origin::FUNCTION, directive.part(), span));
        let mut parts: Vec<_> = parts.collect();
        parts.sort_by_key(|&(_, part, _)| part);
        let declared = parsed.entries.get(at).and_then(|&own| parsed.names.get(own));
        kernels.push(Read {
            name: entry.name.to_string(),
            body: Arc::new(PtxKernel {
                target: module.target,
                version: module.version,
                entry,
                functions: module.functions.clone(),
                variables: module.variables.clone(),
                files: module.files.clone(),
                inlined_functions: module.inlined_functions.clone(),
            })
            .into(),
            map: Arc::new(SourceMap {
                function: declared.map(|declared| Location::Span(declared.at)),
                ops,
                parts,
                whole: declared.map(|declared| declared.whole),
                ..SourceMap::default()
            }),
        });
    }
    let (kernels, broken) = match parsed.missing.is_empty() {
        true => (kernels, Vec::new()),
        false => (Vec::new(), kernels),
    };
    Reading {
        language: Some(Language::Ptx),
        kernels,
        hosts: Vec::new(),
        broken,
        module: None,
        syntax,
        verified: Vec::new(),
    }
}
