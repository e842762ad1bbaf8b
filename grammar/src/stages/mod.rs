//! The regular syntax of the internal languages: from text to a syntax tree, and to a module of a language.
//!
//! An error is reported once; parsing continues at the next statement. A function with errors is left out of the
//! result, and the others are kept.

mod context;
mod definitions;
mod lexer;
mod token;

use lalrpop_util::lalrpop_mod;
use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::core::{
    self, Func, Language, Mark, ModuleTree, NameUse, Origin, Part, ReadFunc, Unread, read_func,
};

pub use context::Spans;
pub(crate) use definitions::show_definitions;

use crate::expected;
use crate::statements::lex;
use context::Context;
use lexer::Lexer;

lalrpop_mod!(
    #[allow(
        clippy::all,
        clippy::pedantic,
        unused_imports,
        unused_qualifications,
        unreachable_pub,
        missing_docs,
        missing_debug_implementations
    )]
    grammar,
    "/stages.rs"
);

/// Length limit of texts, in bytes.
pub const MAX_TEXT: usize = 64 << 20;

/// Parses a text of any language.
///
/// The tree has the functions without errors; the diagnostics are about the others. The spans belong to the marks of
/// the tree.
pub fn parse_stage_tree(text: &str, file: FileId) -> (ModuleTree, Vec<Diagnostic<Span>>, Spans) {
    if text.len() > MAX_TEXT {
        let message = format!(
            "the text has {} bytes, and at most {MAX_TEXT} are accepted",
            text.len()
        );
        let problem = Diagnostic::error(Code::InputTooLarge, message).at(Span::new(file, 0, 0), "");
        return (ModuleTree::default(), vec![problem], Spans::default());
    }
    let mut lexed = lex::<Lexer<'_>>(text, file);
    let mut cx = Context::new(file, text.len());
    let tokens = lexed.tokens.iter().copied().map(Ok);
    let tree = match grammar::ModuleParser::new().parse(&mut cx, tokens) {
        Ok(tree) => tree,
        Err(error) => {
            cx.recovered(error);
            ModuleTree::default()
        }
    };
    let mut problems = std::mem::take(&mut lexed.problems);
    for (start, end, expected) in std::mem::take(&mut cx.errors) {
        let found = lexed.found(start, end);
        problems.push(expected::unexpected(file, text, (start, end), &expected, found));
    }
    problems.append(&mut cx.problems);
    problems.sort_by_key(|problem| problem.primary.as_ref().map(|label| label.at.start));
    (tree, problems, cx.spans)
}

/// Reads a term by itself, such as a type, after definitions of aliases; `None` if it is none.
pub fn parse_term(aliases: &str, term: &str) -> Option<core::Term> {
    let text = format!("{aliases}\na.func @a() {{a = {term}}} body {{\n}}\n");
    let (tree, _, _) = parse_stage_tree(&text, FileId(0));
    let func = tree.funcs.into_iter().next_back()?;
    func.attrs.into_iter().next()?.value
}

/// The spans of a function and of its ops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuncSpans {
    /// The function's name.
    pub name: Span,
    /// The name of each op, by origin.
    pub ops: Vec<Span>,
    /// All of the function, from its keyword or name on.
    pub whole: Span,
    /// The names of values, in textual order.
    pub names: Vec<NameUse<Span>>,
    /// Parts of ops, sorted by origin and part; a part that is not listed has the span of its op.
    pub parts: Vec<(Origin, Part, Span)>,
}

impl FuncSpans {
    /// The span of a part of an op; if it has none, that of what it is a part of, and last of the op.
    pub fn part(&self, origin: Origin, part: Part) -> Span {
        part_span(&self.parts, origin, part).unwrap_or_else(|| self.get(origin))
    }

    /// The span of an origin: an op's name, or the function's for everything else.
    pub fn get(&self, origin: Origin) -> Span {
        let op = usize::try_from(origin.0).ok().and_then(|at| self.ops.get(at));
        op.copied().unwrap_or(self.name)
    }
}

/// The span of a part of an op, or of what it is a part of, in a sorted list; `None` for the op as a whole.
pub fn part_span(parts: &[(Origin, Part, Span)], origin: Origin, part: Part) -> Option<Span> {
    let mut part = part;
    loop {
        let first = parts.partition_point(|&(o, p, _)| (o, p) < (origin, part));
        match parts.get(first) {
            Some(&(o, p, span)) if (o, p) == (origin, part) => return Some(span),
            Some(_) | None => part = part.outer()?,
        }
    }
}

/// A parsed text of a language.
#[derive(Clone, Debug)]
pub struct Parsed<L: Language> {
    /// The functions without errors. Each op is its own origin.
    pub module: core::Module<L>,
    /// The spans of the module's functions, in the module's order.
    pub spans: Vec<FuncSpans>,
    /// The readable parts of functions with errors.
    pub partial: Vec<(Func<L>, FuncSpans)>,
    /// The errors, in textual order.
    pub diagnostics: Vec<Diagnostic<Span>>,
}

/// The spans of the parts of ops, sorted.
fn parts_of<L: Language>(read: &ReadFunc<L>, place: impl Fn(Mark) -> Span) -> Vec<(Origin, Part, Span)> {
    let parts = read.parts.iter();
    let mut parts: Vec<_> = parts
        .map(|&(origin, part, mark)| (origin, part, place(mark)))
        .collect();
    parts.sort_by_key(|&(origin, part, _)| (origin, part));
    parts
}

/// Parses a text of the language `L`, without verifying it.
pub fn parse_stage<L: Language>(text: &str, file: FileId) -> Parsed<L> {
    let (tree, mut diagnostics, marks) = parse_stage_tree(text, file);
    let mut module = core::Module { funcs: Vec::new() };
    let mut spans = Vec::new();
    let keyword = format!("{}.func", L::NAME);
    let nowhere = Span::new(file, 0, 0);
    let mut foreign = FxHashSet::default();
    let mut partial = Vec::new();
    // What an alias stands for may be wrong for all of its uses: that is one error.
    let mut wrong_aliases = FxHashSet::default();
    let place = |mark| marks.get(mark).unwrap_or(nowhere);
    for tree in &tree.funcs {
        if tree.keyword.text != keyword {
            // A text of another language is one error, not one for each function.
            if foreign.insert(&tree.keyword.text) {
                let message = format!(
                    "expected functions of `{}`, found `{}`",
                    L::NAME,
                    tree.keyword.text
                );
                let at = marks.get(tree.keyword.mark).unwrap_or(nowhere);
                diagnostics.push(
                    Diagnostic::error(Code::UnexpectedToken, message).at(at, format!("expected `{keyword}`")),
                );
            }
            continue;
        }
        let spans_of = |read: &ReadFunc<L>| {
            let mut names: Vec<_> = read
                .names
                .iter()
                .map(|name| NameUse {
                    at: place(name.at),
                    defined: place(name.defined),
                    value: name.value,
                })
                .collect();
            names.sort_by_key(|name| name.at.start);
            FuncSpans {
                name: place(read.mark),
                ops: read.marks.iter().map(|&mark| place(mark)).collect(),
                whole: Span {
                    end: place(tree.body.end).end,
                    ..place(tree.keyword.mark)
                },
                names,
                parts: parts_of(read, place),
            }
        };
        match read_func::<L>(tree) {
            Ok(read) => {
                spans.push(spans_of(&read));
                module.funcs.push(read.func);
            }
            Err(Unread { problems, rest }) => {
                if let Some(read) = rest {
                    partial.push((spans_of(&read), read.func));
                }
                let placed = problems
                    .into_iter()
                    .map(|problem| problem.map_location(|mark| marks.get(mark)));
                let alias = |problem: &Diagnostic<Span>| marks.alias(problem.primary.as_ref()?.at);
                diagnostics.extend(
                    placed.filter(|problem| alias(problem).is_none_or(|at| wrong_aliases.insert(at))),
                );
            }
        }
    }
    let partial: Vec<_> = partial.into_iter().map(|(spans, func)| (func, spans)).collect();
    let read = partial.iter().map(|(_, spans)| spans);
    show_definitions(text, &mut diagnostics, spans.iter().chain(read));
    diagnostics.sort_by_key(|problem| problem.primary.as_ref().map(|label| label.at.start));
    Parsed {
        module,
        spans,
        partial,
        diagnostics,
    }
}
