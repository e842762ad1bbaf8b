//! `tilewright check`.

use std::path::PathBuf;

use clap::Args;

use super::Outcome;
use super::input::Input;
use super::report::{Exit, Reporter, remark};
use crate::inputs::Request;
use crate::reading;

/// The arguments of `check`.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The file: bytecode, or the text of any language
    #[arg(value_name = "IN")]
    input: PathBuf,
}

impl Check {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let input = Input::read(&self.input, Request::default())?;
        let parsed = reading::parse(&input.compiler, input.source);
        let exit = reporter.report(&parsed.diagnostics, input.compiler.files());
        if exit == Exit::Ok
            && let Some(language) = parsed.language
        {
            let names: Vec<_> = parsed
                .kernels
                .iter()
                .map(|kernel| kernel.name(&input.compiler))
                .collect();
            remark(&format!(
                "{}: {language}, sound: {}",
                self.input.display(),
                names.join(", ")
            ));
        }
        Ok(exit)
    }
}
