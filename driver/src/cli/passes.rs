//! `tilewright pass` and `tilewright passes`.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::cuda_tile::print_tile_module;
use tilewright_passes::cuda_tile::synthesize_debug_scopes;

use super::input::{CompileOptions, Input, write_output};
use super::report::{Exit, Outcome, Reporter};
use crate::files::print;
use crate::pipeline::{self, PASSES, Pass};
use crate::source_map::place;
use crate::units::Language;
use crate::{printing, reading};

/// The arguments of `pass`.
#[derive(Debug, Args)]
pub(super) struct RunPass {
    /// The pass, as `tilewright passes` names it
    name: String,
    /// The file, in the language that the pass reads
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    options: CompileOptions,
    /// The output file [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

/// The pass on debug information, which is stored beside the kernels and so is not part of the pipeline.
const SCOPES: (&str, &str) = (
    "synthesize_debug_scopes",
    "Gives functions without debug information a place in a function of the user's program.",
);

/// Lists the passes.
pub(super) fn list() -> Outcome {
    let width =
        |text: fn(&Pass) -> &'static str| PASSES.iter().map(|pass| text(pass).len()).max().unwrap_or(0);
    let name = width(|pass| pass.name);
    let from = width(|pass| pass.from.name());
    let to = width(|pass| pass.to.name());
    let when = PASSES.iter().map(|pass| pass.when.to_string().len());
    let when = when.max().unwrap_or(0);
    let mut text = String::new();
    for pass in PASSES {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{:<name$}  {:>from$} -> {:<to$}  {:<when$}  {}",
            pass.name,
            pass.from,
            pass.to,
            pass.when,
            pass.doc.trim()
        );
    }
    let _ = writeln!(
        text,
        "\nOf the debug information of a module, by `tilewright pass` alone:"
    );
    let _ = writeln!(text, "{}  {}", SCOPES.0, SCOPES.1);
    print(text.as_bytes())?;
    Ok(Exit::Ok)
}

impl RunPass {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        if self.name == SCOPES.0 {
            return self.synthesize_scopes(reporter);
        }
        let Some(pass) = Pass::named(&self.name) else {
            let message = format!("there is no pass '{}'", self.name);
            return Err(Diagnostic::error(Code::BadArgument, message).help("`tilewright passes` lists them"));
        };
        let input = Input::read(&self.input, self.options.request()?)?;
        let db = &input.compiler;
        let parsed = reading::parse(db, input.source);
        let mut exit = reporter.report(&parsed.diagnostics, db.files());
        if !parsed.is_sound() {
            return Ok(exit);
        }
        if let Some(problem) = parsed.lacks_kernels() {
            return Ok(reporter.report(&[problem], db.files()));
        }
        let mut stages = Vec::new();
        for kernel in &parsed.kernels {
            let name = kernel.name(db);
            let Some(made) = pipeline::run_alone(db, input.options, pass, name, kernel.body(db)) else {
                let message = format!(
                    "pass {} reads {}, and the file is in {}",
                    pass.name,
                    pass.from,
                    kernel.language(db)
                );
                return Err(Diagnostic::error(Code::BadArgument, message));
            };
            let said: Vec<_> = made
                .diagnostics
                .into_iter()
                .map(|one| place(one, kernel.places(db), name))
                .collect();
            exit = exit.max(reporter.report(&said, db.files()));
            stages.extend(made.stage);
        }
        if stages.len() == parsed.kernels.len() {
            let text = printing::print_stages(&stages, parsed.module.as_deref())?;
            write_output(self.output.as_ref(), text.as_bytes())?;
        }
        Ok(exit)
    }

    /// Prints a module with synthesised debug information.
    fn synthesize_scopes(&self, reporter: &Reporter) -> Outcome {
        let input = Input::read(&self.input, self.options.request()?)?;
        let db = &input.compiler;
        let parsed = reading::parse(db, input.source);
        let exit = reporter.report(&parsed.diagnostics, db.files());
        if !parsed.is_sound() {
            return Ok(exit);
        }
        let Some(file) = reading::tile_file(db, input.source) else {
            let language = parsed.language.map_or("no language", Language::name);
            let message = format!("pass {} reads cuda_tile, and the file is in {language}", SCOPES.0);
            return Err(Diagnostic::error(Code::BadArgument, message));
        };
        let debug = synthesize_debug_scopes(&file.module, &file.debug);
        let text = print_tile_module(&file.module, Some(&debug));
        write_output(self.output.as_ref(), text.as_bytes())?;
        Ok(exit)
    }
}
