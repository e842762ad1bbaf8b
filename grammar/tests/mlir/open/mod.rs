//! Texts of the open dialect: every op in both forms, what is refused, and the tests that NVIDIA publishes with it.

pub(crate) mod forms;
mod published;
mod refusals;

use tilewright_diagnostics::{Diagnostic, FileId, Span};
use tilewright_grammar::mlir::{ReadMlir, read_mlir};
use tilewright_irs::mlir::MlirModule;

/// The module of a text, if it is well formed.
fn read(text: &str) -> Result<MlirModule, Vec<Diagnostic<Span>>> {
    read_mlir(text, FileId(0))
        .and_then(ReadMlir::verified)
        .map(|read| read.module)
}
