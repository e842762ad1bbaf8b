//! Runs a host function: it is evaluated, and what it launches is launched.

use clap::ArgMatches;
use tilewright_diagnostics::{Code, Diagnostic, Location, counted};
use tilewright_evaluator::host::{HostLaunch, evaluate_host};
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::mlir::Mlir;

use super::summary::{Judged, Summary, arrays};
use super::{Compiled, Run, advised};
use crate::cli::input::Input;
use crate::cli::report::{Outcome, Reporter};
use crate::files::{print, read_file};
use crate::launch::Launch;
use crate::launch::gpu::Gpu;
use crate::launch::hosted::Hosted;
use crate::reading::HostModule;
use crate::units::{Language, Stage};
use crate::{joins, pipeline, reading};

/// The most steps of a host function: ops, and iterations of loops.
const STEPS: u64 = 10_000_000;

/// A host function and its module.
struct Host<'a> {
    hosts: &'a HostModule,
    /// Its number among kernels and functions.
    number: usize,
    function: &'a Func<Mlir>,
}

impl Run {
    /// Runs a host function of the module.
    pub(super) fn run_hosted(
        &self,
        input: &Input,
        hosts: &HostModule,
        gpu: Option<&Gpu>,
        matches: Option<&ArgMatches>,
        reporter: &Reporter,
    ) -> Outcome {
        self.refuse_launch_options()?;
        let host = self.function_of(hosts)?;
        let db = &input.compiler;
        let parsed = reading::parse(db, input.source);
        // Functions of the host alone leave nothing to compile.
        let (text, said) = match parsed.is_sound() && parsed.kernels.is_empty() {
            true => (Some(String::new().into()), Vec::new()),
            false => joins::compile(db, input.source, input.options, Language::Ptx),
        };
        let exit = reporter.report(&said, db.files());
        let Some(text) = text else {
            return Ok(exit);
        };
        let given = self.arguments.given(matches);
        let seed = self.arguments.seed;
        let hosted = Hosted::bind(&given, host.function, seed, &|path| read_file(path.as_ref()))?;
        self.check_numbers(&hosted.bound)?;
        let evaluated = evaluate_host(&hosts.module, host.function, &hosted.arguments, STEPS);
        print(evaluated.printed.as_bytes())?;
        let launches = match evaluated.launches {
            Ok(launches) => launches,
            Err(problem) => {
                let problem = hosts.place(host.number, problem);
                return Ok(reporter.report(&[problem], db.files()).max(exit));
            }
        };
        let mut done = self.launch(&hosted.bound, [1; 3], "");
        let (mut report, mut times) = (String::new(), Vec::new());
        for hosted_launch in &launches {
            self.set(&mut done, &hosted, hosted_launch);
            report += &described(hosted_launch);
            match self.run_one(input, &host, &text, gpu, hosted_launch, &mut done)? {
                Ok(more) => add(&mut times, &more),
                Err(problem) => return Ok(reporter.report(&[problem], db.files()).max(exit)),
            }
        }
        if !self.asks_for_nothing() {
            return self
                .finish(&hosted.bound, &done, times, reporter)
                .map(|end| end.max(exit));
        }
        if launches.is_empty() {
            report += &format!("host function `{}` launched no kernel\n", host.function.name);
        }
        let rows = arrays(&hosted.bound, |_| false);
        let summary = Summary {
            rows: &rows,
            launch: &done,
            expected: None,
            tolerance: self.tolerance(),
        };
        let Judged { table, .. } = summary.judge();
        print((report + &table).as_bytes())?;
        Ok(exit)
    }

    /// Refuses the options that say what a host function says.
    fn refuse_launch_options(&self) -> Result<(), Diagnostic<Location>> {
        let options = [
            ("--kernel", self.kernel.is_some()),
            ("--grid", self.grid.is_some()),
            ("--cluster", self.cluster.is_some()),
            ("--dynamic-shared", self.dynamic_shared.is_some()),
        ];
        match options.into_iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((option, _)) => {
                let message = format!(
                    "{option} is for a kernel alone: this file has a host function that launches its kernels"
                );
                Err(Diagnostic::error(Code::BadArgument, message))
            }
        }
    }

    /// The host function: the only one, or the one that is named.
    fn function_of<'a>(&self, hosts: &'a HostModule) -> Result<Host<'a>, Diagnostic<Location>> {
        let host = |(number, function)| Host {
            hosts,
            number,
            function,
        };
        let names: Vec<_> = hosts
            .functions()
            .map(|(_, function)| function.name.as_str())
            .collect();
        let list = || format!("the file's host functions are {}", names.join(", "));
        match (self.function.as_deref(), names.as_slice()) {
            (Some(asked), _) => {
                let mut functions = hosts.functions();
                let found = functions.find(|(_, function)| function.name == asked);
                found.map(host).ok_or_else(|| {
                    let message = format!("{} has no host function `{asked}`", self.input.display());
                    Diagnostic::error(Code::BadArgument, message).help(list())
                })
            }
            (None, [_]) => hosts.functions().next().map(host).ok_or_else(|| {
                Diagnostic::error(
                    Code::BadArgument,
                    format!("{} has no host function", self.input.display()),
                )
            }),
            (None, names) => {
                let count = counted(names.len(), "host function");
                let message = format!("{} has {count}: name one with --function", self.input.display());
                Err(Diagnostic::error(Code::BadArgument, message).help(list()))
            }
        }
    }

    /// Describes a launch of the function.
    fn set(&self, launch: &mut Launch, hosted: &Hosted, made: &HostLaunch) {
        launch.kernel.clone_from(&made.kernel);
        launch.grid = made.grid;
        launch.block = Some(made.block);
        // One block alone is no cluster, which a GPU without clusters has too.
        launch.cluster = made.cluster.filter(|shape| *shape != [1; 3]);
        launch.dynamic_shared = Some(made.dynamic_shared);
        launch.cooperative = made.cooperative;
        launch.programmatic = made.programmatic;
        launch.parameters = hosted.parameters(made);
        launch.deadline = self.limit().map(|limit| std::time::Instant::now() + limit);
    }

    /// Runs a launch of the function. Returns the times of further launches, or why it is refused, or a fault.
    ///
    /// # Errors
    /// The GPU's, or that of the output.
    fn run_one(
        &self,
        input: &Input,
        host: &Host<'_>,
        text: &str,
        gpu: Option<&Gpu>,
        made: &HostLaunch,
        launch: &mut Launch,
    ) -> Result<Result<Vec<f32>, Diagnostic<Location>>, Diagnostic<Location>> {
        let db = &input.compiler;
        let kernels = &reading::parse(db, input.source).kernels;
        let kernel = kernels
            .iter()
            .copied()
            .find(|kernel| kernel.name(db) == made.kernel);
        let at = |problem: Diagnostic<Origin>| Ok(Err(host.hosts.place(host.number, problem)));
        let stage = kernel.and_then(|kernel| pipeline::stage(db, kernel, input.options, Language::Ptx));
        let (Some(kernel), Some(Stage::Ptx(ptx))) = (kernel, stage) else {
            let message = format!("kernel `{}` is launched, and is not compiled", made.kernel);
            return at(Diagnostic::error(Code::UnknownSymbol, message).at(made.origin, "this launch"));
        };
        let wanted: Vec<u64> = ptx
            .entry
            .parameters
            .iter()
            .map(|parameter| parameter.ty.bytes().into())
            .collect();
        let sizes = made.arguments.iter().map(|packed| packed.bytes.len() as u64);
        if !sizes.clone().eq(wanted.iter().copied()) {
            let sizes: Vec<u64> = sizes.collect();
            let message = format!(
                "the parameters of kernel `{}` have {wanted:?} bytes, and the arguments of its launch {sizes:?}",
                made.kernel
            );
            return Err(Diagnostic::bug("cute", "run", message, "tilewright run FILE"));
        }
        let compiled = Compiled {
            input,
            kernel,
            text,
            ptx: &ptx,
            gpu,
        };
        let ran = compiled.run(launch, self.time.unwrap_or(0))?;
        Ok(ran.map_err(advised))
    }
}

/// A line about a launch.
fn described(launch: &HostLaunch) -> String {
    let three = |[x, y, z]: [u32; 3]| format!("{x},{y},{z}");
    let mut line = format!(
        "{}: grid {}, block {}",
        launch.kernel,
        three(launch.grid),
        three(launch.block)
    );
    if let Some(cluster) = launch.cluster.filter(|shape| *shape != [1; 3]) {
        line += &format!(", cluster {}", three(cluster));
    }
    if launch.dynamic_shared > 0 {
        line += &format!(
            ", {} of dynamic shared memory",
            counted(launch.dynamic_shared as usize, "byte")
        );
    }
    line + "\n"
}

/// Adds the times of one launch to those of the others before it.
fn add(times: &mut Vec<f32>, more: &[f32]) {
    times.resize(times.len().max(more.len()), 0.0);
    for (time, more) in times.iter_mut().zip(more) {
        *time += more;
    }
}
