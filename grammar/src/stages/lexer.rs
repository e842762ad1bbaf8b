//! The lexer: tokens, ends of statements, kinds of braces, limits.
//!
//! Provides what a grammar with one token of lookahead needs. Outside brackets a line that begins with a value, a
//! block, an alias or a word with a dot begins a statement, unless the previous token requires a continuation. A
//! brace after a plain word outside brackets opens a region; any other brace opens attributes. Names of ops have a dot.

use super::token::{Raw, Token};
use crate::statements::{self, Bracket, Marks, Statements, defines};

impl Marks for Token<'_> {
    const END: Self = Self::End;
    const REGION_MISSING: Self = Self::RegionMissing;
    const REGION_OPEN: Self = Self::RegionOpen;
    const REGION_ASSUMED: Self = Self::RegionAssumed;
    const REGION_CLOSE: Self = Self::RegionClose;
    const BAD: Self = Self::Bad;
    const OPEN_STR: Self = Self::OpenStr;

    fn is_region(self) -> bool {
        matches!(
            self,
            Self::RegionOpen | Self::RegionAssumed | Self::RegionClose | Self::RegionMissing
        )
    }
}

pub(crate) struct Lexer<'input> {
    out: Statements<Token<'input>>,
    /// Whether the statement is a block's header.
    header: bool,
    /// Whether the statement has a `:` outside brackets.
    typed: bool,
}

impl<'input> Lexer<'input> {
    fn begin_statement(&mut self) {
        self.out.begin();
        self.header = false;
        self.typed = false;
    }

    /// Whether the previous token requires a continuation, so that a new line does not end the statement.
    fn continues(&self, token: Raw) -> bool {
        match self.out.last() {
            Some(Token::Comma) => !self.out.in_statement() || token != Raw::Word || self.typed,
            Some(Token::Equals) => token == Raw::Word,
            // A type, unless the line begins where the statements do.
            Some(Token::Colon) => token == Raw::Word && !self.out.outdented(),
            Some(
                Token::ParenOpen | Token::BracketOpen | Token::AngleOpen | Token::BraceOpen | Token::Dims(_),
            ) => true,
            _ => false,
        }
    }

    /// The word at the head of a statement is an op's name; so is the one after the `=` of its results.
    fn word(&self, text: &'input str) -> Token<'input> {
        let after_results =
            self.out.in_statement() && matches!(self.out.last(), Some(Token::Equals)) && !self.after_alias();
        if self.out.fresh() || after_results {
            Token::OpWord(text)
        } else {
            Token::Word(text)
        }
    }

    /// Whether the preceding `=` belongs to `#name =`.
    fn after_alias(&self) -> bool {
        matches!(self.out.before_last(), Some(Token::Alias(_)))
    }

    fn open(&mut self, token: Token<'input>, start: usize, end: usize) -> Token<'input> {
        self.out.open(Bracket::Other, start, end);
        token
    }

    fn close(&mut self, token: Token<'input>, start: usize, end: usize) {
        if self.out.stands_for_brace(start) {
            let text = match token {
                Token::ParenClose => ")",
                Token::AngleClose => ">",
                _ => "]",
            };
            self.out.report_wrong_brace(text, start, end);
            return self.close_brace(start, end);
        }
        self.out.close();
        self.out.push(token, start, end);
    }

    /// Whether the last token is a word that names a region.
    fn after_label(&self) -> bool {
        matches!(self.out.last(), Some(Token::Word(label)) if !label.contains('.'))
    }

    /// Takes a word for the name of a region.
    fn label(token: Option<&mut Token<'input>>) {
        if let Some(token) = token
            && let Token::Word(label) = *token
        {
            *token = Token::Label(label);
        }
    }

    fn open_brace(&mut self, start: usize, end: usize) {
        if self.out.at_region_start() {
            self.out.report_second_brace(start, end);
        } else if self.out.in_statement() && self.after_label() {
            Self::label(self.out.last_mut());
            self.out.open(Bracket::Region, start, end);
            self.out.push(Token::RegionOpen, start, end);
            self.begin_statement();
        } else {
            self.out.open(Bracket::Dict, start, end);
            self.out.push(Token::BraceOpen, start, end);
        }
    }

    fn close_brace(&mut self, start: usize, end: usize) {
        if self.out.close_dict() {
            return self.out.push(Token::BraceClose, start, end);
        }
        let token = if self.out.close_region(start) {
            Token::RegionClose
        } else {
            // Nothing is open: the grammar reports it.
            Token::BraceClose
        };
        self.begin_statement();
        self.out.push(token, start, end);
    }

    /// Takes a region that begins with a word before `=` for attributes.
    fn named_value(&mut self) {
        if let Some(Token::OpWord(word)) = self.out.last()
            && self.out.turn_into_dict(Token::BraceOpen)
        {
            if let Some(last) = self.out.last_mut() {
                *last = Token::Word(word);
            }
            if let Some(label) = self.out.before_last_mut(2)
                && let Token::Label(word) = *label
            {
                *label = Token::Word(word);
            }
        }
    }

    /// Begins a statement with the first token of a line: ends the one before, or begins the region that it lacks the brace of.
    fn new_statement(&mut self) {
        if self.out.turn_into_region() {
            Self::label(self.out.before_last_mut(1));
        } else if !self.out.outdented() && self.lacks_region() {
            Self::label(self.out.last_mut());
            self.out.assume_region();
        } else {
            self.out.end_statement();
        }
        self.begin_statement();
    }

    /// Whether the statement ends with the name of a region, possibly before a bracket that stands for its brace.
    fn lacks_region(&self) -> bool {
        match self.out.last() {
            Some(Token::ParenOpen | Token::BracketOpen | Token::AngleOpen) => {
                matches!(self.out.before_last(), Some(Token::Word(label)) if !label.contains('.'))
            }
            // No type.
            _ => {
                let before = self.out.before_last();
                self.after_label()
                    && !matches!(
                        before,
                        Some(Token::Colon | Token::Comma | Token::Equals | Token::Dims(_))
                    )
            }
        }
    }
}

impl<'input> statements::Lexer<'input> for Lexer<'input> {
    type Raw = Raw;
    type Token = Token<'input>;

    fn new(out: Statements<Token<'input>>) -> Self {
        Self {
            out,
            header: false,
            typed: false,
        }
    }

    fn statements(&mut self) -> &mut Statements<Token<'input>> {
        &mut self.out
    }

    fn token(
        &mut self,
        raw: Option<Raw>,
        text: &'input str,
        start: usize,
        end: usize,
        line: Option<&'input str>,
    ) {
        let begins = match raw {
            Some(Raw::Value | Raw::Block | Raw::Alias) => true,
            Some(Raw::Word) => text.contains('.'),
            _ => false,
        };
        if let (Some(raw), Some(line)) = (raw, line)
            && begins
            && !self.out.fresh()
            && (!self.continues(raw) || defines(line) || raw == Raw::Word && self.lacks_region())
        {
            self.new_statement();
        }
        // Functions are not nested: all open brackets should have been closed before.
        if line.is_some()
            && self.out.fresh()
            && raw == Some(Raw::Word)
            && text.ends_with(".func")
            && !self.out.at_top()
        {
            self.out.close_to(0);
            self.begin_statement();
        }
        let Some(raw) = raw else {
            return self.out.push(Token::Bad, start, end);
        };
        let token = match raw {
            Raw::Value => Token::Value(text),
            Raw::Block => {
                self.header |= self.out.fresh();
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
            Raw::Equals => {
                self.named_value();
                Token::Equals
            }
            Raw::Colon => {
                self.out.push(Token::Colon, start, end);
                if self.out.in_statement() {
                    self.typed = true;
                    if self.header {
                        self.begin_statement();
                    }
                }
                return;
            }
            Raw::ParenOpen => self.open(Token::ParenOpen, start, end),
            Raw::BracketOpen => self.open(Token::BracketOpen, start, end),
            Raw::AngleOpen => self.open(Token::AngleOpen, start, end),
            Raw::ParenClose => return self.close(Token::ParenClose, start, end),
            Raw::BracketClose => return self.close(Token::BracketClose, start, end),
            Raw::AngleClose => return self.close(Token::AngleClose, start, end),
            Raw::BraceOpen => return self.open_brace(start, end),
            Raw::BraceClose => return self.close_brace(start, end),
        };
        self.out.push(token, start, end);
    }

    fn stray_brace(&mut self, _text: &'input str, start: usize, end: usize) {
        self.out.push(Token::BraceClose, start, end);
    }
}
