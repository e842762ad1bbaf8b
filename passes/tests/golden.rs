//! Golden texts: what a pass makes of each `golden/<place>.<pass>/<case>.in.<language>` is in `<case>.out.<language>`.
//!
//! With `TILEWRIGHT_BLESS=1` the expected texts are written instead of compared.

use std::path::{Path, PathBuf};

use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Language, Module, Origin, print_module, verify};
use tilewright_irs::cuda_tile::{TileModule, print_tile_module, verify_module};
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::TileAa;
use tilewright_passes::cuda_tile_to_tileaa::resolve_views;
use tilewright_passes::tileaa::propagate_facts;

fn parsed<L: Language>(path: &Path, text: &str) -> Module<L> {
    let parsed = parse_stage::<L>(text, FileId(0));
    assert!(
        parsed.diagnostics.is_empty(),
        "{}: {:#?}",
        path.display(),
        parsed.diagnostics
    );
    for func in &parsed.module.funcs {
        verify(func).unwrap_or_else(|problems| panic!("{}: {problems:#?}", path.display()));
    }
    parsed.module
}

/// Runs a pass on every input of a folder.
fn check<B: Language>(folder: &str, from: &str, pass: impl Fn(&Path, &str) -> Vec<Func<B>>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../golden")
        .join(folder);
    let ending = format!(".in.{from}");
    let mut inputs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("a folder of golden texts")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(&ending))
        .collect();
    inputs.sort();
    assert!(
        inputs.len() >= 8,
        "{} inputs in {}",
        inputs.len(),
        folder.display()
    );
    for input in inputs {
        let text = std::fs::read_to_string(&input).expect("an input");
        let funcs = pass(&input, &text);
        for func in &funcs {
            verify(func).unwrap_or_else(|problems| panic!("{}: {problems:#?}", input.display()));
        }
        let made = print_module(&Module { funcs });
        let name = input
            .to_string_lossy()
            .replace(&ending, &format!(".out.{}", B::NAME));
        if std::env::var_os("TILEWRIGHT_BLESS").is_some() {
            std::fs::write(&name, &made).expect("a place for the expected text");
        }
        let expected = std::fs::read_to_string(&name).unwrap_or_default();
        assert_eq!(made, expected, "{name} is not what the pass makes of its input");
        let again: Module<B> = parsed(Path::new(&name), &expected);
        assert_eq!(
            print_module(&again),
            expected,
            "{name} does not print as it was read"
        );
    }
}

fn passed<B: Language>(path: &Path, result: Result<Func<B>, Vec<Diagnostic<Origin>>>) -> Func<B> {
    result.unwrap_or_else(|problems| panic!("{}: {problems:#?}", path.display()))
}

#[test]
fn propagate_facts_as_expected() {
    check("tileaa.propagate_facts", "tileaa", |path, text| {
        let module: Module<TileAa> = parsed(path, text);
        module
            .funcs
            .iter()
            .map(|func| passed(path, propagate_facts(func)))
            .collect()
    });
}

/// A module as NVIDIA's disassembler would write it: the text must print as it was read.
fn tile_module(path: &Path, text: &str) -> TileModule {
    let parsed = parse_tile_text(text, FileId(0));
    assert!(
        parsed.diagnostics.is_empty(),
        "{}: {:#?}",
        path.display(),
        parsed.diagnostics
    );
    verify_module(&parsed.module).unwrap_or_else(|problems| panic!("{}: {problems:#?}", path.display()));
    assert_eq!(
        print_tile_module(&parsed.module, None),
        text,
        "{} does not print as it was read",
        path.display()
    );
    parsed.module
}

#[test]
fn resolve_views_as_expected() {
    check("cuda_tile_to_tileaa.resolve_views", "cuda_tile", |path, text| {
        let module = tile_module(path, text);
        let target = Target::sm_a(90);
        module
            .funcs
            .iter()
            .map(|func| passed(path, resolve_views(func, target)))
            .collect()
    });
}
