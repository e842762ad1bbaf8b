//! Layouts of a tensor after its shape changed: reshape, permute, slice, insert, remove, broadcast.

use super::{LinearLayout, Side, low_mask};
use crate::dim::{Dim, MAX_RANK};
use crate::error::LayoutError;

/// Where the new elements of a broadcast axis go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// Every thread holds all of them, in new registers more major than its others: no thread has to
    /// hold anything that it did not hold before.
    Registers,
    /// Lane bits, warp bits and then block bits that so far only select copies are used first, low
    /// bits first, and new registers for the rest. No value moves either: the threads that held
    /// copies of one element now hold different ones, of equal value.
    CopiesFirst,
}

impl LinearLayout {
    /// The part of the map from `ins` to `outs`; dimensions that the layout does not have are ignored.
    ///
    /// ```
    /// # use tilewright_layouts::{Blocked, Dim};
    /// let layout = Blocked::coalesced(&[16, 64], 4, &[1, 0], 4)?.to_linear(&[16, 64])?;
    /// let columns_of_a_lane = layout.sublayout(&[Dim::Lane], &[Dim::Axis(1)]);
    /// assert_eq!(*columns_of_a_lane.at(0, 5, 0, 0), [20]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn sublayout(&self, ins: &[Dim], outs: &[Dim]) -> LinearLayout {
        let kept: Vec<Side> = self
            .outs
            .iter()
            .filter(|side| outs.contains(&side.dim))
            .copied()
            .collect();
        let project = |column: u64| {
            kept.iter().fold(0, |word, side| {
                let part = column >> self.out_shift(side.dim) & low_mask(u32::from(side.bits));
                word | part << super::shift_of(&kept, side.dim)
            })
        };
        let kept_ins: Vec<Side> = self
            .ins
            .iter()
            .filter(|side| ins.contains(&side.dim))
            .copied()
            .collect();
        let columns = kept_ins
            .iter()
            .flat_map(|side| self.columns_of(side.dim))
            .map(|column| project(*column))
            .collect();
        LinearLayout {
            ins: kept_ins,
            outs: kept,
            columns,
        }
    }

    /// Whether the layout is the identity on `dims`: an input along one of them goes to the equal
    /// output along the out-dimension of that name, and nothing else reaches these.
    pub fn is_trivial_over(&self, dims: &[Dim]) -> bool {
        let sized = |dim: &Dim| self.out_bits(*dim).unwrap_or(0) == self.in_bits(*dim);
        dims.iter().all(sized)
            && self.ins.iter().all(|side| {
                self.columns_of(side.dim)
                    .iter()
                    .enumerate()
                    .all(|(index, column)| {
                        dims.iter().all(|&dim| {
                            let bits = self.out_bits(dim).unwrap_or(0);
                            let part = column >> self.out_shift(dim) & low_mask(bits);
                            if side.dim == dim {
                                part == 1 << index
                            } else {
                                part == 0
                            }
                        }) && (!dims.contains(&side.dim) || column.count_ones() == 1)
                    })
            })
    }

    /// The layout with an in-dimension under another name.
    ///
    /// # Errors
    /// `to` is already an in-dimension, or is an axis number out of range.
    pub fn rename_in(&self, from: Dim, to: Dim) -> Result<LinearLayout, LayoutError> {
        let renamed = |(dim, columns)| (if dim == from { to } else { dim }, columns);
        Self::assemble(
            self.grouped().into_iter().map(renamed).collect(),
            self.outs.clone(),
        )
    }

    /// The layout with its out-dimensions renamed by `names`, one for each in order.
    ///
    /// # Errors
    /// There are not as many names as out-dimensions, or a name is used twice.
    pub fn rename_outs(&self, names: &[Dim]) -> Result<LinearLayout, LayoutError> {
        if names.len() != self.outs.len() {
            return Err(LayoutError::LengthMismatch {
                found: names.len(),
                expected: self.outs.len(),
            });
        }
        let bases: Vec<_> = self
            .ins
            .iter()
            .map(|side| (side.dim, self.wide_bases(side.dim)))
            .collect();
        let sizes = self
            .outs
            .iter()
            .zip(names)
            .map(|(side, name)| (*name, 1 << side.bits));
        Self::checked(&bases, &sizes.collect::<Vec<_>>())
    }

    /// All in-dimensions as one: registers are the lowest bits, then lanes, warps and blocks.
    ///
    /// # Errors
    /// There are more input bits than one dimension can have.
    pub fn flatten_ins(&self, dim: Dim) -> Result<LinearLayout, LayoutError> {
        Self::assemble(vec![(dim, self.columns.clone())], self.outs.clone())
    }

    /// All out-dimensions as one, row major: the last axis varies fastest. With [`Dim::Offset`] it is
    /// the layout of positions in a row-major buffer.
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
        self.with_outs(vec![Side {
            dim,
            bits: self.total_out_bits() as u8,
        }])
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
        let mut outs = Vec::with_capacity(shape.len());
        for (axis, size) in (0..).zip(shape) {
            let dim = Dim::Axis(axis);
            outs.push(Side {
                dim,
                bits: super::log2(dim, u64::from(*size))?,
            });
        }
        let found_bits = outs.iter().map(|side| usize::from(side.bits)).sum();
        let expected_bits = self.total_out_bits() as usize;
        if found_bits != expected_bits {
            return Err(LayoutError::ElementCount {
                found_bits,
                expected_bits,
            });
        }
        self.with_outs(outs)
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

    /// The layout of the tensor after a reduction that keeps the axis with size 1: every place that
    /// held an element of a row now holds (a copy of) the row's one element. Also the layout that a
    /// value has to have before broadcasting it along `axis` gives this layout without any movement.
    ///
    /// Positions and their numbering stay; [`LinearLayout::drop_copies`] removes registers that have
    /// become copies.
    ///
    /// # Errors
    /// Not a tensor, or no such axis.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let layout = LinearLayout::from_parts(&[(Dim::Lane, vec![vec![1, 0], vec![0, 1]])], &[2, 2])?;
    /// let rows = layout.slice(1)?;
    /// assert_eq!(rows.shape(), [2, 1]);
    /// assert_eq!(rows.at(0, 3, 0, 0), rows.at(0, 1, 0, 0));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn slice(&self, axis: usize) -> Result<LinearLayout, LayoutError> {
        let side = self.tensor_axis(axis)?;
        let low = self.out_shift(side.dim);
        let high = low + u32::from(side.bits);
        let columns = self
            .columns
            .iter()
            .map(|column| column >> high << low | column & low_mask(low));
        let mut outs = self.outs.clone();
        if let Some(side) = outs.get_mut(axis) {
            side.bits = 0;
        }
        Ok(LinearLayout {
            ins: self.ins.clone(),
            outs,
            columns: columns.collect(),
        })
    }

    /// The layout of the tensor after its axis of size 1 was broadcast to `size`. No value moves and
    /// none is computed: a position of the result holds the value at the same position of the operand,
    /// with the new register bits dropped.
    ///
    /// To broadcast into a given layout `wanted` instead, convert the operand to
    /// `wanted.slice(axis)`: register for register it then holds what `wanted` asks for.
    ///
    /// # Errors
    /// Not a tensor, no such axis, its size is not 1, or `size` is not a power of two.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout, Spread};
    /// let column = LinearLayout::from_parts(&[(Dim::Lane, vec![vec![1, 0], vec![0, 0]])], &[2, 1])?;
    /// let in_registers = column.broadcast(1, 4, Spread::Registers)?;
    /// assert_eq!(*in_registers.at(3, 1, 0, 0), [1, 3]);
    /// let in_lanes = column.broadcast(1, 4, Spread::CopiesFirst)?;
    /// assert_eq!(*in_lanes.at(0, 2, 0, 0), [0, 1]);
    /// assert_eq!(*in_lanes.at(1, 2, 0, 0), [0, 3]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn broadcast(&self, axis: usize, size: u32, spread: Spread) -> Result<LinearLayout, LayoutError> {
        let side = self.tensor_axis(axis)?;
        if side.bits > 0 {
            return Err(LayoutError::SizeMismatch {
                dim: side.dim,
                found: 1 << side.bits,
                expected: 1,
            });
        }
        let bits = super::log2(side.dim, u64::from(size))?;
        let low = self.out_shift(side.dim);
        let mut outs = self.outs.clone();
        if let Some(side) = outs.get_mut(axis) {
            side.bits = bits;
        }
        super::check_outs(&outs)?;
        let mut ins = self.grouped();
        for column in ins.iter_mut().flat_map(|(_, columns)| columns) {
            *column = (*column >> low) << (low + u32::from(bits)) | *column & low_mask(low);
        }
        let mut added = (0..bits).map(|bit| 1 << (low + u32::from(bit)));
        if spread == Spread::CopiesFirst {
            let copies = ins
                .iter_mut()
                .filter(|(dim, _)| matches!(dim, Dim::Lane | Dim::Warp | Dim::Block));
            let free = copies
                .flat_map(|(_, columns)| columns)
                .filter(|column| **column == 0);
            // `zip` asks the first of the two for its next item first: none of `added` is lost.
            free.zip(added.by_ref()).for_each(|(column, new)| *column = new);
        }
        match ins.iter_mut().find(|(dim, _)| *dim == Dim::Register) {
            Some((_, columns)) => columns.extend(added),
            None => ins.push((Dim::Register, added.collect())),
        }
        Self::assemble(ins, outs)
    }

    /// The layout without the bits of `dim` that have no influence, the others moved down. With
    /// [`Dim::Register`], each thread keeps one of each set of copies that differ in such bits:
    /// register `r` of the result is the register of this layout whose bits, other than those in
    /// [`LinearLayout::copy_mask`], are the bits of `r` in order.
    pub fn drop_copies(&self, dim: Dim) -> LinearLayout {
        let kept = |side: &Side| {
            let columns = self.columns_of(side.dim).iter().copied();
            columns
                .filter(|column| side.dim != dim || *column != 0)
                .collect::<Vec<_>>()
        };
        let mut layout = LinearLayout {
            ins: Vec::new(),
            outs: self.outs.clone(),
            columns: Vec::new(),
        };
        for side in &self.ins {
            let columns = kept(side);
            if !columns.is_empty() {
                layout.ins.push(Side {
                    dim: side.dim,
                    bits: columns.len() as u8,
                });
                layout.columns.extend(columns);
            }
        }
        layout
    }

    /// The same words under other out-dimensions of as many bits.
    fn with_outs(&self, outs: Vec<Side>) -> Result<LinearLayout, LayoutError> {
        super::check_outs(&outs)?;
        Ok(LinearLayout {
            ins: self.ins.clone(),
            outs,
            columns: self.columns.clone(),
        })
    }

    fn wide_bases(&self, dim: Dim) -> Vec<Vec<u64>> {
        self.bases(dim)
            .map(|vector| vector.iter().copied().map(u64::from).collect())
            .collect()
    }

    pub(crate) fn require_tensor(&self) -> Result<(), LayoutError> {
        if self.is_tensor() {
            Ok(())
        } else {
            Err(LayoutError::NotTensor)
        }
    }

    fn tensor_axis(&self, axis: usize) -> Result<Side, LayoutError> {
        self.require_tensor()?;
        let missing = LayoutError::MissingDim {
            dim: Dim::Axis(axis.min(255) as u8),
        };
        self.outs.get(axis).copied().ok_or(missing)
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
