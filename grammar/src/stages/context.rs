//! Actions of the grammar: marks, literals, aliases, and errors.

use lalrpop_util::{ErrorRecovery, ParseError};
use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::core::{BlockTree, FuncTree, Mark, Name, NamedTerm, OpTree, Term, TermKind};

use super::token::Token;
use crate::escape::{self, EscapeError};

/// The span of each mark of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    marks: Vec<Span>,
    /// The definitions of aliases, in textual order.
    aliases: Vec<Span>,
}

impl Spans {
    /// The number of the alias in whose definition a place is.
    pub(super) fn alias(&self, place: Span) -> Option<usize> {
        let at = self.aliases.partition_point(|alias| alias.start <= place.start);
        let at = at.checked_sub(1)?;
        self.aliases.get(at).filter(|alias| place.end <= alias.end)?;
        Some(at)
    }

    /// The byte range of a mark's node; `None` for a node without a position.
    pub fn get(&self, mark: Mark) -> Option<Span> {
        let at = usize::try_from(mark.0).ok()?.checked_sub(1)?;
        self.marks.get(at).copied()
    }

    fn add(&mut self, span: Span) -> Mark {
        self.marks.push(span);
        // Mark 0 is a node without a position. A text has fewer nodes than bytes, and fewer bytes than marks.
        Mark(u32::try_from(self.marks.len()).unwrap_or(0))
    }
}

/// An alias: its term, the number of its nodes, and its definition.
struct Alias {
    term: Term,
    nodes: usize,
    span: Span,
    /// Whether what it stands for is unknown, after an error that has been reported.
    broken: bool,
}

impl Alias {
    fn broken(span: Span) -> Self {
        Self {
            term: TermKind::Unknown.into(),
            nodes: 1,
            span,
            broken: true,
        }
    }
}

/// Limit of nodes that aliases may add, plus a number for each byte of text.
const ALIAS_NODES: usize = 100_000;
const ALIAS_NODES_PER_BYTE: usize = 8;
/// Nesting limit of aliases.
const ALIAS_DEPTH: usize = 100;

/// The state of one parse.
pub(crate) struct Context {
    file: FileId,
    pub(crate) spans: Spans,
    pub(crate) problems: Vec<Diagnostic<Span>>,
    /// The parser's own errors, which are described when the tokens are available.
    pub(crate) errors: Vec<(usize, Option<usize>, Vec<String>)>,
    aliases: FxHashMap<String, Alias>,
    names: FxHashMap<String, Span>,
    /// The number of nodes that aliases may still add.
    budget: usize,
    /// Whether the current function has errors.
    broken: bool,
    /// Whether the last item of the file was neither a function nor an alias: following errors are suppressed.
    astray: bool,
}

impl Context {
    pub(crate) fn new(file: FileId, text_length: usize) -> Self {
        Self {
            file,
            spans: Spans::default(),
            problems: Vec::new(),
            errors: Vec::new(),
            aliases: FxHashMap::default(),
            names: FxHashMap::default(),
            budget: text_length
                .saturating_mul(ALIAS_NODES_PER_BYTE)
                .saturating_add(ALIAS_NODES),
            broken: false,
            astray: false,
        }
    }

    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }

    pub(crate) fn mark(&mut self, start: usize, end: usize) -> Mark {
        let span = self.span(start, end);
        self.spans.add(span)
    }

    fn report(&mut self, problem: Diagnostic<Span>) {
        self.broken = true;
        self.problems.push(problem);
    }

    pub(crate) fn name(&mut self, text: &str, start: usize, end: usize) -> Name {
        Name {
            text: text.to_owned(),
            mark: self.mark(start, end),
        }
    }

    /// A name without its sigil.
    pub(crate) fn sigil_name(&mut self, text: &str, start: usize, end: usize) -> Name {
        self.name(text.get(1..).unwrap_or_default(), start, end)
    }

    /// The name of a block; a bare `^` has none.
    pub(crate) fn block_name(&mut self, text: &str, start: usize, end: usize) -> Option<Name> {
        (text.len() > 1).then(|| self.sigil_name(text, start, end))
    }

    pub(crate) fn quoted_symbol(&mut self, text: &str, start: usize, end: usize) -> Name {
        let text = self.string(text.get(1..).unwrap_or_default(), start + 1, end);
        Name {
            text,
            mark: self.mark(start, end),
        }
    }

    /// The contents of a quoted string.
    pub(crate) fn string(&mut self, text: &str, start: usize, _end: usize) -> String {
        match escape::unquote(text) {
            Ok(text) => text,
            Err(EscapeError { start: from, end: to }) => {
                let at = self.span(start + from, start + to);
                let problem =
                    Diagnostic::error(Code::BadLiteral, "a string has an escape that does not exist")
                        .at(at, "not an escape")
                        .help(r#"the escapes are `\n`, `\t`, `\"`, `\\` and `\u{1f600}`"#);
                self.report(problem);
                String::new()
            }
        }
    }

    pub(crate) fn int(&mut self, text: &str, start: usize, end: usize) -> TermKind {
        match text.parse() {
            Ok(value) => TermKind::Int(value),
            Err(_) => self.bad_number("the integer does not fit 128 bits", start, end),
        }
    }

    pub(crate) fn bits(&mut self, text: &str, start: usize, end: usize) -> TermKind {
        match u64::from_str_radix(text.get(2..).unwrap_or_default(), 16) {
            Ok(bits) => TermKind::Bits(bits),
            Err(_) => self.bad_number("the bit pattern does not fit 64 bits", start, end),
        }
    }

    fn bad_number(&mut self, message: &str, start: usize, end: usize) -> TermKind {
        let at = self.span(start, end);
        self.report(Diagnostic::error(Code::BadLiteral, message).at(at, "too large"));
        TermKind::Unknown
    }

    /// `4x?x` before a term.
    pub(crate) fn dims(&mut self, text: &str, element: Term, start: usize, end: usize) -> Term {
        let mut extents = Vec::new();
        let mut offset = start;
        for extent in text.split_terminator('x') {
            let value = match extent {
                "?" => None,
                digits => match digits.parse() {
                    Ok(extent) => Some(extent),
                    Err(_) => {
                        self.bad_number("the extent does not fit 64 bits", offset, offset + digits.len());
                        None
                    }
                },
            };
            extents.push(value);
            offset += extent.len() + 1;
        }
        let mark = self.mark(start, end);
        Term {
            kind: TermKind::Dims(extents, Box::new(element)),
            mark,
        }
    }

    /// Attributes, with distinct names.
    pub(crate) fn distinct(&mut self, items: Vec<NamedTerm>) -> Vec<NamedTerm> {
        let mut seen: FxHashMap<&str, Mark> = FxHashMap::default();
        let mut problems = Vec::new();
        for item in &items {
            if let Some(first) = seen.insert(&item.name.text, item.name.mark) {
                let message = format!("attribute `{}` is given twice", item.name.text);
                if let (Some(at), Some(first)) = (self.spans.get(item.name.mark), self.spans.get(first)) {
                    problems.push(
                        Diagnostic::error(Code::Redefinition, message)
                            .at(at, "given again here")
                            .also(first, "first given here"),
                    );
                }
            }
        }
        for problem in problems {
            self.report(problem);
        }
        items
    }

    pub(crate) fn define_alias(
        &mut self,
        name: &str,
        (start, name_end): (usize, usize),
        end: usize,
        term: Term,
    ) -> Option<FuncTree> {
        self.astray = false;
        let span = self.span(start, name_end);
        let (nodes, depth) = measure(&term);
        let alias = if depth > ALIAS_DEPTH {
            let message = format!("alias `{name}` nests deeper than {ALIAS_DEPTH}");
            self.report(Diagnostic::error(Code::InputTooLarge, message).at(span, "too deep"));
            Alias::broken(span)
        } else {
            Alias {
                term,
                nodes,
                span,
                broken: false,
            }
        };
        self.spans.aliases.push(self.span(start, end));
        if let Some(first) = self.aliases.get(name).filter(|alias| !alias.broken) {
            let problem = Diagnostic::error(Code::Redefinition, format!("alias `{name}` is defined twice"))
                .at(span, "defined again here")
                .also(first.span, "first defined here");
            self.report(problem);
        } else {
            self.aliases.insert(name.to_owned(), alias);
        }
        self.broken = false;
        None
    }

    /// An alias whose definition has an error: uses of it are none.
    pub(crate) fn broken_alias(&mut self, name: &str, recovery: Recovery<'_>) -> Option<FuncTree> {
        self.recovered(recovery.error);
        (self.broken, self.astray) = (false, false);
        let nowhere = self.span(0, 0);
        self.aliases
            .entry(name.to_owned())
            .or_insert_with(|| Alias::broken(nowhere));
        None
    }

    /// The term of an alias. Its marks are those of the definition.
    pub(crate) fn alias(&mut self, name: &str, start: usize, end: usize) -> Term {
        let span = self.span(start, end);
        let Some(alias) = self.aliases.get(name) else {
            // Reported once.
            self.aliases.insert(name.to_owned(), Alias::broken(span));
            let problem = Diagnostic::error(Code::UndefinedValue, format!("alias `{name}` is not defined"))
                .at(span, "no definition before this use")
                .help("aliases are defined at the top of the file, as in `#name = term`");
            self.report(problem);
            return TermKind::Unknown.into();
        };
        self.broken |= alias.broken;
        match self.budget.checked_sub(alias.nodes) {
            Some(rest) => {
                self.budget = rest;
                alias.term.clone()
            }
            None => {
                if self.budget > 0 {
                    let message = "the text grows too much when its aliases are put in place";
                    let problem =
                        Diagnostic::error(Code::InputTooLarge, message).at(span, "no room for this one");
                    self.report(problem);
                }
                self.budget = 0;
                self.broken = true;
                TermKind::Unknown.into()
            }
        }
    }

    /// A parsed function, unless it has errors.
    pub(crate) fn func(&mut self, label: Name, func: FuncTree) -> Option<FuncTree> {
        if label.text != "body"
            && let Some(at) = self.spans.get(label.mark)
        {
            let message = format!("the region of a function is named `body`, not `{}`", label.text);
            self.report(Diagnostic::error(Code::UnexpectedToken, message).at(at, "expected `body`"));
        }
        if let Some((name, _)) = func.body.blocks.first().and_then(|entry| entry.args.first())
            && let Some(at) = self.spans.get(name.mark)
        {
            let message = "the first block of a function takes no arguments of its own";
            self.report(
                Diagnostic::error(Code::BlockArguments, message)
                    .at(at, "not known here")
                    .help("its arguments are the function's parameters"),
            );
        }
        if let Some(at) = self.spans.get(func.name.mark) {
            match self.names.get(&func.name.text) {
                Some(first) => {
                    let message = format!("function `@{}` is defined twice", func.name.text);
                    let problem = Diagnostic::error(Code::DuplicateSymbol, message)
                        .at(at, "defined again here")
                        .also(*first, "first defined here");
                    self.report(problem);
                }
                None => {
                    self.names.insert(func.name.text.clone(), at);
                }
            }
        }
        self.astray = false;
        (!std::mem::take(&mut self.broken)).then_some(func)
    }

    pub(crate) fn broken_item(&mut self, recovery: Recovery<'_>) -> Option<FuncTree> {
        if !self.astray {
            self.recovered(recovery.error);
        }
        self.broken = false;
        self.astray = true;
        None
    }

    pub(crate) fn broken_line(&mut self, recovery: Recovery<'_>) -> Line {
        self.recovered(recovery.error);
        Line::Broken
    }

    /// A region whose end the lexer has inserted and reported.
    pub(crate) fn missing_brace(&mut self) {
        self.broken = true;
    }

    /// Records an error of the parser.
    pub(crate) fn recovered(&mut self, error: Failure<'_>) {
        self.broken = true;
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

pub(crate) type Failure<'input> = ParseError<usize, Token<'input>, ()>;
pub(crate) type Recovery<'input> = ErrorRecovery<usize, Token<'input>, ()>;

/// A line of a region.
pub(crate) enum Line {
    /// An op.
    Op(OpTree),
    /// The head of a block: its name and its arguments.
    Header(Option<Name>, Vec<(Name, Term)>),
    /// An error, already reported.
    Broken,
}

/// Groups lines into blocks. The first block needs no header.
pub(crate) fn blocks(lines: Vec<Line>) -> Vec<BlockTree> {
    let mut blocks: Vec<BlockTree> = Vec::new();
    for line in lines {
        match (line, blocks.last_mut()) {
            (Line::Header(name, args), _) => blocks.push(BlockTree {
                name,
                args,
                ops: Vec::new(),
            }),
            (Line::Op(op), Some(block)) => block.ops.push(op),
            (Line::Op(op), None) => blocks.push(BlockTree {
                name: None,
                args: Vec::new(),
                ops: vec![op],
            }),
            (Line::Broken, _) => {}
        }
    }
    blocks
}

/// The number of nodes of a term, and its nesting depth.
fn measure(term: &Term) -> (usize, usize) {
    let mut nodes = 0;
    let mut depth = 0;
    let mut work = vec![(term, 1)];
    while let Some((term, level)) = work.pop() {
        nodes += 1;
        depth = depth.max(level);
        match &term.kind {
            TermKind::Call(_, args) => work.extend(args.iter().map(|arg| (&arg.value, level + 1))),
            TermKind::Dims(_, element) => work.push((element, level + 1)),
            TermKind::List(items) | TermKind::Tuple(items) => {
                work.extend(items.iter().map(|i| (i, level + 1)))
            }
            TermKind::Dict(items) => {
                work.extend(
                    items
                        .iter()
                        .filter_map(|i| i.value.as_ref())
                        .map(|t| (t, level + 1)),
                );
            }
            TermKind::Int(_)
            | TermKind::Float(_)
            | TermKind::Bits(_)
            | TermKind::Str(_)
            | TermKind::Word(_)
            | TermKind::Symbol(_)
            | TermKind::Unknown
            | TermKind::Alias(_) => {}
        }
    }
    (nodes, depth)
}
