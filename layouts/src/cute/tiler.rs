//! Tilers: the right operand of composition, division and product.

use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::LayoutOf;
use super::leaf::Leaf;
use super::tuple::Nested;

/// The second operand of composition, divides and products: one layout for the whole, or one tiler for
/// each mode. (CUTLASS: `Tiler`, `Tile`.)
///
/// The text form is a layout, or `[4:1;_;(2,3):(1,2)]` with one entry per mode, where `_` leaves a
/// mode unchanged. A shape is a tiler by mode: `4` is the layout `4:1` and `(4,8)` is `[4:1;8:1]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TilerOf<L: Leaf> {
    /// Leave the mode unchanged.
    All,
    /// One layout for the whole.
    Layout(LayoutOf<L>),
    /// A tiler for each mode. Further modes are unchanged in divides and products, and dropped in a
    /// composition.
    Modes(Vec<TilerOf<L>>),
}

/// A tiler whose extents and strides are integers.
pub type Tiler = TilerOf<Int>;

impl<L: Leaf> TilerOf<L> {
    /// Converts a shape to a tiler: an integer `n` is the layout `n:1`, a tuple is a tiler for each
    /// mode.
    ///
    /// # Errors
    /// An extent is 0.
    ///
    /// ```
    /// use tilewright_layouts::cute::{IntTuple, Tiler};
    /// let shape: IntTuple = "(4,8)".parse()?;
    /// assert_eq!(Tiler::from_shape(&shape)?.to_string(), "[4:1;8:1]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_shape(shape: &Nested<L>) -> Result<TilerOf<L>, CuteError> {
        match shape {
            Nested::Leaf(extent) => LayoutOf::strided(extent.clone(), L::from(1)).map(TilerOf::Layout),
            Nested::Tuple(modes) => {
                let modes = modes.iter().map(TilerOf::from_shape);
                modes.collect::<Result<_, _>>().map(TilerOf::Modes)
            }
        }
    }
}

impl<L: Leaf> TilerOf<L> {
    /// The size of the tile in each mode, or of the whole if the tiler is one layout.
    ///
    /// # Errors
    /// It leaves a mode unchanged, or a size overflows.
    ///
    /// ```
    /// use tilewright_layouts::cute::Tiler;
    /// let tiler: Tiler = "[4:1;(2,3):(1,8)]".parse()?;
    /// assert_eq!(tiler.sizes()?.to_string(), "(4,6)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sizes(&self) -> Result<Nested<L>, CuteError> {
        match self {
            TilerOf::All => Err(CuteError::Layout {
                op: Op::Partition,
                layout: "_".to_owned(),
                needed: "a tile",
            }),
            TilerOf::Layout(layout) => layout.size().map(Nested::Leaf),
            TilerOf::Modes(modes) => {
                let modes = modes.iter().map(|mode| mode.sizes()?.product().map(Nested::Leaf));
                modes.collect::<Result<_, _>>().map(Nested::Tuple)
            }
        }
    }
}

impl<L: Leaf> From<LayoutOf<L>> for TilerOf<L> {
    fn from(layout: LayoutOf<L>) -> Self {
        Self::Layout(layout)
    }
}
