//! Reads PTX text to `irs::ptx`.
//!
//! [`parse`] accepts the printer's output and hand edits of it: comments, other names of registers and labels (they
//! are renumbered), variables of other element types (they become bytes). An error affects one statement; the others
//! are still parsed and checked.

mod directives;
mod lexer;
mod locations;
mod names;
mod resolve;
mod tree;

#[allow(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused_qualifications,
    unused_imports,
    clippy::all
)]
mod grammar {
    lalrpop_util::lalrpop_mod!(generated, "/ptx.rs");
    pub(super) use generated::FileParser;
}

use lexer::WrongBrace;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::ptx::{Directive, Module};

pub use names::{Declaration, Declared, Named, Names, Use};

/// Length limit of a text, in bytes.
const LONGEST: usize = 1 << 30;

/// The result of parsing.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The module, without the parts that have errors.
    pub module: Module,
    /// Those of `.version` and `.target` that the text lacks or that cannot be read. Without them, instructions cannot be checked.
    pub missing: Vec<Directive>,
    /// The declaration of each entry.
    pub entries: Vec<Declaration>,
    /// The launch directives of each entry, with their spans.
    pub launches: Vec<Vec<(Directive, Span)>>,
    /// The names of the text, also of its parts that have errors.
    pub names: Names,
    /// The spans of the statements: one list for each entry, one span for each statement of its body.
    pub statements: Vec<Vec<Span>>,
    /// The errors, in textual order.
    pub diagnostics: Vec<Diagnostic<Span>>,
}

impl Parsed {
    /// The line, from one, of each statement of entry `entry`; empty if there is no such entry.
    pub fn lines(&self, text: &str, entry: usize) -> Vec<u32> {
        let (mut line, mut at) = (1u32, 0usize);
        let spans = self.statements.get(entry).map(Vec::as_slice).unwrap_or_default();
        spans
            .iter()
            .map(|span| {
                let start = usize::try_from(span.start).unwrap_or(usize::MAX);
                let passed = text.as_bytes().get(at..start).unwrap_or_default();
                let breaks = passed.iter().filter(|byte| **byte == b'\n').count();
                line = line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
                at = at.max(start);
                line
            })
            .collect()
    }
}

/// Reads a module from PTX text.
pub fn parse(file: FileId, text: &str) -> Parsed {
    if text.len() > LONGEST {
        let message = format!("the text has {} bytes; at most {LONGEST} are read", text.len());
        let error = Diagnostic::error(Code::InputTooLarge, message);
        return resolve::resolve(file, Vec::new(), &[], vec![error]);
    }
    let lexed = lexer::tokens(text);
    let problems: Vec<_> = lexed
        .wrong
        .iter()
        .map(|brace| wrong_brace(file, text, *brace))
        .collect();
    let tokens = lexed.tokens.iter().copied();
    match grammar::FileParser::new().parse(tokens) {
        Ok(items) => resolve::resolve(file, items, &lexed.tokens, problems),
        Err(error) => {
            let mut problems = problems;
            problems.push(resolve::syntax_error(file, &error));
            resolve::resolve(file, Vec::new(), &[], problems)
        }
    }
}

fn wrong_brace(file: FileId, text: &str, brace: WrongBrace) -> Diagnostic<Span> {
    let byte = |at: usize| Span::new(file, at, at.saturating_add(1));
    let before = |end: usize| Span::new(file, end.saturating_sub(1), end);
    match brace {
        WrongBrace::Unclosed { opened, ended } => {
            Diagnostic::error(Code::UnclosedDelimiter, "a closing `}` is missing")
                .at(before(ended), "expected `}` after this")
                .also(byte(opened), "the body that is opened here")
        }
        WrongBrace::Unopened(ended) => {
            Diagnostic::error(Code::UnclosedDelimiter, "an opening `{` is missing")
                .at(before(ended), "expected `{` after this")
        }
        WrongBrace::Extra(at) => {
            let bracket = text.get(at..at.saturating_add(1)).unwrap_or_default();
            let message = format!("unexpected `{bracket}`: there is one too many");
            Diagnostic::error(Code::UnexpectedToken, message)
                .at(byte(at), "")
                .fix(byte(at), "", format!("remove the `{bracket}`"))
        }
        WrongBrace::Bracket(at) => {
            let bracket = text.get(at..at.saturating_add(1)).unwrap_or_default();
            let message = format!("unexpected `{bracket}`: expected `}}`");
            Diagnostic::error(Code::UnexpectedToken, message)
                .at(byte(at), "expected `}`")
                .fix(byte(at), "}", "change to `}`")
        }
    }
}
