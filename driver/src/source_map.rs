//! Maps the origins of ops to source locations.

use std::sync::Arc;

use tilewright_diagnostics::{Diagnostic, Label, Location, Span};
use tilewright_grammar::stages::part_span;
use tilewright_irs::core::{NameUse, Origin, Part, Problem};
use tilewright_irs::cuda_tile::{DebugInfo, SourceLocation};

/// The source locations of one kernel's ops. Spans refer to the text that the kernel was read from: the file, or a small text
/// with this kernel alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    /// The kernel's own location.
    pub(crate) function: Option<Location>,
    /// The location of each op, by origin.
    pub(crate) ops: Vec<Option<Location>>,
    /// The spans of parts of the ops and of the kernel in the text, sorted.
    pub(crate) parts: Vec<(Origin, Part, Span)>,
    /// The debug information of the module and the kernel's index there, for the calls of inlined ops.
    pub(crate) debug: Option<(Arc<DebugInfo>, usize)>,
    /// The span of the kernel's whole text.
    pub(crate) whole: Option<Span>,
    /// The names of values in the text, in textual order.
    pub(crate) names: Vec<NameUse<Span>>,
}

/// The locations of a kernel and of its ops in its file: a source map, and the distance in bytes from its spans to those in the
/// file.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    map: &'a SourceMap,
    shift: i64,
}

/// A location, and the function that it is in, if debug information has its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) location: Location,
    pub(crate) function: Option<String>,
}

/// A span that is moved by a number of bytes.
pub(crate) fn moved(span: Span, shift: i64) -> Span {
    let offset = |at: u32| u32::try_from(i64::from(at) + shift).unwrap_or_default();
    Span {
        start: offset(span.start),
        end: offset(span.end),
        ..span
    }
}

/// A location whose span is moved by a number of bytes.
pub(crate) fn moved_location(location: Location, shift: i64) -> Location {
    match location {
        Location::Span(span) => Location::Span(moved(span, shift)),
        other @ (Location::Source { .. } | Location::Offset { .. }) => other,
    }
}

impl<'a> Places<'a> {
    /// The places of a map whose spans are `shift` bytes before those in the file.
    pub(crate) fn new(map: &'a SourceMap, shift: i64) -> Self {
        Self { map, shift }
    }

    /// The kernel's own location.
    pub fn function(&self) -> Option<Location> {
        self.placed(self.map.function.as_ref())
    }

    /// The span of the kernel's whole text.
    pub fn whole(&self) -> Option<Span> {
        self.map.whole.map(|span| moved(span, self.shift))
    }

    /// The names of values in the text, in textual order.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = NameUse<Span>> + 'a {
        let shift = self.shift;
        self.map.names.iter().map(move |name| NameUse {
            at: moved(name.at, shift),
            defined: moved(name.defined, shift),
            value: name.value,
        })
    }

    /// The names that begin at an offset or before it, and end there or after it.
    pub fn names_at(&self, at: u32) -> impl Iterator<Item = NameUse<Span>> + 'a {
        let (names, shift) = (&self.map.names, self.shift);
        let first = names.partition_point(|name| moved(name.at, shift).end < at);
        let names = names.get(first..).unwrap_or_default().iter();
        let names = names.map(move |name| NameUse {
            at: moved(name.at, shift),
            defined: moved(name.defined, shift),
            value: name.value,
        });
        names.take_while(move |name| name.at.start <= at)
    }

    /// The number of ops, with and without locations.
    pub fn op_count(&self) -> usize {
        self.map.ops.len()
    }

    /// The spans of the ops in the text, with their origins.
    pub fn op_spans(&self) -> impl Iterator<Item = (Origin, Span)> + 'a {
        let shift = self.shift;
        let spans = (0..).map(Origin).zip(&self.map.ops);
        spans.filter_map(move |(origin, location)| match location {
            Some(Location::Span(span)) => Some((origin, moved(*span, shift))),
            Some(Location::Source { .. } | Location::Offset { .. }) | None => None,
        })
    }

    fn placed(&self, location: Option<&Location>) -> Option<Location> {
        location.map(|location| moved_location(location.clone(), self.shift))
    }

    /// The location of an op or, with [`Origin::FUNCTION`], of the kernel, then the calls that led to it, the innermost first.
    pub(crate) fn frames(&self, origin: Origin) -> Vec<Frame> {
        let chain = self.map.debug.as_ref().and_then(|(debug, func)| {
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
            Origin::FUNCTION => self.function(),
            _ => self.op(origin),
        };
        let own = own.map(|location| Frame {
            location,
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

    /// The location of a part of an op or of the kernel; if the part has none, that of the op or the kernel.
    pub(crate) fn part(&self, origin: Origin, part: Part) -> Option<Location> {
        let span = part_span(&self.map.parts, origin, part);
        let span = span.map(|span| Location::Span(moved(span, self.shift)));
        span.or_else(|| self.get(origin))
    }

    /// The location of an origin, or of the kernel if the op has none.
    pub fn get(&self, origin: Origin) -> Option<Location> {
        self.op(origin).or_else(|| self.function())
    }

    /// The location of an op itself.
    pub fn op(&self, origin: Origin) -> Option<Location> {
        let op = usize::try_from(origin.0).ok().and_then(|at| self.map.ops.get(at));
        self.placed(op.and_then(Option::as_ref))
    }
}

/// Resolves a problem's locations. One without a location names its kernel and op; one in an inlined function has the
/// calls that led there as secondary locations.
pub(crate) fn place(problem: impl Into<Problem>, places: Places<'_>, kernel: &str) -> Diagnostic<Location> {
    let Problem {
        diagnostic: mut problem,
        part,
    } = problem.into();
    // One about the kernel as a whole is shown at its name.
    problem.primary.get_or_insert_with(|| Label {
        at: Origin::FUNCTION,
        message: String::new(),
    });
    let unplaced = match &problem.primary {
        Some(label) if places.get(label.at).is_none() => Some(match label.at {
            Origin::FUNCTION => format!("in kernel `{kernel}`"),
            Origin(op) => format!("in kernel `{kernel}`, op {op} counted from 0"),
        }),
        Some(_) => None,
        None => Some(format!("in kernel `{kernel}`")),
    };
    let calls = problem.primary.as_ref().map(|label| places.calls(label.at));
    let exact = problem.primary.as_ref().map(|label| places.part(label.at, part));
    let mut located = problem.map_location(|origin| places.get(origin));
    if let (Some(label), Some(at)) = (&mut located.primary, exact.flatten()) {
        label.at = at;
    }
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
