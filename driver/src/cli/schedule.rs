//! `tilewright schedule`.

use std::path::PathBuf;

use clap::{ArgMatches, Args};
use serde_json::Value;
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_passes::ptx::{VARIABLE, mark_schedule};

use super::arguments::ArgumentOptions;
use super::input::{CompileOptions, Input, pick_kernel, write_output};
use super::job::{Job, open_gpu};
use super::launch_options::LaunchOptions;
use super::progress::Progress;
use super::report::{Outcome, Reporter};
use crate::files::write_file;
use crate::inputs::Request;
use crate::kernel::Kernel;
use crate::launch::gpu::{Arrays, Gpu};
use crate::schedule::{Chart, Measured, json, measured_json, measured_text, records, to_svg, to_text};
use crate::units::{Language, PtxKernel, Stage};
use crate::{joins, pipeline, reading};

/// About the seconds for which a kernel is timed.
const TIMED: f64 = 0.02;

/// What to do without a GPU.
const NO_GPU: &str = "without --measure, the schedule is predicted, which needs no GPU";

/// The arguments of `schedule`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
With --measure and without arguments, inputs are made up that fit the kernel.

{}", ArgumentOptions::HELP))]
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
    /// Run the kernel on a GPU, with marks, and draw what they record beside the prediction
    #[arg(long)]
    measure: bool,
    #[command(flatten)]
    arguments: ArgumentOptions,
    /// Write the drawing as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print the prediction as JSON
    #[arg(long)]
    json: bool,
}

impl Schedule {
    pub(super) fn execute(&self, matches: Option<&ArgMatches>, reporter: &Reporter) -> Outcome {
        let gpu = self.measure.then(|| open_gpu(NO_GPU)).transpose()?;
        let (input, request) = Input::read_for(&self.input, self.options.request()?, gpu.as_ref())?;
        let db = &input.compiler;
        let last = match self.measure {
            true => Language::Ptx,
            false => Language::Scheduled,
        };
        let (text, said) = joins::compile(db, input.source, input.options, last);
        let exit = reporter.report(&said, db.files());
        if text.is_none() {
            return Ok(exit);
        }
        let parsed = reading::parse(db, input.source);
        let names: Vec<_> = parsed.kernels.iter().map(|kernel| kernel.name(db)).collect();
        let only = match &self.kernel {
            None if !self.measure => None,
            name => Some(pick_kernel(&names, name.as_deref(), &self.input)?),
        };
        let mut charts = Vec::new();
        let mut values = Vec::new();
        let mut measured = None;
        for (at, &kernel) in parsed.kernels.iter().enumerate() {
            if only.is_some_and(|only| only != at) {
                continue;
            }
            let stage = pipeline::stage(db, kernel, input.options, Language::Scheduled);
            let Some(Stage::Scheduled(func)) = stage else {
                continue;
            };
            let mut launch = self.launch.launch(func.attrs.target, gpu.as_ref())?;
            let on_gpu = match &gpu {
                Some(gpu) => Some((gpu, self.job(&input, kernel, matches)?)),
                None => None,
            };
            if let Some((_, (job, _))) = &on_gpu {
                launch = job.predicted(launch);
            }
            let name = kernel.name(db);
            let chart = Chart::of(&func, name, &launch);
            let mut value = json(&chart, name, &func.attrs.target.to_string());
            if let Some((gpu, (job, ptx))) = &on_gpu {
                let found = measure(gpu, job, ptx, &request, &chart)?;
                if let Some(object) = value.as_object_mut() {
                    object.insert("measured".to_owned(), measured_json(&found));
                }
                measured = Some(found);
            }
            values.push(value);
            charts.push(chart);
        }
        if let Some(path) = &self.svg {
            write_file(path, to_svg(&charts, measured.as_ref()).as_bytes())?;
        }
        let texts = charts.iter().map(to_text);
        let texts = texts.chain(measured.as_ref().map(measured_text));
        let text = match self.json {
            true => format!("{:#}\n", Value::from(values)),
            false => texts.collect::<Vec<_>>().join("\n"),
        };
        write_output(None, text.as_bytes())?;
        Ok(exit)
    }

    /// The launch to measure, and the kernel in PTX.
    fn job(
        &self,
        input: &Input,
        kernel: Kernel<'_>,
        matches: Option<&ArgMatches>,
    ) -> Result<(Job, PtxKernel), Diagnostic<Location>> {
        let db = &input.compiler;
        let Some(Stage::Ptx(ptx)) = pipeline::stage(db, kernel, input.options, Language::Ptx) else {
            let message = format!("kernel `{}` has no PTX", kernel.name(db));
            return Err(Diagnostic::error(Code::BadArgument, message));
        };
        let grid = self.launch.grid();
        let job = Job::new(&self.arguments, db, kernel, Some(&ptx), grid, matches)?;
        Ok((job, PtxKernel::clone(&ptx)))
    }
}

/// Times a kernel without marks, and runs it with them.
fn measure(
    gpu: &Gpu,
    job: &Job,
    ptx: &PtxKernel,
    request: &Request,
    chart: &Chart,
) -> Result<Measured, Diagnostic<Location>> {
    let _progress = Progress::begin("measuring");
    let arrays = Arrays::of(gpu, &job.launch)?;
    let module = ptx.module();
    let plain = job.load(gpu, ptx, &module.to_string(), request, &arrays)?;
    plain.run()?;
    let one = f64::from(plain.time(1)?) / 1e3;
    let launches = (TIMED / one.max(1e-9)).round().clamp(1.0, 1e4) as usize;
    let seconds = f64::from(plain.time(launches)?) / 1e3 / launches as f64;
    let marked = mark_schedule(&module);
    let kernel = job.load(gpu, ptx, &marked.module.to_string(), request, &arrays)?;
    // What the first launch records, with cold caches, is forgotten.
    kernel.run()?;
    kernel.take_variable(VARIABLE)?;
    arrays.fill(&job.launch)?;
    kernel.run()?;
    let warps = records(&kernel.take_variable(VARIABLE)?, &marked.marks);
    Ok(Measured::of(
        gpu.name()?,
        seconds,
        &warps,
        &chart.prediction.agents,
    ))
}
