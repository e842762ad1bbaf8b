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

/// A body whose closing brace is missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unclosed {
    /// The start of its opening brace.
    pub(super) opened: usize,
    /// The end of the last token in it.
    pub(super) ended: usize,
}

/// The tokens of a text.
#[derive(Debug, Default)]
pub(super) struct Lexed<'input> {
    /// The tokens, with the ends of bodies that the text leaves open.
    pub(super) tokens: Vec<Spanned<'input>>,
    /// The bodies that the text leaves open.
    pub(super) unclosed: Vec<Unclosed>,
}

impl Lexed<'_> {
    /// Ends the bodies that are open.
    fn close(&mut self, bodies: &mut Vec<usize>) {
        let ended = self
            .tokens
            .iter()
            .rev()
            .find(|(_, token, _)| *token != Token::EndOfLine);
        let ended = ended.map_or(0, |&(_, _, end)| end);
        while let Some(opened) = bodies.pop() {
            self.unclosed.push(Unclosed { opened, ended });
            if !ends_by_itself(self.tokens.last().map(|(_, token, _)| *token)) {
                self.tokens.push((ended, Token::EndOfLine, ended));
            }
            self.tokens.push((ended, Token::End, ended));
        }
    }
}

/// Whether a directive is one of a module, which cannot be in a body.
fn begins_item(directive: &str) -> bool {
    matches!(directive, "visible" | "extern" | "weak" | "entry" | "func")
}

/// All tokens of `text`, including ends of lines; the header of a snapshot is skipped.
pub(super) fn tokens(text: &str) -> Lexed<'_> {
    let mut lexed = Lexed::default();
    // The starts of the open bodies.
    let mut bodies = Vec::new();
    // Open parentheses, brackets and vector braces, in which a line end is ignored.
    let mut depth = 0usize;
    let mut in_vector = 0usize;
    let mut lexer = Token::lexer(text);
    lexer.bump(header_length(text));
    for (token, range) in lexer.spanned() {
        let token = token.unwrap_or(Token::Bad);
        let last = lexed.tokens.last().map(|(_, token, _)| *token);
        if let Token::Dotted(directive) = token
            && begins_item(directive)
            && ends_by_itself(last)
        {
            lexed.close(&mut bodies);
        }
        let out = &mut lexed.tokens;
        match token {
            Token::EndOfLine => {
                if depth == 0 && !ends_by_itself(last) {
                    out.push((range.start, Token::EndOfLine, range.start));
                }
                continue;
            }
            Token::OpenBrace if opens_body(last) => {
                if matches!(last, Some(Token::Integer(_))) {
                    out.push((range.start, Token::EndOfLine, range.start));
                }
                depth = 0;
                bodies.push(range.start);
                out.push((range.start, Token::Begin, range.end));
                continue;
            }
            Token::CloseBrace if in_vector == 0 => {
                depth = 0;
                if !ends_by_itself(last) {
                    out.push((range.start, Token::EndOfLine, range.start));
                }
                bodies.pop();
                out.push((range.start, Token::End, range.end));
                continue;
            }
            Token::OpenBrace => {
                in_vector += 1;
                depth += 1;
            }
            Token::CloseBrace => {
                in_vector -= 1;
                depth = depth.saturating_sub(1);
            }
            Token::OpenParen | Token::OpenBracket => depth += 1,
            Token::CloseParen | Token::CloseBracket => depth = depth.saturating_sub(1),
            // An unclosed bracket must not hide the following statements.
            Token::Semicolon => {
                depth = 0;
                in_vector = 0;
            }
            _ => {}
        }
        out.push((range.start, token, range.end));
    }
    if !ends_by_itself(lexed.tokens.last().map(|(_, token, _)| *token)) {
        lexed.tokens.push((text.len(), Token::EndOfLine, text.len()));
    }
    lexed.close(&mut bodies);
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
                | Token::Colon
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
