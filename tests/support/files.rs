//! The files that tests read, found from the repository's root.

use std::fs;
use std::path::{Path, PathBuf};

/// The repository's root.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// One golden case: the input of a pass and its expected output, side by side.
#[derive(Clone, Debug)]
pub struct Golden {
    /// The pass, as the pipeline names it.
    pub pass: String,
    /// The languages that the folder's name says: one for a pass within a language, two for a boundary.
    pub place: String,
    /// The case.
    pub case: String,
    /// The input file.
    pub input: PathBuf,
    /// The language of the output file, from its name; the file may be missing.
    pub outputs: Vec<PathBuf>,
}

/// Every file below a folder, sorted.
fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            below(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// Every golden case, sorted.
///
/// # Panics
/// When a folder or a file is not named as it must be.
pub fn goldens() -> Vec<Golden> {
    let mut files = Vec::new();
    below(&repository().join("golden"), &mut files);
    // Ladders are whole kernels, not the input and output of one pass.
    let ladders = repository().join("golden/ladder");
    files.retain(|file| !file.starts_with(&ladders));
    let mut goldens = Vec::new();
    for input in &files {
        let name = input
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let Some((case, _)) = name.split_once(".in.") else {
            assert!(
                name.contains(".out.") || name.ends_with(".md"),
                "{}: neither input nor output",
                input.display()
            );
            continue;
        };
        let folder = input.parent().unwrap_or(input);
        let place = folder
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let Some((place, pass)) = place.split_once('.') else {
            panic!(
                "{}: a folder of golden files is named PLACE.PASS",
                folder.display()
            );
        };
        let prefix = format!("{case}.out.");
        let is_output = |file: &&PathBuf| {
            file.parent() == Some(folder)
                && file
                    .file_name()
                    .and_then(|name| name.to_str())
                    .is_some_and(|name| name.starts_with(&prefix))
        };
        goldens.push(Golden {
            pass: pass.to_owned(),
            place: place.to_owned(),
            case: case.to_owned(),
            input: input.clone(),
            outputs: files.iter().filter(is_output).cloned().collect(),
        });
    }
    goldens
}

/// Every valid file in any language: goldens, bytecode, disassembly. Sorted, with contents.
///
/// # Panics
/// When a file cannot be read.
pub fn corpus() -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in ["golden", "examples/bytecode", "tests/data/disasm"] {
        below(&repository().join(folder), &mut files);
    }
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, bytes)
    };
    files.into_iter().map(read).collect()
}
