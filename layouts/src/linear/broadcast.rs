//! Layouts of a tensor after a reduction or a broadcast along an axis.

use std::iter::repeat_n;

use super::LinearLayout;
use super::construct::log2;
use super::fields::{Columns, Side, Sides, low_mask};
use crate::dim::Dim;
use crate::error::LayoutError;

/// The positions of the new elements of a broadcast axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// In new registers, above the thread's other registers: every thread holds all new elements.
    Registers,
    /// In lane bits, warp bits and then block bits that only select replicas, low bits first, and in
    /// new registers for the rest. No value moves either: threads that held replicas of one element
    /// now hold different elements, of equal value.
    CopiesFirst,
}

impl LinearLayout {
    /// The layout after a reduction that keeps the axis with size 1: every position that held an
    /// element of a row now holds (a replica of) its reduced element. Also the layout that a value
    /// needs so that broadcasting it along `axis` gives this layout without any movement.
    ///
    /// Positions are not renumbered; [`LinearLayout::drop_copies`] removes registers that have become
    /// replicas.
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
        let columns = columns.collect();
        let mut outs = Sides::from_slice(&self.outs);
        if let Some(side) = outs.get_mut(axis) {
            side.bits = 0;
        }
        Ok(LinearLayout {
            ins: Sides::from_slice(&self.ins),
            outs,
            columns,
        })
    }

    /// The layout after broadcasting the axis of size 1 to `size`. No value is moved or computed: a
    /// position of the result holds the value at the same position of the operand, without the new
    /// register bits.
    ///
    /// To broadcast into a given layout `wanted` instead, convert the operand to
    /// `wanted.slice(axis)`: its registers are then those of `wanted`.
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
        let bits = u32::from(log2(side.dim, u64::from(size))?);
        let widened = self.resize_out(side.dim, size)?;
        let low = self.out_shift(side.dim);
        let mut added = (0..bits).map(|bit| 1 << (low + bit));
        let mut columns = widened.columns;
        if spread == Spread::CopiesFirst {
            let groups = self
                .ins
                .iter()
                .flat_map(|side| repeat_n(side.dim, usize::from(side.bits)));
            let copies = columns.iter_mut().zip(groups);
            let free = copies
                .filter(|(column, dim)| **column == 0 && matches!(dim, Dim::Lane | Dim::Warp | Dim::Block));
            // `zip` asks the first of the two for its next item first, so no item of `added` is lost.
            free.zip(added.by_ref())
                .for_each(|((column, _), new)| *column = new);
        }
        let added: Columns = added.collect();
        let registers = self.in_bits(Dim::Register);
        columns.insert_many(registers as usize, added.iter().copied());
        let mut ins = Sides::from_slice(&self.ins);
        // At most 31 bits each.
        let bits = registers as u8 + added.len() as u8;
        match ins.iter_mut().find(|side| side.dim == Dim::Register) {
            Some(side) => side.bits = bits,
            None => ins.insert(0, Side::new(Dim::Register, bits)),
        }
        Self::assemble(ins, columns, widened.outs)
    }
}
