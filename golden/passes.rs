//! Golden texts: what each pass makes of `golden/PLACE.PASS/CASE.in.LANGUAGE` is in `CASE.out.LANGUAGE`.
//!
//! PLACE is the language of a pass that stays in it, or `FROM_to_TO`. `TILEWRIGHT_BLESS=1 cargo test -p
//! tilewright-tests --test stages` writes the expected texts anew.

use std::collections::BTreeMap;
use std::fs;

use tilewright::pipeline::{PASSES, Pass, run_alone};
use tilewright::{Compiler, Request, joins, reading};
use tilewright_tests::{Golden, goldens};

/// What the pass makes of the case's input.
fn made(golden: &Golden, pass: &Pass) -> Result<String, String> {
    let bytes = fs::read(&golden.input).map_err(|error| error.to_string())?;
    let mut compiler = Compiler::new();
    let source = compiler.add_source(golden.input.display().to_string(), bytes);
    let options = compiler.options(Request {
        verify_each: true,
        ..Request::default()
    });
    let parsed = reading::parse(&compiler, source);
    if !parsed.diagnostics.is_empty() {
        return Err(format!("the input is not sound: {:#?}", parsed.diagnostics));
    }
    let mut stages = Vec::new();
    for kernel in &parsed.kernels {
        let run = run_alone(
            &compiler,
            options,
            pass,
            kernel.name(&compiler),
            kernel.body(&compiler),
        );
        match run {
            Some((Some(stage), said)) if said.is_empty() => stages.push(stage),
            Some((_, said)) => return Err(format!("{said:#?}")),
            None => return Err(format!("the input is not in {}", pass.from)),
        }
    }
    joins::print_stages(&stages, "", &[]).map_err(|problem| problem.message)
}

/// Functions that are passes in form and run as parts of others, which are tested beside themselves.
const PARTS: &[&str] = &["llvm.eliminate_dead_code"];

/// The pass that a golden case belongs to.
fn pass_of(golden: &Golden) -> Option<&'static Pass> {
    PASSES
        .iter()
        .find(|pass| pass.name == golden.pass && place(pass) == golden.place)
}

/// The folder that a pass's golden files lie in.
fn place(pass: &Pass) -> String {
    if pass.from == pass.to {
        pass.from.name().to_owned()
    } else {
        format!("{}_to_{}", pass.from, pass.to)
    }
}

#[test]
fn every_pass_makes_what_its_golden_files_say() {
    let bless = std::env::var_os("TILEWRIGHT_BLESS").is_some();
    let mut wrong = Vec::new();
    for golden in goldens() {
        let name = format!("{}.{}/{}", golden.place, golden.pass, golden.case);
        let Some(pass) = pass_of(&golden) else {
            continue;
        };
        match made(&golden, pass) {
            Ok(text) => {
                let path = golden
                    .input
                    .with_file_name(format!("{}.out.{}", golden.case, pass.to));
                if bless {
                    fs::write(&path, &text).expect("a place for the expected text");
                }
                if fs::read_to_string(&path).unwrap_or_default() != text {
                    wrong.push(format!("{name}: the output differs"));
                }
                if golden.outputs.iter().any(|output| *output != path) {
                    wrong.push(format!("{name}: an output in another language than {}", pass.to));
                }
            }
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_pass_has_golden_files_of_eight_kernels() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for golden in goldens() {
        *counts
            .entry(format!("{}.{}", golden.place, golden.pass))
            .or_default() += 1;
    }
    let folder = |pass: &Pass| format!("{}.{}", place(pass), pass.name);
    let few = PASSES
        .iter()
        .map(|pass| (folder(pass), counts.get(&folder(pass)).copied().unwrap_or(0)));
    let few: Vec<_> = few.filter(|(_, count)| *count < 8).collect();
    assert!(few.is_empty(), "{few:?}");
}

#[test]
fn every_folder_of_golden_files_belongs_to_a_pass() {
    for golden in goldens() {
        let name = format!("{}.{}", golden.place, golden.pass);
        assert!(
            pass_of(&golden).is_some() || PARTS.contains(&name.as_str()),
            "{name}: no such pass"
        );
    }
}
