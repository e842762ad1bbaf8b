//! Words whose bits are grouped into dimensions, and rearrangement of the groups.

use smallvec::SmallVec;

use crate::dim::Dim;

/// A dimension with its number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Side {
    pub(super) dim: Dim,
    pub(super) bits: u8,
}

impl Side {
    pub(super) fn new(dim: Dim, bits: u8) -> Side {
        Side { dim, bits }
    }

    pub(super) fn bits(self) -> u32 {
        u32::from(self.bits)
    }
}

/// The dimensions of one side of a layout, stored inline up to the usual number.
pub(super) type Sides = SmallVec<[Side; 8]>;

/// The columns of a layout's matrix, stored inline up to the usual number.
pub(super) type Columns = SmallVec<[u64; 16]>;

/// A number with the lowest `bits` bits set; `bits` is below 64.
pub(super) fn low_mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// The number of bits of all dimensions.
pub(super) fn total_bits(sides: &[Side]) -> u32 {
    sides.iter().map(|side| side.bits()).sum()
}

/// Each dimension with its shift in a word whose first dimension is lowest.
pub(super) fn first_lowest(sides: &[Side]) -> impl Iterator<Item = (Side, u32)> + '_ {
    sides.iter().scan(0, |next, side| {
        let shift = *next;
        *next += side.bits();
        Some((*side, shift))
    })
}

/// Each dimension with its shift in a word whose last dimension is lowest.
pub(super) fn last_lowest(sides: &[Side]) -> impl Iterator<Item = (Side, u32)> + '_ {
    sides.iter().scan(total_bits(sides), |above, side| {
        *above -= side.bits();
        Some((*side, *above))
    })
}

/// The shift of `dim` in a word whose last dimension is lowest; `sides` ascend.
pub(super) fn shift_of(sides: &[Side], dim: Dim) -> u32 {
    let lower = sides.iter().rev().take_while(|side| side.dim > dim);
    lower.map(|side| side.bits()).sum()
}

/// The shift of `dim` in a word whose first dimension is lowest; `sides` ascend.
pub(super) fn in_shift_of(sides: &[Side], dim: Dim) -> u32 {
    let lower = sides.iter().take_while(|side| side.dim < dim);
    lower.map(|side| side.bits()).sum()
}

/// A map of words that moves groups of bits; bits in no group are dropped.
pub(super) struct Regroup {
    moves: SmallVec<[(u32, u64, u32); 8]>,
}

impl Regroup {
    /// From moves (source shift, number of bits, target shift).
    pub(super) fn new(moves: impl IntoIterator<Item = (u32, u32, u32)>) -> Regroup {
        let moves = moves
            .into_iter()
            .map(|(from, bits, to)| (from, low_mask(bits), to));
        Regroup {
            moves: moves.collect(),
        }
    }

    pub(super) fn apply(&self, word: u64) -> u64 {
        let part = |(from, mask, to): &(u32, u64, u32)| (word >> from & mask) << to;
        self.moves.iter().fold(0, |sum, moved| sum | part(moved))
    }
}
