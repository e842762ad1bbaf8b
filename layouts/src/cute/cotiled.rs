//! Tiled copies that follow from where their data is.

use super::error::CuteError;
use super::layout::LayoutOf;
use super::leaf::Leaf;
use super::tiled_copy::{CopyAtomOf, TiledCopyOf};
use super::tiler::TilerOf;
use super::tuple::Nested;

impl<L: Leaf> TiledCopyOf<L> {
    /// The tiled copy of data by threads whose values are at fixed addresses: `addresses` maps (thread, value) to an address,
    /// and `data` a coordinate to an address. Its tile is made of the coordinates at those addresses. (CUTLASS:
    /// `make_cotiled_copy`.)
    ///
    /// # Errors
    /// `data` has no left inverse, the addresses are not among those of the data, or the threads and values are no multiple
    /// of the instruction's.
    ///
    /// ```
    /// use tilewright_layouts::cute::{CopyAtom, TiledCopyOf};
    /// // Each of 4 threads has 8 neighbours; the data is row-major.
    /// let copy = TiledCopyOf::cotiled(
    ///     CopyAtom::vector(8)?, &"(4,8):(8,1)".parse()?, &"(2,32):(32,1)".parse()?)?;
    /// // The columns in the order of threads and values.
    /// assert_eq!(copy.tiler().to_string(), "[1:0;(4,8):(8,1)]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cotiled(
        atom: CopyAtomOf<L>,
        addresses: &LayoutOf<L>,
        data: &LayoutOf<L>,
    ) -> Result<TiledCopyOf<L>, CuteError> {
        // From (thread, value) to a flat coordinate of the data.
        let inverse = LayoutOf::from_modes([data.left_inverse()?, LayoutOf::unit()]);
        let placed = inverse.composition(addresses)?;
        // Of each mode the coordinates that occur.
        let extents = data.shape().product_each()?;
        let count = extents.rank();
        let tiles = (0..count).map(|mode| {
            let strides = (0..count).map(|other| Nested::Leaf(L::from(u64::from(other == mode)).into()));
            let along = LayoutOf::new(extents.clone(), Nested::Tuple(strides.collect()))?;
            Ok(along.composition(&placed)?.filter())
        });
        let tiles = tiles.collect::<Result<Vec<LayoutOf<L>>, CuteError>>()?;
        let tiler = TilerOf::Modes(tiles.into_iter().map(TilerOf::Layout).collect());
        let tile = LayoutOf::column_major(&extents)?.composition_by(&tiler)?;
        let layout = tile.left_inverse()?.composition(&placed)?;
        TiledCopyOf::new(atom, layout, tiler)
    }
}
