//! `tilewright compile --sweep`: one file for many configurations, from one parse, side by side, as autotuners need it.
//!
//! An axis is an option and the values that it takes; a configuration is a value for each axis. What is wrong with one
//! configuration does not stop the others.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::dialects::fast_math::FastMathFlag;
use tilewright_irs::ptx::Target;

use super::progress::Progress;
use super::sweep_table::{Row, Table};
use crate::database::Compiler;
use crate::files::write_file;
use crate::inputs::{Options, Request, Source};
use crate::units::Language;
use crate::{joins, ptxas, reading, targets};

type Problem = Diagnostic<Location>;

/// The axes that are options rather than hints.
const TARGET: &str = "target";
const OPT_LEVEL: &str = "opt_level";
const FMAD: &str = "fmad";

/// The most configurations of one sweep.
const MOST: usize = 4096;

/// An option, and the values that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    name: String,
    values: Vec<String>,
}

impl Axis {
    /// Reads `sm_80,sm_90a`, which are targets, or `occupancy=1,2`.
    ///
    /// # Errors
    /// A message with the expected form.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (name, values) = text.split_once('=').unwrap_or((TARGET, text));
        let values: Vec<_> = values.split(',').map(|value| value.trim().to_owned()).collect();
        if name.is_empty() || values.iter().any(String::is_empty) {
            return Err(format!(
                "'{text}': expected values with commas between, or NAME=VALUE,VALUE"
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            values,
        })
    }
}

impl Axis {
    /// The name of the option.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the option is a hint.
    pub(super) fn is_hint(&self) -> bool {
        ![TARGET, OPT_LEVEL, FMAD].contains(&self.name.as_str())
    }
}

/// A value for each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) request: Request,
    /// The names and values of all axes except the target.
    pub(super) values: Vec<(String, String)>,
}

impl Configuration {
    /// The last part of the output's name: `sm_90a.occupancy-2`.
    fn name(&self, target: Target) -> String {
        let mut name = target.to_string();
        for (axis, value) in &self.values {
            name += &format!(".{axis}-{value}");
        }
        name
    }

    /// The configuration with one more value.
    fn with(&self, axis: &str, value: &str) -> Result<Self, Problem> {
        let bad = |message: String| Diagnostic::error(Code::BadArgument, format!("--sweep: {message}"));
        let mut next = self.clone();
        match axis {
            TARGET => next.request.target = Some(targets::parse(value)?),
            OPT_LEVEL => match value.parse() {
                Ok(level @ 0..=3) => next.request.opt_level = level,
                _ => return Err(bad(format!("opt_level = {value}: expected 0 to 3"))),
            },
            FMAD => match value.parse() {
                Ok(on) => {
                    next.request.fast_math = next.request.fast_math.with(FastMathFlag::Contract, on);
                }
                Err(_) => return Err(bad(format!("fmad = {value}: expected true or false"))),
            },
            hint => next.request.hints.set(hint, value).map_err(|message| {
                bad(message).help(format!(
                    "other options to sweep are {TARGET}, {OPT_LEVEL} and {FMAD}"
                ))
            })?,
        }
        if axis != TARGET {
            next.values.push((axis.to_owned(), value.to_owned()));
        }
        Ok(next)
    }
}

/// Every combination of values, the first axis varying slowest.
pub(super) fn configurations(request: Request, axes: &[Axis]) -> Result<Vec<Configuration>, Problem> {
    let count = axes
        .iter()
        .map(|axis| axis.values.len())
        .fold(1, usize::saturating_mul);
    if count > MOST {
        let message =
            format!("--sweep: {count} configurations are asked for, and at most {MOST} are compiled");
        return Err(Diagnostic::error(Code::BadArgument, message));
    }
    let mut all = vec![Configuration {
        request,
        values: Vec::new(),
    }];
    for (at, axis) in axes.iter().enumerate() {
        if axes[..at].iter().any(|before| before.name == axis.name) {
            let message = format!("--sweep: {} is given twice", axis.name);
            return Err(
                Diagnostic::error(Code::BadArgument, message).help("give all its values with commas between")
            );
        }
        let mut next = Vec::with_capacity(all.len() * axis.values.len());
        for configuration in &all {
            for value in &axis.values {
                next.push(configuration.with(&axis.name, value)?);
            }
        }
        all = next;
    }
    Ok(all)
}

/// The configurations to compile a file for, and the outputs to make.
#[derive(Debug)]
pub(super) struct Sweep<'a> {
    pub(super) axes: &'a [Axis],
    pub(super) request: Request,
    /// Whether to make cubins instead of PTX.
    pub(super) cubin: bool,
    pub(super) ptxas: Option<&'a Path>,
    /// The folder for the outputs. Without one, only the table is made.
    pub(super) folder: Option<&'a Path>,
    /// The first part of the outputs' names.
    pub(super) stem: String,
}

impl Sweep<'_> {
    /// Compiles a file for every configuration. The caller has reported the errors of the file itself, which all
    /// configurations share.
    ///
    /// # Errors
    /// A diagnostic when the axes are not valid, or cubins are asked for and there is no ptxas.
    pub(super) fn execute(&self, compiler: &Compiler, source: Source) -> Result<Table, Problem> {
        let configurations = configurations(self.request, self.axes)?;
        let ptxas = match ptxas::find(self.ptxas) {
            Ok(ptxas) => Some(ptxas),
            Err(problem) if self.cubin || self.ptxas.is_some() => return Err(problem),
            Err(_) => None,
        };
        // The one parse.
        let _ = reading::parse(compiler, source);
        let inputs: Vec<_> = configurations
            .iter()
            .map(|one| (one, compiler.options(one.request)))
            .collect();
        let pool = rayon::ThreadPoolBuilder::new().stack_size(crate::STACK).build();
        let pool =
            pool.map_err(|error| Diagnostic::error(Code::BadArgument, format!("no threads: {error}")))?;
        // Each thread has its own handle to the same storage.
        let handle = compiler.clone();
        let progress = Progress::begin("compiling");
        let done = AtomicUsize::new(0);
        let rows = pool.install(|| {
            let rows = inputs
                .par_iter()
                .map_with(handle, |compiler, (configuration, options)| {
                    let row = self.row(compiler, source, *options, configuration, ptxas.as_deref());
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    progress.now(format!("compiled {done} of {}", inputs.len()));
                    row
                });
            rows.collect()
        });
        let files = compiler.files();
        Ok(Table { rows, files })
    }

    /// Compiles the file for one configuration.
    fn row(
        &self,
        compiler: &Compiler,
        source: Source,
        options: Options,
        configuration: &Configuration,
        ptxas: Option<&Path>,
    ) -> Row {
        let target = options.target(compiler).unwrap_or(targets::DEFAULT);
        let mut row = Row::new(target, configuration.values.clone());
        let compiled = crate::panics::caught(|| joins::compile(compiler, source, options, Language::Ptx));
        let (text, said) = compiled.unwrap_or_else(|message| {
            let bug = Diagnostic::bug("driver", "sweep", message, "tilewright compile --sweep");
            (None, vec![bug])
        });
        row.diagnostics = said;
        let Some(text) = text else { return row };
        row.target = joins::target(compiler, source, options);
        let name = configuration.name(row.target);
        if let Err(problem) = self.assemble_and_write(&mut row, &text, &name, configuration.request, ptxas) {
            row.output = None;
            row.diagnostics.push(problem);
        }
        row
    }

    fn assemble_and_write(
        &self,
        row: &mut Row,
        text: &str,
        name: &str,
        request: Request,
        ptxas: Option<&Path>,
    ) -> Result<(), Problem> {
        let mut cubin = None;
        if let Some(ptxas) = ptxas {
            let (level, lineinfo) = (request.opt_level, request.lineinfo);
            let made = ptxas::assemble_and_measure(ptxas, text, row.target, level, lineinfo)?;
            row.usage = made.usage;
            cubin = Some(made.cubin);
        }
        let (bytes, extension) = match cubin.as_deref().filter(|_| self.cubin) {
            Some(cubin) => (cubin, "cubin"),
            None => (text.as_bytes(), "ptx"),
        };
        if let Some(folder) = self.folder {
            let path: PathBuf = folder.join(format!("{}.{name}.{extension}", self.stem));
            write_file(&path, bytes)?;
            row.output = Some(path);
        }
        row.compiled = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(texts: &[&str]) -> Vec<Axis> {
        texts
            .iter()
            .map(|text| Axis::parse(text).expect("an axis"))
            .collect()
    }

    #[test]
    fn every_combination_has_a_name_of_its_own() {
        let axes = axes(&["sm_80,sm_90", "occupancy=1,2", "opt_level=0,3"]);
        let all = configurations(Request::default(), &axes).expect("configurations");
        let mut names: Vec<_> = all
            .iter()
            .map(|one| one.name(one.request.target.expect("a target")))
            .collect();
        assert_eq!(names[0], "sm_80.occupancy-1.opt_level-0");
        assert_eq!(names[7], "sm_90a.occupancy-2.opt_level-3");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 8);
    }

    #[test]
    fn mistakes_are_named_with_what_is_allowed() {
        for (texts, wanted) in [
            (&["sm_75"][..], "there is no target 'sm_75', expected one of"),
            (
                &["occupancy=0"],
                "--sweep: hint occupancy = 0: expected an integer value from 1 to 32",
            ),
            (
                &["num_warps=4"],
                "--sweep: there is no hint 'num_warps', expected one of num_cta_in_cga",
            ),
            (
                &["allow_tma=1"],
                "--sweep: hint allow_tma = 1: expected a truth value",
            ),
            (&["opt_level=4"], "--sweep: opt_level = 4: expected 0 to 3"),
            (&["fmad=on"], "--sweep: fmad = on: expected true or false"),
            (&["sm_80", "target=sm_90"], "--sweep: target is given twice"),
        ] {
            let problem = configurations(Request::default(), &axes(texts)).expect_err("a mistake");
            assert!(problem.message.starts_with(wanted), "{}", problem.message);
        }
        let many = vec!["1"; 5000].join(",");
        let problem = configurations(Request::default(), &axes(&[&format!("occupancy={many}")]));
        let problem = problem.expect_err("too many");
        assert!(
            problem.message.contains("5000 configurations"),
            "{}",
            problem.message
        );
        for text in ["", "=1", "occupancy=", "a=1,,2"] {
            assert!(Axis::parse(text).is_err(), "{text}");
        }
    }
}
