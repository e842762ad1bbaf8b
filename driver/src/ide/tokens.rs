//! Splits text into words, for colours, for formatting, and for text that is being typed. Works on text that no parser accepts.

use std::ops::Range;

/// The kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `// …`
    Comment,
    /// `"…"`, up to the end of the line if it is not closed.
    Str,
    /// `1`, `-2.5`, `0x1F`
    Number,
    /// `%name`
    Value,
    /// `@name`
    Symbol,
    /// `#name`, `!name`
    Alias,
    /// `^name`, `$L_1`
    Block,
    /// `.directive`, as PTX has them
    Directive,
    /// Any other word.
    Word,
    /// A single character that is part of no other word.
    Mark,
}

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: Kind,
    /// Its range in the text, in bytes.
    pub at: Range<usize>,
}

/// The words of a text, in its order.
pub fn tokens(text: &str) -> Vec<Token> {
    words(text).collect()
}

/// The words of a text, one by one. None goes beyond its line.
pub fn words(text: &str) -> impl Iterator<Item = Token> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        at += until(rest, |c| !c.is_whitespace());
        let rest = text.get(at..)?;
        let first = rest.chars().next()?;
        let (kind, length) = word(first, rest);
        let start = at;
        at += length;
        Some(Token { kind, at: start..at })
    })
}

/// The kind of the word that a text begins with, and its length in bytes.
fn word(first: char, rest: &str) -> (Kind, usize) {
    let (kind, length) = match first {
        '/' if rest.starts_with("//") => {
            let line = memchr::memchr(b'\n', rest.as_bytes());
            (Kind::Comment, line.unwrap_or(rest.len()))
        }
        '"' => (Kind::Str, string(rest)),
        '%' => (Kind::Value, 1 + name(rest)),
        '@' if rest.starts_with("@\"") => (Kind::Symbol, 1 + string(rest.get(1..).unwrap_or_default())),
        '@' => (Kind::Symbol, 1 + name(rest)),
        '#' | '!' => (Kind::Alias, 1 + name(rest)),
        '^' | '$' => (Kind::Block, 1 + name(rest)),
        '.' => (Kind::Directive, 1 + name(rest)),
        c if c.is_ascii_digit() => (Kind::Number, number(rest)),
        '-' if rest
            .get(1..)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) =>
        {
            (Kind::Number, 1 + number(rest.get(1..).unwrap_or_default()))
        }
        c if c.is_alphanumeric() || c == '_' => (Kind::Word, until(rest, |c| !is_name(c))),
        c => (Kind::Mark, c.len_utf8()),
    };
    // A sigil alone is a mark.
    let alone = length == first.len_utf8() && !first.is_alphanumeric() && first != '_';
    (if alone { Kind::Mark } else { kind }, length)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// The number of bytes before the first character of a kind.
fn until(text: &str, ends: impl Fn(char) -> bool) -> usize {
    // Most are of ASCII, where a byte is a character.
    let ascii = text
        .bytes()
        .position(|byte| !byte.is_ascii() || ends(char::from(byte)));
    match ascii {
        None => text.len(),
        Some(at) if text.as_bytes().get(at).is_some_and(u8::is_ascii) => at,
        Some(at) => {
            let rest = text.get(at..).unwrap_or_default();
            at + rest.find(ends).unwrap_or(rest.len())
        }
    }
}

/// The length in bytes of the name after a sigil; `rest` begins with the sigil.
fn name(rest: &str) -> usize {
    until(rest.get(1..).unwrap_or_default(), |c| !is_name(c))
}

/// The length in bytes of a number: digits, a fraction, an exponent, or hexadecimal digits. The number of an extent ends before
/// the `x`.
fn number(rest: &str) -> usize {
    if rest.starts_with("0x")
        && rest
            .get(2..3)
            .is_some_and(|c| c.starts_with(|c: char| c.is_ascii_hexdigit()))
    {
        return 2 + until(rest.get(2..).unwrap_or_default(), |c| !c.is_ascii_hexdigit());
    }
    let digits = until(rest, |c| !c.is_ascii_digit());
    let after = rest.get(digits..).unwrap_or_default();
    if !after.starts_with('.') {
        return digits;
    }
    let fraction = 1 + until(after.get(1..).unwrap_or_default(), |c| !c.is_ascii_digit());
    let after = after.get(fraction..).unwrap_or_default();
    let exponent = after.strip_prefix(['e', 'E']).map(|rest| {
        let signed = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        1 + rest.len() - signed.len() + until(signed, |c| !c.is_ascii_digit())
    });
    digits + fraction + exponent.unwrap_or(0)
}

/// The length in bytes of a string with its quotes; an unclosed one ends with its line.
fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return at,
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_by_their_characters() {
        let text = "%x#1 = addi @f -2.5e3 0x1F 4x8xf32 \"a\\\"b\" ^bb .reg // end\n#l %";
        let said: Vec<_> = tokens(text)
            .into_iter()
            .map(|token| (token.kind, &text[token.at]))
            .collect();
        assert_eq!(
            said,
            [
                (Kind::Value, "%x"),
                (Kind::Alias, "#1"),
                (Kind::Mark, "="),
                (Kind::Word, "addi"),
                (Kind::Symbol, "@f"),
                (Kind::Number, "-2.5e3"),
                (Kind::Number, "0x1F"),
                (Kind::Number, "4"),
                (Kind::Word, "x8xf32"),
                (Kind::Str, "\"a\\\"b\""),
                (Kind::Block, "^bb"),
                (Kind::Directive, ".reg"),
                (Kind::Comment, "// end"),
                (Kind::Alias, "#l"),
                (Kind::Mark, "%"),
            ]
        );
    }
}
