//! From characters to the tokens of the grammar: ends of statements, kinds of braces, bounds.
//!
//! A statement ends where a line begins that opens another: with a value, an alias, or the name of an op. Braces
//! outside brackets hold a region, unless the word `attributes` stands before them.

use logos::Logos;
use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::cuda_tile::TileOp;

/// Brackets nested deeper than this are refused: trees are walked recursively.
const MAX_DEPTH: usize = 100;

/// A token as the characters alone tell it.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(crate) enum Raw {
    #[regex(r"%([0-9]+|[A-Za-z_.$-][A-Za-z0-9_.$-]*)(#[0-9]+)?")]
    Value,
    #[regex(r"@[A-Za-z_][A-Za-z0-9_.$]*")]
    #[regex(r#"@"([^"\\\n]|\\[^\n])*""#)]
    Symbol,
    #[regex(r"#[A-Za-z_][A-Za-z0-9_.$]*")]
    Alias,
    #[regex(r"-?[0-9]+")]
    Int,
    #[regex(r"-?[0-9]+(\.[0-9]*([eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)", priority = 20)]
    Float,
    #[regex(r"0x[0-9A-Fa-f]+", priority = 20)]
    Bits,
    #[regex(r"(([0-9]+|\?)x)+")]
    Dims,
    #[regex(r"!?[A-Za-z_][A-Za-z0-9_.$]*")]
    Word,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Str,
    #[regex(r#"@?"([^"\\\n]|\\[^\n])*"#)]
    OpenStr,
    #[token("?")]
    Question,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("=")]
    Equals,
    #[token("->")]
    Arrow,
    #[token("(")]
    #[token("[")]
    #[token("<")]
    Open,
    #[token(")")]
    #[token("]")]
    #[token(">")]
    Close,
    #[token("{")]
    BraceOpen,
    #[token("}")]
    BraceClose,
}

/// A token as the grammar sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'input> {
    /// `%0`, `%for#1`
    Value(&'input str),
    /// `#loc1`
    Alias(&'input str),
    /// `-3`
    Int(&'input str),
    /// Anything else that only an op's own text can place.
    Leaf(&'input str),
    /// The word at the head of a statement.
    OpWord(&'input str),
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `=`
    Equals,
    /// `{` of a region
    RegionOpen,
    /// `}` of a region
    RegionClose,
    /// The end of a region that the text leaves open.
    RegionMissing,
    /// The end of a statement, which has no characters.
    End,
    /// Characters that begin no token.
    Bad,
    /// A string that its line does not close.
    OpenStr,
}

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

/// Words of the file's frame that begin a statement.
const FRAME: &[&str] = &["module", "entry", "global"];

/// A name without the dialect's.
pub(crate) fn short(name: &str) -> &str {
    let name = name.strip_prefix('!').unwrap_or(name);
    name.strip_prefix("cuda_tile.").unwrap_or(name)
}

fn begins_statement(word: &str) -> bool {
    let word = short(word);
    FRAME.contains(&word) || TileOp::by_mnemonic(word).is_some()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Region,
    Dict,
    Other,
}

struct Lexer<'input> {
    file: FileId,
    out: Lexed<'input>,
    /// The open brackets with their bytes.
    stack: Vec<(Bracket, usize, usize)>,
    /// The last token as the characters tell it, and its text.
    last: Option<(Raw, &'input str)>,
    /// Whether the next token begins a statement.
    fresh: bool,
    /// Where the last token ends.
    last_end: usize,
}

/// Cuts a text into tokens.
pub(crate) fn lex(text: &str, file: FileId) -> Lexed<'_> {
    let mut lexer = Lexer {
        file,
        out: Lexed::default(),
        stack: Vec::new(),
        last: None,
        fresh: true,
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
        self.fresh = true;
    }

    fn close_all(&mut self) {
        self.end_statement();
        let cut = self.out.tokens.len().checked_sub(1);
        let reported = cut.is_some_and(|last| self.out.cut.contains_key(&last));
        if let Some(&(_, start, end)) = self.stack.last()
            && !reported
        {
            let at = Span::new(self.file, start, end);
            let message = "a region is opened with `{` and never closed";
            self.out
                .problems
                .push(Diagnostic::error(Code::UnclosedDelimiter, message).at(at, "opened here"));
        }
        while self.stack.pop().is_some() {
            self.push(Token::RegionMissing, self.last_end, self.last_end);
            self.end_statement();
        }
    }

    /// Whether the token before asks for more, so that a new line does not end the statement.
    fn continues(&self, raw: Raw) -> bool {
        let inside = !self.in_statement();
        match self.last {
            Some((Raw::Comma, _)) => inside || raw == Raw::Value,
            Some((Raw::Equals, _)) => inside || raw == Raw::Word,
            Some((Raw::Colon | Raw::Arrow, _)) => inside || raw != Raw::Value,
            Some((Raw::Open, _)) => true,
            Some((Raw::BraceOpen, _)) => inside,
            Some((Raw::Word, word)) => inside && matches!(word, "to" | "step" | "in" | "at"),
            _ => false,
        }
    }

    fn token(&mut self, raw: Option<Raw>, text: &'input str, start: usize, end: usize, new_line: bool) {
        let Some(raw) = raw else {
            self.push(Token::Bad, start, end);
            return;
        };
        let begins = match raw {
            Raw::Value | Raw::Alias => true,
            Raw::Word => begins_statement(text),
            _ => false,
        };
        if new_line && begins && !self.fresh && !self.continues(raw) {
            self.end_statement();
        }
        match raw {
            Raw::Value => self.push(Token::Value(text), start, end),
            Raw::Alias => self.push(Token::Alias(text), start, end),
            Raw::Int => self.push(Token::Int(text), start, end),
            Raw::Word => {
                let after_results = self.in_statement()
                    && matches!(self.last, Some((Raw::Equals, _)))
                    && matches!(
                        self.out
                            .tokens
                            .len()
                            .checked_sub(2)
                            .and_then(|at| self.out.tokens.get(at)),
                        Some((_, Token::Value(_) | Token::Int(_), _))
                    );
                let head = self.fresh || after_results;
                let token = if head {
                    Token::OpWord(text)
                } else {
                    Token::Leaf(text)
                };
                self.push(token, start, end);
            }
            Raw::Symbol | Raw::Float | Raw::Bits | Raw::Dims | Raw::Str | Raw::Question | Raw::Arrow => {
                self.push(Token::Leaf(text), start, end)
            }
            Raw::OpenStr => self.push(Token::OpenStr, start, end),
            Raw::Comma => self.push(Token::Comma, start, end),
            Raw::Colon => self.push(Token::Colon, start, end),
            Raw::Equals => self.push(Token::Equals, start, end),
            Raw::Open => {
                self.stack.push((Bracket::Other, start, end));
                self.push(Token::Leaf(text), start, end);
            }
            Raw::Close => {
                if !self.in_statement() {
                    self.stack.pop();
                }
                self.push(Token::Leaf(text), start, end);
            }
            Raw::BraceOpen => {
                let region = self.in_statement() && self.last.is_none_or(|(_, word)| word != "attributes");
                let kind = if region { Bracket::Region } else { Bracket::Dict };
                self.stack.push((kind, start, end));
                self.push(
                    if region {
                        Token::RegionOpen
                    } else {
                        Token::Leaf(text)
                    },
                    start,
                    end,
                );
                self.fresh = region;
            }
            Raw::BraceClose => self.close_brace(text, start, end),
        }
        self.last = Some((raw, text));
    }

    fn close_brace(&mut self, text: &'input str, start: usize, end: usize) {
        let inside = self
            .stack
            .iter()
            .rev()
            .take_while(|(kind, ..)| *kind != Bracket::Region);
        if inside.into_iter().any(|(kind, ..)| *kind == Bracket::Dict) {
            // Brackets that were opened in the dictionary and not closed end with it.
            while self.stack.pop().is_some_and(|(kind, ..)| kind != Bracket::Dict) {}
            return self.push(Token::Leaf(text), start, end);
        }
        self.end_statement();
        match self.stack.pop() {
            Some(_) => self.push(Token::RegionClose, start, end),
            None => self.push(Token::Leaf(text), start, end),
        }
    }
}
