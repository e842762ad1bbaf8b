//! The documents that the editor has open.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use lsp_types::{TextDocumentContentChangeEvent, TextDocumentItem, Uri};
use rustc_hash::FxHashMap;

use super::convert;
use super::python::{Made, Python};
use super::uri::file_of;
use crate::database::Compiler;
use crate::ide::lines::{Encoding, Lines};
use crate::inputs::Source;
use crate::units::Language;

/// An open document.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// The text as the editor has it.
    pub(super) text: Arc<String>,
    /// Its lines.
    pub(super) lines: Arc<Lines>,
    /// The editor's version number of that text.
    pub(super) version: i32,
    /// The document's contents in the database.
    pub(super) content: Content,
    /// Whether the text has changed since the database last saw it.
    dirty: bool,
    /// The version whose problems the editor has been told.
    told: Option<i32>,
}

/// A document's contents in the database.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// The text, in one of the compiler's languages.
    Text(Source),
    /// The modules of a Python file.
    Python(Arc<Python>),
}

/// The open documents, and the database files of those that were open before.
#[derive(Debug, Default)]
pub(super) struct Documents {
    open: FxHashMap<String, Document>,
    /// The database file of each document and, for a document in Python, of each module by its number. A document that is opened
    /// again has the same files.
    sources: FxHashMap<(String, usize), Source>,
}

impl Documents {
    pub(super) fn open(&mut self, db: &mut Compiler, item: TextDocumentItem) {
        let TextDocumentItem {
            uri,
            language_id,
            version,
            text,
        } = item;
        let key = uri.as_str().to_owned();
        let text = Arc::new(text);
        let content = match python_file(&uri, &language_id) {
            Some(file) => Content::Python(Arc::new(Python::new(file))),
            None => {
                let source = self.source(db, &key, 0, text.as_bytes());
                db.name_language(source, language_of(&uri, &language_id));
                Content::Text(source)
            }
        };
        let document = Document {
            lines: Arc::new(Lines::of(&text)),
            text,
            version,
            content,
            dirty: false,
            told: None,
        };
        self.open.insert(key, document);
    }

    /// The file of the database with this content.
    fn source(&mut self, db: &mut Compiler, key: &str, number: usize, bytes: &[u8]) -> Source {
        match self.sources.get(&(key.to_owned(), number)) {
            Some(&source) => {
                if source.bytes(db) != bytes {
                    db.edit(source, bytes);
                }
                source
            }
            None => {
                let source = db.add_source(key.to_owned(), bytes);
                self.sources.insert((key.to_owned(), number), source);
                source
            }
        }
    }

    /// Takes the modules that were made from a document in Python. Returns whether the document is still open.
    pub(super) fn take_modules(
        &mut self,
        db: &mut Compiler,
        uri: &Uri,
        text: Arc<String>,
        made: Made,
    ) -> bool {
        let key = uri.as_str();
        let Some(Content::Python(python)) = self.open.get(key).map(|document| &document.content) else {
            return false;
        };
        let mut python = Python::clone(python);
        let old = python.modules.len();
        python.made_of = text;
        python.said = made.said(python.file.path());
        python.modules = made
            .modules
            .iter()
            .enumerate()
            .map(|(number, bytes)| self.source(db, key, number, bytes))
            .collect();
        for number in made.modules.len()..old {
            self.source(db, key, number, &[]);
        }
        if let Some(document) = self.open.get_mut(key) {
            document.content = Content::Python(Arc::new(python));
            document.told = None;
        }
        true
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
        let text = Arc::make_mut(&mut document.text);
        for change in changes {
            match change.range {
                Some(range) => {
                    let lines = &document.lines;
                    let start = lines.offset(text, convert::from_position(range.start), encoding);
                    let end = lines.offset(text, convert::from_position(range.end), encoding);
                    text.replace_range(start..end.max(start), &change.text);
                }
                None => *text = change.text,
            }
            document.lines = Arc::new(Lines::of(text));
        }
        document.version = version;
        document.dirty = true;
    }

    pub(super) fn close(&mut self, db: &mut Compiler, uri: &Uri) {
        let sources = match self.open.remove(uri.as_str()).map(|document| document.content) {
            Some(Content::Text(source)) => vec![source],
            Some(Content::Python(python)) => python.modules.clone(),
            None => Vec::new(),
        };
        for source in sources {
            db.edit(source, Vec::new());
        }
    }

    /// Hands changed texts to the database.
    pub(super) fn flush(&mut self, db: &mut Compiler) {
        for document in self.open.values_mut().filter(|document| document.dirty) {
            if let Content::Text(source) = document.content {
                db.edit(source, document.text.as_bytes());
            }
            document.dirty = false;
        }
    }

    /// The documents that have changed since the last call, with their version numbers.
    pub(super) fn untold(&mut self) -> Vec<(Uri, i32)> {
        let mut changed = Vec::new();
        for (uri, document) in &mut self.open {
            if document.told.replace(document.version) != Some(document.version) {
                changed.extend(Uri::from_str(uri).ok().map(|uri| (uri, document.version)));
            }
        }
        changed
    }

    pub(super) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri.as_str())
    }

    /// All open documents, with their URIs.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &Document)> {
        self.open.iter().map(|(uri, document)| (uri.as_str(), document))
    }
}

/// The language that a document's name tells, or else the editor's language identifier: `cuda-tile` or `cuda_tile`, a stage,
/// `ptx`.
fn language_of(uri: &Uri, language: &str) -> Option<Language> {
    Language::of_file_name(uri.as_str()).or_else(|| language.replace('-', "_").parse().ok())
}

/// The path of a document in Python.
fn python_file(uri: &Uri, language: &str) -> Option<PathBuf> {
    let file = file_of(uri)?;
    let named = file.extension().is_some_and(|extension| extension == "py");
    (language == "python" || named).then_some(file)
}
