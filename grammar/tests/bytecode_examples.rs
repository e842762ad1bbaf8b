//! Every example file reads, verifies, and reads the same after it was written again.

use std::path::PathBuf;

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode::{Bytecode, read, write};
use tilewright_irs::cuda_tile::{Version, verify_module};

fn examples() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/bytecode");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "tileirbc"))
        .collect();
    files.sort();
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    files
        .iter()
        .map(|path| (name(path), std::fs::read(path).expect("a file")))
        .collect()
}

fn must_read(name: &str, bytes: &[u8]) -> Bytecode {
    read(bytes, FileId(0)).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"))
}

#[test]
fn examples_are_read_and_verified() {
    let examples = examples();
    assert!(examples.len() > 50, "{}", examples.len());
    for (name, bytes) in examples {
        let found = must_read(&name, &bytes);
        assert!(!found.module.funcs.is_empty(), "{name}");
        if let Err(problems) = verify_module(&found.module) {
            panic!("{name}: {problems:#?}");
        }
        for (func, offsets) in found.module.funcs.iter().zip(&found.offsets) {
            assert_eq!(
                func.body,
                func.body.clone().with_own_origins(),
                "{name}: numbered in textual order"
            );
            assert_eq!(func.body.op_count(), offsets.ops.len(), "{name}");
        }
    }
}

#[test]
fn examples_read_the_same_after_writing() {
    for (name, bytes) in examples() {
        let found = must_read(&name, &bytes);
        for &version in Version::ALL.iter().filter(|&&v| v >= found.module.version) {
            let written = match write(&found.module, &found.debug, version) {
                Ok(written) => written,
                Err(problems) => panic!("{name} as {version}: {problems:#?}"),
            };
            let mut again = must_read(&name, &written);
            assert_eq!(again.module.version, version);
            again.module.version = found.module.version;
            assert_eq!(again.module, found.module, "{name} as {version}");
            assert_eq!(again.debug, found.debug, "{name} as {version}");
        }
    }
}

#[test]
fn debug_locations_point_into_the_source() {
    let (name, bytes) = examples()
        .into_iter()
        .find(|(name, _)| name == "vector_add.13.4.tileirbc")
        .expect("vector_add");
    let found = must_read(&name, &bytes);
    let known = found.module.funcs[0].body.walk();
    let places: Vec<_> = known
        .iter()
        .filter_map(|&op| found.debug.location(0, found.module.funcs[0].body.op(op).origin))
        .collect();
    assert!(
        !places.is_empty()
            && places
                .iter()
                .all(|place| place.file.ends_with(".py") && place.line > 0)
    );
}
