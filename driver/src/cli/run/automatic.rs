//! `tilewright run FILE`: makes up inputs if none are given, and compares the results with those of the reference evaluator.

use std::fmt;
use std::time::{Duration, Instant};

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Origin;

use super::summary::{Expected, Judged, Row, Summary, What, arrays};
use super::{Compiled, Run, advised};
use crate::cli::arguments::{Grid, wanted};
use crate::cli::progress::Progress;
use crate::cli::report::{Exit, Outcome, Reporter};
use crate::files::print;
use crate::launch::allowance::Compared;
use crate::launch::arguments::{self, Bound};
use crate::launch::dtype::DType;
use crate::launch::invent::{self, Guess, Inputs};
use crate::launch::roles::{self, ArrayUse, Role, Roles};
use crate::launch::{Launch, Parameter, reference};
use crate::units::{Language, PtxKernel, Stage, TileKernel};

/// The number of timed launches on a GPU.
const TIMED: usize = 20;

/// The step limit of the evaluator, unless `--max-steps` is given. Where it is exceeded, results are not compared.
const STEPS: u64 = 50_000_000;

/// The fractions of the time limit that the evaluator may use, for the first inputs that it tries and for all together. The rest
/// is for the launch.
const FIRST_SHARE: f64 = 0.5;
const ALL_SHARES: f64 = 0.7;

/// How many arrays of a list are printed.
const SHOWN: usize = 4;

/// Inputs for which the program has a defined result, and that result.
struct Reference {
    inputs: Inputs,
    /// The arrays after the evaluator's run, or why it could not run the program.
    results: Result<Launch, NotCompared>,
}

impl Run {
    /// Whether inputs are to be made up.
    pub(super) fn is_automatic(&self, ptx: &PtxKernel) -> bool {
        self.arguments.is_empty()
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
        let begin = Instant::now();
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
        let inputs = self.launch(bound, *grid, kernel.name(db));
        let mut launch = inputs.clone();
        // The simulator has what the evaluator has left over, and half of all in any case.
        launch.deadline = self
            .limit()
            .map(|limit| (begin + limit).max(Instant::now() + limit / 2));
        let start = Instant::now();
        let repeat = compiled.gpu.map_or(0, |_| self.time.unwrap_or(TIMED));
        let times = match compiled.run(&mut launch, repeat)? {
            Ok(times) => times,
            Err(fault) => return Ok(reporter.report(&[advised(fault)], db.files())),
        };
        let elapsed = start.elapsed();
        let mut text = self.heading(compiled, *grid);
        if !reference.inputs.covers && self.grid.is_none() {
            text += "the program does not say how many tile blocks there are; --grid gives another number\n";
        }
        let rows = rows(&roles, &reference.inputs);
        let expected = match &reference.results {
            Ok(results) => Some(Expected {
                program,
                inputs: &inputs,
                results,
                replicas: self.replicas,
            }),
            Err(why) => {
                text += &why.to_string();
                None
            }
        };
        let summary = Summary {
            rows: &rows,
            launch: &launch,
            expected,
            tolerance: self.tolerance(),
        };
        let Judged { table, wrong } = summary.judge();
        text += &table;
        text += &match compiled.gpu {
            Some(_) => speed(&times, &roles, &reference.inputs, &launch),
            None => simulated(elapsed),
        };
        print(text.as_bytes())?;
        Ok(wrong.map_or(Exit::Ok, |wrong| reporter.report_one(wrong)))
    }

    /// Prints the arrays after a launch with the user's arguments, if there are any, and whether they agree with the reference
    /// evaluator's.
    pub(super) fn judge_given(
        &self,
        compiled: &Compiled<'_>,
        bound: &Bound,
        [inputs, launch]: [&Launch; 2],
        elapsed: Duration,
        reporter: &Reporter,
    ) -> Outcome {
        let (db, kernel) = (&compiled.input.compiler, compiled.kernel);
        let own = kernel.body(db);
        if bound.owners.iter().all(Option::is_none) {
            return Ok(Exit::Ok);
        }
        let mut text = self.heading(compiled, inputs.grid);
        let program = match own {
            Stage::CudaTile(program) => Some(program),
            _ => {
                text += &NotCompared::Language(own.language()).to_string();
                None
            }
        };
        let mut expected = None;
        if let Some(program) = program {
            let _progress = Progress::begin("interpreting");
            let mut results = inputs.clone();
            results.max_steps.get_or_insert(STEPS);
            results.deadline = self.limit().map(|limit| Instant::now() + limit);
            match reference::run(program, &mut results, 0, self.replicas, None).times {
                Ok(_) => expected = Some((program, results)),
                Err(fault) => match NotCompared::of(&fault) {
                    Some(why) => text += &why.to_string(),
                    None => {
                        let fault = crate::source_map::place(fault, kernel.places(db), kernel.name(db));
                        return Ok(reporter.report(&[fault], db.files()));
                    }
                },
            }
        }
        let rows = given_rows(bound, program.map(|program| roles::roles(program)).as_ref());
        let summary = Summary {
            rows: &rows,
            launch,
            expected: expected.as_ref().map(|(program, results)| Expected {
                program,
                inputs,
                results,
                replicas: self.replicas,
            }),
            tolerance: self.tolerance(),
        };
        let Judged { table, wrong } = summary.judge();
        text += &table;
        if compiled.gpu.is_none() {
            text += &simulated(elapsed);
        }
        print(text.as_bytes())?;
        Ok(wrong.map_or(Exit::Ok, |wrong| reporter.report_one(wrong)))
    }

    /// The kernel, and how it is launched.
    fn heading(&self, compiled: &Compiled<'_>, [x, y, z]: [u32; 3]) -> String {
        let place = match compiled.gpu {
            Some(_) => "on the GPU",
            None => "in the simulator",
        };
        format!(
            "{}: grid {x},{y},{z}, {} {place}, seed {}\n",
            compiled.kernel.name(&compiled.input.compiler),
            compiled.ptx.target,
            self.arguments.seed
        )
    }

    /// Runs the program in the evaluator with one set of made-up inputs after the other, until its result is defined.
    fn evaluated(
        &self,
        program: &TileKernel,
        roles: &Roles,
        name: &str,
    ) -> Result<Reference, Diagnostic<Origin>> {
        let begin = Instant::now();
        let mut first = None;
        let mut long: Option<(Guess, Reference)> = None;
        let _progress = Progress::begin("interpreting");
        for guess in Guess::all(roles, self.arguments.size) {
            // Of a kernel that runs for too long, only loops of fewer rounds and smaller arrays are tried.
            if let Some((long, _)) = &long
                && (guess.extent, guess.number) >= (long.extent, long.number)
            {
                continue;
            }
            let mut inputs = invent::inputs(program, roles, guess, self.arguments.seed)?;
            if let Some(Grid(grid)) = self.grid {
                inputs.grid = grid;
            }
            let (steps, share) = match long {
                None => (STEPS, FIRST_SHARE),
                Some(_) => (STEPS / 10, ALL_SHARES),
            };
            let most = Most {
                steps,
                deadline: self.limit().map(|limit| begin + limit.mul_f64(share)),
            };
            let tried = match self.tried(program, &inputs, name, most) {
                // All blocks write the same elements: the kernel is for one.
                Err(fault) if fault.code == Code::Race && self.grid.is_none() && inputs.grid != [1; 3] => {
                    (inputs.grid, inputs.covers) = ([1; 3], false);
                    let again = self.tried(program, &inputs, name, most);
                    again.map_err(|again| if is_undefined(&again) { fault } else { again })
                }
                tried => tried,
            };
            let reference = |results| Reference { inputs, results };
            match tried {
                Ok(launch) => return Ok(reference(Ok(launch))),
                Err(fault) => match NotCompared::of(&fault) {
                    Some(why @ NotCompared::TooLong) => long = Some((guess, reference(Err(why)))),
                    Some(why) => return Ok(reference(Err(why))),
                    None => {
                        first.get_or_insert(fault);
                    }
                },
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
    /// The result is undefined for these inputs, or the evaluator cannot run the program to its end.
    fn tried(
        &self,
        program: &TileKernel,
        inputs: &Inputs,
        name: &str,
        most: Most,
    ) -> Result<Launch, Diagnostic<Origin>> {
        let mut launch = self.launch(&inputs.bound, inputs.grid, name);
        launch.max_steps.get_or_insert(most.steps);
        launch.deadline = most.deadline;
        reference::run(program, &mut launch, 0, self.replicas, None).times?;
        Ok(launch)
    }
}

/// The limits of a run of the evaluator.
#[derive(Clone, Copy)]
struct Most {
    steps: u64,
    deadline: Option<Instant>,
}

/// Why there are no expected results to compare with.
#[derive(Debug)]
enum NotCompared {
    /// The program has something that the evaluator does not support; the text says what.
    Unsupported(String),
    /// The evaluator has reached its step or time limit.
    TooLong,
    /// The evaluator does not run programs in this language.
    Language(Language),
}

impl NotCompared {
    /// The reason for a fault that stopped the evaluator; `None` if the fault is undefined behaviour of the program.
    fn of(fault: &Diagnostic<Origin>) -> Option<Self> {
        match fault.code {
            Code::EvaluatorUnsupported => Some(Self::Unsupported(fault.message.clone())),
            Code::StepLimit => Some(Self::TooLong),
            _ => None,
        }
    }
}

impl fmt::Display for NotCompared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not compared: ")?;
        match self {
            Self::Unsupported(why) => {
                writeln!(f, "the reference evaluator does not execute this program: {why}")
            }
            Self::TooLong => writeln!(
                f,
                "the reference evaluator has not ended; --limit and --max-steps give it more time and steps"
            ),
            Self::Language(language) => {
                writeln!(
                    f,
                    "the reference evaluator runs cuda_tile, and the file is in {language}"
                )
            }
        }
    }
}

/// A row for each argument that is made up.
fn rows(roles: &Roles, inputs: &Inputs) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, role) in roles.roles.iter().enumerate() {
        match role {
            Role::Extent { .. } | Role::Stride { .. } | Role::Unused => {}
            Role::Integer | Role::Float => {
                let bytes = match inputs.bound.parameters.get(at) {
                    Some(Parameter::Scalar(bytes)) => bytes.clone(),
                    Some(Parameter::Pointer { .. } | Parameter::Struct { .. }) | None => Vec::new(),
                };
                let dtype = inputs.numbers.get(at).copied().flatten();
                let dtype = dtype.unwrap_or(DType::Int(u8::try_from(bytes.len()).unwrap_or(1)));
                rows.push(Row {
                    name: at.to_string(),
                    is_quiet: false,
                    what: What::Number(dtype, bytes),
                });
            }
            Role::Pointer => {
                let Some((buffer, dtype)) = inputs.bound.owners.get(at).copied().flatten() else {
                    continue;
                };
                let parts = roles.roles.iter().enumerate().filter(
                    |(_, role)| matches!(role, Role::Extent { of, .. } | Role::Stride { of, .. } if *of == at),
                );
                let last = parts.map(|(part, _)| part).max();
                let array = Compared { buffer, dtype };
                let listed: Vec<_> = inputs.listed.iter().filter(|listed| listed.list == at).collect();
                rows.push(Row {
                    name: last.map_or_else(|| at.to_string(), |last| format!("{at}..{last}")),
                    is_quiet: false,
                    what: match listed.len() {
                        0 => What::Array {
                            array,
                            is_written: uses(roles, at).is_some_and(|array| array.written),
                        },
                        count => What::List(array, count),
                    },
                });
                rows.extend(listed.into_iter().map(|listed| Row {
                    name: format!("{at}[{}]", listed.row),
                    is_quiet: listed.row >= SHOWN,
                    what: What::Array {
                        array: Compared {
                            buffer: listed.buffer,
                            dtype: listed.dtype,
                        },
                        is_written: uses(roles, listed.array).is_some_and(|array| array.written),
                    },
                }));
            }
        }
    }
    rows
}

/// A row for each array that the user gave. Where the program does not tell which arrays it writes, each counts as written.
fn given_rows(bound: &Bound, roles: Option<&Roles>) -> Vec<Row> {
    let is_written = |buffer: usize| {
        let Some(roles) = roles else { return true };
        let own = |(at, parameter): (usize, &Parameter)| match parameter {
            Parameter::Pointer { buffer: other, .. } if *other == buffer => uses(roles, at),
            Parameter::Pointer { .. } | Parameter::Scalar(_) | Parameter::Struct { .. } => None,
        };
        let mut all = bound.parameters.iter().enumerate().filter_map(own);
        all.any(|array| array.written)
    };
    arrays(bound, is_written)
}

fn uses(roles: &Roles, at: usize) -> Option<&ArrayUse> {
    roles.arrays.get(at)?.as_ref()
}

fn simulated(elapsed: Duration) -> String {
    match elapsed {
        elapsed if elapsed < Duration::from_secs(1) => {
            format!("simulated in {:.1} ms\n", elapsed.as_secs_f32() * 1e3)
        }
        elapsed => format!("simulated in {:.2} s\n", elapsed.as_secs_f32()),
    }
}

/// The time of a launch, and the bytes of the arrays that it reads and writes in that time.
fn speed(times: &[f32], roles: &Roles, inputs: &Inputs, launch: &Launch) -> String {
    let mut times = times.to_vec();
    times.sort_by(f32::total_cmp);
    let Some(&median) = times.get(times.len() / 2) else {
        return String::new();
    };
    let owners = inputs.bound.owners.iter().enumerate();
    let owners = owners.filter_map(|(at, owner)| Some((at, (*owner)?.0)));
    let listed = inputs.listed.iter().map(|listed| (listed.array, listed.buffer));
    let bytes: usize = owners
        .chain(listed)
        .filter_map(|(at, buffer)| {
            let array = launch.buffers.get(buffer)?;
            let uses = uses(roles, at)?;
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

/// Whether a fault is undefined behaviour of the program, rather than a limit of the evaluator.
fn is_undefined(fault: &Diagnostic<Origin>) -> bool {
    !matches!(fault.code, Code::EvaluatorUnsupported | Code::StepLimit)
}
