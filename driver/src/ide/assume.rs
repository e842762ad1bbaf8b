//! A code action that allows wide accesses: it adds the assumption that an array is aligned.

use tilewright_diagnostics::Span;

use super::functions::function_at;
use super::names::name_at;
use crate::database::Compiler;
use crate::inputs::{Options, Source};
use crate::kernel::Kernel;
use crate::pipeline;
use crate::units::{Language, Stage};

/// The alignment that the widest access of a thread needs, in bytes. Every allocation of CUDA has it.
const ALIGNMENT: u64 = 16;

/// An edit that adds an assumption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// What the edit does, in the imperative.
    pub title: String,
    /// The places, and the text for each.
    pub edits: Vec<(Span, String)>,
}

/// The assumption that could be added at an offset: there is one for a pointer parameter of a `cuda_tile` kernel whose alignment
/// is not known.
pub fn assumption(db: &Compiler, source: Source, options: Options, offset: usize) -> Option<Assumption> {
    let text = std::str::from_utf8(source.bytes(db)).ok()?;
    let function = function_at(db, source, offset)?;
    let kernel = function.kernel?;
    if function.body.language() != Language::CudaTile {
        return None;
    }
    let name = name_at(db, source, offset)?;
    let defined = name.definition()?;
    let value = function.places.names().find(|one| one.at == defined)?.value;
    let index = function.parameter(value)?;
    let ty = function.type_of(value).filter(|ty| ty.starts_with("tile<ptr<"))?;
    if divisor_of_parameter(db, kernel, options, index)? >= ALIGNMENT {
        return None;
    }
    // The result of an op that assumes something else of the parameter is not the parameter.
    if first_op(&function)? <= defined.start {
        return None;
    }
    let old = name.text.trim_start_matches('%');
    let taken: Vec<_> = function
        .places
        .names()
        .filter_map(|one| text.get(range(one.at)))
        .collect();
    let fresh = (0..).map(|count| match count {
        0 => format!("%{old}_aligned"),
        count => format!("%{old}_aligned_{count}"),
    });
    let new = fresh.into_iter().find(|new| !taken.contains(&new.as_str()))?;
    let statement = format!("{new} = assume div_by<{ALIGNMENT}>, %{old} : {ty}");
    let (at, statement) = line_before(text, usize::try_from(first_op(&function)?).ok()?, &statement);
    let at = u32::try_from(at).ok()?;
    let mut edits = vec![(
        Span {
            start: at,
            end: at,
            ..defined
        },
        statement,
    )];
    let uses = name.occurrences.iter().filter(|one| !one.defines);
    edits.extend(uses.map(|one| (one.at, new.clone())));
    Some(Assumption {
        title: format!("assume that `%{old}` is a multiple of {ALIGNMENT} bytes"),
        edits,
    })
}

/// The number that a parameter is known to be a multiple of, in bytes for a pointer; 1 if nothing is known.
fn divisor_of_parameter(db: &Compiler, kernel: Kernel<'_>, options: Options, index: usize) -> Option<u64> {
    let Some(Stage::TileAa(func)) = pipeline::stage(db, kernel, options, Language::TileAa) else {
        return None;
    };
    let ty = func.body.ty(*func.body.params().get(index)?);
    ty.facts.divisibility.first().copied()
}

/// The start of the first op.
fn first_op(function: &super::functions::Function<'_>) -> Option<u32> {
    function.places.op_spans().map(|(_, span)| span.start).min()
}

/// The offset at which to insert a statement before the op at `op`, and the statement with the white space that separates it from
/// the op.
fn line_before(text: &str, op: usize, statement: &str) -> (usize, String) {
    let before = text.get(..op).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let head = before.get(line..).unwrap_or_default();
    match head.rfind('{') {
        // The op is on the line of the function.
        Some(brace) => (line + brace + 1, format!(" {statement}\n ")),
        None => {
            let indent: String = head.chars().take_while(|c| c.is_whitespace()).collect();
            (line + indent.len(), format!("{statement}\n{indent}"))
        }
    }
}

fn range(span: Span) -> std::ops::Range<usize> {
    let offset = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    offset(span.start)..offset(span.end)
}
