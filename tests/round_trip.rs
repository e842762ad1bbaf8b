//! Parsing inverts printing, for every valid file in any language.

use std::sync::Arc;

use rayon::prelude::*;
use tilewright::pipeline::leads;
use tilewright::printing::print_stages;
use tilewright::{Compiler, Language, Request, Source, Stage, TileKernel, joins, reading};
use tilewright_diagnostics::{Code, Severity};
use tilewright_irs::cuda_tile::{TileModule, Version};
use tilewright_irs::ptx::Target;
use tilewright_tests::corpus;

/// Prints a file in its own language, without any pass.
fn printed(name: &str, bytes: &[u8]) -> (Compiler, Source, String) {
    let mut compiler = Compiler::new();
    let source = compiler.add_source(name, bytes);
    let parsed = reading::parse(&compiler, source);
    assert!(parsed.diagnostics.is_empty(), "{name}: {:#?}", parsed.diagnostics);
    let stages: Vec<_> = parsed
        .kernels
        .iter()
        .map(|kernel| kernel.body(&compiler).clone())
        .collect();
    let text = print_stages(&stages, parsed.module.as_deref())
        .unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
    (compiler, source, text)
}

#[test]
fn what_is_printed_reads_back_as_what_was_printed() {
    let mut seen = std::collections::BTreeSet::new();
    for (path, bytes) in corpus() {
        let name = path.display().to_string();
        let (first, source, text) = printed(&name, &bytes);
        let (second, again, text_again) = printed(&name, text.as_bytes());
        assert_eq!(
            text, text_again,
            "{name}: printing what was read gives another text"
        );
        let bodies = |compiler: &Compiler, source| -> Vec<_> {
            let parsed = reading::parse(compiler, source);
            let bodies = parsed.kernels.iter().map(|kernel| kernel.body(compiler).clone());
            bodies.map(without_version).collect()
        };
        let (a, b) = (bodies(&first, source), bodies(&second, again));
        assert_eq!(a, b, "{name}: reading what was printed gives another program");
        seen.extend(reading::parse(&first, source).language);
    }
    let missing: Vec<_> = Language::ALL
        .iter()
        .filter(|language| !seen.contains(language))
        .collect();
    assert!(missing.is_empty(), "no files in {missing:?}");
}

/// The text of `cuda_tile` does not contain the bytecode version.
fn without_version(stage: Stage) -> Stage {
    match stage {
        Stage::CudaTile(kernel) => {
            let mut kernel = TileKernel::clone(&kernel);
            let mut module = TileModule::clone(&kernel.module);
            module.version = Version::LATEST;
            kernel.module = Arc::new(module);
            Stage::CudaTile(Arc::new(kernel))
        }
        other => other,
    }
}

/// Compiles one file of so many to each later language and from there to PTX; both ways have to give the same PTX.
fn through_every_language(request: Request, one_of: usize) {
    let files = corpus().into_par_iter().step_by(one_of);
    // The other bytecode versions and the disassembly contain the same kernels.
    let files = files.filter(|(path, _)| {
        let name = path.display().to_string();
        path.extension().is_none_or(|end| end != "mlir")
            && (!name.contains(".13.") || name.contains(".13.5."))
    });
    let ways: usize = files
        .map(|(path, bytes)| from_every_language(&path.display().to_string(), &bytes, request))
        .sum();
    assert!(ways > 100, "{ways}");
}

/// The same for a file; returns the number of languages.
fn from_every_language(name: &str, bytes: &[u8], request: Request) -> usize {
    let mut compiler = Compiler::new();
    let source = compiler.add_source(name, bytes);
    let mut options = compiler.options(request);
    let Some(first) = reading::parse(&compiler, source).language else {
        panic!("{name}: no language");
    };
    let (mut want, mut said) = joins::compile(&compiler, source, options, Language::Ptx);
    if said.iter().any(|one| one.code == Code::TargetLacksFeature) {
        options = compiler.options(Request {
            target: Some(Target::sm_a(100)),
            ..request
        });
        (want, said) = joins::compile(&compiler, source, options, Language::Ptx);
    }
    let Some(want) = want else {
        let not_yet = [
            Code::UnsupportedOp,
            Code::UnsupportedType,
            Code::UnsupportedFeature,
        ];
        let mut errors = said.iter().filter(|one| one.severity == Severity::Error);
        assert!(errors.all(|one| not_yet.contains(&one.code)), "{name}: {said:#?}");
        return 0;
    };
    let later = Language::ALL
        .iter()
        .filter(|language| **language != first && leads(first, **language));
    let later: Vec<Language> = later.copied().collect();
    for (at, &language) in later.iter().enumerate() {
        let (Some(text), said) = joins::compile(&compiler, source, options, language) else {
            panic!("{name}: no {language}");
        };
        assert!(
            said.iter().all(|one| one.severity != Severity::Error),
            "{name}: {said:#?}"
        );
        let stage = compiler.add_source(format!("{name} as {language}"), text.as_bytes());
        // The text of the next language, which this one leads to as well, is compiled in its turn.
        let meets = later.get(at + 1).is_some_and(|&next| {
            let text = |source| joins::compile(&compiler, source, options, next).0;
            text(source) == text(stage)
        });
        if !meets {
            let (made, said) = joins::compile(&compiler, stage, options, Language::Ptx);
            let same = made.as_deref() == Some(&*want);
            assert!(same, "{name} from {language} gives other PTX; said: {said:#?}");
        }
    }
    later.len()
}

#[test]
fn the_text_of_every_stage_compiles_to_the_same_ptx() {
    through_every_language(Request::default(), 2);
}

#[test]
fn without_optimisation_the_text_of_every_stage_compiles_to_the_same_ptx() {
    let request = Request {
        opt_level: 0,
        ..Request::default()
    };
    // The passes that this leaves out change programs, not texts: a smaller part of the files shows as much.
    through_every_language(request, 6);
}

#[test]
fn kernels_of_a_file_share_its_variables() {
    let text = ".version 7.1\n.target sm_80\n.address_size 64\n.global .align 4 .b8 cell[4];\n\
                .global .align 4 .b8 other[8];\n.visible .entry a()\n{\nret;\n}\n.visible .entry b()\n{\nret;\n}\n";
    let (_, _, text) = printed("two.ptx", text.as_bytes());
    for part in [".version 7.1", "cell[4]", "other[8]", ".entry a(", ".entry b("] {
        assert_eq!(text.matches(part).count(), 1, "{part} in\n{text}");
    }
}
