//! `tileiras`: bytecode in, a cubin out.
//!
//! Exit codes: 0 success; 1 the command line is invalid, or a file that it names cannot be read or written; 3 the bytecode was
//! refused; 5 the bytecode is valid, but could not be compiled to a cubin. Standard output stays empty unless an option asks for
//! text there. The output file is written last, atomically.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use tilewright_diagnostics::{Code, Diagnostic, Files, Location, Severity};
use tilewright_irs::cuda_tile::Version;
use tilewright_irs::cuda_tile::preview::Features;
use tilewright_irs::ptx::Target;

use super::command_line::{CommandLine, GENERIC, HELP, Spec, Takes, VERSION};
use super::help::{self, Group};
use super::{dump, report, requests, version};
use crate::database::Compiler;
use crate::exit::Exit;
use crate::files::{open_program, print, write_file};
use crate::inputs::{Request, is_bytecode};
use crate::remarks::{self, Wanted};
use crate::tuned::{self, Tuned};
use crate::units::Language;
use crate::{joins, ptxas, reading, targets};

/// The program's name.
pub(super) const NAME: &str = "tileiras";

const PURPOSE: &str = "Tilewright, an open Tile IR compiler";

/// The GPUs as front ends name them: without a letter, whether or not the code uses architecture-specific features (`sm_NNa`).
const GPUS: &[(&str, &str)] = &[
    ("sm_80", "SM 80"),
    ("sm_86", "SM 86"),
    ("sm_87", "SM 87"),
    ("sm_88", "SM 88"),
    ("sm_89", "SM 89"),
    ("sm_90", "SM 90"),
    ("sm_100", "SM 100"),
    ("sm_103", "SM 103"),
    ("sm_107", "SM 107"),
    ("sm_110", "SM 110"),
    ("sm_120", "SM 120"),
    ("sm_121", "SM 121"),
];

const CATEGORIES: &[(&str, &str)] = &[
    ("none", "Disable remarks"),
    ("all", "Show all remarks"),
    ("memory", "Show memory-related remarks"),
    ("schedule", "Show remarks on blocks, warps and the predicted time"),
    ("tensorcore", "Show tensor-core remarks"),
];

const ASSEMBLER: &[Spec] = &[
    Spec {
        name: "Werror",
        takes: Takes::Switch,
        doc: Some("Treat warnings as errors"),
    },
    Spec {
        name: "O",
        takes: Takes::JoinedAlias("opt-level"),
        doc: Some("Alias for --opt-level"),
    },
    Spec {
        name: "arch",
        takes: Takes::Alias("gpu-name"),
        doc: Some("Alias for --gpu-name"),
    },
    Spec {
        name: "device-debug",
        takes: Takes::Switch,
        doc: Some("Generate line-number information and do not optimise"),
    },
    Spec {
        name: "g",
        takes: Takes::Alias("device-debug"),
        doc: Some("Alias for --device-debug"),
    },
    Spec {
        name: "gpu-name",
        takes: Takes::OneOf(GPUS),
        doc: Some("Specify name of NVIDIA GPU to generate code for."),
    },
    Spec {
        name: "host-arch",
        takes: Takes::OneOf(&[("x86_64", "x86_64"), ("aarch64", "aarch64")]),
        doc: Some("Accepted and ignored: no host code is generated."),
    },
    Spec {
        name: "host-os",
        takes: Takes::OneOf(&[("linux", "linux"), ("windows", "windows")]),
        doc: Some("Accepted and ignored: no host code is generated."),
    },
    Spec {
        name: "lineinfo",
        takes: Takes::Switch,
        doc: Some("Generate line-number information (if present in the input bytecode)"),
    },
    Spec {
        name: "list-versions",
        takes: Takes::Nothing,
        doc: Some("List all supported bytecode versions and exit"),
    },
    Spec {
        name: "mlir-print-ir-after-all",
        takes: Takes::Switch,
        doc: Some("Print every kernel to standard error after each pass"),
    },
    Spec {
        name: "o",
        takes: Takes::Alias("output-file"),
        doc: Some("Alias for --output-file"),
    },
    Spec {
        name: "opt-level",
        takes: Takes::Number("N"),
        doc: Some("Specify optimization level. Default Value: 3."),
    },
    Spec {
        name: "output-file",
        takes: Takes::Text("file"),
        doc: Some("Specify name of output file."),
    },
    Spec {
        name: "preview",
        takes: Takes::Text("feature[,feature...]"),
        doc: Some("Enable one or more named preview features"),
    },
];

const REMARKS: &[Spec] = &[
    Spec {
        name: "remark-format",
        takes: Takes::OneOf(&[
            (COMMAND_LINE, "Print remarks to standard output"),
            (YAML, "Write remarks to YAML file"),
        ]),
        doc: Some("Specify the format for remark output"),
    },
    Spec {
        name: requests::ASK,
        takes: Takes::OneOf(CATEGORIES),
        doc: Some("Enable remarks of every type for the specified category"),
    },
    Spec {
        name: requests::ASK_ANALYSIS,
        takes: Takes::OneOf(CATEGORIES),
        doc: Some("Category for analysis remarks"),
    },
    Spec {
        name: requests::ASK_FAILED,
        takes: Takes::OneOf(CATEGORIES),
        doc: Some("Category for failed optimization remarks"),
    },
    Spec {
        name: requests::ASK_MISSED,
        takes: Takes::OneOf(CATEGORIES),
        doc: Some("Category for missed optimization remarks"),
    },
    Spec {
        name: "remarks-output-file",
        takes: Takes::Text("file"),
        doc: Some("Output file for YAML remark format. Default is tileir_remarks.yaml"),
    },
    Spec {
        name: requests::ASK_PASSED,
        takes: Takes::OneOf(CATEGORIES),
        doc: Some("Category for passed optimization remarks"),
    },
];

/// The values of `--remark-format`.
const COMMAND_LINE: &str = "command-line";
const YAML: &str = "yaml";

/// The file of remarks, unless `--remarks-output-file` names one.
const REMARKS_FILE: &str = "tileir_remarks.yaml";

const GROUPS: &[Group] = &[
    Group {
        title: "Generic Options",
        specs: GENERIC,
    },
    Group {
        title: "TileIR Assembler Options",
        specs: ASSEMBLER,
    },
    Group {
        title: "TileIR Assembler Remark Options",
        specs: REMARKS,
    },
];

/// Runs the program.
pub(super) fn run(args: &[OsString]) -> Exit {
    let line = CommandLine::read(NAME, &[GENERIC, ASSEMBLER, REMARKS].concat(), args);
    // These say something about the program, whatever else the command line says.
    let text = if line.has(HELP) {
        help::text(NAME, PURPOSE, GROUPS)
    } else if line.has(VERSION) {
        version::text(NAME, PURPOSE)
    } else if line.has("list-versions") {
        Version::ALL
            .iter()
            .map(|version| format!("{version}\n"))
            .collect()
    } else {
        for error in &line.errors {
            report::line(&format!("{NAME}: {error}\n"));
        }
        if !line.errors.is_empty() {
            return Exit::Usage;
        }
        let outcome = Job::of(&line).and_then(|job| job.execute());
        return outcome.unwrap_or_else(|problem| {
            report::one(problem);
            Exit::Usage
        });
    };
    match print(text.as_bytes()) {
        Ok(()) => Exit::Ok,
        Err(problem) => {
            report::one(problem);
            Exit::Usage
        }
    }
}

/// What a command line requests.
#[derive(Debug)]
struct Job {
    input: PathBuf,
    output: PathBuf,
    target: Target,
    opt_level: u8,
    lineinfo: bool,
    warnings_are_errors: bool,
    preview: Features,
    print_ir: bool,
    remarks: Wanted,
    remarks_to: Destination,
}

/// Where remarks go.
#[derive(Debug)]
enum Destination {
    /// To a file, as YAML.
    File(PathBuf),
    /// To standard output, for people.
    Output,
}

/// An error of the command line.
fn usage(message: impl Into<String>) -> Diagnostic<Location> {
    Diagnostic::error(Code::BadArgument, message)
}

/// The error for an input that is no bytecode.
pub(super) fn not_bytecode() -> Diagnostic<Location> {
    Diagnostic::error(Code::BadMagic, "input does not correspond to Tile IR bytecode")
}

impl Job {
    fn of(line: &CommandLine) -> Result<Self, Diagnostic<Location>> {
        let Some(input) = line.inputs.first() else {
            return Err(usage("no input file provided"));
        };
        let Some(output) = line.value("output-file") else {
            return Err(usage("no output file provided: name one with -o"));
        };
        let Some(gpu) = line.word("gpu-name") else {
            let names: Vec<_> = GPUS.iter().map(|(name, _)| *name).collect();
            let message = format!(
                "no GPU architecture provided: name one of {} with --gpu-name",
                names.join(", ")
            );
            return Err(usage(message));
        };
        let debug = line.is_on("device-debug");
        let level = line.word("opt-level").unwrap_or("3");
        let opt_level = match level.parse() {
            Ok(level @ 0..=3) => level,
            _ => {
                return Err(usage(format!(
                    "invalid optimization level: {level}, expected 0 to 3"
                )));
            }
        };
        let features = line.value("preview").map(OsStr::to_string_lossy);
        let features = features.map(|names| Features::parse(&names)).transpose();
        let file = line.value("remarks-output-file").map(PathBuf::from);
        let yaml = line.word("remark-format") == Some(YAML);
        Ok(Self {
            input: input.into(),
            output: output.into(),
            target: targets::parse(gpu)?,
            opt_level: if debug { 0 } else { opt_level },
            lineinfo: line.is_on("lineinfo") || debug,
            warnings_are_errors: line.is_on("Werror"),
            preview: features.map_err(usage)?.unwrap_or(Features::NONE),
            print_ir: line.is_on("mlir-print-ir-after-all"),
            remarks: requests::wanted(line),
            remarks_to: match yaml {
                true => Destination::File(file.unwrap_or_else(|| REMARKS_FILE.into())),
                false => Destination::Output,
            },
        })
    }

    /// Compiles the input, and writes the output.
    ///
    /// # Errors
    /// A file that the command line names cannot be read or written. Errors in the program are reported here, and not returned.
    fn execute(&self) -> Result<Exit, Diagnostic<Location>> {
        let bytes = open_program(&self.input)?;
        if !is_bytecode(&bytes) {
            report::one(not_bytecode());
            return Ok(Exit::Rejected);
        }
        // What a pass leaves is kept if it is asked for again.
        let mut compiler = match self.remarks.is_empty() && !self.print_ir {
            true => Compiler::once(),
            false => Compiler::new(),
        };
        let (tuned, warnings) = Tuned::asked(tuned::variable().as_deref());
        report::all(&warnings, &Files::new());
        compiler = compiler.with_tuned(tuned);
        let source = compiler.add_source_with(self.input.display().to_string(), bytes, self.preview);
        let options = compiler.options(Request {
            target: Some(self.target),
            opt_level: self.opt_level,
            lineinfo: self.lineinfo,
            preview: self.preview,
            ..Request::default()
        });
        let parsed = reading::parse(&compiler, source);
        if !parsed.is_sound() {
            report::all(&parsed.diagnostics, &compiler.files());
            let is_bug = parsed.diagnostics.iter().any(|one| one.code == Code::Internal);
            return Ok(if is_bug { Exit::Failed } else { Exit::Rejected });
        }
        if self.print_ir {
            report::line(&dump::text(&compiler, source, options));
        }
        let (text, mut said) = joins::compile(&compiler, source, options, Language::Ptx);
        if self.warnings_are_errors {
            said.iter_mut().for_each(Diagnostic::raise);
        }
        // Notes are remarks, for those who ask for them.
        said.retain(|one| one.severity != Severity::Note);
        report::all(&said, &compiler.files());
        let text = text.filter(|_| !said.iter().any(Diagnostic::is_error));
        let Some(text) = text else { return Ok(failed()) };
        let target = joins::target(&compiler, source, options);
        let cubin = ptxas::find(None)
            .and_then(|ptxas| ptxas::assemble(&ptxas, &text, target, self.opt_level, self.lineinfo));
        let cubin = match cubin {
            Ok(cubin) => cubin,
            Err(problem) => {
                report::all(&[problem], &Files::new());
                return Ok(failed());
            }
        };
        if !self.remarks.is_empty() {
            let remarks = remarks::collect(&compiler, source, options, &self.remarks);
            match &self.remarks_to {
                Destination::File(path) => write(path, remarks::yaml(&remarks).as_bytes())?,
                Destination::Output => print(remarks::plain(&remarks).as_bytes())?,
            }
        }
        write(&self.output, &cubin)?;
        Ok(Exit::Ok)
    }
}

/// Writes a file, or standard output if its name is `-`.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic<Location>> {
    match path == Path::new("-") {
        true => print(bytes),
        false => write_file(path, bytes),
    }
}

/// Ends the report on a program that was accepted but has no cubin, with a line that users of NVIDIA's `tileiras` know.
fn failed() -> Exit {
    report::line("error: failed to compile Tile IR program\n");
    Exit::Failed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_supported_gpu_is_known_by_its_name_without_a_letter() {
        let names = targets::SUPPORTED
            .iter()
            .map(|target| format!("sm_{}", target.sm));
        let listed: Vec<_> = GPUS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(listed, names.collect::<Vec<_>>());
        for name in listed {
            targets::parse::<Location>(&name).expect("a target");
        }
    }

    #[test]
    fn the_help_has_the_layout_of_llvm() {
        let help = help::text(NAME, PURPOSE, GROUPS);
        assert!(help.starts_with("OVERVIEW: tileiras: "), "{help}");
        assert!(
            help.contains("\nUSAGE: tileiras [options] <tile bytecode file>\n"),
            "{help}"
        );
        let gpus = "\n  --gpu-name=<value>               - Specify name of NVIDIA GPU to generate code for.\n    \
                    =sm_80                         -   SM 80\n";
        assert!(help.contains(gpus), "{help}");
    }
}
