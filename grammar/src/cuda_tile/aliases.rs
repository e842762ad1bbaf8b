//! Aliases of types and attributes, `!name = type` and `#name = attribute`, expanded before parsing.
//!
//! Aliases of locations are excluded: they may be used before they are defined, and are resolved by
//! [`Locations`](super::locations::Locations).

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};

use super::cursor::{Parse, fail};
use super::lexer::{is_attribute_alias, is_own};
use super::tree::{Clause, Item, Region};

/// Nesting limit of an alias's expansion, as for brackets in a text.
const MAX_DEPTH: usize = 100;

/// Limit of tokens after expansion, per byte of the text.
const TOKENS_PER_BYTE: usize = 16;

/// The error about an alias that is not defined before its use.
pub(crate) fn undefined<T>(word: &str, at: Span) -> Parse<T> {
    let message = format!("`{word}` is not defined before this use");
    fail(Code::UndefinedValue, message, at, "no definition in this file")
}

/// Expands aliases, and removes their definitions.
pub(crate) fn expand<'input>(
    items: Vec<Item<'input>>,
    file: FileId,
    bytes: usize,
) -> (Vec<Item<'input>>, Vec<Diagnostic<Span>>) {
    let mut aliases = Aliases {
        file,
        known: FxHashMap::default(),
        locations: FxHashSet::default(),
        left: bytes.saturating_mul(TOKENS_PER_BYTE),
        problems: Vec::new(),
    };
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        out.extend(aliases.item(item));
    }
    (out, aliases.problems)
}

struct Aliases<'input> {
    file: FileId,
    /// The expansion of each alias, and its definition's span.
    known: FxHashMap<&'input str, (Vec<Clause<'input>>, Span)>,
    /// The names of locations and debug attributes.
    locations: FxHashSet<&'input str>,
    /// The remaining token budget.
    left: usize,
    problems: Vec<Diagnostic<Span>>,
}

impl<'input> Aliases<'input> {
    /// An item of the file; `None` for the definition of a type or an attribute alias.
    fn item(&mut self, item: Item<'input>) -> Option<Item<'input>> {
        match item {
            Item::Alias {
                name,
                start,
                end,
                clauses,
            } => {
                let at = Span::new(self.file, start, end);
                let clauses = self.clauses(clauses);
                let first = first(&clauses);
                if first == "loc" || first.starts_with("#cuda_tile.di_") || self.locations.contains(first) {
                    self.locations.insert(name);
                    return Some(Item::Alias {
                        name,
                        start,
                        end,
                        clauses,
                    });
                }
                if is_attribute_alias(first) {
                    let problem = undefined::<()>(first, at);
                    self.report(problem);
                    return None;
                }
                self.define(name, clauses, at);
                None
            }
            Item::Statement(mut statement) => {
                if statement.name.starts_with('!') && first(&statement.clauses) == "=" {
                    let at = Span::new(self.file, statement.start, statement.end);
                    statement.clauses.remove(0);
                    let clauses = self.clauses(statement.clauses);
                    self.define(statement.name, clauses, at);
                    return None;
                }
                if !self.known.is_empty() {
                    statement.clauses = self.clauses(statement.clauses);
                }
                Some(Item::Statement(statement))
            }
            Item::Broken(regions) => Some(self.broken(regions)),
        }
    }

    fn report(&mut self, problem: Parse<()>) {
        let problem = problem.err().flatten();
        self.problems.extend(problem.map(|problem| *problem));
    }

    fn define(&mut self, name: &'input str, clauses: Vec<Clause<'input>>, at: Span) {
        let wrong = if !is_own(name) {
            let what = if name.contains('.') {
                "has a dot, which only names of the language have"
            } else {
                "is the language"
            };
            let message = format!("`{name}` {what}");
            Some(Diagnostic::error(Code::Redefinition, message).at(at, "not a name of one's own"))
        } else if let Some((_, first)) = self.known.get(name) {
            let problem = Diagnostic::error(Code::Redefinition, format!("`{name}` is defined twice"));
            Some(
                problem
                    .at(at, "defined again here")
                    .also(*first, "first defined here"),
            )
        } else if clauses.is_empty() || clauses.iter().any(|clause| matches!(clause, Clause::Region(_))) {
            let message = format!("`{name}` stands for no type and no attribute");
            Some(Diagnostic::error(Code::UnexpectedToken, message).at(at, "nothing that can be named"))
        } else if depth(&clauses) > MAX_DEPTH {
            let message = format!("`{name}` stands for brackets that are nested deeper than {MAX_DEPTH}");
            Some(Diagnostic::error(Code::InputTooLarge, message).at(at, "too deep"))
        } else {
            None
        };
        let meaning = match wrong {
            None => clauses,
            Some(problem) => {
                self.problems.push(problem);
                // Its uses are not reported.
                vec![Clause::Bad { start: 0, end: 0 }]
            }
        };
        self.known.entry(name).or_insert((meaning, at));
    }

    /// Expands aliases among the tokens. Every token from an alias has the position of its use.
    fn clauses(&mut self, clauses: Vec<Clause<'input>>) -> Vec<Clause<'input>> {
        if self.known.is_empty() {
            return clauses;
        }
        let mut out = Vec::with_capacity(clauses.len());
        for clause in clauses {
            match clause {
                Clause::Token { text, start, end } => match self.known.get(text) {
                    None => out.push(Clause::Token { text, start, end }),
                    Some((meaning, _)) => match self.left.checked_sub(meaning.len()) {
                        Some(left) => {
                            self.left = left;
                            out.extend(meaning.iter().filter_map(|clause| match clause {
                                Clause::Token { text, .. } => Some(Clause::Token { text, start, end }),
                                Clause::Bad { .. } => Some(Clause::Bad { start, end }),
                                Clause::Region(_) => None,
                            }));
                        }
                        None => {
                            let at = Span::new(self.file, start, end);
                            let message = "aliases make the text too large";
                            let problem = Diagnostic::error(Code::InputTooLarge, message);
                            // Reported once: the rest is not expanded.
                            self.problems.push(problem.at(at, "nothing more is put in place"));
                            self.known.clear();
                        }
                    },
                },
                Clause::Region(region) => out.push(Clause::Region(self.region(region))),
                bad @ Clause::Bad { .. } => out.push(bad),
            }
        }
        out
    }

    fn broken(&mut self, regions: Vec<Region<'input>>) -> Item<'input> {
        Item::Broken(regions.into_iter().map(|region| self.region(region)).collect())
    }

    fn region(&mut self, region: Region<'input>) -> Region<'input> {
        let Region { items, start, end } = region;
        let items = items.into_iter().filter_map(|item| self.inner(item)).collect();
        Region { items, start, end }
    }

    /// An item of a region, which contains no definitions.
    fn inner(&mut self, item: Item<'input>) -> Option<Item<'input>> {
        match item {
            Item::Statement(mut statement) => {
                statement.clauses = self.clauses(statement.clauses);
                Some(Item::Statement(statement))
            }
            Item::Broken(regions) => Some(self.broken(regions)),
            other @ Item::Alias { .. } => Some(other),
        }
    }
}

/// The first token.
fn first<'input>(clauses: &[Clause<'input>]) -> &'input str {
    match clauses.first() {
        Some(Clause::Token { text, .. }) => text,
        Some(Clause::Region(_) | Clause::Bad { .. }) | None => "",
    }
}

/// Nesting depth of brackets.
fn depth(clauses: &[Clause<'_>]) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    for clause in clauses {
        match clause {
            Clause::Token {
                text: "(" | "[" | "<" | "{",
                ..
            } => depth += 1,
            Clause::Token {
                text: ")" | "]" | ">" | "}",
                ..
            } => depth = depth.saturating_sub(1),
            Clause::Token { .. } | Clause::Region(_) | Clause::Bad { .. } => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}
