//! Names of values, functions, aliases, and of what PTX declares: where they are defined and used, and how they are renamed.

pub mod aliases;
pub mod ptx;

use std::ops::Range;

use tilewright_diagnostics::{FileId, Span};
use tilewright_grammar::ptx::{Declaration, Named};

use super::functions::{Function, function_at};
use crate::database::Compiler;
use crate::inputs::Source;
use crate::reading;
use crate::units::Language;

/// A place where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The bytes of the name.
    pub at: Span,
    /// Whether it is defined there.
    pub defines: bool,
}

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A value.
    Value,
    /// A function.
    Function,
    /// An alias of a type or an attribute.
    Alias,
    /// What PTX declares.
    Ptx(Declaration, Named),
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
    /// What it names.
    pub what: What,
}

impl Name {
    /// Where it is defined.
    pub fn definition(&self) -> Option<Span> {
        let mut defining = self.occurrences.iter().filter(|one| one.defines);
        defining.next().map(|one| one.at)
    }

    /// Whether it can have another name.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn can_change(&self) -> Result<(), String> {
        match self.what {
            What::Ptx(_, Named::Registers(_, count)) => Err(format!(
                "`{}` is one of {count} registers that are declared together, whose names end with their numbers",
                self.text
            )),
            What::Alias if self.definition().is_none() => {
                Err(format!("`{}` is not defined in this file", self.text))
            }
            What::Value | What::Function | What::Alias | What::Ptx(..) => Ok(()),
        }
    }
}

/// The name at an offset.
pub fn name_at(db: &Compiler, source: Source, offset: usize) -> Option<Name> {
    let text = std::str::from_utf8(source.bytes(db)).ok()?;
    if reading::language(db, source) == Some(Language::Ptx) {
        return ptx::name_at(db, source, text, offset);
    }
    value_at(db, source, text, offset).or_else(|| alias_at(source.file(db), text, offset))
}

/// The name of a value or a function at an offset.
fn value_at(db: &Compiler, source: Source, text: &str, offset: usize) -> Option<Name> {
    let function = function_at(db, source, offset)?;
    let at = u32::try_from(offset).ok()?;
    let touches = |span: Span| span.start <= at && at <= span.end;
    let name = |at: Span, occurrences, what| {
        Some(Name {
            text: slice(text, at)?.to_owned(),
            at,
            occurrences,
            what,
        })
    };
    if let Some(own) = function.name_span().filter(|&span| touches(span)) {
        let occurrence = Occurrence {
            at: own,
            defines: true,
        };
        return name(own, vec![occurrence], What::Function);
    }
    let found = function.places.names_at(at).next()?;
    name(found.at, occurrences(&function, found.defined), What::Value)
}

/// The alias at an offset, whether it is defined or not.
fn alias_at(file: FileId, text: &str, offset: usize) -> Option<Name> {
    let at = aliases::at(text, offset)?;
    let name = text.get(at.clone())?;
    let all = aliases::aliases(text);
    let defined: Vec<_> = all.iter().filter(|alias| alias.name == name).collect();
    let span = |at: Range<usize>| Span::new(file, at.start, at.end);
    let occurrences = aliases::uses(text, name).map(|at| Occurrence {
        defines: defined.iter().any(|alias| alias.at == at),
        at: span(at),
    });
    Some(Name {
        text: name.to_owned(),
        occurrences: occurrences.collect(),
        at: span(at),
        what: What::Alias,
    })
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
    name.can_change()?;
    let text = std::str::from_utf8(source.bytes(db)).map_err(|_| "the file is no text")?;
    // PTX names have no sigil that is apart from them.
    let sigil = match name.what {
        What::Ptx(..) => "",
        What::Value | What::Function | What::Alias => {
            let sigil = name
                .text
                .get(..1)
                .filter(|text| matches!(*text, "%" | "@" | "#" | "!"));
            sigil.ok_or("this name cannot be changed")?
        }
    };
    let new = new.strip_prefix(sigil).unwrap_or(new);
    let refusal = match name.what {
        What::Ptx(declaration, _) => ptx::refusal(ptx::names(db, source), text, declaration, new),
        What::Alias if !aliases::is_name(new) => Some(format!(
            "`{new}` is no name of an alias: letters, digits, `_` and `$`, with a letter or `_` first"
        )),
        What::Value | What::Function if !is_name(new) => Some(format!(
            "`{new}` is no name: letters, digits, `_`, `.` and `$`, with a letter or `_` first"
        )),
        what => {
            let taken = match what {
                What::Function => super::functions::functions(db, source)
                    .iter()
                    .any(|other| other.name == new),
                What::Value => is_value(db, source, text, &name, new),
                What::Alias | What::Ptx(..) => {
                    let new = format!("{sigil}{new}");
                    new != name.text && aliases::uses(text, &new).next().is_some()
                }
            };
            taken.then(|| format!("`{sigil}{new}` is defined already"))
        }
    };
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    let edits = name.occurrences.iter().filter_map(|one| {
        let old = slice(text, one.at)?;
        // `%group#1` keeps its number, and `%group:2` its count.
        let number = match name.what {
            What::Value => old.strip_prefix(base(old))?,
            What::Function | What::Alias | What::Ptx(..) => "",
        };
        Some((one.at, format!("{sigil}{new}{number}")))
    });
    Ok(edits.collect())
}

/// Whether a value or a function may have a name.
fn is_name(name: &str) -> bool {
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(begins) && name.chars().all(valid)
}

/// Whether the function around `name` has another value that is called `new`.
fn is_value(db: &Compiler, source: Source, text: &str, name: &Name, new: &str) -> bool {
    let offset = usize::try_from(name.at.start).unwrap_or_default();
    let Some(function) = function_at(db, source, offset) else {
        return false;
    };
    function.places.names().any(|other| {
        let base = slice(text, other.at).map(|text| base(text).trim_start_matches('%'));
        base == Some(new) && !name.occurrences.iter().any(|own| own.at == other.at)
    })
}

/// A name without the number of the result in a group.
fn base(name: &str) -> &str {
    name.split(['#', ':']).next().unwrap_or(name)
}

/// The text of a span.
pub(super) fn slice(text: &str, span: Span) -> Option<&str> {
    text.get(usize::try_from(span.start).ok()?..usize::try_from(span.end).ok()?)
}
