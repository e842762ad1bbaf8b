//! The enumerations of `cuda_tile`, with their bytecode numbers.

use super::version::Version;
use crate::core::{Effects, FieldEffects, Resource, Undefined};

/// One case of an enumeration, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumCase {
    /// The word in the text.
    pub word: &'static str,
    /// The number in bytecode.
    pub code: u8,
    /// The first version that has it.
    pub since: Version,
    /// Its meaning.
    pub doc: &'static str,
}

/// An enumeration, as data.
#[derive(Debug, PartialEq, Eq)]
pub struct EnumSpec {
    /// The enumeration's name.
    pub name: &'static str,
    /// What it tells.
    pub doc: &'static str,
    /// Its cases.
    pub cases: &'static [EnumCase],
}

impl EnumSpec {
    /// The case with this number in bytecode.
    pub fn by_code(&self, code: u64) -> Option<&'static EnumCase>
    where
        Self: 'static,
    {
        self.cases.iter().find(|case| u64::from(case.code) == code)
    }

    /// The case of this word.
    pub fn by_word(&self, word: &str) -> Option<&'static EnumCase>
    where
        Self: 'static,
    {
        self.cases.iter().find(|case| case.word == word)
    }
}

/// Declares enumerations of words that have a number in bytecode and a version that introduced each.
macro_rules! coded {
    ($(
        $(#[doc = $doc:literal])*
        pub enum $name:ident $(: $effects:ident)? $(in $family:ident)? {
            $($(#[doc = $vdoc:literal])* $variant:ident = $word:literal $code:literal $since:ident),+ $(,)?
        }
    )+) => {$(
        crate::keywords! {
            $(#[doc = $doc])*
            pub enum $name $(: $effects)? $(in $family)? { $($(#[doc = $vdoc])* $variant = $word),+ }
        }

        impl $name {
            /// The enumeration as data.
            pub const SPEC: &'static EnumSpec = &EnumSpec {
                name: stringify!($name),
                doc: concat!($($doc),*),
                cases: &[$(EnumCase {
                    word: $word,
                    code: $code,
                    since: Version::$since,
                    doc: concat!($($vdoc),*),
                }),+],
            };

            /// Its bytecode number.
            pub const fn code(self) -> u8 {
                match self { $(Self::$variant => $code),+ }
            }

            /// The case with this bytecode number.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)+ _ => None }
            }
        }
    )+};
}

coded! {
    /// The interpretation of an integer's bits.
    pub enum Signedness {
        /// Unsigned.
        Unsigned = "unsigned" 0 V13_1,
        /// Two's complement.
        Signed = "signed" 1 V13_1,
    }

    /// Promises about overflow of an integer op.
    pub enum IntegerOverflow: FieldEffects in Assumption {
        /// None: it wraps.
        None = "none" 0 V13_1,
        /// No signed overflow.
        NoSignedWrap = "no_signed_wrap" 1 V13_1,
        /// No unsigned overflow.
        NoUnsignedWrap = "no_unsigned_wrap" 2 V13_1,
        /// Neither signed nor unsigned overflow.
        NoWrap = "no_wrap" 3 V13_1,
    }

    /// The rounding of a result.
    pub enum RoundingMode in FastMath {
        /// To the nearest, ties to even.
        NearestEven = "nearest_even" 0 V13_1,
        /// Towards zero.
        Zero = "zero" 1 V13_1,
        /// Towards negative infinity.
        NegativeInf = "negative_inf" 2 V13_1,
        /// Towards positive infinity.
        PositiveInf = "positive_inf" 3 V13_1,
        /// A fast approximation.
        Approx = "approx" 4 V13_1,
        /// An approximation over the full range, as in the math library.
        Full = "full" 5 V13_1,
        /// To an integer, towards zero.
        NearestIntToZero = "nearest_int_to_zero" 6 V13_1,
        /// To the nearest, ties away from zero.
        NearestAway = "nearest_away" 7 V13_4,
    }

    /// A comparison.
    pub enum ComparisonPredicate {
        /// `==`
        Equal = "equal" 0 V13_1,
        /// `!=`
        NotEqual = "not_equal" 1 V13_1,
        /// `<`
        LessThan = "less_than" 2 V13_1,
        /// `<=`
        LessThanOrEqual = "less_than_or_equal" 3 V13_1,
        /// `>`
        GreaterThan = "greater_than" 4 V13_1,
        /// `>=`
        GreaterThanOrEqual = "greater_than_or_equal" 5 V13_1,
    }

    /// The result of a float comparison with a NaN.
    pub enum ComparisonOrdering {
        /// True.
        Unordered = "unordered" 0 V13_1,
        /// False.
        Ordered = "ordered" 1 V13_1,
    }

    /// The operation of an atomic op.
    pub enum AtomicRmwMode {
        /// Bitwise and.
        And = "and" 0 V13_1,
        /// Bitwise or.
        Or = "or" 1 V13_1,
        /// Bitwise exclusive or.
        Xor = "xor" 2 V13_1,
        /// Integer addition.
        Add = "add" 3 V13_1,
        /// Float addition.
        AddF = "addf" 4 V13_1,
        /// Signed maximum.
        Max = "max" 5 V13_1,
        /// Signed minimum.
        Min = "min" 6 V13_1,
        /// Unsigned maximum.
        UMax = "umax" 7 V13_1,
        /// Unsigned minimum.
        UMin = "umin" 8 V13_1,
        /// Exchange.
        Xchg = "xchg" 9 V13_1,
    }

    /// Memory order.
    pub enum MemoryOrdering: FieldEffects in Order {
        /// No concurrent access.
        Weak = "weak" 0 V13_1,
        /// Concurrent access without synchronisation.
        Relaxed = "relaxed" 1 V13_1,
        /// Synchronises with a release that it observes.
        Acquire = "acquire" 2 V13_1,
        /// Synchronises with an acquire that observes it.
        Release = "release" 3 V13_1,
        /// Acquire and release.
        AcqRel = "acq_rel" 4 V13_1,
    }

    /// Scope of a memory order.
    pub enum MemoryScope in Order {
        /// The same tile block's.
        TileBlock = "tl_blk" 0 V13_1,
        /// The same GPU's.
        Device = "device" 1 V13_1,
        /// The whole system's.
        System = "sys" 2 V13_1,
    }

    /// The result of a load for elements outside of the tensor.
    pub enum PaddingValue {
        /// 0
        Zero = "zero" 0 V13_1,
        /// -0.0
        NegZero = "neg_zero" 1 V13_1,
        /// NaN
        Nan = "nan" 2 V13_1,
        /// Positive infinity
        PosInf = "pos_inf" 3 V13_1,
        /// Negative infinity
        NegInf = "neg_inf" 4 V13_1,
    }

    /// The kind of mapping of an address.
    pub enum PtrAttr {
        /// Not stated.
        None = "none" 0 V13_4,
        /// An ordinary one.
        Unicast = "unicast" 1 V13_5,
        /// One that maps the memory of several GPUs.
        Multicast = "multicast" 2 V13_5,
    }

    /// The operation of a multicast op on the values of several GPUs.
    pub enum MultimemReduction {
        /// Sum.
        Add = "add" 0 V13_5,
        /// Signed or float minimum.
        Min = "min" 1 V13_5,
        /// Signed or float maximum.
        Max = "max" 2 V13_5,
        /// Bitwise and.
        And = "and" 3 V13_5,
        /// Bitwise or.
        Or = "or" 4 V13_5,
        /// Bitwise exclusive or.
        Xor = "xor" 5 V13_5,
        /// Unsigned minimum.
        UMin = "umin" 6 V13_5,
        /// Unsigned maximum.
        UMax = "umax" 7 V13_5,
    }

    /// Which threads an implementation of an external function synchronises.
    pub enum PreviewSynchronization {
        /// None.
        None = "none" 0 V13_5,
        /// A warp.
        Warp = "warp" 1 V13_5,
        /// Four warps.
        Warpgroup = "warpgroup" 2 V13_5,
        /// The whole block of threads.
        Cta = "cta" 3 V13_5,
    }

    /// What an external function does with an argument.
    pub enum PreviewAccess {
        /// It reads it.
        In = "in" 0 V13_5,
        /// It writes it.
        Out = "out" 1 V13_5,
        /// Both.
        InOut = "inout" 2 V13_5,
    }

    /// Where the part of a tile is that a thread has.
    pub enum PreviewMemorySpace {
        /// In registers, or in memory of the thread's own.
        Local = "local" 0 V13_5,
        /// In shared memory.
        Smem = "smem" 1 V13_5,
    }
}

impl FieldEffects for IntegerOverflow {
    const EFFECTS: Effects = Effects::PURE.and_undefined(Undefined::BrokenPromise);
    fn refine(&self, effects: Effects) -> Effects {
        match self {
            Self::None => effects.without_promises(),
            Self::NoSignedWrap | Self::NoUnsignedWrap | Self::NoWrap => effects,
        }
    }
}

impl FieldEffects for MemoryOrdering {
    const EFFECTS: Effects = Effects::writes(Resource::Barrier);
    fn refine(&self, effects: Effects) -> Effects {
        match self {
            Self::Weak => effects.without(Resource::Barrier),
            Self::Relaxed | Self::Acquire | Self::Release | Self::AcqRel => effects,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_read_back() {
        for &mode in RoundingMode::ALL {
            assert_eq!(RoundingMode::from_code(mode.code()), Some(mode));
            let case = RoundingMode::SPEC.by_code(mode.code().into()).expect("a case");
            assert_eq!(case.word, mode.word());
        }
        assert_eq!(RoundingMode::from_code(8), None);
        assert_eq!(
            RoundingMode::SPEC.by_word("nearest_away").map(|c| c.since),
            Some(Version::V13_4)
        );
    }
}
