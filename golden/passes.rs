//! The output of each pass for `PLACE.PASS/CASE.in.LANGUAGE` is in `PLACE.PASS/CASE.out.LANGUAGE.snap`.
//!
//! PLACE is the language of a pass that stays in it, or `FROM_to_TO`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tilewright::pipeline::{Lowered, PASSES, Pass, run_alone};
use tilewright::printing::print_stages;
use tilewright::{Compiler, Kernel, Language, Request, Stage, reading};
use tilewright_irs::core::{Func, verify};
use tilewright_irs::llvm::Llvm;
use tilewright_passes::cleanup::eliminate_dead_code;

use crate::{beside, golden};

/// The pass that a folder's cases are about.
#[derive(Clone, Copy)]
enum Work {
    /// A pass of the pipeline.
    Pass(&'static Pass),
    /// A pass that runs as a part of others only, and cannot fail.
    Part(fn(&Func<Llvm>) -> Func<Llvm>),
}

/// The passes of the folders that the pipeline does not name.
const PARTS: &[(&str, Work)] = &[(
    "llvm.eliminate_dead_code",
    Work::Part(|func| eliminate_dead_code(func).unwrap_or_else(|problems| panic!("{problems:#?}"))),
)];

/// The folder of a pass's cases.
fn folder(pass: &Pass) -> String {
    if pass.from == pass.to {
        format!("{}.{}", pass.from, pass.name)
    } else {
        format!("{}_to_{}.{}", pass.from, pass.to, pass.name)
    }
}

/// The pass that the cases in the folder of this name are about.
fn work(name: &str) -> Option<Work> {
    let pass = PASSES.iter().find(|pass| folder(pass) == name);
    let part = || {
        PARTS
            .iter()
            .find(|(part, _)| *part == name)
            .map(|(_, work)| *work)
    };
    pass.map(Work::Pass).or_else(part)
}

/// The names of the folder and the case of an input file; `None` when the file is no input.
fn case(input: &Path) -> Option<(&str, &str)> {
    let folder = input.parent()?.file_name()?.to_str()?;
    let (case, _) = input.file_name()?.to_str()?.split_once(".in.")?;
    Some((folder, case))
}

/// The files in the folders of passes, sorted.
fn files() -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let folders = entries(&golden());
    let folders = folders
        .iter()
        .filter(|path| path.is_dir() && !path.ends_with("ladder"));
    folders.flat_map(|folder| entries(folder)).collect()
}

/// Runs the pass on one kernel and verifies the result.
fn run(compiler: &Compiler, work: Work, kernel: Kernel<'_>) -> Result<Stage, String> {
    let (name, body) = (kernel.name(compiler), kernel.body(compiler));
    match (work, body) {
        (Work::Pass(pass), _) => {
            let options = compiler.options(Request {
                verify_each: true,
                ..Request::default()
            });
            match run_alone(compiler, options, pass, name, body) {
                Some(Lowered {
                    stage: Some(stage),
                    diagnostics,
                    ..
                }) if !diagnostics.iter().any(|said| said.diagnostic.is_error()) => Ok(stage),
                Some(Lowered { diagnostics, .. }) => Err(format!("{diagnostics:#?}")),
                None => Err(format!("the input is not in {}", pass.from)),
            }
        }
        (Work::Part(part), Stage::Llvm(func)) => {
            let made = part(func);
            verify(&made).map_err(|problems| format!("{problems:#?}"))?;
            Ok(Arc::new(made).into())
        }
        (Work::Part(_), _) => Err("the input is not in llvm".to_owned()),
    }
}

/// Applies `make` to each kernel of a text; gives the printed result and its language.
fn remade(
    name: &str,
    bytes: Vec<u8>,
    make: impl Fn(&Compiler, Kernel<'_>) -> Result<Stage, String>,
) -> Result<(String, Language), String> {
    let mut compiler = Compiler::new();
    let source = compiler.add_source(name, bytes);
    let parsed = reading::parse(&compiler, source);
    if !parsed.diagnostics.is_empty() {
        return Err(format!("{name} is not sound: {:#?}", parsed.diagnostics));
    }
    let stages = parsed.kernels.iter().map(|&kernel| make(&compiler, kernel));
    let stages = stages.collect::<Result<Vec<_>, _>>()?;
    let language = stages.first().ok_or("there is no kernel")?.language();
    let text = print_stages(&stages, parsed.module.as_deref()).map_err(|problem| problem.message)?;
    Ok((text, language))
}

/// The output for an input file, and its language. The text has to round-trip.
fn made(input: &Path, work: Work) -> Result<(String, Language), String> {
    let bytes = fs::read(input).map_err(|error| error.to_string())?;
    let (text, language) = remade("the input", bytes, |compiler, kernel| run(compiler, work, kernel))?;
    let (again, _) = remade("the output", text.clone().into_bytes(), |compiler, kernel| {
        Ok(kernel.body(compiler).clone())
    })?;
    if again != text {
        return Err(format!("the output does not print as it was read:\n{text}"));
    }
    Ok((text, language))
}

#[test]
fn the_output_of_every_pass_matches_its_snapshots() {
    let mut wrong = Vec::new();
    insta::glob!("*.*/*.in.*", |input| {
        let Some((folder, case)) = case(input) else { return };
        let outcome = match work(folder) {
            Some(work) => made(input, work),
            None => Err("no pass has this folder".to_owned()),
        };
        match outcome {
            Ok((text, language)) => beside(&golden().join(folder)).bind(|| {
                insta::assert_snapshot!(format!("{case}.out.{language}"), text);
            }),
            Err(why) => wrong.push(format!("{folder}/{case}: {why}")),
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How many cases of a pass it changes, and how many stay as they are.
#[derive(Debug, Default)]
struct Counts {
    changed: usize,
    same: usize,
}

/// Whether a case's expected output is its input, as it is printed.
fn stays(input: &Path) -> Result<bool, String> {
    let bytes = fs::read(input).map_err(|error| error.to_string())?;
    let (text, language) = remade("the input", bytes, |compiler, kernel| {
        Ok(kernel.body(compiler).clone())
    })?;
    let (folder, case) = input.parent().zip(case(input)).ok_or("no case")?;
    let snapshot = folder.join(format!("{}.out.{language}.snap", case.1));
    let output = fs::read_to_string(snapshot).unwrap_or_default();
    let contents = output.splitn(3, "---\n").nth(2).unwrap_or_default();
    Ok(contents.trim() == text.trim())
}

/// A pass that stays in its language also leaves something alone, which one of its cases shows.
#[test]
fn every_pass_has_three_cases_that_it_changes_and_one_that_stays() {
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for file in files() {
        let Some((folder, case)) = case(&file) else {
            continue;
        };
        let same = stays(&file).unwrap_or_else(|why| panic!("{folder}/{case}: {why}"));
        let counts = counts.entry(folder.to_owned()).or_default();
        if same {
            counts.same += 1;
        } else {
            counts.changed += 1;
        }
    }
    let passes = PASSES.iter().map(|pass| (folder(pass), pass.from == pass.to));
    let parts = PARTS.iter().map(|(folder, _)| ((*folder).to_owned(), true));
    let few: Vec<_> = passes
        .chain(parts)
        .filter_map(|(folder, in_place)| {
            let counts = counts.remove(&folder).unwrap_or_default();
            let is_enough = counts.changed >= 3 && (counts.same >= 1 || !in_place);
            (!is_enough).then_some((folder, counts))
        })
        .collect();
    assert!(few.is_empty(), "{few:#?}");
}

#[test]
fn every_file_is_the_input_or_the_output_of_a_case() {
    let files = files();
    let inputs: Vec<_> = files.iter().filter_map(|file| case(file)).collect();
    for file in &files {
        let name = file
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        // A pending snapshot belongs to the accepted one.
        let output = name.strip_suffix(".new").unwrap_or(name).strip_suffix(".snap");
        let output = output.and_then(|name| name.split_once(".out."));
        let folder = file
            .parent()
            .and_then(Path::file_name)
            .and_then(|name| name.to_str());
        let of_input = output.zip(folder).is_some_and(|((case, language), folder)| {
            let made = match work(folder) {
                Some(Work::Pass(pass)) => pass.to,
                Some(Work::Part(_)) | None => Language::Llvm,
            };
            inputs.contains(&(folder, case)) && made.name() == language
        });
        assert!(
            case(file).is_some() || of_input,
            "{}: neither the input nor the output of a case",
            file.display()
        );
    }
}
