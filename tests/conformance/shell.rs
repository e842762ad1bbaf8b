//! The supported subset of RUN lines: pipes, `not`, `-o`, FileCheck, `diff`, the round-trip script.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tilewright_diagnostics::Severity;
use tilewright_irs::cuda_tile::Version;

use crate::case::{Chunk, TestFile, chunks, expectations};
use crate::filecheck::{Names, check, patterns};
use crate::tool::{Options, Said, Unit, opt, read, through_bytecode, write};
use crate::wording::missing;

/// The outcome of a case.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The kind of case.
    pub(crate) kind: &'static str,
    /// The line in the file where the case starts.
    pub(crate) line: usize,
    /// The failures, line by line; empty for a case that passed.
    pub(crate) failures: Vec<String>,
}

/// Files that commands write for later ones.
pub(crate) type Shelf = BTreeMap<String, Vec<Unit>>;

/// Executes one RUN line; `Err` describes unsupported syntax.
pub(crate) fn run(file: &TestFile, command: &str, shelf: &mut Shelf) -> Result<Vec<Outcome>, String> {
    let mut words = command.replace("&&", "|").replace("2>&1", "");
    words = words.replace("%s", "SOURCE");
    let split = words.contains("split-input-file");
    let whole = || {
        vec![Chunk {
            line: 1,
            text: file.text.clone(),
        }]
    };
    let parts = if split { chunks(&file.text) } else { whole() };
    let source: Vec<Unit> = parts
        .iter()
        .map(|chunk| Unit::text(chunk.line, &chunk.text))
        .collect();
    let mut units = source.clone();
    let mut fails = false;
    let mut kind = "printed";
    for stage in words.split('|') {
        let mut args: Vec<&str> = arguments(stage);
        if args.first() == Some(&"not") {
            fails = true;
            args.remove(0);
        }
        let (Some(tool), args) = (args.first().copied(), args.get(1..).unwrap_or_default()) else {
            return Err("an empty command".to_owned());
        };
        let options = options(args)?;
        let flag = |name: &str| args.iter().any(|arg| arg.trim_start_matches('-') == name);
        match tool {
            "cuda-tile-opt" => {
                if !options.passes.is_empty() {
                    kind = "clean-up";
                }
                units = units.iter().map(|unit| opt(unit, &options)).collect();
            }
            "cuda-tile-translate" if flag("mlir-to-cudatilebc") => {
                kind = "bytecode";
                units = units.iter().map(|unit| write(unit, &options)).collect();
            }
            "cuda-tile-translate" if flag("cudatilebc-to-mlir") => {
                kind = "bytecode";
                let input = args.iter().find(|arg| !arg.starts_with('-'));
                if let Some(input) = input {
                    units = stored(file, input, shelf)?;
                }
                units = units.iter().map(|unit| read(unit, &options)).collect();
            }
            "cuda-tile-translate" if flag("test-cudatile-roundtrip") => {
                kind = "bytecode";
                units = units
                    .iter()
                    .map(|unit| through_bytecode(unit, &options))
                    .collect();
            }
            "%round_trip_test" => {
                let direct: Vec<_> = units.iter().map(|unit| opt(unit, &options)).collect();
                let around: Vec<_> = units
                    .iter()
                    .map(|unit| through_bytecode(unit, &options))
                    .collect();
                return Ok(vec![same("round trip", &direct, &around)]);
            }
            "diff" => {
                let load = |name: usize| {
                    let name = args.get(name).copied().unwrap_or_default();
                    shelf
                        .get(name)
                        .cloned()
                        .ok_or(format!("`{name}` was not written"))
                };
                return Ok(vec![same("round trip", &load(0)?, &load(1)?)]);
            }
            "FileCheck" => {
                let prefixes = prefixes(args);
                return Ok(checked(kind, fails, &parts, &units, &prefixes));
            }
            other => return Err(format!("the command `{other}`")),
        }
        if let Some(at) = args.iter().position(|arg| *arg == "-o") {
            let name = args.get(at + 1).copied().unwrap_or_default();
            shelf.insert(name.to_owned(), units.clone());
        }
        if flag("verify-diagnostics") {
            let pairs = parts.iter().zip(&units);
            return Ok(pairs.map(|(chunk, unit)| diagnosed(chunk, unit)).collect());
        }
    }
    // A command that only has to succeed.
    let failures = units
        .iter()
        .filter(|unit| unit.failed())
        .flat_map(errors)
        .collect();
    Ok(vec![Outcome {
        kind,
        line: 1,
        failures,
    }])
}

/// The words of a command, with quoting.
fn arguments(stage: &str) -> Vec<&str> {
    let mut list = Vec::new();
    let mut rest = stage.trim();
    while !rest.is_empty() {
        let mut quote = None;
        let end = rest.find(|c: char| {
            match (quote, c) {
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                _ => {}
            }
            quote.is_none() && c == ' '
        });
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        if word != "SOURCE" {
            list.push(word);
        }
        rest = after.trim_start();
    }
    list
}

fn options(args: &[&str]) -> Result<Options, String> {
    let mut options = Options::default();
    for arg in args {
        let arg = arg.trim_start_matches('-');
        match arg.split_once('=') {
            Some(("bytecode-version", version)) => {
                let numbers = version.split_once('.').and_then(|(major, minor)| {
                    Version::from_numbers(major.parse().ok()?, minor.parse().ok()?)
                });
                options.version = Some(numbers.ok_or(format!("the bytecode version {version}"))?);
            }
            Some(("pass-pipeline", passes)) => {
                let innermost = passes.rsplit('(').next().unwrap_or(passes);
                options
                    .passes
                    .push(innermost.trim_end_matches([')', '\'', '"']).to_owned());
            }
            Some(("test-debuginfo-update-symbol-name", _)) => {
                return Err(
                    "a pass that only NVIDIA's tests have: renaming a symbol with its debug info".to_owned(),
                );
            }
            _ => match arg {
                "canonicalize" => options.passes.push(arg.to_owned()),
                "mlir-print-debuginfo" => options.debug = true,
                "mlir-print-op-generic" => options.generic = true,
                "Wunsupported-hints" => options.hints = true,
                "Werr-hints" => options.hints_fail = true,
                "list-versions" => return Err("a list of the tool's versions".to_owned()),
                _ => {}
            },
        }
    }
    Ok(options)
}

/// Bytecode that an earlier command wrote, or that is in the folder.
fn stored(file: &TestFile, name: &str, shelf: &Shelf) -> Result<Vec<Unit>, String> {
    if let Some(units) = shelf.get(name) {
        return Ok(units.clone());
    }
    let folder = file.path.parent().unwrap_or(Path::new("."));
    let path = folder.join(name.strip_prefix("%S/").unwrap_or(name));
    let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(vec![Unit::bytes(bytes)])
}

fn prefixes<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let given = args.iter().find_map(|arg| {
        let (name, list) = arg.trim_start_matches('-').split_once('=')?;
        name.starts_with("check-prefix").then_some(list)
    });
    given.unwrap_or("CHECK").split(',').collect()
}

fn errors(unit: &Unit) -> Vec<String> {
    let errors = unit.said.iter().filter(|said| said.severity == Severity::Error);
    errors.map(shown).collect()
}

fn shown(said: &Said) -> String {
    let line = said.line.map_or("?".to_owned(), |line| line.to_string());
    format!(
        "{line}: {} \"{}\"",
        said.severity.word(),
        said.text.replace('\n', " | ")
    )
}

/// Compares two outputs, ignoring empty lines.
fn same(kind: &'static str, direct: &[Unit], around: &[Unit]) -> Outcome {
    let mut failures: Vec<String> = direct.iter().chain(around).flat_map(errors).collect();
    failures.dedup();
    for (a, b) in direct.iter().zip(around) {
        let (a, b) = (a.shown(), b.shown());
        let lines = |text: &str| -> Vec<String> {
            let named = text.lines().filter(|line| !line.trim().is_empty());
            // Bytecode does not contain the module name.
            named
                .filter(|line| !line.contains("module @"))
                .map(str::to_owned)
                .collect()
        };
        let (a, b) = (lines(&a), lines(&b));
        let differs = a.iter().zip(&b).find(|(a, b)| a != b);
        if let Some((a, b)) = differs {
            failures.push(format!("`{a}` comes back as `{b}`"));
        } else if a.len() != b.len() {
            failures.push(format!("{} lines come back as {}", a.len(), b.len()));
        }
    }
    Outcome {
        kind,
        line: 1,
        failures,
    }
}

/// Compares a command's output with the CHECK lines; for a command that must fail, its diagnostics.
fn checked(
    kind: &'static str,
    fails: bool,
    parts: &[Chunk],
    units: &[Unit],
    prefixes: &[&str],
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    // The tool searches one text, in which variables persist.
    let mut names = Names::new();
    // If the input comes from elsewhere, its single output is for all lines of the file.
    for (chunk, unit) in parts.iter().zip(units) {
        let patterns = patterns(&chunk.text, chunk.line, prefixes);
        if patterns.is_empty() && (fails || parts.len() > 1) && !unit.failed() {
            continue;
        }
        let mut failures = Vec::new();
        if fails {
            for pattern in &patterns {
                let wanted = pattern.text.trim_start_matches("error:");
                if !unit
                    .said
                    .iter()
                    .any(|said| missing(wanted, &said.text).is_empty())
                {
                    failures.push(format!("{}: wanted \"{}\"", pattern.line, wanted));
                }
            }
            if !patterns.is_empty() && !unit.failed() {
                failures.push("accepted".to_owned());
            }
            if !failures.is_empty() {
                failures.extend(unit.said.iter().map(shown));
            }
        } else {
            failures.extend(errors(unit));
            if failures.is_empty() {
                let wrong = check(&patterns, &unit.shown(), &mut names);
                let lines = wrong
                    .iter()
                    .map(|(pattern, why)| format!("{}: {} ({why})", pattern.line, pattern.text));
                failures.extend(lines);
            }
        }
        outcomes.push(Outcome {
            kind: if fails { "rejected" } else { kind },
            line: chunk.line,
            failures,
        });
    }
    outcomes
}

/// Compares a chunk's diagnostics with its comments.
fn diagnosed(chunk: &Chunk, unit: &Unit) -> Outcome {
    let expected = expectations(chunk);
    let mut failures = Vec::new();
    let mut used = vec![false; unit.said.len()];
    for wanted in &expected {
        let Some(severity) = wanted.severity else { continue };
        let fits =
            |said: &Said| said.severity == severity && (said.line == wanted.line || wanted.line.is_none());
        let here = || unit.said.iter().enumerate().filter(|(_, said)| fits(said));
        // Where NVIDIA's parser reports two diagnostics for one mistake, one of ours may cover both.
        let exact = here().find(|(_, said)| missing(&wanted.text, &said.text).is_empty());
        let line = wanted.line.map_or("?".to_owned(), |line| line.to_string());
        match exact {
            Some((i, _)) => {
                if let Some(place) = used.get_mut(i) {
                    *place = true;
                }
            }
            None => {
                let close = here().next();
                let lacks = close.map(|(_, said)| missing(&wanted.text, &said.text).join(", "));
                let lacks = lacks
                    .map(|lacks| format!(" (lacks: {lacks})"))
                    .unwrap_or_default();
                failures.push(format!(
                    "{line}: wanted {} \"{}\"{lacks}",
                    severity.word(),
                    wanted.text
                ));
            }
        }
    }
    let wants_error = expected
        .iter()
        .any(|wanted| wanted.severity == Some(Severity::Error));
    for wanted in expected.iter().filter(|wanted| wanted.severity.is_none()) {
        let noted = |said: &Said| said.also.iter().any(|(line, _)| Some(*line) == wanted.line);
        if !unit.said.iter().any(noted) {
            let line = wanted.line.map_or("?".to_owned(), |line| line.to_string());
            failures.push(format!("{line}: wanted note \"{}\"", wanted.text));
        }
    }
    // NVIDIA's tools stop at the first error, this compiler continues: further errors are allowed if one is expected.
    let extra = |(i, said): &(usize, &Said)| {
        let counted = used.get(*i).copied().unwrap_or(false);
        !counted && (said.severity == Severity::Error && !wants_error)
    };
    failures.extend(
        unit.said
            .iter()
            .enumerate()
            .filter(extra)
            .map(|(_, said)| shown(said)),
    );
    if !failures.is_empty() && wants_error {
        failures.extend(unit.said.iter().map(|said| format!("    ours: {}", shown(said))));
    }
    Outcome {
        kind: if wants_error { "rejected" } else { "diagnostics" },
        line: chunk.line,
        failures,
    }
}
