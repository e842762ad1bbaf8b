//! Names of values and functions: where they are defined and used, and how they are renamed.

use tilewright_diagnostics::Span;

use super::functions::{Function, function_at};
use crate::database::Compiler;
use crate::inputs::Source;

/// A place where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The bytes of the name.
    pub at: Span,
    /// Whether it is defined there.
    pub defines: bool,
}

/// A name, and everywhere it stands, in textual order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name as it stands at the place that was asked for, with its sigil.
    pub text: String,
    /// The bytes of the name at that place.
    pub at: Span,
    /// Where it stands.
    pub occurrences: Vec<Occurrence>,
}

impl Name {
    /// Where it is defined.
    pub fn definition(&self) -> Option<Span> {
        let mut defining = self.occurrences.iter().filter(|one| one.defines);
        defining.next().map(|one| one.at)
    }
}

/// The name at an offset.
pub fn name_at(db: &Compiler, source: Source, offset: usize) -> Option<Name> {
    let text = std::str::from_utf8(source.bytes(db)).ok()?;
    let function = function_at(db, source, offset)?;
    let at = u32::try_from(offset).ok()?;
    let touches = |span: Span| span.start <= at && at <= span.end;
    let name = |at: Span, occurrences| {
        Some(Name {
            text: slice(text, at)?.to_owned(),
            at,
            occurrences,
        })
    };
    if let Some(own) = function.name_span().filter(|&span| touches(span)) {
        return name(
            own,
            vec![Occurrence {
                at: own,
                defines: true,
            }],
        );
    }
    let found = function.places.names().find(|name| touches(name.at))?;
    name(found.at, occurrences(&function, found.defined))
}

/// Where the name that is defined here stands.
fn occurrences(function: &Function<'_>, defined: Span) -> Vec<Occurrence> {
    let same = function.places.names().filter(|name| name.defined == defined);
    let mut all: Vec<_> = same
        .map(|name| Occurrence {
            at: name.at,
            defines: name.at == defined,
        })
        .collect();
    all.dedup();
    all
}

/// The edits that give the name at an offset another one: each place, and the text for it.
///
/// # Errors
/// Why it cannot have that name.
pub fn rename(
    db: &Compiler,
    source: Source,
    offset: usize,
    new: &str,
) -> Result<Vec<(Span, String)>, String> {
    let name = name_at(db, source, offset).ok_or("there is no name here")?;
    let sigil = name.text.chars().next().filter(|c| matches!(c, '%' | '@'));
    let sigil = sigil.ok_or("this name cannot be changed")?;
    let new = new.strip_prefix(sigil).unwrap_or(new);
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    if new.is_empty() || !new.chars().all(valid) || !new.starts_with(begins) {
        return Err(format!(
            "`{new}` is no name: letters, digits, `_`, `.` and `$`, with a letter or `_` first"
        ));
    }
    let text = std::str::from_utf8(source.bytes(db)).map_err(|_| "the file is no text")?;
    let function = function_at(db, source, offset).ok_or("there is no function here")?;
    let taken = match sigil {
        '@' => super::functions::functions(db, source)
            .iter()
            .any(|other| other.name == new),
        _ => function.places.names().any(|other| {
            let base = slice(text, other.at).map(|text| base(text).trim_start_matches('%'));
            base == Some(new) && !name.occurrences.iter().any(|own| own.at == other.at)
        }),
    };
    if taken {
        return Err(format!("`{sigil}{new}` is defined already"));
    }
    let edits = name.occurrences.iter().filter_map(|one| {
        let old = slice(text, one.at)?;
        // `%group#1` keeps its number, and `%group:2` its count.
        Some((one.at, format!("{sigil}{new}{}", old.strip_prefix(base(old))?)))
    });
    Ok(edits.collect())
}

/// A name without the number of the result in a group.
fn base(name: &str) -> &str {
    name.split(['#', ':']).next().unwrap_or(name)
}

/// The text of a span.
pub(super) fn slice(text: &str, span: Span) -> Option<&str> {
    text.get(usize::try_from(span.start).ok()?..usize::try_from(span.end).ok()?)
}
