//! Layouts: congruent shapes and strides.

use super::error::{CuteError, Op};
use super::int::Int;
use super::symbol::Symbol;
use super::tuple::{IntTuple, Nested};

/// A leaf of a layout: an extent and a stride.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mode {
    /// The number of elements, at least 1.
    pub shape: Int,
    /// The index distance between consecutive elements.
    pub stride: Int,
}

/// A CuTe layout: the function from coordinates to indices that sums coordinate times stride.
///
/// Shape and stride are one tree whose leaves are pairs, so that they are congruent by construction.
/// Extents are 1 or more; strides are 0 or more. Negative strides, which CuTe admits in places, are
/// refused, because their compositions and inverses are not functions into the domain. The empty
/// tuple `():()` is a layout of size 1 with index 0.
///
/// The text form is `shape:stride`, as in `((2,4),8):((1,16),2)`; a shape alone denotes the compact
/// column-major layout. Dynamic leaves are `?`, or `?{M}` with a name. Unnamed `?`s are numbered
/// within their text, so use names to relate two texts.
///
/// (CUTLASS documentation: *CuTe Layouts*, `media/docs/cpp/cute/01_layout.md`.)
///
/// ```
/// use tilewright_layouts::cute::{Int, Layout};
///
/// let layout: Layout = "((2,4),8):((1,16),2)".parse()?;
/// assert_eq!((layout.rank(), layout.depth()), (2, 2));
/// assert_eq!(layout.size()?, Int::Static(64));
/// assert_eq!(layout.at(11)?, 1 + 1 * 16 + 1 * 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Layout(Nested<Mode>);

impl Layout {
    /// Constructs a layout from shape and stride.
    ///
    /// # Errors
    /// They are not congruent, or an extent is 0.
    pub fn new(shape: IntTuple, stride: IntTuple) -> Result<Layout, CuteError> {
        if !shape.congruent(&stride) {
            return Err(CuteError::NotCongruent {
                left: Box::new(shape),
                right: Box::new(stride),
            });
        }
        let mut empty = false;
        let tree = shape.zip_with(stride, &mut |shape, stride| {
            empty |= shape == Int::ZERO;
            Mode { shape, stride }
        });
        match tree {
            Some(tree) if !empty => Ok(Layout(tree)),
            Some(_) | None => Err(CuteError::ZeroExtent),
        }
    }

    /// Constructs a leaf of `shape` elements at stride `stride`.
    ///
    /// # Errors
    /// The extent is 0.
    pub fn strided(shape: impl Into<Int>, stride: impl Into<Int>) -> Result<Layout, CuteError> {
        let (shape, stride) = (shape.into(), stride.into());
        match shape {
            Int::Static(0) => Err(CuteError::ZeroExtent),
            Int::Static(_) | Int::Dynamic(_) => Ok(Self::leaf(shape, stride)),
        }
    }

    /// Constructs a leaf whose extent the caller ensures to be nonzero.
    pub(super) fn leaf(shape: Int, stride: Int) -> Layout {
        Layout(Nested::Leaf(Mode { shape, stride }))
    }

    /// The layout `1:0` of one element at index 0.
    pub fn unit() -> Layout {
        Self::leaf(Int::ONE, Int::ZERO)
    }

    /// Constructs a layout from its modes. (CUTLASS: `make_layout` of layouts.)
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let both = Layout::from_modes(["(2,4):(1,2)".parse::<Layout>()?, "8:16".parse()?]);
    /// assert_eq!(both.to_string(), "((2,4),8):((1,2),16)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_modes(modes: impl IntoIterator<Item = Layout>) -> Layout {
        Layout(Nested::Tuple(modes.into_iter().map(|mode| mode.0).collect()))
    }

    pub(super) fn from_tree(tree: Nested<Mode>) -> Layout {
        Layout(tree)
    }

    /// Constructs a layout from leaves: a tuple, a leaf if there is one, `1:0` if there is none.
    pub(super) fn from_leaves(mut leaves: Vec<Mode>) -> Layout {
        if leaves.len() > 1 {
            return Layout(Nested::Tuple(leaves.into_iter().map(Nested::Leaf).collect()));
        }
        match leaves.pop() {
            Some(leaf) => Layout(Nested::Leaf(leaf)),
            None => Layout::unit(),
        }
    }

    /// The tree of shape and stride together.
    pub fn tree(&self) -> &Nested<Mode> {
        &self.0
    }

    /// The tree of shape and stride together, by value.
    pub fn into_tree(self) -> Nested<Mode> {
        self.0
    }

    /// Constructs the compact column-major layout of a shape: the first mode fastest. Extents of 1
    /// get stride 0. (CUTLASS: `make_layout` of a shape, `LayoutLeft`.)
    ///
    /// # Errors
    /// An extent is 0, or the size overflows a 64-bit integer.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// assert_eq!(Layout::column_major(&"(4,(1,8))".parse()?)?.to_string(), "(4,(1,8)):(1,(0,4))");
    /// assert_eq!(Layout::row_major(&"(4,(1,8))".parse()?)?.to_string(), "(4,(1,8)):(8,(0,1))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn column_major(shape: &IntTuple) -> Result<Layout, CuteError> {
        column_major_from(shape, Int::ONE)
    }

    /// Constructs the compact row-major layout of a shape: the last mode fastest. Extents of 1 get
    /// stride 0. (CUTLASS: `LayoutRight`.)
    ///
    /// # Errors
    /// An extent is 0, or the size overflows a 64-bit integer.
    pub fn row_major(shape: &IntTuple) -> Result<Layout, CuteError> {
        compact(shape, &mut Int::ONE.clone(), Direction::Right).map(Layout)
    }

    /// Constructs the compact layout of a shape with its modes in a given order, smallest number
    /// fastest. A number for a nested mode orders that mode as a whole, first submode fastest.
    /// (CUTLASS: `make_ordered_layout`, where modes of equal number overlap.)
    ///
    /// # Errors
    /// The order has neither the profile of the shape nor that of its outer part, repeats a number or
    /// has a dynamic integer; an extent is 0; or the size overflows a 64-bit integer.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout = Layout::ordered(&"(2,(3,4),5)".parse()?, &"(2,0,1)".parse()?)?;
    /// assert_eq!(layout.to_string(), "(2,(3,4),5):(60,(1,3),12)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ordered(shape: &IntTuple, order: &IntTuple) -> Result<Layout, CuteError> {
        let mut places = Vec::new();
        sizes_by_place(shape, order, &mut places)?;
        places.sort_by_key(|(place, _)| *place);
        for pair in places.windows(2) {
            if let [(a, _), (b, _)] = pair
                && a == b
            {
                return Err(CuteError::Order { place: *a });
            }
        }
        let mut start = Int::ONE;
        for (_, size) in &mut places {
            let next = start.times(size)?;
            *size = std::mem::replace(&mut start, next);
        }
        place_modes(shape, order, &places).map(Layout)
    }

    /// The shape.
    pub fn shape(&self) -> IntTuple {
        self.0.map(&mut |mode| mode.shape.clone())
    }

    /// The stride.
    pub fn stride(&self) -> IntTuple {
        self.0.map(&mut |mode| mode.stride.clone())
    }

    /// The number of modes; 1 for a leaf.
    pub fn rank(&self) -> usize {
        self.0.rank()
    }

    /// The depth of nesting; 0 for a leaf.
    pub fn depth(&self) -> usize {
        self.0.depth()
    }

    /// The modes as layouts; a leaf is its own only mode.
    pub fn modes(&self) -> impl ExactSizeIterator<Item = Layout> + DoubleEndedIterator + '_ {
        self.0.modes().iter().cloned().map(Layout)
    }

    /// Selects the mode at a path of mode numbers, outermost first.
    ///
    /// # Errors
    /// There is no such mode.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "((4,2),(3,8)):((1,4),(8,24))".parse()?;
    /// assert_eq!(layout.mode(&[0, 1])?.to_string(), "2:4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mode(&self, path: &[usize]) -> Result<Layout, CuteError> {
        self.0.get(path).cloned().map(Layout)
    }

    /// The number of coordinates: the product of the extents.
    ///
    /// # Errors
    /// It overflows a 64-bit integer.
    pub fn size(&self) -> Result<Int, CuteError> {
        let mut product = Ok(Int::ONE);
        self.0.each(&mut |mode| {
            if let Ok(so_far) = &product {
                product = so_far.times(&mode.shape);
            }
        });
        product
    }

    /// One more than the largest index: 1 plus the sum of `(shape - 1) * stride`.
    ///
    /// # Errors
    /// It overflows a 64-bit integer.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Int, Layout};
    /// assert_eq!("(2,4):(1,8)".parse::<Layout>()?.cosize()?, Int::Static(26));
    /// assert_eq!("(?{M},4):(4,1)".parse::<Layout>()?.cosize()?.to_string(), "?{4*M}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cosize(&self) -> Result<Int, CuteError> {
        let mut sum = Ok(Int::ONE);
        self.0.each(&mut |mode| {
            let reach = |so_far: &Int| so_far.plus(&mode.shape.minus(&Int::ONE)?.times(&mode.stride)?);
            if let Ok(so_far) = &sum {
                sum = reach(so_far);
            }
        });
        sum
    }

    /// Whether every extent and stride is static.
    pub fn is_static(&self) -> bool {
        let mut known = true;
        self.0.each(&mut |mode| {
            known &= mode.shape.is_static() && mode.stride.is_static();
        });
        known
    }

    /// Replaces the dynamic integers for which `value` returns a value.
    ///
    /// # Errors
    /// An extent becomes 0, or a value is not a multiple of the known divisor.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(?{M},8):(1,?{M})".parse()?;
    /// assert_eq!(layout.substitute(&|_| Some(100))?.to_string(), "(100,8):(1,100)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn substitute(&self, value: &impl Fn(&Symbol) -> Option<u64>) -> Result<Layout, CuteError> {
        let tree = self.0.try_map(&mut |mode: &Mode| {
            let (shape, stride) = (mode.shape.substitute(value)?, mode.stride.substitute(value)?);
            match shape {
                Int::Static(0) => Err(CuteError::ZeroExtent),
                Int::Static(_) | Int::Dynamic(_) => Ok(Mode { shape, stride }),
            }
        });
        tree.map(Layout)
    }
}

/// Constructs the compact column-major layout whose fastest leaf has the stride `first`.
pub(super) fn column_major_from(shape: &IntTuple, mut first: Int) -> Result<Layout, CuteError> {
    compact(shape, &mut first, Direction::Left).map(Layout)
}

#[derive(Clone, Copy)]
enum Direction {
    Left,
    Right,
}

/// Constructs a compact layout whose fastest leaf has the stride `next`, and multiplies `next` by its
/// size.
fn compact(shape: &IntTuple, next: &mut Int, direction: Direction) -> Result<Nested<Mode>, CuteError> {
    match shape {
        Nested::Leaf(Int::Static(0)) => Err(CuteError::ZeroExtent),
        Nested::Leaf(extent) => {
            let after = next.times(extent)?;
            let stride = match extent {
                Int::Static(1) => Int::ZERO,
                Int::Static(_) | Int::Dynamic(_) => std::mem::replace(next, after),
            };
            Ok(Nested::Leaf(Mode {
                shape: extent.clone(),
                stride,
            }))
        }
        Nested::Tuple(modes) => {
            let each = |mode: &IntTuple| compact(mode, next, direction);
            let modes = match direction {
                Direction::Left => modes.iter().map(each).collect::<Result<_, _>>()?,
                Direction::Right => {
                    let reversed = modes.iter().rev().map(each);
                    let mut modes = reversed.collect::<Result<Vec<_>, _>>()?;
                    modes.reverse();
                    modes
                }
            };
            Ok(Nested::Tuple(modes))
        }
    }
}

fn order_error(shape: &IntTuple, order: &IntTuple) -> CuteError {
    CuteError::NotCongruent {
        left: Box::new(shape.clone()),
        right: Box::new(order.clone()),
    }
}

fn known_place(place: &Int) -> Result<u64, CuteError> {
    place.as_static().ok_or_else(|| CuteError::NeedsStatic {
        op: Op::Order,
        value: place.clone(),
    })
}

/// Collects the size of the part of the shape at each leaf of the order.
fn sizes_by_place(shape: &IntTuple, order: &IntTuple, places: &mut Vec<(u64, Int)>) -> Result<(), CuteError> {
    match (order, shape) {
        (Nested::Leaf(place), _) => {
            places.push((known_place(place)?, shape.product()?));
            Ok(())
        }
        (Nested::Tuple(orders), Nested::Tuple(modes)) if orders.len() == modes.len() => {
            let mut parts = modes.iter().zip(orders);
            parts.try_for_each(|(mode, order)| sizes_by_place(mode, order, places))
        }
        (Nested::Tuple(_), _) => Err(order_error(shape, order)),
    }
}

fn place_modes(shape: &IntTuple, order: &IntTuple, starts: &[(u64, Int)]) -> Result<Nested<Mode>, CuteError> {
    match (order, shape) {
        (Nested::Leaf(place), _) => {
            let place = known_place(place)?;
            let start = starts.iter().find(|(known, _)| *known == place);
            let mut next = start.map_or(Int::ONE, |(_, start)| start.clone());
            compact(shape, &mut next, Direction::Left)
        }
        (Nested::Tuple(orders), Nested::Tuple(modes)) => {
            let parts = modes.iter().zip(orders);
            let placed = parts.map(|(mode, order)| place_modes(mode, order, starts));
            placed.collect::<Result<_, _>>().map(Nested::Tuple)
        }
        (Nested::Tuple(_), Nested::Leaf(_)) => Err(order_error(shape, order)),
    }
}
