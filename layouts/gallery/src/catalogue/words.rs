//! The components of a name.

use std::ops::Range;

use tilewright_layouts::{LayoutError, MAX_RANK};

use super::{CatalogueError, Reason};

/// A cursor in a name. Lists are bounded, so that no input causes large allocations.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    text: &'a str,
    at: usize,
}

/// A word and its byte range.
#[derive(Clone, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) at: Range<usize>,
}

impl Word<'_> {
    /// Reports that this word is none of the expected ones.
    pub(super) fn unknown(&self, expected: &'static str) -> CatalogueError {
        let found = self.text.chars().take(40).collect();
        CatalogueError {
            at: self.at.clone(),
            reason: Reason::Unknown { found, expected },
        }
    }

    /// Parses the number after a prefix: 16 for `n` in `n16`.
    pub(super) fn number_after(&self, prefix: &str, expected: &'static str) -> Result<u32, CatalogueError> {
        let digits = self.text.strip_prefix(prefix);
        let number = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        number
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| self.unknown(expected))
    }
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Words<'a> {
        Words { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Reports that something else was expected here.
    pub(super) fn expected(&self, expected: &'static str) -> CatalogueError {
        let found: String = self
            .rest()
            .chars()
            .take_while(|c| !c.is_whitespace())
            .take(20)
            .collect();
        CatalogueError {
            at: self.at..self.at + found.len(),
            reason: Reason::Unknown { found, expected },
        }
    }

    /// Reports that the parameters of the whole name describe no layout.
    pub(super) fn impossible(&self, error: LayoutError) -> CatalogueError {
        CatalogueError {
            at: 0..self.text.trim_end().len(),
            reason: Reason::Layout(error),
        }
    }

    pub(super) fn take(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), CatalogueError> {
        if self.take(token) {
            Ok(())
        } else {
            Err(self.expected(expected))
        }
    }

    /// Reads letters, digits and underscores; the empty word if there are none.
    pub(super) fn word(&mut self) -> Word<'a> {
        self.skip_space();
        let rest = self.rest();
        let belongs = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let at = self.at;
        self.at += end;
        Word {
            text: rest.get(..end).unwrap_or_default(),
            at: at..self.at,
        }
    }

    /// Reads the word after a dot, if a dot is next.
    pub(super) fn dotted(&mut self) -> Option<Word<'a>> {
        self.take(".").then(|| self.word())
    }

    /// Reads the word after a required dot.
    pub(super) fn part(&mut self, expected: &'static str) -> Result<Word<'a>, CatalogueError> {
        self.dotted().ok_or_else(|| self.expected(expected))
    }

    pub(super) fn number(&mut self) -> Result<u32, CatalogueError> {
        let word = self.word();
        word.number_after("", "a number")
    }

    /// Reads `(`, before arguments.
    pub(super) fn open(&mut self) -> Result<(), CatalogueError> {
        self.expect("(", "`(`")
    }

    /// Reads `,`, between arguments.
    pub(super) fn comma(&mut self) -> Result<(), CatalogueError> {
        self.expect(",", "`,`")
    }

    /// Reads `)`, after arguments.
    pub(super) fn close(&mut self) -> Result<(), CatalogueError> {
        self.expect(")", "`)`")
    }

    /// Reads a list such as `[1, 4]`.
    pub(super) fn list(&mut self) -> Result<Vec<u32>, CatalogueError> {
        self.expect("[", "`[`")?;
        let mut numbers = Vec::new();
        if self.take("]") {
            return Ok(numbers);
        }
        loop {
            if numbers.len() == MAX_RANK {
                return Err(self.expected("`]` after at most eight numbers"));
            }
            numbers.push(self.number()?);
            if self.take("]") {
                return Ok(numbers);
            }
            self.expect(",", "`,` or `]`")?;
        }
    }

    /// Reads a list of axes such as `[1, 0]`.
    pub(super) fn axes(&mut self) -> Result<Vec<usize>, CatalogueError> {
        let numbers = self.list()?;
        // Numbers out of range are no axes, which the layout's own check reports.
        let axis = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Ok(numbers.into_iter().map(axis).collect())
    }

    /// Reads a shape such as `64x32`.
    pub(super) fn shape(&mut self) -> Result<Vec<u32>, CatalogueError> {
        let word = self.word();
        if word.text.is_empty() {
            return Err(self.expected("a shape, such as 64x32"));
        }
        let sizes = word.text.split('x');
        if word.text.split('x').count() > MAX_RANK {
            return Err(word.unknown("a shape of at most eight axes"));
        }
        sizes
            .map(|size| {
                let digits = size.bytes().all(|byte| byte.is_ascii_digit());
                let number = size.parse().ok().filter(|_| digits);
                number.ok_or_else(|| word.unknown("a shape, such as 64x32"))
            })
            .collect()
    }

    /// Checks for the end of the name.
    pub(super) fn end(&mut self) -> Result<(), CatalogueError> {
        self.skip_space();
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.expected("the end of the name"))
        }
    }
}
