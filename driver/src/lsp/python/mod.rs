//! Documents in Python: the modules that a configured command makes from them, or that lie beside them, and the modules'
//! diagnostics and descriptions at the lines of the document.

mod make;
mod making;
mod view;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tilewright_diagnostics::{Code, Diagnostic, Location};

use crate::ide::python::PythonFile;
use crate::inputs::Source;

pub(super) use make::{EXTENSIONS, Made, Recipe};
pub(super) use making::{Finished, Making};
pub(super) use view::PythonView;

/// A document in Python.
#[derive(Clone, Debug)]
pub(super) struct Python {
    /// Its file.
    pub(super) file: PythonFile,
    /// Its modules, the newest first.
    pub(super) modules: Vec<Source>,
    /// The text that they were made from.
    pub(super) made_of: Arc<String>,
    /// The diagnostic about obtaining the modules, if any.
    pub(super) said: Option<Diagnostic<Location>>,
}

impl Python {
    /// A document whose modules have not been made yet.
    pub(super) fn new(file: PathBuf) -> Self {
        Self {
            file: PythonFile::new(file),
            modules: Vec::new(),
            made_of: Arc::default(),
            said: None,
        }
    }
}

impl Made {
    /// The diagnostic about obtaining these modules: a failure, or modules that are older than the file.
    pub(super) fn said(&self, file: &Path) -> Option<Diagnostic<Location>> {
        let at = |line: u32| Location::source(file.to_string_lossy().into_owned(), line + 1, 0);
        if let Some(failure) = &self.failure {
            let problem = match self.modules.is_empty() {
                true => Diagnostic::error(Code::PythonModules, failure.message.clone()),
                false => Diagnostic::warning(Code::PythonModules, failure.message.clone()),
            };
            return Some(problem.at(at(failure.line.unwrap_or(0)), ""));
        }
        self.older.then(|| {
            let message = "bytecode beside this file is older than the file";
            let mut problem = Diagnostic::warning(Code::PythonModules, message);
            problem.severity = tilewright_diagnostics::Severity::Note;
            problem
                .at(at(0), "")
                .help("run the program again, with `CUDA_TILE_DUMP_BYTECODE` set to this folder")
        })
    }
}
