//! From characters to the tokens of the grammar: ends of statements, kinds of braces, bounds.
//!
//! The text leaves out what a grammar with one token of lookahead needs. Outside brackets a line that begins with
//! a value, a block, an alias or a word with a dot begins a statement, unless what stands before it asks for more.
//! A brace after a plain word outside brackets opens a region; any other brace opens attributes.

use logos::Logos;
use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};

use super::token::{Raw, Token};

/// Brackets nested deeper than this are refused: trees are walked recursively.
const MAX_DEPTH: usize = 100;

/// A token with the bytes that it covers.
pub(crate) type Spanned<'input> = (usize, Token<'input>, usize);

/// The tokens of a text.
#[derive(Debug, Default)]
pub(crate) struct Lexed<'input> {
    /// The tokens; brackets of regions always match.
    pub(crate) tokens: Vec<Spanned<'input>>,
    /// What the lexer itself found wrong.
    pub(crate) problems: Vec<Diagnostic<Span>>,
    /// For the index of an inserted end that cuts a bracket short: where that bracket was opened.
    pub(crate) cut: FxHashMap<usize, (usize, usize)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Paren,
    Square,
    Angle,
    Dict,
    Region,
}

struct Lexer<'input> {
    file: FileId,
    out: Lexed<'input>,
    /// The open brackets with their bytes.
    stack: Vec<(Bracket, usize, usize)>,
    /// Whether the next token begins a statement.
    fresh: bool,
    /// Whether the statement is a block's header.
    header: bool,
    /// Whether the statement has a `:` outside brackets.
    typed: bool,
    /// Where the last token ends.
    last_end: usize,
}

/// Cuts a text into tokens.
pub(crate) fn lex(text: &str, file: FileId) -> Lexed<'_> {
    let mut lexer = Lexer {
        file,
        out: Lexed::default(),
        stack: Vec::new(),
        fresh: true,
        header: false,
        typed: false,
        last_end: 0,
    };
    for (raw, span) in Raw::lexer(text).spanned() {
        let gap = text.get(lexer.last_end..span.start).unwrap_or_default();
        let slice = text.get(span.clone()).unwrap_or_default();
        lexer.token(raw.ok(), slice, span.start, span.end, gap.contains('\n'));
        if lexer.stack.len() > MAX_DEPTH {
            let at = Span::new(file, span.start, span.end);
            let message = format!("brackets are nested deeper than {MAX_DEPTH}");
            return Lexed {
                problems: vec![Diagnostic::error(Code::InputTooLarge, message).at(at, "too deep here")],
                ..Lexed::default()
            };
        }
    }
    lexer.close_all();
    lexer.out
}

impl<'input> Lexer<'input> {
    fn push(&mut self, token: Token<'input>, start: usize, end: usize) {
        self.out.tokens.push((start, token, end));
        self.last_end = end;
        self.fresh = false;
    }

    fn in_statement(&self) -> bool {
        self.stack
            .last()
            .is_none_or(|(kind, ..)| *kind == Bracket::Region)
    }

    /// Ends the statement, whose brackets must be closed by now; where they are not, the end is remembered as the
    /// place of that mistake.
    fn end_statement(&mut self) {
        let mut cut = None;
        while !self.in_statement() {
            cut = self.stack.pop();
        }
        if let Some((_, start, end)) = cut {
            self.out.cut.insert(self.out.tokens.len(), (start, end));
        }
        if !self.fresh {
            self.push(Token::End, self.last_end, self.last_end);
        }
        self.begin_statement();
    }

    fn begin_statement(&mut self) {
        self.fresh = true;
        self.header = false;
        self.typed = false;
    }

    /// Closes what the end of the text, or the next function, leaves open.
    fn close_all(&mut self) {
        self.end_statement();
        let open = self.stack.last().copied();
        while let Some((_, start, end)) = self.stack.pop() {
            // A bracket cut short in this region is the same mistake.
            if open == Some((Bracket::Region, start, end)) && !self.cut_at_end() {
                let at = Span::new(self.file, start, end);
                let message = "a region is opened with `{` and never closed";
                self.out
                    .problems
                    .push(Diagnostic::error(Code::UnclosedDelimiter, message).at(at, "opened here"));
            }
            self.push(Token::RegionMissing, self.last_end, self.last_end);
            self.end_statement();
        }
    }

    fn cut_at_end(&self) -> bool {
        let last = self.out.tokens.len().wrapping_sub(1);
        self.out.cut.contains_key(&last)
    }

    /// Whether the token before asks for more, so that a new line does not end the statement.
    fn continues(&self, token: Raw) -> bool {
        match self.out.tokens.last() {
            Some((_, Token::Comma, _)) => !self.in_statement() || token != Raw::Word || self.typed,
            Some((_, Token::Equals | Token::Colon, _)) => token == Raw::Word,
            Some((
                _,
                Token::ParenOpen | Token::BracketOpen | Token::AngleOpen | Token::BraceOpen | Token::Dims(_),
                _,
            )) => true,
            _ => false,
        }
    }

    fn token(&mut self, raw: Option<Raw>, text: &'input str, start: usize, end: usize, new_line: bool) {
        let begins = match raw {
            Some(Raw::Value | Raw::Block | Raw::Alias) => true,
            Some(Raw::Word) => text.contains('.'),
            _ => false,
        };
        if let Some(raw) = raw
            && new_line
            && begins
            && !self.fresh
            && !self.continues(raw)
        {
            self.end_statement();
        }
        // No function is inside another: whatever is open was meant to be closed before.
        if new_line
            && self.fresh
            && raw == Some(Raw::Word)
            && text.ends_with(".func")
            && !self.stack.is_empty()
        {
            self.close_all();
        }
        let Some(raw) = raw else {
            return self.push(Token::Bad, start, end);
        };
        let token = match raw {
            Raw::Value => Token::Value(text),
            Raw::Block => {
                self.header |= self.fresh;
                Token::Block(text)
            }
            Raw::Symbol => Token::Symbol(text),
            Raw::QuotedSymbol => Token::QuotedSymbol(text),
            Raw::Alias => Token::Alias(text),
            Raw::Int => Token::Int(text),
            Raw::Float => Token::Float(text),
            Raw::Bits => Token::Bits(text),
            Raw::Dims => Token::Dims(text),
            Raw::Word => self.word(text),
            Raw::Str => Token::Str(text),
            Raw::OpenStr => Token::OpenStr,
            Raw::Question => Token::Question,
            Raw::Comma => Token::Comma,
            Raw::Equals => Token::Equals,
            Raw::Colon => {
                self.push(Token::Colon, start, end);
                if self.in_statement() {
                    self.typed = true;
                    if self.header {
                        self.begin_statement();
                    }
                }
                return;
            }
            Raw::ParenOpen => self.open(Bracket::Paren, Token::ParenOpen, start, end),
            Raw::BracketOpen => self.open(Bracket::Square, Token::BracketOpen, start, end),
            Raw::AngleOpen => self.open(Bracket::Angle, Token::AngleOpen, start, end),
            Raw::ParenClose => self.close(Token::ParenClose),
            Raw::BracketClose => self.close(Token::BracketClose),
            Raw::AngleClose => self.close(Token::AngleClose),
            Raw::BraceOpen => return self.open_brace(start, end),
            Raw::BraceClose => return self.close_brace(start, end),
        };
        self.push(token, start, end);
    }

    /// The word at the head of a statement is an op's name; so is the one after the `=` of its results.
    fn word(&self, text: &'input str) -> Token<'input> {
        let after_results = self.in_statement()
            && matches!(self.out.tokens.last(), Some((_, Token::Equals, _)))
            && !self.after_alias();
        if self.fresh || after_results {
            Token::OpWord(text)
        } else {
            Token::Word(text)
        }
    }

    /// Whether the `=` before belongs to `#name =`.
    fn after_alias(&self) -> bool {
        let tokens = &self.out.tokens;
        let before = tokens.len().checked_sub(2).and_then(|at| tokens.get(at));
        matches!(before, Some((_, Token::Alias(_), _)))
    }

    fn open(&mut self, kind: Bracket, token: Token<'input>, start: usize, end: usize) -> Token<'input> {
        self.stack.push((kind, start, end));
        token
    }

    fn close(&mut self, token: Token<'input>) -> Token<'input> {
        // A bracket of another kind closes all the same: the grammar reports it, and nothing after it is off.
        if !self.in_statement() {
            self.stack.pop();
        }
        token
    }

    fn open_brace(&mut self, start: usize, end: usize) {
        if self.in_statement()
            && let Some((_, token, _)) = self.out.tokens.last_mut()
            && let Token::Word(label) = *token
        {
            *token = Token::Label(label);
            self.stack.push((Bracket::Region, start, end));
            self.push(Token::RegionOpen, start, end);
            self.begin_statement();
        } else {
            self.stack.push((Bracket::Dict, start, end));
            self.push(Token::BraceOpen, start, end);
        }
    }

    fn close_brace(&mut self, start: usize, end: usize) {
        // Brackets that were opened inside the braces and not closed end with them.
        if self
            .stack
            .iter()
            .rev()
            .take_while(|(kind, ..)| *kind != Bracket::Region)
            .any(|(kind, ..)| *kind == Bracket::Dict)
        {
            while let Some((kind, ..)) = self.stack.pop() {
                if kind == Bracket::Dict {
                    break;
                }
            }
            return self.push(Token::BraceClose, start, end);
        }
        self.end_statement();
        match self.stack.pop() {
            Some(_) => self.push(Token::RegionClose, start, end),
            // Nothing is open: the grammar says so.
            None => self.push(Token::BraceClose, start, end),
        }
    }
}
