//! Element types, and the initial numbers of arrays as a function of a seed and a position.
//!
//! `tests/gpu/tile_programs.py` has the same function, so that the arrays of a program need not be carried.

/// An element type of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ty {
    I1,
    I8,
    I16,
    I32,
    I64,
    F16,
    Bf16,
    F32,
    F64,
    Tf32,
    E4m3,
    E5m2,
}

impl Ty {
    pub(crate) const ALL: [Self; 12] = [
        Self::I1,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::F16,
        Self::Bf16,
        Self::F32,
        Self::F64,
        Self::Tf32,
        Self::E4m3,
        Self::E5m2,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::I1 => "i1",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Tf32 => "tf32",
            Self::E4m3 => "f8E4M3FN",
            Self::E5m2 => "f8E5M2",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::I1 => 1,
            Self::I8 | Self::E4m3 | Self::E5m2 => 8,
            Self::I16 | Self::F16 | Self::Bf16 => 16,
            Self::I32 | Self::F32 | Self::Tf32 => 32,
            Self::I64 | Self::F64 => 64,
        }
    }

    /// The size in memory.
    pub(crate) fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// The widths of exponent and mantissa of a float.
    pub(crate) fn float(self) -> Option<(u32, u32)> {
        match self {
            Self::I1 | Self::I8 | Self::I16 | Self::I32 | Self::I64 => None,
            Self::F16 => Some((5, 10)),
            Self::Bf16 => Some((8, 7)),
            Self::F32 => Some((8, 23)),
            Self::F64 => Some((11, 52)),
            // In the upper bits of 32.
            Self::Tf32 => Some((8, 10)),
            Self::E4m3 => Some((4, 3)),
            Self::E5m2 => Some((5, 2)),
        }
    }

    pub(crate) fn is_float(self) -> bool {
        self.float().is_some()
    }

    /// Whether these bits of a float in memory are a NaN.
    pub(crate) fn is_nan(self, bits: u64) -> bool {
        let Some((exponent, mantissa)) = self.float() else {
            return false;
        };
        if self == Self::E4m3 {
            return bits & 0x7f == 0x7f;
        }
        let infinity = ((1 << exponent) - 1) << (self.bits() - 1 - exponent);
        let _ = mantissa;
        bits & !(1 << (self.bits() - 1)) > infinity
    }

    /// The bits of `number * 2^grid`, which is zero or a normal number of the type.
    fn exact(self, number: i64, grid: i32) -> u64 {
        let Some((exponent, _)) = self.float() else {
            return number.cast_unsigned();
        };
        if number == 0 {
            return 0;
        }
        let mantissa = self.bits() - 1 - exponent;
        let size = number.unsigned_abs();
        let power = size.ilog2();
        let biased = power.cast_signed() + grid + (1 << (exponent - 1)) - 1;
        let fraction = ((u128::from(size) << mantissa) >> power) & ((1 << mantissa) - 1);
        let fraction = u64::try_from(fraction).unwrap_or_default();
        u64::from(number < 0) << (self.bits() - 1) | u64::from(biased.unsigned_abs()) << mantissa | fraction
    }
}

/// What an array holds before the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Any bits.
    Bits,
    /// Multiples of `2^grid` up to `2^(grid + bits)` of either sign; grid 0 for integers.
    Exact { grid: i32, bits: u32 },
    /// Floats of which most are of sizes near 1, and some are any bits.
    Near,
    /// Zeros.
    Zero,
}

/// The number at a position of a sequence of random numbers, by splitmix64.
pub(crate) fn random(seed: u64, at: u64) -> u64 {
    let mut word = seed.wrapping_add(at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl Fill {
    /// The bits of the element at a position of an array.
    pub(crate) fn element(self, ty: Ty, seed: u64, at: u64) -> u64 {
        let word = random(seed, at);
        let mask = u64::MAX >> (64 - ty.bits());
        match self {
            Self::Zero => 0,
            Self::Bits => word & mask,
            Self::Exact { grid, bits } => {
                let half = 1i64 << bits;
                let number = (word % (2 * half + 1).cast_unsigned()).cast_signed() - half;
                ty.exact(number, grid) & mask
            }
            Self::Near => {
                let Some((exponent, _)) = ty.float() else {
                    return word & mask;
                };
                if word >> 60 == 0 {
                    return word & mask;
                }
                let mantissa = ty.bits() - 1 - exponent;
                let biased = (1 << (exponent - 1)) - 5 + (word >> 52 & 7);
                (word >> 51 & 1) << (ty.bits() - 1) | biased << mantissa | word & ((1 << mantissa) - 1)
            }
        }
    }

    /// The bytes of an array.
    pub(crate) fn bytes(self, ty: Ty, seed: u64, count: usize) -> Vec<u8> {
        let elements = (0..count as u64).map(|at| self.element(ty, seed, at).to_le_bytes());
        elements
            .flat_map(|bytes| bytes.into_iter().take(ty.bytes()))
            .collect()
    }
}

impl std::fmt::Display for Fill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bits => f.write_str("bits"),
            Self::Exact { grid, bits } => write!(f, "exact:{grid}:{bits}"),
            Self::Near => f.write_str("near"),
            Self::Zero => f.write_str("zero"),
        }
    }
}

impl std::str::FromStr for Fill {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no way to fill an array");
        match text.split(':').collect::<Vec<_>>()[..] {
            ["bits"] => Ok(Self::Bits),
            ["near"] => Ok(Self::Near),
            ["zero"] => Ok(Self::Zero),
            ["exact", grid, bits] => Ok(Self::Exact {
                grid: grid.parse().map_err(|_| wrong())?,
                bits: bits.parse().map_err(|_| wrong())?,
            }),
            _ => Err(wrong()),
        }
    }
}
