//! The target as a term: `sm_90a`; and how much shared memory a kernel may declare on it.

use crate::core::{Term, TermCodec, TermError, TermKind};
use crate::isa::Target;

impl Target {
    /// Bytes of shared memory that a kernel can declare for one block. A kernel declares what it needs, since its
    /// launcher passes no dynamic shared memory; ptxas takes declarations up to the opt-in maximum from `sm_90` on, and
    /// up to 48 KiB before. (CUDA C++ Programming Guide, technical specifications per compute capability: "maximum
    /// amount of shared memory per thread block"; ptxas 13.5 refuses the next larger size on each target.)
    pub const fn static_shared_bytes(self) -> u32 {
        let kib = match self.sm {
            90 | 100 | 101 | 103 | 110 => 227,
            120 | 121 => 99,
            _ => 48,
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
