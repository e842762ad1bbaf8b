//! Layouts that differ only by a register permutation.

use super::LinearLayout;
use super::column_action::ColumnAction;
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::span::Span;

/// For each register of a result, its source register in the operand, the same in every thread.
/// Linear: the source of `a ^ b` is the exclusive or of the sources.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegisterMap {
    /// The source of each power of two.
    images: Vec<u32>,
    /// Registers of the operand, as a power of two.
    source_bits: u32,
}

impl RegisterMap {
    /// The map from bit `i` of a register of the result to `images[i]`, a register of an operand of
    /// `2^source_bits` registers.
    pub(crate) fn new(images: Vec<u32>, source_bits: u32) -> RegisterMap {
        RegisterMap { images, source_bits }
    }

    /// The number of registers of the result.
    pub fn len(&self) -> u32 {
        1 << self.images.len()
    }

    /// Always false: a thread has at least one register of every tile.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The source of `register`.
    pub fn source(&self, register: u32) -> u32 {
        let bits = self.images.iter().enumerate();
        bits.fold(0, |sum, (bit, image)| {
            if register >> bit & 1 == 1 {
                sum ^ image
            } else {
                sum
            }
        })
    }

    /// The sources of registers 0, 1, … of the result.
    pub fn sources(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|register| self.source(register))
    }

    /// Whether it is the identity.
    pub fn is_identity(&self) -> bool {
        self.images.len() == self.source_bits as usize
            && self
                .images
                .iter()
                .enumerate()
                .all(|(bit, image)| *image == 1 << bit)
    }
}

impl LinearLayout {
    /// The register permutation from `source` to `self`, if the lane, warp and block parts agree and
    /// every value is in the thread; `None` if a value would have to leave its thread.
    ///
    /// Exact: it is `Some` if and only if one register map is valid for all threads. Replicas are
    /// taken from the smallest register.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let d = Dim::Axis(0);
    /// let up = LinearLayout::from_bases(&[(Dim::Register, vec![vec![1], vec![2]])], &[(d, 4)])?;
    /// let swapped = LinearLayout::from_bases(&[(Dim::Register, vec![vec![2], vec![1]])], &[(d, 4)])?;
    /// let map = swapped.registers_from(&up).unwrap();
    /// assert_eq!(map.sources().collect::<Vec<_>>(), [0, 2, 1, 3]);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn registers_from(&self, source: &LinearLayout) -> Option<RegisterMap> {
        self.same_outs(source).ok()?;
        let other_dims = |layout: &LinearLayout| -> Vec<Dim> {
            layout
                .ins
                .iter()
                .map(|side| side.dim)
                .filter(|dim| *dim != Dim::Register)
                .collect()
        };
        let agree = |dim: &Dim| {
            let (ours, theirs) = (self.columns_of(*dim), source.columns_of(*dim));
            let common = ours.len().min(theirs.len());
            let rest = |columns: &[u64]| columns.iter().skip(common).all(|column| *column == 0);
            ours.iter().zip(theirs).all(|(a, b)| a == b) && rest(ours) && rest(theirs)
        };
        if !other_dims(self).iter().chain(&other_dims(source)).all(agree) {
            return None;
        }
        let span = Span::of(source.columns_of(Dim::Register).iter().copied());
        let images = self.columns_of(Dim::Register).iter().map(|column| {
            // A solution is a set of register bits, of which there are at most 31.
            span.solve(*column).and_then(|bits| u32::try_from(bits).ok())
        });
        Some(RegisterMap {
            images: images.collect::<Option<_>>()?,
            source_bits: source.in_bits(Dim::Register),
        })
    }

    /// Whether the two layouts give every thread the same elements, possibly in other registers or
    /// with other replication.
    pub fn equal_up_to_registers(&self, other: &LinearLayout) -> bool {
        self.registers_from(other).is_some() && other.registers_from(self).is_some()
    }

    /// The layout with the basis vectors of one in-dimension reordered: bit `i` of the new numbering is
    /// bit `permutation[i]` of the old. With a [`ColumnAction`] values can be reordered along.
    ///
    /// # Errors
    /// Not a permutation of the bits of `dim`.
    pub fn permute_bits(&self, dim: Dim, permutation: &[usize]) -> Result<LinearLayout, LayoutError> {
        let bits = self.in_bits(dim);
        if permutation.len() != bits as usize {
            return Err(LayoutError::NotPermutation { len: bits as usize });
        }
        ColumnAction::new(dim, bits, permutation)?.apply(self)
    }

    /// The layout without the bits of `dim` that have no influence, the others moved down. With
    /// [`Dim::Register`], each thread keeps one of each set of replicas that differ in such bits:
    /// register `r` of the result is the register of this layout whose bits, other than those in
    /// [`LinearLayout::copy_mask`], are the bits of `r` in order. [`ColumnAction::drop_copies`] is
    /// the corresponding action on values.
    pub fn drop_copies(&self, dim: Dim) -> LinearLayout {
        let dropped = ColumnAction::drop_copies(self, dim).apply(self);
        // The action is made for this layout, so it applies.
        dropped.unwrap_or_else(|_| self.clone())
    }
}
