//! The lines of the source files that debug information names, as far as they are found.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Size limit of source files, in bytes; larger ones are not shown.
const LARGEST: u64 = 16 << 20;

/// Source files, read on first use.
pub(super) struct SourceLines {
    folders: Vec<PathBuf>,
    files: BTreeMap<String, Option<Vec<String>>>,
}

impl SourceLines {
    /// Searches the given folders, the current one, that of the input file and its parents. `text` is the input itself, which
    /// is not read again.
    pub(super) fn new(asked: &[PathBuf], input: &Path, name: &str, text: &[u8]) -> Self {
        let mut folders = asked.to_vec();
        folders.push(PathBuf::from("."));
        let whole = input.canonicalize().unwrap_or_else(|_| input.to_owned());
        folders.extend(whole.ancestors().skip(1).map(Path::to_owned));
        let own = std::str::from_utf8(text).ok().map(lines);
        Self {
            folders,
            files: BTreeMap::from([(name.to_owned(), own)]),
        }
    }

    /// The text of a line, counted from 1.
    pub(super) fn line(&mut self, path: &str, line: u32) -> Option<String> {
        let folders = &self.folders;
        let file = self
            .files
            .entry(path.to_owned())
            .or_insert_with(|| folders.iter().find_map(|folder| read(&folder.join(path))));
        let at = usize::try_from(line).ok()?.checked_sub(1)?;
        file.as_ref()?.get(at).cloned()
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// A file's lines; none for what is not a text file, or too long.
fn read(path: &Path) -> Option<Vec<String>> {
    // Opening a pipe or a device could block.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path)
        .ok()?
        .take(LARGEST)
        .read_to_string(&mut text)
        .ok()?;
    Some(lines(&text))
}
