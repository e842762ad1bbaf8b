//! Dimension names, and coordinate vectors.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

/// Limit of out-dimensions (tensor axes) of a layout.
pub const MAX_RANK: usize = 8;

/// Limit of the bits of one dimension, so that its size fits a `u32`.
pub const MAX_DIM_BITS: u32 = 31;

/// Limit of the bits of all in-dimensions together, and of all out-dimensions together.
pub const MAX_TOTAL_BITS: u32 = 60;

/// A named dimension of a layout, on either side of the map.
///
/// The declaration order is the canonical order of dimensions in a layout. On the input side an
/// earlier dimension is *more minor*: register bits come before lane bits, and so on. Tensor axes on
/// the output side are row major: the last axis varies fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dim {
    /// The register of a thread.
    Register,
    /// The thread of a warp.
    Lane,
    /// The warp of a block (CTA).
    Warp,
    /// The block of a cluster.
    Block,
    /// Position in shared memory, in elements.
    Offset,
    /// Lane (row) of tensor memory, of which there are 128. (PTX ISA, tensor memory.)
    TmemLane,
    /// Column of tensor memory: 32 bits of each lane.
    TmemColumn,
    /// A tensor axis, counted from zero. Written `dim0`, `dim1`, …
    Axis(u8),
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Register => f.write_str("register"),
            Dim::Lane => f.write_str("lane"),
            Dim::Warp => f.write_str("warp"),
            Dim::Block => f.write_str("block"),
            Dim::Offset => f.write_str("offset"),
            Dim::TmemLane => f.write_str("tmem_lane"),
            Dim::TmemColumn => f.write_str("tmem_column"),
            Dim::Axis(axis) => write!(f, "dim{axis}"),
        }
    }
}

/// An unknown dimension name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDim(pub String);

impl fmt::Display for UnknownDim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a dimension (register, lane, warp, block, offset, tmem_lane, tmem_column, dim0, dim1, …)",
            self.0
        )
    }
}

impl std::error::Error for UnknownDim {}

impl FromStr for Dim {
    type Err = UnknownDim;

    fn from_str(word: &str) -> Result<Self, UnknownDim> {
        match word {
            "register" => Ok(Dim::Register),
            "lane" => Ok(Dim::Lane),
            "warp" => Ok(Dim::Warp),
            "block" => Ok(Dim::Block),
            "offset" => Ok(Dim::Offset),
            "tmem_lane" => Ok(Dim::TmemLane),
            "tmem_column" => Ok(Dim::TmemColumn),
            _ => {
                let digits = word.strip_prefix("dim").filter(|d| {
                    !d.is_empty()
                        && d.bytes().all(|b| b.is_ascii_digit())
                        && (*d == "0" || !d.starts_with('0'))
                });
                let axis = digits.and_then(|d| d.parse().ok());
                axis.map(Dim::Axis).ok_or_else(|| UnknownDim(word.to_owned()))
            }
        }
    }
}

/// One number for each out-dimension of a layout, in the layout's order. Behaves as a slice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Coordinates {
    values: [u32; MAX_RANK],
    len: u8,
}

impl Coordinates {
    /// No coordinates: those of a scalar.
    pub(crate) const EMPTY: Coordinates = Coordinates {
        values: [0; MAX_RANK],
        len: 0,
    };

    /// Appends one coordinate; one past [`MAX_RANK`] is dropped, which no valid layout has.
    pub(crate) fn push(&mut self, value: u32) {
        if let Some(slot) = self.values.get_mut(usize::from(self.len)) {
            *slot = value;
            self.len += 1;
        }
    }
}

impl Deref for Coordinates {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        self.values.get(..usize::from(self.len)).unwrap_or(&self.values)
    }
}

impl fmt::Debug for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
