//! The outline of a file: functions with their contents, and aliases; the ranges that can be folded; the steps by which a
//! selection grows.

use std::ops::Range;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{FileId, Span};
use tilewright_grammar::ptx::{Declaration, Named};
use tilewright_irs::core::{Origin, Value};

use super::functions::{Content, Function, functions};
use super::names::{aliases, ptx, slice};
use crate::database::Compiler;
use crate::inputs::Source;
use crate::reading;
use crate::units::Language;

/// What an entry of the outline is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A value.
    Value,
    /// An op without results that has regions.
    Op,
    /// An alias of a type.
    Type,
    /// An alias of an attribute.
    Attribute,
    /// A label of PTX.
    Label,
    /// A variable of PTX.
    Variable,
}

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The language of a function, the type of a value, what an alias stands for, a declaration of PTX.
    pub detail: String,
    /// The span of the whole entry.
    pub whole: Span,
    /// The span of its name.
    pub at: Span,
    /// The entries within it.
    pub children: Vec<Symbol>,
}

/// The outline of a file.
pub fn symbols(db: &Compiler, source: Source) -> Vec<Symbol> {
    let text = std::str::from_utf8(source.bytes(db)).unwrap_or_default();
    if reading::language(db, source) == Some(Language::Ptx) {
        return of_ptx(db, source, text);
    }
    let ends = Ends::of(text);
    let functions = functions(db, source).into_iter();
    let functions = functions.filter_map(|function| {
        let mut symbol = of_function(&function)?;
        let scope = Scope::of(&function, text, &ends);
        symbol.children = scope.entries(&function.contents());
        Some(symbol)
    });
    let mut all: Vec<_> = of_aliases(source.file(db), text).chain(functions).collect();
    all.sort_by_key(|symbol| symbol.whole.start);
    all
}

/// The functions of a file, without their contents.
pub fn function_symbols(db: &Compiler, source: Source) -> Vec<Symbol> {
    functions(db, source).iter().filter_map(of_function).collect()
}

fn of_function(function: &Function<'_>) -> Option<Symbol> {
    let whole = function.whole()?;
    let at = function.name_span()?;
    // A name that could not be read lies where the function does.
    let at = if at.start < whole.start || whole.end < at.end {
        whole
    } else {
        at
    };
    Some(Symbol {
        name: function.name.to_owned(),
        kind: SymbolKind::Function,
        detail: function.body.language().name().to_owned(),
        whole,
        at,
        children: Vec::new(),
    })
}

/// The aliases, except those of debug information: there may be one for each op.
fn of_aliases(file: FileId, text: &str) -> impl Iterator<Item = Symbol> {
    let all = aliases::aliases(text).into_iter();
    let shown = all.filter(|alias| !alias.is_debug());
    shown.map(move |alias| Symbol {
        name: alias.name.to_owned(),
        kind: match alias.name.starts_with('!') {
            true => SymbolKind::Type,
            false => SymbolKind::Attribute,
        },
        detail: alias.meaning.split_whitespace().collect::<Vec<_>>().join(" "),
        whole: Span::new(file, alias.whole.start, alias.whole.end),
        at: Span::new(file, alias.at.start, alias.at.end),
        children: Vec::new(),
    })
}

/// The kernels, functions and variables of a text of PTX; in a kernel its parameters, labels and variables.
fn of_ptx(db: &Compiler, source: Source, text: &str) -> Vec<Symbol> {
    let mut all: Vec<(Declaration, Symbol)> = Vec::new();
    for (declaration, declared) in ptx::names(db, source).declared() {
        let kind = match declared.what {
            Named::Entry | Named::Function => SymbolKind::Function,
            Named::Parameter => SymbolKind::Value,
            Named::Variable(_) => SymbolKind::Variable,
            Named::Label => SymbolKind::Label,
            // Their declaration says how many there are, and no more.
            Named::Register(_) | Named::Registers(..) => continue,
        };
        let detail = match declared.what {
            Named::Entry => Language::Ptx.name().to_owned(),
            Named::Label => String::new(),
            _ => ptx::declaration(text, declared),
        };
        let symbol = Symbol {
            name: slice(text, declared.at).unwrap_or_default().to_owned(),
            kind,
            detail,
            whole: declared.whole,
            at: declared.at,
            children: Vec::new(),
        };
        // What is declared within another comes after it.
        let around = declared.within.and_then(|within| {
            let mut others = all.iter_mut().rev();
            others.find(|(other, _)| *other == within)
        });
        match around {
            Some((_, around)) => around.children.push(symbol),
            None => all.push((declaration, symbol)),
        }
    }
    for (_, symbol) in &mut all {
        symbol.children.sort_by_key(|child| child.whole.start);
    }
    all.into_iter().map(|(_, symbol)| symbol).collect()
}

/// A function, and what is needed to make the entries of its contents.
struct Scope<'a> {
    function: &'a Function<'a>,
    text: &'a str,
    ends: &'a Ends<'a>,
    /// The name of each value where it is defined.
    names: FxHashMap<Value, Span>,
    ops: FxHashMap<Origin, Span>,
}

impl<'a> Scope<'a> {
    fn of(function: &'a Function<'a>, text: &'a str, ends: &'a Ends<'a>) -> Self {
        let names = function.places.names().filter(|name| name.at == name.defined);
        Self {
            function,
            text,
            ends,
            names: names.map(|name| (name.value, name.at)).collect(),
            ops: function.places.op_spans().collect(),
        }
    }

    fn entries(&self, contents: &[Content]) -> Vec<Symbol> {
        let mut all = Vec::new();
        for content in contents {
            match content {
                Content::Argument(value) => all.extend(self.values(&[*value], false)),
                Content::Op {
                    origin,
                    results,
                    inner,
                } => {
                    let mut own = self.values(results, true);
                    let inner: Vec<_> = inner.iter().flat_map(|inner| self.entries(inner)).collect();
                    if own.is_empty() && !inner.is_empty() {
                        own.extend(self.ops.get(origin).map(|&at| Symbol {
                            name: slice(self.text, at).unwrap_or_default().to_owned(),
                            kind: SymbolKind::Op,
                            detail: String::new(),
                            whole: self.ends.statement(at),
                            at,
                            children: Vec::new(),
                        }));
                    }
                    match own.first_mut() {
                        Some(first) => {
                            let ends = inner.iter().map(|inner| inner.whole.end);
                            first.whole.end = ends.fold(first.whole.end, u32::max);
                            first.children = inner;
                        }
                        // An op whose place could not be read.
                        None => own = inner,
                    }
                    all.extend(own);
                }
            }
        }
        all
    }

    /// An entry for each name of these values; a group of results has one.
    fn values(&self, values: &[Value], results: bool) -> Vec<Symbol> {
        let mut all: Vec<Symbol> = Vec::new();
        for value in values {
            let Some(&at) = self.names.get(value) else {
                continue;
            };
            let ty = self.function.type_of(*value).unwrap_or_default();
            match all.last_mut().filter(|last| last.at == at) {
                Some(group) => group.detail += &format!(", {ty}"),
                None => all.push(Symbol {
                    name: slice(self.text, at).unwrap_or_default().to_owned(),
                    kind: SymbolKind::Value,
                    detail: ty,
                    whole: if results { self.ends.statement(at) } else { at },
                    at,
                    children: Vec::new(),
                }),
            }
        }
        all
    }
}

/// Where the statements of a text end.
struct Ends<'t> {
    text: &'t str,
    /// The end of what is in the brackets that open before a place.
    closing: FxHashMap<usize, usize>,
}

impl<'t> Ends<'t> {
    fn of(text: &'t str) -> Self {
        let pairs = brackets(text).into_iter();
        Self {
            text,
            closing: pairs.map(|pair| (pair.start, pair.end)).collect(),
        }
    }

    /// The span from a name to the end of its statement: the first line end outside of all brackets that open after the name.
    fn statement(&self, name: Span) -> Span {
        let bytes = self.text.as_bytes();
        let start = usize::try_from(name.end).unwrap_or(usize::MAX);
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            at = match byte {
                b'\n' | b'}' | b')' | b']' => break,
                b'/' if bytes.get(at + 1) == Some(&b'/') => break,
                b'{' | b'(' | b'[' => self.closing.get(&(at + 1)).map_or(at, |end| *end) + 1,
                _ => at + 1,
            };
        }
        let after = self.text.get(start..at).unwrap_or_default();
        let end = start + after.trim_end().len();
        Span {
            end: u32::try_from(end).unwrap_or(u32::MAX),
            ..name
        }
    }
}

/// The pairs of brackets in a text, ordered by the opening bracket: the bytes between them. Brackets in comments and strings do
/// not count.
pub fn brackets(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut pairs = Vec::new();
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let rest = text.get(at..).unwrap_or_default();
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            b'"' => {
                at += 1;
                while let Some(&inner) = bytes.get(at) {
                    match inner {
                        b'\\' => at += 1,
                        b'"' | b'\n' => break,
                        _ => {}
                    }
                    at += 1;
                }
            }
            b'{' | b'(' | b'[' => open.push((byte, at + 1)),
            b'}' | b')' | b']' => {
                let opening = match byte {
                    b'}' => b'{',
                    b')' => b'(',
                    _ => b'[',
                };
                if let Some(depth) = open.iter().rposition(|(kind, _)| *kind == opening)
                    && let Some((_, start)) = open.drain(depth..).next()
                {
                    pairs.push(start..at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    pairs.sort_by_key(|pair| (pair.start, std::cmp::Reverse(pair.end)));
    pairs
}

/// The ranges by which a selection at an offset grows, the smallest first: word, line, brackets, file.
pub fn selections(text: &str, offset: usize) -> Vec<Range<usize>> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '%' | '@' | '.' | '$' | '#' | '!');
    let before = text.get(..offset).unwrap_or_default();
    let after = text.get(offset..).unwrap_or_default();
    let word_start = before.rfind(|c| !is_word(c)).map_or(0, |at| {
        at + before
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8)
    });
    let word_end = offset + after.find(|c| !is_word(c)).unwrap_or(after.len());
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line_end = offset + after.find('\n').unwrap_or(after.len());
    let line = text.get(line_start..line_end).unwrap_or_default();
    let trimmed = line_start + (line.len() - line.trim_start().len())..line_start + line.trim_end().len();
    let mut all = vec![word_start..word_end, trimmed, line_start..line_end, 0..text.len()];
    for pair in brackets(text) {
        if pair.start <= offset && offset <= pair.end {
            all.push(pair.clone());
            all.push(pair.start.saturating_sub(1)..(pair.end + 1).min(text.len()));
        }
    }
    all.retain(|range| range.start <= offset && offset <= range.end && !range.is_empty());
    all.sort_by_key(|range| range.end - range.start);
    all.dedup();
    // Each contains the one before it.
    let mut chain: Vec<Range<usize>> = Vec::new();
    for range in all {
        if chain
            .last()
            .is_none_or(|last| range.start <= last.start && last.end <= range.end)
        {
            chain.push(range);
        }
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_comments_and_strings_are_none() {
        let text = "f({ a } // }\n \"}\\\"}\" [])";
        let inside: Vec<_> = brackets(text).into_iter().map(|pair| &text[pair]).collect();
        assert_eq!(inside, ["{ a } // }\n \"}\\\"}\" []", " a ", ""]);
    }

    #[test]
    fn a_selection_grows_from_the_word_to_the_file() {
        let text = "f {\n  %abc = g\n}\n";
        let grown: Vec<_> = selections(text, 8)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(
            grown,
            [
                "%abc",
                "%abc = g",
                "  %abc = g",
                "\n  %abc = g\n",
                "{\n  %abc = g\n}",
                text
            ]
        );
    }
}
