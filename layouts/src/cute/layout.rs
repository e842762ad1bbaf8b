//! Layouts: congruent shapes and strides.

use super::error::{CuteError, Op};
use super::int::Int;
use super::leaf::{Leaf, Stride, integer};
use super::symbol::Symbol;
use super::tuple::Nested;

/// A leaf of a layout: an extent and a stride.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModeOf<L: Leaf> {
    /// The number of elements, at least 1.
    pub shape: L,
    /// The index distance between consecutive elements.
    pub stride: L::Stride,
}

/// A leaf of a layout of integers.
pub type Mode = ModeOf<Int>;

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
pub struct LayoutOf<L: Leaf>(Nested<ModeOf<L>>);

/// A layout whose extents and strides are integers.
pub type Layout = LayoutOf<Int>;

impl<L: Leaf> LayoutOf<L> {
    /// Constructs a layout from shape and stride.
    ///
    /// # Errors
    /// They are not congruent, or an extent is 0.
    pub fn new(shape: Nested<L>, stride: Nested<L::Stride>) -> Result<LayoutOf<L>, CuteError> {
        if !shape.congruent(&stride) {
            return Err(CuteError::NotCongruent {
                left: Box::new(shape.shown()),
                right: Box::new(stride.map(&mut |stride| stride.factor().shown())),
            });
        }
        let mut empty = false;
        let tree = shape.zip_with(stride, &mut |shape, stride| {
            empty |= !is_extent(&shape);
            ModeOf { shape, stride }
        });
        match tree {
            Some(tree) if !empty => Ok(LayoutOf(tree)),
            Some(_) | None => Err(CuteError::ZeroExtent),
        }
    }

    /// Constructs a leaf of `shape` elements at stride `stride`.
    ///
    /// # Errors
    /// The extent is 0.
    pub fn strided(shape: impl Into<L>, stride: impl Into<L::Stride>) -> Result<LayoutOf<L>, CuteError> {
        let (shape, stride) = (shape.into(), stride.into());
        match is_extent(&shape) {
            true => Ok(Self::leaf(shape, stride)),
            false => Err(CuteError::ZeroExtent),
        }
    }

    /// Constructs a leaf whose extent the caller ensures to be nonzero.
    pub(super) fn leaf(shape: L, stride: L::Stride) -> LayoutOf<L> {
        LayoutOf(Nested::Leaf(ModeOf { shape, stride }))
    }

    /// The layout `1:0` of one element at index 0.
    pub fn unit() -> LayoutOf<L> {
        Self::leaf(L::from(1), L::from(0).into())
    }

    /// Constructs a layout from its modes. (CUTLASS: `make_layout` of layouts.)
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let both = Layout::from_modes(["(2,4):(1,2)".parse::<Layout>()?, "8:16".parse()?]);
    /// assert_eq!(both.to_string(), "((2,4),8):((1,2),16)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_modes(modes: impl IntoIterator<Item = LayoutOf<L>>) -> LayoutOf<L> {
        LayoutOf(Nested::Tuple(modes.into_iter().map(|mode| mode.0).collect()))
    }

    pub(super) fn from_tree(tree: Nested<ModeOf<L>>) -> LayoutOf<L> {
        LayoutOf(tree)
    }

    /// Constructs a layout from leaves: a tuple, a leaf if there is one, `1:0` if there is none.
    pub(super) fn from_leaves(mut leaves: Vec<ModeOf<L>>) -> LayoutOf<L> {
        if leaves.len() > 1 {
            return LayoutOf(Nested::Tuple(leaves.into_iter().map(Nested::Leaf).collect()));
        }
        match leaves.pop() {
            Some(leaf) => LayoutOf(Nested::Leaf(leaf)),
            None => LayoutOf::unit(),
        }
    }

    /// The tree of shape and stride together.
    pub fn tree(&self) -> &Nested<ModeOf<L>> {
        &self.0
    }

    /// The tree of shape and stride together, by value.
    pub fn into_tree(self) -> Nested<ModeOf<L>> {
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
    pub fn column_major(shape: &Nested<L>) -> Result<LayoutOf<L>, CuteError> {
        column_major_from(shape, L::from(1))
    }

    /// Constructs the compact row-major layout of a shape: the last mode fastest. Extents of 1 get
    /// stride 0. (CUTLASS: `LayoutRight`.)
    ///
    /// # Errors
    /// An extent is 0, or the size overflows a 64-bit integer.
    pub fn row_major(shape: &Nested<L>) -> Result<LayoutOf<L>, CuteError> {
        compact(shape, &mut L::from(1), Direction::Right).map(LayoutOf)
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
    pub fn ordered(shape: &Nested<L>, order: &Nested<L>) -> Result<LayoutOf<L>, CuteError> {
        let mut dynamic = 0;
        let order = order.try_map(&mut |place: &L| match place.known() {
            Some(place) => Ok(Place::Static(place)),
            None if L::STRICT => Err(CuteError::NeedsStatic {
                op: Op::Order,
                value: place.shown(),
            }),
            None => {
                dynamic += 1;
                Ok(Place::Dynamic(dynamic))
            }
        })?;
        let mut places = Vec::new();
        sizes_by_place(shape, &order, &mut places)?;
        places.sort_by_key(|(place, _)| *place);
        let mut start = L::from(1);
        let mut starts: Vec<(Place, L)> = Vec::with_capacity(places.len());
        let mut next = start.clone();
        for (place, size) in places {
            let repeated = starts.last().is_some_and(|(before, _)| *before == place);
            match place {
                Place::Static(place) if repeated && L::STRICT => {
                    let place = u64::try_from(place).unwrap_or(0);
                    return Err(CuteError::Order { place });
                }
                Place::Static(_) | Place::Dynamic(_) if repeated => (),
                Place::Static(_) | Place::Dynamic(_) => start = next.clone(),
            }
            next = next.times(&size)?;
            starts.push((place, start.clone()));
        }
        place_modes(shape, &order, &starts).map(LayoutOf)
    }

    /// The shape.
    pub fn shape(&self) -> Nested<L> {
        self.0.map(&mut |mode| mode.shape.clone())
    }

    /// The stride.
    pub fn stride(&self) -> Nested<L::Stride> {
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
    pub fn modes(&self) -> impl ExactSizeIterator<Item = LayoutOf<L>> + DoubleEndedIterator + '_ {
        self.0.modes().iter().cloned().map(LayoutOf)
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
    pub fn mode(&self, path: &[usize]) -> Result<LayoutOf<L>, CuteError> {
        self.0.get(path).cloned().map(LayoutOf)
    }

    /// The number of coordinates: the product of the extents.
    ///
    /// # Errors
    /// It overflows a 64-bit integer.
    pub fn size(&self) -> Result<L, CuteError> {
        let mut product = Ok(L::from(1));
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
    pub fn cosize(&self) -> Result<L, CuteError> {
        let mut sum = Ok(L::from(0));
        self.0.each(&mut |mode| {
            let reach = |so_far: &L| {
                let steps = mode.shape.minus(&L::from(1))?;
                so_far.plus(&steps.times(integer::<L>(&mode.stride, Op::Index)?)?)
            };
            if let Ok(so_far) = &sum {
                sum = reach(so_far);
            }
        });
        sum?.plus(&L::from(1))
    }

    /// The text of the layout as errors show it.
    pub(super) fn shown(&self) -> String {
        let stride = self.stride().map(&mut |stride| stride.factor().shown());
        let layout = LayoutOf::<Int>::new(self.shape().shown(), stride);
        layout.map_or_else(|error| error.to_string(), |layout| layout.to_string())
    }

    /// Whether every extent and stride is static.
    pub fn is_static(&self) -> bool {
        let mut known = true;
        self.0.each(&mut |mode| {
            known &= mode.shape.is_static() && mode.stride.factor().is_static();
        });
        known
    }
}

impl Layout {
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
            match is_extent(&shape) {
                true => Ok(Mode { shape, stride }),
                false => Err(CuteError::ZeroExtent),
            }
        });
        tree.map(LayoutOf)
    }
}

/// Constructs the compact column-major layout whose fastest leaf has the stride `first`.
pub(super) fn column_major_from<L: Leaf>(shape: &Nested<L>, mut first: L) -> Result<LayoutOf<L>, CuteError> {
    compact(shape, &mut first, Direction::Left).map(LayoutOf)
}

/// Whether an extent may have this value: it is 1 or more, or not known.
fn is_extent<L: Leaf>(shape: &L) -> bool {
    shape.known().is_none_or(|extent| extent > 0)
}

/// A position in an order: the known ones first, then the others from left to right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Static(i128),
    Dynamic(u32),
}

#[derive(Clone, Copy)]
enum Direction {
    Left,
    Right,
}

/// Constructs a compact layout whose fastest leaf has the stride `next`, and multiplies `next` by its
/// size.
fn compact<L: Leaf>(
    shape: &Nested<L>,
    next: &mut L,
    direction: Direction,
) -> Result<Nested<ModeOf<L>>, CuteError> {
    match shape {
        Nested::Leaf(extent) if !is_extent(extent) => Err(CuteError::ZeroExtent),
        Nested::Leaf(extent) => {
            let after = next.times(extent)?;
            let stride = match extent.is(1) {
                true => L::from(0),
                false => std::mem::replace(next, after),
            };
            Ok(Nested::Leaf(ModeOf {
                shape: extent.clone(),
                stride: stride.into(),
            }))
        }
        Nested::Tuple(modes) => {
            let each = |mode: &Nested<L>| compact(mode, next, direction);
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

fn order_error<L: Leaf, T>(shape: &Nested<L>, order: &Nested<T>) -> CuteError {
    CuteError::NotCongruent {
        left: Box::new(shape.shown()),
        right: Box::new(order.map(&mut |_| Int::ZERO)),
    }
}

/// Collects the size of the part of the shape at each leaf of the order.
fn sizes_by_place<L: Leaf>(
    shape: &Nested<L>,
    order: &Nested<Place>,
    places: &mut Vec<(Place, L)>,
) -> Result<(), CuteError> {
    match (order, shape) {
        (Nested::Leaf(place), _) => {
            places.push((*place, shape.product()?));
            Ok(())
        }
        (Nested::Tuple(orders), Nested::Tuple(modes)) if orders.len() == modes.len() => {
            let mut parts = modes.iter().zip(orders);
            parts.try_for_each(|(mode, order)| sizes_by_place(mode, order, places))
        }
        (Nested::Tuple(_), _) => Err(order_error(shape, order)),
    }
}

fn place_modes<L: Leaf>(
    shape: &Nested<L>,
    order: &Nested<Place>,
    starts: &[(Place, L)],
) -> Result<Nested<ModeOf<L>>, CuteError> {
    match (order, shape) {
        (Nested::Leaf(place), _) => {
            let start = starts.iter().find(|(known, _)| known == place);
            let mut next = start.map_or(L::from(1), |(_, start)| start.clone());
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
