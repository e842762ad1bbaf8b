//! The text form of linear layouts, documented at [`LinearLayout`].

use std::fmt;
use std::str::FromStr;

use crate::dim::{Dim, MAX_DIM_BITS, MAX_RANK};
use crate::error::LayoutError;
use crate::linear::LinearLayout;

impl fmt::Display for LinearLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("linear<")?;
        for (dim, _) in self.in_dims() {
            write!(f, "{dim} = [")?;
            for (index, vector) in self.bases(dim).enumerate() {
                let comma = if index == 0 { "" } else { ", " };
                write!(f, "{comma}{vector:?}")?;
            }
            f.write_str("], ")?;
        }
        if self.is_tensor() {
            return write!(f, "shape = {:?}>", self.shape());
        }
        f.write_str("outs = {")?;
        for (index, (dim, size)) in self.out_dims().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{dim}: {size}")?;
        }
        f.write_str("}>")
    }
}

/// Errors of parsing a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseLayoutError {
    /// The text is not of the form described in [`LinearLayout`'s text form](LinearLayout#text-form).
    Syntax {
        /// The byte offset.
        at: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// The text is well formed, but its numbers are not a valid layout.
    Layout(LayoutError),
}

impl fmt::Display for ParseLayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { at, expected } => write!(f, "expected {expected} at byte {at} of the layout"),
            Self::Layout(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ParseLayoutError {}

impl From<LayoutError> for ParseLayoutError {
    fn from(error: LayoutError) -> Self {
        Self::Layout(error)
    }
}

/// Parses the form that [`Display`](fmt::Display) prints, with any spacing, and that of Triton's IR
/// ([`LinearLayout`'s text form](LinearLayout#text-form) describes both).
///
/// ```
/// use tilewright_layouts::LinearLayout;
/// let text = "linear<register = [[1]], lane = [[2], [4]], shape = [8]>";
/// let layout: LinearLayout = text.parse()?;
/// assert_eq!(*layout.at(1, 2, 0, 0), [5]);
/// assert_eq!(layout.to_string(), text);
/// # Ok::<(), tilewright_layouts::ParseLayoutError>(())
/// ```
impl FromStr for LinearLayout {
    type Err = ParseLayoutError;

    fn from_str(text: &str) -> Result<Self, ParseLayoutError> {
        let mut cursor = Cursor { text, at: 0 };
        if cursor.at_next("#") {
            let layout = LinearLayout::parse_triton(&mut cursor)?;
            cursor.end()?;
            return Ok(layout);
        }
        cursor.expect("linear", "`linear` or `#ttg.linear`")?;
        cursor.expect("<", "`<`")?;
        let mut bases = Vec::new();
        let outs = loop {
            let (at, word) = (cursor.skip_space(), cursor.word());
            cursor.expect("=", "`=`")?;
            match word {
                "shape" => {
                    let shape = cursor.numbers()?;
                    break (0..).map(Dim::Axis).zip(shape).collect();
                }
                "outs" => break cursor.sizes()?,
                word => {
                    let expected = "an in-dimension, `shape` or `outs`";
                    let dim = word
                        .parse()
                        .map_err(|_| ParseLayoutError::Syntax { at, expected })?;
                    bases.push((dim, cursor.vectors()?));
                    cursor.expect(",", "`,`")?;
                }
            }
            if bases.len() > MAX_RANK + DIMS_BESIDE_AXES {
                return Err(cursor.error("`shape` after at most one entry for each dimension"));
            }
        };
        cursor.expect(">", "`>`")?;
        cursor.end()?;
        let outs: Vec<(Dim, u64)> = outs;
        Ok(LinearLayout::checked(&bases, &outs)?)
    }
}

/// Dimensions that are not tensor axes.
const DIMS_BESIDE_AXES: usize = 7;

/// A position in the text. Lists are bounded, to limit allocation.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn skip_space(&mut self) -> usize {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.at
    }

    pub(super) fn error(&self, expected: &'static str) -> ParseLayoutError {
        ParseLayoutError::Syntax {
            at: self.at,
            expected,
        }
    }

    /// Whether `token` is next.
    fn at_next(&mut self, token: &str) -> bool {
        self.skip_space();
        self.rest().starts_with(token)
    }

    /// Checks that no text is left.
    fn end(&mut self) -> Result<(), ParseLayoutError> {
        if self.skip_space() < self.text.len() {
            Err(self.error("the end"))
        } else {
            Ok(())
        }
    }

    pub(super) fn take(&mut self, token: &str) -> bool {
        let found = self.at_next(token);
        if found {
            self.at += token.len();
        }
        found
    }

    pub(super) fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), ParseLayoutError> {
        if self.take(token) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    fn span(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    pub(super) fn word(&mut self) -> &'a str {
        self.span(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    pub(super) fn number(&mut self) -> Result<u64, ParseLayoutError> {
        let at = self.skip_space();
        let digits = self.span(|c| c.is_ascii_digit());
        digits.parse().map_err(|_| ParseLayoutError::Syntax {
            at,
            expected: "a number",
        })
    }

    /// Items between commas up to `close`, at most `limit` of them.
    pub(super) fn list<T>(
        &mut self,
        close: &'static str,
        limit: usize,
        item: impl Fn(&mut Self) -> Result<T, ParseLayoutError>,
    ) -> Result<Vec<T>, ParseLayoutError> {
        let mut items = Vec::new();
        if self.take(close) {
            return Ok(items);
        }
        loop {
            if items.len() == limit {
                return Err(self.error("the end of a list that is already as long as possible"));
            }
            items.push(item(self)?);
            if self.take(close) {
                return Ok(items);
            }
            self.expect(",", "`,` or the end of the list")?;
        }
    }

    fn numbers(&mut self) -> Result<Vec<u64>, ParseLayoutError> {
        self.expect("[", "`[`")?;
        self.list("]", MAX_RANK, Self::number)
    }

    pub(super) fn vectors(&mut self) -> Result<Vec<Vec<u64>>, ParseLayoutError> {
        self.expect("[", "`[`")?;
        self.list("]", MAX_DIM_BITS as usize, Self::numbers)
    }

    fn sizes(&mut self) -> Result<Vec<(Dim, u64)>, ParseLayoutError> {
        self.expect("{", "`{`")?;
        self.list("}", MAX_RANK, |cursor| {
            let at = cursor.skip_space();
            let dim = cursor.word().parse();
            let dim = dim.map_err(|_| ParseLayoutError::Syntax {
                at,
                expected: "a dimension",
            })?;
            cursor.expect(":", "`:`")?;
            Ok((dim, cursor.number()?))
        })
    }
}
