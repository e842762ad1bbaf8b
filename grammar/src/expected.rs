//! The words for what a parser expected.

use std::collections::BTreeSet;

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

/// What the terminals in `expected`, as lalrpop lists them, are to a reader; empty when there is nothing to say.
pub(crate) fn describe(expected: &[String]) -> String {
    let mut names: BTreeSet<&str> = expected.iter().map(|name| name.trim_matches('"')).collect();
    if TERM.iter().all(|name| names.contains(name)) {
        names.retain(|name| !TERM.contains(name) && *name != "extents");
        names.insert("a term");
    }
    // The lexer makes it up when an end is missing: nobody can write it.
    names.remove("a missing }");
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
    fn lists_are_read_aloud() {
        let list = |names: &[&str]| describe(&names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>());
        assert_eq!(list(&[]), "");
        assert_eq!(list(&["}"]), "`}`");
        assert_eq!(list(&[",", ")"]), "`)` or `,`");
        assert_eq!(list(&["a value", ",", "} of a region"]), "`,`, a value or `}`");
        assert_eq!(list(&["a quoted symbol", "a symbol"]), "a symbol");
    }
}
