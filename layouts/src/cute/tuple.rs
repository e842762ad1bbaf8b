//! Nested tuples: of integers, of modes, of slots of a coordinate.

use super::error::{CuteError, Op};
use super::int::Int;
use super::leaf::Leaf;

/// A leaf, or a tuple of nested tuples.
///
/// The nesting without the leaves is the *profile*; two tuples with equal profiles are *congruent*.
/// A leaf has rank 1 and depth 0 and is its own only mode.
///
/// Operations on tuples recurse to the depth of nesting. Texts are nested at most
/// [`MAX_TEXT_DEPTH`](super::MAX_TEXT_DEPTH) deep, and layouts in use four or five; tuples
/// constructed in a loop have to stay below a depth of one thousand to avoid stack overflow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nested<T> {
    /// A single value.
    Leaf(T),
    /// A tuple, possibly empty.
    Tuple(Vec<Nested<T>>),
}

/// A nested tuple of integers: a shape, a stride, or a coordinate without free modes.
pub type IntTuple = Nested<Int>;

impl<T> Nested<T> {
    /// The number of modes: the length of a tuple, 1 for a leaf.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let tuple: IntTuple = "(2,(3,4),())".parse()?;
    /// assert_eq!((tuple.rank(), IntTuple::from(5).rank()), (3, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.modes().len()
    }

    /// The depth of nesting: 0 for a leaf, otherwise one more than that of its deepest mode.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let tuple: IntTuple = "(2,(3,(4,5)))".parse()?;
    /// assert_eq!((tuple.rank(), tuple.depth()), (2, 3));
    /// # Ok::<(), tilewright_layouts::cute::ParseCuteError>(())
    /// ```
    pub fn depth(&self) -> usize {
        match self {
            Self::Leaf(_) => 0,
            Self::Tuple(modes) => 1 + modes.iter().map(Self::depth).max().unwrap_or(0),
        }
    }

    /// Whether the tuple is a single value.
    pub fn is_leaf(&self) -> bool {
        matches!(self, Self::Leaf(_))
    }

    /// The modes; a leaf is its own only mode.
    pub fn modes(&self) -> &[Nested<T>] {
        match self {
            Self::Leaf(_) => std::slice::from_ref(self),
            Self::Tuple(modes) => modes,
        }
    }

    /// The part at a path of mode numbers, outermost first; the empty path is the whole.
    ///
    /// # Errors
    /// There is no such mode.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let tuple: IntTuple = "(2,(3,(4,5)))".parse()?;
    /// assert_eq!(tuple.get(&[1, 1])?.to_string(), "(4,5)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn get(&self, path: &[usize]) -> Result<&Nested<T>, CuteError> {
        path.iter().try_fold(self, |part, mode| {
            part.modes().get(*mode).ok_or(CuteError::NoMode {
                mode: *mode,
                rank: part.rank(),
            })
        })
    }

    /// The leaves from left to right.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let tuple: IntTuple = "(2,(3,()),5)".parse()?;
    /// assert_eq!(tuple.leaves().filter_map(|leaf| leaf.as_static()).collect::<Vec<_>>(), [2, 3, 5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn leaves(&self) -> Leaves<'_, T> {
        Leaves {
            stack: vec![std::slice::from_ref(self).iter()],
        }
    }

    /// Calls `visit` with each leaf from left to right.
    pub(super) fn each<'a>(&'a self, visit: &mut impl FnMut(&'a T)) {
        match self {
            Self::Leaf(leaf) => visit(leaf),
            Self::Tuple(modes) => modes.iter().for_each(|mode| mode.each(visit)),
        }
    }

    /// Maps the leaves, keeping the profile.
    pub fn map<'a, U>(&'a self, leaf: &mut impl FnMut(&'a T) -> U) -> Nested<U> {
        match self {
            Self::Leaf(value) => Nested::Leaf(leaf(value)),
            Self::Tuple(modes) => Nested::Tuple(modes.iter().map(|mode| mode.map(leaf)).collect()),
        }
    }

    /// Maps the leaves, keeping the profile, up to the first error.
    ///
    /// # Errors
    /// Those of `leaf`.
    pub fn try_map<U, E>(&self, leaf: &mut impl FnMut(&T) -> Result<U, E>) -> Result<Nested<U>, E> {
        match self {
            Self::Leaf(value) => leaf(value).map(Nested::Leaf),
            Self::Tuple(modes) => {
                let modes = modes.iter().map(|mode| mode.try_map(leaf));
                modes.collect::<Result<_, _>>().map(Nested::Tuple)
            }
        }
    }

    /// Whether the profiles are equal.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let (a, b): (IntTuple, IntTuple) = ("(2,(3,4))".parse()?, "(5,(6,7))".parse()?);
    /// assert!(a.congruent(&b) && !a.congruent(&"(2,3,4)".parse::<IntTuple>()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn congruent<U>(&self, other: &Nested<U>) -> bool {
        match (self, other) {
            (Self::Leaf(_), Nested::Leaf(_)) => true,
            (Self::Tuple(a), Nested::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.congruent(b))
            }
            (Self::Leaf(_), Nested::Tuple(_)) | (Self::Tuple(_), Nested::Leaf(_)) => false,
        }
    }

    /// Whether `other` has the profile of `self`, or one nested more deeply at leaves of `self`.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let (a, b): (IntTuple, IntTuple) = ("(2,3)".parse()?, "(5,(6,7))".parse()?);
    /// assert!(a.weakly_congruent(&b) && !b.weakly_congruent(&a));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn weakly_congruent<U>(&self, other: &Nested<U>) -> bool {
        match (self, other) {
            (Self::Leaf(_), _) => true,
            (Self::Tuple(a), Nested::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.weakly_congruent(b))
            }
            (Self::Tuple(_), Nested::Leaf(_)) => false,
        }
    }

    /// Zips two congruent tuples by leaf; `None` if they are not congruent.
    pub(super) fn zip_with<U, V>(
        self,
        other: Nested<U>,
        leaf: &mut impl FnMut(T, U) -> V,
    ) -> Option<Nested<V>> {
        match (self, other) {
            (Self::Leaf(a), Nested::Leaf(b)) => Some(Nested::Leaf(leaf(a, b))),
            (Self::Tuple(a), Nested::Tuple(b)) if a.len() == b.len() => {
                let modes = a.into_iter().zip(b).map(|(a, b)| a.zip_with(b, leaf));
                modes.collect::<Option<_>>().map(Nested::Tuple)
            }
            _ => None,
        }
    }
}

/// The leaves of a nested tuple from left to right.
#[derive(Clone, Debug)]
pub struct Leaves<'a, T> {
    stack: Vec<std::slice::Iter<'a, Nested<T>>>,
}

impl<'a, T> Iterator for Leaves<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        loop {
            match self.stack.last_mut()?.next() {
                Some(Nested::Leaf(leaf)) => return Some(leaf),
                Some(Nested::Tuple(modes)) => self.stack.push(modes.iter()),
                None => {
                    self.stack.pop();
                }
            }
        }
    }
}

impl<T: Clone> Nested<T> {
    /// Flattens the tuple to depth 1; a leaf is unchanged.
    pub fn flatten(&self) -> Nested<T> {
        match self {
            Self::Leaf(_) => self.clone(),
            Self::Tuple(_) => Self::Tuple(self.leaves().cloned().map(Self::Leaf).collect()),
        }
    }
}

impl From<u64> for IntTuple {
    fn from(value: u64) -> Self {
        Self::Leaf(Int::Static(value))
    }
}

impl From<Int> for IntTuple {
    fn from(value: Int) -> Self {
        Self::Leaf(value)
    }
}

impl<T: Into<IntTuple> + Clone, const N: usize> From<[T; N]> for IntTuple {
    fn from(modes: [T; N]) -> Self {
        Self::Tuple(modes.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<IntTuple> + Clone> From<&[T]> for IntTuple {
    fn from(modes: &[T]) -> Self {
        Self::Tuple(modes.iter().cloned().map(Into::into).collect())
    }
}

impl<L: Leaf> Nested<L> {
    /// The product of the leaves; 1 for the empty tuple.
    ///
    /// # Errors
    /// It overflows a 64-bit integer.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let tuple: IntTuple = "(2,(?{M},4))".parse()?;
    /// assert_eq!(tuple.product()?.to_string(), "?{8*M}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn product(&self) -> Result<L, CuteError> {
        match self {
            Self::Leaf(leaf) => Ok(leaf.clone()),
            Self::Tuple(modes) => modes
                .iter()
                .try_fold(L::from(1), |product, mode| product.times(&mode.product()?)),
        }
    }

    /// Whether every leaf is static.
    pub fn is_static(&self) -> bool {
        match self {
            Self::Leaf(leaf) => leaf.is_static(),
            Self::Tuple(modes) => modes.iter().all(Self::is_static),
        }
    }

    /// Whether every coordinate of `self` is one of `other`: the part of `other` at each leaf of
    /// `self` has the same size. A partial order; dynamic sizes are compared as expressions.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let flat: IntTuple = "(4,6)".parse()?;
    /// let nested: IntTuple = "((2,2),6)".parse()?;
    /// assert!(flat.compatible(&nested) && !nested.compatible(&flat));
    /// # Ok::<(), tilewright_layouts::cute::ParseCuteError>(())
    /// ```
    pub fn compatible(&self, other: &Nested<L>) -> bool {
        match (self, other) {
            (Self::Leaf(size), _) => other.product().is_ok_and(|product| product.same(size)),
            (Self::Tuple(a), Self::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.compatible(b))
            }
            (Self::Tuple(_), Self::Leaf(_)) => false,
        }
    }

    /// Divides a shape by a tile: `self / divisor` rounded up.
    ///
    /// Two tuples divide by mode; modes of `self` that `divisor` lacks are unchanged. An integer
    /// divides a tuple from the left: each mode is divided by as large a part as possible, and the
    /// remaining divisor, rounded up, applies to the next mode. An integer is divided by the product
    /// of a tuple. (CUTLASS: `ceil_div` of `int_tuple.hpp`.)
    ///
    /// # Errors
    /// `divisor` has more modes, or has a zero.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let shape: IntTuple = "(4,5,6)".parse()?;
    /// assert_eq!(shape.ceil_div(&IntTuple::from(40))?.to_string(), "(1,1,3)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ceil_div(&self, divisor: &Nested<L>) -> Result<Nested<L>, CuteError> {
        match (self, divisor) {
            (Self::Tuple(a), Self::Tuple(b)) => {
                if b.len() > a.len() {
                    return Err(CuteError::Rank {
                        op: Op::ShapeDiv,
                        found: b.len(),
                        limit: a.len(),
                    });
                }
                let divided = a.iter().enumerate().map(|(mode, a)| match b.get(mode) {
                    Some(b) => a.ceil_div(b),
                    None => Ok(a.clone()),
                });
                divided.collect::<Result<_, _>>().map(Self::Tuple)
            }
            (Self::Tuple(a), Self::Leaf(b)) => {
                let mut rest = b.clone();
                let divided = a.iter().map(|a| {
                    let part = a.ceil_div(&Self::Leaf(rest.clone()))?;
                    rest = rest.ceil_div(&a.product()?)?;
                    Ok(part)
                });
                divided.collect::<Result<_, _>>().map(Self::Tuple)
            }
            (Self::Leaf(a), _) => a.ceil_div(&divisor.product()?).map(Self::Leaf),
        }
    }

    /// The tuple as errors show it.
    pub(super) fn shown(&self) -> IntTuple {
        self.map(&mut Leaf::shown)
    }
}
