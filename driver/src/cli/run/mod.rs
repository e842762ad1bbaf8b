//! `tilewright run`.

mod automatic;
mod hosted;
mod summary;

use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::{ArgMatches, Args};
use tilewright_diagnostics::{Code, Diagnostic, Location, counted, counted_as};

use crate::cli::arguments::{ArgumentOptions, Grid, shape, wanted};
use crate::cli::input::{CompileOptions, Input, pick_kernel};
use crate::cli::job::open_gpu;
use crate::cli::progress::Progress;
use crate::cli::report::{Exit, Outcome, Reporter};
use crate::files::{print, read_file, write_file};
use crate::kernel::Kernel;
use crate::launch::arguments::{Bound, Wanted};
use crate::launch::compare::{Tolerance, compare};
use crate::launch::configuration::Configured;
use crate::launch::dtype::DType;
use crate::launch::gpu::{self, Gpu};
use crate::launch::npy::Array;
use crate::launch::{Launch, invent, reference, simulate};
use crate::units::{Language, PtxKernel, Stage};
use crate::{joins, pipeline, reading, source_map};

/// The default time limit of a launch, in seconds.
const LIMIT: u64 = 10;

/// What to do without a GPU.
const NO_GPU: &str = "run on the simulator with --on cpu, which needs no GPU";

/// The arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = help())]
pub(super) struct Run {
    /// The file: bytecode, or the text of any language
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    options: CompileOptions,
    /// The kernel, if the file has several
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The host function of a cute module that launches its kernels, if there are several
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// The number of tile blocks along x (at most 16777215), and along y and z (at most 65535) if there are more than one
    /// [default: as many as cover the tiles that the kernel stores, if the program says how many]
    #[arg(long, value_name = "X[,Y[,Z]]")]
    grid: Option<Grid>,
    /// The blocks of a cluster along x, y and z, for a kernel that leaves them to the launch (not for `--on reference`)
    #[arg(long, value_name = "X[,Y[,Z]]")]
    cluster: Option<Cluster>,
    /// The bytes of a block's dynamic shared memory, for a kernel that has some (not for `--on reference`)
    #[arg(long, value_name = "BYTES")]
    dynamic_shared: Option<u32>,
    /// Where to run: gpu, cpu (the compiled kernel in the simulator), or reference (interprets the cuda_tile program and
    /// reports undefined behaviour) [default: gpu if there is one, else cpu]
    #[arg(long, value_name = "DEVICE", value_parser = ["gpu", "cpu", "reference"])]
    on: Option<String>,
    #[command(flatten)]
    arguments: ArgumentOptions,
    /// Write argument N to a file after the launch
    #[arg(long, value_name = "N=FILE.npy")]
    out: Vec<Numbered>,
    /// Compare argument N with a file after the launch; exit status 1 if they differ
    #[arg(long, value_name = "N=FILE.npy")]
    expect: Vec<Numbered>,
    /// Relative tolerance of floats; without tolerances floats are compared with a file bit by bit
    #[arg(long, value_name = "R", default_value_t = 0.0)]
    rtol: f64,
    /// Absolute tolerance of floats
    #[arg(long, value_name = "A", default_value_t = 0.0)]
    atol: f64,
    /// For `--on reference`: the number of replicas behind a multicast pointer, stored one after the other in its array
    #[arg(long, value_name = "N", default_value_t = 1)]
    replicas: usize,
    /// Stop after N steps (not on a GPU): a step is an instruction of a warp, for `--on reference` an op, plus one for every
    /// 1024 elements [default: 500000000]
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Stop after so many seconds (not on a GPU) [default: 10, and without an end if --max-steps is given]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Launch N times more and print the median time
    #[arg(long, value_name = "N")]
    time: Option<usize>,
}

fn help() -> String {
    format!(
        "\
Without arguments, inputs are made up that fit the kernel. The results are compared with those
of the reference evaluator, unless --out, --expect or --time asks for something else. What
rounding in another order can change is right; exit status 1 if more differs.

A cute module has a host function, which computes grid, block and shared memory and launches
the kernels: the arguments are then those of this function, without the stream.

{}

Example:
  tilewright run add.tileirbc --kernel add --grid 8 --array randn:f32[1024] \\
      --array randn:f32[1024] --array zeros:f32[1024] --out 2=sum.npy",
        ArgumentOptions::HELP
    )
}

/// Blocks of a cluster along x, y and z.
#[derive(Clone, Copy, Debug)]
struct Cluster([u32; 3]);

impl FromStr for Cluster {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        shape(text, "cluster").map(Self)
    }
}

/// A file for an argument, by the argument's number: `4=file.npy`.
#[derive(Clone, Debug)]
struct Numbered {
    argument: usize,
    path: PathBuf,
}

impl FromStr for Numbered {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "write the argument's number, '=' and a file, such as 2=out.npy";
        let (number, path) = text.split_once('=').ok_or(form)?;
        Ok(Self {
            argument: number.parse().map_err(|_| form)?,
            path: PathBuf::from(path),
        })
    }
}

/// A compiled kernel, and where it runs.
struct Compiled<'a> {
    input: &'a Input,
    kernel: Kernel<'a>,
    text: &'a str,
    ptx: &'a PtxKernel,
    /// The GPU to run on; `None` for the simulator.
    gpu: Option<&'a Gpu>,
}

impl Compiled<'_> {
    /// Runs the kernel once, prints what it prints, and runs it `repeat` times more. Returns the times of these, or why the
    /// launch is refused, or the first fault.
    ///
    /// # Errors
    /// The GPU's, or that of the output.
    fn run(
        &self,
        launch: &mut Launch,
        repeat: usize,
    ) -> Result<Result<Vec<f32>, Diagnostic<Location>>, Diagnostic<Location>> {
        let db = &self.input.compiler;
        let place = |problem| source_map::place(problem, self.kernel.places(db), self.kernel.name(db));
        let target = match self.gpu {
            Some(gpu) => gpu.target()?,
            None => self.ptx.target,
        };
        let configured = match Configured::new(self.ptx, launch, target) {
            Ok(configured) => configured,
            Err(refusal) => return Ok(Err(place(refusal))),
        };
        let _progress = Progress::begin("running");
        if let Some(gpu) = self.gpu {
            return gpu.run(self.text, &configured, launch, repeat).map(Ok);
        }
        let ran = simulate::run(self.text, self.ptx, launch, repeat);
        print(&ran.printed)?;
        Ok(ran.times.map_err(place))
    }
}

impl Run {
    pub(super) fn execute(&self, matches: Option<&ArgMatches>, reporter: &Reporter) -> Outcome {
        let request = self.options.request()?;
        if self.on.as_deref() == Some("reference") {
            return self.evaluate(&Input::read(&self.input, request)?, matches, reporter);
        }
        let gpu = match self.on.as_deref() {
            Some("cpu") => None,
            Some(_) => Some(open_gpu(NO_GPU)?),
            None => gpu::is_present().then(|| open_gpu(NO_GPU)).transpose()?,
        };
        let (input, _) = Input::read_for(&self.input, request, gpu.as_ref())?;
        let db = &input.compiler;
        if let Some(hosts) = reading::host_module(db, input.source) {
            return self.run_hosted(&input, &hosts, gpu.as_ref(), matches, reporter);
        }
        if self.function.is_some() {
            let message = format!("{} has no host function", self.input.display());
            return Err(Diagnostic::error(Code::BadArgument, message));
        }
        let (text, said) = joins::compile(db, input.source, input.options, Language::Ptx);
        let exit = reporter.report(&said, db.files());
        let Some(text) = text else {
            return Ok(exit);
        };
        let parsed = reading::parse(db, input.source);
        let names: Vec<_> = parsed.kernels.iter().map(|kernel| kernel.name(db)).collect();
        let at = pick_kernel(&names, self.kernel.as_deref(), &self.input)?;
        let Some(&kernel) = parsed.kernels.get(at) else {
            return Ok(exit);
        };
        let Some(Stage::Ptx(ptx)) = pipeline::stage(db, kernel, input.options, Language::Ptx) else {
            return Ok(exit);
        };
        let compiled = Compiled {
            input: &input,
            kernel,
            text: &text,
            ptx: &ptx,
            gpu: gpu.as_ref(),
        };
        if self.is_automatic(&ptx) {
            return self.run_automatic(&compiled, reporter).map(|end| end.max(exit));
        }
        let wanted = wanted(&ptx, kernel.body(db));
        let (bound, mut launch) = self.prepare(&wanted, kernel.body(db), kernel.name(db), matches)?;
        let inputs = self.asks_for_nothing().then(|| launch.clone());
        let start = Instant::now();
        let times = match compiled.run(&mut launch, self.time.unwrap_or(0))? {
            Ok(times) => times,
            Err(fault) => return Ok(reporter.report(&[advised(fault)], db.files())),
        };
        let Some(inputs) = inputs else {
            let end = self.finish(&bound, &launch, times, reporter);
            return end.map(|end| end.max(exit));
        };
        self.judge_given(&compiled, &bound, [&inputs, &launch], start.elapsed(), reporter)
            .map(|end| end.max(exit))
    }

    /// Whether no option asks for files, comparisons or timings.
    fn asks_for_nothing(&self) -> bool {
        self.out.is_empty() && self.expect.is_empty() && self.time.is_none()
    }

    /// How long a launch may take.
    fn limit(&self) -> Option<Duration> {
        let limit = self.limit.or(self.max_steps.is_none().then_some(LIMIT));
        limit.map(Duration::from_secs)
    }

    /// The tolerance that is asked for.
    fn tolerance(&self) -> Tolerance<'static> {
        Tolerance {
            relative: self.rtol,
            absolute: self.atol,
            elements: &[],
        }
    }

    /// Interprets the program without compiling it.
    fn evaluate(&self, input: &Input, matches: Option<&ArgMatches>, reporter: &Reporter) -> Outcome {
        let of_machine = [
            ("--cluster", self.cluster.is_some()),
            ("--dynamic-shared", self.dynamic_shared.is_some()),
        ];
        if let Some((option, _)) = of_machine.iter().find(|(_, given)| *given) {
            let message = format!(
                "{option} is for compiled kernels: a cuda_tile program has neither clusters nor shared memory"
            );
            return Err(Diagnostic::error(Code::BadArgument, message));
        }
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
        let Stage::CudaTile(program) = kernel.body(db) else {
            let message = format!(
                "the reference evaluator runs cuda_tile, and the file is {}",
                kernel.language(db)
            );
            return Err(Diagnostic::error(Code::BadArgument, message));
        };
        let wanted = reference::wanted(program);
        let (bound, mut launch) = self.prepare(&wanted, kernel.body(db), kernel.name(db), matches)?;
        let ran = reference::run(program, &mut launch, self.time.unwrap_or(0), self.replicas, None);
        print(ran.printed.as_bytes())?;
        let place = |problem| source_map::place(problem, kernel.places(db), kernel.name(db));
        let warnings: Vec<_> = ran.warnings.into_iter().map(place).collect();
        let exit = reporter.report(&warnings, db.files()).max(exit);
        match ran.times {
            Ok(times) => self
                .finish(&bound, &launch, times, reporter)
                .map(|end| end.max(exit)),
            Err(fault) => Ok(reporter.report(&[advised(place(fault))], db.files())),
        }
    }

    /// Binds the arguments to the kernel's parameters.
    fn prepare(
        &self,
        wanted: &[Wanted],
        own: &Stage,
        kernel: &str,
        matches: Option<&ArgMatches>,
    ) -> Result<(Bound, Launch), Diagnostic<Location>> {
        let bound = self.arguments.bind(wanted, matches)?;
        self.check_numbers(&bound)?;
        let grid = match self.grid {
            Some(Grid(grid)) => grid,
            None => invent::grid_of(own, &bound).ok_or_else(|| {
                let message = "the program does not say how many tile blocks there are";
                Diagnostic::error(Code::BadArgument, message).help("give their number with --grid X[,Y[,Z]]")
            })?,
        };
        let launch = self.launch(&bound, grid, kernel);
        Ok((bound, launch))
    }

    fn launch(&self, bound: &Bound, grid: [u32; 3], kernel: &str) -> Launch {
        Launch {
            kernel: kernel.to_owned(),
            grid,
            block: None,
            cluster: self.cluster.map(|Cluster(shape)| shape),
            dynamic_shared: self.dynamic_shared,
            cooperative: false,
            programmatic: false,
            parameters: bound.parameters.clone(),
            buffers: bound.buffers.clone(),
            addresses: bound.addresses.clone(),
            names: bound.names.clone(),
            empty: bound.empty.clone(),
            max_steps: self.max_steps,
            deadline: self.limit().map(|limit| Instant::now() + limit),
            unspecified: Vec::new(),
        }
    }

    /// Writes, compares and prints the results as requested.
    fn finish(&self, bound: &Bound, launch: &Launch, times: Vec<f32>, reporter: &Reporter) -> Outcome {
        for out in &self.out {
            if let Some(Owned { array, .. }) = owned(bound, launch, out.argument) {
                write_file(&out.path, &array.write())?;
            }
        }
        let mut exit = Exit::Ok;
        let tolerance = self.tolerance();
        for expect in &self.expect {
            let Some(owned) = owned(bound, launch, expect.argument) else {
                continue;
            };
            let want = Array::read(&read_file(&expect.path)?).map_err(|why| {
                Diagnostic::error(Code::BadArgument, format!("{}: {why}", expect.path.display()))
            })?;
            match compare(owned.array, &want, owned.dtype, tolerance, owned.unspecified) {
                Ok(compared) => {
                    let left_out = match owned.array.len() - compared {
                        0 => String::new(),
                        rest => format!(", {rest} left out of which the language says nothing"),
                    };
                    let line = format!(
                        "argument {}: {} as expected{left_out}\n",
                        expect.argument,
                        counted(compared, "element")
                    );
                    print(line.as_bytes())?;
                }
                Err(lines) => {
                    let summary = lines.first().cloned().unwrap_or_default();
                    let message = format!("argument {}: {summary}", expect.argument);
                    let mut problem = Diagnostic::error(Code::Mismatch, message);
                    problem.notes.extend(lines.into_iter().skip(1));
                    exit = exit.max(reporter.report_one(problem));
                }
            }
        }
        if self.time.is_some() {
            print(median_line(times).as_bytes())?;
        }
        Ok(exit)
    }

    /// Checks that every `--out` and `--expect` refers to an array.
    fn check_numbers(&self, bound: &Bound) -> Result<(), Diagnostic<Location>> {
        for Numbered { argument, .. } in self.out.iter().chain(&self.expect) {
            let why = match bound.owners.get(*argument) {
                Some(Some(_)) => continue,
                Some(None) => format!("argument {argument} is a scalar, which a kernel cannot write"),
                None => format!(
                    "there is no argument {argument}; the last one is {}",
                    bound.owners.len().saturating_sub(1)
                ),
            };
            return Err(Diagnostic::error(Code::BadArgument, why));
        }
        Ok(())
    }
}

/// A fault with advice on command-line options.
fn advised(fault: Diagnostic<Location>) -> Diagnostic<Location> {
    if fault.code == Code::StepLimit {
        fault.help("a kernel that does end gets more time with `--limit SECONDS`, and more steps with `--max-steps N`")
    } else {
        fault
    }
}

/// The array of an argument.
struct Owned<'a> {
    array: &'a Array,
    dtype: DType,
    /// For each byte, whether its contents are unspecified.
    unspecified: &'a [bool],
}

fn owned<'a>(bound: &Bound, launch: &'a Launch, argument: usize) -> Option<Owned<'a>> {
    let (buffer, dtype) = bound.owners.get(argument).copied().flatten()?;
    Some(Owned {
        array: launch.buffers.get(buffer)?,
        dtype,
        unspecified: launch.unspecified.get(buffer).map_or(&[], Vec::as_slice),
    })
}

fn median_line(mut times: Vec<f32>) -> String {
    times.sort_by(f32::total_cmp);
    match times.get(times.len() / 2) {
        Some(upper) => {
            let median = match times.get((times.len() / 2).wrapping_sub(1)) {
                Some(lower) if times.len().is_multiple_of(2) => (lower + upper) / 2.0,
                _ => *upper,
            };
            format!(
                "median of {}: {median:.4} ms\n",
                counted_as(times.len(), "launch", "launches")
            )
        }
        None => "no launches were timed\n".to_owned(),
    }
}
