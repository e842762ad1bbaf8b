//! `tilewright watch`: compiles a file again whenever it is saved, and prints what changed.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use clap::Args;
use tilewright_diagnostics::{Diagnostic, Location};

use super::input::{CompileOptions, Input};
use super::report::{Exit, Outcome, Reporter};
use crate::database::Compiler;
use crate::files::{open_program, print};
use crate::ide::cost;
use crate::ide::functions::functions;
use crate::joins;
use crate::ptxas;
use crate::targets;
use crate::units::Language;

/// How often the file is polled.
const PAUSE: Duration = Duration::from_millis(100);

/// A file that has not been written to for this time is taken to be complete.
const SETTLED: Duration = Duration::from_millis(30);

/// The arguments of `watch`.
#[derive(Debug, Args)]
pub(super) struct Watch {
    /// The file: bytecode, or the text of any language
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    options: CompileOptions,
    /// The ptxas that says how many registers a kernel uses [default: searched as for compile; without one, none is said]
    #[arg(long, value_name = "FILE")]
    ptxas: Option<PathBuf>,
    /// Compile N times, and end; for scripts
    #[arg(long, value_name = "N")]
    times: Option<u64>,
}

/// The numbers that are printed of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Numbers {
    instructions: usize,
    shared: u64,
    registers: Option<u32>,
    spilled: Option<u32>,
}

impl Watch {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let mut compiler = Compiler::new();
        compiler.log_executions();
        // Before the file is read, so that no change is missed.
        let mut seen = self.modified();
        let mut input = Input::read_into(compiler, &self.input, self.options.request()?)?;
        let ptxas = match &self.ptxas {
            Some(_) => Some(ptxas::find(self.ptxas.as_deref())?),
            None => ptxas::find(None).ok(),
        };
        let mut bytes = input.source.bytes(&input.compiler).to_vec();
        let mut before = BTreeMap::new();
        let mut said: Option<Vec<Diagnostic<Location>>> = None;
        let mut rounds = 0;
        loop {
            let (now, problems) = self.compile(&input, ptxas.as_deref());
            let mut lines = String::new();
            let passes: u64 = input.compiler.take_executions().iter().map(|one| one.count).sum();
            // Writing to a string does not fail.
            let _ = writeln!(lines, "{}: {passes} steps ran", self.input.display());
            if said.as_ref() != Some(&problems) {
                reporter.report(&problems, input.compiler.files());
                if problems.is_empty() && said.is_some() {
                    let _ = writeln!(lines, "  no problems any more");
                }
            }
            for (kernel, numbers) in &now {
                let _ = writeln!(lines, "  {kernel}: {}", change(before.get(kernel), numbers));
            }
            print(lines.as_bytes())?;
            said = Some(problems);
            // A kernel that is broken for a while is compared with what it was before.
            before.extend(now);
            rounds += 1;
            if self.times == Some(rounds) {
                return Ok(Exit::Ok);
            }
            bytes = self.next(&bytes, &mut seen)?;
            input.compiler.edit(input.source, bytes.clone());
        }
    }

    /// When the file was last written; `None` if it does not exist.
    fn modified(&self) -> Option<SystemTime> {
        fs::metadata(&self.input)
            .and_then(|metadata| metadata.modified())
            .ok()
    }

    /// Waits until the file's contents differ from `bytes`, which were read at or after the time `seen`, and returns them. A file
    /// that is missing, as while an editor replaces it, or still being written is waited for.
    fn next(&self, bytes: &[u8], seen: &mut Option<SystemTime>) -> Result<Vec<u8>, Diagnostic<Location>> {
        loop {
            let now = self.modified();
            if now.is_some() && now != *seen {
                thread::sleep(SETTLED);
                if self.modified() != now {
                    continue;
                }
                *seen = now;
                let new = open_program(&self.input)?;
                if new != bytes {
                    return Ok(new);
                }
            }
            thread::sleep(PAUSE);
        }
    }

    /// Compiles the file; the numbers of its kernels, and the problems.
    fn compile(
        &self,
        input: &Input,
        ptxas: Option<&Path>,
    ) -> (BTreeMap<String, Numbers>, Vec<Diagnostic<Location>>) {
        let db = &input.compiler;
        let (text, problems) = joins::compile(db, input.source, input.options, Language::Ptx);
        let target = input.options.target(db).unwrap_or(targets::DEFAULT);
        let usage = match (ptxas, &text) {
            (Some(ptxas), Some(text)) => {
                let level = self.options.opt_level;
                let made = ptxas::assemble_and_measure(ptxas, text, target, level, self.options.lineinfo);
                made.map(|made| made.usage).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let all = functions(db, input.source);
        let numbers = all.iter().filter_map(|function| {
            let cost = cost::cost(db, function, input.options)?;
            let used = usage.iter().find(|usage| usage.kernel == function.name);
            let numbers = Numbers {
                instructions: cost.instructions,
                shared: cost.shared,
                registers: used.map(|used| used.registers),
                spilled: used.map(|used| used.spill_stores),
            };
            Some((function.name.to_owned(), numbers))
        });
        (numbers.collect(), problems)
    }
}

/// The numbers of a kernel, each with its value before if that was another one.
fn change(before: Option<&Numbers>, now: &Numbers) -> String {
    let number = |name: &str, of: &dyn Fn(&Numbers) -> Option<u64>| {
        let now = of(now)?;
        Some(match before.and_then(of) {
            Some(before) if before != now => format!("{before} -> {now} {name}"),
            _ => format!("{now} {name}"),
        })
    };
    let parts = [
        number("PTX instructions", &|numbers| {
            u64::try_from(numbers.instructions).ok()
        }),
        number("registers", &|numbers| numbers.registers.map(u64::from)),
        number("bytes spilled", &|numbers| {
            numbers.spilled.map(u64::from).filter(|&bytes| bytes > 0)
        }),
        number("bytes of shared memory", &|numbers| {
            Some(numbers.shared).filter(|&bytes| bytes > 0)
        }),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
