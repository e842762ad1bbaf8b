//! Parts of ops, by which a problem says what it is about.

/// What of an op, or of a function, a problem is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// All of it.
    Op,
    /// A field by its position in the op's declaration, or an attribute of the function by its position.
    Field(u32),
    /// An entry of a field that is a list or a dictionary; of the latter, its value.
    Entry(u32, u32),
    /// The name of an entry of a dictionary.
    Key(u32, u32),
    /// An entry of an entry that is a list or a dictionary itself.
    Inner(u32, u32, u32),
    /// The name of such an entry.
    InnerKey(u32, u32, u32),
    /// One of its results.
    Result(u32),
    /// An argument of its body, or of the function's.
    Argument(u32),
}

impl Part {
    /// A field by its position.
    pub fn field(field: usize) -> Self {
        Self::Field(number(field))
    }

    /// A result by its number.
    pub fn result(result: usize) -> Self {
        Self::Result(number(result))
    }

    /// An argument by its number.
    pub fn argument(argument: usize) -> Self {
        Self::Argument(number(argument))
    }

    /// An entry of a field.
    #[must_use]
    pub fn entry(self, entry: usize) -> Self {
        match self {
            Self::Field(field) => Self::Entry(field, number(entry)),
            Self::Entry(field, outer) => Self::Inner(field, outer, number(entry)),
            other => other,
        }
    }

    /// The name of an entry of a field that is a dictionary.
    #[must_use]
    pub fn key(self, entry: usize) -> Self {
        match self {
            Self::Field(field) => Self::Key(field, number(entry)),
            Self::Entry(field, outer) => Self::InnerKey(field, outer, number(entry)),
            other => other,
        }
    }

    /// What this is a part of.
    pub fn outer(self) -> Option<Self> {
        match self {
            Self::Op => None,
            Self::Field(_) | Self::Result(_) | Self::Argument(_) => Some(Self::Op),
            Self::Entry(field, _) | Self::Key(field, _) => Some(Self::Field(field)),
            Self::Inner(field, entry, _) | Self::InnerKey(field, entry, _) => Some(Self::Entry(field, entry)),
        }
    }
}

/// A position, as parts count it.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
