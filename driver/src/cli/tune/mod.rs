//! `tilewright tune`: hints, ranked by the time of a kernel with them: predicted, and of the best few measured on a GPU.

mod measure;

use std::path::PathBuf;
use std::time::Instant;

use clap::{ArgMatches, Args};
use serde_json::{Value, json};
use tilewright_diagnostics::{Code, Diagnostic, Location, counted};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_passes::scheduled::predict::Launch as PredictedLaunch;

use super::arguments::{ArgumentOptions, Grid};
use super::input::{CompileOptions, Input, pick_kernel};
use super::launch_options::LaunchOptions;
use super::progress::Progress;
use super::report::{Exit, Outcome, Reporter};
use super::sweep::{Axis, Configuration, configurations};
use super::sweep_table::aligned;
use crate::files::print;
use crate::kernel::Kernel;
use crate::launch::allowance::Compared;
use crate::launch::arguments::{Bound, Wanted};
use crate::launch::gpu::Gpu;
use crate::launch::invent::{self, Guess, Inputs};
use crate::launch::{Launch, Parameter, reference, roles};
use crate::schedule::Chart;
use crate::units::{Language, Stage};
use crate::{joins, pipeline, reading, source_map, targets};
use measure::Measurement;

/// The extent of open dimensions of arrays that are made up, unless they are too large then.
const SIZE: u64 = 4096;

/// What is tried without `--sweep`.
const USUAL: [&str; 4] = [
    "num_worker_warps_per_cta=4,8",
    "occupancy=1,2,4",
    "latency=2,4,6",
    "allow_tma=true,false",
];

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

/// A launch with its arguments.
struct Job {
    launch: Launch,
    wanted: Vec<Wanted>,
    /// The arrays whose contents the kernel may change.
    compared: Vec<Compared>,
}

impl Job {
    fn of(
        kernel: &str,
        grid: [u32; 3],
        bound: Bound,
        wanted: Vec<Wanted>,
        listed: &[invent::Listed],
    ) -> Self {
        let compared = |(buffer, dtype)| Compared { buffer, dtype };
        let own = bound.owners.iter().flatten().copied().map(compared);
        let listed = listed
            .iter()
            .map(|listed| compared((listed.buffer, listed.dtype)));
        Self {
            compared: own.chain(listed).collect(),
            wanted,
            launch: Launch {
                kernel: kernel.to_owned(),
                grid,
                cluster: None,
                dynamic_shared: None,
                parameters: bound.parameters,
                buffers: bound.buffers,
                addresses: bound.addresses,
                names: bound.names,
                empty: bound.empty,
                max_steps: None,
                deadline: None,
                unspecified: Vec::new(),
            },
        }
    }

    /// What the prediction may know of it, beside what it has been told.
    fn predicted(&self, mut told: PredictedLaunch) -> PredictedLaunch {
        told.grid.get_or_insert(self.launch.grid.map(u64::from));
        if told.parameters.is_empty() {
            let parameters = self.launch.parameters.iter().zip(&self.wanted);
            told.parameters = parameters
                .map(|(parameter, wanted)| integer(parameter, wanted))
                .collect();
        }
        let bytes = self.launch.buffers.iter().map(|array| array.data.len() as u64);
        told.bytes.get_or_insert(bytes.sum());
        told
    }
}

/// The value of a parameter that is an integer.
fn integer(parameter: &Parameter, wanted: &Wanted) -> Option<i64> {
    let (Parameter::Scalar(bytes), Some(ElementType::Scalar(ty))) = (parameter, wanted.ty) else {
        return None;
    };
    if !ty.is_int() {
        return None;
    }
    let mut wide = [0; 8];
    wide.iter_mut().zip(bytes).for_each(|(wide, byte)| *wide = *byte);
    let unused = 64u32.saturating_sub(8 * u32::try_from(bytes.len()).ok()?);
    match ty {
        ScalarType::I1 => Some(i64::from(wide != [0; 8])),
        _ => Some((i64::from_le_bytes(wide) << unused) >> unused),
    }
}

impl Tune {
    pub(super) fn execute(&self, matches: Option<&ArgMatches>, reporter: &Reporter) -> Outcome {
        let begin = Instant::now();
        let gpu = self.on.as_ref().map(|_| open()).transpose()?;
        let mut request = self.options.request()?;
        if let (Some(gpu), None) = (&gpu, request.target) {
            request.target = Some(gpu.target()?).filter(|target| targets::SUPPORTED.contains(target));
        }
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
        let mut launch = self.launch.launch();
        let mut job = None;
        if let Some(&kernel) = parsed.kernels.get(at)
            && (gpu.is_some() || !self.arguments.is_empty())
        {
            let made = self.job(&input, kernel, launch.grid, matches)?;
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
                launch: &job.launch,
                compared: &job.compared,
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
        Ok(Exit::Ok)
    }

    /// The launch with the arguments that are given, or with made-up ones.
    fn job(
        &self,
        input: &Input,
        kernel: Kernel<'_>,
        grid: Option<[u64; 3]>,
        matches: Option<&ArgMatches>,
    ) -> Result<Job, Diagnostic<Location>> {
        let bad = |message: String| Diagnostic::error(Code::BadArgument, message);
        let db = &input.compiler;
        let own = kernel.body(db);
        let Stage::CudaTile(program) = own else {
            let message = format!(
                "kernels of cuda_tile are launched, and the file is in {}",
                own.language()
            );
            return Err(bad(message));
        };
        let name = kernel.name(db);
        let wanted = reference::wanted(program);
        let grid = grid.map(Grid::of).transpose();
        let grid = grid.map_err(|message| bad(format!("--grid: {message}")))?;
        let grid = grid.map(|Grid(grid)| grid);
        if !self.arguments.is_empty() || wanted.is_empty() {
            let bound = self.arguments.bind(&wanted, matches)?;
            let grid = grid.or_else(|| invent::grid_of(own, &bound)).ok_or_else(|| {
                bad("the program does not say how many tile blocks there are".to_owned())
                    .help("give their number with --grid X[,Y[,Z]]")
            })?;
            return Ok(Job::of(name, grid, bound, wanted, &[]));
        }
        let roles = roles::roles(program);
        let mut size = self.arguments.size.unwrap_or(SIZE);
        loop {
            let guess = Guess::all(&roles, Some(size)).into_iter().next();
            let guess = guess.ok_or_else(|| bad("no inputs were made up".to_owned()))?;
            match invent::inputs(program, &roles, guess, self.arguments.seed) {
                Ok(Inputs {
                    bound,
                    listed,
                    grid: made,
                    ..
                }) => return Ok(Job::of(name, grid.unwrap_or(made), bound, wanted, &listed)),
                Err(_) if self.arguments.size.is_none() && size > 1 => size /= 2,
                Err(problem) => return Err(source_map::place(problem, kernel.places(db), name)),
            }
        }
    }
}

/// The GPU.
///
/// # Errors
/// Why there is none, with advice.
fn open() -> Result<Gpu, Diagnostic<Location>> {
    Gpu::open().map_err(|problem| match problem.code {
        Code::NoGpu => {
            problem.help("without --on gpu, hints are ranked by predicted times, which need no GPU")
        }
        _ => problem,
    })
}

/// The schedule of a kernel of the file in a configuration.
///
/// # Errors
/// What the compiler said if it does not compile.
fn predict(
    input: &Input,
    at: usize,
    configuration: &Configuration,
    launch: &PredictedLaunch,
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
