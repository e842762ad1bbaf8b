//! The syntax tree of a text: statements with their regions; other parts are kept as tokens.

use lalrpop_util::{ErrorRecovery, ParseError};

use super::lexer::Token;

/// A line of a file or of a region.
#[derive(Clone, Debug)]
pub(crate) enum Item<'input> {
    /// An op, an entry, a global or a module.
    Statement(Statement<'input>),
    /// `#name = …`
    Alias {
        name: &'input str,
        start: usize,
        end: usize,
        clauses: Vec<Clause<'input>>,
    },
    /// An error, already reported, possibly with regions.
    Broken(Vec<Region<'input>>),
}

/// `%results = name clauses`
#[derive(Clone, Debug)]
pub(crate) struct Statement<'input> {
    pub(crate) results: Vec<Group<'input>>,
    pub(crate) name: &'input str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) clauses: Vec<Clause<'input>>,
}

/// `%name` or `%name:3`
#[derive(Clone, Debug)]
pub(crate) struct Group<'input> {
    pub(crate) name: &'input str,
    pub(crate) count: Option<&'input str>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A token or a region of a statement.
#[derive(Clone, Debug)]
pub(crate) enum Clause<'input> {
    Token {
        text: &'input str,
        start: usize,
        end: usize,
    },
    Region(Region<'input>),
    /// Invalid characters, already reported.
    Bad {
        start: usize,
        end: usize,
    },
}

/// A region: its lines, and the byte range of its closing brace.
#[derive(Clone, Debug)]
pub(crate) struct Region<'input> {
    pub(crate) items: Vec<Item<'input>>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The number of results of a group; `None` if the count is malformed or out of range.
pub(crate) fn group_size(group: &Group<'_>) -> Option<usize> {
    group.count.map(|count| count.parse().unwrap_or(0))
}

/// Whether a statement has invalid characters, which have been reported.
pub(crate) fn has_bad_token(clauses: &[Clause<'_>]) -> bool {
    clauses.iter().any(|clause| matches!(clause, Clause::Bad { .. }))
}

/// The regions of a statement.
pub(crate) fn regions_of<'t, 'input>(
    clauses: &'t [Clause<'input>],
) -> impl Iterator<Item = &'t Region<'input>> {
    clauses.iter().filter_map(|clause| match clause {
        Clause::Region(region) => Some(region),
        Clause::Token { .. } | Clause::Bad { .. } => None,
    })
}

/// The label of a region's block, if its first line is one, and the remaining lines.
pub(crate) fn block_label<'t, 'input>(
    region: &'t Region<'input>,
) -> (Option<&'t Statement<'input>>, &'t [Item<'input>]) {
    match region.items.split_first() {
        Some((Item::Statement(first), rest)) if first.name.starts_with('^') => (Some(first), rest),
        _ => (None, &region.items),
    }
}

/// An error of the parser: position and expected tokens.
pub(crate) type Unexpected = (usize, Option<usize>, Vec<String>);

/// The state of a parse.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// Errors, which are described when the tokens are available.
    pub(crate) errors: Vec<Unexpected>,
    /// Whether a region is not closed, which the lexer has reported.
    pub(crate) broken: bool,
}

type Failure<'input> = ParseError<usize, Token<'input>, ()>;

impl Context {
    pub(crate) fn broken<'input>(
        &mut self,
        recovery: ErrorRecovery<usize, Token<'input>, ()>,
        first: Option<Region<'input>>,
        rest: Vec<Clause<'input>>,
    ) -> Item<'input> {
        self.failed(recovery.error);
        let rest = rest.into_iter().filter_map(|clause| match clause {
            Clause::Region(region) => Some(region),
            Clause::Token { .. } | Clause::Bad { .. } => None,
        });
        Item::Broken(first.into_iter().chain(rest).collect())
    }

    /// Invalid characters in an otherwise readable statement.
    pub(crate) fn bad<'input>(&mut self, start: usize, end: usize) -> Clause<'input> {
        self.errors.push((start, Some(end), Vec::new()));
        Clause::Bad { start, end }
    }

    pub(crate) fn failed(&mut self, error: Failure<'_>) {
        self.errors.push(match error {
            ParseError::InvalidToken { location } => (location, None, Vec::new()),
            ParseError::UnrecognizedEof { location, expected } => (location, None, expected),
            ParseError::UnrecognizedToken {
                token: (start, _, end),
                expected,
            } => (start, Some(end), expected),
            ParseError::ExtraToken {
                token: (start, _, end),
            } => (start, Some(end), Vec::new()),
            ParseError::User { error: () } => return,
        });
    }
}

/// The names of values among tokens, without their sigil.
pub(crate) fn names<'t, 'input: 't>(
    clauses: &'t [Clause<'input>],
) -> impl Iterator<Item = (&'input str, usize, usize)> + 't {
    clauses.iter().filter_map(|clause| match clause {
        Clause::Token { text, start, end } => Some((text.strip_prefix('%')?, *start, *end)),
        Clause::Bad { .. } | Clause::Region(_) => None,
    })
}
