//! The slots of `nvvm` ops are the modifiers of PTX; here they get their notation in the regular syntax.

use crate::core::{Term, TermCodec, TermError, TermKind, is_plain_word};
use crate::ptx;

macro_rules! slots {
    ($($ty:ty),+ $(,)?) => {
        $(impl TermCodec for $ty {
            fn write(&self) -> Term {
                // Words such as `L1::evict_first` are no plain words of the regular syntax.
                if is_plain_word(self.word()) {
                    Term::word(self.word())
                } else {
                    TermKind::Str(self.word().to_owned()).into()
                }
            }
            fn read(term: &Term) -> Result<Self, TermError> {
                match &term.kind {
                    TermKind::Word(word) | TermKind::Str(word) => Self::from_word(word),
                    _ => None,
                }
                .ok_or_else(|| {
                    let words: Vec<_> = Self::ALL.iter().map(|slot| format!("`{}`", slot.word())).collect();
                    term.wrong(format!("one of {}", words.join(", ")))
                })
            }
        })+
        crate::attribute_field!($($ty),+);
    };
}

slots!(
    ptx::Type,
    ptx::Rounding,
    ptx::Part,
    ptx::Approximation,
    ptx::Comparison,
    ptx::Space,
    ptx::Order,
    ptx::Scope,
    ptx::LoadCache,
    ptx::StoreCache,
    ptx::Eviction,
    ptx::Prefetch,
);
