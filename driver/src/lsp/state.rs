//! What the server knows: the database, the documents, and the folders with their settings.

use std::str::FromStr;
use std::sync::Arc;

use lsp_types as lsp;

use super::delivery::Delivery;
use super::documents::{Content, Document, Documents};
use super::features::View;
use super::folders::Folders;
use super::measuring::Measuring;
use super::python::PythonView;
use super::snapshot::Snapshot;
use super::tokens::Coloured;
use crate::database::Compiler;
use crate::ide::cost::KernelText;
use crate::ide::lines::Encoding;

/// The bytes of a text from which on one thread is kept for its diagnostics.
const LARGE: usize = 1 << 20;

/// What the server knows. One thread owns it.
#[derive(Debug)]
pub(super) struct State {
    pub(super) db: Compiler,
    pub(super) documents: Documents,
    pub(super) folders: Folders,
    pub(super) encoding: Encoding,
    /// Whether the editor has places to fill in, in what it inserts.
    pub(super) snippets: bool,
    pub(super) delivery: Delivery,
    /// Whether the pause after the last change has passed.
    pub(super) at_rest: bool,
    /// The colours that the editor has.
    pub(super) coloured: Coloured,
    /// Runs ptxas, if there is one.
    pub(super) measuring: Option<Measuring>,
    /// The scheme of the addresses at which the editor shows explanations of codes, if it does.
    pub(super) explanations: Option<Arc<str>>,
}

/// A document as a worker reads it.
#[derive(Clone, Debug)]
pub(super) enum Viewed {
    /// A text in one of the compiler's languages.
    Text(View),
    /// A document in Python.
    Python(PythonView),
}

impl State {
    /// Nothing is open.
    pub(super) fn new(encoding: Encoding, delivery: Delivery, snippets: bool) -> Self {
        let db = Compiler::new();
        Self {
            folders: Folders::none(&db),
            db,
            documents: Documents::default(),
            encoding,
            snippets,
            delivery,
            at_rest: false,
            coloured: Coloured::default(),
            measuring: None,
            explanations: None,
        }
    }

    /// Hands changed texts to the database.
    pub(super) fn flush(&mut self) {
        self.documents.flush(&mut self.db);
    }

    /// A document, if it is open.
    pub(super) fn view(&self, uri: &lsp::Uri) -> Option<Viewed> {
        Some(self.viewed(uri, self.documents.get(uri)?))
    }

    /// Whether the diagnostics of a document are sent to the editor.
    pub(super) fn pushes(&self, uri: &lsp::Uri) -> bool {
        let document = self.documents.get(uri);
        document.is_some_and(|document| self.delivery.pushes(&document.content))
    }

    /// Whether what the editor asks for now has the diagnostics of the back end: they take longer than those of the front end, and an
    /// editor that can be told to ask again gets them after a pause in typing.
    pub(super) fn answers_with_back_end(&self) -> bool {
        match self.delivery {
            Delivery::Pushed | Delivery::Pulled => true,
            Delivery::Refreshed => self.at_rest,
        }
    }

    /// All open documents, with the numbers of their versions.
    pub(super) fn views(&self) -> impl Iterator<Item = (i32, Viewed)> {
        self.documents.all().filter_map(|(uri, document)| {
            let uri = lsp::Uri::from_str(uri).ok()?;
            Some((document.version, self.viewed(&uri, document)))
        })
    }

    fn viewed(&self, uri: &lsp::Uri, document: &Document) -> Viewed {
        let measuring = self.measuring.as_ref();
        let at = Snapshot {
            db: self.db.clone(),
            uri: uri.clone(),
            lines: Arc::clone(&document.lines),
            options: self.folders.of(uri).options,
            encoding: self.encoding,
            snippets: self.snippets,
            measured: measuring.map(|measuring| measuring.measured().clone()),
            explanations: self.explanations.clone(),
        };
        match &document.content {
            Content::Text(source) => Viewed::Text(View { at, source: *source }),
            Content::Python(python) => Viewed::Python(PythonView {
                at,
                text: Arc::clone(&document.text),
                python: Arc::clone(python),
            }),
        }
    }
}

impl Viewed {
    fn at(&self) -> &Snapshot {
        match self {
            Self::Text(view) => &view.at,
            Self::Python(view) => &view.at,
        }
    }

    /// The address.
    pub(super) fn uri(&self) -> &lsp::Uri {
        &self.at().uri
    }

    /// Whether it takes long to read all of the text.
    pub(super) fn is_large(&self) -> bool {
        let bytes = match self {
            Self::Text(view) => view.source.bytes(&view.at.db).len(),
            Self::Python(view) => view.text.len(),
        };
        bytes > LARGE
    }

    /// The diagnostics of the front end, and those of the back end if asked for.
    pub(super) fn diagnostics(&self, back_end: bool) -> Vec<lsp::Diagnostic> {
        let mut said = match self {
            Self::Text(view) => view.diagnostics(back_end),
            Self::Python(view) => view.diagnostics(back_end),
        };
        for problem in &mut said {
            problem.code_description = self.at().explanation(problem);
        }
        said
    }

    /// The PTX of the kernels that can be compiled.
    pub(super) fn kernel_texts(&self) -> Vec<Arc<KernelText>> {
        match self {
            Self::Text(view) => view.at.kernel_texts(view.source),
            Self::Python(view) => view.kernel_texts(),
        }
    }
}
