//! Printing and parsing are inverse: over every valid file in any language.

use tilewright::{Compiler, Language, Request, joins, reading};
use tilewright_tests::corpus;

/// A file printed in its own language, without any pass.
fn printed(name: &str, bytes: &[u8]) -> (Compiler, tilewright::Source, String) {
    let mut compiler = Compiler::new();
    let source = compiler.add_source(name, bytes);
    let parsed = reading::parse(&compiler, source);
    assert!(parsed.diagnostics.is_empty(), "{name}: {:#?}", parsed.diagnostics);
    let stages: Vec<_> = parsed
        .kernels
        .iter()
        .map(|kernel| kernel.body(&compiler).clone())
        .collect();
    let text =
        joins::print_stages(&stages, name, bytes).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
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
            parsed
                .kernels
                .iter()
                .map(|kernel| kernel.body(compiler).clone())
                .collect()
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

#[test]
fn the_text_of_every_stage_compiles_to_the_same_ptx() {
    for (path, bytes) in corpus() {
        let name = path.display().to_string();
        let mut compiler = Compiler::new();
        let source = compiler.add_source(&name, bytes);
        let options = compiler.options(Request::default());
        let Some(first) = reading::parse(&compiler, source).language else {
            panic!("{name}: no language");
        };
        let (Some(want), _) = joins::compile(&compiler, source, options, Language::Ptx) else {
            continue;
        };
        for &language in Language::ALL.iter().filter(|language| **language > first) {
            let (Some(text), said) = joins::compile(&compiler, source, options, language) else {
                panic!("{name}: no {language}");
            };
            assert!(said.is_empty(), "{name}: {said:#?}");
            let stage = compiler.add_source(format!("{name} as {language}"), text.as_bytes());
            let (made, said) = joins::compile(&compiler, stage, options, Language::Ptx);
            assert_eq!(made.as_deref(), Some(&*want), "{name} from {language}: {said:#?}");
        }
    }
}
