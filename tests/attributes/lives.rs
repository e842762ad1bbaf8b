//! The lives of the attributes of many kernels: each ends, in one way, and none is lost.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use rayon::prelude::*;
use tilewright::pipeline::Pass;
use tilewright::trace::{Came, Ending, Life, Step, Wanted, json, lives, placed, to_text};
use tilewright::{Compiler, Language, Request, located, reading};
use tilewright_diagnostics::Code;
use tilewright_irs::core::{Family, TermKind, is_named};

use crate::scenes::inputs;

/// The golden inputs that have an attribute of an op with a value that no smaller one has, if the value is a word.
fn sample() -> Vec<PathBuf> {
    let mut paths: Vec<_> = inputs().into_iter().map(|(_, path)| path).collect();
    paths.sort_by_key(|path| fs::metadata(path).map_or(0, |file| file.len()));
    let mut seen = BTreeSet::new();
    paths.retain(|path| {
        let mut compiler = Compiler::new();
        let source = compiler.add_source(path.display().to_string(), fs::read(path).unwrap_or_default());
        let kernels = &reading::parse(&compiler, source).kernels;
        let found = kernels
            .iter()
            .flat_map(|kernel| kernel.body(&compiler).attributes());
        let mut is_new = false;
        for one in found.filter(|one| one.family != Family::Meaning) {
            let word = match one.value.map(|value| value.kind) {
                Some(TermKind::Word(word)) => word,
                _ => String::new(),
            };
            is_new |= seen.insert((one.op, one.name, word));
        }
        is_new
    });
    paths
}

/// What is wrong with a life.
fn problems(life: &Life) -> Vec<String> {
    let parents: BTreeSet<usize> = life
        .steps
        .iter()
        .flat_map(|step| step.from.iter().copied())
        .collect();
    let mut wrong = Vec::new();
    for (at, step) in life.steps.iter().enumerate() {
        let Step {
            language,
            name,
            value,
            ops,
            ..
        } = step;
        let mut say = |what: &str| wrong.push(format!("{language} {ops:?} {name} = {value:?} {what}"));
        match (&step.end, parents.contains(&at)) {
            (Some(_), true) => say("ends and goes on"),
            (None, false) => say("has no end"),
            (Some(end), false) if end.how == Ending::Lost => {
                say(&format!("is lost by {}", end.pass.unwrap_or("none")));
            }
            (Some(end), false) if end.how == Ending::Ptx && step.lines.is_empty() => {
                say("is nowhere in the PTX")
            }
            _ => {}
        }
        let is_read = step.came == Came::Read;
        if step.from.iter().any(|from| *from >= at) {
            say("comes from a later step");
        }
        if step.from.is_empty() != matches!(step.came, Came::Read | Came::Made) {
            say(&format!("came from {:?}, and is {}", step.from, step.came.word()));
        }
        if is_read != (step.pass.is_none() && step.why.is_none()) {
            say("came by no pass");
        }
        // What a pass neither makes nor uses has no new value within a language, unless it was moved to another op.
        let pass = step.pass.and_then(Pass::named);
        if let Some(pass) = pass.filter(|pass| pass.from == pass.to)
            && step.came == Came::Changed
            && matches!(
                step.family,
                Family::Order | Family::Cache | Family::FastMath | Family::LaunchShape | Family::KernelSpec
            )
        {
            let is_declared = |op: &str| pass.changes.iter().any(|change| is_named(op, name, change.name));
            // Another op may have another word for the value.
            let old = step.from.first().and_then(|&from| life.steps.get(from));
            let old = old.and_then(|old| old.value.as_deref());
            let specs = language.declared().attributes();
            let mut own = specs
                .iter()
                .filter(|spec| spec.name == *name && ops.contains(spec.op));
            let has_word = own.any(|spec| {
                let words = spec.field.keywords;
                words.is_empty() || words.iter().any(|word| Some(word.word) == old)
            });
            let is_op = !ops.is_empty();
            if (has_word || !is_op) && !(is_declared("") || ops.iter().any(|op| is_declared(op))) {
                say(&format!("is another one after {}", pass.name));
            }
        }
    }
    wrong
}

#[test]
fn every_attribute_ends_in_one_way() {
    let sample = sample();
    let wrong: Vec<String> = sample
        .par_iter()
        .flat_map_iter(|path| {
            let mut compiler = Compiler::new();
            let name = path.display().to_string();
            let source = compiler.add_source(&name, fs::read(path).expect("the file"));
            let options = compiler.options(Request::default());
            let mut wrong = Vec::new();
            for &kernel in &reading::parse(&compiler, source).kernels {
                let all = lives(&compiler, kernel, options);
                let bugs = located(&compiler, kernel, options, Language::Ptx).iter();
                let bugs = bugs.filter(|said| matches!(said.code, Code::Internal | Code::InvalidStage));
                wrong.extend(bugs.map(|bug| format!("{name}: {}", bug.message)));
                let found = all.iter().flat_map(problems);
                wrong.extend(found.map(|problem| format!("{name}: {problem}")));
                let shown = placed(&compiler, kernel, Some(source), &Wanted::All.of(all));
                let text = to_text("k", Wanted::All, &shown, all);
                let json = json("k", Wanted::All, &shown, all);
                let steps = json["lives"].as_array().into_iter().flatten();
                let steps = steps.flat_map(|life| life["steps"].as_array().into_iter().flatten());
                let missing = steps.filter(|step| !text.contains(step["name"].as_str().unwrap_or("no name")));
                wrong.extend(missing.map(|step| format!("{name}: the text does not have {step}")));
            }
            wrong
        })
        .collect();
    assert!(wrong.is_empty(), "of {}: {}", sample.len(), wrong.join("\n"));
}
