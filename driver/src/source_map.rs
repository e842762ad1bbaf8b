//! Maps the origins of ops to source locations.

use std::sync::Arc;

use tilewright_diagnostics::{Diagnostic, Label, Location, Span};
use tilewright_irs::core::{NameUse, Origin};
use tilewright_irs::cuda_tile::{DebugInfo, SourceLocation};

/// The source locations of one kernel's ops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    /// The kernel's own location.
    pub function: Option<Location>,
    /// The location of each op, by origin.
    pub ops: Vec<Option<Location>>,
    /// The debug information of the module and the kernel's index there, for the calls of inlined ops.
    pub debug: Option<(Arc<DebugInfo>, usize)>,
    /// All of the kernel's text.
    pub whole: Option<Span>,
    /// The names of values in the text, in textual order.
    pub names: Vec<NameUse<Span>>,
}

/// A location, and the function that it is in, if debug information has its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) location: Location,
    pub(crate) function: Option<String>,
}

impl SourceMap {
    /// The location of an op or, with [`Origin::FUNCTION`], of the kernel, then the calls that led to it, the innermost first.
    pub(crate) fn frames(&self, origin: Origin) -> Vec<Frame> {
        let chain = self.debug.as_ref().and_then(|(debug, func)| {
            let id = debug.id(*func, origin)?;
            Some(debug.chain(id))
        });
        let frame = |frame: tilewright_irs::cuda_tile::Frame| {
            let SourceLocation { file, line, column } = frame.place;
            Frame {
                location: Location::source(file, line, column),
                function: frame.function,
            }
        };
        let frames: Vec<_> = chain.into_iter().flatten().map(frame).collect();
        if !frames.is_empty() {
            return frames;
        }
        let own = match origin {
            Origin::FUNCTION => self.function.as_ref(),
            _ => self.op(origin),
        };
        let own = own.map(|location| Frame {
            location: location.clone(),
            function: None,
        });
        own.into_iter().collect()
    }

    /// The calls that led to an op of an inlined function, the innermost first.
    pub fn calls(&self, origin: Origin) -> Vec<Location> {
        self.frames(origin)
            .into_iter()
            .skip(1)
            .map(|frame| frame.location)
            .collect()
    }

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

/// Resolves a diagnostic's locations. One without a location names its kernel and op; one in an inlined function has the
/// calls that led there as secondary locations.
pub(crate) fn place(mut problem: Diagnostic<Origin>, map: &SourceMap, kernel: &str) -> Diagnostic<Location> {
    // One about the kernel as a whole is shown at its name.
    problem.primary.get_or_insert_with(|| Label {
        at: Origin::FUNCTION,
        message: String::new(),
    });
    let unplaced = match &problem.primary {
        Some(label) if map.get(label.at).is_none() => Some(match label.at {
            Origin::FUNCTION => format!("in kernel `{kernel}`"),
            Origin(op) => format!("in kernel `{kernel}`, op {op} counted from 0"),
        }),
        Some(_) => None,
        None => Some(format!("in kernel `{kernel}`")),
    };
    let calls = problem.primary.as_ref().map(|label| map.calls(label.at));
    let mut located = problem.map_location(|origin| map.get(origin).cloned());
    located
        .secondary
        .extend(calls.into_iter().flatten().map(|at| Label {
            at,
            message: "called from here".to_owned(),
        }));
    match unplaced {
        Some(note) => located.note(note),
        None => located,
    }
}
