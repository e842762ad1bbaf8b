//! Every example file is read, verified and round-tripped through bytecode.

use std::path::PathBuf;

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode::{Bytecode, read, write, write_arranged};
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

#[test]
fn examples_keep_their_bytes_when_written_again() {
    for (name, bytes) in examples() {
        let found = must_read(&name, &bytes);
        let again = write_arranged(
            &found.module,
            &found.debug,
            found.module.version,
            &found.arrangement,
        );
        assert!(again.as_ref() == Ok(&bytes), "{name}");
    }
}

/// Splits a file into its header and each section's number, alignment and contents.
fn sections(bytes: &[u8]) -> (&[u8], Vec<(u8, Vec<u8>)>) {
    fn varint(bytes: &[u8], at: &mut usize) -> usize {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = bytes[*at];
            *at += 1;
            value |= usize::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }
    let (mut at, mut list) = (12, Vec::new());
    while bytes[at] != 0 {
        let id = bytes[at];
        at += 1;
        let length = varint(bytes, &mut at);
        if id & 0x80 != 0 {
            let alignment = varint(bytes, &mut at);
            at = at.next_multiple_of(alignment);
        }
        list.push((id & 0x7F, bytes[at..at + length].to_vec()));
        at += length;
    }
    (&bytes[..12], list)
}

/// Assembles a file from sections, each aligned to `alignment`.
fn assembled(header: &[u8], sections: &[(u8, Vec<u8>)], alignment: u8) -> Vec<u8> {
    let mut file = header.to_vec();
    for (id, contents) in sections {
        file.push(id | 0x80);
        let mut length = contents.len();
        while length >= 0x80 {
            file.push((length & 0x7F) as u8 | 0x80);
            length >>= 7;
        }
        file.extend([length as u8, alignment]);
        file.resize(file.len().next_multiple_of(alignment.into()), 0xCB);
        file.extend(contents);
    }
    file.push(0);
    file
}

#[test]
fn the_order_and_the_alignment_of_sections_are_kept() {
    for (name, bytes) in examples().into_iter().step_by(7) {
        let (header, mut parts) = sections(&bytes);
        assert!(parts.len() > 4, "{name}");
        parts.reverse();
        let file = assembled(header, &parts, 32);
        let found = must_read(&name, &file);
        assert_eq!(found.module, must_read(&name, &bytes).module, "{name}");
        let again = write_arranged(
            &found.module,
            &found.debug,
            found.module.version,
            &found.arrangement,
        );
        assert!(again.as_ref() == Ok(&file), "{name}");
    }
}

#[test]
fn missing_entries_of_a_changed_module_are_added_to_its_tables() {
    let (name, bytes) = examples().into_iter().next().expect("an example");
    let mut found = must_read(&name, &bytes);
    found.module.producer = Some("a string that the file has not".to_owned());
    let written = write_arranged(
        &found.module,
        &found.debug,
        found.module.version,
        &found.arrangement,
    );
    let again = must_read(&name, &written.expect("nothing newer"));
    assert_eq!(again.module, found.module);
    assert_eq!(again.debug, found.debug);
}
