//! The text of the page, and the last text that could be compiled, which is shown while the current one cannot.

use crate::database::Compiler;
use crate::ide::functions::{Function, functions};
use crate::ide::moved_lines::MovedLines;
use crate::inputs::{Request, Source};

/// The text of the page, and the last good one.
pub(super) struct Texts {
    /// The page's text.
    pub(super) now: Source,
    /// The database input for the last good text, which is set only when it is needed.
    pub(super) good: Source,
    /// The last text without errors, if there was one.
    last_good: Option<Vec<u8>>,
}

/// The text whose stages are shown.
pub(super) struct Shown {
    /// The text.
    pub(super) source: Source,
    /// The map from its lines to those of the page's text, if the two differ.
    pub(super) moved: Option<MovedLines>,
}

impl Shown {
    /// The line of the page's text that a line of this text corresponds to. A changed line between two unchanged ones corresponds
    /// to the changed line.
    pub(super) fn line(&self, line: u32) -> Option<u32> {
        let Some(moved) = &self.moved else {
            return Some(line);
        };
        moved.new_line(line).or_else(|| {
            let before = moved.new_line(line.checked_sub(1)?)?;
            let after = moved.new_line(line + 1)?;
            (after == before + 2).then_some(before + 1)
        })
    }
}

impl Texts {
    pub(super) fn new(db: &mut Compiler, name: &str, bytes: Vec<u8>, request: Request) -> Self {
        Self {
            now: db.add_source_with(name, bytes, request.preview),
            good: db.add_source_with(name, Vec::new(), request.preview),
            last_good: None,
        }
    }

    /// Takes the page's text.
    pub(super) fn edit(&mut self, db: &mut Compiler, bytes: &[u8]) {
        if self.now.bytes(db) != bytes {
            db.edit(self.now, bytes);
        }
    }

    /// The page's text if `compiles` holds for it, else the last text for which it did, if there is one.
    pub(super) fn shown(&mut self, db: &mut Compiler, compiles: impl Fn(&Compiler, Source) -> bool) -> Shown {
        if compiles(db, self.now) {
            let bytes = self.now.bytes(db);
            if self.last_good.as_deref() != Some(bytes) {
                self.last_good = Some(bytes.to_vec());
            }
        } else if let Some(last) = &self.last_good {
            if self.good.bytes(db) != last {
                db.edit(self.good, last.clone());
            }
            if compiles(db, self.good) {
                let text = |source: Source| String::from_utf8_lossy(source.bytes(db)).into_owned();
                return Shown {
                    source: self.good,
                    moved: Some(MovedLines::between(&text(self.good), &text(self.now))),
                };
            }
        }
        Shown {
            source: self.now,
            moved: None,
        }
    }
}

/// The function that is asked for: the one of this name, else the one at this place, else the first.
pub(super) fn function<'db>(
    db: &'db Compiler,
    source: Source,
    name: Option<&str>,
    at: usize,
) -> Option<Function<'db>> {
    let all = functions(db, source);
    let named = all.iter().find(|function| Some(function.name) == name);
    named.or(all.get(at)).or(all.first()).copied()
}
