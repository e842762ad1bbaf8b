//! `tilewright check`.

use std::path::PathBuf;

use clap::Args;

use super::input::{Input, Preview};
use super::report::{Exit, Outcome, Reporter, Strictness, remark};
use crate::{reading, targets};

/// The arguments of `check`.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The file: bytecode, or the text of any language
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Also check that this GPU, such as sm_90a, meets the requirements of a cuda_tile program
    #[arg(long, value_name = "SM")]
    target: Option<String>,
    #[command(flatten)]
    strictness: Strictness,
    #[command(flatten)]
    preview: Preview,
}

impl Check {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let target = self.target.as_deref().map(targets::parse).transpose()?;
        let input = Input::read(&self.input, self.preview.request())?;
        let parsed = reading::parse(&input.compiler, input.source);
        let mut said = parsed.diagnostics.clone();
        if let Some(target) = target {
            let kernels = parsed.kernels.iter();
            said.extend(kernels.flat_map(|&kernel| targets::lacking(&input.compiler, kernel, target)));
        }
        let said = self.strictness.apply(said);
        let exit = reporter.report(&said, input.compiler.files());
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
