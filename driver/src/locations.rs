//! Resolves the locations of pass diagnostics. Apart from line directives, this is the only query that reads source
//! maps.

use std::time::Instant;

use tilewright_diagnostics::{Diagnostic, Location};

use crate::database::Db;
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::pipeline;
use crate::source_map::place;
use crate::units::Language;

/// The diagnostics of the passes from a kernel's own language to `language`, with locations.
#[salsa::tracked]
pub fn located<'db>(
    db: &'db dyn Db,
    kernel: Kernel<'db>,
    options: Options,
    language: Language,
) -> Vec<Diagnostic<Location>> {
    options.may_change(db);
    let start = Instant::now();
    let said = pipeline::diagnostics(db, kernel, options, language);
    if said.is_empty() {
        return Vec::new();
    }
    let places = kernel.places(db);
    let name = kernel.name(db);
    let list = said
        .into_iter()
        .map(|problem| place(problem, places, name))
        .collect();
    db.record("locate", name, start.elapsed());
    list
}
