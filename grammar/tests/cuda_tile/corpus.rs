//! Every file of the corpus, compared byte for byte.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode::{read, write};
use tilewright_grammar::cuda_tile::{TileParsed, parse_tile_text};
use tilewright_irs::cuda_tile::{TileOp, Version, print_tile_module, verify_module};

/// The texts of a folder, with and without locations.
fn texts_in(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut texts: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "mlir"))
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect();
    texts.sort();
    texts
}

/// The texts of the example kernels.
pub(crate) fn texts() -> Vec<(PathBuf, String)> {
    let texts = texts_in("../tests/data/disasm");
    assert!(texts.len() > 50);
    texts
}

/// Texts made for forms that the example kernels lack: what the disassembler printed of bytecode with them.
pub(crate) fn made_texts() -> Vec<(PathBuf, String)> {
    let texts = texts_in("tests/cuda_tile/disassembled");
    assert!(!texts.is_empty());
    texts
}

/// Parses a text that has no mistake.
pub(crate) fn good(text: &str) -> TileParsed {
    let parsed = parse_tile_text(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    parsed
}

/// The first line that differs.
fn difference(printed: &str, expected: &str) -> String {
    let lines = printed.lines().zip(expected.lines()).enumerate();
    for (number, (printed, expected)) in lines {
        if printed != expected {
            return format!("line {}\n  printed  {printed}\n  expected {expected}", number + 1);
        }
    }
    format!(
        "{} lines printed, {} expected",
        printed.lines().count(),
        expected.lines().count()
    )
}

#[test]
fn what_the_disassembler_prints_prints_the_same() {
    let mut wrong = Vec::new();
    for (path, text) in texts().into_iter().chain(made_texts()) {
        let parsed = parse_tile_text(&text, FileId(0));
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Some(problem) = parsed.diagnostics.first() {
            let at = problem
                .primary
                .as_ref()
                .map(|label| label.at.start as usize)
                .unwrap_or(0);
            let line = text[..at].lines().count();
            wrong.push(format!("{name}:{line}: {}", problem.message));
            continue;
        }
        let debug = name.contains(".debug.").then_some(&parsed.debug);
        let printed = print_tile_module(&parsed.module, debug);
        if printed != text {
            wrong.push(format!("{name}: {}", difference(&printed, &text)));
        }
    }
    assert!(wrong.is_empty(), "{} files\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_printed_reads_back_equal() {
    for (path, text) in texts().into_iter().chain(made_texts()) {
        let first = good(&text);
        let again = good(&print_tile_module(&first.module, Some(&first.debug)));
        assert_eq!(again.module, first.module, "{}", path.display());
        let places = |parsed: &TileParsed| {
            let funcs = parsed.debug.funcs.iter().enumerate();
            funcs
                .flat_map(|(func, locations)| locations.ops.iter().map(move |id| (func, *id)))
                .map(|(func, id)| (func, id.map(|id| parsed.debug.chain(id))))
                .collect::<Vec<_>>()
        };
        assert_eq!(places(&again), places(&first), "{}", path.display());
    }
}

#[test]
fn the_corpus_is_well_formed() {
    for (path, text) in texts().into_iter().chain(made_texts()) {
        let parsed = good(&text);
        if let Err(problems) = verify_module(&parsed.module) {
            panic!("{}: {:#?}", path.display(), problems);
        }
    }
}

/// The bytecode of the examples, each with the text of the same name.
fn examples() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/bytecode");
    let paths = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.extension().is_some_and(|extension| extension == "tileirbc"));
    files
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

#[test]
fn bytecode_prints_what_the_disassembler_prints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/disasm");
    let mut compared = 0;
    let mut wrong = Vec::new();
    for (name, bytes) in examples() {
        let found = read(&bytes, FileId(0)).unwrap();
        for (file, debug) in [
            (format!("{name}.mlir"), None),
            (format!("{name}.debug.mlir"), Some(&found.debug)),
        ] {
            let Ok(expected) = std::fs::read_to_string(folder.join(&file)) else {
                continue;
            };
            let printed = print_tile_module(&found.module, debug);
            compared += 1;
            if printed != expected {
                wrong.push(format!("{file}: {}", difference(&printed, &expected)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} files\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(compared, texts().len());
}

#[test]
fn bytecode_reads_back_from_its_text() {
    for (name, bytes) in examples() {
        let mut module = read(&bytes, FileId(0)).unwrap().module;
        // The text does not say the version.
        module.version = Version::LATEST;
        let parsed = good(&print_tile_module(&module, None));
        assert_eq!(parsed.module, module, "{name}");
    }
}

#[test]
fn every_op_is_in_the_made_texts() {
    // Preview content has texts of its own.
    let public = TileOp::tile_specs().filter(|spec| !spec.is_preview());
    let mut missing: BTreeSet<&str> = public.map(|spec| spec.name).collect();
    for (_, text) in made_texts() {
        for func in &good(&text).module.funcs {
            for op in func.body.walk() {
                missing.remove(func.body.op(op).kind.tile_spec().name);
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn made_texts_survive_bytecode() {
    for (path, text) in made_texts() {
        let parsed = good(&text);
        let bytes = write(&parsed.module, &parsed.debug, Version::LATEST).unwrap();
        let found = read(&bytes, FileId(0)).unwrap();
        assert_eq!(found.module, parsed.module, "{}", path.display());
        let debug = path.to_string_lossy().contains(".debug.").then_some(&found.debug);
        let printed = print_tile_module(&found.module, debug);
        assert!(
            printed == text,
            "{}: {}",
            path.display(),
            difference(&printed, &text)
        );
    }
}
