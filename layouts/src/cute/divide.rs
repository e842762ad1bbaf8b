//! Dividing a layout into tiles.

use super::error::{CuteError, Op};
use super::layout::LayoutOf;
use super::leaf::Leaf;
use super::open;
use super::tiler::TilerOf;

impl<L: Leaf> LayoutOf<L> {
    /// Divides the layout into (tile, rest): its composition with `(t, t*)`, where `t` is the tile
    /// and `t*` its complement in the shape. A tiler by mode divides each mode; modes that it lacks
    /// or has `_` for are unchanged.
    ///
    /// `size` is rounded up to a multiple of the size of the tile where that does not divide the last
    /// mode. Where it does not divide another mode, the composition is refused: the C++ headers round
    /// up there and the result is a different function. (CUTLASS documentation: *CuTe Layout
    /// Algebra*, Division.)
    ///
    /// # Errors
    /// Those of [`LayoutOf::complement`] of the tile and of [`LayoutOf::composition`]; or the tiler has more
    /// modes than the layout.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(4,2,3):(2,1,8)".parse()?;
    /// let tile = "4:2".parse()?;
    /// assert_eq!(layout.logical_divide(&tile)?.to_string(), "((2,2),(2,3)):((4,1),(2,8))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn logical_divide(&self, tiler: &TilerOf<L>) -> Result<LayoutOf<L>, CuteError> {
        match tiler {
            TilerOf::All => Ok(self.clone()),
            TilerOf::Layout(tile) => {
                let rest = match L::OPEN {
                    true => open::rest(tile, &self.shape())?,
                    false => tile.complement(&self.coalesce().shape())?,
                };
                let both = LayoutOf::from_modes([tile.clone(), rest]);
                self.composition(&both)
            }
            TilerOf::Modes(tilers) => {
                self.by_mode(tilers, Op::Divide, &|mode, tiler| mode.logical_divide(tiler))
            }
        }
    }

    /// Applies [`LayoutOf::logical_divide`] and gathers the tile modes in the first mode and the rest
    /// modes in the second: `((BLK_A,BLK_B,…),(a,b,…,x,y))`. A mode with `_` as tiler has a tile
    /// `1:0`.
    ///
    /// # Errors
    /// Those of [`LayoutOf::logical_divide`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(9,(4,8)):(59,(13,1))".parse()?;
    /// let tile = "[3:3;(2,4):(1,8)]".parse()?;
    /// assert_eq!(
    ///     layout.zipped_divide(&tile)?.to_string(),
    ///     "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn zipped_divide(&self, tiler: &TilerOf<L>) -> Result<LayoutOf<L>, CuteError> {
        self.logical_divide(tiler)?.unzip(tiler, Op::Divide)
    }

    /// Applies [`LayoutOf::zipped_divide`] and unpacks the second mode: `((BLK_A,BLK_B,…),a,b,…,x,y)`.
    /// A second mode of rank 1 is unchanged.
    ///
    /// # Errors
    /// Those of [`LayoutOf::logical_divide`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(8,6):(1,8)".parse()?;
    /// let tile = "[4:1;3:1]".parse()?;
    /// assert_eq!(layout.tiled_divide(&tile)?.to_string(), "((4,3),2,2):((1,8),4,24)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tiled_divide(&self, tiler: &TilerOf<L>) -> Result<LayoutOf<L>, CuteError> {
        self.zipped_divide(tiler)?.unpack(false)
    }

    /// Applies [`LayoutOf::zipped_divide`] and unpacks both modes: `(BLK_A,BLK_B,…,a,b,…,x,y)`. A mode
    /// of rank 1 is unchanged.
    ///
    /// # Errors
    /// Those of [`LayoutOf::logical_divide`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(8,6):(1,8)".parse()?;
    /// let tile = "[4:1;3:1]".parse()?;
    /// assert_eq!(layout.flat_divide(&tile)?.to_string(), "(4,3,2,2):(1,8,4,24)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn flat_divide(&self, tiler: &TilerOf<L>) -> Result<LayoutOf<L>, CuteError> {
        self.zipped_divide(tiler)?.unpack(true)
    }

    /// Applies `change` to each mode that has a tiler; the others are unchanged.
    pub(super) fn by_mode(
        &self,
        tilers: &[TilerOf<L>],
        op: Op,
        change: &impl Fn(&LayoutOf<L>, &TilerOf<L>) -> Result<LayoutOf<L>, CuteError>,
    ) -> Result<LayoutOf<L>, CuteError> {
        if tilers.len() > self.rank() {
            return Err(CuteError::Rank {
                op,
                found: tilers.len(),
                limit: self.rank(),
            });
        }
        let modes = self
            .modes()
            .enumerate()
            .map(|(number, mode)| match tilers.get(number) {
                Some(tiler) => change(&mode, tiler),
                None => Ok(mode),
            });
        Ok(LayoutOf::from_modes(modes.collect::<Result<Vec<_>, _>>()?))
    }

    /// Gathers the first and the second halves of the pairs that a logical divide or product produces
    /// where the tiler has layouts: `((A,a),(B,b),x)` becomes `((A,B),(a,b,x))`.
    pub(super) fn unzip(&self, tiler: &TilerOf<L>, op: Op) -> Result<LayoutOf<L>, CuteError> {
        let (tile, rest) = self.halves(tiler, op)?;
        Ok(LayoutOf::from_modes([tile, rest]))
    }

    fn halves(&self, tiler: &TilerOf<L>, op: Op) -> Result<(LayoutOf<L>, LayoutOf<L>), CuteError> {
        match tiler {
            TilerOf::All if L::STRICT => Ok((LayoutOf::unit(), self.clone())),
            TilerOf::All if L::OPEN && self.rank() == 2 => Ok((self.mode(&[0])?, self.mode(&[1])?)),
            TilerOf::All => Err(CuteError::Layout {
                op,
                layout: "_".to_owned(),
                needed: "a tile",
            }),
            TilerOf::Layout(_) if self.rank() == 2 => Ok((self.mode(&[0])?, self.mode(&[1])?)),
            TilerOf::Layout(_) => Err(CuteError::Rank {
                op,
                found: self.rank(),
                limit: 2,
            }),
            TilerOf::Modes(tilers) => {
                let (mut tiles, mut rests) = (Vec::new(), Vec::new());
                for (number, mode) in self.modes().enumerate() {
                    match tilers.get(number) {
                        Some(tiler) => {
                            let (tile, rest) = mode.halves(tiler, op)?;
                            tiles.push(tile);
                            rests.push(rest);
                        }
                        None => rests.push(mode),
                    }
                }
                Ok((LayoutOf::from_modes(tiles), LayoutOf::from_modes(rests)))
            }
        }
    }

    /// Unpacks the second mode, and with `both` the first, into modes of the whole. A mode of rank 1
    /// is unchanged.
    pub(super) fn unpack(&self, both: bool) -> Result<LayoutOf<L>, CuteError> {
        let (first, second) = (self.mode(&[0])?, self.mode(&[1])?);
        let parts = |mode: LayoutOf<L>, unpack: bool| match unpack && !(L::STRICT && mode.rank() == 1) {
            true => mode.modes().collect(),
            false => vec![mode],
        };
        let modes = [parts(first, both), parts(second, true)];
        Ok(LayoutOf::from_modes(modes.into_iter().flatten()))
    }
}
