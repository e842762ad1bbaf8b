//! Finds the functions of the files in a folder by name. Files are scanned for functions, and not parsed.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::units::Language;

/// How many files of a folder are searched: a folder with more is not one of kernels.
const MOST_FILES: usize = 2000;

/// How many entries of a folder are visited.
const MOST_ENTRIES: usize = 50_000;

/// The largest file that is searched, in bytes.
const LARGEST: u64 = 4 << 20;

/// Folders of build outputs and installed packages, which are not searched.
const NOT_SEARCHED: [&str; 3] = ["target", "node_modules", "__pycache__"];

/// A file with functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The names of its functions, and the bytes of each name.
    pub functions: Vec<(String, Range<usize>)>,
}

/// The files of a folder with a function whose name contains `query`, which is in lower case.
pub fn files(folder: &Path, query: &str) -> Vec<File> {
    let searched = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !name.starts_with('.') && !NOT_SEARCHED.contains(&name.as_ref())
    };
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
    let entries = entries.filter_entry(searched).take(MOST_ENTRIES).flatten();
    let files = entries.filter(|entry| entry.file_type().is_file());
    let known = files.filter_map(|entry| {
        let language = Language::of_file_name(entry.file_name().to_str()?)?;
        Some((language, entry.into_path()))
    });
    let read = known.take(MOST_FILES).filter_map(|(language, path)| {
        let file = file(path, language, query)?;
        (!file.functions.is_empty()).then_some(file)
    });
    read.collect()
}

fn file(path: PathBuf, language: Language, query: &str) -> Option<File> {
    let about = fs::metadata(&path).ok()?;
    if about.len() > LARGEST {
        return None;
    }
    let text = fs::read_to_string(&path).ok()?;
    let cut = tilewright_grammar::cut(language.name(), &text)?;
    let functions = cut.functions.iter().filter_map(|piece| {
        // `@name`, `@"name"` or, in PTX, `name`.
        let name = piece.name.trim_start_matches('@').trim_matches('"');
        if !name.to_lowercase().contains(query) {
            return None;
        }
        let within = text.get(piece.at.clone())?.find(piece.name)?;
        let start = piece.at.start + within + piece.name.find(name)?;
        Some((name.to_owned(), start..start + name.len()))
    });
    let functions = functions.collect();
    Some(File {
        path,
        functions,
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_a_part_of_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it is there");
            fs::write(path, text).expect("it is written");
        };
        let text = "entry @Sum_rows() {\n  return\n}\nentry @other() {\n  return\n}\n";
        write("a.cuda_tile", text);
        write("inner/b.tile.mlir", text);
        write("c.tileas", "tileas.func @sum() {} body {\n}\n");
        write("d.mlir", text);
        write(".git/e.cuda_tile", text);
        write("target/f.cuda_tile", text);
        let found = files(folder.path(), "sum");
        let names: Vec<_> = found
            .iter()
            .map(|file| {
                let (name, at) = &file.functions[0];
                assert_eq!(&file.text[at.clone()], name);
                let path = file.path.strip_prefix(folder.path()).expect("it is within");
                (
                    path.to_str().expect("a name"),
                    name.as_str(),
                    file.functions.len(),
                )
            })
            .collect();
        assert_eq!(
            names,
            [
                ("a.cuda_tile", "Sum_rows", 1),
                ("c.tileas", "sum", 1),
                ("inner/b.tile.mlir", "Sum_rows", 1),
            ]
        );
    }
}
