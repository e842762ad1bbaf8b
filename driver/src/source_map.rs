//! Maps the origins of ops to source locations.

use tilewright_diagnostics::{Diagnostic, Location};
use tilewright_irs::core::Origin;

/// The source locations of one kernel's ops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    /// The kernel's own location.
    pub function: Option<Location>,
    /// The location of each op, by origin.
    pub ops: Vec<Option<Location>>,
}

impl SourceMap {
    /// The location of an origin, or of the kernel if the op has none.
    pub fn get(&self, origin: Origin) -> Option<&Location> {
        let op = usize::try_from(origin.0).ok().and_then(|at| self.ops.get(at));
        op.and_then(Option::as_ref).or(self.function.as_ref())
    }

    /// The location of an op itself.
    pub fn op(&self, origin: Origin) -> Option<&Location> {
        let op = usize::try_from(origin.0).ok().and_then(|at| self.ops.get(at));
        op.and_then(Option::as_ref)
    }
}

/// Resolves a diagnostic's locations. One without a location names its kernel and op.
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
