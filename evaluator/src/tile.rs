//! The values of a running kernel: tiles, tensors and tokens.

use std::rc::Rc;

use tilewright_irs::cuda_tile::{Element, Shape};
use tilewright_irs::element::ScalarType;

use crate::fault::{Fault, Outcome};
use crate::memory::Event;
use crate::unspecified::Marks;

/// A tile: its elements in row-major order, each as bits, the unused high ones zero. A pointer is an address of
/// [`Memory`](crate::memory::Memory), which encodes the buffer and the offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TileValue {
    /// The element type.
    pub(crate) element: Element,
    /// The extents, outermost first.
    pub(crate) shape: Shape,
    /// The elements.
    pub(crate) bits: Vec<u64>,
    /// The marks of unspecified elements.
    pub(crate) marks: Marks,
}

/// An element for which an operation is undefined.
#[derive(Debug)]
pub(crate) struct Failed<E> {
    /// The element's index.
    pub(crate) at: usize,
    /// The reason.
    pub(crate) why: E,
}

impl TileValue {
    /// A tile of these elements, all specified.
    pub(crate) fn new(element: impl Into<Element>, shape: Shape, bits: Vec<u64>) -> Self {
        Self {
            element: element.into(),
            shape,
            bits,
            marks: Marks::NONE,
        }
    }

    /// A tile of rank 0.
    pub(crate) fn scalar(element: impl Into<Element>, bits: u64) -> Self {
        Self::new(element, Shape::SCALAR, vec![bits])
    }

    /// A 32-bit integer.
    pub(crate) fn i32(bits: u32) -> Self {
        Self::scalar(ScalarType::I32, u64::from(bits))
    }

    /// A tile of the same shape with other elements.
    pub(crate) fn like(&self, element: impl Into<Element>, bits: Vec<u64>) -> Self {
        Self::new(element, self.shape.clone(), bits)
    }

    /// The tile with other marks.
    pub(crate) fn marked(mut self, marks: Marks) -> Self {
        self.marks = marks;
        self
    }

    /// The number type of its elements.
    pub(crate) fn scalar_type(&self) -> Outcome<ScalarType> {
        let scalar = self.element.scalar();
        scalar.ok_or_else(|| Fault::broken(format_args!("a tile of {} where numbers belong", self.element)))
    }

    /// The only element of a tile of rank 0.
    pub(crate) fn single(&self) -> Outcome<u64> {
        match self.bits.as_slice() {
            [bits] => Ok(*bits),
            other => Err(Fault::broken(format_args!(
                "a tile of {} elements where a scalar belongs",
                other.len()
            ))),
        }
    }

    /// Applies a function to each element.
    pub(crate) fn map(&self, element: impl Into<Element>, f: impl FnMut(u64) -> u64) -> Self {
        self.like(element, self.bits.iter().copied().map(f).collect())
            .marked(self.marks.clone())
    }

    /// Applies a function to each pair of elements of two tiles.
    pub(crate) fn zip(&self, other: &Self, element: impl Into<Element>, f: impl Fn(u64, u64) -> u64) -> Self {
        let pairs = self.bits.iter().zip(&other.bits);
        self.like(element, pairs.map(|(&a, &b)| f(a, b)).collect())
            .marked(self.marks.union(&other.marks))
    }

    /// Applies a function to the elements of three tiles.
    pub(crate) fn zip3(&self, second: &Self, third: &Self, f: impl Fn(u64, u64, u64) -> u64) -> Self {
        let triples = self.bits.iter().zip(&second.bits).zip(&third.bits);
        self.like(self.element, triples.map(|((&a, &b), &c)| f(a, b, c)).collect())
            .marked(self.marks.union(&second.marks).union(&third.marks))
    }

    /// Applies a partial function to each element, up to the first failure. It does not fail for unspecified
    /// elements.
    pub(crate) fn try_map<E>(
        &self,
        element: impl Into<Element>,
        f: impl Fn(u64) -> Result<u64, E>,
    ) -> Result<Self, Failed<E>> {
        let results = self.bits.iter().enumerate();
        let results = results.map(|(at, &bits)| match f(bits) {
            Err(why) if !self.marks.get(at).is_set() => Err(Failed { at, why }),
            result => Ok(result.unwrap_or(0)),
        });
        let tile = self.like(element, results.collect::<Result<_, _>>()?);
        Ok(tile.marked(self.marks.clone()))
    }

    /// Applies a partial function to each pair of elements of two tiles, up to the first failure.
    pub(crate) fn try_zip<E>(
        &self,
        other: &Self,
        f: impl Fn(u64, u64) -> Result<u64, E>,
    ) -> Result<Self, Failed<E>> {
        let marks = self.marks.union(&other.marks);
        let pairs = self.bits.iter().zip(&other.bits).enumerate();
        let results = pairs.map(|(at, (&a, &b))| match f(a, b) {
            Err(why) if !marks.get(at).is_set() => Err(Failed { at, why }),
            result => Ok(result.unwrap_or(0)),
        });
        let tile = self.like(self.element, results.collect::<Result<_, _>>()?);
        Ok(tile.marked(marks))
    }

    /// The position of an element, for a message: ` at element [1, 2]`, or an empty text for a scalar.
    pub(crate) fn place(&self, at: usize) -> String {
        place(&self.shape, at)
    }
}

/// The position of an element of a shape, for a message.
pub(crate) fn place(shape: &Shape, at: usize) -> String {
    if shape.is_empty() {
        return String::new();
    }
    format!(" at element {:?}", coordinates(shape, at))
}

/// The coordinates of an element from its row-major index.
pub(crate) fn coordinates(shape: &Shape, at: usize) -> Vec<u64> {
    let mut rest = u64::try_from(at).unwrap_or(u64::MAX);
    let mut found: Vec<u64> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let extent = extent.max(1);
            let coordinate = rest % extent;
            rest /= extent;
            coordinate
        })
        .collect();
    found.reverse();
    found
}

/// The number of elements of a shape.
pub(crate) fn count(shape: &Shape) -> Outcome<usize> {
    let elements = shape.elements().and_then(|count| usize::try_from(count).ok());
    elements.ok_or_else(|| Fault::broken(format_args!("a tile of {shape} elements")))
}

/// A strided tensor in memory, the result of `make_tensor_view`. Views of it are the same at run time.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    /// The address of its first element.
    pub(crate) base: u64,
    /// The extents.
    pub(crate) extents: Vec<u64>,
    /// The strides, in elements.
    pub(crate) strides: Vec<u64>,
}

/// The run-time value of an SSA value.
#[derive(Clone, Debug)]
pub(crate) enum Runtime {
    /// A tile.
    Tile(Rc<TileValue>),
    /// A tensor, or a view of one.
    Tensor(Rc<Tensor>),
    /// A token: the event that it orders after.
    Token(Event),
}

impl From<TileValue> for Runtime {
    fn from(tile: TileValue) -> Self {
        Self::Tile(Rc::new(tile))
    }
}

impl From<Tensor> for Runtime {
    fn from(tensor: Tensor) -> Self {
        Self::Tensor(Rc::new(tensor))
    }
}

impl From<Event> for Runtime {
    fn from(event: Event) -> Self {
        Self::Token(event)
    }
}
