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
use tilewright_irs::core::{Origin, verify};
use tilewright_irs::mlir::scan::Wrong;
use tilewright_irs::mlir::{MlirModule, verify_module};

use module::ModuleReader;

/// The largest text that is read.
const MAX_BYTES: usize = 1 << 28;

/// A module that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadMlir {
    /// The module.
    pub module: MlirModule,
    /// Where the ops of each kernel and function are, in the order of the text; an op's origin is its index.
    pub places: Vec<Vec<Span>>,
}

impl ReadMlir {
    /// The module, if its kernels and functions are well formed and agree with each other.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn verified(self) -> Result<Self, Vec<Diagnostic<Span>>> {
        let mut problems = Vec::new();
        for (number, (function, _)) in self.module.in_order().enumerate() {
            let found = verify(function).err().unwrap_or_default();
            problems.extend(found.into_iter().map(|problem| self.placed(number, problem)));
        }
        if problems.is_empty() {
            let found = verify_module(&self.module).into_iter();
            problems.extend(found.map(|(number, problem)| self.placed(number, problem.diagnostic)));
        }
        match problems.is_empty() {
            true => Ok(self),
            false => Err(problems),
        }
    }

    /// A problem of a function at the place of its op; of the function as a whole, at that of its first op.
    fn placed(&self, number: usize, problem: Diagnostic<Origin>) -> Diagnostic<Span> {
        let places = self.places.get(number).map(Vec::as_slice).unwrap_or_default();
        let of = |origin: Origin| places.get(origin.0 as usize).or(places.first()).copied();
        problem.map_location(of)
    }
}

/// Reads a module.
///
/// # Errors
/// All that is wrong with the text.
pub fn read_mlir(text: &str, file: FileId) -> Result<ReadMlir, Vec<Diagnostic<Span>>> {
    if text.len() > MAX_BYTES {
        let message = format!("the text is larger than {MAX_BYTES} bytes");
        let at = Span::new(file, 0, 0);
        return Err(vec![
            Diagnostic::error(Code::InputTooLarge, message).at(at, "too large"),
        ]);
    }
    ModuleReader::new(text, file).read()
}

/// An error of a reader as a diagnostic.
fn diagnostic(wrong: Wrong, file: FileId) -> Diagnostic<Span> {
    let at = Span::new(file, wrong.start, wrong.end);
    Diagnostic::error(wrong.code, wrong.message).at(at, wrong.label)
}
