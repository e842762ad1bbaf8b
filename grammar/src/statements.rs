//! The common part of the lexers of `cuda_tile` and of the regular syntax: ends of statements, nested brackets,
//! limits.
//!
//! Statements are outside of brackets, or in the braces of a region. Brackets of regions always match in the
//! resulting tokens: a region that the text leaves open is closed at the end, and reported.

use logos::Logos;
use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};

use crate::expected::Found;
use crate::snapshot::header_length;

/// Nesting limit of brackets: trees are processed recursively.
const MAX_DEPTH: usize = 100;

/// The tokens of a text.
#[derive(Debug)]
pub(crate) struct Lexed<Token> {
    /// The tokens with their byte ranges; brackets of regions always match.
    pub(crate) tokens: Vec<(usize, Token, usize)>,
    /// The errors found by the lexer.
    pub(crate) problems: Vec<Diagnostic<Span>>,
    /// For the index of an inserted end that leaves a bracket open: the position of that bracket.
    pub(crate) cut: FxHashMap<usize, (usize, usize)>,
}

impl<Token> Default for Lexed<Token> {
    fn default() -> Self {
        Self {
            tokens: Vec::new(),
            problems: Vec::new(),
            cut: FxHashMap::default(),
        }
    }
}

/// An open bracket.
#[derive(Clone, Copy, Debug)]
struct Open {
    kind: Bracket,
    /// Its byte range.
    start: usize,
    end: usize,
    /// The column at which its line begins, and the start of the line's first token.
    column: usize,
    line: usize,
    /// The column of the first line in it.
    inner: Option<usize>,
    /// The first line in it that begins no further right than its own line, which is a sign that its closing brace is missing.
    outdented: Option<Gap>,
}

/// The place between two tokens.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// The end of the token before it.
    before: usize,
    /// The start of the token after it.
    after: usize,
}

/// The contents of an open bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bracket {
    /// Statements.
    Region,
    /// Attributes, in braces.
    Dict,
    /// Other brackets than braces.
    Other,
}

/// The tokens of both syntaxes that are inserted or classified by context.
pub(crate) trait Marks: Copy + PartialEq {
    /// The end of a statement.
    const END: Self;
    /// The inserted end of a region that the text leaves open.
    const REGION_MISSING: Self;
    /// The opening brace of a region.
    const REGION_OPEN: Self;
    /// The inserted start of a region whose opening brace is missing.
    const REGION_ASSUMED: Self;
    /// The closing brace of a region.
    const REGION_CLOSE: Self;
    /// Characters that begin no token.
    const BAD: Self;
    /// A string that is not closed on its line.
    const OPEN_STR: Self;

    /// Whether it is a bracket of a region.
    fn is_region(self) -> bool;
}

impl<Token: Marks> Lexed<Token> {
    /// The token of a parser error.
    pub(crate) fn found(&self, start: usize, end: Option<usize>) -> Found {
        let Some(end) = end else { return Found::EndOfText };
        let index = self.position(start, Some(end));
        match self.tokens.get(index) {
            Some((_, token, _)) if *token == Token::END => Found::End(self.cut.get(&index).copied()),
            Some((_, token, _)) if *token == Token::BAD => Found::Bad,
            Some((_, token, _)) if *token == Token::OPEN_STR => Found::OpenString,
            Some(_) => Found::Token,
            None => Found::EndOfText,
        }
    }
}

impl<Token: Marks> Lexed<Token> {
    /// The token at these bytes.
    pub(crate) fn position(&self, start: usize, end: Option<usize>) -> usize {
        let end = end.unwrap_or(usize::MAX);
        self.tokens.partition_point(|(s, _, e)| (*s, *e) < (start, end))
    }

    /// The tokens of the statement that contains a token, from the end of the previous statement to its own end.
    pub(crate) fn statement(&self, at: usize) -> std::ops::Range<usize> {
        let is_end = |(_, token, _): &(usize, Token, usize)| *token == Token::END || token.is_region();
        let before = self.tokens.iter().take(at).rposition(is_end);
        let after = self.tokens.iter().skip(at).position(is_end);
        let from = before.map_or(0, |before| before.saturating_add(1));
        from..after.map_or(self.tokens.len(), |after| after.saturating_add(at))
    }
}

/// The tokens so far, and the context: open brackets, and whether a statement has begun.
#[derive(Debug)]
pub(crate) struct Statements<Token> {
    file: FileId,
    out: Lexed<Token>,
    /// The open brackets.
    stack: Vec<Open>,
    fresh: bool,
    last_end: usize,
    /// The column of the line on which the statement begins.
    head: usize,
    /// The column at which the current line begins, and the start of its first token.
    line: (usize, usize),
    /// Whether a region was never closed.
    unclosed: bool,
    /// Where by the indentation of the lines a closing brace is missing.
    suspected: Option<Gap>,
    /// Whether a brace closes nothing.
    surplus: bool,
    /// The brace that by the indentation of the lines is one too many.
    extra: Option<Extra>,
}

/// A closing brace that is one too many.
#[derive(Clone, Copy, Debug)]
struct Extra {
    /// Its start.
    at: usize,
    /// The bracket that it would close.
    open: (usize, usize),
    /// Whether it stands in a statement, so that the grammar reports it.
    stray: bool,
}

impl<Token: Marks> Statements<Token> {
    /// Whether the next token begins a statement.
    pub(crate) fn fresh(&self) -> bool {
        self.fresh
    }

    /// Makes the next token begin a statement.
    pub(crate) fn begin(&mut self) {
        self.fresh = true;
    }

    /// Appends a token.
    pub(crate) fn push(&mut self, token: Token, start: usize, end: usize) {
        self.out.tokens.push((start, token, end));
        self.last_end = end;
        if self.fresh {
            self.head = self.line.0;
        }
        self.fresh = false;
    }

    /// Whether the current line begins no further right than the one on which the statement begins.
    pub(crate) fn outdented(&self) -> bool {
        self.line.0 <= self.head
    }

    /// Reports something that is no token and is left out.
    pub(crate) fn report(&mut self, at: (usize, usize), problem: impl FnOnce(Span) -> Diagnostic<Span>) {
        let problem = problem(Span::new(self.file, at.0, at.1));
        self.out.problems.push(problem);
    }

    /// The last token.
    pub(crate) fn last(&self) -> Option<Token> {
        self.out.tokens.last().map(|&(_, token, _)| token)
    }

    /// The last token, mutable.
    pub(crate) fn last_mut(&mut self) -> Option<&mut Token> {
        self.out.tokens.last_mut().map(|(_, token, _)| token)
    }

    /// The token before the last.
    pub(crate) fn before_last(&self) -> Option<Token> {
        let at = self.out.tokens.len().checked_sub(2)?;
        self.out.tokens.get(at).map(|&(_, token, _)| token)
    }

    /// The token this many places before the last, mutable.
    pub(crate) fn before_last_mut(&mut self, places: usize) -> Option<&mut Token> {
        let at = self.out.tokens.len().checked_sub(places + 1)?;
        self.out.tokens.get_mut(at).map(|(_, token, _)| token)
    }

    /// Whether the context is that of statements, rather than of brackets within one.
    pub(crate) fn in_statement(&self) -> bool {
        self.stack.last().is_none_or(|open| open.kind == Bracket::Region)
    }

    /// The number of open regions.
    pub(crate) fn regions(&self) -> usize {
        let regions = self.stack.iter().filter(|open| open.kind == Bracket::Region);
        regions.count()
    }

    /// Whether no bracket is open.
    pub(crate) fn at_top(&self) -> bool {
        self.stack.is_empty()
    }

    /// Opens a bracket.
    pub(crate) fn open(&mut self, kind: Bracket, start: usize, end: usize) {
        self.stack.push(Open {
            kind,
            start,
            end,
            column: self.line.0,
            line: self.line.1,
            inner: None,
            outdented: None,
        });
    }

    /// Whether the last token opens a region.
    pub(crate) fn at_region_start(&self) -> bool {
        self.last()
            .is_some_and(|last| last == Token::REGION_OPEN || last == Token::REGION_ASSUMED)
    }

    /// Takes the brace of a dictionary that is the last token for that of a region, as the line after it begins a statement: a
    /// bracket before it is not closed. Returns whether it is one.
    pub(crate) fn turn_into_region(&mut self) -> bool {
        let last = self.last_end;
        let turned = self
            .stack
            .pop_if(|open| open.kind == Bracket::Dict && open.end == last);
        let Some(open) = turned else {
            return false;
        };
        while !self.in_statement() {
            self.stack.pop();
        }
        self.stack.push(Open {
            kind: Bracket::Region,
            ..open
        });
        if let Some(token) = self.last_mut() {
            *token = Token::REGION_OPEN;
        }
        self.fresh = true;
        true
    }

    /// Takes the brace of a region that is before the last token for that of a dictionary: a statement does not begin with a word
    /// and `=`. Returns whether it is one.
    pub(crate) fn turn_into_dict(&mut self, token: Token) -> bool {
        let Some(at) = self.out.tokens.len().checked_sub(2) else {
            return false;
        };
        let (Some(open), Some(brace)) = (self.stack.last_mut(), self.out.tokens.get_mut(at)) else {
            return false;
        };
        let turned = brace.1 == Token::REGION_OPEN && open.kind == Bracket::Region;
        if turned {
            open.kind = Bracket::Dict;
            brace.1 = token;
        }
        turned
    }

    /// Opens a region without a brace, where a line that is indented begins a statement. A bracket that is left open before it
    /// is an error of the grammar, and the brace was meant by it.
    pub(crate) fn assume_region(&mut self) {
        let mut cut = None;
        while !self.in_statement() {
            cut = self.stack.pop();
        }
        let end = self.last_end;
        if cut.is_none() {
            self.report((end.saturating_sub(1), end), |at| {
                let place = Span { start: at.end, ..at };
                Diagnostic::error(Code::UnclosedDelimiter, "an opening `{` is missing")
                    .at(at, "expected `{` after this")
                    .fix(place, " {", "add the `{`")
            });
        }
        let (column, line) = (self.head, self.line.1);
        self.push(Token::REGION_ASSUMED, end, end);
        self.stack.push(Open {
            kind: Bracket::Region,
            start: end.saturating_sub(1),
            end,
            column,
            line,
            inner: None,
            outdented: None,
        });
        self.fresh = true;
        self.begin_inner();
    }

    /// Reports an opening brace right after that of a region, which is left out.
    pub(crate) fn report_second_brace(&mut self, start: usize, end: usize) {
        self.report((start, end), |at| {
            Diagnostic::error(Code::UnexpectedToken, "an opening `{` is one too many")
                .at(at, "a region is open already")
                .fix(at, "", "remove the `{`")
        });
    }

    /// Whether a closing bracket of another kind at `start` stands where the brace of a region would: alone at the beginning of
    /// a line, and no further right than the line that opened the region.
    pub(crate) fn stands_for_brace(&self, start: usize) -> bool {
        let (column, line) = self.line;
        line == start
            && self
                .stack
                .last()
                .is_some_and(|open| open.kind == Bracket::Region && column <= open.column)
    }

    /// Reports a bracket that stands for the closing brace of a region.
    pub(crate) fn report_wrong_brace(&mut self, text: &str, start: usize, end: usize) {
        let message = format!("unexpected `{text}`: expected `}}`");
        self.report((start, end), |at| {
            Diagnostic::error(Code::UnexpectedToken, message)
                .at(at, "expected `}`")
                .fix(at, "}", "change to `}`")
        });
    }

    /// Records that a line begins with the token at `start`, which is in this column.
    fn begin_line(&mut self, column: usize, start: usize, closes: bool) {
        self.line = (column, start);
        let before = self.last_end;
        if let Some(open) = self.stack.last_mut().filter(|open| open.kind == Bracket::Region) {
            let indented = *open.inner.get_or_insert(column) > open.column;
            if indented && column <= open.column && !closes {
                open.outdented.get_or_insert(Gap { before, after: start });
            }
        }
    }

    /// Records the current line as the first of the innermost region.
    fn begin_inner(&mut self) {
        let column = self.line.0;
        if let Some(open) = self.stack.last_mut() {
            open.inner.get_or_insert(column);
        }
    }

    /// Closes a bracket other than a brace. A mismatched one closes it too: the grammar reports it, and the following
    /// tokens are unaffected.
    pub(crate) fn close(&mut self) {
        if !self.in_statement() {
            self.stack.pop();
        }
    }

    /// Closes the innermost dictionary of the statement, if there is one, and the brackets that were left open in it.
    pub(crate) fn close_dict(&mut self) -> bool {
        let here = self.stack.iter().rev();
        let found = here
            .take_while(|open| open.kind != Bracket::Region)
            .any(|open| open.kind == Bracket::Dict);
        if found {
            while self.stack.pop().is_some_and(|open| open.kind != Bracket::Dict) {}
        }
        found
    }

    /// Whether a brace at `start` is in the middle of a line on which no region is opened.
    pub(crate) fn is_amid_line(&self, start: usize) -> bool {
        let mut open = self.stack.iter().rev();
        let region = open.find(|open| open.kind == Bracket::Region);
        self.line.1 != start && region.is_none_or(|open| open.line != self.line.1)
    }

    /// Ends the statement and closes the region around it, if there is one, with the brace at `start`.
    pub(crate) fn close_region(&mut self, start: usize) -> bool {
        let before = self.last_end;
        let stray = self.line.1 != start && !self.fresh && self.last() != Some(Token::REGION_CLOSE);
        self.end_statement();
        let Some(open) = self.stack.pop() else {
            self.surplus = true;
            return false;
        };
        // A brace further right than that line belongs to something within, which is closed already. So does one in the middle
        // of a later line.
        if self.line.1 == start && self.line.0 > open.column
            || self.line.1 != start && self.line.1 != open.line
        {
            self.extra.get_or_insert(Extra {
                at: start,
                open: (open.start, open.end),
                stray,
            });
        }
        // A brace further left than the line that opened the region is meant for another one around it.
        if self.line.1 == start && self.line.0 < open.column {
            let gap = open.outdented.unwrap_or(Gap { before, after: start });
            self.suspected.get_or_insert(gap);
        }
        true
    }

    /// Ends the statement. If a bracket of it is still open, the inserted end is recorded as the position of that
    /// error.
    pub(crate) fn end_statement(&mut self) {
        let mut cut = None;
        while !self.in_statement() {
            cut = self.stack.pop();
        }
        if let Some(open) = cut {
            self.out.cut.insert(self.out.tokens.len(), (open.start, open.end));
        }
        if !self.fresh {
            self.push(Token::END, self.last_end, self.last_end);
        }
        self.fresh = true;
    }

    /// Closes the brackets that are open in the statement, and all but this many regions, whose braces are missing. That is
    /// one error.
    pub(crate) fn close_to(&mut self, regions: usize) {
        self.end_statement();
        let last = self.out.tokens.len().checked_sub(1);
        // A bracket left open in the region is the same error.
        let mut reported = last.is_some_and(|last| self.out.cut.contains_key(&last));
        while self.stack.len() > regions
            && let Some(open) = self.stack.pop()
        {
            if !reported {
                let before = open.outdented.map_or(self.last_end, |gap| gap.before);
                let at = Span::new(self.file, before.saturating_sub(1), before);
                let problem = Diagnostic::error(Code::UnclosedDelimiter, "a closing `}` is missing")
                    .at(at, "expected `}` after this")
                    .also(
                        Span::new(self.file, open.start, open.end),
                        "the region that is opened here",
                    );
                let closed = format!("\n{}}}", " ".repeat(open.column));
                let problem = problem.fix(Span::new(self.file, before, before), closed, "add the `}`");
                self.out.problems.push(problem);
                self.unclosed = true;
                reported = true;
            }
            self.push(Token::REGION_MISSING, self.last_end, self.last_end);
            self.end_statement();
        }
    }

    /// Reports a closing brace that is one too many.
    fn report_extra(&mut self, extra: Extra) {
        let at = Span::new(self.file, extra.at, extra.at + 1);
        let (start, end) = extra.open;
        let problem = Diagnostic::error(Code::UnexpectedToken, "a closing `}` is one too many")
            .at(at, "closes nothing, by its indentation")
            .also(Span::new(self.file, start, end), "what is open here goes on")
            .fix(at, "", "remove the `}`");
        self.out.problems.push(problem);
    }

    /// Closes the innermost region, whose brace is missing here.
    fn close_one(&mut self) {
        self.end_statement();
        self.close_to(self.stack.len().saturating_sub(1));
    }
}

/// A lexer of one syntax: classifies tokens by context.
pub(crate) trait Lexer<'input>: Sized {
    /// A token as classified by its characters alone.
    type Raw: Logos<'input, Source = str, Extras = ()>;
    /// A token of the grammar.
    type Token: Marks;

    /// A lexer before the first token.
    fn new(statements: Statements<Self::Token>) -> Self;

    /// The tokens so far.
    fn statements(&mut self) -> &mut Statements<Self::Token>;

    /// Processes the next raw token, at the bytes from `start` to `end`; `line` is the rest of the text if the token is the
    /// first one of a line.
    fn token(
        &mut self,
        raw: Option<Self::Raw>,
        text: &'input str,
        start: usize,
        end: usize,
        line: Option<&'input str>,
    );

    /// Processes a closing brace that closes nothing.
    fn stray_brace(&mut self, text: &'input str, start: usize, end: usize);
}

/// Whether a line begins with the names of results, `=`, and a word: that begins a statement, whatever is open before it.
pub(crate) fn defines(line: &str) -> bool {
    let blank = |c: char| matches!(c, ' ' | '\t');
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-' | '#');
    let mut rest = line;
    loop {
        let Some(name) = rest.strip_prefix('%') else {
            return false;
        };
        rest = name.trim_start_matches(is_name).trim_start_matches(blank);
        if let Some(count) = rest.strip_prefix(':') {
            let count = count.trim_start_matches(blank);
            rest = count
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .trim_start_matches(blank);
        }
        if let Some(next) = rest.strip_prefix(',') {
            rest = next.trim_start_matches(blank);
        } else {
            let word = rest.strip_prefix('=').map(|rest| rest.trim_start_matches(blank));
            return word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '"'));
        }
    }
}

/// Missing braces of one text that are looked for by indentation, and braces that are too many.
const MAX_WRONG: usize = 8;

/// Tokenises a text; the header of a snapshot is skipped.
///
/// Where a brace is missing, or is one too many, cannot be told when a region ends too late or too early, but afterwards, from the
/// indentation of the lines: the text is then read again, with the region closed at that place, or without that brace.
pub(crate) fn lex<'input, L: Lexer<'input>>(text: &'input str, file: FileId) -> Lexed<L::Token> {
    let (mut missing, mut extra) = (Vec::new(), Vec::new());
    loop {
        let (lexed, wrong) = lex_with::<L>(text, file, &missing, &extra);
        match wrong {
            Some(Wrong::Missing(gap)) if missing.len() < MAX_WRONG && !missing.contains(&gap.after) => {
                missing.push(gap.after);
            }
            Some(Wrong::Extra(brace)) if extra.len() < MAX_WRONG => extra.push(brace),
            Some(_) | None => return lexed,
        }
    }
}

/// What the indentation of a text with unbalanced braces tells.
enum Wrong {
    Missing(Gap),
    Extra(Extra),
}

/// Tokenises a text with a region closed before each token that begins at one of these places, and without these braces. Returns
/// what else is wrong with its braces, if something is and the indentation tells it.
fn lex_with<'input, L: Lexer<'input>>(
    text: &'input str,
    file: FileId,
    missing: &[usize],
    extra: &[Extra],
) -> (Lexed<L::Token>, Option<Wrong>) {
    let mut lexer = L::new(Statements {
        file,
        out: Lexed::default(),
        stack: Vec::new(),
        fresh: true,
        last_end: 0,
        head: 0,
        line: (0, 0),
        unclosed: false,
        suspected: None,
        surplus: false,
        extra: None,
    });
    let mut raw = L::Raw::lexer(text);
    raw.bump(header_length(text));
    for (raw, span) in raw.spanned() {
        let gap = text
            .get(lexer.statements().last_end..span.start)
            .unwrap_or_default();
        let new_line = gap.contains('\n');
        let slice = text.get(span.clone()).unwrap_or_default();
        if new_line {
            let line = gap
                .rfind('\n')
                .map_or(gap, |end| gap.get(end + 1..).unwrap_or_default());
            lexer
                .statements()
                .begin_line(line.len(), span.start, slice == "}");
        }
        if missing.contains(&span.start) {
            lexer.statements().close_one();
        }
        if let Some(&brace) = extra.iter().find(|brace| brace.at == span.start) {
            match brace.stray {
                true => lexer.stray_brace(slice, span.start, span.end),
                false => lexer.statements().report_extra(brace),
            }
            continue;
        }
        let line = new_line.then(|| text.get(span.start..).unwrap_or_default());
        lexer.token(raw.ok(), slice, span.start, span.end, line);
        if lexer.statements().stack.len() > MAX_DEPTH {
            let at = Span::new(file, span.start, span.end);
            let message = format!("brackets are nested deeper than {MAX_DEPTH}");
            let lexed = Lexed {
                problems: vec![Diagnostic::error(Code::InputTooLarge, message).at(at, "too deep here")],
                ..Lexed::default()
            };
            return (lexed, None);
        }
    }
    let statements = lexer.statements();
    statements.close_to(0);
    let missing = statements.suspected.filter(|_| statements.unclosed);
    let extra = statements.extra.filter(|_| statements.surplus);
    let wrong = missing.map(Wrong::Missing).or(extra.map(Wrong::Extra));
    (std::mem::take(&mut statements.out), wrong)
}
