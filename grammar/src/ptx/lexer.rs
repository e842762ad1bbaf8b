//! Tokens of PTX.
//!
//! PTX terminates instructions with a semicolon and some directives with nothing. The lexer inserts an end of line
//! where a line ends outside of brackets and lists, so that one error affects one line; and it distinguishes the
//! braces of a body from those of a vector.

use logos::Logos;

use crate::snapshot::header_length;

/// A token; text is borrowed from the source.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(crate) enum Token<'s> {
    /// A word with its dot, such as `.f32` or `.L1::evict_last`; the text does not include the dot.
    #[regex(r"\.[A-Za-z0-9_]+(::[A-Za-z0-9_]+)*", |lex| lex.slice().get(1..))]
    Dotted(&'s str),
    /// A mnemonic, register, label, variable or file-scope name.
    #[regex(r"[A-Za-z_$%][A-Za-z0-9_$]*")]
    Name(&'s str),
    /// An integer, with its sign.
    #[regex(r"-?[0-9]+U?")]
    #[regex(r"-?0[xX][0-9A-Fa-f]+U?")]
    #[regex(r"-?0[bB][01]+U?")]
    Integer(&'s str),
    /// The bits of a float.
    #[regex(r"0[fF][0-9A-Fa-f]{8}")]
    #[regex(r"0[dD][0-9A-Fa-f]{16}")]
    Float(&'s str),
    /// Two numbers with a dot between, as in `.version`.
    #[regex(r"[0-9]+\.[0-9]+")]
    Decimal(&'s str),
    /// A string with its quotes.
    #[regex(r#""[^"\n]*""#)]
    String(&'s str),
    /// `;`
    #[token(";")]
    Semicolon,
    /// A line end without a semicolon.
    #[token("\n")]
    EndOfLine,
    /// The brace that opens a body.
    Begin,
    /// The brace that closes a body.
    End,
    /// `,`
    #[token(",")]
    Comma,
    /// `(`
    #[token("(")]
    OpenParen,
    /// `)`
    #[token(")")]
    CloseParen,
    /// `[`
    #[token("[")]
    OpenBracket,
    /// `]`
    #[token("]")]
    CloseBracket,
    /// `{` of a vector or an initial value.
    #[token("{")]
    OpenBrace,
    /// `}` of a vector or an initial value.
    #[token("}")]
    CloseBrace,
    /// `<`
    #[token("<")]
    Less,
    /// `>`
    #[token(">")]
    Greater,
    /// `+`
    #[token("+")]
    Plus,
    /// `@`
    #[token("@")]
    At,
    /// `!`
    #[token("!")]
    Not,
    /// `|`
    #[token("|")]
    Bar,
    /// `:`
    #[token(":")]
    Colon,
    /// `=`
    #[token("=")]
    Equals,
    /// Characters that begin no token.
    Bad,
}

/// A token with its byte range.
pub(super) type Spanned<'s> = (usize, Token<'s>, usize);

/// What is wrong with the braces of bodies.
#[derive(Clone, Copy, Debug)]
pub(super) enum WrongBrace {
    /// The closing one is missing after the token that ends at `ended`; the opening one begins at `opened`.
    Unclosed { opened: usize, ended: usize },
    /// The opening one is missing after the token that ends there.
    Unopened(usize),
    /// This one is too many.
    Extra(usize),
    /// This bracket stands for a closing brace.
    Bracket(usize),
}

/// The tokens of a text.
#[derive(Debug, Default)]
pub(super) struct Lexed<'input> {
    /// The tokens, with the ends of bodies that the text leaves open.
    pub(super) tokens: Vec<Spanned<'input>>,
    pub(super) wrong: Vec<WrongBrace>,
    /// The starts of the open bodies.
    bodies: Vec<usize>,
    /// Open parentheses, brackets and vector braces, in which a line end is ignored.
    depth: usize,
    in_vector: usize,
    /// Whether the head of an entry has begun, whose body has not.
    head: bool,
}

impl<'input> Lexed<'input> {
    fn last(&self) -> Option<Token<'input>> {
        self.tokens.last().map(|(_, token, _)| *token)
    }

    fn last_end(&self) -> usize {
        let last = self
            .tokens
            .iter()
            .rev()
            .find(|(_, token, _)| *token != Token::EndOfLine);
        last.map_or(0, |&(_, _, end)| end)
    }

    /// Whether no end of line is needed here.
    fn at_end(&self) -> bool {
        match self.tokens.as_slice() {
            [.., (_, Token::Name(_), _), (_, Token::Colon, _)] => self.is_label(),
            [.., (_, Token::Colon, _)] => false,
            _ => ends_by_itself(self.last()),
        }
    }

    /// Whether the name and the colon that are the last tokens are a label.
    fn is_label(&self) -> bool {
        let before = self
            .tokens
            .len()
            .checked_sub(3)
            .and_then(|at| self.tokens.get(at));
        match before.map(|(_, token, _)| *token) {
            Some(Token::Comma | Token::CloseParen) => false,
            // The label of another statement.
            Some(Token::Colon) => true,
            before => ends_by_itself(before),
        }
    }

    /// Ends the statement, if there is one.
    fn end_line(&mut self) {
        self.depth = 0;
        self.in_vector = 0;
        if self.last() == Some(Token::Comma) || !self.at_end() {
            let end = self.last_end();
            self.tokens.push((end, Token::EndOfLine, end));
        }
    }

    /// Ends the bodies that are open.
    fn close(&mut self) {
        let ended = self.last_end();
        while let Some(opened) = self.bodies.pop() {
            self.wrong.push(WrongBrace::Unclosed { opened, ended });
            self.end_line();
            self.tokens.push((ended, Token::End, ended));
        }
    }

    fn begin(&mut self, start: usize, end: usize) {
        self.depth = 0;
        self.in_vector = 0;
        self.head = false;
        self.bodies.push(start);
        self.tokens.push((start, Token::Begin, end));
    }

    fn end(&mut self, start: usize, end: usize) {
        self.depth = 0;
        self.in_vector = 0;
        if self.bodies.pop().is_none() {
            self.wrong.push(WrongBrace::Extra(start));
            return;
        }
        if !self.at_end() {
            self.tokens.push((start, Token::EndOfLine, start));
        }
        self.tokens.push((start, Token::End, end));
    }

    /// Begins a line with a token. Directives begin statements, whatever is open before them.
    fn begin_line(&mut self, token: Token<'input>) {
        let Token::Dotted(directive) = token else {
            if self.head && self.depth == 0 && matches!(token, Token::Name(_) | Token::At) {
                self.assume_body();
            }
            return;
        };
        let in_list = matches!(self.last(), Some(Token::Comma | Token::OpenParen));
        if self.bodies.is_empty() && self.depth > 0 && (in_list || directive == "param") {
            return;
        }
        self.end_line();
        if self.head && matches!(directive, "reg" | "loc" | "local" | "shared" | "pragma") {
            self.assume_body();
        }
    }

    /// Begins a body without a brace.
    fn assume_body(&mut self) {
        let end = self.last_end();
        self.end_line();
        self.wrong.push(WrongBrace::Unopened(end));
        self.begin(end, end);
    }
}

/// Whether a directive is one of a module, which cannot be in a body.
fn begins_item(directive: &str) -> bool {
    matches!(directive, "visible" | "extern" | "weak" | "entry" | "func")
}

/// All tokens of `text`, including ends of lines; the header of a snapshot is skipped.
pub(super) fn tokens(text: &str) -> Lexed<'_> {
    let mut lexed = Lexed::default();
    let mut lexer = Token::lexer(text);
    lexer.bump(header_length(text));
    let mut new_line = true;
    for (token, range) in lexer.spanned() {
        let token = token.unwrap_or(Token::Bad);
        if token == Token::EndOfLine {
            if lexed.depth == 0 && !lexed.at_end() {
                lexed.tokens.push((range.start, Token::EndOfLine, range.start));
            }
            new_line = true;
            continue;
        }
        let first = std::mem::replace(&mut new_line, false);
        if let Token::Dotted(directive) = token
            && begins_item(directive)
            && (first || lexed.at_end())
        {
            lexed.close();
        }
        lexed.head |= token == Token::Dotted("entry") && lexed.bodies.is_empty();
        if first {
            lexed.begin_line(token);
        }
        let last = lexed.last();
        match token {
            Token::OpenBrace if last == Some(Token::Begin) => {
                lexed.wrong.push(WrongBrace::Extra(range.start));
                continue;
            }
            Token::OpenBrace if opens_body(last) => {
                if matches!(last, Some(Token::Integer(_))) {
                    lexed.tokens.push((range.start, Token::EndOfLine, range.start));
                }
                lexed.begin(range.start, range.end);
                continue;
            }
            // In the middle of a line, and of a statement, it belongs to a vector whose brace is missing.
            Token::CloseBrace if lexed.in_vector == 0 && (first || lexed.at_end()) => {
                lexed.end(range.start, range.end);
                continue;
            }
            Token::CloseParen | Token::CloseBracket | Token::Greater
                if first && lexed.depth == 0 && !lexed.bodies.is_empty() && lexed.at_end() =>
            {
                lexed.wrong.push(WrongBrace::Bracket(range.start));
                lexed.end(range.start, range.end);
                continue;
            }
            Token::OpenBrace => {
                lexed.in_vector += 1;
                lexed.depth += 1;
            }
            Token::CloseBrace => {
                lexed.in_vector = lexed.in_vector.saturating_sub(1);
                lexed.depth = lexed.depth.saturating_sub(1);
            }
            Token::OpenParen | Token::OpenBracket => lexed.depth += 1,
            Token::CloseParen | Token::CloseBracket => lexed.depth = lexed.depth.saturating_sub(1),
            // An unclosed bracket must not hide the following statements.
            Token::Semicolon => {
                lexed.depth = 0;
                lexed.in_vector = 0;
            }
            _ => {}
        }
        lexed.tokens.push((range.start, token, range.end));
    }
    if !lexed.at_end() {
        lexed.tokens.push((text.len(), Token::EndOfLine, text.len()));
    }
    lexed.close();
    lexed
}

/// Whether no end of line is needed after this token.
fn ends_by_itself(last: Option<Token<'_>>) -> bool {
    matches!(
        last,
        None | Some(
            Token::Semicolon
                | Token::EndOfLine
                | Token::Begin
                | Token::End
                | Token::Comma
                | Token::CloseParen
        )
    )
}

/// Whether a brace after this token opens a body.
fn opens_body(last: Option<Token<'_>>) -> bool {
    matches!(
        last,
        None | Some(Token::CloseParen | Token::EndOfLine | Token::Integer(_))
    )
}

impl Token<'_> {
    /// The token as quoted in a message.
    pub(super) fn describe(self) -> String {
        let symbol = match self {
            Token::Dotted(text) => return format!("`.{text}`"),
            Token::Name(text)
            | Token::Integer(text)
            | Token::Float(text)
            | Token::Decimal(text)
            | Token::String(text) => return format!("`{text}`"),
            Token::EndOfLine => return "the end of the line".to_owned(),
            Token::Bad => return "these characters".to_owned(),
            Token::Semicolon => ";",
            Token::Begin | Token::OpenBrace => "{",
            Token::End | Token::CloseBrace => "}",
            Token::Comma => ",",
            Token::OpenParen => "(",
            Token::CloseParen => ")",
            Token::OpenBracket => "[",
            Token::CloseBracket => "]",
            Token::Less => "<",
            Token::Greater => ">",
            Token::Plus => "+",
            Token::At => "@",
            Token::Not => "!",
            Token::Bar => "|",
            Token::Colon => ":",
            Token::Equals => "=",
        };
        format!("`{symbol}`")
    }
}
