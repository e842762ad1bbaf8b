//! Shared-memory layouts with padding.

use super::Swizzled;
use crate::bank::{Access, BankCost, access_cost, check_bytes, check_vector};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// Lanes of a warp.
const LANES: usize = 32;

/// Unused elements after every so many elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Padding {
    /// After how many elements.
    pub interval: u32,
    /// How many elements are left unused there.
    pub amount: u32,
}

/// A linear layout of a buffer with unused elements in between.
///
/// Adding is not linear over GF(2), so that a padded buffer has no [`LinearLayout`]. It has two parts:
/// a linear layout from [`Dim::Offset`], counted as if there were no padding, to the tile's axes, and
/// the function
///
/// ```text
/// place(offset) = offset + sum over the paddings of amount * (offset / interval)
/// ```
///
/// from these offsets to places in memory, also in elements. It is strictly increasing; no padding
/// follows the last element. (Triton's padded shared layout, whose intervals and amounts are powers
/// of two; here they need not be.)
///
/// ```
/// use tilewright_layouts::{Dim, shared::Padded};
/// // Rows of 32 words with one unused word after each.
/// let rows = Padded::rows(&[32, 32], &[1, 0], 1)?;
/// assert_eq!(rows.place(32 * 2 + 5), 33 * 2 + 5);
/// assert_eq!(rows.offset(33 * 2 + 5), Some(32 * 2 + 5));
/// assert_eq!(rows.offset(32), None);
/// // A column is free of bank conflicts now.
/// let column = tilewright_layouts::LinearLayout::strided_1d(32, 32, Dim::Lane, Dim::Offset)?;
/// assert_eq!(rows.cost(&column, 1, 4)?.conflicts(), 0);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Padded {
    linear: LinearLayout,
    paddings: Vec<Padding>,
}

impl Padded {
    /// The buffer of this linear layout with these paddings.
    ///
    /// # Errors
    /// An interval is zero, or the buffer has 2^32 elements or more.
    pub fn new(linear: LinearLayout, paddings: &[Padding]) -> Result<Padded, LayoutError> {
        if paddings.iter().any(|padding| padding.interval == 0) {
            return Err(LayoutError::Parameter {
                name: "interval",
                value: 0,
                allowed: "1 or more",
            });
        }
        let padded = Padded {
            linear,
            paddings: paddings.to_vec(),
        };
        if padded.size() > u64::from(u32::MAX) {
            return Err(LayoutError::DimTooLarge {
                dim: Dim::Offset,
                bits: 33,
            });
        }
        Ok(padded)
    }

    /// A tile of this shape, plainly in this order of axes (fastest first), with `amount` unused elements
    /// after every row, which is to say after every run along axis `order[0]`.
    ///
    /// # Errors
    /// As [`Swizzled::to_linear`] and [`Padded::new`].
    pub fn rows(shape: &[u32], order: &[usize], amount: u32) -> Result<Padded, LayoutError> {
        let linear = Swizzled::plain(order).to_linear(shape)?;
        let row = order
            .first()
            .and_then(|axis| shape.get(*axis))
            .copied()
            .unwrap_or(1);
        Padded::new(
            linear,
            &[Padding {
                interval: row,
                amount,
            }],
        )
    }

    /// The tile of [`Padded::rows`] with the fewest unused elements for which the given accesses together
    /// take the fewest cycles. Each access is a layout from (register, lane, warp) to the axes and how
    /// many registers it moves at a time; the amount is a multiple of the widest of these, and below
    /// 128 bytes, after which the banks repeat.
    ///
    /// Time: at most 128 times that of [`Padded::cost`].
    ///
    /// # Errors
    /// As [`Padded::rows`] and [`Padded::cost`], or an access does not fit the tile.
    ///
    /// ```
    /// use tilewright_layouts::{Blocked, shared::Padded};
    /// let rows = Blocked::coalesced(&[32, 32], 1, &[1, 0], 4)?.to_linear(&[32, 32])?;
    /// let columns = Blocked::coalesced(&[32, 32], 1, &[0, 1], 4)?.to_linear(&[32, 32])?;
    /// let tile = Padded::cheapest_rows(&[32, 32], &[1, 0], &[(&rows, 1), (&columns, 1)], 4)?;
    /// assert_eq!(tile.paddings()[0].amount, 1);
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn cheapest_rows(
        shape: &[u32],
        order: &[usize],
        accesses: &[(&LinearLayout, u32)],
        element_bytes: u32,
    ) -> Result<Padded, LayoutError> {
        check_bytes(element_bytes)?;
        let step = accesses
            .iter()
            .map(|(_, vector)| *vector)
            .max()
            .unwrap_or(1)
            .max(1);
        let plain = Padded::rows(shape, order, 0)?;
        let to_offset = plain.linear.invert()?;
        let mut offsets = Vec::with_capacity(accesses.len());
        for (access, vector) in accesses {
            offsets.push((access.compose(&to_offset)?, *vector));
        }
        let mut best: Option<(u64, Padded)> = None;
        for amount in (0..128 / element_bytes).step_by(step as usize) {
            let tile = Padded::rows(shape, order, amount)?;
            let mut cycles = 0u64;
            for (access, vector) in &offsets {
                cycles = cycles.saturating_add(tile.cost(access, *vector, element_bytes)?.cycles);
            }
            if best.as_ref().is_none_or(|(fewest, _)| cycles < *fewest) {
                best = Some((cycles, tile));
            }
        }
        Ok(best.map_or(plain, |(_, tile)| tile))
    }

    /// The layout from offset, counted without padding, to the axes.
    pub fn linear(&self) -> &LinearLayout {
        &self.linear
    }

    /// The paddings.
    pub fn paddings(&self) -> &[Padding] {
        &self.paddings
    }

    /// The place in memory of an offset. Time: one step for each padding.
    pub fn place(&self, offset: u32) -> u64 {
        self.paddings.iter().fold(u64::from(offset), |place, padding| {
            let times = offset.checked_div(padding.interval).unwrap_or(0);
            place.saturating_add(u64::from(times) * u64::from(padding.amount))
        })
    }

    /// The offset at a place in memory; none if the place is unused or past the end. Time: one
    /// [`place`](Self::place) for each bit of an offset.
    pub fn offset(&self, place: u64) -> Option<u32> {
        let last = self.linear.in_size(Dim::Offset) - 1;
        let (mut low, mut high) = (0, last);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.place(middle) <= place {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        (self.place(low) == place).then_some(low)
    }

    /// Elements from the first to the last, both of them and all padding between them included.
    pub fn size(&self) -> u64 {
        self.place(self.linear.in_size(Dim::Offset) - 1).saturating_add(1)
    }

    /// The cost of moving a tile between registers and this buffer, one access for every `vector`
    /// registers of every warp. `offsets` maps (register, lane, warp) to [`Dim::Offset`] without
    /// padding, in elements of `element_bytes`.
    ///
    /// Padding moves different accesses differently, so that each is counted by itself, and the result
    /// is that of all warps. It is that of stores, and of loads but for those that pairs of lanes with equal
    /// addresses make cheaper ([`bank`](crate::bank)). Time: linear in the number of accesses.
    ///
    /// # Errors
    /// `offsets` has no [`Dim::Offset`], the width of an access is not a power of two from 1 to 16
    /// bytes, an access is not aligned to its width, an interval is not a multiple of `vector`,
    /// so that padding would lie within an access, or the registers of an access do not hold consecutive
    /// elements.
    pub fn cost(
        &self,
        offsets: &LinearLayout,
        vector: u32,
        element_bytes: u32,
    ) -> Result<BankCost, LayoutError> {
        check_bytes(element_bytes)?;
        check_bytes(vector.saturating_mul(element_bytes))?;
        if offsets.out_size(Dim::Offset).is_none() {
            return Err(LayoutError::MissingDim { dim: Dim::Offset });
        }
        if let Some(padding) = self
            .paddings
            .iter()
            .find(|padding| padding.amount > 0 && !padding.interval.is_multiple_of(vector))
        {
            return Err(LayoutError::Parameter {
                name: "interval",
                value: u64::from(padding.interval),
                allowed: "a multiple of the elements of an access",
            });
        }
        let flat = offsets.sublayout(&[Dim::Register, Dim::Lane, Dim::Warp], &[Dim::Offset]);
        check_vector(&flat, vector)?;
        let mut total = BankCost {
            cycles: 0,
            minimum: 0,
        };
        for warp in 0..flat.in_size(Dim::Warp) {
            for register in (0..flat.in_size(Dim::Register)).step_by(vector as usize) {
                let mut addresses = [0; LANES];
                for (lane, address) in (0..).zip(&mut addresses) {
                    let offset = flat.word_at(register, lane, warp, 0) as u32;
                    let byte = self.place(offset).saturating_mul(u64::from(element_bytes));
                    *address = u32::try_from(byte).map_err(|_| LayoutError::DimTooLarge {
                        dim: Dim::Offset,
                        bits: 33,
                    })?;
                }
                let cost = access_cost(Access::Store, &addresses, vector * element_bytes)?;
                total.cycles = total.cycles.saturating_add(cost.cycles);
                total.minimum = total.minimum.saturating_add(cost.minimum);
            }
        }
        Ok(total)
    }
}
