//! The swizzle functions `Sw<B,M,S>`: exclusive or of one field of an index into another.

use std::fmt;
use std::str::FromStr;

/// The exclusive upper bound of the bits of a swizzle.
pub const MAX_SWIZZLE_BITS: u32 = 62;

/// The function `Sw<B,M,S>` on indices.
///
/// Two fields of `B` bits take part. For `S > 0` the target field `Z` starts at bit `M` and the
/// source field `Y` at bit `M + S`; for `S < 0` the fields are exchanged. The function is `x -> x ^
/// shift(x & Y)`, which replaces the field `Z` by `Z ^ Y` and keeps all other bits. As `|S| >= B`,
/// the fields are disjoint and the function is an involution; it is linear over GF(2): `sw(a ^ b) =
/// sw(a) ^ sw(b)`.
///
/// On element indices, `M` is the base-2 logarithm of the vector that is preserved and `B + M + |S|`
/// that of the period. The shared-memory swizzles of 128, 64 and 32 bytes are `Sw<3,4,3>`,
/// `Sw<2,4,3>` and `Sw<1,4,3>` on byte addresses. (CUTLASS, `cute/swizzle.hpp`; PTX ISA, "Swizzling
/// modes" of tensor copies.)
///
/// # Text form
/// [`Display`](fmt::Display) prints `Sw<3,4,3>`; [`FromStr`] also accepts `S<3,4,3>` and
/// `Swizzle<3,4,3>`.
///
/// ```
/// use tilewright_layouts::cute::Swizzle;
/// let sw: Swizzle = "Sw<3,4,3>".parse()?;
/// // Row 2 of 128-byte rows: its 16-byte chunk 1 is at chunk 1 ^ 2.
/// assert_eq!(sw.apply(2 * 128 + 16), 2 * 128 + 3 * 16);
/// assert_eq!(sw.apply(sw.apply(12345)), 12345);
/// # Ok::<(), tilewright_layouts::cute::SwizzleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Swizzle {
    bits: u8,
    base: u8,
    shift: i8,
}

/// An invalid swizzle.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SwizzleError {
    /// `|S| < B`: the two fields overlap.
    ShiftBelowBits {
        /// `B`.
        bits: u32,
        /// `S`.
        shift: i32,
    },
    /// The fields exceed [`MAX_SWIZZLE_BITS`].
    TooManyBits {
        /// `B`.
        bits: u32,
        /// `M`.
        base: u32,
        /// `S`.
        shift: i32,
    },
    /// A mask that is not one run of set bits.
    NotContiguous {
        /// The mask.
        mask: u64,
    },
    /// Two masks with different numbers of bits.
    MaskSizes {
        /// The mask of source bits.
        source: u64,
        /// The mask of target bits.
        target: u64,
    },
    /// A composition of two swizzles that is not a swizzle.
    Composition {
        /// The swizzle applied last.
        outer: Swizzle,
        /// The swizzle applied first.
        inner: Swizzle,
    },
    /// A swizzle that splits the wide elements of a recast, because it preserves only `2^M` elements.
    SplitsElement {
        /// The swizzle.
        swizzle: Swizzle,
        /// The number of old elements in a new one.
        factor: u64,
    },
    /// A factor between element widths that is not a power of two.
    FactorNotPowerOfTwo {
        /// The factor.
        factor: u64,
    },
    /// A text that is not of the form `Sw<B,M,S>`.
    Syntax,
}

impl fmt::Display for SwizzleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShiftBelowBits { bits, shift } => {
                write!(f, "the shift {shift} of a swizzle is less than its {bits} bits")
            }
            Self::TooManyBits { bits, base, shift } => write!(
                f,
                "the swizzle of {bits} bits at base {base} with shift {shift} reaches past bit {MAX_SWIZZLE_BITS}"
            ),
            Self::NotContiguous { mask } => write!(f, "the mask {mask:#b} is not one run of set bits"),
            Self::MaskSizes { source, target } => write!(
                f,
                "the masks {source:#b} and {target:#b} have {} and {} bits",
                source.count_ones(),
                target.count_ones()
            ),
            Self::Composition { outer, inner } => {
                write!(f, "the composition of {outer} after {inner} is not a swizzle")
            }
            Self::SplitsElement { swizzle, factor } => write!(
                f,
                "{swizzle} keeps {} elements together, not the {factor} that make a new one",
                1u64 << swizzle.base
            ),
            Self::FactorNotPowerOfTwo { factor } => {
                write!(
                    f,
                    "the factor {factor} between element widths is not a power of two"
                )
            }
            Self::Syntax => f.write_str("expected a swizzle `Sw<B,M,S>`"),
        }
    }
}

impl std::error::Error for SwizzleError {}

impl Swizzle {
    /// The identity, as CuTe writes it: `Sw<0,4,3>`.
    pub const IDENTITY: Swizzle = Swizzle {
        bits: 0,
        base: 4,
        shift: 3,
    };

    /// Constructs `Sw<bits,base,shift>`.
    ///
    /// # Errors
    /// `|shift| < bits`, or `bits + base + |shift|` is above [`MAX_SWIZZLE_BITS`].
    ///
    /// ```
    /// use tilewright_layouts::cute::{Swizzle, SwizzleError};
    /// assert_eq!(Swizzle::new(2, 0, -2)?.apply(0b0111), 0b1011);
    /// assert!(matches!(Swizzle::new(3, 0, 2), Err(SwizzleError::ShiftBelowBits { .. })));
    /// # Ok::<(), SwizzleError>(())
    /// ```
    pub const fn new(bits: u32, base: u32, shift: i32) -> Result<Swizzle, SwizzleError> {
        let distance = shift.unsigned_abs();
        if distance < bits {
            return Err(SwizzleError::ShiftBelowBits { bits, shift });
        }
        // Each term is checked separately first, so that the sum cannot overflow.
        let most = MAX_SWIZZLE_BITS;
        if bits > most || base > most || distance > most || bits + base + distance > most {
            return Err(SwizzleError::TooManyBits { bits, base, shift });
        }
        Ok(Swizzle {
            bits: bits as u8,
            base: base as u8,
            shift: shift as i8,
        })
    }

    /// Constructs the swizzle whose source field is `source` and whose target field is `target`.
    ///
    /// # Errors
    /// A mask is not one run of set bits, or the two differ in length or overlap.
    ///
    /// ```
    /// use tilewright_layouts::cute::Swizzle;
    /// assert_eq!(Swizzle::from_masks(0b1100_0000, 0b0000_0110)?, Swizzle::new(2, 1, 5)?);
    /// assert_eq!(Swizzle::from_masks(0b1, 0b10)?, Swizzle::new(1, 0, -1)?);
    /// # Ok::<(), tilewright_layouts::cute::SwizzleError>(())
    /// ```
    pub fn from_masks(source: u64, target: u64) -> Result<Swizzle, SwizzleError> {
        if source.count_ones() != target.count_ones() {
            return Err(SwizzleError::MaskSizes { source, target });
        }
        if source == 0 {
            return Ok(Self::IDENTITY);
        }
        for mask in [source, target] {
            if mask.count_ones() + mask.leading_zeros() + mask.trailing_zeros() != u64::BITS {
                return Err(SwizzleError::NotContiguous { mask });
            }
        }
        let (from, to) = (source.trailing_zeros(), target.trailing_zeros());
        // Both are below 64.
        let shift = from as i32 - to as i32;
        Swizzle::new(source.count_ones(), from.min(to), shift)
    }

    /// `B`: the number of bits of each field.
    pub const fn bits(self) -> u32 {
        self.bits as u32
    }

    /// `M`: the lowest bit of the lower field. Vectors of `2^M` indices are preserved.
    pub const fn base(self) -> u32 {
        self.base as u32
    }

    /// `S`: the distance from the target field up to the source field; negative if the source is
    /// below.
    pub const fn shift(self) -> i32 {
        self.shift as i32
    }

    /// The bits of the source field, `Y`.
    pub const fn source_mask(self) -> u64 {
        self.field(if self.shift > 0 { self.shift } else { 0 })
    }

    /// The bits of the target field, `Z`.
    pub const fn target_mask(self) -> u64 {
        self.field(if self.shift < 0 { -self.shift } else { 0 })
    }

    const fn field(self, above: i8) -> u64 {
        ((1u64 << self.bits) - 1) << (self.base as u32 + above as u32)
    }

    /// The period: the size of the smallest range that the swizzle permutes, `2^(B + M + |S|)`, and 1
    /// for the identity.
    pub const fn period(self) -> u64 {
        if self.bits == 0 {
            1
        } else {
            1 << (self.bits() + self.base() + self.shift.unsigned_abs() as u32)
        }
    }

    /// Whether the function is the identity: `B = 0`.
    pub const fn is_identity(self) -> bool {
        self.bits == 0
    }

    /// The image of an index.
    pub const fn apply(self, index: u64) -> u64 {
        let source = index & self.source_mask();
        let flips = if self.shift < 0 {
            source << self.shift.unsigned_abs()
        } else {
            source >> self.shift
        };
        index ^ flips
    }

    /// Composes two swizzles, `x -> self(inner(x))`, if the result is a swizzle.
    ///
    /// CuTe adds the masks of two swizzles of one shift. That is the composition only if the target
    /// field of the inner one does not meet the source field of the outer one; here every bit is
    /// checked.
    ///
    /// # Errors
    /// The composition is not a swizzle.
    ///
    /// ```
    /// use tilewright_layouts::cute::Swizzle;
    /// let (outer, inner) = (Swizzle::new(2, 0, 3)?, Swizzle::new(1, 0, 3)?);
    /// assert_eq!(outer.compose(inner)?, Swizzle::new(1, 1, 3)?);
    /// assert!(outer.compose(Swizzle::new(1, 3, 1)?).is_err());
    /// # Ok::<(), tilewright_layouts::cute::SwizzleError>(())
    /// ```
    pub fn compose(self, inner: Swizzle) -> Result<Swizzle, SwizzleError> {
        if self.is_identity() {
            return Ok(inner);
        }
        if inner.is_identity() {
            return Ok(self);
        }
        let refusal = SwizzleError::Composition { outer: self, inner };
        let moved = |bit: &u32| {
            let unit = 1u64 << bit;
            (unit, self.apply(inner.apply(unit)) ^ unit)
        };
        let pairs = (0..MAX_SWIZZLE_BITS).map(|bit| moved(&bit));
        let (source, target) = pairs
            .filter(|(_, flipped)| *flipped != 0)
            .fold((0, 0), |(source, target), (unit, flipped)| {
                (source | unit, target | flipped)
            });
        let found = Swizzle::from_masks(source, target).map_err(|_| refusal.clone())?;
        let same = |bit| {
            let (unit, flipped) = moved(&bit);
            found.apply(unit) == unit ^ flipped
        };
        if (0..MAX_SWIZZLE_BITS).all(same) {
            Ok(found)
        } else {
            Err(refusal)
        }
    }

    /// Recasts the swizzle to elements `factor` times as wide.
    ///
    /// `upcast(n).apply(x / n) = apply(x) / n`, and `apply(x) % n = x % n`. (CUTLASS: `upcast` of a
    /// swizzle, which drops the bits within the new element where this method refuses.)
    ///
    /// # Errors
    /// `factor` is not a power of two, or the swizzle splits elements of that width.
    ///
    /// ```
    /// use tilewright_layouts::cute::Swizzle;
    /// // The 128-byte swizzle of byte addresses, for 2-byte elements.
    /// assert_eq!(Swizzle::new(3, 4, 3)?.upcast(2)?, Swizzle::new(3, 3, 3)?);
    /// assert!(Swizzle::new(3, 4, 3)?.upcast(32).is_err());
    /// # Ok::<(), tilewright_layouts::cute::SwizzleError>(())
    /// ```
    pub fn upcast(self, factor: u64) -> Result<Swizzle, SwizzleError> {
        let log = log2(factor)?;
        if self.is_identity() {
            return Ok(self);
        }
        let refusal = SwizzleError::SplitsElement {
            swizzle: self,
            factor,
        };
        let base = self.base().checked_sub(log).ok_or(refusal)?;
        Swizzle::new(self.bits(), base, self.shift())
    }

    /// Recasts the swizzle to elements `factor` times as narrow.
    ///
    /// # Errors
    /// `factor` is not a power of two, or the swizzle would exceed [`MAX_SWIZZLE_BITS`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Swizzle;
    /// assert_eq!(Swizzle::new(3, 3, 3)?.downcast(2)?, Swizzle::new(3, 4, 3)?);
    /// # Ok::<(), tilewright_layouts::cute::SwizzleError>(())
    /// ```
    pub fn downcast(self, factor: u64) -> Result<Swizzle, SwizzleError> {
        let log = log2(factor)?;
        if self.is_identity() {
            return Ok(self);
        }
        Swizzle::new(self.bits(), self.base() + log, self.shift())
    }
}

fn log2(factor: u64) -> Result<u32, SwizzleError> {
    if factor.is_power_of_two() {
        Ok(factor.ilog2())
    } else {
        Err(SwizzleError::FactorNotPowerOfTwo { factor })
    }
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sw<{},{},{}>", self.bits, self.base, self.shift)
    }
}

impl FromStr for Swizzle {
    type Err = SwizzleError;

    fn from_str(text: &str) -> Result<Self, SwizzleError> {
        let text = text.trim();
        let names = ["Swizzle", "Sw", "S"];
        let rest = names.iter().find_map(|name| text.strip_prefix(name));
        let inside = rest.map(str::trim_start).and_then(|rest| rest.strip_prefix('<'));
        let inside = inside
            .and_then(|rest| rest.strip_suffix('>'))
            .ok_or(SwizzleError::Syntax)?;
        let mut fields = inside.split(',').map(str::trim);
        let mut next = || fields.next().ok_or(SwizzleError::Syntax);
        let bits = next()?.parse().map_err(|_| SwizzleError::Syntax)?;
        let base = next()?.parse().map_err(|_| SwizzleError::Syntax)?;
        let shift = next()?.parse().map_err(|_| SwizzleError::Syntax)?;
        if next().is_ok() {
            return Err(SwizzleError::Syntax);
        }
        Swizzle::new(bits, base, shift)
    }
}
