//! Products: repetition of a layout.

use super::error::{CuteError, Op};
use super::layout::LayoutOf;
use super::leaf::{Leaf, Stride};
use super::tiler::TilerOf;
use super::tuple::Nested;

impl<L: Leaf> LayoutOf<L> {
    /// Repeats the layout as a block over the tiler: `(self, self* ∘ t)`, where `self*` is the
    /// complement of the block in `size(self) * cosize(t)`. A tiler by mode repeats each mode; modes
    /// that it lacks or has `_` for are unchanged. (CUTLASS documentation: *CuTe Layout Algebra*,
    /// Product. `pycute` divides where the tiler is an integer.) A block of [types](Leaf::STRICT) is
    /// static, as in NVIDIA's library.
    ///
    /// # Errors
    /// Those of [`LayoutOf::complement`] of the layout and of [`LayoutOf::composition`]; or the tiler has
    /// more modes than the layout.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let block: Layout = "(2,2):(4,1)".parse()?;
    /// let tiler = "6:1".parse()?;
    /// assert_eq!(block.logical_product(&tiler)?.to_string(), "((2,2),(2,3)):((4,1),(2,8))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn logical_product(&self, tiler: &TilerOf<L>) -> Result<LayoutOf<L>, CuteError> {
        match tiler {
            TilerOf::All => Ok(self.clone()),
            TilerOf::Layout(tiler) => self.repeated(tiler),
            TilerOf::Modes(tilers) => {
                self.by_mode(tilers, Op::Product, &|mode, tiler| mode.logical_product(tiler))
            }
        }
    }

    fn repeated(&self, tiler: &LayoutOf<L>) -> Result<LayoutOf<L>, CuteError> {
        let leaves = self
            .tree()
            .leaves()
            .flat_map(|mode| [&mode.shape, mode.stride.factor()]);
        if !(L::STRICT || L::OPEN)
            && let Some(dynamic) = leaves.into_iter().find(|leaf| !leaf.is_static())
        {
            return Err(CuteError::NeedsStatic {
                op: Op::Product,
                value: dynamic.shown(),
            });
        }
        let free = match L::OPEN {
            true => self.intrinsic_complement()?,
            false => self.complement(&Nested::Leaf(self.size()?.times(&tiler.cosize()?)?))?,
        };
        let repeats = free.composition(tiler)?;
        Ok(LayoutOf::from_modes([self.clone(), repeats]))
    }

    /// Applies [`LayoutOf::logical_product`] and gathers the modes of the block in the first mode and
    /// those of the copies in the second.
    ///
    /// # Errors
    /// Those of [`LayoutOf::logical_product`].
    pub fn zipped_product(&self, tiler: &TilerOf<L>) -> Result<LayoutOf<L>, CuteError> {
        self.logical_product(tiler)?.unzip(tiler, Op::Product)
    }

    /// Applies [`LayoutOf::zipped_product`] and unpacks the second mode. A second mode of rank 1 is
    /// unchanged.
    ///
    /// # Errors
    /// Those of [`LayoutOf::logical_product`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let block: Layout = "(3,4):(4,1)".parse()?;
    /// let tiler = "(2,5):(1,2)".parse()?;
    /// assert_eq!(block.tiled_product(&tiler)?.to_string(), "((3,4),2,5):((4,1),12,24)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tiled_product(&self, tiler: &TilerOf<L>) -> Result<LayoutOf<L>, CuteError> {
        self.zipped_product(tiler)?.unpack(false)
    }

    /// Applies [`LayoutOf::zipped_product`] and unpacks both modes. A mode of rank 1 is unchanged.
    ///
    /// # Errors
    /// Those of [`LayoutOf::logical_product`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let block: Layout = "(3,4):(4,1)".parse()?;
    /// let tiler = "(2,5):(1,2)".parse()?;
    /// assert_eq!(block.flat_product(&tiler)?.to_string(), "(3,4,2,5):(4,1,12,24)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn flat_product(&self, tiler: &TilerOf<L>) -> Result<LayoutOf<L>, CuteError> {
        self.zipped_product(tiler)?.unpack(true)
    }

    /// The product by mode with the block innermost: `((M,TilerM),(N,TilerN),…)`. Each element of
    /// `tiler` is a copy of the block, whose elements stay adjacent. The operand of lower rank is
    /// padded with modes `1:0`.
    ///
    /// # Errors
    /// Those of [`LayoutOf::logical_product`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let block: Layout = "(3,4):(4,1)".parse()?;
    /// let tiler: Layout = "(2,5):(1,2)".parse()?;
    /// assert_eq!(block.blocked_product(&tiler)?.to_string(), "((3,2),(4,5)):((4,12),(1,24))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn blocked_product(&self, tiler: &LayoutOf<L>) -> Result<LayoutOf<L>, CuteError> {
        let (block, copies) = self.of_one_rank(tiler)?;
        block.zip(&copies)
    }

    /// The product by mode with the tiler innermost: `((TilerM,M),(TilerN,N),…)`. The copies of the
    /// block are interleaved element by element. NVIDIA's library coalesces each mode, and so do layouts
    /// of types.
    ///
    /// # Errors
    /// Those of [`LayoutOf::logical_product`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let block: Layout = "(3,4):(4,1)".parse()?;
    /// let tiler: Layout = "(2,5):(1,2)".parse()?;
    /// assert_eq!(block.raked_product(&tiler)?.to_string(), "((2,3),(5,4)):((12,4),(24,1))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn raked_product(&self, tiler: &LayoutOf<L>) -> Result<LayoutOf<L>, CuteError> {
        let (block, copies) = self.of_one_rank(tiler)?;
        let raked = copies.zip(&block)?;
        Ok(match L::STRICT {
            true => raked,
            false => LayoutOf::from_modes(raked.modes().map(|mode| mode.coalesce())),
        })
    }

    /// The block and the tiler, padded to the same rank.
    fn of_one_rank(&self, tiler: &LayoutOf<L>) -> Result<(LayoutOf<L>, LayoutOf<L>), CuteError> {
        let rank = self.rank().max(tiler.rank());
        let product = self
            .append_to_rank(rank)?
            .repeated(&tiler.append_to_rank(rank)?)?;
        Ok((product.mode(&[0])?, product.mode(&[1])?))
    }
}
