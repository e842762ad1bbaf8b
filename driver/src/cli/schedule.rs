//! `tilewright schedule`.

use std::path::PathBuf;

use clap::Args;
use serde_json::Value;

use super::input::{CompileOptions, Input, pick_kernel, write_output};
use super::launch_options::LaunchOptions;
use super::report::{Outcome, Reporter};
use crate::files::write_file;
use crate::schedule::{Chart, json, to_svg, to_text};
use crate::units::{Language, Stage};
use crate::{joins, pipeline, reading};

/// The arguments of `schedule`.
#[derive(Debug, Args)]
pub(super) struct Schedule {
    /// The file: bytecode, or the text of a language before or after the schedule
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    options: CompileOptions,
    /// Only this kernel of the file
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    #[command(flatten)]
    launch: LaunchOptions,
    /// Write the drawing as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print the prediction as JSON
    #[arg(long)]
    json: bool,
}

impl Schedule {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let input = Input::read(&self.input, self.options.request()?)?;
        let db = &input.compiler;
        let (text, said) = joins::compile(db, input.source, input.options, Language::Scheduled);
        let exit = reporter.report(&said, db.files());
        if text.is_none() {
            return Ok(exit);
        }
        let parsed = reading::parse(db, input.source);
        let names: Vec<_> = parsed.kernels.iter().map(|kernel| kernel.name(db)).collect();
        let only = match &self.kernel {
            Some(name) => Some(pick_kernel(&names, Some(name), &self.input)?),
            None => None,
        };
        let launch = self.launch.launch();
        let mut charts = Vec::new();
        let mut values = Vec::new();
        for (at, &kernel) in parsed.kernels.iter().enumerate() {
            if only.is_some_and(|only| only != at) {
                continue;
            }
            let stage = pipeline::stage(db, kernel, input.options, Language::Scheduled);
            let Some(Stage::Scheduled(func)) = stage else {
                continue;
            };
            let name = kernel.name(db);
            let chart = Chart::of(&func, name, &launch);
            values.push(json(&chart, name, &func.attrs.target.to_string()));
            charts.push(chart);
        }
        if let Some(path) = &self.svg {
            write_file(path, to_svg(&charts).as_bytes())?;
        }
        let text = match self.json {
            true => format!("{:#}\n", Value::from(values)),
            false => charts.iter().map(to_text).collect::<Vec<_>>().join("\n"),
        };
        write_output(None, text.as_bytes())?;
        Ok(exit)
    }
}
