//! Swizzled layouts: the composition of a swizzle, an offset and a layout.

use std::fmt;
use std::str::FromStr;

use super::coord::Coord;
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::Layout;
use super::swizzle::{Swizzle, SwizzleError};
use super::text::ParseCuteError;
use super::tuple::IntTuple;

/// The function `coordinate -> swizzle(offset + layout(coordinate))`.
///
/// The layout defines the domain: shape, rank, depth and size are its own. It has no strides, because
/// the distance between two indices depends on their position. Operations that only select or regroup
/// coordinates apply to the layout alone and have the names of those of [`Layout`]; [`Composed::map`]
/// is the general form. The offset is separate from the layout because a swizzle does not commute
/// with addition. (CUTLASS: `ComposedLayout`, `cute/layout_composed.hpp`.)
///
/// # Text form
/// As CuTe prints it: `Sw<3,4,3> o 0 o (8,128):(128,1)`. [`FromStr`] also accepts a layout alone, for
/// the identity and offset 0.
///
/// ```
/// use tilewright_layouts::cute::{Composed, Int};
/// let tile: Composed = "Sw<3,4,3> o 0 o (8,128):(128,1)".parse()?;
/// // Row 5, byte 16 of a tile of 128-byte rows: chunk 1 is at chunk 1 ^ 5.
/// assert_eq!(tile.index(&"(5,16)".parse()?)?, Int::Static(5 * 128 + 4 * 16));
/// assert_eq!(tile.size()?, Int::Static(1024));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Composed {
    swizzle: Swizzle,
    offset: Int,
    layout: Layout,
}

impl Composed {
    /// The composition of `swizzle`, the addition of `offset`, and `layout`, applied from right to
    /// left.
    pub fn new(swizzle: Swizzle, offset: impl Into<Int>, layout: Layout) -> Composed {
        Composed {
            swizzle,
            offset: offset.into(),
            layout,
        }
    }

    /// The swizzle. (CUTLASS: `get_swizzle_portion`.)
    pub fn swizzle(&self) -> Swizzle {
        self.swizzle
    }

    /// The offset between layout and swizzle.
    pub fn offset(&self) -> &Int {
        &self.offset
    }

    /// The layout, without offset and swizzle. (CUTLASS: `get_nonswizzle_portion`.)
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The layout, if the swizzle is the identity and the offset is 0.
    pub fn as_plain(&self) -> Option<&Layout> {
        let plain = self.swizzle.is_identity() && self.offset == Int::ZERO;
        plain.then_some(&self.layout)
    }

    /// The shape.
    pub fn shape(&self) -> IntTuple {
        self.layout.shape()
    }

    /// The number of modes; 1 for a leaf.
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// The depth of nesting; 0 for a leaf.
    pub fn depth(&self) -> usize {
        self.layout.depth()
    }

    /// The number of coordinates.
    ///
    /// # Errors
    /// It overflows a 64-bit integer.
    pub fn size(&self) -> Result<Int, CuteError> {
        self.layout.size()
    }

    /// A number of indices sufficient for every coordinate: the end of the index range before the
    /// swizzle, rounded up to a multiple of the block of indices that the swizzle permutes.
    ///
    /// CuTe returns the cosize of the layout, which a swizzle can exceed: `Sw<1,0,1> o 0 o 3:1`
    /// reaches the indices 0, 1 and 3. A block has `2^(B + M)` indices for `S > 0` and
    /// [`Swizzle::period`] indices for `S < 0`.
    ///
    /// # Errors
    /// It overflows a 64-bit integer, or depends on a dynamic value under a swizzle.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Composed, Int};
    /// let three: Composed = "Sw<1,0,1> o 0 o 3:1".parse()?;
    /// assert_eq!(three.cosize()?, Int::Static(4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cosize(&self) -> Result<Int, CuteError> {
        let reach = self.offset.plus(&self.layout.cosize()?)?;
        if self.swizzle.is_identity() {
            return Ok(reach);
        }
        let block = match self.swizzle.shift() {
            shift if shift > 0 => 1 << (self.swizzle.bits() + self.swizzle.base()),
            _ => self.swizzle.period(),
        };
        let block = Int::Static(block);
        reach.ceil_div(&block)?.times(&block)
    }

    /// The index of a coordinate; see [`Layout::index`].
    ///
    /// # Errors
    /// As [`Layout::index`], or a swizzle would apply to a dynamic value.
    pub fn index(&self, coord: &Coord) -> Result<Int, CuteError> {
        self.swizzled(self.offset.plus(&self.layout.index(coord)?)?)
    }

    /// The index of a flat coordinate of a static layout.
    ///
    /// # Errors
    /// The layout or the offset is not static, or the index overflows a 64-bit integer.
    pub fn at(&self, coord: u64) -> Result<u64, CuteError> {
        let index = self.offset.plus(&Int::Static(self.layout.at(coord)?))?;
        match index {
            Int::Static(index) => Ok(self.swizzle.apply(index)),
            Int::Dynamic(_) => Err(needs_static(&index)),
        }
    }

    fn swizzled(&self, index: Int) -> Result<Int, CuteError> {
        match &index {
            _ if self.swizzle.is_identity() => Ok(index),
            Int::Static(index) => Ok(Int::Static(self.swizzle.apply(*index))),
            Int::Dynamic(_) => Err(needs_static(&index)),
        }
    }

    /// Transforms the layout, keeping swizzle and offset.
    ///
    /// Every operation that only changes the domain, such as coalescing or a divide, applies this
    /// way:
    /// `sw o f o (l o g) = (sw o f o l) o g`.
    ///
    /// # Errors
    /// Those of `change`.
    ///
    /// ```
    /// use tilewright_layouts::cute::Composed;
    /// let tile: Composed = "Sw<2,0,2> o 0 o (4,(2,2)):(4,(1,2))".parse()?;
    /// assert_eq!(tile.map(|layout| Ok(layout.flatten()))?.to_string(), "Sw<2,0,2> o 0 o (4,2,2):(4,1,2)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map(
        &self,
        change: impl FnOnce(&Layout) -> Result<Layout, CuteError>,
    ) -> Result<Composed, CuteError> {
        Ok(Composed {
            swizzle: self.swizzle,
            offset: self.offset.clone(),
            layout: change(&self.layout)?,
        })
    }

    /// Selects the mode at a path of mode numbers, outermost first, with the others at 0.
    ///
    /// # Errors
    /// There is no such mode.
    pub fn mode(&self, path: &[usize]) -> Result<Composed, CuteError> {
        self.map(|layout| layout.mode(path))
    }

    /// Coalesces the layout; see [`Layout::coalesce`].
    pub fn coalesce(&self) -> Composed {
        Composed {
            layout: self.layout.coalesce(),
            ..self.clone()
        }
    }

    /// Slices the layout: fixes the modes that have integers in `coord` at those integers, which are
    /// added to the offset.
    ///
    /// # Errors
    /// The coordinate does not fit the shape.
    ///
    /// ```
    /// use tilewright_layouts::cute::Composed;
    /// let tile: Composed = "Sw<3,4,3> o 0 o (8,128):(128,1)".parse()?;
    /// assert_eq!(tile.slice(&"(5,_)".parse()?)?.to_string(), "Sw<3,4,3> o 640 o (128):(1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slice(&self, coord: &Coord) -> Result<Composed, CuteError> {
        Ok(Composed {
            swizzle: self.swizzle,
            offset: self.offset.plus(&self.layout.index(coord)?)?,
            layout: self.layout.slice(coord)?,
        })
    }

    /// Moves the origin of the domain to `coord`: `c -> self(coord + c)`. (CUTLASS: `domain_offset`.)
    ///
    /// # Errors
    /// As [`Layout::index`].
    pub fn domain_offset(&self, coord: &Coord) -> Result<Composed, CuteError> {
        Ok(Composed {
            offset: self.offset.plus(&self.layout.index(coord)?)?,
            ..self.clone()
        })
    }
}

impl From<Layout> for Composed {
    fn from(layout: Layout) -> Self {
        Composed::new(Swizzle::IDENTITY, Int::ZERO, layout)
    }
}

fn needs_static(value: &Int) -> CuteError {
    CuteError::NeedsStatic {
        op: Op::Index,
        value: value.clone(),
    }
}

impl fmt::Display for Composed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} o {} o {}", self.swizzle, self.offset, self.layout)
    }
}

impl FromStr for Composed {
    type Err = ParseCuteError;

    fn from_str(text: &str) -> Result<Self, ParseCuteError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(at) = ring(rest) {
            let (part, after) = rest.split_at(at);
            parts.push(part);
            rest = after.strip_prefix('o').unwrap_or(after);
        }
        let at = text.len() - rest.len();
        let layout = |text: &str| text.parse::<Layout>().map_err(|error| moved(error, at));
        match parts.as_slice() {
            [] => layout(text).map(Composed::from),
            [swizzle, offset] => {
                let after = text.find('o').map_or(0, |ring| ring + 1);
                let swizzle: Swizzle = swizzle.parse().map_err(|error| match error {
                    SwizzleError::Syntax => ParseCuteError::Syntax {
                        at: 0,
                        expected: "a swizzle `Sw<B,M,S>`",
                    },
                    error => ParseCuteError::Layout(CuteError::Swizzle(error)),
                })?;
                let offset: Int = offset.parse().map_err(|error| moved(error, after))?;
                Ok(Composed::new(swizzle, offset, layout(rest)?))
            }
            _ => Err(ParseCuteError::Syntax {
                at,
                expected: "a layout, or a swizzle, an offset and a layout with ` o ` between them",
            }),
        }
    }
}

/// The position of the first `o` outside of braces and tuples.
pub(super) fn ring(text: &str) -> Option<usize> {
    let mut depth = 0i32;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '{' | '(' => depth = depth.saturating_add(1),
            '}' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (c == 'o' && depth == 0).then_some(at)
    })
}

/// Adds `by` bytes to the position of a syntax error in part of a text.
pub(super) fn moved(error: ParseCuteError, by: usize) -> ParseCuteError {
    match error {
        ParseCuteError::Syntax { at, expected } => ParseCuteError::Syntax {
            at: at + by,
            expected,
        },
        ParseCuteError::Layout(error) => ParseCuteError::Layout(error),
    }
}
