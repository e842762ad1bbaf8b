//! Descriptions of the place under the cursor: a value, an op, a word of the language, a kernel, an alias, a name in PTX.

mod lives;
mod ptx;
mod types;
mod values;
mod words;

use std::ops::Range;

use tilewright_diagnostics::Span;

use super::compiled::Compiled;
use super::cost::{Cost, cost};
use super::functions::{Function, function_at, op_at};
use super::names::{Name, What, name_at};
use super::outline::brackets;
use crate::database::Compiler;
use crate::inputs::{Options, Source};
use crate::reading;
use crate::units::Language;

pub use values::{lines, text};

/// A text for the place under the cursor, in Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The place.
    pub at: Option<Span>,
    /// The text.
    pub markdown: String,
}

/// The hover at an offset.
pub fn hover(db: &Compiler, source: Source, options: Options, offset: usize) -> Option<Hover> {
    hover_with(db, source, options, offset, &|function| {
        cost(db, function, options)
    })
}

/// The hover at an offset, where `costs` gives the cost of a kernel.
pub fn hover_with(
    db: &Compiler,
    source: Source,
    options: Options,
    offset: usize,
    costs: &dyn Fn(&Function<'_>) -> Option<Cost>,
) -> Option<Hover> {
    let text = std::str::from_utf8(source.bytes(db)).ok()?;
    let language = reading::language(db, source)?;
    let function = function_at(db, source, offset);
    let name = name_at(db, source, offset);
    let mut parts = match (&name, &function) {
        (Some(name), Some(function)) if name.what == What::Value => {
            let compiled = Compiled::of(db, *function, options);
            return of_function(db, source, options, function, &compiled, offset);
        }
        (Some(name), _) => match name.what {
            What::Alias => types::of_alias(language, text, &name.text)?,
            What::Ptx(declaration, _) => ptx::of_name(db, source, text, offset, declaration)?,
            What::Function | What::Value => Vec::new(),
        },
        (None, function) => {
            let on_op = function.filter(|function| op_at(function, offset).is_some());
            if let Some(function) = on_op.filter(|_| language != Language::Ptx) {
                let compiled = Compiled::of(db, function, options);
                return of_function(db, source, options, &function, &compiled, offset);
            }
            let (at, mut markdown) = match language {
                Language::Ptx => ptx::of_word(text, function.as_ref(), offset),
                _ => words::of_word(language, text, offset),
            }?;
            let Range { start, end } = at;
            let word = text.get(start..end).unwrap_or_default();
            let life = function.and_then(|function| lives::of_word(db, options, &function, start, word));
            markdown.extend(life.map(|life| format!("\n\n{life}")));
            return Some(Hover {
                at: Some(Span::new(source.file(db), start, end)),
                markdown,
            });
        }
    };
    let definition = name.as_ref().and_then(Name::definition);
    let named = definition
        .and_then(|at| function_at(db, source, usize::try_from(at.start).ok()?))
        .filter(|function| function.name_span() == definition);
    if let Some(function) = &named {
        parts = vec![format!("```\n{}\n```", head(text, function)?)];
        parts.extend(costs(function).map(|cost| cost.line()));
    }
    if parts.is_empty() {
        return None;
    }
    Some(Hover {
        at: name.map(|name| name.at),
        markdown: parts.join("\n\n"),
    })
}

/// The hover of a value or an op of a function that has been compiled.
pub fn of_function(
    db: &Compiler,
    source: Source,
    options: Options,
    function: &Function<'_>,
    compiled: &Compiled<'_>,
    offset: usize,
) -> Option<Hover> {
    let name = name_at(db, source, offset).filter(|name| name.what == What::Value);
    let parts = match &name {
        Some(name) => values::of_value(db, options, function, compiled, name),
        None => {
            let text = std::str::from_utf8(source.bytes(db)).ok()?;
            let origin = op_at(function, offset)?;
            values::of_op(db, text, options, function, compiled, origin)?
        }
    };
    Some(Hover {
        at: name.map(|name| name.at),
        markdown: parts.join("\n\n"),
    })
}

/// The text of a function up to its body.
fn head<'t>(text: &'t str, function: &Function<'_>) -> Option<&'t str> {
    let whole = function.whole()?;
    let offset = |at| usize::try_from(at).ok();
    let (start, end) = (offset(whole.start)?, offset(whole.end)?);
    let own = text.get(start..end)?;
    let pairs = brackets(own).into_iter();
    let braces = pairs.filter(|pair| own.get(..pair.start).is_some_and(|before| before.ends_with('{')));
    // Of several, as of attributes, the body is the last one that is in no other.
    let mut body: Option<Range<usize>> = None;
    for pair in braces {
        if body.as_ref().is_none_or(|body| body.end < pair.start) {
            body = Some(pair);
        }
    }
    let head = body.and_then(|body| own.get(..body.start - 1)).unwrap_or(own);
    Some(head.trim_end())
}
