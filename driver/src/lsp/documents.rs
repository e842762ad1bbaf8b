//! The documents that the editor has open.

use std::sync::Arc;

use lsp_types::{TextDocumentContentChangeEvent, Uri};
use rustc_hash::FxHashMap;

use super::convert;
use crate::database::Compiler;
use crate::ide::lines::{Encoding, Lines};
use crate::inputs::Source;

/// An open document.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// The text as the editor has it.
    pub(super) text: String,
    /// Its lines.
    pub(super) lines: Arc<Lines>,
    /// The editor's number of that text.
    pub(super) version: i32,
    /// The file in the database.
    pub(super) source: Source,
    /// Whether the text has changed since the database last saw it.
    dirty: bool,
    /// The number of the text whose problems the editor has been told.
    told: Option<i32>,
}

/// The open documents, and the files of those that were.
#[derive(Debug, Default)]
pub(super) struct Documents {
    open: FxHashMap<String, Document>,
    /// Files of the database by the document that they were made for; one that is opened again has the same.
    sources: FxHashMap<String, Source>,
}

impl Documents {
    pub(super) fn open(&mut self, db: &mut Compiler, uri: &Uri, text: String, version: i32) {
        let key = uri.as_str().to_owned();
        let source = match self.sources.get(&key) {
            Some(&source) => {
                db.edit(source, text.as_bytes());
                source
            }
            None => {
                let source = db.add_source(key.clone(), text.as_bytes());
                self.sources.insert(key.clone(), source);
                source
            }
        };
        let document = Document {
            lines: Arc::new(Lines::of(&text)),
            text,
            version,
            source,
            dirty: false,
            told: None,
        };
        self.open.insert(key, document);
    }

    /// Applies the editor's changes to its copy of the text; the database sees them with [`flush`](Self::flush).
    pub(super) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let Some(document) = self.open.get_mut(uri.as_str()) else {
            return;
        };
        for change in changes {
            match change.range {
                Some(range) => {
                    let lines = &document.lines;
                    let start = lines.offset(&document.text, convert::from_position(range.start), encoding);
                    let end = lines.offset(&document.text, convert::from_position(range.end), encoding);
                    document.text.replace_range(start..end.max(start), &change.text);
                }
                None => document.text = change.text,
            }
            document.lines = Arc::new(Lines::of(&document.text));
        }
        document.version = version;
        document.dirty = true;
    }

    pub(super) fn close(&mut self, db: &mut Compiler, uri: &Uri) {
        if let Some(document) = self.open.remove(uri.as_str()) {
            db.edit(document.source, Vec::new());
        }
    }

    /// Hands changed texts to the database. Returns whether there were any.
    pub(super) fn flush(&mut self, db: &mut Compiler) -> bool {
        let mut any = false;
        for document in self.open.values_mut().filter(|document| document.dirty) {
            db.edit(document.source, document.text.as_bytes());
            document.dirty = false;
            any = true;
        }
        any
    }

    /// The documents that have changed since the last call.
    pub(super) fn untold(&mut self) -> Vec<String> {
        let mut changed = Vec::new();
        for (uri, document) in &mut self.open {
            if document.told.replace(document.version) != Some(document.version) {
                changed.push(uri.clone());
            }
        }
        changed
    }

    pub(super) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri.as_str())
    }

    /// All open documents, with their addresses.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &Document)> {
        self.open.iter().map(|(uri, document)| (uri.as_str(), document))
    }
}
