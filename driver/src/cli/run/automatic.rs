//! `tilewright run FILE` without arguments: makes up inputs, and compares the results with the reference evaluator's.

use std::time::{Duration, Instant};

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Origin;

use super::{Grid, Run, advised, wanted};
use crate::cli::input::Input;
use crate::cli::progress::Progress;
use crate::cli::report::{Exit, Outcome, Reporter};
use crate::files::print;
use crate::kernel::Kernel;
use crate::launch::arguments;
use crate::launch::compare::{Tolerance, compare};
use crate::launch::dtype::DType;
use crate::launch::gpu::Gpu;
use crate::launch::invent::{self, Guess, Inputs};
use crate::launch::npy::Array;
use crate::launch::roles::{self, ArrayUse, Role, Roles};
use crate::launch::{Launch, reference, simulate};
use crate::units::{PtxKernel, Stage, TileKernel};

/// Launches on a GPU that are timed.
const TIMED: usize = 20;

/// Steps of the evaluator, unless another number is asked for: without them all, there is no comparison.
const STEPS: u64 = 50_000_000;

/// Elements of an array that are printed.
const SHOWN: usize = 4;

/// A compiled kernel, and where it runs.
pub(super) struct Compiled<'a> {
    pub(super) input: &'a Input,
    pub(super) kernel: Kernel<'a>,
    pub(super) text: &'a str,
    pub(super) ptx: &'a PtxKernel,
    /// The GPU; the simulator if there is none.
    pub(super) gpu: Option<&'a Gpu>,
}

/// Inputs with which the program is defined, and what the evaluator makes of them.
struct Reference {
    inputs: Inputs,
    /// The arrays after the launch, as the evaluator leaves them; `None` for programs that it does not execute.
    results: Option<Launch>,
}

impl Run {
    /// Whether inputs are to be made up.
    pub(super) fn is_automatic(&self, ptx: &PtxKernel) -> bool {
        self.arg.is_empty()
            && self.array.is_empty()
            && self.out.is_empty()
            && self.expect.is_empty()
            && !ptx.entry.parameters.is_empty()
    }

    pub(super) fn run_automatic(&self, compiled: &Compiled<'_>, reporter: &Reporter) -> Outcome {
        let (db, kernel) = (&compiled.input.compiler, compiled.kernel);
        let own = kernel.body(db);
        let Stage::CudaTile(program) = own else {
            let parameters = arguments::list(&wanted(compiled.ptx, own));
            let message = format!(
                "inputs are made up for programs in cuda_tile, and the file is in {}",
                own.language()
            );
            return Err(Diagnostic::error(Code::ArgumentCount, message)
                .note(format!("the parameters: {parameters}"))
                .help("give each with --arg, or an array with its extents and strides with --array"));
        };
        let roles = roles::roles(program);
        let reference = match self.evaluated(program, &roles, kernel.name(db)) {
            Ok(reference) => reference,
            Err(fault) => {
                let fault = crate::source_map::place(fault, kernel.places(db), kernel.name(db));
                let parameters = arguments::list(&wanted(compiled.ptx, own));
                let fault = advised(fault)
                    .note(format!("the parameters: {parameters}"))
                    .help("these inputs were made up; give those that the kernel expects with --arg, --array and --grid");
                return Ok(reporter.report(&[fault], db.files()));
            }
        };
        let Inputs { bound, grid, .. } = &reference.inputs;
        let mut launch = self.launch(bound, *grid, kernel.name(db));
        let start = Instant::now();
        let progress = Progress::begin("running");
        let times = match compiled.gpu {
            Some(gpu) => Some(gpu.run(compiled.text, &mut launch, self.time.unwrap_or(TIMED))?),
            None => {
                let ran = simulate::run(compiled.text, compiled.ptx, &mut launch, 0);
                print(&ran.printed)?;
                if let Err(fault) = ran.times {
                    let fault = crate::source_map::place(fault, kernel.places(db), kernel.name(db));
                    return Ok(reporter.report(&[advised(fault)], db.files()));
                }
                None
            }
        };
        drop(progress);
        let elapsed = start.elapsed();
        let summary = Summary {
            roles: &roles,
            inputs: &reference.inputs,
            launch: &launch,
            results: reference.results.as_ref(),
        };
        let [x, y, z] = *grid;
        let place = match compiled.gpu {
            Some(_) => "on the GPU",
            None => "in the simulator",
        };
        let mut text = format!(
            "{}: grid {x},{y},{z}, {} {place}, seed {}\n",
            kernel.name(db),
            compiled.ptx.target,
            self.seed
        );
        if !reference.inputs.covers && self.grid.is_none() {
            text += "the program does not say how many tile blocks there are; --grid gives another number\n";
        }
        if reference.results.is_none() {
            text += "not compared: the reference evaluator does not execute this program, or not in the steps it has\n";
        }
        let (table, wrong) = summary.table();
        text += &table;
        text += &match &times {
            Some(times) => summary.speed(times),
            None if elapsed < Duration::from_secs(1) => {
                format!("simulated in {:.1} ms\n", elapsed.as_secs_f32() * 1e3)
            }
            None => format!("simulated in {:.2} s\n", elapsed.as_secs_f32()),
        };
        print(text.as_bytes())?;
        if wrong.is_empty() {
            return Ok(Exit::Ok);
        }
        let first = wrong.first().map_or("", |wrong| wrong.how.as_str());
        let message = format!("the results are not those of the reference evaluator: {first}");
        let mut problem = Diagnostic::error(Code::Mismatch, message);
        problem
            .notes
            .extend(wrong.iter().skip(1).map(|wrong| wrong.how.clone()));
        if wrong.iter().all(|wrong| wrong.dtype.is_float()) {
            problem = problem.help(
                "sums of many elements round differently in another order; for other inputs and tolerances give --arg, \
                 --array, --expect, --rtol and --atol",
            );
        }
        Ok(reporter.report_one(problem))
    }

    /// Runs the program in the evaluator with made up inputs, until it is defined for some.
    fn evaluated(
        &self,
        program: &TileKernel,
        roles: &Roles,
        name: &str,
    ) -> Result<Reference, Diagnostic<Origin>> {
        let mut first = None;
        let mut long: Option<(u64, Reference)> = None;
        let _progress = Progress::begin("interpreting");
        for guess in Guess::all(roles, self.size) {
            // Of a kernel that runs for too long, only loops of fewer rounds are tried.
            if long.as_ref().is_some_and(|(number, _)| guess.number >= *number) {
                continue;
            }
            let mut inputs = invent::inputs(program, roles, guess, self.seed)?;
            if let Some(Grid(grid)) = self.grid {
                inputs.grid = grid;
            }
            let steps = if long.is_some() { STEPS / 10 } else { STEPS };
            let tried = match self.tried(program, &inputs, name, steps) {
                // All blocks write the same elements: the kernel is for one.
                Err(fault) if fault.code == Code::Race && self.grid.is_none() && inputs.grid != [1; 3] => {
                    (inputs.grid, inputs.covers) = ([1; 3], false);
                    let again = self.tried(program, &inputs, name, steps);
                    again.map_err(|again| if is_undefined(&again) { fault } else { again })
                }
                tried => tried,
            };
            let reference = |results| Reference { inputs, results };
            match tried {
                Ok(launch) => return Ok(reference(Some(launch))),
                Err(fault) if fault.code == Code::EvaluatorUnsupported => return Ok(reference(None)),
                Err(fault) if fault.code == Code::StepLimit => long = Some((guess.number, reference(None))),
                Err(fault) => {
                    first.get_or_insert(fault);
                }
            }
        }
        match (long, first) {
            (Some((_, reference)), _) => Ok(reference),
            (None, Some(fault)) => Err(fault),
            (None, None) => Err(Diagnostic::error(Code::BadArgument, "no inputs were made up")),
        }
    }

    /// Runs the program in the evaluator with these inputs.
    ///
    /// # Errors
    /// The program is not defined for them, or the evaluator does not execute all of it.
    fn tried(
        &self,
        program: &TileKernel,
        inputs: &Inputs,
        name: &str,
        steps: u64,
    ) -> Result<Launch, Diagnostic<Origin>> {
        let mut launch = self.launch(&inputs.bound, inputs.grid, name);
        launch.max_steps.get_or_insert(steps);
        reference::run(program, &mut launch, 0, self.replicas).times?;
        Ok(launch)
    }
}

/// Whether a program has no defined result, and not only none that the evaluator finds.
fn is_undefined(fault: &Diagnostic<Origin>) -> bool {
    !matches!(fault.code, Code::EvaluatorUnsupported | Code::StepLimit)
}

/// An array that is not as the reference.
struct Wrong {
    dtype: DType,
    how: String,
}

/// What is printed of a launch.
struct Summary<'a> {
    roles: &'a Roles,
    inputs: &'a Inputs,
    launch: &'a Launch,
    results: Option<&'a Launch>,
}

impl Summary<'_> {
    /// A line for each array and number, and the arrays that are wrong.
    fn table(&self) -> (String, Vec<Wrong>) {
        let mut rows: Vec<[String; 4]> = Vec::new();
        let mut wrong = Vec::new();
        for (at, role) in self.roles.roles.iter().enumerate() {
            match role {
                Role::Extent { .. } | Role::Stride { .. } | Role::Unused => {}
                Role::Integer | Role::Float => rows.push(self.number(at)),
                Role::Pointer => {
                    let (row, problem) = self.array(at);
                    rows.push(row);
                    wrong.extend(problem);
                }
            }
        }
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(String::len).max().unwrap_or(0)
        };
        let widths = [width(0), width(1), width(2)];
        let mut text = String::new();
        for [name, ty, values, error] in &rows {
            let line = format!(
                "  {name:<0$}  {ty:<1$}  {values:<2$}  {error}",
                widths[0], widths[1], widths[2]
            );
            text += line.trim_end();
            text.push('\n');
        }
        (text, wrong)
    }

    fn number(&self, at: usize) -> [String; 4] {
        use crate::launch::Parameter;
        let bytes = match self.inputs.bound.parameters.get(at) {
            Some(Parameter::Scalar(bytes)) => bytes.as_slice(),
            Some(Parameter::Pointer { .. }) | None => &[],
        };
        let dtype = self.inputs.numbers.get(at).copied().flatten();
        let dtype = dtype.unwrap_or(DType::Int(u8::try_from(bytes.len()).unwrap_or(1)));
        [at.to_string(), dtype.name(), dtype.text(bytes), String::new()]
    }

    /// The row of an array, and what is wrong with it.
    fn array(&self, at: usize) -> ([String; 4], Option<Wrong>) {
        let owner = self.inputs.bound.owners.get(at).copied().flatten();
        let Some((buffer, dtype)) = owner else {
            return (Default::default(), None);
        };
        let Some(array) = self.launch.buffers.get(buffer) else {
            return (Default::default(), None);
        };
        let parts = self.roles.roles.iter().enumerate().filter(
            |(_, role)| matches!(role, Role::Extent { of, .. } | Role::Stride { of, .. } if *of == at),
        );
        let last = parts.map(|(part, _)| part).max();
        let name = last.map_or_else(|| at.to_string(), |last| format!("{at}..{last}"));
        let extents: Vec<_> = array.shape.iter().map(ToString::to_string).collect();
        let ty = format!("{}[{}]", dtype.name(), extents.join(","));
        let values: Vec<_> = array
            .data
            .chunks_exact(dtype.bytes())
            .take(SHOWN)
            .map(|one| dtype.text(one))
            .collect();
        let more = if array.len() > SHOWN { ", …" } else { "" };
        let values = format!("{}{more}", values.join(", "));
        let is_result = self.uses(at).is_some_and(|array| array.written);
        let Some(results) = self.results.filter(|_| is_result) else {
            return ([name, ty, values, String::new()], None);
        };
        let Some(want) = results.buffers.get(buffer) else {
            return ([name, ty, values, String::new()], None);
        };
        let unspecified = results.unspecified.get(buffer).map_or(&[][..], Vec::as_slice);
        let difference = Difference::of(array, want, dtype, unspecified);
        let tolerance = Tolerance {
            relative: 0.0,
            absolute: tolerance(dtype) * difference.largest,
        };
        let problem = compare(array, want, dtype, tolerance, unspecified).err();
        let problem = problem.map(|lines| Wrong {
            dtype,
            how: format!("argument {at}: {}", lines.join("; ")),
        });
        ([name, ty, values, difference.words()], problem)
    }

    fn uses(&self, at: usize) -> Option<&ArrayUse> {
        self.roles.arrays.get(at)?.as_ref()
    }

    /// The time of a launch, and the bytes of the arrays that it reads and writes in that time.
    fn speed(&self, times: &[f32]) -> String {
        let mut times = times.to_vec();
        times.sort_by(f32::total_cmp);
        let Some(&median) = times.get(times.len() / 2) else {
            return String::new();
        };
        let owners = self.inputs.bound.owners.iter().enumerate();
        let bytes: usize = owners
            .filter_map(|(at, owner)| {
                let array = self.launch.buffers.get((*owner)?.0)?;
                let uses = self.uses(at)?;
                Some(array.data.len() * (usize::from(uses.read) + usize::from(uses.written)))
            })
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "for display")]
        let bandwidth = bytes as f64 / (f64::from(median) * 1e6);
        format!(
            "median of {} launches: {median:.4} ms, {bandwidth:.1} GB/s ({bytes} bytes read and written)\n",
            times.len()
        )
    }
}

/// The error that is expected at most, relative to the largest element: sums of the compiled kernel have another order.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-12,
        DType::F32 => 1e-4,
        DType::F16 => 4e-3,
        DType::BF16 => 3e-2,
        DType::Bool | DType::Int(_) | DType::UInt(_) => 0.0,
    }
}

/// How two arrays differ.
struct Difference {
    /// The largest difference.
    error: f64,
    /// The largest expected element.
    largest: f64,
    /// The elements that differ.
    count: usize,
}

impl Difference {
    fn of(have: &Array, want: &Array, dtype: DType, unspecified: &[bool]) -> Self {
        let mut all = Self {
            error: 0.0,
            largest: 0.0,
            count: 0,
        };
        let pairs = have
            .data
            .chunks_exact(dtype.bytes())
            .zip(want.data.chunks_exact(dtype.bytes()));
        for (at, (have, want)) in pairs.enumerate() {
            let bytes = at * dtype.bytes()..(at + 1) * dtype.bytes();
            if unspecified.get(bytes).is_some_and(|marks| marks.contains(&true)) {
                continue;
            }
            let (Some(a), Some(b)) = (dtype.number(have), dtype.number(want)) else {
                continue;
            };
            if b.is_finite() {
                all.largest = all.largest.max(b.abs());
            }
            if have != want && !(a.is_nan() && b.is_nan()) {
                all.count += 1;
                all.error = all.error.max((a - b).abs());
            }
        }
        all
    }

    fn words(&self) -> String {
        match self.count {
            0 => "as the reference, bit for bit".to_owned(),
            count => {
                let largest = match self.largest {
                    largest if largest < 1e6 => format!("{largest:.3}"),
                    largest => format!("{largest:.2e}"),
                };
                format!(
                    "largest error {:.2e}, of elements up to {largest}; {count} differ",
                    self.error
                )
            }
        }
    }
}
