//! `tileirdisasm`: bytecode as text on standard output.

use std::ffi::OsString;
use std::path::Path;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::cuda_tile::preview::Features;

use super::command_line::{CommandLine, GENERIC, HELP, Spec, Takes, VERSION};
use super::help::{self, Group};
use super::{report, version};
use crate::database::Compiler;
use crate::disassembly::disassembled;
use crate::exit::Exit;
use crate::files::{open_program, print};
use crate::inputs::is_bytecode;

/// The program's name.
pub(super) const NAME: &str = "tileirdisasm";

const PURPOSE: &str = "Tilewright, an open Tile IR disassembler";

const OWN: &[Spec] = &[
    Spec {
        name: "g",
        takes: Takes::Alias("print-debug-info"),
        doc: Some("Alias for --print-debug-info"),
    },
    Spec {
        name: "preview",
        takes: Takes::Text("feature[,feature...]"),
        doc: Some("Enable one or more named preview features"),
    },
    Spec {
        name: "print-debug-info",
        takes: Takes::Switch,
        doc: Some("Annotate disassembly with debugging information, if present."),
    },
];

const GROUPS: &[Group] = &[
    Group {
        title: "Generic Options",
        specs: GENERIC,
    },
    Group {
        title: "TileIR Disassembler Options",
        specs: OWN,
    },
];

/// Runs the program.
pub(super) fn run(args: &[OsString]) -> Exit {
    let line = CommandLine::read(NAME, &[GENERIC, OWN].concat(), args);
    let outcome = if line.has(HELP) {
        print(help::text(NAME, PURPOSE, GROUPS).as_bytes())
    } else if line.has(VERSION) {
        print(version::text(NAME, PURPOSE).as_bytes())
    } else {
        return disassemble(&line);
    };
    match outcome {
        Ok(()) => Exit::Ok,
        Err(problem) => {
            report::one(problem);
            Exit::Usage
        }
    }
}

/// Prints a file as text.
fn disassemble(line: &CommandLine) -> Exit {
    let usage = |message: &str| {
        report::one(Diagnostic::error(Code::BadArgument, message));
        Exit::Usage
    };
    for error in &line.errors {
        report::line(&format!("{NAME}: {error}\n"));
    }
    if !line.errors.is_empty() {
        return Exit::Usage;
    }
    let Some(input) = line.inputs.first().map(Path::new) else {
        return usage("no input file provided");
    };
    let features = line.value("preview").map(|value| value.to_string_lossy());
    let features = match features.map(|names| Features::parse(&names)).transpose() {
        Ok(features) => features.unwrap_or(Features::NONE),
        Err(why) => return usage(&why),
    };
    let bytes = match open_program(input) {
        Ok(bytes) => bytes,
        Err(problem) => {
            report::one(problem);
            return Exit::Usage;
        }
    };
    if !is_bytecode(&bytes) {
        report::one(super::assembler::not_bytecode());
        return Exit::Rejected;
    }
    let mut compiler = Compiler::once();
    let source = compiler.add_source_with(input.display().to_string(), bytes, features);
    let (text, said) = disassembled(&compiler, source, line.is_on("print-debug-info"));
    report::all(&said, &compiler.files());
    let Some(text) = text else { return Exit::Rejected };
    match print(text.as_bytes()) {
        Ok(()) => Exit::Ok,
        Err(problem) => {
            report::one(problem);
            Exit::Usage
        }
    }
}
