//! The target as a term: `sm_90a`.

use crate::core::{Term, TermCodec, TermError, TermKind};
use crate::isa::Target;

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
