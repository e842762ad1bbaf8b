//! `tilewright schedule`.

use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use tilewright_passes::scheduled::predict::Launch;

use super::input::{CompileOptions, Input, pick_kernel, write_output};
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
    /// The grid, in blocks [default: as many as reside on the GPU at a time]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = grid)]
    grid: Option<[u64; 3]>,
    /// The kernel's parameters in order, _ for what is not known or no integer: loops and branches may depend on them
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = parameter, allow_hyphen_values = true)]
    parameters: Vec<Parameter>,
    /// The iterations of loops whose bounds are not known [default: 32]
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// The bytes of memory that the grid accesses, each counted once [default: every access is to memory, but operands of matrix
    /// products are found in the cache]
    #[arg(long, value_name = "N")]
    bytes: Option<u64>,
    /// Write the drawing as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print the prediction as JSON
    #[arg(long)]
    json: bool,
}

/// A parameter of the kernel, if it is known.
#[derive(Clone, Copy, Debug)]
struct Parameter(Option<i64>);

fn parameter(word: &str) -> Result<Parameter, String> {
    match word {
        "_" => Ok(Parameter(None)),
        number => number
            .parse()
            .map(|number| Parameter(Some(number)))
            .map_err(|_| "expected an integer or _".to_owned()),
    }
}

fn grid(words: &str) -> Result<[u64; 3], String> {
    let extents: Result<Vec<u64>, _> = words.split(',').map(str::parse).collect();
    let mut grid = [1; 3];
    match extents {
        Ok(extents) if (1..=3).contains(&extents.len()) && !extents.contains(&0) => {
            grid.iter_mut()
                .zip(extents)
                .for_each(|(all, extent)| *all = extent);
            Ok(grid)
        }
        _ => Err("expected one to three positive extents, such as 64,32".to_owned()),
    }
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
        let launch = Launch {
            grid: self.grid,
            parameters: self.parameters.iter().map(|parameter| parameter.0).collect(),
            iterations: self.iterations,
            bytes: self.bytes,
        };
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
