//! `tilewright stages`.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;

use super::input::{CompileOptions, Input, pick_kernel, write_output};
use super::report::{Outcome, Reporter};
use super::source_lines::SourceLines;
use crate::database::Compiler;
use crate::locations::located;
use crate::units::Language;
use crate::{annotate, pipeline, reading};

/// The arguments of `stages`.
#[derive(Debug, Args)]
pub(super) struct Stages {
    /// The file: bytecode, or the text of any language
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    options: CompileOptions,
    /// The kernel, if the file has several
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// A folder of source files, besides the current one, the input's, and its parents
    #[arg(long, value_name = "DIR")]
    sources: Vec<PathBuf>,
    /// The output file [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

impl Stages {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        // All languages are requested in turn, so intermediate results are cached.
        let input = Input::read_into(Compiler::new(), &self.input, self.options.request()?)?;
        let db = &input.compiler;
        let parsed = reading::parse(db, input.source);
        let exit = reporter.report(&parsed.diagnostics, db.files());
        if !parsed.is_sound() {
            return Ok(exit);
        }
        let names: Vec<_> = parsed.kernels.iter().map(|kernel| kernel.name(db)).collect();
        let at = pick_kernel(&names, self.kernel.as_deref(), &self.input)?;
        let Some(&kernel) = parsed.kernels.get(at) else {
            return Ok(exit);
        };
        let (name, bytes) = (input.source.name(db), input.source.bytes(db));
        let mut lines = SourceLines::new(&self.sources, &self.input, name, bytes);
        let mut text = String::new();
        for &language in Language::ALL
            .iter()
            .filter(|language| pipeline::leads(kernel.language(db), **language))
        {
            let Some(stage) = pipeline::stage(db, kernel, input.options, language) else {
                break;
            };
            let said = annotate::with_places(&stage, kernel.places(db), (name, bytes), &mut |path, line| {
                lines.line(path, line)
            });
            // Writing to a string does not fail.
            let _ = writeln!(text, "// ===== {language}: {}\n\n{said}", language.doc().trim());
        }
        write_output(self.output.as_ref(), text.as_bytes())?;
        let said = located(db, kernel, input.options, Language::Ptx);
        Ok(exit.max(reporter.report(said, db.files())))
    }
}
