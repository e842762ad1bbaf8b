//! Descriptions of what a parser expected.

use std::collections::BTreeSet;

use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};

/// The unexpected input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    /// A token.
    Token,
    /// Characters that begin no token.
    Bad,
    /// A string that is not closed on its line.
    OpenString,
    /// The end of a statement, and the byte range of the bracket that it leaves open.
    End(Option<(usize, usize)>),
    /// The end of the text.
    EndOfText,
}

/// Converts an error of a generated parser to a diagnostic.
pub(crate) fn unexpected(
    file: FileId,
    text: &str,
    (start, end): (usize, Option<usize>),
    expected: &[String],
    found: Found,
) -> Diagnostic<Span> {
    let at = Span::new(file, start, end.unwrap_or(start));
    let slice = end.and_then(|end| text.get(start..end)).unwrap_or_default();
    let wanted = describe(expected);
    let label = if wanted.is_empty() {
        String::new()
    } else {
        format!("expected {wanted}")
    };
    let say = |what: String| {
        if label.is_empty() {
            what
        } else {
            format!("{what}: {label}")
        }
    };
    match found {
        Found::End(Some((open, open_end))) => {
            let bracket = text.get(open..open_end).unwrap_or_default();
            Diagnostic::error(
                Code::UnclosedDelimiter,
                format!("`{bracket}` is opened and never closed"),
            )
            .at(at, label)
            .also(Span::new(file, open, open_end), "opened here")
        }
        Found::End(None) => {
            let message = say("the statement ends too early".to_owned());
            Diagnostic::error(Code::UnexpectedEnd, message).at(at, label)
        }
        Found::Bad => {
            let message = format!("`{}` begins no token", slice.escape_debug());
            Diagnostic::error(Code::BadToken, message).at(at, label)
        }
        Found::OpenString => {
            let message = "a string is opened and not closed on its line";
            Diagnostic::error(Code::UnclosedDelimiter, message).at(at, "no closing quote")
        }
        Found::Token => {
            let message = say(format!("unexpected `{slice}`"));
            Diagnostic::error(Code::UnexpectedToken, message).at(at, label)
        }
        Found::EndOfText => {
            let message = say("the text ends too early".to_owned());
            Diagnostic::error(Code::UnexpectedEnd, message).at(at, label)
        }
    }
}

/// The terminals that begin a type or a value of an attribute.
const TERM: &[&str] = &[
    "a symbol",
    "a quoted symbol",
    "an alias",
    "an integer",
    "a float",
    "a bit pattern",
    "a string",
    "a word",
    "?",
    "[",
    "(",
    "{",
];

/// Describes the terminals in `expected`, as listed by lalrpop; empty if there is nothing to say.
pub(crate) fn describe(expected: &[String]) -> String {
    let mut names: BTreeSet<&str> = expected.iter().map(|name| name.trim_matches('"')).collect();
    if TERM.iter().all(|name| names.contains(name)) {
        names.retain(|name| !TERM.contains(name) && *name != "extents");
        names.insert("a term");
    }
    // Tokens that the lexer inserts for missing braces; they cannot be written.
    names.remove("a missing }");
    names.remove("a missing {");
    if names.remove("a quoted symbol") {
        names.insert("a symbol");
    }
    let words: Vec<String> = names.iter().map(|name| word(name)).collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

fn word(name: &str) -> String {
    match name {
        "{ of a region" => "`{`".to_owned(),
        "} of a region" => "`}`".to_owned(),
        name if name.starts_with(|c: char| c.is_alphabetic()) && name.contains(' ') => name.to_owned(),
        punctuation => format!("`{punctuation}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn lists_are_joined_with_commas_and_or() {
        let list = |names: &[&str]| describe(&names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>());
        assert_eq!(list(&[]), "");
        assert_eq!(list(&["}"]), "`}`");
        assert_eq!(list(&[",", ")"]), "`)` or `,`");
        assert_eq!(list(&["a value", ",", "} of a region"]), "`,`, a value or `}`");
        assert_eq!(list(&["a quoted symbol", "a symbol"]), "a symbol");
    }
}
