//! `tilewright tune`: hints, ranked by the time of a kernel with them: predicted, and of the best few measured on a GPU.

mod measure;

use std::path::PathBuf;
use std::time::Instant;

use clap::{ArgMatches, Args};
use serde_json::{Value, json};
use tilewright_diagnostics::{Code, Diagnostic, Location, counted};
use tilewright_passes::scheduled::predict::Launch;

use super::arguments::ArgumentOptions;
use super::input::{CompileOptions, Input, pick_kernel};
use super::job::{Job, open_gpu};
use super::launch_options::LaunchOptions;
use super::progress::Progress;
use super::report::{Exit, Outcome, Reporter};
use super::sweep::{Axis, Configuration, configurations};
use super::sweep_table::aligned;
use crate::files::{print, write_file};
use crate::schedule::Chart;
use crate::tuned::{self, Entry, Tuned};
use crate::units::{Language, Stage};
use crate::{joins, pipeline, reading, targets};
use measure::Measurement;

/// What is tried without `--sweep`.
const USUAL: [&str; 4] = [
    "num_worker_warps_per_cta=4,8",
    "occupancy=1,2,4",
    "latency=2,4,6",
    "allow_tma=true,false",
];

/// What to do without a GPU.
const NO_GPU: &str = "without --on gpu, hints are ranked by predicted times, which need no GPU";

/// The arguments of `tune`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
With --on gpu and without arguments, inputs are made up that fit the kernel.

{}", ArgumentOptions::HELP))]
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
    /// Where to measure the combinations that are predicted to be the fastest, and the program as it is; without it, times are only
    /// predicted
    #[arg(long, value_name = "DEVICE", value_parser = ["gpu"])]
    on: Option<String>,
    /// Measure so many combinations, besides the program as it is
    #[arg(long, value_name = "N", default_value_t = 8, requires = "on")]
    best: usize,
    /// The seconds that it may take: what is left out are combinations, then repetitions
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..), requires = "on")]
    budget: u32,
    /// Write the fastest hints to a file of tuned hints, in place of those that it has for the kernel and the target
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    #[command(flatten)]
    arguments: ArgumentOptions,
    /// Print the ranking as JSON
    #[arg(long)]
    json: bool,
}

/// A configuration with the times of the kernel.
struct Ranked {
    configuration: Configuration,
    chart: Chart,
    /// Seconds of a launch on the GPU.
    measured: Option<f64>,
}

impl Ranked {
    /// The predicted time: in seconds, or in cycles if there is no GPU for the target yet.
    fn predicted(&self) -> f64 {
        let prediction = &self.chart.prediction;
        prediction.seconds.unwrap_or(prediction.cycles.0 as f64)
    }

    /// Its hints as tuned ones of a kernel with this key.
    fn entry(&self, kernel: &str, key: String) -> Entry {
        let seconds = self.measured.or(self.chart.prediction.seconds);
        let values = self.configuration.values.iter();
        let value = |(name, value): &(String, String)| {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value.as_str()));
            (name.clone(), value)
        };
        Entry {
            kernel: kernel.to_owned(),
            target: self
                .configuration
                .request
                .target
                .unwrap_or(targets::DEFAULT)
                .to_string(),
            key,
            hints: values.map(value).collect(),
            microseconds: seconds.map(|seconds| (seconds * 1e8).round() / 100.0),
            measured: self.measured.is_some(),
        }
    }

    /// Its hints, in words.
    fn hints(&self) -> String {
        let values = &self.configuration.values;
        let hints = values.iter().map(|(name, value)| format!("{name}={value}"));
        match values.is_empty() {
            true => "as it is".to_owned(),
            false => hints.collect::<Vec<_>>().join(" "),
        }
    }
}

/// Puts what is faster first: what is measured by that, then the rest as predicted. Equals stay in their order.
fn rank(ranked: &mut [Ranked]) {
    ranked.sort_by(|one, other| {
        let measured = |ranked: &Ranked| ranked.measured.unwrap_or(f64::INFINITY);
        let by_prediction = || one.predicted().total_cmp(&other.predicted());
        measured(one).total_cmp(&measured(other)).then_with(by_prediction)
    });
}

impl Tune {
    pub(super) fn execute(&self, matches: Option<&ArgMatches>, reporter: &Reporter) -> Outcome {
        let begin = Instant::now();
        let gpu = self.on.as_ref().map(|_| open_gpu(NO_GPU)).transpose()?;
        let mut saved = self.saved()?;
        let (input, request) = Input::read_for(&self.input, self.options.request()?, gpu.as_ref())?;
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
        let target = request.target.unwrap_or(targets::DEFAULT);
        let mut launch = self.launch.launch(target, gpu.as_ref())?;
        let mut job = None;
        if let Some(&kernel) = parsed.kernels.get(at)
            && (gpu.is_some() || !self.arguments.is_empty())
        {
            let made = Job::new(&self.arguments, db, kernel, None, launch.grid, matches)?;
            launch = made.predicted(launch);
            job = Some(made);
        }
        let progress = Progress::begin("predicting");
        let mut ranked: Vec<Ranked> = Vec::new();
        let mut failed = Vec::new();
        let count = tried.len();
        for (number, configuration) in tried.into_iter().enumerate() {
            progress.now(format!("predicted {number} of {count}"));
            match predict(&input, at, &configuration, &launch) {
                Ok(chart) => {
                    // All have the grid of the program as it is.
                    launch.grid.get_or_insert([chart.prediction.grid, 1, 1]);
                    ranked.push(Ranked {
                        configuration,
                        chart,
                        measured: None,
                    });
                }
                Err(said) => failed.push(said),
            }
        }
        if ranked.len() == 1
            && let Some(said) = failed.first()
        {
            drop(progress);
            return Ok(reporter.report(said, db.files()));
        }
        rank(&mut ranked);
        let mut warnings = Vec::new();
        if let (Some(gpu), Some(job)) = (&gpu, &job) {
            let measurement = Measurement {
                gpu,
                input: &input,
                at,
                job,
                best: self.best,
                begin,
                budget: f64::from(self.budget),
            };
            warnings = measurement.execute(&mut ranked, &progress)?;
            rank(&mut ranked);
        }
        drop(progress);
        reporter.report(&warnings, db.files());
        let text = match self.json {
            true => format!("{:#}\n", ranked.iter().map(object).collect::<Value>()),
            false => table(&ranked, failed.len()),
        };
        print(text.as_bytes())?;
        if let (Some(path), Some(tuned), Some(best), Some(&kernel)) =
            (&self.save, &mut saved, ranked.first(), parsed.kernels.get(at))
            && let Stage::CudaTile(program) = kernel.body(db)
        {
            let entry = best.entry(kernel.name(db), tuned::key(program));
            tuned
                .set(entry)
                .map_err(|message| Diagnostic::error(Code::TunedHints, message))?;
            write_file(path, tuned.text().as_bytes())?;
        }
        Ok(Exit::Ok)
    }

    /// What the file to save to has already, if there is one.
    fn saved(&self) -> Result<Option<Tuned>, Diagnostic<Location>> {
        let Some(path) = &self.save else { return Ok(None) };
        if let Some(other) = self.sweep.iter().find(|axis| !axis.is_hint()) {
            let message = format!("--save keeps hints, and {} is none", other.name());
            return Err(Diagnostic::error(Code::BadArgument, message)
                .help("choose it by an option, and sweep hints only"));
        }
        match path.exists() {
            true => Tuned::read(path).map(Some),
            false => Ok(Some(Tuned::default())),
        }
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
    let is_measured = ranked.iter().any(|one| one.measured.is_some());
    let microseconds = |seconds: Option<f64>| {
        seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{:.2}", seconds * 1e6))
    };
    let line = |cells: [String; 5]| {
        cells
            .into_iter()
            .skip(usize::from(!is_measured))
            .collect::<Vec<_>>()
    };
    let mut lines = vec![line(
        ["measured us", "predicted us", "blocks", "limit", "hints"].map(str::to_owned),
    )];
    for one in ranked {
        let prediction = &one.chart.prediction;
        lines.push(line([
            microseconds(one.measured),
            microseconds(prediction.seconds),
            prediction.resident.to_string(),
            prediction.limit.name().to_owned(),
            one.hints(),
        ]));
    }
    let mut text = aligned(&lines);
    if failed > 0 {
        text += &format!("\nwithout a prediction: {}\n", counted(failed, "combination"));
    }
    text
}

fn object(one: &Ranked) -> Value {
    let values = one.configuration.values.iter();
    let values: serde_json::Map<_, _> = values
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect();
    let prediction = &one.chart.prediction;
    json!({
        "hints": values,
        "measured_seconds": one.measured,
        "seconds": prediction.seconds,
        "cycles": prediction.cycles.0,
        "grid": prediction.grid,
        "resident": prediction.resident,
        "limit": prediction.limit.name(),
    })
}
