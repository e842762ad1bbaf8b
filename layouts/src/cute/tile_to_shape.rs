//! Repetition of a block to a shape.

use super::composed::Composed;
use super::error::{CuteError, Op};
use super::layout::LayoutOf;
use super::leaf::Leaf;
use super::tuple::{IntTuple, Nested};

impl<L: Leaf> LayoutOf<L> {
    /// Repeats the block up to the sizes of `target`, along its modes in the order of `order`
    /// (smallest number first), or from the first to the last without one.
    ///
    /// The number of blocks is rounded up where it is not [known](Leaf::STRICT) to be whole.
    ///
    /// The result has the rank of `target`, each mode `(block, rest)`: it is the
    /// [`LayoutOf::blocked_product`] with the number of blocks that fit. (CUTLASS: `tile_to_shape`.)
    ///
    /// # Errors
    /// A mode of the block does not divide that of the target, the block has more modes, or it has no
    /// complement ([`LayoutOf::complement`]).
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let atom: Layout = "(8,64):(64,1)".parse()?;
    /// let target = "(128,128)".parse()?;
    /// assert_eq!(
    ///     atom.tile_to_shape(&target, None)?.to_string(),
    ///     "((8,16),(64,2)):((64,512),(1,8192))"
    /// );
    /// let row_major = "(1,0)".parse()?;
    /// assert_eq!(
    ///     atom.tile_to_shape(&target, Some(&row_major))?.to_string(),
    ///     "((8,16),(64,2)):((64,1024),(1,512))"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tile_to_shape(
        &self,
        target: &Nested<L>,
        order: Option<&Nested<L>>,
    ) -> Result<LayoutOf<L>, CuteError> {
        let block = self.append_to_rank(target.rank())?;
        let mut repeats = Vec::with_capacity(target.rank());
        for (mode, target) in block.modes().zip(target.modes()) {
            let (left, right) = (target.product()?, mode.size()?);
            let count = match L::STRICT {
                true => left.exact_quotient(&right),
                false => left.ceil_div(&right).ok(),
            };
            let count = count.ok_or_else(|| CuteError::Divisibility {
                op: Op::TileToShape,
                left: left.shown(),
                right: right.shown(),
            })?;
            repeats.push(Nested::Leaf(count));
        }
        let repeats = match target.is_leaf() {
            true => repeats.pop().unwrap_or(Nested::Tuple(repeats)),
            false => Nested::Tuple(repeats),
        };
        let repeats = match order {
            Some(order) => LayoutOf::ordered(&repeats, order)?,
            None => LayoutOf::column_major(&repeats)?,
        };
        block.blocked_product(&repeats)
    }
}

impl Composed {
    /// Applies [`LayoutOf::tile_to_shape`] to the layout under the swizzle.
    ///
    /// Every copy of the block is swizzled like the first if the size of the block is a multiple of
    /// [`Swizzle::period`](super::Swizzle::period).
    ///
    /// # Errors
    /// Those of [`LayoutOf::tile_to_shape`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Composed;
    /// let atom: Composed = "Sw<3,3,3> o 0 o (8,64):(64,1)".parse()?;
    /// let tile = atom.tile_to_shape(&"(128,128)".parse()?, None)?;
    /// assert_eq!(tile.to_string(), "Sw<3,3,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tile_to_shape(&self, target: &IntTuple, order: Option<&IntTuple>) -> Result<Composed, CuteError> {
        self.map(|layout| layout.tile_to_shape(target, order))
    }
}
