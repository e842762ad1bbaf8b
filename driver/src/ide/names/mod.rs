//! Names of values, functions, aliases, and of what PTX declares: where they are defined and used, and how they are renamed.

pub mod aliases;
pub mod ptx;
mod words;

use std::ops::Range;

use tilewright_diagnostics::{FileId, Span};
use tilewright_grammar::ptx::{Declaration, Named};

use super::functions::{Function, function_at, functions};
use super::tokens::{Kind, Token};
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
    function_name_at(db, source, text, offset)
        .or_else(|| value_at(db, source, text, offset))
        .or_else(|| alias_at(source.file(db), text, offset))
}

/// The name of a function at an offset, where it is defined or where it is launched or called.
fn function_name_at(db: &Compiler, source: Source, text: &str, offset: usize) -> Option<Name> {
    let is_symbol = |_: &str, word: &Token| word.kind == Kind::Symbol;
    let at = words::at(text, offset, is_symbol)?;
    let name = text.get(at.clone())?;
    let spans = functions(db, source)
        .into_iter()
        .filter_map(|function| function.name_span());
    let defined: Vec<Span> = spans.filter(|&own| slice(text, own) == Some(name)).collect();
    let span = |at: Range<usize>| Span::new(source.file(db), at.start, at.end);
    let occurrences = match *defined.as_slice() {
        [] => return None,
        [only] => words::uses(text, name, is_symbol)
            .map(|at| Occurrence {
                defines: span(at.clone()) == only,
                at: span(at),
            })
            .collect(),
        // Functions of several modules with one name: what a use means is not in the words.
        _ => vec![Occurrence {
            defines: defined.contains(&span(at.clone())),
            at: span(at.clone()),
        }],
    };
    Some(Name {
        text: name.to_owned(),
        at: span(at),
        occurrences,
        what: What::Function,
    })
}

/// The name of a value at an offset.
fn value_at(db: &Compiler, source: Source, text: &str, offset: usize) -> Option<Name> {
    let function = function_at(db, source, offset)?;
    let at = u32::try_from(offset).ok()?;
    let found = function.places.names_at(at).next()?;
    Some(Name {
        text: slice(text, found.at)?.to_owned(),
        at: found.at,
        occurrences: occurrences(&function, found.defined),
        what: What::Value,
    })
}

/// The alias at an offset, whether it is defined or not.
fn alias_at(file: FileId, text: &str, offset: usize) -> Option<Name> {
    let at = words::at(text, offset, aliases::is_alias)?;
    let name = text.get(at.clone())?;
    let all = aliases::aliases(text);
    let defined: Vec<_> = all.iter().filter(|alias| alias.name == name).collect();
    let span = |at: Range<usize>| Span::new(file, at.start, at.end);
    let occurrences = words::uses(text, name, aliases::is_alias).map(|at| Occurrence {
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
                What::Function => functions(db, source).iter().any(|other| other.name == new),
                What::Value => is_value(db, source, text, &name, new),
                What::Alias | What::Ptx(..) => {
                    let new = format!("{sigil}{new}");
                    new != name.text && words::uses(text, &new, aliases::is_alias).next().is_some()
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
