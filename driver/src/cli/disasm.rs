//! `tilewright disasm`.

use std::path::PathBuf;

use clap::Args;
use tilewright_irs::cuda_tile::{print_tile_module, verify_debug, verify_module, warnings};

use super::bytecode::tile_file;
use super::input::{Input, Preview, write_output};
use super::report::{Outcome, Reporter};
use crate::reading::{self, TileFile};

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
        // A valid file is read once; an invalid one is read again for the locations of its errors.
        let file = reading::tile_file(
            input.source.bytes(db),
            input.source.file(db),
            input.source.preview(db),
        );
        let (file, exit) = match file.filter(nothing_to_say) {
            Some(file) => (file, reporter.report(&[], db.files())),
            None => {
                let parsed = reading::parse(db, input.source);
                let exit = reporter.report(&parsed.diagnostics, db.files());
                if !parsed.is_sound() {
                    return Ok(exit);
                }
                (tile_file(&input)?, exit)
            }
        };
        let text = print_tile_module(&file.module, self.debug.then_some(&file.debug));
        write_output(self.output.as_ref(), text.as_bytes())?;
        Ok(exit)
    }
}

fn nothing_to_say(file: &TileFile) -> bool {
    verify_module(&file.module).is_ok()
        && verify_debug(&file.module, &file.debug).is_empty()
        && warnings(&file.module).is_empty()
}
