//! Attributes of MLIR text, each as a value.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::literal::Literal;

use super::scan::write_string;
use super::types::{FloatFormat, Type, write_types};

/// `@kernels::@name`: a symbol, within others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SymbolRef(pub Vec<String>);

/// An entry of a dictionary.
pub type Entry = (Arc<str>, Attribute);

/// `{name = value, flag}`, in the order of the names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dictionary(Option<Arc<[Entry]>>);

/// The element type of an array of numbers: `array<i32: 1, 2>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayType {
    /// `i1`
    I1,
    /// `i8`
    I8,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `i64`
    I64,
}

impl ArrayType {
    /// Every one with its word.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::I1, "i1"),
        (Self::I8, "i8"),
        (Self::I16, "i16"),
        (Self::I32, "i32"),
        (Self::I64, "i64"),
    ];
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Attribute {
    /// `unit`: that it is there is all that it says.
    Unit,
    /// `true`, `false`
    Bool(bool),
    /// `1 : i32`
    Integer(i64, Type),
    /// `1.0 : f32`, by its bits.
    Float(u64, FloatFormat),
    /// `"text"`
    String(Arc<str>),
    /// `@kernels::@name`
    Symbol(SymbolRef),
    /// A type.
    Type(Type),
    /// `[1 : i32, "text"]`
    Array(Arc<[Attribute]>),
    /// `array<i32: 1, 2>`
    Numbers(ArrayType, Arc<[i64]>),
    /// `dense<0.0> : vector<4xf32>`: one element for all, or all of them.
    Dense(Arc<[Attribute]>, Type),
    /// `{name = value}`
    Dictionary(Dictionary),
    /// `#dialect.name<…>`: its text after the mark, without aliases.
    Dialect(Arc<str>),
}

impl Dictionary {
    /// A dictionary of these entries, whose names differ.
    pub fn new(mut entries: Vec<Entry>) -> Self {
        if entries.is_empty() {
            return Self(None);
        }
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        Self(Some(entries.into()))
    }

    /// The entries.
    pub fn entries(&self) -> &[Entry] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The entry of this name.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        let mut entries = self.entries().iter();
        entries.find(|(own, _)| &**own == name).map(|(_, value)| value)
    }
}

/// Writes the name of an entry, and its value unless it is `unit`.
pub fn write_entry(name: &str, value: &Attribute, out: &mut impl fmt::Write) -> fmt::Result {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_bare) {
        out.write_str(name)?;
    } else {
        write_string(name, out)?;
    }
    match value {
        Attribute::Unit => Ok(()),
        value => write!(out, " = {value}"),
    }
}

impl fmt::Display for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('{')?;
        for (i, (name, value)) in self.entries().iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            write_entry(name, value, f)?;
        }
        f.write_char('}')
    }
}

impl fmt::Display for SymbolRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.0.iter().enumerate() {
            f.write_str(if i > 0 { "::" } else { "" })?;
            write_symbol(name, f)?;
        }
        Ok(())
    }
}

/// Writes `@name`.
pub fn write_symbol(name: &str, out: &mut impl fmt::Write) -> fmt::Result {
    out.write_char('@')?;
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_bare) {
        out.write_str(name)
    } else {
        write_string(name, out)
    }
}

/// Writes a float as MLIR reads it: with a point, or as its bits.
fn write_float(bits: u64, format: FloatFormat, out: &mut impl fmt::Write) -> fmt::Result {
    let shortest = |literal: Literal| {
        let value = literal.float().filter(|value| value.is_finite())?;
        let text = match format {
            #[allow(clippy::cast_possible_truncation)]
            FloatFormat::F32 => format!("{:e}", value as f32),
            _ => format!("{value:e}"),
        };
        let (mantissa, exponent) = text.split_once('e')?;
        let point = if mantissa.contains('.') { "" } else { ".0" };
        Some(format!("{mantissa}{point}e{exponent}"))
    };
    let literal = format.decimal().map(|ty| Literal::new(ty, bits));
    match literal.and_then(|literal| Some((literal, shortest(literal)?))) {
        Some((literal, text)) if Literal::parse_float(literal.ty, &text) == Some(literal) => {
            out.write_str(&text)
        }
        _ => {
            let digits = usize::try_from(format.bits().div_ceil(4)).unwrap_or(16);
            write!(out, "0x{bits:0digits$X}")
        }
    }
}

impl Attribute {
    /// The type of a number, or of elements.
    pub fn ty(&self) -> Option<Type> {
        match self {
            Self::Bool(_) => Some(Type::I1),
            Self::Integer(_, ty) | Self::Dense(_, ty) => Some(ty.clone()),
            Self::Float(_, format) => Some(Type::Float(*format)),
            _ => None,
        }
    }

    /// An enumeration of a dialect: `#arith.fastmath<fast>`.
    pub fn dialect(name: &str, body: impl fmt::Display) -> Self {
        Self::Dialect(format!("{name}<{body}>").into())
    }

    /// The text in the brackets of an attribute of this name.
    pub fn body_of(&self, name: &str) -> Option<&str> {
        match self {
            Self::Dialect(text) => text.strip_prefix(name)?.strip_prefix('<')?.strip_suffix('>'),
            _ => None,
        }
    }

    /// Writes it without the type of a number.
    pub fn write_bare(&self, out: &mut impl fmt::Write) -> fmt::Result {
        match self {
            Self::Integer(value, _) => write!(out, "{value}"),
            Self::Float(bits, format) => write_float(*bits, *format, out),
            other => write!(out, "{other}"),
        }
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit => f.write_str("unit"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value, ty) => write!(f, "{value} : {ty}"),
            Self::Float(bits, format) => {
                write_float(*bits, *format, f)?;
                write!(f, " : {format}")
            }
            Self::String(text) => write_string(text, f),
            Self::Symbol(symbol) => write!(f, "{symbol}"),
            Self::Type(ty) => write!(f, "{ty}"),
            Self::Array(items) => {
                f.write_char('[')?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
                }
                f.write_char(']')
            }
            Self::Numbers(ty, values) => {
                let word = ArrayType::ALL.iter().find(|(own, _)| own == ty);
                write!(f, "array<{}", word.map_or("", |(_, word)| word))?;
                for (i, value) in values.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { ": " })?;
                    match ty {
                        ArrayType::I1 => write!(f, "{}", *value != 0)?,
                        _ => write!(f, "{value}")?,
                    }
                }
                f.write_char('>')
            }
            Self::Dense(elements, ty) => {
                f.write_str("dense<")?;
                match &**elements {
                    [only] => only.write_bare(f)?,
                    several => {
                        for (i, item) in several.iter().enumerate() {
                            f.write_str(if i > 0 { ", " } else { "[" })?;
                            item.write_bare(f)?;
                        }
                        f.write_char(']')?;
                    }
                }
                f.write_str("> : ")?;
                write_types([ty], f)
            }
            Self::Dictionary(entries) => write!(f, "{entries}"),
            Self::Dialect(text) => write!(f, "#{text}"),
        }
    }
}
