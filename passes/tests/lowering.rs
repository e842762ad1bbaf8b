//! Golden files of the passes from `scheduled` to `llvm_like`.
//!
//! `TILEWRIGHT_BLESS=1 cargo test -p tilewright-passes --test lowering` writes the expected files anew.

use std::path::{Path, PathBuf};

use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Language, Module, Origin, print_module, verify};
use tilewright_irs::llvm::Llvm;
use tilewright_passes::cleanup::eliminate_dead_code;
use tilewright_passes::cute_desugared::expand_pipes;
use tilewright_passes::cute_to_cute_desugared::desugar;
use tilewright_passes::cute_to_llvm::scalarize_fragments;
use tilewright_passes::llvm::{
    expand_float_remainder, expand_integer_division, legalize_small_floats, legalize_small_integers, simplify,
};
use tilewright_passes::scheduled_to_cute::lower_fragments;
use tilewright_passes::tileas_to_scheduled::assign_barriers;

type Pass<A, B> = fn(&Func<A>) -> Result<Func<B>, Vec<Diagnostic<Origin>>>;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden")
}

fn parse<L: Language>(text: &str, name: &str) -> Module<L> {
    let parsed = parse_stage::<L>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{name}: {:#?}", parsed.diagnostics);
    for func in &parsed.module.funcs {
        if let Err(problems) = verify(func) {
            panic!("{name}: {problems:#?}");
        }
    }
    parsed.module
}

/// Runs a pass on every function and verifies what it gives.
fn apply<A: Language, B: Language>(pass: Pass<A, B>, module: &Module<A>, name: &str) -> Module<B> {
    let run = |func| {
        let func = pass(func).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
        if let Err(problems) = verify(&func) {
            let module = Module { funcs: vec![func] };
            panic!("{name}: {problems:#?}\n{}", print_module(&module));
        }
        func
    };
    Module {
        funcs: module.funcs.iter().map(run).collect(),
    }
}

/// Every case of one pass: what it makes of the input is the expected text, which reads back as the same module.
fn check<A: Language, B: Language>(folder: &str, pass: Pass<A, B>, least: usize) {
    let folder = golden().join(folder);
    let suffix = format!(".in.{}", A::NAME);
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|file| file.strip_suffix(&suffix).map(str::to_owned))
        .collect();
    names.sort();
    assert!(
        names.len() >= least,
        "{}: {} cases",
        folder.display(),
        names.len()
    );
    for name in names {
        let read = |path: &Path| {
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let input = parse::<A>(&read(&folder.join(format!("{name}{suffix}"))), &name);
        let output = apply(pass, &input, &name);
        let text = print_module(&output);
        let path = folder.join(format!("{name}.out.{}", B::NAME));
        if std::env::var_os("TILEWRIGHT_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        assert_eq!(text, read(&path), "{name}");
        assert_eq!(print_module(&parse::<B>(&text, &name)), text, "{name} reads back");
    }
}

#[test]
fn assign_barriers_matches_its_golden_files() {
    check("scheduled.assign_barriers", assign_barriers, 8);
}

#[test]
fn expand_pipes_matches_its_golden_files() {
    check("cute_desugared.expand_pipes", expand_pipes, 8);
}

#[test]
fn desugar_matches_its_golden_files() {
    check("cute_to_cute_desugared.desugar", desugar, 8);
}

#[test]
fn lower_fragments_matches_its_golden_files() {
    check("scheduled_to_cute_desugared.lower_fragments", lower_fragments, 8);
}

#[test]
fn scalarize_fragments_matches_its_golden_files() {
    check("cute_desugared_to_llvm.scalarize_fragments", scalarize_fragments, 8);
}

#[test]
fn simplify_matches_its_golden_files() {
    check("llvm.simplify", simplify, 8);
}

#[test]
fn eliminate_dead_code_matches_its_golden_files() {
    check("llvm.eliminate_dead_code", eliminate_dead_code::<Llvm>, 8);
}

#[test]
fn expand_float_remainder_matches_its_golden_files() {
    check("llvm.expand_float_remainder", expand_float_remainder, 8);
}

#[test]
fn expand_integer_division_matches_its_golden_files() {
    check("llvm.expand_integer_division", expand_integer_division, 8);
}

#[test]
fn legalize_small_floats_matches_its_golden_files() {
    check("llvm.legalize_small_floats", legalize_small_floats, 8);
}

#[test]
fn legalize_small_integers_matches_its_golden_files() {
    check("llvm.legalize_small_integers", legalize_small_integers, 8);
}
