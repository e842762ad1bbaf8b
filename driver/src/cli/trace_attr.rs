//! `tilewright trace-attr`.

use std::path::PathBuf;

use clap::Args;
use serde_json::Value;

use super::input::{CompileOptions, Input, pick_kernel, write_output};
use super::report::{Outcome, Reporter};
use crate::database::Compiler;
use crate::locations::located;
use crate::reading;
use crate::trace::{self, Wanted};
use crate::units::Language;

/// The arguments of `trace-attr`.
#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
pub(super) struct TraceAttr {
    /// The attribute, by its name in any language, such as num_warps or reqntid; after the name of an op and a blank, that of this op
    #[arg(value_name = "NAME", required_unless_present = "all", conflicts_with = "all")]
    name: Option<String>,
    /// The file: bytecode, or the text of any language
    #[arg(value_name = "IN", required = true)]
    input: PathBuf,
    /// All attributes, except for what ops compute
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    options: CompileOptions,
    /// Only this kernel of the file
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl TraceAttr {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let wanted = match &self.name {
            Some(name) => {
                trace::check_name(name)?;
                Wanted::Named(name)
            }
            None => Wanted::All,
        };
        // The outputs of all passes are compared, so they are kept.
        let input = Input::read_into(Compiler::new(), &self.input, self.options.request()?)?;
        let db = &input.compiler;
        let parsed = reading::parse(db, input.source);
        let mut exit = reporter.report(&parsed.diagnostics, db.files());
        if !parsed.is_sound() {
            return Ok(exit);
        }
        let names: Vec<_> = parsed.kernels.iter().map(|kernel| kernel.name(db)).collect();
        let only = match &self.kernel {
            None => None,
            name => Some(pick_kernel(&names, name.as_deref(), &self.input)?),
        };
        let (mut texts, mut values) = (Vec::new(), Vec::new());
        for (at, &kernel) in parsed.kernels.iter().enumerate() {
            if only.is_some_and(|only| only != at) {
                continue;
            }
            let all = trace::lives(db, kernel, input.options);
            let placed = trace::placed(db, kernel, Some(input.source), &wanted.of(all));
            let name = kernel.name(db);
            texts.push(trace::to_text(name, wanted, &placed, all));
            values.push(trace::json(name, wanted, &placed, all));
            exit = exit.max(reporter.report(located(db, kernel, input.options, Language::Ptx), db.files()));
        }
        let text = match self.json {
            true => format!("{:#}\n", Value::from(values)),
            false => texts.join("\n"),
        };
        write_output(None, text.as_bytes())?;
        Ok(exit)
    }
}
