//! `tilewright lsp`.

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic};

use super::report::{Exit, Outcome};

/// The arguments of `lsp`.
#[derive(Debug, Args)]
pub(super) struct Lsp {
    /// Serve on standard input and output, which is always done; editors may say so
    #[arg(long)]
    stdio: bool,
}

impl Lsp {
    #[expect(clippy::unused_self, reason = "the option changes nothing")]
    pub(super) fn execute(&self) -> Outcome {
        match crate::lsp::serve() {
            Ok(()) => Ok(Exit::Ok),
            Err(error) => {
                let message = format!("the editor's connection broke: {error}");
                Err(Diagnostic::error(Code::BadArgument, message))
            }
        }
    }
}
