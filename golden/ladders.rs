//! Whole kernels, a folder each: the text of every stage, from the user's program down to PTX.
//!
//! `ladder/KERNEL/N.LANGUAGE.snap` is what `examples/bytecode/KERNEL.13.5.tileirbc`, or what the text
//! `examples/scheduled/KERNEL.scheduled`, is in the Nth language.

use std::fs;
use std::path::PathBuf;

use tilewright::pipeline::leads;
use tilewright::{Compiler, Language, Request, joins};
use tilewright_irs::cuda_tile::HintOverrides;
use tilewright_tests::repository;

use crate::{beside, golden};

/// The kernels, each with its first language: one that streams, one that converts the layout of its tile through shared
/// memory, a matrix product and attention; for Hopper, written by hand, products by two warp groups, in persistent blocks,
/// summed in two levels, by two agents in turns, and by two blocks of a cluster, attention, and a copy by
/// tensor maps that are parameters.
const KERNELS: &[(&str, Language)] = &[
    ("vector_add", Language::CudaTile),
    ("transpose", Language::CudaTile),
    ("product", Language::CudaTile),
    ("attention", Language::CudaTile),
    ("product_warpgroups", Language::Scheduled),
    ("product_persistent", Language::Scheduled),
    ("attention_warpgroups", Language::Scheduled),
    ("product_fp8", Language::Scheduled),
    ("product_pingpong", Language::Scheduled),
    ("product_multicast", Language::Scheduled),
    ("maps_of_the_host", Language::Scheduled),
];

/// The folder of a kernel's texts.
fn folder(kernel: &str) -> PathBuf {
    golden().join("ladder").join(kernel)
}

/// The languages that a program in a language goes through.
fn rungs(first: Language) -> impl Iterator<Item = Language> {
    let all = Language::ALL.iter().copied();
    all.filter(move |language| leads(first, *language))
}

/// The name of a kernel's text in a language.
fn name(language: Language) -> String {
    let rung = rungs(Language::CudaTile).position(|other| other == language);
    let rung = rung.expect("a language that cuda_tile leads to");
    format!("{rung}.{language}")
}

/// The example that a ladder starts from.
fn example(kernel: &str, first: Language) -> Vec<u8> {
    let path = match first {
        Language::CudaTile => format!("examples/bytecode/{kernel}.13.5.tileirbc"),
        first => format!("examples/{first}/{kernel}.{first}"),
    };
    fs::read(repository().join(path)).expect("the example exists")
}

/// The text of a file in a language.
fn compiled(name: &str, bytes: &[u8], language: Language) -> String {
    hinted(name, bytes, HintOverrides::default(), language)
}

/// The text of a file in a language, with these hints.
fn hinted(name: &str, bytes: &[u8], hints: HintOverrides, language: Language) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source(name, bytes);
    let options = compiler.options(Request {
        hints,
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
    for &(kernel, first) in KERNELS {
        let bytes = example(kernel, first);
        beside(&folder(kernel)).bind(|| {
            for language in rungs(first) {
                insta::assert_snapshot!(name(language), compiled(kernel, &bytes, language));
            }
        });
    }
}

#[test]
fn every_text_of_a_ladder_compiles_to_the_same_ptx() {
    for &(kernel, first) in KERNELS {
        let want = compiled(kernel, &example(kernel, first), Language::Ptx);
        for language in rungs(first) {
            let path = folder(kernel).join(format!("{}.snap", name(language)));
            let bytes = fs::read(&path).expect("every rung");
            let name = path.display().to_string();
            let made = compiled(&name, &bytes, Language::Ptx);
            assert!(made == want, "{name} leads to other PTX:\n{made}");
        }
    }
}

#[test]
fn every_text_of_a_kernel_with_hints_compiles_to_the_same_ptx() {
    let mut hints = HintOverrides::default();
    for (name, value) in [
        ("num_cta_in_cga", "2"),
        ("num_worker_warps_per_cta", "4"),
        ("occupancy", "2"),
    ] {
        hints.set(name, value).expect("a hint");
    }
    let kernels = KERNELS.iter().filter(|(_, first)| *first == Language::CudaTile);
    for &(kernel, first) in kernels {
        let bytes = example(kernel, first);
        let want = hinted(kernel, &bytes, hints, Language::Ptx);
        assert!(
            want.contains(".reqnctapercluster 2"),
            "{kernel} has no clusters:\n{want}"
        );
        for language in rungs(first).skip(1) {
            let text = hinted(kernel, &bytes, hints, language);
            let made = compiled(language.name(), text.as_bytes(), Language::Ptx);
            assert!(made == want, "{kernel} in {language} leads to other PTX:\n{made}");
        }
    }
}

#[test]
fn a_ladder_has_one_text_for_each_language() {
    for &(kernel, first) in KERNELS {
        let mut files: Vec<_> = fs::read_dir(folder(kernel))
            .expect("the ladder exists")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| !name.ends_with(".snap.new"))
            .collect();
        files.sort();
        let want: Vec<_> = rungs(first)
            .map(|language| format!("{}.snap", name(language)))
            .collect();
        assert_eq!(files, want, "{kernel}");
    }
}
