//! Part of a layout: the modes that are left free, and where they begin.

use super::coord::CoordOf;
use super::error::CuteError;
use super::layout::LayoutOf;
use super::leaf::Leaf;
use super::tuple::Nested;

/// Part of a layout, as a slice, a tile or a thread's share of it.
///
/// ```
/// use tilewright_layouts::cute::{Part, TypeLayout};
/// let layout: TypeLayout = "(8,(4,2)):(64,(1,32))".parse()?;
/// let part = Part::slice(&layout, &"(?,(_,1))".parse()?)?;
/// assert_eq!((part.start()?.to_string(), part.free.to_string()), ("?{div=32}".into(), "(4):(1)".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<L: Leaf> {
    /// The modes among which one element is chosen.
    pub chosen: LayoutOf<L>,
    /// The coordinate there; `_` is 0.
    pub at: CoordOf<L>,
    /// The modes that are left.
    pub free: LayoutOf<L>,
}

impl<L: Leaf> Part<L> {
    /// The modes of a layout where a coordinate has `_`, at the numbers that it has elsewhere.
    ///
    /// # Errors
    /// The coordinate does not fit the shape.
    pub fn slice(layout: &LayoutOf<L>, coord: &CoordOf<L>) -> Result<Part<L>, CuteError> {
        Ok(Part {
            chosen: layout.clone(),
            at: coord.clone(),
            free: layout.slice(coord)?,
        })
    }

    /// The index of the part's first element.
    ///
    /// # Errors
    /// The coordinate does not fit, or what splits an integer is not decided and not left to run time.
    pub fn start(&self) -> Result<Nested<L>, CuteError> {
        self.chosen.index_of(&self.at)
    }
}
