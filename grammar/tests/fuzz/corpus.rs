//! Seeds of mutants: the examples, the rules' modules, and the corpus of earlier runs.

use std::fs;
use std::path::{Path, PathBuf};

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode;
use tilewright_irs::cuda_tile::{DebugInfo, Version, print_tile_module, print_tile_module_generic};

use super::targets::Target;
use crate::preview::{self, parse_tile_text};

/// The size limit of inputs, so that a run covers many.
pub(crate) const MAX_INPUT: usize = 16 << 10;

/// The size limit of printed examples, which take long relative to their size.
const MAX_FORM: usize = 3 << 10;

/// A folder of the repository, located at the build path unless `TILEWRIGHT_CHECKOUT` is set.
pub(crate) fn folder(name: &str) -> PathBuf {
    let built = || concat!(env!("CARGO_MANIFEST_DIR"), "/..").into();
    std::env::var_os("TILEWRIGHT_CHECKOUT")
        .map_or_else(built, PathBuf::from)
        .join(name)
}

/// The files of a folder whose names satisfy a predicate, sorted by name.
pub(crate) fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.retain(|path| {
        path.file_name()
            .is_some_and(|name| wanted(&name.to_string_lossy()))
    });
    paths
        .into_iter()
        .map(|path| fs::read(path).expect("a file"))
        .collect()
}

/// A module of the rule files; long ones in pieces, each with the shared values.
fn pieces(text: &str) -> Vec<Vec<u8>> {
    let lines: Vec<&str> = text.lines().collect();
    let numbered = lines
        .iter()
        .position(|line| line.starts_with("  %_"))
        .unwrap_or(lines.len());
    let (head, rest) = lines.split_at(numbered);
    if rest.len() < 20 {
        return vec![text.as_bytes().to_vec()];
    }
    let piece = |rest: &[&str]| format!("{}\n{}\n}}\n", head.join("\n"), rest.join("\n")).into_bytes();
    rest[..rest.len() - 1].chunks(12).map(piece).collect()
}

/// The initial seeds of a target.
pub(crate) fn seeds(target: Target) -> Vec<Vec<u8>> {
    let mut seeds = match target {
        Target::Bytecode => {
            let examples = files(&folder("examples/bytecode"), |name| name.ends_with(".tileirbc"));
            let all_ops = files(&folder("grammar/tests/data"), |name| name.ends_with(".tileirbc"));
            let bare = examples.iter().filter_map(|bytes| {
                let read = preview::read(bytes, FileId(0)).ok()?;
                bytecode::write(&read.module, &DebugInfo::default(), read.module.version).ok()
            });
            let bare: Vec<_> = bare.collect();
            let texts = seeds(Target::Text).into_iter().filter_map(|text| {
                let parsed = parse_tile_text(std::str::from_utf8(&text).ok()?, FileId(0));
                bytecode::write(&parsed.module, &parsed.debug, Version::LATEST).ok()
            });
            let texts: Vec<_> = texts.collect();
            [examples, all_ops, bare, texts].concat()
        }
        Target::Text => {
            let printed = files(&folder("grammar/tests/cuda_tile/disassembled"), |_| true);
            let all_ops = files(&folder("grammar/tests/data"), |name| name.ends_with(".mlir"));
            let rules = files(&folder("grammar/tests/verifier/rules"), |_| true);
            let modules = rules.iter().flat_map(|text| {
                let text = std::str::from_utf8(text).expect("a text");
                text.split("// -----\n").flat_map(pieces)
            });
            let examples = files(&folder("examples/bytecode"), |name| {
                name.ends_with(".13.5.tileirbc")
            });
            let forms = examples.iter().flat_map(|bytes| {
                let read = preview::read(bytes, FileId(0)).ok();
                read.into_iter().flat_map(|read| {
                    [
                        print_tile_module(&read.module, None),
                        print_tile_module(&read.module, Some(&read.debug)),
                        print_tile_module_generic(&read.module),
                    ]
                })
            });
            let forms = forms
                .map(String::into_bytes)
                .filter(|text| text.len() <= MAX_FORM);
            printed
                .into_iter()
                .chain(all_ops)
                .chain(modules)
                .chain(forms)
                .collect()
        }
    };
    seeds.extend(files(&folder("grammar/tests/fuzz/corpus"), |name| {
        name.starts_with(target.name())
    }));
    seeds.retain(|seed| seed.len() <= MAX_INPUT);
    seeds
}
