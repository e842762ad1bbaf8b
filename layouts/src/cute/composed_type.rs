//! Composed layouts as types know them.

use std::fmt;
use std::str::FromStr;

use super::composed::{moved, ring};
use super::coord::SlotOf;
use super::error::CuteError;
use super::fact::Fact;
use super::layout::LayoutOf;
use super::leaf::Leaf;
use super::swizzle::{Swizzle, SwizzleError};
use super::text::ParseCuteError;
use super::tuple::Nested;

/// The function that a composed layout applies last. (CUTLASS: the inner function of
/// `make_composed_layout`.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LastOf<L: Leaf> {
    /// A permutation of the bits of an index.
    Swizzle(Swizzle),
    /// A layout.
    Layout(LayoutOf<L>),
}

/// The function `coordinate -> last(offset + layout(coordinate))`, for leaves of any kind.
///
/// The text form is NVIDIA's: `S<3,4,3> o ?{div=128} o (8,?):(1,8)`, with a swizzle or a layout first.
/// The offset is an integer, or a coordinate of the space that the layout's basis strides span.
/// (CUTLASS documentation: *CuTe Algebra Types*, ComposedLayout.)
///
/// ```
/// use tilewright_layouts::cute::TypeComposed;
/// let tile: TypeComposed = "S<3,4,3> o 0 o (8,?):(?{div=64},1)".parse()?;
/// assert_eq!(tile.to_string(), "S<3,4,3> o 0 o (8,?):(?{div=64},1)");
/// assert!("S<3,4,3> o 0 o (4,2):(1@0,1@1)".parse::<TypeComposed>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ComposedOf<L: Leaf> {
    last: LastOf<L>,
    offset: Nested<L>,
    layout: LayoutOf<L>,
}

/// A composed layout as a type says it.
pub type TypeComposed = ComposedOf<Fact>;

impl<L: Leaf> ComposedOf<L> {
    /// Composes the three, the layout applied first.
    ///
    /// # Errors
    /// The offset cannot be added to an index of the layout, or a swizzle would apply to a coordinate.
    pub fn new(last: LastOf<L>, offset: Nested<L>, layout: LayoutOf<L>) -> Result<Self, CuteError> {
        let origin = layout.index_of(&Nested::Leaf(SlotOf::All))?;
        let sum = origin.plus(&offset)?;
        if matches!(last, LastOf::Swizzle(_)) && !sum.is_leaf() {
            return Err(CuteError::NotCongruent {
                left: Box::new(sum.shown()),
                right: Box::new(Nested::Leaf(L::from(0).shown())),
            });
        }
        Ok(Self { last, offset, layout })
    }

    /// The composition of parts that are known to compose.
    pub(super) fn of_parts(last: LastOf<L>, offset: Nested<L>, layout: LayoutOf<L>) -> Self {
        Self { last, offset, layout }
    }

    /// The function applied last.
    pub fn last(&self) -> &LastOf<L> {
        &self.last
    }

    /// What is added to the index of the layout.
    pub fn offset(&self) -> &Nested<L> {
        &self.offset
    }

    /// The layout applied first, which defines the domain.
    pub fn layout(&self) -> &LayoutOf<L> {
        &self.layout
    }

    /// Changes the domain: applies an operation to the layout, keeping offset and last function.
    ///
    /// # Errors
    /// Those of `change`, and those of [`ComposedOf::new`].
    ///
    /// ```
    /// use tilewright_layouts::cute::TypeComposed;
    /// let tile: TypeComposed = "S<3,4,3> o ? o (64,?):(1,64)".parse()?;
    /// let rows = "[16:1]".parse()?;
    /// let tiles = tile.map(|layout| layout.zipped_divide(&rows))?;
    /// assert_eq!(tiles.to_string(), "S<3,4,3> o ? o ((16),(4,?)):((1),(16,64))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map(
        &self,
        change: impl FnOnce(&LayoutOf<L>) -> Result<LayoutOf<L>, CuteError>,
    ) -> Result<Self, CuteError> {
        Self::new(self.last.clone(), self.offset.clone(), change(&self.layout)?)
    }

    /// Whether every number in it is static.
    pub fn is_static(&self) -> bool {
        let last = match &self.last {
            LastOf::Swizzle(_) => true,
            LastOf::Layout(layout) => layout.is_static(),
        };
        last && self.offset.is_static() && self.layout.is_static()
    }
}

impl fmt::Display for TypeComposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.last {
            LastOf::Swizzle(swizzle) => {
                let (bits, base, shift) = (swizzle.bits(), swizzle.base(), swizzle.shift());
                write!(f, "S<{bits},{base},{shift}>")?;
            }
            LastOf::Layout(layout) => write!(f, "{layout}")?,
        }
        write!(f, " o {} o {}", self.offset, self.layout)
    }
}

impl FromStr for TypeComposed {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        let two_rings = |at| ParseCuteError::Syntax {
            at,
            expected: "` o `, as in `S<3,4,3> o 0 o (8,4):(1,8)`",
        };
        let first = ring(text).ok_or_else(|| two_rings(text.len()))?;
        let (last, rest) = text.split_at(first);
        let rest = rest.strip_prefix('o').unwrap_or(rest);
        let second = ring(rest).ok_or_else(|| two_rings(text.len()))?;
        let (offset, layout) = rest.split_at(second);
        let layout = layout.strip_prefix('o').unwrap_or(layout);
        let last = match last.trim_start().starts_with('S') {
            true => last.parse().map(LastOf::Swizzle).map_err(|error| match error {
                SwizzleError::Syntax => ParseCuteError::Syntax {
                    at: 0,
                    expected: "a swizzle `S<B,M,S>`",
                },
                error => ParseCuteError::Layout(CuteError::Swizzle(error)),
            })?,
            false => LastOf::Layout(last.parse()?),
        };
        let at = |part: &str| text.len() - part.len();
        let offset = offset.parse().map_err(|error| moved(error, first + 1))?;
        let layout = layout.parse().map_err(|error| moved(error, at(layout)))?;
        Ok(Self::new(last, offset, layout)?)
    }
}
