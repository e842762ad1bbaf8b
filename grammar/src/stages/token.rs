//! The tokens of the regular syntax.

use logos::Logos;

/// A token as classified by its characters alone.
///
/// A word that begins with digits must not continue with an `x`: `16x256b` is an extent before the word `256b`. A bit
/// pattern begins with a decimal digit or a capital, so that `0xf32` is an extent before the word `f32`.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(crate) enum Raw {
    #[regex(r"%[A-Za-z0-9_.$]+")]
    Value,
    #[regex(r"\^[A-Za-z0-9_.$]*")]
    Block,
    #[regex(r"@[A-Za-z_][A-Za-z0-9_.$]*")]
    Symbol,
    #[regex(r#"@"([^"\\\n]|\\[^\n])*""#)]
    QuotedSymbol,
    #[regex(r"#[A-Za-z_][A-Za-z0-9_.$]*")]
    Alias,
    #[regex(r"-?[0-9]+")]
    Int,
    #[regex(r"-?[0-9]+(\.[0-9]+([eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)", priority = 20)]
    #[regex(r"-(inf|Infinity|nan|NaN)", priority = 20)]
    Float,
    #[regex(r"0x([0-9][0-9A-Fa-f]*|[A-F][0-9A-F]*)", priority = 20)]
    Bits,
    #[regex(r"(([0-9]+|\?)x)+")]
    Dims,
    #[regex(r"[A-Za-z_][A-Za-z0-9_.$]*|[0-9]+[A-Z_a-wyz][A-Za-z0-9_.$]*")]
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
    #[token("(")]
    ParenOpen,
    #[token(")")]
    ParenClose,
    #[token("[")]
    BracketOpen,
    #[token("]")]
    BracketClose,
    #[token("<")]
    AngleOpen,
    #[token(">")]
    AngleClose,
    #[token("{")]
    BraceOpen,
    #[token("}")]
    BraceClose,
}

/// A token of the grammar. Texts include their sigils and quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'input> {
    /// `%0`
    Value(&'input str),
    /// `^bb1`, or a bare `^`
    Block(&'input str),
    /// `@name`
    Symbol(&'input str),
    /// `@"any text"`
    QuotedSymbol(&'input str),
    /// `#linear0`
    Alias(&'input str),
    /// `-3`
    Int(&'input str),
    /// `1.5`
    Float(&'input str),
    /// `0x7FC0`
    Bits(&'input str),
    /// `"text"`
    Str(&'input str),
    /// `4x?x`
    Dims(&'input str),
    /// A word anywhere but at the head of a statement.
    Word(&'input str),
    /// A word that a region follows.
    Label(&'input str),
    /// The word at the head of a statement.
    OpWord(&'input str),
    /// `?`
    Question,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `=`
    Equals,
    /// `(`
    ParenOpen,
    /// `)`
    ParenClose,
    /// `[`
    BracketOpen,
    /// `]`
    BracketClose,
    /// `<`
    AngleOpen,
    /// `>`
    AngleClose,
    /// `{` of attributes
    BraceOpen,
    /// `}` of attributes
    BraceClose,
    /// `{` of a region
    RegionOpen,
    /// `}` of a region
    RegionClose,
    /// The inserted start of a region whose opening brace is missing
    RegionAssumed,
    /// The inserted end of a region that the text leaves open
    RegionMissing,
    /// The end of a statement (an empty token).
    End,
    /// Characters that begin no token.
    Bad,
    /// A string that is not closed on its line.
    OpenStr,
}
