//! The target as a term: `sm_90a`; and its limit of static shared memory.

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

impl Target {
    /// Limit of static shared memory of a block, in bytes. Kernels use static shared memory only, since their
    /// launcher passes no dynamic shared memory; ptxas accepts declarations up to the opt-in maximum from `sm_90` on,
    /// and up to 48 KiB before. (CUDA C++ Programming Guide, technical specifications per compute capability:
    /// "maximum amount of shared memory per thread block"; ptxas 13.5 refuses the next larger size on each target.)
    pub const fn static_shared_bytes(self) -> u32 {
        let kib = match self.sm {
            90 | 100 | 101 | 103 | 110 => 227,
            120 | 121 => 99,
            _ => 48,
        };
        kib * 1024
    }

    /// Shared memory of a multiprocessor, in bytes, which its blocks divide. (CUDA C++ Programming Guide, technical
    /// specifications per compute capability: "maximum amount of shared memory per multiprocessor".)
    pub const fn shared_bytes_of_multiprocessor(self) -> u32 {
        let kib = match self.sm {
            75 => 64,
            70 | 72 => 96,
            86 | 88 | 89 | 120 | 121 => 100,
            80 | 87 => 164,
            _ => 228,
        };
        kib * 1024
    }
}

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
