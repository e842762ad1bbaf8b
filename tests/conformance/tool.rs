//! The commands of RUN lines, executed by this compiler: parse, verify, clean up, print, write and read bytecode.

use tilewright_diagnostics::{Diagnostic, FileId, Severity, Span};
use tilewright_grammar::bytecode;
use tilewright_grammar::cuda_tile::{TextOptions, TileParsed, parse_tile_text_with};
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::cuda_tile::{
    CudaTile, DebugInfo, ModuleProblem, TileModule, TileType, Version, check_hints, print_tile_module,
    print_tile_module_generic, verify_debug, verify_module,
};
use tilewright_passes::cleanup::eliminate_dead_code;
use tilewright_passes::cuda_tile::{
    canonicalize_structure, fuse_multiply_add, split_loops, synthesize_debug_scopes,
};

/// A diagnostic.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) severity: Severity,
    /// The line in the file; `None` for one without a position.
    pub(crate) line: Option<usize>,
    /// The complete text.
    pub(crate) text: String,
    /// The lines of its secondary labels, with their text.
    pub(crate) also: Vec<(usize, String)>,
}

/// A text in the pipe of a command line.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// The number of the first line in the file.
    pub(crate) line: usize,
    pub(crate) content: Content,
    pub(crate) said: Vec<Said>,
    /// The functions of test-only kinds, with their result types as text.
    tests: Vec<(String, String)>,
}

/// The output of a command.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

impl Unit {
    pub(crate) fn text(line: usize, text: &str) -> Self {
        Self {
            line,
            content: Content::Text(text.to_owned()),
            said: Vec::new(),
            tests: Vec::new(),
        }
    }

    pub(crate) fn bytes(bytes: Vec<u8>) -> Self {
        Self {
            line: 1,
            content: Content::Bytes(bytes),
            said: Vec::new(),
            tests: Vec::new(),
        }
    }

    pub(crate) fn failed(&self) -> bool {
        self.said.iter().any(|said| said.severity == Severity::Error)
    }

    /// The output as text.
    pub(crate) fn shown(&self) -> String {
        match &self.content {
            Content::Text(text) => text.clone(),
            Content::Bytes(bytes) => format!("{} bytes", bytes.len()),
        }
    }
}

/// The options of a command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Whether the output includes locations.
    pub(crate) debug: bool,
    /// Whether the output is in generic form.
    pub(crate) generic: bool,
    /// The bytecode version to write.
    pub(crate) version: Option<Version>,
    /// The passes, in order.
    pub(crate) passes: Vec<String>,
    /// Whether invalid hints are warnings.
    pub(crate) hints: bool,
    /// Whether invalid hints are errors.
    pub(crate) hints_fail: bool,
}

/// Executes `cuda-tile-opt`.
pub(crate) fn opt(unit: &Unit, options: &Options) -> Unit {
    let mut out: Option<Unit> = None;
    for part in modules(unit) {
        let done = run(&part, options, |_, _| None);
        match &mut out {
            None => out = Some(done),
            Some(out) => {
                if let (Content::Text(text), Content::Text(more)) = (&mut out.content, &done.content) {
                    text.push_str(more);
                }
                out.said.extend(done.said);
                out.tests.extend(done.tests);
            }
        }
    }
    out.unwrap_or_else(|| unit.clone())
}

/// Splits a text into one per module: this compiler merges all modules of a text into one, globals first.
fn modules(unit: &Unit) -> Vec<Unit> {
    let Content::Text(text) = &unit.content else {
        return vec![unit.clone()];
    };
    let starts = |line: &&str| line.trim_start_matches('"').starts_with("cuda_tile.module");
    // Aliases apply to all modules.
    if text.lines().filter(starts).count() < 2 || text.lines().any(|line| line.starts_with('#')) {
        return vec![unit.clone()];
    }
    let mut parts: Vec<Unit> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if parts.is_empty() || starts(&line) {
            parts.push(Unit::text(unit.line + i, ""));
        }
        if let Some(Content::Text(part)) = parts.last_mut().map(|part| &mut part.content) {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts
}

/// Executes `cuda-tile-translate -mlir-to-cudatilebc`.
pub(crate) fn write(unit: &Unit, options: &Options) -> Unit {
    run(unit, options, |module, loaded| {
        let version = options.version.unwrap_or(Version::LATEST);
        Some(bytecode::write(module, &loaded.debug, version))
    })
}

/// Executes `cuda-tile-translate -cudatilebc-to-mlir`.
pub(crate) fn read(unit: &Unit, options: &Options) -> Unit {
    let mut out = unit.clone();
    let Content::Bytes(bytes) = &unit.content else {
        out.said.push(plain("no bytecode".to_owned()));
        return out;
    };
    match bytecode::read(bytes, FileId(0)) {
        Ok(file) => {
            let problems = verify_module(&file.module).err().unwrap_or_default();
            let problems = problems
                .into_iter()
                .filter(|problem| !of_test(problem, &file.module, &unit.tests));
            out.said
                .extend(problems.map(|problem| said(&problem.diagnostic, |_| None)));
            let debug = options.debug.then_some(&file.debug);
            let text = print_tile_module(&file.module, debug);
            out.content = Content::Text(wrap(&text, "kernels", &unit.tests));
        }
        Err(problems) => out
            .said
            .extend(problems.iter().map(|problem| said(problem, |_| None))),
    }
    out
}

/// Executes `cuda-tile-translate -test-cudatile-roundtrip`.
pub(crate) fn through_bytecode(unit: &Unit, options: &Options) -> Unit {
    let written = write(unit, options);
    if written.failed() {
        return written;
    }
    read(&written, options)
}

type Written = Result<Vec<u8>, Vec<ModuleProblem>>;

fn run(unit: &Unit, options: &Options, write: impl Fn(&TileModule, &TileParsed) -> Option<Written>) -> Unit {
    let mut out = unit.clone();
    let Content::Text(text) = &unit.content else {
        out.said.push(plain("no text".to_owned()));
        return out;
    };
    let options_of_text = TextOptions {
        testing: true,
        ..TextOptions::default()
    };
    let mut parsed = parse_tile_text_with(text, FileId(0), options_of_text);
    let line = |span: Span| Some(unit.line + line_of(text, span));
    out.said
        .extend(parsed.diagnostics.iter().map(|problem| said(problem, line)));
    let results = |list: &[TileType]| match list {
        [] => String::new(),
        [one] => format!(" -> {one}"),
        many => {
            let many: Vec<_> = many.iter().map(TileType::to_string).collect();
            format!(" -> ({})", many.join(", "))
        }
    };
    out.tests = parsed
        .tests
        .iter()
        .map(|test| (test.name.clone(), results(&test.results)))
        .collect();
    let place = |func: Option<usize>| {
        let spans = func.and_then(|func| parsed.spans.get(func));
        move |origin: Origin| spans.map(|spans| spans.get(origin)).and_then(line)
    };
    let mut problems = verify_module(&parsed.module).err().unwrap_or_default();
    if options.hints {
        let hints = check_hints(&parsed.module);
        if options.hints_fail && !hints.is_empty() {
            out.said.extend(hints.iter().map(|problem| {
                let mut said = said(&problem.diagnostic, place(problem.func));
                said.severity = Severity::Error;
                said.text = format!("optimization hints: {}", said.text);
                said
            }));
        }
        problems.extend(hints);
    }
    problems.extend(verify_debug(&parsed.module, &parsed.debug));
    for problem in &problems {
        if !of_test(problem, &parsed.module, &out.tests) {
            out.said.push(said(&problem.diagnostic, place(problem.func)));
        }
    }
    if out.failed() {
        return out;
    }
    let mut module = parsed.module.clone();
    let mut debug_info = parsed.debug.clone();
    for pass in &options.passes {
        if let Err(problem) = clean_up(pass, &mut module, &mut debug_info) {
            out.said.push(plain(problem));
            return out;
        }
    }
    parsed.debug = debug_info;
    match write(&module, &parsed) {
        None => {
            let debug = options.debug.then_some(&parsed.debug);
            out.content = Content::Text(if options.generic {
                generic_tests(&print_tile_module_generic(&module), &out.tests)
            } else {
                let printed = print_tile_module(&module, debug);
                wrap(&printed, &module_name(text), &out.tests)
            });
        }
        Some(Ok(bytes)) => out.content = Content::Bytes(bytes),
        Some(Err(problems)) => {
            for problem in &problems {
                out.said.push(said(&problem.diagnostic, place(problem.func)));
            }
        }
    }
    out
}

/// Runs one pass of the language, by its name in NVIDIA's tool.
fn clean_up(pass: &str, module: &mut TileModule, debug: &mut DebugInfo) -> Result<(), String> {
    let passes: &[Pass] = match pass {
        // NVIDIA's pass does not fold arithmetic, but eliminates dead code.
        "canonicalize" => &[canonicalize_structure, eliminate_dead_code],
        "fuse-fma" => &[fuse_multiply_add],
        "loop-split" => &[split_loops],
        "synthesize-debug-info-scopes" => {
            *debug = synthesize_debug_scopes(module, debug);
            &[]
        }
        other => return Err(format!("the pass `{other}` is missing")),
    };
    for func in &mut module.funcs {
        for pass in passes {
            *func = pass(func).map_err(|problems| format!("{problems:?}"))?;
        }
    }
    Ok(())
}

type Pass = fn(&Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>>;

/// Whether a rule applies to kernels only: scalar parameters, no results.
fn of_test(problem: &ModuleProblem, module: &TileModule, tests: &[(String, String)]) -> bool {
    let Some(func) = problem.func.and_then(|func| module.funcs.get(func)) else {
        return false;
    };
    let message = &problem.diagnostic.message;
    tests.iter().any(|(name, _)| *name == func.name)
        && (message.starts_with("parameter ") || message.contains("a kernel returns nothing"))
}

fn plain(text: String) -> Said {
    Said {
        severity: Severity::Error,
        line: None,
        text,
        also: Vec::new(),
    }
}

fn said<At: Clone>(problem: &Diagnostic<At>, line: impl Fn(At) -> Option<usize>) -> Said {
    let mut text = problem.message.clone();
    let labels = problem.primary.iter().chain(&problem.secondary);
    let rest = labels
        .map(|label| &label.message)
        .chain(&problem.notes)
        .chain(&problem.help);
    for more in rest {
        text.push('\n');
        text.push_str(more);
    }
    let also = problem
        .secondary
        .iter()
        .filter_map(|label| Some((line(label.at.clone())?, label.message.clone())));
    let own = problem.primary.as_ref().and_then(|label| line(label.at.clone()));
    // Help is shown at the position itself.
    let help = problem.help.iter().filter_map(|help| Some((own?, help.clone())));
    Said {
        severity: problem.severity,
        line: problem.primary.as_ref().and_then(|label| line(label.at.clone())),
        text,
        also: also.chain(help).collect(),
    }
}

/// The text in generic form, with test functions under their own names.
fn generic_tests(text: &str, tests: &[(String, String)]) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let test = tests
            .iter()
            .find(|(name, _)| line.contains(&format!("\"cuda_tile.entry\"() <{{sym_name = \"{name}\"")));
        match test {
            Some((_, results)) => {
                let results = if results.is_empty() { " -> ()" } else { results };
                let line = line.replace("cuda_tile.entry", "cuda_tile.testing$func");
                out.push_str(&line.replace(" -> ()}>", &format!("{results}}}>")));
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// The number of line ends before a position.
fn line_of(text: &str, span: Span) -> usize {
    let before = usize::try_from(span.start)
        .ok()
        .and_then(|start| text.get(..start));
    before.unwrap_or(text).matches('\n').count()
}

fn module_name(text: &str) -> String {
    let name = text.split_once("module @").map(|(_, rest)| rest);
    let end = |rest: &str| rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    name.and_then(|rest| rest.get(..end(rest)?))
        .unwrap_or("kernels")
        .to_owned()
}

/// The text as NVIDIA's tools print it: in a module, with test functions under their own names.
fn wrap(text: &str, name: &str, tests: &[(String, String)]) -> String {
    let (mut before, mut inside, mut after) = (String::new(), String::new(), String::new());
    for line in text.lines() {
        // Aliases used only by locations follow the program, as the locations do.
        if line.starts_with('#') {
            after.push_str(line);
            after.push('\n');
        } else if line.starts_with('/') {
            before.push_str(line);
            before.push('\n');
        } else if !line.is_empty() {
            inside.push_str("  ");
            inside.push_str(&test_header(line, tests));
            inside.push('\n');
        }
    }
    // The op was renamed in 13.5.
    let inside = inside.replace(" = fpowf %", " = pow %");
    format!("{before}cuda_tile.module @{name} {{\n{inside}}}\n{after}")
}

fn test_header(line: &str, tests: &[(String, String)]) -> String {
    let header = line.strip_prefix("entry @").and_then(|rest| {
        let (name, _) = rest.split_once('(')?;
        let (_, results) = tests.iter().find(|(test, _)| test == name)?;
        Some(format!("testing$func @{}{results} {{", rest.strip_suffix(" {")?))
    });
    header.unwrap_or_else(|| line.to_owned())
}
