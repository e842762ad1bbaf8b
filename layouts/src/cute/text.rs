//! Parsing of tuples, layouts, coordinates and tilers; their syntax is documented at the types.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use super::basis::Scaled;
use super::coord::{Coord, CoordOf, SlotOf};
use super::error::CuteError;
use super::expr::{Atom, Expr, MAX_DEPTH};
use super::fact::{Bits, Fact};
use super::int::Int;
use super::layout::{Layout, LayoutOf};
use super::leaf::Leaf;
use super::symbol::{Symbol, Width};
use super::tiler::{Tiler, TilerOf};
use super::tuple::{IntTuple, Nested};

/// A syntax error in a tuple, layout, coordinate or tiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseCuteError {
    /// Text that does not match the grammar.
    Syntax {
        /// The byte offset of the error.
        at: usize,
        /// The expected token.
        expected: &'static str,
    },
    /// Text that matches the grammar but denotes no valid layout.
    Layout(CuteError),
}

impl fmt::Display for ParseCuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { at, expected } => write!(f, "expected {expected} at byte {at}"),
            Self::Layout(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ParseCuteError {}

impl From<CuteError> for ParseCuteError {
    fn from(error: CuteError) -> Self {
        Self::Layout(error)
    }
}

/// The largest nesting of tuples in a text, and of quotients, so that every integer round-trips.
pub const MAX_TEXT_DEPTH: usize = MAX_DEPTH + 1;

/// The largest number of leaves in a text.
pub const MAX_TEXT_LEAVES: usize = 4096;

/// Parses a complete text.
fn whole<T>(
    text: &str,
    parse: impl FnOnce(&mut Cursor<'_>) -> Result<T, ParseCuteError>,
) -> Result<T, ParseCuteError> {
    let mut cursor = Cursor {
        text,
        at: 0,
        next: 0,
        leaves: 0,
    };
    let value = parse(&mut cursor)?;
    cursor.skip_space();
    match cursor.rest().is_empty() {
        true => Ok(value),
        false => Err(cursor.error("the end of the text")),
    }
}

impl FromStr for Int {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        whole(text, |cursor| cursor.int())
    }
}

impl FromStr for IntTuple {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        whole(text, |cursor| cursor.tuple(0, &mut Cursor::int))
    }
}

impl FromStr for Coord {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        whole(text, |cursor| cursor.coord())
    }
}

impl FromStr for Layout {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        whole(text, |cursor| cursor.layout())
    }
}

impl FromStr for Tiler {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        whole(text, |cursor| cursor.tiler(0))
    }
}

impl FromStr for Fact {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        whole(text, |cursor| cursor.fact())
    }
}

impl FromStr for Nested<Fact> {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        whole(text, |cursor| cursor.tuple(0, &mut Cursor::fact))
    }
}

impl FromStr for Nested<Scaled<Fact>> {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        whole(text, |cursor| cursor.tuple(0, &mut Cursor::scaled))
    }
}

impl FromStr for CoordOf<Fact> {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        whole(text, |cursor| cursor.coord())
    }
}

impl FromStr for LayoutOf<Fact> {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        whole(text, |cursor| cursor.layout())
    }
}

impl FromStr for TilerOf<Fact> {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        whole(text, |cursor| cursor.tiler(0))
    }
}

/// A leaf with a text.
trait Written: Leaf {
    fn leaf(cursor: &mut Cursor<'_>) -> Result<Self, ParseCuteError>;
    fn stride(cursor: &mut Cursor<'_>) -> Result<Self::Stride, ParseCuteError>;
}

impl Written for Int {
    fn leaf(cursor: &mut Cursor<'_>) -> Result<Self, ParseCuteError> {
        cursor.int()
    }
    fn stride(cursor: &mut Cursor<'_>) -> Result<Self, ParseCuteError> {
        cursor.int()
    }
}

impl Written for Fact {
    fn leaf(cursor: &mut Cursor<'_>) -> Result<Self, ParseCuteError> {
        cursor.fact()
    }
    fn stride(cursor: &mut Cursor<'_>) -> Result<Scaled<Fact>, ParseCuteError> {
        cursor.scaled()
    }
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// The number of the next unnamed dynamic integer.
    next: u32,
    /// The number of leaves so far.
    leaves: usize,
}

impl Cursor<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn error(&self, expected: &'static str) -> ParseCuteError {
        ParseCuteError::Syntax {
            at: self.at,
            expected,
        }
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), ParseCuteError> {
        match self.take(token) {
            true => Ok(()),
            false => Err(self.error(expected)),
        }
    }

    fn span(&mut self, belongs: impl Fn(char) -> bool) -> String {
        self.skip_space();
        let rest = self.rest();
        let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let span = rest.get(..end).unwrap_or("").to_owned();
        self.at += span.len();
        span
    }

    fn number(&mut self) -> Result<u64, ParseCuteError> {
        self.skip_space();
        let at = self.at;
        let digits = self.span(|c| c.is_ascii_digit());
        digits.parse().map_err(|_| ParseCuteError::Syntax {
            at,
            expected: "a number from 0 to 2^64 - 1",
        })
    }

    fn tuple<T>(
        &mut self,
        depth: usize,
        leaf: &mut impl FnMut(&mut Self) -> Result<T, ParseCuteError>,
    ) -> Result<Nested<T>, ParseCuteError> {
        if !self.take("(") {
            if self.leaves == MAX_TEXT_LEAVES {
                return Err(self.error("no more leaves, as there are 4096"));
            }
            self.leaves += 1;
            return leaf(self).map(Nested::Leaf);
        }
        if depth == MAX_TEXT_DEPTH {
            return Err(self.error("no deeper nesting, as this is 32 deep"));
        }
        let mut modes = Vec::new();
        if self.take(")") {
            return Ok(Nested::Tuple(modes));
        }
        loop {
            modes.push(self.tuple(depth + 1, leaf)?);
            if self.take(")") {
                return Ok(Nested::Tuple(modes));
            }
            self.expect(",", "`,` or `)`")?;
        }
    }

    fn coord<L: Written>(&mut self) -> Result<CoordOf<L>, ParseCuteError> {
        self.tuple(0, &mut |cursor| match cursor.take("_") {
            true => Ok(SlotOf::All),
            false => L::leaf(cursor).map(SlotOf::At),
        })
    }

    fn layout<L: Written>(&mut self) -> Result<LayoutOf<L>, ParseCuteError> {
        let shape = self.tuple(0, &mut L::leaf)?;
        match self.take(":") {
            true => Ok(LayoutOf::new(shape, self.tuple(0, &mut L::stride)?)?),
            false => Ok(LayoutOf::column_major(&shape)?),
        }
    }

    fn tiler<L: Written>(&mut self, depth: usize) -> Result<TilerOf<L>, ParseCuteError> {
        if self.take("_") {
            return Ok(TilerOf::All);
        }
        if !self.take("[") {
            return self.layout().map(TilerOf::Layout);
        }
        if depth == MAX_TEXT_DEPTH {
            return Err(self.error("no deeper nesting, as this is 32 deep"));
        }
        let mut modes = Vec::new();
        if self.take("]") {
            return Ok(TilerOf::Modes(modes));
        }
        loop {
            modes.push(self.tiler(depth + 1)?);
            if self.take("]") {
                return Ok(TilerOf::Modes(modes));
            }
            self.expect(";", "`;` or `]`")?;
        }
    }

    fn int(&mut self) -> Result<Int, ParseCuteError> {
        if !self.take("?") {
            return self.number().map(Int::Static);
        }
        if !self.rest().starts_with('{') {
            return Ok(Int::from(self.bare()));
        }
        self.expect("{", "`{`")?;
        let int = match self.at_attribute() {
            true => {
                let symbol = self.bare();
                Int::from(self.attributes(symbol)?)
            }
            false => {
                let expr = self.expr(0)?;
                let int = Int::of_expr(expr).ok_or_else(|| self.error("an integer from 0 to 2^64 - 1"))?;
                let symbol = match &int {
                    Int::Dynamic(dynamic) => dynamic.as_symbol().cloned(),
                    Int::Static(_) => return Err(self.error("an expression with an unknown in it")),
                };
                match symbol {
                    Some(symbol) if !symbol.has_attributes() => Int::from(self.attributes(symbol)?),
                    Some(_) | None => int,
                }
            }
        };
        self.expect("}", "`}`")?;
        Ok(int)
    }

    /// A number with a sign, from -2^63 to 2^63 - 1.
    fn signed(&mut self) -> Result<i64, ParseCuteError> {
        self.skip_space();
        let at = self.at;
        let sign = if self.take("-") { "-" } else { "" };
        let spaced = self.rest().starts_with(char::is_whitespace);
        let digits = self.span(|c| c.is_ascii_digit());
        match format!("{sign}{digits}").parse() {
            Ok(number) if !spaced => Ok(number),
            Ok(_) | Err(_) => Err(ParseCuteError::Syntax {
                at,
                expected: "`?` or a number from -2^63 to 2^63 - 1",
            }),
        }
    }

    fn fact(&mut self) -> Result<Fact, ParseCuteError> {
        if !self.take("?") {
            return self.signed().map(Fact::Static);
        }
        let (mut width, mut divisor) = (Bits::B32, NonZeroU64::MIN);
        if self.take("{") {
            while !self.take("}") {
                let at = self.at;
                match self.word().as_str() {
                    "i8" => width = Bits::B8,
                    "i16" => width = Bits::B16,
                    "i32" => width = Bits::B32,
                    "i64" => width = Bits::B64,
                    "div" => divisor = self.divisor()?,
                    _ => {
                        return Err(ParseCuteError::Syntax {
                            at,
                            expected: "`i8`, `i16`, `i32`, `i64`, `div=` or `}`",
                        });
                    }
                }
            }
        }
        Ok(Fact::dynamic(width, divisor))
    }

    fn divisor(&mut self) -> Result<NonZeroU64, ParseCuteError> {
        self.expect("=", "`=`")?;
        let at = self.at;
        let number = i64::try_from(self.number()?)
            .ok()
            .and_then(|number| u64::try_from(number).ok());
        number.and_then(NonZeroU64::new).ok_or(ParseCuteError::Syntax {
            at,
            expected: "a divisor from 1 to 2^63 - 1",
        })
    }

    /// A stride: a leaf, or a leaf or ratio and the path of a basis vector.
    fn scaled(&mut self) -> Result<Scaled<Fact>, ParseCuteError> {
        let factor = self.fact()?;
        let mut below = NonZeroU64::MIN;
        if factor.is_static() && self.take("/") {
            let at = self.at;
            below = NonZeroU64::new(self.number()?).ok_or(ParseCuteError::Syntax {
                at,
                expected: "a denominator above 0",
            })?;
            if !self.rest().trim_start().starts_with('@') {
                return Err(self.error("`@`, as only a multiple of a basis vector is a ratio"));
            }
        }
        let mut path = Vec::new();
        while self.take("@") {
            if path.len() == MAX_TEXT_DEPTH {
                return Err(self.error("no longer path, as this has 32 modes"));
            }
            let mode = u32::try_from(self.number()?)
                .ok()
                .filter(|mode| (*mode as usize) < MAX_TEXT_LEAVES);
            path.push(mode.ok_or_else(|| self.error("the number of a mode, from 0 to 4095"))?);
        }
        Ok(Scaled::new(factor, path).over(below))
    }

    fn bare(&mut self) -> Symbol {
        let symbol = Symbol::numbered(self.next);
        self.next = self.next.saturating_add(1);
        symbol
    }

    fn word(&mut self) -> String {
        self.span(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn at_attribute(&mut self) -> bool {
        let at = self.at;
        let word = self.word();
        self.at = at;
        matches!(word.as_str(), "i32" | "i64" | "div")
    }

    fn attributes(&mut self, mut symbol: Symbol) -> Result<Symbol, ParseCuteError> {
        while self.at_attribute() {
            match self.word().as_str() {
                "i32" => symbol = symbol.of_width(Width::I32),
                "i64" => symbol = symbol.of_width(Width::I64),
                _ => {
                    self.expect("=", "`=`")?;
                    let divisor = NonZeroU64::new(self.number()?);
                    symbol = symbol.divisible_by(divisor.ok_or_else(|| self.error("a divisor above 0"))?);
                }
            }
        }
        Ok(symbol)
    }

    fn expr(&mut self, depth: usize) -> Result<Expr, ParseCuteError> {
        if depth == MAX_TEXT_DEPTH {
            return Err(self.error("no deeper nesting, as this is 32 deep"));
        }
        let mut sum = Expr::constant(0);
        let mut negative = self.take("-");
        loop {
            let term = self.term(depth)?;
            let term = if negative { term.negated() } else { term };
            sum = sum.plus(&term).ok_or_else(|| self.too_large())?;
            negative = self.take("-");
            if !negative && !self.take("+") {
                return Ok(sum);
            }
        }
    }

    fn term(&mut self, depth: usize) -> Result<Expr, ParseCuteError> {
        let mut product = self.factor(depth)?;
        while self.take("*") {
            let factor = self.factor(depth)?;
            product = product.times(&factor).ok_or_else(|| self.too_large())?;
        }
        if self.take("/") {
            let divisor = Expr::constant(i128::from(self.number()?.max(1)));
            let quotient = product.exact_quotient(&divisor);
            product = quotient.ok_or_else(|| self.error("a divisor that is known to divide the term"))?;
        }
        Ok(product)
    }

    fn factor(&mut self, depth: usize) -> Result<Expr, ParseCuteError> {
        self.skip_space();
        self.leaves += 1;
        if self.leaves > MAX_TEXT_LEAVES {
            return Err(self.error("no more leaves, as there are 4096"));
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Expr::constant(i128::from(self.number()?)));
        }
        if self.take("ceil_div(") {
            let above = self.expr(depth + 1)?;
            self.expect(",", "`,`")?;
            let below = self.expr(depth + 1)?;
            self.expect(")", "`)`")?;
            if below.as_constant().is_some_and(|below| below <= 0) {
                return Err(self.error("a divisor above 0"));
            }
            return above.ceil_div(&below).ok_or_else(|| self.too_large());
        }
        let symbol = match self.take("%") {
            true => {
                let number = u32::try_from(self.number()?);
                Symbol::numbered(number.map_err(|_| self.error("a number from 0 to 2^32 - 1"))?)
            }
            false => match self.word().as_str() {
                "" | "i32" | "i64" | "div" => return Err(self.error("a name, a number or `ceil_div(`")),
                name => Symbol::named(name),
            },
        };
        let symbol = match self.rest().starts_with('{') {
            true => {
                self.expect("{", "`{`")?;
                let symbol = self.attributes(symbol)?;
                self.expect("}", "`}`")?;
                symbol
            }
            false => symbol,
        };
        Ok(Expr::atom(Atom::Symbol(symbol)))
    }

    fn too_large(&self) -> ParseCuteError {
        self.error("an expression that is not too large")
    }
}
