//! Whole kernels, a folder each: the text of every stage, from the user's program down to PTX.
//!
//! `ladder/KERNEL/N.LANGUAGE.snap` is what `examples/bytecode/KERNEL.13.5.tileirbc` is in the Nth language.

use std::fs;
use std::path::PathBuf;

use tilewright::pipeline::leads;
use tilewright::{Compiler, Language, Request, joins};
use tilewright_tests::repository;

use crate::{beside, golden};

/// The kernels: one that streams, and one that converts the layout of its tile through shared memory.
const KERNELS: &[&str] = &["vector_add", "transpose"];

/// The folder of a kernel's texts.
fn folder(kernel: &str) -> PathBuf {
    golden().join("ladder").join(kernel)
}

/// The languages that a program goes through.
fn rungs() -> impl Iterator<Item = Language> {
    let all = Language::ALL.iter().copied();
    all.filter(|language| leads(Language::CudaTile, *language))
}

/// The name of a kernel's text in a language.
fn name(language: Language) -> String {
    let rung = rungs().position(|other| other == language);
    let rung = rung.expect("a language that cuda_tile leads to");
    format!("{rung}.{language}")
}

/// The example that a ladder starts from.
fn example(kernel: &str) -> Vec<u8> {
    let path = repository().join(format!("examples/bytecode/{kernel}.13.5.tileirbc"));
    fs::read(path).expect("the example exists")
}

/// The text of a file in a language.
fn compiled(name: &str, bytes: &[u8], language: Language) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source(name, bytes);
    let options = compiler.options(Request {
        verify_each: true,
        ..Request::default()
    });
    let (text, said) = joins::compile(&compiler, source, options, language);
    assert!(said.is_empty(), "{name} to {language}: {said:#?}");
    text.unwrap_or_else(|| panic!("{name}: no {language}"))
        .to_string()
}

#[test]
fn every_text_of_a_ladder_is_what_its_example_compiles_to() {
    for kernel in KERNELS {
        let bytes = example(kernel);
        beside(&folder(kernel)).bind(|| {
            for language in rungs() {
                insta::assert_snapshot!(name(language), compiled(kernel, &bytes, language));
            }
        });
    }
}

#[test]
fn every_text_of_a_ladder_compiles_to_the_same_ptx() {
    for kernel in KERNELS {
        let want = compiled(kernel, &example(kernel), Language::Ptx);
        for language in rungs() {
            let path = folder(kernel).join(format!("{}.snap", name(language)));
            let bytes = fs::read(&path).expect("every rung");
            let name = path.display().to_string();
            let made = compiled(&name, &bytes, Language::Ptx);
            assert!(made == want, "{name} leads to other PTX:\n{made}");
        }
    }
}

#[test]
fn a_ladder_has_one_text_for_each_language() {
    for kernel in KERNELS {
        let mut files: Vec<_> = fs::read_dir(folder(kernel))
            .expect("the ladder exists")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| !name.ends_with(".snap.new"))
            .collect();
        files.sort();
        let want: Vec<_> = rungs()
            .map(|language| format!("{}.snap", name(language)))
            .collect();
        assert_eq!(files, want, "{kernel}");
    }
}
