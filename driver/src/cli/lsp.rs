//! `tilewright lsp`.

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic};

use super::report::{Exit, Outcome};
use crate::lsp::Ended;

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
            Ok(Ended::InOrder) => Ok(Exit::Ok),
            // The protocol asks for this status.
            Ok(Ended::Abruptly) => Ok(Exit::Usage),
            Err(error) => {
                let message = format!("the server cannot be started: {error}");
                Err(Diagnostic::error(Code::BadArgument, message))
            }
        }
    }
}
