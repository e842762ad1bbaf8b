//! `tilewright disasm`.

use std::path::PathBuf;

use clap::Args;

use super::input::{Input, Preview, write_output};
use super::report::{Outcome, Reporter};
use crate::disassembly::disassembled;

/// The arguments of `disasm`.
#[derive(Debug, Args)]
pub(super) struct Disasm {
    /// The file: bytecode, or cuda_tile text
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Print source locations
    #[arg(short = 'g', long = "print-debug-info")]
    debug: bool,
    /// The output file [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    preview: Preview,
}

impl Disasm {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let input = Input::read(&self.input, self.preview.request())?;
        let db = &input.compiler;
        let (text, said) = disassembled(db, input.source, self.debug);
        let exit = reporter.report(&said, db.files());
        if let Some(text) = text {
            write_output(self.output.as_ref(), text.as_bytes())?;
        }
        Ok(exit)
    }
}
