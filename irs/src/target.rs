//! The target as a term: `sm_90a`.

use crate::core::{Term, TermCodec, TermError, TermKind};
use crate::isa::Target;

/// Alignment of a kernel's shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SharedAlign(u32);

impl SharedAlign {
    /// The largest alignment that ptxas accepts. (PTX ISA, `.align` of a variable: a power of two.)
    pub const MAX: u32 = 1 << 16;

    /// An alignment in bytes; `None` unless it is a power of two up to [`MAX`](Self::MAX).
    pub fn new(bytes: u32) -> Option<Self> {
        (bytes.is_power_of_two() && bytes <= Self::MAX).then_some(Self(bytes))
    }

    /// The alignment in bytes.
    pub const fn bytes(self) -> u32 {
        self.0
    }
}

impl Default for SharedAlign {
    /// Enough for the widest access.
    fn default() -> Self {
        Self(16)
    }
}

impl TermCodec for SharedAlign {
    fn write(&self) -> Term {
        Term::int(self.0)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let wanted = format!("a power of two up to {}", Self::MAX);
        Self::new(term.to_int(&wanted)?).ok_or_else(|| term.wrong(&wanted))
    }
}

crate::attribute_field!(SharedAlign);

impl TermCodec for Target {
    fn write(&self) -> Term {
        Term::word(&self.to_string())
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        match &term.kind {
            TermKind::Word(word) => Self::parse(word),
            _ => None,
        }
        .ok_or_else(|| term.wrong("a target such as `sm_90a`"))
    }
}

crate::attribute_field!(Target);
