//! Quantities with their unit in the type.

use std::fmt;

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

/// The width of one element of a tile: a power of two, from one bit to sixteen bytes.
///
/// ```
/// use tilewright_layouts::ElementWidth;
/// assert_eq!(ElementWidth::B16.bits(), 16);
/// assert_eq!(ElementWidth::of_bits(16), Some(ElementWidth::B16));
/// assert_eq!(ElementWidth::of_bits(6), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementWidth {
    /// One bit.
    B1,
    /// Four bits.
    B4,
    /// One byte.
    B8,
    /// Two bytes.
    B16,
    /// Four bytes.
    B32,
    /// Eight bytes.
    B64,
    /// Sixteen bytes.
    B128,
}

impl ElementWidth {
    /// Every width, narrowest first.
    pub const ALL: [ElementWidth; 7] = [
        ElementWidth::B1,
        ElementWidth::B4,
        ElementWidth::B8,
        ElementWidth::B16,
        ElementWidth::B32,
        ElementWidth::B64,
        ElementWidth::B128,
    ];

    /// The width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            ElementWidth::B1 => 1,
            ElementWidth::B4 => 4,
            ElementWidth::B8 => 8,
            ElementWidth::B16 => 16,
            ElementWidth::B32 => 32,
            ElementWidth::B64 => 64,
            ElementWidth::B128 => 128,
        }
    }

    /// The width with this number of bits, if there is one.
    pub fn of_bits(bits: u32) -> Option<ElementWidth> {
        Self::ALL.into_iter().find(|width| width.bits() == bits)
    }
}

impl fmt::Display for ElementWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.bits())
    }
}

/// The number of matrices that one `ldmatrix` or `stmatrix` moves.
///
/// ```
/// use tilewright_layouts::units::MatrixCount;
/// assert_eq!(MatrixCount::ALL.map(MatrixCount::get), [4, 2, 1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixCount {
    /// `.x1`
    X1,
    /// `.x2`
    X2,
    /// `.x4`
    X4,
}

impl MatrixCount {
    /// All of them, most first.
    pub const ALL: [MatrixCount; 3] = [MatrixCount::X4, MatrixCount::X2, MatrixCount::X1];

    /// The number.
    pub const fn get(self) -> u32 {
        1 << self.log2()
    }

    /// The number of bits that select a matrix.
    pub(crate) const fn log2(self) -> u32 {
        match self {
            MatrixCount::X1 => 0,
            MatrixCount::X2 => 1,
            MatrixCount::X4 => 2,
        }
    }
}
