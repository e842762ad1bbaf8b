//! Construction of linear layouts, and their limits.

use smallvec::smallvec;

use super::LinearLayout;
use super::fields::{Columns, Side, Sides, first_lowest, shift_of};
use crate::dim::{Dim, MAX_DIM_BITS, MAX_RANK, MAX_TOTAL_BITS};
use crate::error::LayoutError;

impl LinearLayout {
    /// The layout of a scalar: no dimensions on either side.
    ///
    /// It is the neutral element of [`LinearLayout::product`].
    pub fn empty() -> Self {
        LinearLayout {
            ins: Sides::new(),
            outs: Sides::new(),
            columns: Columns::new(),
        }
    }

    /// The identity on `size` indices: `L(x) = x`.
    ///
    /// # Errors
    /// `size` is not a power of two, or is above 2^31.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let lanes = LinearLayout::identity_1d(32, Dim::Lane, Dim::Axis(0))?;
    /// assert_eq!(*lanes.at(0, 13, 0, 0), [13]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn identity_1d(size: u32, input: Dim, output: Dim) -> Result<Self, LayoutError> {
        Self::strided_1d(size, 1, input, output)
    }

    /// `L(x) = stride * x` for `x` below `size`; the out-dimension is of size `size * stride`.
    ///
    /// # Errors
    /// `size` or `stride` is not a power of two, or their product is above 2^31.
    pub fn strided_1d(size: u32, stride: u32, input: Dim, output: Dim) -> Result<Self, LayoutError> {
        let count = log2(input, u64::from(size))?;
        let low = log2(output, u64::from(stride))?;
        let bits = u32::from(count) + u32::from(low);
        if bits > MAX_DIM_BITS {
            return Err(LayoutError::DimTooLarge {
                dim: output,
                bits: bits as usize,
            });
        }
        let columns = (0..count).map(|bit| 1 << (low + bit)).collect();
        Self::assemble(
            smallvec![Side::new(input, count)],
            columns,
            smallvec![Side::new(output, low + count)],
        )
    }

    /// `L(x) = 0`: all `size` positions hold element 0 of an out-dimension of `out_size`.
    ///
    /// # Errors
    /// A size is not a power of two, or is above 2^31.
    pub fn zeros_1d(size: u32, input: Dim, output: Dim, out_size: u32) -> Result<Self, LayoutError> {
        let count = log2(input, u64::from(size))?;
        let bits = log2(output, u64::from(out_size))?;
        Self::assemble(
            smallvec![Side::new(input, count)],
            smallvec![0; usize::from(count)],
            smallvec![Side::new(output, bits)],
        )
    }

    /// The layout with these basis vectors and these sizes of the out-dimensions.
    ///
    /// The vector at `bases[d].1[i]` is the value at position `2^i` along `bases[d].0`, one component
    /// for each entry of `outs`, in that order. The layout need not reach every output.
    ///
    /// # Errors
    /// Every reason in [`LayoutError`] from `NotPowerOfTwo` to `BasisOutOfRange`.
    pub fn from_bases(bases: &[(Dim, Vec<Vec<u32>>)], outs: &[(Dim, u32)]) -> Result<Self, LayoutError> {
        let outs: Vec<_> = outs.iter().map(|(dim, size)| (*dim, u64::from(*size))).collect();
        Self::checked(&widened(bases), &outs)
    }

    /// A tensor's layout from the integers of its text form: basis vectors and the tensor's shape.
    ///
    /// # Errors
    /// As [`LinearLayout::from_bases`]; it does not panic for any input.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LayoutError, LinearLayout};
    /// let layout = LinearLayout::from_parts(&[(Dim::Lane, vec![vec![0, 1], vec![1, 0]])], &[2, 2])?;
    /// assert_eq!(*layout.at(0, 2, 0, 0), [1, 0]);
    /// let wrong = LinearLayout::from_parts(&[], &[12]);
    /// assert_eq!(wrong, Err(LayoutError::NotPowerOfTwo { dim: Dim::Axis(0), size: 12 }));
    /// # Ok::<(), LayoutError>(())
    /// ```
    pub fn from_parts(bases: &[(Dim, Vec<Vec<u64>>)], shape: &[u64]) -> Result<Self, LayoutError> {
        if shape.len() > MAX_RANK {
            return Err(LayoutError::RankTooLarge { rank: shape.len() });
        }
        let outs: Vec<_> = (0..).map(Dim::Axis).zip(shape.iter().copied()).collect();
        Self::checked(bases, &outs)
    }

    /// [`LinearLayout::from_bases`] on integers of any size.
    pub(crate) fn checked(bases: &[(Dim, Vec<Vec<u64>>)], outs: &[(Dim, u64)]) -> Result<Self, LayoutError> {
        if outs.len() > MAX_RANK {
            return Err(LayoutError::RankTooLarge { rank: outs.len() });
        }
        let mut sides = Sides::new();
        for &(dim, size) in outs {
            sides.push(Side::new(dim, log2(dim, size)?));
        }
        check_outs(&sides)?;
        let mut sorted = Sides::from_slice(&sides);
        sorted.sort();
        let mut ins = Sides::new();
        let mut columns = Columns::new();
        for (dim, vectors) in bases {
            if vectors.len() > MAX_DIM_BITS as usize {
                return Err(LayoutError::DimTooLarge {
                    dim: *dim,
                    bits: vectors.len(),
                });
            }
            ins.push(Side::new(*dim, vectors.len() as u8));
            for (index, vector) in vectors.iter().enumerate() {
                if vector.len() != outs.len() {
                    let (found, expected) = (vector.len(), outs.len());
                    return Err(LayoutError::BasisLength {
                        dim: *dim,
                        index,
                        found,
                        expected,
                    });
                }
                let mut column = 0;
                for (&(out, size), &value) in outs.iter().zip(vector) {
                    if value >= size {
                        return Err(LayoutError::BasisOutOfRange {
                            dim: *dim,
                            index,
                            out,
                            value,
                            size,
                        });
                    }
                    column |= value << shift_of(&sorted, out);
                }
                columns.push(column);
            }
        }
        Self::assemble(ins, columns, sorted)
    }

    /// Brings a layout into canonical form and checks the limits. `columns` are grouped like `ins`,
    /// in any order of dimensions, and are output words for `outs` *sorted*.
    pub(super) fn assemble(
        mut ins: Sides,
        mut columns: Columns,
        mut outs: Sides,
    ) -> Result<Self, LayoutError> {
        check_outs(&outs)?;
        check_ins(&ins)?;
        outs.sort();
        if !ins.is_sorted() {
            let mut sorted = ins.clone();
            sorted.sort();
            let mut moved = Columns::with_capacity(columns.len());
            for side in &sorted {
                let found = first_lowest(&ins).find(|(known, _)| known.dim == side.dim);
                let start = found.map_or(0, |(_, start)| start as usize);
                let group = columns.get(start..start + usize::from(side.bits));
                moved.extend_from_slice(group.unwrap_or_default());
            }
            (ins, columns) = (sorted, moved);
        }
        ins.retain(|side| side.bits > 0);
        Ok(LinearLayout { ins, outs, columns })
    }
}

fn widened(bases: &[(Dim, Vec<Vec<u32>>)]) -> Vec<(Dim, Vec<Vec<u64>>)> {
    let widen = |vector: &Vec<u32>| vector.iter().copied().map(u64::from).collect();
    let vectors = |vectors: &Vec<Vec<u32>>| vectors.iter().map(widen).collect();
    bases.iter().map(|(dim, all)| (*dim, vectors(all))).collect()
}

/// The logarithm of a size that has to be a power of two.
pub(super) fn log2(dim: Dim, size: u64) -> Result<u8, LayoutError> {
    if !size.is_power_of_two() {
        return Err(LayoutError::NotPowerOfTwo { dim, size });
    }
    match size.ilog2() {
        bits if bits <= MAX_DIM_BITS => Ok(bits as u8),
        bits => Err(LayoutError::DimTooLarge {
            dim,
            bits: bits as usize,
        }),
    }
}

fn check_axis(dim: Dim) -> Result<(), LayoutError> {
    match dim {
        Dim::Axis(axis) if usize::from(axis) >= MAX_RANK => Err(LayoutError::RankTooLarge {
            rank: usize::from(axis) + 1,
        }),
        Dim::Axis(_)
        | Dim::Register
        | Dim::Lane
        | Dim::Warp
        | Dim::Block
        | Dim::Offset
        | Dim::TmemLane
        | Dim::TmemColumn => Ok(()),
    }
}

/// Checks the limits of an output side.
pub(super) fn check_outs(outs: &[Side]) -> Result<(), LayoutError> {
    if outs.len() > MAX_RANK {
        return Err(LayoutError::RankTooLarge { rank: outs.len() });
    }
    check_ins(outs)
}

/// Checks the limits of an input side, which has room for every dimension.
fn check_ins(sides: &[Side]) -> Result<(), LayoutError> {
    let mut bits = 0;
    for (index, side) in sides.iter().enumerate() {
        check_axis(side.dim)?;
        if sides.iter().take(index).any(|earlier| earlier.dim == side.dim) {
            return Err(LayoutError::DuplicateDim { dim: side.dim });
        }
        if side.bits() > MAX_DIM_BITS {
            return Err(LayoutError::DimTooLarge {
                dim: side.dim,
                bits: usize::from(side.bits),
            });
        }
        bits += usize::from(side.bits);
    }
    if bits > MAX_TOTAL_BITS as usize {
        Err(LayoutError::TooManyBits { bits })
    } else {
        Ok(())
    }
}
