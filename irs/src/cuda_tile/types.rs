//! The types of values.

use std::sync::Arc;

use super::enums::{PaddingValue, PtrAttr};
use super::preview::PreviewType;
use super::shape::Shape;
use crate::core::ValueType;
use crate::element::{ElementType, ScalarType};

/// What a tile holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Numbers.
    Scalar(ScalarType),
    /// Addresses.
    Ptr(Pointer),
}

/// An address of global memory, 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// The type found there.
    pub pointee: ScalarType,
    /// The kind of mapping, if the type says so (from 13.4 on).
    pub attr: Option<PtrAttr>,
}

impl Element {
    /// Addresses of this type, of no said kind.
    pub const fn ptr(pointee: ScalarType) -> Self {
        Self::Ptr(Pointer { pointee, attr: None })
    }

    /// The number type, unless it is a pointer.
    pub const fn scalar(self) -> Option<ScalarType> {
        match self {
            Self::Scalar(scalar) => Some(scalar),
            Self::Ptr(_) => None,
        }
    }

    /// The pointer, unless it is a number.
    pub const fn pointer(self) -> Option<Pointer> {
        match self {
            Self::Scalar(_) => None,
            Self::Ptr(pointer) => Some(pointer),
        }
    }

    /// The element type that all languages share; the kind of mapping is dropped.
    pub const fn plain(self) -> ElementType {
        match self {
            Self::Scalar(scalar) => ElementType::Scalar(scalar),
            Self::Ptr(pointer) => ElementType::Ptr(pointer.pointee),
        }
    }
}

impl From<ScalarType> for Element {
    fn from(scalar: ScalarType) -> Self {
        Self::Scalar(scalar)
    }
}

impl From<ElementType> for Element {
    fn from(element: ElementType) -> Self {
        match element {
            ElementType::Scalar(scalar) => Self::Scalar(scalar),
            ElementType::Ptr(pointee) => Self::ptr(pointee),
        }
    }
}

/// A tile: an immutable array. One of rank 0 is a scalar; there are no other scalar values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// The extents: powers of two, outermost first.
    pub shape: Shape,
    /// What it holds.
    pub element: Element,
}

impl Tile {
    /// A tile type.
    pub fn new(shape: impl Into<Shape>, element: impl Into<Element>) -> Self {
        Self {
            shape: shape.into(),
            element: element.into(),
        }
    }

    /// The type of a scalar.
    pub fn scalar(element: impl Into<Element>) -> Self {
        Self::new(Shape::SCALAR, element)
    }
}

/// A strided tensor in global memory. Extents and strides count elements; `None` is one known at run time only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorView {
    /// What the tensor holds.
    pub element: ScalarType,
    /// The extents.
    pub shape: Vec<Option<u64>>,
    /// The strides, one an extent.
    pub strides: Vec<Option<u64>>,
    /// The kind of mapping, if the type says so (from 13.4 on).
    pub attr: Option<PtrAttr>,
}

/// A tensor cut into a grid of tiles, each aligned to its size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PartitionView {
    /// The tile's extents.
    pub tile: Shape,
    /// The tensor.
    pub tensor: TensorView,
    /// The tensor's dimension for each of the tile's.
    pub dim_map: Vec<u32>,
    /// What is loaded from outside of the tensor; without one, anything.
    pub padding: Option<PaddingValue>,
}

/// A tensor seen through tiles that start at multiples of a stride.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StridedView {
    /// The tile's extents.
    pub tile: Shape,
    /// How many elements lie between the starts of two tiles, for each of the tile's dimensions.
    pub traversal_strides: Vec<u64>,
    /// The tensor.
    pub tensor: TensorView,
    /// The tensor's dimension for each of the tile's.
    pub dim_map: Vec<u32>,
    /// What is loaded from outside of the tensor; without one, anything.
    pub padding: Option<PaddingValue>,
}

/// A tensor whose rows along one dimension are picked by a tile of positions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GatherScatterView {
    /// The tile's extents.
    pub tile: Shape,
    /// The tensor.
    pub tensor: TensorView,
    /// The dimension along which positions are picked.
    pub sparse_dim: u32,
    /// What is loaded from outside of the tensor; without one, anything.
    pub padding: Option<PaddingValue>,
}

/// The type of a value. Views are shared: they are large, and many values have the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TileType {
    /// A tile.
    Tile(Tile),
    /// A tensor.
    TensorView(Arc<TensorView>),
    /// A tensor cut into tiles.
    PartitionView(Arc<PartitionView>),
    /// A tensor seen through tiles at a stride.
    StridedView(Arc<StridedView>),
    /// A tensor whose rows are picked.
    GatherScatterView(Arc<GatherScatterView>),
    /// An order between memory ops.
    Token,
}

impl TileType {
    /// A tile type.
    pub fn tile(shape: impl Into<Shape>, element: impl Into<Element>) -> Self {
        Self::Tile(Tile::new(shape, element))
    }

    /// The type of a scalar.
    pub fn scalar(element: impl Into<Element>) -> Self {
        Self::Tile(Tile::scalar(element))
    }

    /// The tile, if it is one.
    pub fn as_tile(&self) -> Option<&Tile> {
        match self {
            Self::Tile(tile) => Some(tile),
            Self::TensorView(_)
            | Self::PartitionView(_)
            | Self::StridedView(_)
            | Self::GatherScatterView(_)
            | Self::Token => None,
        }
    }

    /// The tensor, if it is one itself.
    pub fn as_tensor_view(&self) -> Option<&TensorView> {
        match self {
            Self::TensorView(tensor) => Some(tensor),
            Self::Tile(_)
            | Self::PartitionView(_)
            | Self::StridedView(_)
            | Self::GatherScatterView(_)
            | Self::Token => None,
        }
    }

    /// What the type says as a view of tiles, if it is one.
    pub fn as_view(&self) -> Option<View<'_>> {
        match self {
            Self::PartitionView(view) => Some(View {
                tile: &view.tile,
                tensor: &view.tensor,
                sparse_dim: None,
            }),
            Self::StridedView(view) => Some(View {
                tile: &view.tile,
                tensor: &view.tensor,
                sparse_dim: None,
            }),
            Self::GatherScatterView(view) => Some(View {
                tile: &view.tile,
                tensor: &view.tensor,
                sparse_dim: Some(view.sparse_dim),
            }),
            Self::Tile(_) | Self::TensorView(_) | Self::Token => None,
        }
    }

    /// Whether it is a tensor or a view of tiles, which no loop carries and no branch gives.
    pub fn is_view(&self) -> bool {
        match self {
            Self::TensorView(_)
            | Self::PartitionView(_)
            | Self::StridedView(_)
            | Self::GatherScatterView(_) => true,
            Self::Tile(_) | Self::Token => false,
        }
    }

    /// The bytes of heap that a copy takes.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Tile(tile) => tile.shape.heap_bytes(),
            Self::TensorView(_)
            | Self::PartitionView(_)
            | Self::StridedView(_)
            | Self::GatherScatterView(_)
            | Self::Token => 0,
        }
    }
}

/// What views of tiles have in common.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The tile's extents.
    pub tile: &'a Shape,
    /// The tensor.
    pub tensor: &'a TensorView,
    /// The dimension along which positions are picked, in a gather-scatter view.
    pub sparse_dim: Option<u32>,
}

impl View<'_> {
    /// The type of a tile that is loaded through the view.
    pub fn tile_type(&self) -> Tile {
        Tile::new(self.tile.clone(), self.tensor.element)
    }
}

/// Any type that bytecode can name: those of values, and the parts that they are made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnyType {
    /// A number type.
    Scalar(ScalarType),
    /// A pointer.
    Ptr(Pointer),
    /// The type of a value.
    Value(TileType),
    /// A signature.
    Func(Signature),
    /// A type that only preview content has.
    Preview(Box<PreviewType>),
}

impl From<PreviewType> for AnyType {
    fn from(ty: PreviewType) -> Self {
        Self::Preview(Box::new(ty))
    }
}

impl From<Tile> for TileType {
    fn from(tile: Tile) -> Self {
        Self::Tile(tile)
    }
}

impl From<TileType> for AnyType {
    fn from(ty: TileType) -> Self {
        Self::Value(ty)
    }
}

impl From<ScalarType> for AnyType {
    fn from(scalar: ScalarType) -> Self {
        Self::Scalar(scalar)
    }
}

/// The type of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The types of the parameters.
    pub inputs: Vec<AnyType>,
    /// The types of the results; kernels have none.
    pub results: Vec<AnyType>,
}

impl ValueType for TileType {
    fn element(&self) -> Option<ElementType> {
        self.as_tile().map(|tile| tile.element.plain())
    }
    fn with_element(&self, element: ElementType) -> Self {
        match self {
            Self::Tile(tile) => Self::tile(tile.shape.clone(), element),
            Self::TensorView(_)
            | Self::PartitionView(_)
            | Self::StridedView(_)
            | Self::GatherScatterView(_)
            | Self::Token => self.clone(),
        }
    }
    fn is_single(&self) -> bool {
        self.as_tile().is_some_and(|tile| tile.shape.is_empty())
    }
}
