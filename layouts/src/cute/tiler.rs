//! Tilers: the right operand of composition, division and product.

use super::error::CuteError;
use super::layout::Layout;
use super::tuple::{IntTuple, Nested};

/// The second operand of composition, divides and products: one layout for the whole, or one tiler for
/// each mode. (CUTLASS: `Tiler`, `Tile`.)
///
/// The text form is a layout, or `[4:1;_;(2,3):(1,2)]` with one entry per mode, where `_` leaves a
/// mode unchanged. A shape is a tiler by mode: `4` is the layout `4:1` and `(4,8)` is `[4:1;8:1]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tiler {
    /// Leave the mode unchanged.
    All,
    /// One layout for the whole.
    Layout(Layout),
    /// A tiler for each mode. Further modes are unchanged in divides and products, and dropped in a
    /// composition.
    Modes(Vec<Tiler>),
}

impl Tiler {
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
    pub fn from_shape(shape: &IntTuple) -> Result<Tiler, CuteError> {
        match shape {
            Nested::Leaf(extent) => Layout::strided(extent.clone(), 1).map(Tiler::Layout),
            Nested::Tuple(modes) => {
                let modes = modes.iter().map(Tiler::from_shape);
                modes.collect::<Result<_, _>>().map(Tiler::Modes)
            }
        }
    }
}

impl From<Layout> for Tiler {
    fn from(layout: Layout) -> Self {
        Self::Layout(layout)
    }
}
