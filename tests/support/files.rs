//! Paths of the test files, relative to the repository root.

use std::fs;
use std::path::{Path, PathBuf};

/// The repository root.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
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

/// Every valid file in any language: goldens, bytecode, disassembly. Sorted, with contents.
///
/// # Panics
/// If a file cannot be read.
pub fn corpus() -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in ["golden", "examples/bytecode", "tests/data/disasm"] {
        below(&repository().join(folder), &mut files);
    }
    // Excludes the tests of the golden texts, texts pending review, and lives of attributes, which are in no language.
    files.retain(|file| {
        let extension = file.extension().and_then(|extension| extension.to_str());
        !matches!(extension, Some("rs" | "new")) && !file.to_string_lossy().ends_with(".life.snap")
    });
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, bytes)
    };
    files.into_iter().map(read).collect()
}
