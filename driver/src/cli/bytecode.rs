//! Writing a file as bytecode.

use tilewright_diagnostics::{Diagnostic, Location};
use tilewright_grammar::bytecode;
use tilewright_irs::cuda_tile::{ModuleProblem, Version};

use super::input::Input;
use crate::disassembly::tile_file;
use crate::reading::{self, TileFile};
use crate::source_map::place;

/// Parses a bytecode version, such as `13.1`.
///
/// # Errors
/// A message that lists the supported versions.
pub(super) fn version(name: &str) -> Result<Version, String> {
    let found = Version::ALL.iter().find(|version| version.to_string() == name);
    found.copied().ok_or_else(|| {
        let known: Vec<_> = Version::ALL.iter().map(Version::to_string).collect();
        format!("the versions are {}", known.join(", "))
    })
}

/// The file as bytecode, with its debug information: in the version asked for, or else in its own version, or for a text in the
/// lowest version that can represent it. Its own version keeps the arrangement.
///
/// # Errors
/// Everything that the version cannot represent, with its source location.
pub(super) fn write(input: &Input, asked: Option<Version>) -> Result<Vec<u8>, Vec<Diagnostic<Location>>> {
    let TileFile {
        module,
        debug,
        arrangement,
    } = tile_file(&input.compiler, input.source).map_err(|problem| vec![problem])?;
    let written = match (&arrangement, asked) {
        (Some(arrangement), asked) => {
            bytecode::write_arranged(&module, &debug, asked.unwrap_or(module.version), arrangement)
        }
        (None, Some(asked)) => bytecode::write(&module, &debug, asked),
        (None, None) => {
            let older = Version::ALL.iter().filter(|version| **version < Version::LATEST);
            let lowest = older
                .copied()
                .find_map(|version| bytecode::write(&module, &debug, version).ok());
            lowest.map_or_else(|| bytecode::write(&module, &debug, Version::LATEST), Ok)
        }
    };
    written.map_err(|problems| {
        problems
            .into_iter()
            .map(|problem| located(input, problem))
            .collect()
    })
}

/// A problem with its source location.
fn located(input: &Input, problem: ModuleProblem) -> Diagnostic<Location> {
    let db = &input.compiler;
    let kernels = &reading::parse(db, input.source).kernels;
    match problem.func.and_then(|at| kernels.get(at)) {
        Some(kernel) => place(problem.diagnostic, kernel.places(db), kernel.name(db)),
        None => problem.diagnostic.map_location(|_| None),
    }
}
