//! The algebra of swizzled layouts: operations on the domain apply to the layout under the swizzle.

use super::composed::Composed;
use super::error::CuteError;
use super::layout::Layout;
use super::tiler::Tiler;

/// ```
/// use tilewright_layouts::cute::Composed;
/// let tile: Composed = "Sw<3,4,3> o 0 o (8,128):(128,1)".parse()?;
/// let chunks = tile.zipped_divide(&"[2:1;16:1]".parse()?)?;
/// assert_eq!(chunks.to_string(), "Sw<3,4,3> o 0 o ((2,16),(4,8)):((128,1),(256,16))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Composed {
    /// Applies [`Layout::composition`] to the layout under the swizzle: first `inner`, then `self`.
    ///
    /// # Errors
    /// Those of [`Layout::composition`].
    pub fn composition(&self, inner: &Layout) -> Result<Composed, CuteError> {
        self.map(|layout| layout.composition(inner))
    }

    /// Applies [`Layout::composition_by`] to the layout under the swizzle: first the tiler, by mode,
    /// then `self`.
    ///
    /// # Errors
    /// Those of [`Layout::composition_by`].
    pub fn composition_by(&self, tiler: &Tiler) -> Result<Composed, CuteError> {
        self.map(|layout| layout.composition_by(tiler))
    }

    /// Applies [`Layout::logical_divide`] to the layout under the swizzle: (tile, rest).
    ///
    /// # Errors
    /// Those of [`Layout::logical_divide`].
    pub fn logical_divide(&self, tiler: &Tiler) -> Result<Composed, CuteError> {
        self.map(|layout| layout.logical_divide(tiler))
    }

    /// Applies [`Layout::zipped_divide`] to the layout under the swizzle: the tile modes, then the
    /// rest modes.
    ///
    /// # Errors
    /// Those of [`Layout::zipped_divide`].
    pub fn zipped_divide(&self, tiler: &Tiler) -> Result<Composed, CuteError> {
        self.map(|layout| layout.zipped_divide(tiler))
    }

    /// Applies [`Layout::tiled_divide`] to the layout under the swizzle, with the rest modes
    /// unpacked.
    ///
    /// # Errors
    /// Those of [`Layout::tiled_divide`].
    pub fn tiled_divide(&self, tiler: &Tiler) -> Result<Composed, CuteError> {
        self.map(|layout| layout.tiled_divide(tiler))
    }

    /// Applies [`Layout::flat_divide`] to the layout under the swizzle, with all modes unpacked.
    ///
    /// # Errors
    /// Those of [`Layout::flat_divide`].
    pub fn flat_divide(&self, tiler: &Tiler) -> Result<Composed, CuteError> {
        self.map(|layout| layout.flat_divide(tiler))
    }

    /// Applies [`Layout::logical_product`] to the layout under the swizzle: the block and its copies,
    /// under one swizzle.
    ///
    /// # Errors
    /// Those of [`Layout::logical_product`].
    pub fn logical_product(&self, tiler: &Tiler) -> Result<Composed, CuteError> {
        self.map(|layout| layout.logical_product(tiler))
    }

    /// Applies [`Layout::zipped_product`] to the layout under the swizzle: the modes of the block,
    /// then those of the copies.
    ///
    /// # Errors
    /// Those of [`Layout::zipped_product`].
    pub fn zipped_product(&self, tiler: &Tiler) -> Result<Composed, CuteError> {
        self.map(|layout| layout.zipped_product(tiler))
    }

    /// Applies [`Layout::tiled_product`] to the layout under the swizzle, with the modes of the
    /// copies unpacked.
    ///
    /// # Errors
    /// Those of [`Layout::tiled_product`].
    pub fn tiled_product(&self, tiler: &Tiler) -> Result<Composed, CuteError> {
        self.map(|layout| layout.tiled_product(tiler))
    }

    /// Applies [`Layout::flat_product`] to the layout under the swizzle, with all modes unpacked.
    ///
    /// # Errors
    /// Those of [`Layout::flat_product`].
    pub fn flat_product(&self, tiler: &Tiler) -> Result<Composed, CuteError> {
        self.map(|layout| layout.flat_product(tiler))
    }

    /// Applies [`Layout::blocked_product`] to the layout under the swizzle: by mode, the block
    /// innermost.
    ///
    /// # Errors
    /// Those of [`Layout::blocked_product`].
    pub fn blocked_product(&self, tiler: &Layout) -> Result<Composed, CuteError> {
        self.map(|layout| layout.blocked_product(tiler))
    }

    /// Applies [`Layout::raked_product`] to the layout under the swizzle: by mode, the copies
    /// innermost.
    ///
    /// # Errors
    /// Those of [`Layout::raked_product`].
    pub fn raked_product(&self, tiler: &Layout) -> Result<Composed, CuteError> {
        self.map(|layout| layout.raked_product(tiler))
    }
}
