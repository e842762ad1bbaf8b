//! `tilewright compile`.

use std::path::PathBuf;

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic, Files, Location};
use tilewright_irs::cuda_tile::Version;

use super::bytecode;
use super::input::{CompileOptions, Input, write_output};
use super::report::{Exit, Outcome, Reporter, Strictness, exit_of, remark};
use super::sweep::{Axis, Sweep};
use super::sweep_table::Row;
use crate::database::{Compiler, Db};
use crate::files::print;
use crate::kernel::Kernel;
use crate::remarks::{self, Wanted};
use crate::tuned::{Tuned, in_words};
use crate::units::{Language, Stage};
use crate::{joins, pipeline, ptxas, reading, targets};

/// What can be emitted besides the languages.
const CUBIN: &str = "cubin";
const BYTECODE: &str = "bytecode";

/// The arguments of `compile`.
#[derive(Debug, Args)]
pub(super) struct Compile {
    /// The file to compile: bytecode, or the text of any language
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    options: CompileOptions,
    /// What to write: a language before or after the file's own, a cubin (through ptxas), or bytecode
    #[arg(long, value_name = "KIND", default_value = "ptx", value_parser = emit_parser())]
    emit: String,
    /// The output file [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// The version of --emit bytecode [default: that of the input; for text, the lowest that can represent it]
    #[arg(long, value_name = "VERSION", value_parser = bytecode::version)]
    bytecode_version: Option<Version>,
    /// The ptxas for --emit cubin [default: beside this program, $TILEWRIGHT_PTXAS, on PATH, in $CUDA_HOME/bin, of pip, or in /usr/local/cuda*]
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
    /// A file of tuned hints, as `tilewright tune --save` writes it: those for a kernel replace its own, but not those of --hint
    #[arg(long, value_name = "FILE")]
    tuned: Option<PathBuf>,
    /// Also write remarks, as YAML: for each product and access what was chosen, why a faster way was not possible and which fact
    /// would allow it, and for each kernel what limits it and its predicted time
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    remarks: Option<PathBuf>,
    #[command(flatten)]
    strictness: Strictness,
    /// Compile for every combination of these values, side by side: of targets, or of opt_level, fmad or a hint as NAME=VALUE,VALUE.
    /// The output is a folder, with a file for each combination, and a table is printed
    #[arg(long, value_name = "VALUE,VALUE", value_parser = Axis::parse, conflicts_with_all = ["werror", "w"])]
    sweep: Vec<Axis>,
    /// The form of the table of --sweep
    #[arg(long, value_name = "FORM", default_value = "text", value_parser = ["text", JSON], requires = "sweep")]
    table: String,
}

/// The table as JSON.
const JSON: &str = "json";

fn emit_parser() -> clap::builder::PossibleValuesParser {
    let languages = Language::ALL.iter().map(|language| language.name());
    let names = languages
        .chain([CUBIN, BYTECODE])
        .map(clap::builder::PossibleValue::new);
    clap::builder::PossibleValuesParser::new(names.collect::<Vec<_>>())
}

impl Compile {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let (tuned, warnings) = Tuned::asked(self.tuned.as_deref());
        reporter.report(&warnings, Files::new());
        // What a pass leaves is kept if it is asked for again.
        let compiler = match self.remarks {
            None => Compiler::once(),
            Some(_) => Compiler::new(),
        };
        let compiler = compiler.with_tuned(tuned);
        let mut input = Input::read_into(compiler, &self.input, self.options.request()?)?;
        reporter.report(&tuned_hints(&input), input.compiler.files());
        if self.options.time_passes {
            input.compiler.log_executions();
        }
        let exit = self.emit(&input, reporter)?;
        if self.options.time_passes {
            print_times(&input);
        }
        Ok(exit)
    }

    fn emit(&self, input: &Input, reporter: &Reporter) -> Outcome {
        if self.bytecode_version.is_some() && self.emit != BYTECODE {
            let message = format!("--bytecode-version says nothing about --emit {}", self.emit);
            return Err(Diagnostic::error(Code::BadArgument, message).help("use --emit bytecode"));
        }
        if self.emit == BYTECODE {
            return self.emit_bytecode(input, reporter);
        }
        if !self.sweep.is_empty() {
            return self.sweep(input, reporter);
        }
        let language = self.emit.parse().unwrap_or(Language::Ptx);
        let (text, said) = joins::compile(&input.compiler, input.source, input.options, language);
        let said = self.strictness.apply(said);
        let exit = reporter.report(&said, input.compiler.files());
        let Some(text) = text.filter(|_| exit == Exit::Ok) else {
            return Ok(exit);
        };
        if let Some(path) = &self.remarks {
            let remarks = remarks::collect(&input.compiler, input.source, input.options, &Wanted::all());
            write_output(Some(path), remarks::yaml(&remarks).as_bytes())?;
        }
        if self.emit == CUBIN {
            let ptxas = ptxas::find(self.ptxas.as_deref())?;
            let target = joins::target(&input.compiler, input.source, input.options);
            let level = self.options.opt_level;
            let cubin = ptxas::assemble(&ptxas, &text, target, level, self.options.lineinfo)?;
            write_output(self.output.as_ref(), &cubin)?;
        } else {
            write_output(self.output.as_ref(), text.as_bytes())?;
        }
        Ok(exit)
    }

    /// Compiles for many configurations. The exit is that of a failure only if the file itself is at fault, or nothing compiles.
    fn sweep(&self, input: &Input, reporter: &Reporter) -> Outcome {
        let cubin = self.emit == CUBIN;
        if !cubin && self.emit != Language::Ptx.name() {
            let message = format!("--sweep makes PTX or cubins, not {}", self.emit);
            return Err(Diagnostic::error(Code::BadArgument, message));
        }
        let parsed = reading::parse(&input.compiler, input.source);
        if !parsed.is_sound() {
            return Ok(reporter.report(&parsed.diagnostics, input.compiler.files()));
        }
        if let Some(folder) = &self.output {
            let made = std::fs::create_dir_all(folder);
            let unwritable = |error| {
                let message = format!("{}: {error}", folder.display());
                Diagnostic::error(Code::FileNotWritable, message)
            };
            made.map_err(unwritable)?;
        }
        let stem = self.input.file_name().and_then(|name| name.to_str());
        let stem = stem.and_then(|name| name.split('.').next());
        let sweep = Sweep {
            axes: &self.sweep,
            request: self.options.request()?,
            cubin,
            ptxas: self.ptxas.as_deref(),
            folder: self.output.as_deref(),
            stem: stem
                .filter(|stem| !matches!(*stem, "" | "-"))
                .unwrap_or("kernel")
                .to_owned(),
        };
        let table = sweep.execute(&input.compiler, input.source)?;
        let text = match self.table == JSON {
            true => table.json(),
            false => table.text(),
        };
        print(text.as_bytes())?;
        let failed = |row: &Row| row.error().map_or(Exit::Ok, exit_of);
        Ok(table.rows.iter().map(failed).min().unwrap_or(Exit::Ok))
    }

    fn emit_bytecode(&self, input: &Input, reporter: &Reporter) -> Outcome {
        let parsed = reading::parse(&input.compiler, input.source);
        let said = self.strictness.apply(parsed.diagnostics.clone());
        let exit = reporter.report(&said, input.compiler.files());
        if exit != Exit::Ok {
            return Ok(exit);
        }
        match bytecode::write(input, self.bytecode_version) {
            Ok(bytes) => {
                write_output(self.output.as_ref(), &bytes)?;
                Ok(exit)
            }
            Err(problems) => Ok(reporter.report(&problems, input.compiler.files())),
        }
    }
}

/// A note on each kernel that has tuned hints, or that none has any.
fn tuned_hints(input: &Input) -> Vec<Diagnostic<Location>> {
    let db = &input.compiler;
    let Some(tuned) = db.tuned() else {
        return Vec::new();
    };
    let target = input.options.target(db).unwrap_or(targets::DEFAULT);
    let note = |&kernel: &Kernel<'_>| {
        let Stage::CudaTile(program) = kernel.body(db) else {
            return None;
        };
        let hints = in_words(&tuned.hints(program, target)?);
        let message = format!(
            "kernel `{}` has tuned hints for {target}: {hints}",
            kernel.name(db)
        );
        Some(Diagnostic::remark(Code::TunedHints, message))
    };
    let kernels = &reading::parse(db, input.source).kernels;
    let mut notes: Vec<_> = kernels.iter().filter_map(note).collect();
    if notes.is_empty() {
        let message = format!("no kernel of the file has tuned hints for {target}");
        notes.push(Diagnostic::remark(Code::TunedHints, message));
    }
    notes
}

/// Prints the time of each pass on standard error.
fn print_times(input: &Input) {
    let times = pipeline::times(&input.compiler.take_executions());
    let total: std::time::Duration = times.iter().map(|(_, time)| *time).sum();
    for (query, time) in times.iter().copied().chain([("total", total)]) {
        remark(&format!("{query:<32} {:>10.3} ms", time.as_secs_f64() * 1e3));
    }
}
