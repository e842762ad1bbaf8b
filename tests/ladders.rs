//! Whole kernels, a folder each: the text of every stage, from the user's program down to PTX.
//!
//! `golden/ladder/KERNEL/N.LANGUAGE` is what `examples/bytecode/KERNEL.13.5.tileirbc` is in the Nth language.
//! `TILEWRIGHT_BLESS=1 cargo test -p tilewright-tests --test ladders` writes the texts anew.

use std::fs;
use std::path::PathBuf;

use tilewright::pipeline::leads;
use tilewright::{Compiler, Language, Request, joins};
use tilewright_tests::repository;

/// The kernels: one that only streams, and one whose tile changes its layout through shared memory.
const KERNELS: &[&str] = &["vector_add", "transpose"];

/// The languages that a program goes through.
fn rungs() -> impl Iterator<Item = Language> {
    let all = Language::ALL.iter().copied();
    all.filter(|language| leads(Language::CudaTile, *language))
}

/// The file that holds a kernel in a language.
fn path(kernel: &str, language: Language) -> PathBuf {
    let rung = rungs().position(|other| other == language);
    let rung = rung.expect("a language that cuda_tile leads to");
    repository().join(format!("golden/ladder/{kernel}/{rung}.{language}"))
}

/// What a file is in a language.
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
fn every_rung_is_what_the_example_compiles_to() {
    for kernel in KERNELS {
        let example = repository().join(format!("examples/bytecode/{kernel}.13.5.tileirbc"));
        let bytes = fs::read(&example).expect("the example exists");
        for language in rungs() {
            let made = compiled(kernel, &bytes, language);
            let path = path(kernel, language);
            if std::env::var_os("TILEWRIGHT_BLESS").is_some() {
                fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a new folder");
                fs::write(&path, &made).expect("a place for the text");
            }
            let kept = fs::read_to_string(&path).unwrap_or_default();
            assert!(
                kept == made,
                "{} is out of date: run with TILEWRIGHT_BLESS=1; now it is\n{made}",
                path.display()
            );
        }
    }
}

#[test]
fn every_rung_leads_to_the_same_ptx() {
    for kernel in KERNELS {
        let want = fs::read_to_string(path(kernel, Language::Ptx)).expect("the last rung");
        for language in rungs() {
            let path = path(kernel, language);
            let bytes = fs::read(&path).expect("every rung");
            let name = path.display().to_string();
            let made = compiled(&name, &bytes, Language::Ptx);
            assert!(made == want, "{name} leads to other PTX:\n{made}");
        }
    }
}

#[test]
fn a_ladder_has_no_other_rungs() {
    for kernel in KERNELS {
        let folder = repository().join("golden/ladder").join(kernel);
        let files = fs::read_dir(&folder).expect("the ladder exists").count();
        assert_eq!(files, rungs().count(), "{}", folder.display());
    }
}
