//! `--mlir-print-ir-after-all`: every kernel as each pass leaves it.

use std::fmt::Write;

use crate::database::Compiler;
use crate::inputs::{Options, Source};
use crate::units::Language;
use crate::{pipeline, printing, reading};

/// The kernels of a file after each pass, up to the one that fails.
pub(super) fn text(compiler: &Compiler, source: Source, options: Options) -> String {
    let mut text = String::new();
    for &kernel in &reading::parse(compiler, source).kernels {
        for pass in pipeline::route(kernel.language(compiler), Language::Ptx) {
            let stage = pipeline::stage_after(compiler, kernel, options, pass);
            let printed = stage.and_then(|stage| printing::print_stages(&[stage], None).ok());
            let Some(printed) = printed else { break };
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "// -----// IR Dump After {} ({} -> {}) //----- //\n{printed}",
                pass.name, pass.from, pass.to
            );
        }
    }
    text
}
