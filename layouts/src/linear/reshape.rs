//! Reshaping: the same elements and positions with other dimensions.
//!
//! Dimensions are always kept in the order of [`Dim`], so that a transposition is not a change of the
//! order in which a layout lists them. It shows where it has a meaning: [`LinearLayout::permute_axes`]
//! gives axes other numbers.

use smallvec::{SmallVec, smallvec};

use super::LinearLayout;
use super::construct::{check_outs, log2};
use super::fields::{Columns, Side, Sides};
use crate::dim::{Dim, MAX_RANK};
use crate::error::LayoutError;

impl LinearLayout {
    /// Flattens all in-dimensions to one: registers are the lowest bits, then lanes, warps and
    /// blocks.
    ///
    /// # Errors
    /// There are more input bits than one dimension can have.
    pub fn flatten_ins(&self, dim: Dim) -> Result<LinearLayout, LayoutError> {
        self.reshaped_ins(smallvec![Side::new(dim, self.total_in_bits() as u8)])
    }

    /// The layout with its positions counted along other in-dimensions: positions keep their number, in
    /// which registers are the lowest bits, then lanes, warps and blocks, and of the new dimensions the
    /// first one listed.
    ///
    /// # Errors
    /// A size is not a power of two, a dimension is named twice, or the number of positions changes.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let threads = LinearLayout::identity_1d(128, Dim::Lane, Dim::Axis(0))?;
    /// let warps = threads.reshape_ins(&[(Dim::Lane, 32), (Dim::Warp, 4)])?;
    /// assert_eq!(*warps.at(0, 5, 2, 0), [69]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn reshape_ins(&self, dims: &[(Dim, u32)]) -> Result<LinearLayout, LayoutError> {
        let ins = sides(dims)?;
        check_count(&ins, self.total_in_bits())?;
        self.reshaped_ins(ins)
    }

    /// Flattens all out-dimensions to one, row major: the last axis varies fastest. With
    /// [`Dim::Offset`] it is the layout of positions in a row-major buffer.
    ///
    /// # Errors
    /// There are more output bits than one dimension can have.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let layout = LinearLayout::from_parts(&[(Dim::Lane, vec![vec![1, 0], vec![0, 1]])], &[2, 2])?;
    /// let offsets = layout.flatten_outs(Dim::Offset)?;
    /// assert_eq!(*offsets.at(0, 1, 0, 0), [2]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn flatten_outs(&self, dim: Dim) -> Result<LinearLayout, LayoutError> {
        self.with_outs(smallvec![Side::new(dim, self.total_out_bits() as u8)])
    }

    /// The layout of the tensor reshaped to `shape`: elements keep their row-major index, in which the
    /// last axis varies fastest. No value moves.
    ///
    /// # Errors
    /// A size is not a power of two, or the number of elements changes.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let flat = LinearLayout::identity_1d(32, Dim::Lane, Dim::Axis(0))?;
    /// assert_eq!(*flat.reshape_outs(&[4, 8])?.at(0, 13, 0, 0), [1, 5]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn reshape_outs(&self, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
        if shape.len() > MAX_RANK {
            return Err(LayoutError::RankTooLarge { rank: shape.len() });
        }
        let outs: SmallVec<[(Dim, u32); 8]> = (0..).map(Dim::Axis).zip(shape.iter().copied()).collect();
        self.reshape_out_dims(&outs)
    }

    /// Like [`LinearLayout::reshape_outs`], with names for the new out-dimensions, the last one
    /// listed varying fastest.
    ///
    /// # Errors
    /// A size is not a power of two, a dimension is named twice, or the number of elements changes.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let bytes = LinearLayout::identity_1d(32, Dim::Lane, Dim::Offset)?;
    /// let memory = bytes.reshape_out_dims(&[(Dim::TmemLane, 8), (Dim::TmemColumn, 4)])?;
    /// assert_eq!(*memory.at(0, 13, 0, 0), [3, 1]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn reshape_out_dims(&self, dims: &[(Dim, u32)]) -> Result<LinearLayout, LayoutError> {
        let outs = sides(dims)?;
        check_count(&outs, self.total_out_bits())?;
        self.with_unsorted_outs(outs)
    }

    /// The layout of the transposed tensor whose axis `i` is axis `permutation[i]` of this one.
    ///
    /// # Errors
    /// Not a tensor, or not a permutation of its axes.
    pub fn permute_axes(&self, permutation: &[usize]) -> Result<LinearLayout, LayoutError> {
        self.require_tensor()?;
        check_permutation(permutation, self.outs.len())?;
        let new_name = |old: usize| permutation.iter().position(|entry| *entry == old).unwrap_or(old);
        let names: Vec<_> = (0..self.outs.len())
            .map(|old| Dim::Axis(new_name(old) as u8))
            .collect();
        self.rename_outs(&names)
    }

    /// The layout of the tensor with a new axis of size 1 before axis `at`.
    ///
    /// # Errors
    /// Not a tensor, `at` is above its rank, or its rank is already the largest possible.
    pub fn insert_axis(&self, at: usize) -> Result<LinearLayout, LayoutError> {
        self.require_tensor()?;
        if at > self.outs.len() {
            return Err(LayoutError::MissingDim {
                dim: Dim::Axis(at.min(255) as u8),
            });
        }
        let mut shape = self.shape();
        shape.insert(at, 1);
        self.reshape_outs(&shape)
    }

    /// The layout of the tensor without an axis of size 1; [`LinearLayout::slice`] makes one.
    ///
    /// # Errors
    /// Not a tensor, no such axis, or its size is not 1.
    pub fn remove_axis(&self, axis: usize) -> Result<LinearLayout, LayoutError> {
        let side = self.tensor_axis(axis)?;
        if side.bits > 0 {
            return Err(LayoutError::SizeMismatch {
                dim: side.dim,
                found: 1 << side.bits,
                expected: 1,
            });
        }
        let mut shape = self.shape();
        shape.remove(axis);
        self.reshape_outs(&shape)
    }

    /// The same columns under other in-dimensions of as many bits.
    fn reshaped_ins(&self, ins: Sides) -> Result<LinearLayout, LayoutError> {
        Self::assemble(
            ins,
            Columns::from_slice(&self.columns),
            Sides::from_slice(&self.outs),
        )
    }

    /// The same words with other out-dimensions of the same number of bits.
    fn with_outs(&self, outs: Sides) -> Result<LinearLayout, LayoutError> {
        check_outs(&outs)?;
        Ok(LinearLayout {
            ins: Sides::from_slice(&self.ins),
            outs,
            columns: Columns::from_slice(&self.columns),
        })
    }

    pub(crate) fn require_tensor(&self) -> Result<(), LayoutError> {
        if self.is_tensor() {
            Ok(())
        } else {
            Err(LayoutError::NotTensor)
        }
    }

    pub(super) fn tensor_axis(&self, axis: usize) -> Result<Side, LayoutError> {
        self.require_tensor()?;
        let missing = LayoutError::MissingDim {
            dim: Dim::Axis(axis.min(255) as u8),
        };
        self.outs.get(axis).copied().ok_or(missing)
    }
}

/// Dimensions of these sizes.
fn sides(dims: &[(Dim, u32)]) -> Result<Sides, LayoutError> {
    let side = |&(dim, size): &(Dim, u32)| Ok(Side::new(dim, log2(dim, u64::from(size))?));
    dims.iter().map(side).collect()
}

fn check_count(sides: &[Side], expected: u32) -> Result<(), LayoutError> {
    // Each dimension has at most 31 bits.
    let (found_bits, expected_bits) = (
        sides.iter().map(|side| usize::from(side.bits)).sum(),
        expected as usize,
    );
    if found_bits == expected_bits {
        Ok(())
    } else {
        Err(LayoutError::ElementCount {
            found_bits,
            expected_bits,
        })
    }
}

/// Checks that `permutation` names each of `0..len` once.
pub(crate) fn check_permutation(permutation: &[usize], len: usize) -> Result<(), LayoutError> {
    let complete = permutation.len() == len && (0..len).all(|index| permutation.contains(&index));
    if complete {
        Ok(())
    } else {
        Err(LayoutError::NotPermutation { len })
    }
}
