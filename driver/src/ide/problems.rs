//! The diagnostics of a file: those of the front end, and those of the back end.

use tilewright_diagnostics::{Diagnostic, Location};

use crate::database::{Compiler, Db};
use crate::inputs::{Options, Source};
use crate::locations::located;
use crate::reading;
use crate::targets;
use crate::units::Language;

/// The diagnostics of the parser and the verifier.
pub fn front_end(db: &Compiler, source: Source) -> Vec<Diagnostic<Location>> {
    reading::parse(db, source).diagnostics.clone()
}

/// The diagnostics of the target's checks and the passes, for the kernels without errors.
#[salsa::tracked]
pub fn back_end(db: &dyn Db, source: Source, options: Options) -> Vec<Diagnostic<Location>> {
    let target = options.target(db).unwrap_or(targets::DEFAULT);
    let mut said = Vec::new();
    for &kernel in &reading::parse(db, source).kernels {
        let lacking = targets::lacking(db, kernel, target);
        if lacking.is_empty() {
            said.extend(located(db, kernel, options, Language::Ptx).iter().cloned());
        } else {
            said.extend(lacking);
        }
    }
    said
}
