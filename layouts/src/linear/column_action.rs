//! Permutation and removal of the bits of one in-dimension, for a layout and for the values in it.

use std::fmt;

use smallvec::SmallVec;

use super::LinearLayout;
use super::fields::{Columns, Sides};
use crate::dim::{Dim, MAX_DIM_BITS};
use crate::error::LayoutError;

/// A selection and permutation of the bits of one in-dimension: bit `i` of the new numbering is bit
/// `selected[i]` of the old one; old bits that are not selected are 0.
///
/// It applies to a layout's basis vectors ([`ColumnAction::apply`]) and to the values at its
/// positions ([`ColumnAction::apply_to`]) consistently: if value `r` is in register `r` of a layout,
/// then after both, value `r` is in register `r` of the new layout.
///
/// # Example
/// ```
/// use tilewright_layouts::{ColumnAction, Dim, LinearLayout};
/// let layout = LinearLayout::identity_1d(8, Dim::Register, Dim::Axis(0))?;
/// let action = ColumnAction::new(Dim::Register, 3, &[2, 0, 1])?;
/// let values = action.apply_to(&[0, 1, 2, 3, 4, 5, 6, 7])?;
/// assert_eq!(values, [0, 4, 1, 5, 2, 6, 3, 7]);
/// assert_eq!(*action.apply(&layout)?.at(3, 0, 0, 0), [values[3]]);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnAction {
    dim: Dim,
    source_bits: u8,
    /// Distinct, each below `source_bits`.
    selected: SmallVec<[u8; 16]>,
}

impl ColumnAction {
    /// The action on `dim`, of `source_bits` bits, whose bit `i` is bit `selected[i]` of the old.
    ///
    /// # Errors
    /// There are more bits than a dimension can have, or a bit is selected twice or does not exist.
    pub fn new(dim: Dim, source_bits: u32, selected: &[usize]) -> Result<ColumnAction, LayoutError> {
        if source_bits > MAX_DIM_BITS {
            return Err(LayoutError::DimTooLarge {
                dim,
                bits: source_bits as usize,
            });
        }
        for (index, bit) in selected.iter().enumerate() {
            let twice = selected.iter().take(index).any(|known| known == bit);
            if twice || *bit >= source_bits as usize {
                return Err(LayoutError::BitSelection {
                    dim,
                    bit: *bit as u64,
                    bits: source_bits,
                });
            }
        }
        Ok(Self::of(dim, source_bits, selected.iter().copied()))
    }

    /// The identity action.
    ///
    /// # Errors
    /// There are more bits than a dimension can have.
    pub fn identity(dim: Dim, bits: u32) -> Result<ColumnAction, LayoutError> {
        let selected: SmallVec<[usize; 32]> = (0..bits.min(MAX_DIM_BITS + 1) as usize).collect();
        Self::new(dim, bits, &selected)
    }

    /// The action that drops the bits of `dim` without influence in `layout`: of positions that
    /// differ in such bits only, the first is kept.
    ///
    /// ```
    /// # use tilewright_layouts::{ColumnAction, Dim, LinearLayout};
    /// let copies = LinearLayout::from_parts(&[(Dim::Register, vec![vec![0], vec![1]])], &[2])?;
    /// let action = ColumnAction::drop_copies(&copies, Dim::Register);
    /// assert_eq!(action.apply_to(&["a", "a", "b", "b"])?, ["a", "b"]);
    /// let back: Vec<_> = action.expand(&["a", "b"])?.copied().collect();
    /// assert_eq!(back, ["a", "a", "b", "b"]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn drop_copies(layout: &LinearLayout, dim: Dim) -> ColumnAction {
        let copies = layout.copy_mask(dim);
        let bits = layout.in_bits(dim);
        let kept = (0..bits as usize).filter(|bit| copies >> bit & 1 == 0);
        Self::of(dim, bits, kept)
    }

    /// The action that moves the bits of `dim` that step by 1, 2, 4, … along `out` only to the front.
    /// The other bits keep their order.
    ///
    /// It maximises [`LinearLayout::num_consecutive`] among the permutations of these bits.
    ///
    /// ```
    /// # use tilewright_layouts::{ColumnAction, Dim, LinearLayout};
    /// let layout = LinearLayout::from_parts(&[(Dim::Register, vec![vec![4], vec![2], vec![1]])], &[8])?;
    /// let action = ColumnAction::contiguous_first(&layout, Dim::Register, Dim::Axis(0));
    /// assert_eq!(action.apply(&layout)?, LinearLayout::identity_1d(8, Dim::Register, Dim::Axis(0))?);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn contiguous_first(layout: &LinearLayout, dim: Dim, out: Dim) -> ColumnAction {
        let columns = layout.columns_of(dim);
        let shift = layout.out_shift(out);
        let bits = layout.out_bits(out).unwrap_or(0);
        let find = |bit: u32| columns.iter().position(|column| *column == 1 << (shift + bit));
        let first: SmallVec<[usize; 32]> = (0..bits).map_while(find).collect();
        let rest = (0..columns.len()).filter(|index| !first.contains(index));
        Self::of(dim, columns.len() as u32, first.iter().copied().chain(rest))
    }

    /// Of bits known to be distinct and below `source_bits`, which is at most 31.
    fn of(dim: Dim, source_bits: u32, selected: impl Iterator<Item = usize>) -> ColumnAction {
        ColumnAction {
            dim,
            source_bits: source_bits as u8,
            selected: selected.map(|bit| bit as u8).collect(),
        }
    }

    /// The in-dimension.
    pub fn dim(&self) -> Dim {
        self.dim
    }

    /// The number of bits before the action.
    pub fn source_bits(&self) -> u32 {
        u32::from(self.source_bits)
    }

    /// The number of bits after the action.
    pub fn target_bits(&self) -> u32 {
        self.selected.len() as u32
    }

    /// For each bit of the new numbering, its index in the old one.
    pub fn selected(&self) -> impl Iterator<Item = u32> + '_ {
        self.selected.iter().map(|bit| u32::from(*bit))
    }

    /// Whether it is the identity.
    pub fn is_identity(&self) -> bool {
        self.is_permutation() && self.selected().eq(0..self.target_bits())
    }

    /// Whether no bit is dropped.
    pub fn is_permutation(&self) -> bool {
        self.selected.len() == usize::from(self.source_bits)
    }

    /// The position in the old numbering of position `index` in the new one. Bits of `index` past
    /// [`ColumnAction::target_bits`] are ignored.
    pub fn source(&self, index: u32) -> u32 {
        let bits = self.selected().zip(0..);
        bits.fold(0, |sum, (old, new)| sum | (index >> new & 1) << old)
    }

    /// Applies the action to a layout.
    ///
    /// # Errors
    /// The size of the layout's dimension differs from that of the action.
    pub fn apply(&self, layout: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        if layout.in_bits(self.dim) != self.source_bits() {
            return Err(LayoutError::SizeMismatch {
                dim: self.dim,
                found: u64::from(layout.in_size(self.dim)),
                expected: 1 << self.source_bits,
            });
        }
        let mut ins = Sides::new();
        let mut columns = Columns::with_capacity(layout.columns.len());
        for side in &layout.ins {
            let old = layout.columns_of(side.dim);
            let mut side = *side;
            if side.dim == self.dim {
                side.bits = self.selected.len() as u8;
                columns.extend(
                    self.selected
                        .iter()
                        .filter_map(|bit| old.get(usize::from(*bit)).copied()),
                );
            } else {
                columns.extend_from_slice(old);
            }
            if side.bits > 0 {
                ins.push(side);
            }
        }
        Ok(LinearLayout {
            ins,
            outs: Sides::from_slice(&layout.outs),
            columns,
        })
    }

    /// Applies the action to values: value `i` of the result is value
    /// [`source(i)`](ColumnAction::source). Time: one step for each value of the result.
    ///
    /// # Errors
    /// The number of values differs from the number of positions in the old numbering.
    pub fn apply_to<T: Clone>(&self, values: &[T]) -> Result<Vec<T>, LayoutError> {
        check_len(values.len(), self.source_bits())?;
        let sources = (0..1u32 << self.target_bits()).map(|index| self.source(index) as usize);
        Ok(sources.filter_map(|source| values.get(source).cloned()).collect())
    }

    /// The inverse on values: position `i` of the old numbering gets the value of the position with
    /// the selected bits of `i`; dropped bits select replicas.
    ///
    /// [`ColumnAction::apply_to`] of the result gives `values` again. If the dropped bits have no
    /// influence in a layout, `apply_to` followed by `expand` is the identity.
    ///
    /// # Errors
    /// The number of values differs from the number of positions in the new numbering.
    pub fn expand<'a, T>(&'a self, values: &'a [T]) -> Result<impl Iterator<Item = &'a T>, LayoutError> {
        check_len(values.len(), self.target_bits())?;
        let target = |old: u32| {
            let bits = self.selected().zip(0..);
            bits.fold(0, |sum, (from, to)| sum | (old as usize >> from & 1) << to)
        };
        Ok((0..1u32 << self.source_bits).filter_map(move |old| values.get(target(old))))
    }

    /// The inverse action, if no bit is dropped.
    pub fn inverse(&self) -> Option<ColumnAction> {
        let new_of = |old| self.selected.iter().position(|bit| *bit == old);
        let selected = (0..self.source_bits).map(new_of);
        Some(ColumnAction {
            dim: self.dim,
            source_bits: self.source_bits,
            selected: selected
                .map(|bit| bit.map(|bit| bit as u8))
                .collect::<Option<_>>()?,
        })
    }

    /// The composition: this action, then `next`.
    ///
    /// # Errors
    /// `next` acts on another dimension, or on another number of bits.
    pub fn then(&self, next: &ColumnAction) -> Result<ColumnAction, LayoutError> {
        if next.dim != self.dim {
            return Err(LayoutError::MissingDim { dim: next.dim });
        }
        if next.source_bits() != self.target_bits() {
            return Err(LayoutError::SizeMismatch {
                dim: self.dim,
                found: 1 << self.target_bits(),
                expected: 1 << next.source_bits,
            });
        }
        let selected = next
            .selected
            .iter()
            .filter_map(|bit| self.selected.get(usize::from(*bit)));
        Ok(ColumnAction {
            dim: self.dim,
            source_bits: self.source_bits,
            selected: selected.copied().collect(),
        })
    }
}

impl fmt::Display for ColumnAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let selected: SmallVec<[u32; 32]> = self.selected().collect();
        write!(
            f,
            "{} {:?} of {} bits",
            self.dim,
            selected.as_slice(),
            self.source_bits
        )
    }
}

fn check_len(found: usize, bits: u32) -> Result<(), LayoutError> {
    // At most 31 bits.
    let expected = 1 << bits;
    if found == expected {
        Ok(())
    } else {
        Err(LayoutError::LengthMismatch { found, expected })
    }
}
