//! Fast math: in what a float op's result may differ from the one that its definition gives.
//!
//! Each op has a set of flags, empty unless someone asks for them. A pass may use a flag of an op and need not; it uses no
//! flag that an op lacks, and gives an op that it makes from others only flags that all of them have.

use crate::core::{AttributeField, Family, Func, Language, NamedTerm, Reader, Term, TermCodec, TermError};

crate::keywords! {
    /// What an op with this flag allows.
    pub enum FastMathFlag {
        /// No operand and no result is NaN.
        NoNan = "nnan",
        /// No operand and no result is infinite.
        NoInfinity = "ninf",
        /// The sign of a zero does not matter.
        NoSignedZero = "nsz",
        /// A quotient may be a product with the reciprocal of the divisor.
        Reciprocal = "arcp",
        /// A product and the sum that it is a part of may be rounded once.
        Contract = "contract",
        /// Instructions of the hardware may approximate the function.
        Approximate = "afn",
        /// Sums and products may be computed in another order.
        Reassociate = "reassoc",
    }
}

use FastMathFlag as F;

impl FastMathFlag {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FastMath(u8);

impl FastMath {
    /// None: results are those of the definitions.
    pub const NONE: Self = Self(0);
    /// All flags.
    pub const ALL: Self = Self::of(FastMathFlag::ALL);

    /// These flags.
    pub const fn of(flags: &[FastMathFlag]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < flags.len() {
            bits |= flags[at].bit();
            at += 1;
        }
        Self(bits)
    }

    /// Whether the flag is in the set.
    pub const fn has(self, flag: FastMathFlag) -> bool {
        self.0 & flag.bit() != 0
    }

    /// Whether no flag is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The flags of either.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The flags of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The set with a flag, or without it.
    #[must_use]
    pub const fn with(self, flag: FastMathFlag, on: bool) -> Self {
        Self(if on {
            self.0 | flag.bit()
        } else {
            self.0 & !flag.bit()
        })
    }

    /// The flags, in the order of their declaration.
    pub fn flags(self) -> impl Iterator<Item = FastMathFlag> {
        FastMathFlag::ALL
            .iter()
            .copied()
            .filter(move |&flag| self.has(flag))
    }

    /// Parses words with commas between; `all` and `fast` are all flags.
    ///
    /// # Errors
    /// A message about a word that is no flag, or that stands there twice.
    pub fn parse(text: &str) -> Result<Self, String> {
        if matches!(text, "all" | "fast") {
            return Ok(Self::ALL);
        }
        let mut set = Self::NONE;
        for word in text.split(',') {
            let flag = FastMathFlag::from_word(word).ok_or_else(|| {
                format!(
                    "there is no flag '{word}', expected all, fast, or some of {}",
                    FastMathFlag::WORDS.join(", ")
                )
            })?;
            if set.has(flag) {
                return Err(format!("'{word}' stands there twice"));
            }
            set = set.with(flag, true);
        }
        Ok(set)
    }
}

/// The flags of an op that can have those whose bits are in `CAN`. The text is a list, `[nnan, contract]`; an empty set is
/// left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FastMathOf<const CAN: u8>(FastMath);

impl<const CAN: u8> FastMathOf<CAN> {
    /// The flags that such an op can have.
    pub const CAN: FastMath = FastMath(CAN);
    /// No flag.
    pub const NONE: Self = Self(FastMath::NONE);

    /// Those of the flags that such an op can have.
    pub const fn of(flags: FastMath) -> Self {
        Self(flags.and(Self::CAN))
    }

    /// The flags.
    pub const fn get(self) -> FastMath {
        self.0
    }
}

impl<const CAN: u8> AttributeField for FastMathOf<CAN> {
    const FAMILY: Family = Family::FastMath;

    fn write_attr(&self, name: &'static str, attrs: &mut Vec<NamedTerm>) {
        if !self.0.is_empty() {
            attrs.push(NamedTerm::new(name, self.write()));
        }
    }
    fn read_attr(name: &'static str, reader: &mut Reader<'_>) -> Option<Self> {
        reader.optional_attr(name).map(Option::unwrap_or_default)
    }
}

impl<const CAN: u8> TermCodec for FastMathOf<CAN> {
    fn write(&self) -> Term {
        Term::list(self.0.flags().map(|flag| flag.write()))
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let mut set = FastMath::NONE;
        for item in term.items("a list in brackets")? {
            let flag = FastMathFlag::read(item)?;
            if !Self::CAN.has(flag) {
                let words: Vec<String> = Self::CAN.flags().map(|flag| format!("`{flag}`")).collect();
                return Err(item.wrong(format!(
                    "one of the flags that this op can have: {}",
                    words.join(", ")
                )));
            }
            if set.has(flag) {
                return Err(item.wrong(format!("`{flag}` once")));
            }
            set = set.with(flag, true);
        }
        Ok(Self(set))
    }
}

/// Names the sets that ops can have, and makes them fields.
macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident: $($flag:ident)|+;)+) => {$(
        $(#[$doc])*
        pub type $name = FastMathOf<{ FastMath::of(&[$(F::$flag),+]).0 }>;
        crate::plain_field!($name);
    )+};
}

sets! {
    /// Of a sum, a difference or a product.
    FastMathOfSum: NoNan | NoInfinity | NoSignedZero | Contract | Reassociate;
    /// Of a quotient.
    FastMathOfQuotient: NoNan | NoInfinity | NoSignedZero | Reciprocal | Approximate;
    /// Of a root or an elementary function.
    FastMathOfFunction: NoNan | NoInfinity | NoSignedZero | Approximate;
    /// Of an op whose result is exact, or rounded once whatever is allowed.
    FastMathOfNumber: NoNan | NoInfinity | NoSignedZero;
    /// Of a comparison, for which zeros are equal anyway.
    FastMathOfComparison: NoNan | NoInfinity;
}

/// Float ops with flags.
pub trait HasFastMath {
    /// The op's flags; none for an op that cannot have any.
    fn fast_math(&self) -> FastMath;
    /// Replaces the op's flags by those of these that it can have.
    fn set_fast_math(&mut self, flags: FastMath);
}

/// The function, with these flags on each op that can have them.
pub fn allow<L: Language<Op: HasFastMath>>(mut func: Func<L>, flags: FastMath) -> Func<L> {
    for id in func.body.walk() {
        let op = &mut func.body.op_mut(id).kind;
        op.set_fast_math(op.fast_math().or(flags));
    }
    func
}

/// Finds the flags of an op of a dialect, in its field of one of the types that hold flags.
macro_rules! has_fast_math {
    ($op:ty: $($set:ident),+) => {
        impl $crate::dialects::fast_math::HasFastMath for $op {
            fn fast_math(&self) -> $crate::dialects::fast_math::FastMath {
                $(if let Some(set) = self.field::<$set>() {
                    return set.get();
                })+
                $crate::dialects::fast_math::FastMath::NONE
            }
            fn set_fast_math(&mut self, flags: $crate::dialects::fast_math::FastMath) {
                $(if let Some(set) = self.field_mut::<$set>() {
                    *set = $set::of(flags);
                })+
            }
        }
    };
}

/// Finds the flags of an op of a language: those dialects have some.
macro_rules! language_has_fast_math {
    ($op:ty: $($dialect:ident)|+) => {
        impl $crate::dialects::fast_math::HasFastMath for $op {
            fn fast_math(&self) -> $crate::dialects::fast_math::FastMath {
                match self {
                    $(Self::$dialect(op) => op.fast_math(),)+
                    _ => $crate::dialects::fast_math::FastMath::NONE,
                }
            }
            fn set_fast_math(&mut self, flags: $crate::dialects::fast_math::FastMath) {
                match self {
                    $(Self::$dialect(op) => op.set_fast_math(flags),)+
                    _ => {}
                }
            }
        }
    };
}

pub(crate) use {has_fast_math, language_has_fast_math};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Operation;
    use crate::dialects::arith::ArithOp;
    use crate::dialects::math::MathOp;

    #[test]
    fn a_list_of_words_is_a_set() {
        let set = FastMath::parse("contract,nnan").expect("flags");
        assert_eq!(set, FastMath::of(&[F::NoNan, F::Contract]));
        assert_eq!(set.flags().map(F::word).collect::<Vec<_>>(), ["nnan", "contract"]);
        assert_eq!(FastMath::parse("fast"), Ok(FastMath::ALL));
        assert_eq!(FastMath::parse(&F::WORDS.join(",")), FastMath::parse("all"));
        for (text, said) in [
            (
                "nan",
                "there is no flag 'nan', expected all, fast, or some of nnan, ninf",
            ),
            ("", "there is no flag ''"),
            ("nnan,all", "there is no flag 'all'"),
            ("nnan,arcp,nnan", "'nnan' stands there twice"),
        ] {
            let message = FastMath::parse(text).expect_err(text);
            assert!(message.starts_with(said), "{text}: {message}");
        }
    }

    #[test]
    fn ops_of_floats_alone_have_flags() {
        let has = |fields: &[crate::core::FieldSpec]| fields.iter().any(|field| field.name == "fast_math");
        for spec in ArithOp::specs() {
            let name = spec.name;
            let is_conversion = ["arith.ftof", "arith.ftoi", "arith.itof"].contains(&name);
            let is_of_floats = name.ends_with('f') || name == "arith.fma";
            assert_eq!(has(spec.fields), is_of_floats && !is_conversion, "{name}");
        }
        assert!(MathOp::specs().iter().all(|spec| has(spec.fields)));
    }
}
