//! Violations of hardware limits.

use std::fmt;
use std::ops::Deref;

/// A violated rule: the field, the value found, the limit, and the source of the rule.
///
/// `F` is the enumeration of the fields of one subject, for example
/// [`TensorMapField`](super::TensorMapField).
///
/// ```
/// use tilewright_layouts::legality::Allocation;
/// let violations = Allocation { columns: 48 }.check().unwrap_err();
/// assert_eq!(
///     violations[0].to_string(),
///     "columns is 48; it has to be a power of two (PTX ISA, tcgen05.alloc, nCols)"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Violation<F> {
    /// The field whose value breaks the rule.
    pub field: F,
    /// The value found.
    pub value: Value,
    /// The limit that the rule sets.
    pub limit: Limit,
    /// The source of the rule.
    pub source: Source,
}

impl<F: fmt::Display> fmt::Display for Violation<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation {
            field,
            value,
            limit,
            source,
        } = self;
        write!(f, "{field} is {value}; it {limit} ({source})")
    }
}

impl<F: fmt::Debug + fmt::Display> std::error::Error for Violation<F> {}

/// The value of a field: a number, or the name of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A number; wide enough for every address, size and coordinate.
    Number(i128),
    /// A choice from a closed set, by the name its document gives it.
    Name(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Name(name) => f.write_str(name),
        }
    }
}

macro_rules! number {
    ($($from:ty),*) => {$(
        impl From<$from> for Value {
            fn from(number: $from) -> Value {
                Value::Number(i128::from(number))
            }
        }
    )*};
}

number!(u8, u16, u32, u64, i32, i64);

impl From<usize> for Value {
    fn from(number: usize) -> Value {
        // No supported host has addresses of more than 64 bits.
        Value::Number(number as i128)
    }
}

impl From<&'static str> for Value {
    fn from(name: &'static str) -> Value {
        Value::Name(name)
    }
}

/// The limit that a rule sets for a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// A number from `min` to `max`, inclusive.
    Range {
        /// The smallest number allowed.
        min: i128,
        /// The largest number allowed.
        max: i128,
    },
    /// A lower bound, inclusive.
    AtLeast(i128),
    /// An upper bound, inclusive.
    AtMost(i128),
    /// An upper bound, exclusive.
    Below(i128),
    /// An exact number.
    Exactly(i128),
    /// A multiple of this.
    MultipleOf(i128),
    /// A power of two.
    PowerOfTwo,
    /// One of these numbers.
    OneOf(&'static [u32]),
    /// One of these choices, in prose.
    Choice(&'static str),
    /// A condition other than a bound, in prose that follows "it".
    Rule(&'static str),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Range { min, max } => write!(f, "has to be from {min} to {max}"),
            Limit::AtLeast(min) => write!(f, "has to be at least {min}"),
            Limit::AtMost(max) => write!(f, "has to be at most {max}"),
            Limit::Below(end) => write!(f, "has to be less than {end}"),
            Limit::Exactly(number) => write!(f, "has to be {number}"),
            Limit::MultipleOf(unit) => write!(f, "has to be a multiple of {unit}"),
            Limit::PowerOfTwo => f.write_str("has to be a power of two"),
            Limit::OneOf(numbers) => {
                f.write_str("has to be one of ")?;
                for (index, number) in numbers.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{number}")?;
                }
                Ok(())
            }
            Limit::Choice(names) => write!(f, "has to be {names}"),
            Limit::Rule(rule) => f.write_str(rule),
        }
    }
}

/// The document that a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Document {
    /// The CUDA driver API reference.
    DriverApi,
    /// The PTX instruction set architecture.
    PtxIsa,
    /// The CUDA programming guide.
    ProgrammingGuide,
    /// No document: rejections by the CUDA driver, measured by `tests/gpu/tensor_maps.py`.
    DriverBehaviour,
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Document::DriverApi => "CUDA driver API",
            Document::PtxIsa => "PTX ISA",
            Document::ProgrammingGuide => "CUDA programming guide",
            Document::DriverBehaviour => "measured with the CUDA driver",
        })
    }
}

/// The source of a rule: a document, the function, instruction or section, and the item in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The document.
    pub document: Document,
    /// The function, the instruction or the section.
    pub section: &'static str,
    /// The parameter, the table or the paragraph.
    pub item: &'static str,
}

impl Source {
    pub(crate) const fn ptx(section: &'static str, item: &'static str) -> Source {
        Source {
            document: Document::PtxIsa,
            section,
            item,
        }
    }

    pub(crate) const fn driver(section: &'static str, item: &'static str) -> Source {
        Source {
            document: Document::DriverApi,
            section,
            item,
        }
    }

    pub(crate) const fn measured(section: &'static str, item: &'static str) -> Source {
        Source {
            document: Document::DriverBehaviour,
            section,
            item,
        }
    }

    pub(crate) const fn guide(section: &'static str, item: &'static str) -> Source {
        Source {
            document: Document::ProgrammingGuide,
            section,
            item,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.document, self.section, self.item)
    }
}

/// All rules that a description violates; at least one. Dereferences to a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violations<F>(Vec<Violation<F>>);

impl<F> Deref for Violations<F> {
    type Target = [Violation<F>];

    fn deref(&self) -> &[Violation<F>] {
        &self.0
    }
}

/// Writes one violation per line.
impl<F: fmt::Display> fmt::Display for Violations<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            violation.fmt(f)?;
        }
        Ok(())
    }
}

impl<F: fmt::Debug + fmt::Display> std::error::Error for Violations<F> {}

/// Collects the violations of one description.
#[derive(Debug)]
pub(crate) struct Checker<F>(Vec<Violation<F>>);

impl<F> Checker<F> {
    pub(crate) fn new() -> Checker<F> {
        Checker(Vec::new())
    }

    /// Reports the field if the rule does not hold.
    pub(crate) fn require(
        &mut self,
        holds: bool,
        field: F,
        value: impl Into<Value>,
        limit: Limit,
        source: Source,
    ) {
        if !holds {
            let value = value.into();
            self.0.push(Violation {
                field,
                value,
                limit,
                source,
            });
        }
    }

    pub(crate) fn range<N: Into<i128> + Copy>(
        &mut self,
        field: F,
        value: N,
        min: i128,
        max: i128,
        source: Source,
    ) {
        let number = value.into();
        self.require_number(
            (min..=max).contains(&number),
            field,
            number,
            Limit::Range { min, max },
            source,
        );
    }

    pub(crate) fn at_least<N: Into<i128>>(&mut self, field: F, value: N, min: i128, source: Source) {
        let number = value.into();
        self.require_number(number >= min, field, number, Limit::AtLeast(min), source);
    }

    pub(crate) fn at_most<N: Into<i128>>(&mut self, field: F, value: N, max: i128, source: Source) {
        let number = value.into();
        self.require_number(number <= max, field, number, Limit::AtMost(max), source);
    }

    pub(crate) fn below<N: Into<i128>>(&mut self, field: F, value: N, end: i128, source: Source) {
        let number = value.into();
        self.require_number(number < end, field, number, Limit::Below(end), source);
    }

    pub(crate) fn exactly<N: Into<i128>>(&mut self, field: F, value: N, wanted: i128, source: Source) {
        let number = value.into();
        self.require_number(number == wanted, field, number, Limit::Exactly(wanted), source);
    }

    /// Requires a nonzero `unit`.
    pub(crate) fn multiple_of<N: Into<i128>>(&mut self, field: F, value: N, unit: i128, source: Source) {
        let number = value.into();
        self.require_number(number % unit == 0, field, number, Limit::MultipleOf(unit), source);
    }

    /// Checks the length of a list.
    pub(crate) fn length(&mut self, field: F, found: usize, wanted: usize, source: Source) {
        let limit = Limit::Exactly(wanted as i128);
        self.require(found == wanted, field, found, limit, source);
    }

    fn require_number(&mut self, holds: bool, field: F, number: i128, limit: Limit, source: Source) {
        if !holds {
            self.0.push(Violation {
                field,
                value: Value::Number(number),
                limit,
                source,
            });
        }
    }

    pub(crate) fn absorb(&mut self, result: Result<(), Violations<F>>) {
        if let Err(Violations(found)) = result {
            self.0.extend(found);
        }
    }

    pub(crate) fn finish(self) -> Result<(), Violations<F>> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Violations(self.0))
        }
    }
}
