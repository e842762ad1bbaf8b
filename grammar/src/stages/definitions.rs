//! The definitions of values that are used where they are not in scope.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic, Label, Span};

use super::FuncSpans;

/// Adds to each error about an undefined value of a function where the function defines a value of this name: after the
/// use, or in a region that does not have the use.
pub(crate) fn show_definitions<'a>(
    text: &str,
    diagnostics: &mut [Diagnostic<Span>],
    funcs: impl Iterator<Item = &'a FuncSpans>,
) {
    let undefined = |problem: &Diagnostic<Span>| {
        let label = problem.primary.as_ref()?;
        (problem.code == Code::UndefinedValue).then_some(label.at)
    };
    if !diagnostics.iter().any(|problem| undefined(problem).is_some()) {
        return;
    }
    for func in funcs {
        let mut definitions: Option<FxHashMap<&str, Span>> = None;
        for problem in &mut *diagnostics {
            let Some(at) =
                undefined(problem).filter(|at| func.whole.start <= at.start && at.end <= func.whole.end)
            else {
                continue;
            };
            let definitions = definitions.get_or_insert_with(|| definitions_of(text, func));
            if let Some(&found) = name_at(text, at).and_then(|name| definitions.get(name)) {
                let label = if found.start > at.start {
                    "defined here, after this use"
                } else {
                    "defined here, in a region that ends before this use"
                };
                problem.secondary.push(Label {
                    at: found,
                    message: label.to_owned(),
                });
            }
        }
    }
}

/// The first definition of each name of a function.
fn definitions_of<'t>(text: &'t str, func: &FuncSpans) -> FxHashMap<&'t str, Span> {
    let mut definitions = FxHashMap::default();
    for name in func.names.iter().filter(|name| name.at == name.defined) {
        if let Some(text) = name_at(text, name.at) {
            definitions.entry(text).or_insert(name.at);
        }
    }
    definitions
}

/// The name of a value, or of a group of results, at a place.
fn name_at(text: &str, at: Span) -> Option<&str> {
    let text = text.get(usize::try_from(at.start).ok()?..usize::try_from(at.end).ok()?)?;
    let name = text.strip_prefix('%')?;
    name.split([':', '#']).next()
}
