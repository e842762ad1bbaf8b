//! `tilewright tune`: hints, ranked by the predicted time of a kernel with them.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use tilewright_diagnostics::{Diagnostic, Location, counted};
use tilewright_passes::scheduled::predict::Launch;

use super::input::{CompileOptions, Input, pick_kernel};
use super::launch_options::LaunchOptions;
use super::progress::Progress;
use super::report::{Exit, Outcome, Reporter};
use super::sweep::{Axis, Configuration, configurations};
use super::sweep_table::aligned;
use crate::files::print;
use crate::schedule::Chart;
use crate::units::{Language, Stage};
use crate::{joins, pipeline, reading};

/// What is tried without `--sweep`.
const USUAL: [&str; 4] = [
    "num_worker_warps_per_cta=4,8",
    "occupancy=1,2,4",
    "latency=2,4,6",
    "allow_tma=true,false",
];

/// The arguments of `tune`.
#[derive(Debug, Args)]
pub(super) struct Tune {
    /// The file: bytecode or text of cuda_tile
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    options: CompileOptions,
    #[command(flatten)]
    launch: LaunchOptions,
    /// The kernel, if the file has several
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Try these values of a hint, or of opt_level, fmad or the target, in every combination with the others [default: usual values
    /// of num_worker_warps_per_cta, occupancy, latency and allow_tma]
    #[arg(long, value_name = "NAME=VALUE,VALUE", value_parser = Axis::parse)]
    sweep: Vec<Axis>,
    /// Print the ranking as JSON
    #[arg(long)]
    json: bool,
}

/// A configuration with the prediction of the kernel.
struct Ranked {
    values: Vec<(String, String)>,
    chart: Chart,
}

impl Ranked {
    fn seconds(&self) -> f64 {
        let prediction = &self.chart.prediction;
        prediction.seconds.unwrap_or(prediction.cycles.0 as f64)
    }
}

impl Tune {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let request = self.options.request()?;
        let input = Input::read(&self.input, request)?;
        let db = &input.compiler;
        let parsed = reading::parse(db, input.source);
        let names: Vec<_> = parsed.kernels.iter().map(|kernel| kernel.name(db)).collect();
        // What is wrong with the file itself is said once.
        let (text, said) = joins::compile(db, input.source, input.options, Language::Scheduled);
        let exit = reporter.report(&said, db.files());
        if text.is_none() {
            return Ok(exit);
        }
        let at = pick_kernel(&names, self.kernel.as_deref(), &self.input)?;
        let usual: Vec<Axis> = USUAL.iter().filter_map(|axis| Axis::parse(axis).ok()).collect();
        let axes = match self.sweep.is_empty() {
            true => &usual,
            false => &self.sweep,
        };
        let mut tried = configurations(request, axes)?;
        // The program as it is.
        tried.insert(
            0,
            Configuration {
                request,
                values: Vec::new(),
            },
        );
        let progress = Progress::begin("predicting");
        let mut launch = self.launch.launch();
        let mut ranked: Vec<Ranked> = Vec::new();
        let mut failed = Vec::new();
        for (number, configuration) in tried.iter().enumerate() {
            progress.now(format!("predicted {number} of {}", tried.len()));
            match predict(&input, at, configuration, &launch) {
                Ok(chart) => {
                    // All have the grid of the program as it is.
                    launch.grid.get_or_insert([chart.prediction.grid, 1, 1]);
                    ranked.push(Ranked {
                        values: configuration.values.clone(),
                        chart,
                    });
                }
                Err(said) => failed.push(said),
            }
        }
        drop(progress);
        if ranked.len() == 1
            && let Some(said) = failed.first()
        {
            return Ok(reporter.report(said, db.files()));
        }
        // Equals stay in the order of the combinations, after the program as it is.
        ranked.sort_by(|one, other| one.seconds().total_cmp(&other.seconds()));
        let failed = failed.len();
        let text = match self.json {
            true => format!("{:#}\n", ranked.iter().map(object).collect::<Value>()),
            false => table(&ranked, failed),
        };
        print(text.as_bytes())?;
        Ok(Exit::Ok)
    }
}

/// The schedule of a kernel of the file in a configuration.
///
/// # Errors
/// What the compiler said if it does not compile.
fn predict(
    input: &Input,
    at: usize,
    configuration: &Configuration,
    launch: &Launch,
) -> Result<Chart, Vec<Diagnostic<Location>>> {
    let db = &input.compiler;
    let options = db.options(configuration.request);
    let (_, said) = joins::compile(db, input.source, options, Language::Scheduled);
    if said.iter().any(Diagnostic::is_error) {
        return Err(said);
    }
    let kernel = reading::parse(db, input.source).kernels.get(at);
    let stage = kernel.and_then(|&kernel| {
        let stage = pipeline::stage(db, kernel, options, Language::Scheduled)?;
        Some((kernel.name(db), stage))
    });
    match stage {
        Some((name, Stage::Scheduled(func))) => Ok(Chart::of(&func, name, launch)),
        _ => Err(said),
    }
}

fn table(ranked: &[Ranked], failed: usize) -> String {
    let mut lines = vec![
        ["predicted us", "blocks", "limit", "hints"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for one in ranked {
        let prediction = &one.chart.prediction;
        let hints = one.values.iter().map(|(name, value)| format!("{name}={value}"));
        let hints = match one.values.is_empty() {
            true => "as it is".to_owned(),
            false => hints.collect::<Vec<_>>().join(" "),
        };
        lines.push(vec![
            prediction
                .seconds
                .map_or_else(|| "-".to_owned(), |seconds| format!("{:.2}", seconds * 1e6)),
            prediction.resident.to_string(),
            prediction.limit.name().to_owned(),
            hints,
        ]);
    }
    let mut text = aligned(&lines);
    if failed > 0 {
        text += &format!("\nwithout a prediction: {}\n", counted(failed, "combination"));
    }
    text
}

fn object(one: &Ranked) -> Value {
    let values: serde_json::Map<_, _> = one
        .values
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect();
    let prediction = &one.chart.prediction;
    json!({
        "hints": values,
        "seconds": prediction.seconds,
        "cycles": prediction.cycles.0,
        "grid": prediction.grid,
        "resident": prediction.resident,
        "limit": prediction.limit.name(),
    })
}
