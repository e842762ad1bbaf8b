//! The reader of MLIR text: modules whose ops are in the generic form, in their own, or in both.
//!
//! Statements are not ended by lines: an op's text ends where its declaration says. So this reader has no grammar beside the
//! declarations of [`tilewright_irs::mlir`], and reads each character once.

mod body;
mod by_hand;
mod custom;
mod generic;
mod module;
mod parts;

use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::core::{Func, Origin, verify};
use tilewright_irs::mlir::scan::Wrong;
use tilewright_irs::mlir::{Mlir, MlirModule, verify_module};

use crate::stages::FuncSpans;
use module::ModuleReader;

/// The largest text that is read.
const MAX_BYTES: usize = 1 << 28;

/// A module that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadMlir {
    /// The module.
    pub module: MlirModule,
    /// The places of each kernel and function, in the order of the text.
    pub places: Vec<FuncSpans>,
}

/// What was read of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedMlir {
    /// The kernels and functions without errors; none if an error ends the reading.
    pub read: ReadMlir,
    /// The others, as far as they could be read.
    pub partial: Vec<(Func<Mlir>, FuncSpans)>,
    /// What is wrong with the text.
    pub diagnostics: Vec<Diagnostic<Span>>,
}

impl ReadMlir {
    /// The module, if its kernels and functions are well formed and agree with each other.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn verified(self) -> Result<Self, Vec<Diagnostic<Span>>> {
        let mut problems = self.problems();
        if problems.is_empty() {
            problems = self.disagreements();
        }
        match problems.is_empty() {
            true => Ok(self),
            false => Err(problems.into_iter().map(|(_, problem)| problem).collect()),
        }
    }

    /// What is wrong with each kernel and function alone, with its number.
    fn problems(&self) -> Vec<(usize, Diagnostic<Span>)> {
        let functions = self.module.in_order().enumerate();
        let found = functions.flat_map(|(number, (function, _))| {
            let found = verify(function).err().unwrap_or_default().into_iter();
            found.map(move |problem| (number, problem))
        });
        found
            .map(|(number, problem)| (number, self.placed(number, problem)))
            .collect()
    }

    /// Where kernels and functions that are well formed contradict each other, with their numbers.
    fn disagreements(&self) -> Vec<(usize, Diagnostic<Span>)> {
        let found = verify_module(&self.module).into_iter();
        found
            .map(|(number, problem)| (number, self.placed(number, problem.diagnostic)))
            .collect()
    }

    /// A problem of a function at the place of its op; of the function as a whole, at that of its first op.
    fn placed(&self, number: usize, problem: Diagnostic<Origin>) -> Diagnostic<Span> {
        let places = self.places.get(number).map(|places| places.ops.as_slice());
        let places = places.unwrap_or_default();
        let of = |origin: Origin| places.get(origin.0 as usize).or(places.first()).copied();
        problem.map_location(of)
    }
}

impl ParsedMlir {
    /// What is wrong with the kernels and functions that were read, each with its number.
    pub fn problems(&self) -> Vec<(usize, Diagnostic<Span>)> {
        let problems = self.read.problems();
        // A function that could not be read may be the one that another one names.
        match problems.is_empty() && self.diagnostics.is_empty() {
            true => self.read.disagreements(),
            false => problems,
        }
    }
}

/// Reads a module as far as it can be read.
pub fn parse_mlir(text: &str, file: FileId) -> ParsedMlir {
    if text.len() > MAX_BYTES {
        let message = format!("the text is larger than {MAX_BYTES} bytes");
        let at = Span::new(file, 0, 0);
        let problem = Diagnostic::error(Code::InputTooLarge, message).at(at, "too large");
        return ParsedMlir {
            read: ReadMlir {
                module: MlirModule::default(),
                places: Vec::new(),
            },
            partial: Vec::new(),
            diagnostics: vec![problem],
        };
    }
    ModuleReader::new(text, file).read()
}

/// Reads a module.
///
/// # Errors
/// All that is wrong with the text.
pub fn read_mlir(text: &str, file: FileId) -> Result<ReadMlir, Vec<Diagnostic<Span>>> {
    let parsed = parse_mlir(text, file);
    match parsed.diagnostics.is_empty() {
        true => Ok(parsed.read),
        false => Err(parsed.diagnostics),
    }
}

/// An error of a reader as a diagnostic.
fn diagnostic(wrong: Wrong, file: FileId) -> Diagnostic<Span> {
    let at = Span::new(file, wrong.start, wrong.end);
    Diagnostic::error(wrong.code, wrong.message).at(at, wrong.label)
}
