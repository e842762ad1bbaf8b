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

/// From this size, in bytes, the diagnostics of a text are computed on a thread that is kept for large texts.
const LARGE: usize = 1 << 20;

/// The state of the server, which one thread owns.
#[derive(Debug)]
pub(super) struct State {
    pub(super) db: Compiler,
    pub(super) documents: Documents,
    pub(super) folders: Folders,
    pub(super) encoding: Encoding,
    /// Whether the editor supports snippets in completions.
    pub(super) snippets: bool,
    pub(super) delivery: Delivery,
    /// Whether there has been no edit for some time.
    pub(super) at_rest: bool,
    /// The semantic tokens that the editor has.
    pub(super) coloured: Coloured,
    /// Runs ptxas, if there is one.
    pub(super) measuring: Option<Measuring>,
    /// The URI scheme under which the editor shows explanations of error codes, if it does.
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
    /// The state without open documents.
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

    /// Whether a request for diagnostics is answered with those of the back end now. They take longer than those of the front
    /// end, so an editor that can be told to request them again gets them after a pause in typing.
    pub(super) fn answers_with_back_end(&self) -> bool {
        match self.delivery {
            Delivery::Pushed | Delivery::Pulled => true,
            Delivery::Refreshed => self.at_rest,
        }
    }

    /// All open documents, with their version numbers.
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

    /// The URI.
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
