//! From origins to places: the only query that reads source maps, besides the join that writes line directives.

use std::time::Instant;

use tilewright_diagnostics::{Diagnostic, Location};
use tilewright_irs::core::Origin;

use crate::database::{Db, Execution};
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::pipeline;
use crate::units::Language;

/// Where the ops of one kernel are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    /// The kernel's own place.
    pub function: Option<Location>,
    /// The place of each op, by origin.
    pub ops: Vec<Option<Location>>,
}

impl SourceMap {
    /// The place of an origin, or of the kernel when the op has none of its own.
    pub fn get(&self, origin: Origin) -> Option<&Location> {
        let op = usize::try_from(origin.0).ok().and_then(|at| self.ops.get(at));
        op.and_then(Option::as_ref).or(self.function.as_ref())
    }

    /// The place of an op itself.
    pub fn op(&self, origin: Origin) -> Option<&Location> {
        let op = usize::try_from(origin.0).ok().and_then(|at| self.ops.get(at));
        op.and_then(Option::as_ref)
    }
}

/// What the passes from a kernel's own language to `language` have to say, with places.
#[salsa::tracked]
pub fn located<'db>(
    db: &'db dyn Db,
    kernel: Kernel<'db>,
    options: Options,
    language: Language,
) -> Vec<Diagnostic<Location>> {
    let start = Instant::now();
    let said = pipeline::diagnostics(db, kernel, options, language);
    if said.is_empty() {
        return Vec::new();
    }
    let map = kernel.source_map(db);
    let name = kernel.name(db);
    let list = said
        .into_iter()
        .map(|problem| place(problem, map, name))
        .collect();
    db.record(Execution {
        query: "locate",
        subject: name.to_owned(),
        time: start.elapsed(),
    });
    list
}

/// A diagnostic with places. One that has none says which kernel and which op it means.
pub(crate) fn place(problem: Diagnostic<Origin>, map: &SourceMap, kernel: &str) -> Diagnostic<Location> {
    let unplaced = match &problem.primary {
        Some(label) if map.get(label.at).is_none() => Some(match label.at {
            Origin::FUNCTION => format!("in kernel `{kernel}`"),
            Origin(op) => format!("in kernel `{kernel}`, op {op} counted from 0"),
        }),
        Some(_) => None,
        None => Some(format!("in kernel `{kernel}`")),
    };
    let located = problem.map_location(|origin| map.get(origin).cloned());
    match unplaced {
        Some(note) => located.note(note),
        None => located,
    }
}
