//! A cursor over MLIR text: blanks and comments, words, numbers, strings, and bracketed pieces.

use std::borrow::Cow;

use tilewright_diagnostics::Code;

use crate::quoted::unescaped;

/// What is wrong with a text, with its byte range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
    /// The kind of error.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// The label of the range.
    pub label: String,
}

/// The result of reading.
pub type Read<T> = Result<T, Box<Wrong>>;

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    text: &'a str,
    at: usize,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

impl<'a> Scan<'a> {
    /// The beginning of a text.
    pub const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The byte offset.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Moves to an offset at which a character begins.
    pub const fn move_to(&mut self, at: usize) {
        self.at = at;
    }

    /// The whole text.
    pub const fn text(&self) -> &'a str {
        self.text
    }

    /// The text from `start` to here.
    pub fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The rest of the text.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Skips blanks and comments.
    pub fn skip(&mut self) {
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.byte(self.at + 1) == Some(b'/') => {
                    let rest = self.rest();
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// The next byte that is neither blank nor in a comment.
    pub fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.byte(self.at)
    }

    /// The byte here, which may be a blank.
    pub fn here(&self) -> Option<u8> {
        self.byte(self.at)
    }

    /// Whether a word is next.
    pub fn at_word(&mut self) -> bool {
        self.peek()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    }

    /// Takes punctuation, if it is next.
    pub fn eat(&mut self, what: &str) -> bool {
        self.skip();
        let found = self
            .text
            .as_bytes()
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(what.as_bytes()));
        if found {
            self.at += what.len();
        }
        found
    }

    /// Takes punctuation, which must be next.
    pub fn expect(&mut self, what: &str) -> Read<()> {
        if self.eat(what) {
            Ok(())
        } else {
            self.wrong(format!("`{what}`"))
        }
    }

    /// The next word, which may be empty, without taking it.
    pub fn peek_word(&mut self) -> &'a str {
        self.skip();
        let mut ahead = *self;
        ahead.take_word()
    }

    /// Takes the letters, digits, dots, dollars and underscores here.
    pub fn take_word(&mut self) -> &'a str {
        let start = self.at;
        while self.byte(self.at).is_some_and(is_word) {
            self.at += 1;
        }
        self.since(start)
    }

    /// Takes a word, if it is next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.at += word.len();
        }
        found
    }

    /// Takes a word that is not empty.
    pub fn word(&mut self, what: &str) -> Read<&'a str> {
        match self.at_word() {
            true => Ok(self.take_word()),
            false => self.wrong(what),
        }
    }

    /// Takes the characters of a name after its sigil, dashes among them.
    pub fn name(&mut self) -> &'a str {
        let start = self.at;
        while self
            .byte(self.at)
            .is_some_and(|byte| is_word(byte) || byte == b'-')
        {
            self.at += 1;
        }
        self.since(start)
    }

    /// Takes a number as it is written: decimal with or without a point and an exponent, or hexadecimal.
    pub fn number(&mut self) -> Read<&'a str> {
        self.skip();
        let start = self.at;
        if self.byte(self.at) == Some(b'-') {
            self.at += 1;
        }
        if !self.byte(self.at).is_some_and(|byte| byte.is_ascii_digit()) {
            self.at = start;
            return self.wrong("a number");
        }
        if self.rest().starts_with("0x")
            && self
                .byte(self.at + 2)
                .is_some_and(|byte| byte.is_ascii_hexdigit())
        {
            self.at += 2;
            self.while_byte(|byte| byte.is_ascii_hexdigit());
            return Ok(self.since(start));
        }
        self.while_byte(|byte| byte.is_ascii_digit());
        if self.byte(self.at) == Some(b'.') {
            self.at += 1;
            self.while_byte(|byte| byte.is_ascii_digit());
            let exponent = matches!(self.byte(self.at), Some(b'e' | b'E'));
            let signed = matches!(self.byte(self.at + 1), Some(b'+' | b'-'));
            let digits = self.at + 1 + usize::from(signed);
            if exponent && self.byte(digits).is_some_and(|byte| byte.is_ascii_digit()) {
                self.at = digits;
                self.while_byte(|byte| byte.is_ascii_digit());
            }
        }
        Ok(self.since(start))
    }

    fn while_byte(&mut self, holds: impl Fn(u8) -> bool) {
        while self.byte(self.at).is_some_and(&holds) {
            self.at += 1;
        }
    }

    /// Takes an integer.
    pub fn integer<T: std::str::FromStr>(&mut self, what: &str) -> Read<T> {
        self.skip();
        let start = self.at;
        let digits = self.number()?;
        digits.parse().or_else(|_| {
            self.wrong_since(
                start,
                Code::BadLiteral,
                format!("`{digits}` is not {what}"),
                format!("not {what}"),
            )
        })
    }

    /// Takes a string in quotes, with its escapes replaced.
    pub fn string(&mut self) -> Read<Cow<'a, str>> {
        if self.peek() != Some(b'"') {
            return self.wrong("a string in quotes");
        }
        let start = self.at;
        let inside = self.past_string(start).and_then(|end| {
            self.at = end;
            self.text.get(start + 1..end - 1)
        });
        let Some(inside) = inside else {
            self.at = start + 1;
            return self.wrong_since(
                start,
                Code::UnclosedDelimiter,
                "a string is not closed",
                "opened here",
            );
        };
        if !inside.contains('\\') {
            return Ok(Cow::Borrowed(inside));
        }
        match unescaped(inside) {
            Some(text) => Ok(Cow::Owned(text)),
            None => self.wrong_since(
                start,
                Code::BadLiteral,
                "a string has an escape that is none, or is not text in UTF-8",
                r#"escapes are `\n`, `\t`, `\\`, `\"` and two hexadecimal digits"#,
            ),
        }
    }

    /// The offset after the string that begins at `start`; `None` if it does not end on its line.
    fn past_string(&self, start: usize) -> Option<usize> {
        let mut at = start + 1;
        loop {
            match self.byte(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at += 2,
                b'\n' => return None,
                _ => at += 1,
            }
        }
    }

    /// Takes the bracket here and all up to the one that closes it. An arrow closes nothing.
    pub fn brackets(&mut self) -> Read<()> {
        let start = self.at;
        let mut depth = 0usize;
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'<' | b'(' | b'[' | b'{' => depth += 1,
                b'>' if self.at > 0 && self.byte(self.at - 1) == Some(b'-') => {}
                b'>' | b')' | b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.at += 1;
                        return Ok(());
                    }
                }
                b'"' => match self.past_string(self.at) {
                    Some(end) => self.at = end - 1,
                    None => break,
                },
                _ => {}
            }
            self.at += 1;
        }
        self.at = start + 1;
        self.wrong_since(
            start,
            Code::UnclosedDelimiter,
            "a bracket is not closed",
            "opened here",
        )
    }

    /// The error that something else is expected here.
    pub fn wrong<T>(&mut self, expected: impl AsRef<str>) -> Read<T> {
        let expected = expected.as_ref();
        let found = match self.peek() {
            None => {
                let message = format!("the text ends where {expected} is expected");
                return self.wrong_since(
                    self.at,
                    Code::UnexpectedEnd,
                    message,
                    format!("expected {expected}"),
                );
            }
            Some(_) => {
                let word = self.peek_word();
                match word.len() {
                    0 => self.rest().chars().next().map_or(0, char::len_utf8),
                    length => length,
                }
            }
        };
        let start = self.at;
        let text = self.text.get(start..start + found).unwrap_or_default();
        Err(Box::new(Wrong {
            start,
            end: start + found,
            code: Code::UnexpectedToken,
            message: format!("`{text}` is unexpected here"),
            label: format!("expected {expected}"),
        }))
    }

    /// An error about the text from `start` to here.
    pub fn wrong_since<T>(
        &self,
        start: usize,
        code: Code,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Read<T> {
        Err(Box::new(Wrong {
            start,
            end: self.at.max(start),
            code,
            message: message.into(),
            label: label.into(),
        }))
    }
}

/// Writes a string in quotes.
pub fn write_string(text: &str, out: &mut impl std::fmt::Write) -> std::fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => out.write_str("\\22")?,
            '\\' => out.write_str("\\\\")?,
            c if c.is_ascii_control() => write!(out, "\\{:02X}", u32::from(c))?,
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_back() {
        let text = "a\"b\\c\n\té\u{1}";
        let mut written = String::new();
        write_string(text, &mut written).unwrap();
        assert_eq!(Scan::new(&written).string().unwrap(), text);
        assert!(Scan::new(r#""\q""#).string().is_err());
        assert!(Scan::new(r#""\FF""#).string().is_err());
        assert!(Scan::new("\"ab").string().is_err());
        assert!(Scan::new("\"ab\\").string().is_err());
    }

    #[test]
    fn brackets_close_past_strings_and_arrows() {
        let mut scan = Scan::new("<(a) -> b, \">\", [c]> d");
        scan.brackets().unwrap();
        assert_eq!(scan.rest(), " d");
        assert!(Scan::new("<(a").brackets().is_err());
    }

    #[test]
    fn numbers_end_where_mlir_ends_them() {
        for (text, number) in [
            ("1x", "1"),
            ("-3 ", "-3"),
            ("0xFF : f", "0xFF"),
            ("0x", "0"),
            ("1.5e-3,", "1.5e-3"),
            ("1.e", "1."),
        ] {
            assert_eq!(Scan::new(text).number().unwrap(), number);
        }
    }
}
