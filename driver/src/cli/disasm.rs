//! `tilewright disasm`.

use std::path::PathBuf;

use clap::Args;
use tilewright_irs::cuda_tile::print_tile_module;

use super::Outcome;
use super::bytecode::tile_file;
use super::input::{Input, write_output};
use super::report::Reporter;
use crate::inputs::Request;
use crate::reading;

/// The arguments of `disasm`.
#[derive(Debug, Args)]
pub(super) struct Disasm {
    /// The file: bytecode, or cuda_tile text
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Say where each op stems from
    #[arg(short = 'g', long = "print-debug-info")]
    debug: bool,
    /// Where to write; standard output without it
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

impl Disasm {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let input = Input::read(&self.input, Request::default())?;
        let parsed = reading::parse(&input.compiler, input.source);
        let exit = reporter.report(&parsed.diagnostics, input.compiler.files());
        if !parsed.is_sound() {
            return Ok(exit);
        }
        let file = tile_file(&input)?;
        let text = print_tile_module(&file.module, self.debug.then_some(&file.debug));
        write_output(self.output.as_ref(), text.as_bytes())?;
        Ok(exit)
    }
}
