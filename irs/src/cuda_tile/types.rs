//! Types of values.

use std::sync::Arc;

use super::enums::{PaddingValue, PtrAttr};
use super::preview::PreviewType;
use super::shape::Shape;
use crate::core::{Owned, ValueType};
use crate::element::{ElementType, ScalarType};

/// The element of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Numbers.
    Scalar(ScalarType),
    /// Addresses.
    Ptr(Pointer),
}

/// A pointer to global memory, 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// The type of its target.
    pub pointee: ScalarType,
    /// The kind of mapping, if the type says so (from 13.4 on).
    pub attr: Option<PtrAttr>,
}

impl Element {
    /// Pointers to this type, without a stated kind of mapping.
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

    /// The element type shared by all languages; the kind of mapping is dropped.
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
    /// The element type.
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

/// A strided tensor in global memory. Extents and strides count elements; `None` is a dynamic one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorView {
    /// The element type.
    pub element: ScalarType,
    /// The extents.
    pub shape: Vec<Option<u64>>,
    /// The strides, one for each extent.
    pub strides: Vec<Option<u64>>,
    /// The kind of mapping, if the type says so (from 13.4 on).
    pub attr: Option<PtrAttr>,
}

/// A partition of a tensor into a grid of tiles, each aligned to its size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PartitionView {
    /// The tile's extents.
    pub tile: Shape,
    /// The tensor.
    pub tensor: TensorView,
    /// The tensor's dimension for each of the tile's.
    pub dim_map: Vec<u32>,
    /// The value of elements outside of the tensor; unspecified without one.
    pub padding: Option<PaddingValue>,
}

/// A view of a tensor with tiles that start at multiples of a stride.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StridedView {
    /// The tile's extents.
    pub tile: Shape,
    /// The distance between the starts of two tiles, in elements, for each of the tile's dimensions.
    pub traversal_strides: Vec<u64>,
    /// The tensor.
    pub tensor: TensorView,
    /// The tensor's dimension for each of the tile's.
    pub dim_map: Vec<u32>,
    /// The value of elements outside of the tensor; unspecified without one.
    pub padding: Option<PaddingValue>,
}

/// A view of a tensor whose rows along one dimension are selected by a tile of indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GatherScatterView {
    /// The tile's extents.
    pub tile: Shape,
    /// The tensor.
    pub tensor: TensorView,
    /// The dimension of the indices.
    pub sparse_dim: u32,
    /// The value of elements outside of the tensor; unspecified without one.
    pub padding: Option<PaddingValue>,
}

crate::keywords! {
    /// The word that the type of a value begins with.
    pub enum TypeWord {
        /// An immutable array whose extents are powers of two; without extents, a number.
        Tile = "tile",
        /// A strided tensor in global memory.
        TensorView = "tensor_view",
        /// A partition of a tensor into a grid of tiles, each aligned to its size.
        PartitionView = "partition_view",
        /// A view of a tensor with tiles that start at multiples of a stride.
        StridedView = "strided_view",
        /// A view of a tensor whose rows along one dimension are selected by a tile of indices.
        GatherScatterView = "gather_scatter_view",
        /// Orders memory ops.
        Token = "token",
    }
}

crate::keywords! {
    /// The word that a part of a view's type begins with.
    pub enum ViewPart {
        /// The tile's extents.
        Tile = "tile",
        /// The tensor.
        TensorView = "tensor_view",
        /// The value of elements outside of the tensor; unspecified without one.
        Padding = "padding_value",
        /// The tensor's dimension for each of the tile's.
        DimMap = "dim_map",
        /// The distance between the starts of two tiles, in elements, for each of the tile's dimensions.
        TraversalStrides = "traversal_strides",
        /// The dimension of the indices.
        SparseDim = "sparse_dim",
    }
}

/// The type of a value. Views are reference-counted: they are large and often shared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TileType {
    /// A tile.
    Tile(Tile),
    /// A tensor.
    TensorView(Arc<TensorView>),
    /// A partition of a tensor.
    PartitionView(Arc<PartitionView>),
    /// A strided view of a tensor.
    StridedView(Arc<StridedView>),
    /// A gather-scatter view of a tensor.
    GatherScatterView(Arc<GatherScatterView>),
    /// Orders memory ops.
    Token,
}

impl TileType {
    /// The same type with every extent of its tile rounded up to a power of two; `None` if there is no such number.
    pub fn rounded_up(&self) -> Option<Self> {
        let round = |shape: &Shape| -> Option<Shape> {
            let extents = shape.iter().map(|extent| extent.checked_next_power_of_two());
            extents.collect()
        };
        let mut ty = self.clone();
        match &mut ty {
            Self::Tile(tile) => tile.shape = round(&tile.shape)?,
            Self::PartitionView(view) => Arc::make_mut(view).tile = round(&view.tile)?,
            Self::StridedView(view) => Arc::make_mut(view).tile = round(&view.tile)?,
            Self::GatherScatterView(view) => Arc::make_mut(view).tile = round(&view.tile)?,
            Self::TensorView(_) | Self::Token => {}
        }
        Some(ty)
    }

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

    /// The tensor, if it is a tensor view.
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

    /// The view of tiles, if it is one.
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

    /// Whether it is a tensor or a view of tiles, which may not be carried by a loop or yielded by a branch.
    pub fn is_view(&self) -> bool {
        match self {
            Self::TensorView(_)
            | Self::PartitionView(_)
            | Self::StridedView(_)
            | Self::GatherScatterView(_) => true,
            Self::Tile(_) | Self::Token => false,
        }
    }

    /// Heap size of a copy, in bytes.
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

/// The common properties of views of tiles.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The tile's extents.
    pub tile: &'a Shape,
    /// The tensor.
    pub tensor: &'a TensorView,
    /// The dimension of the indices, in a gather-scatter view.
    pub sparse_dim: Option<u32>,
}

impl View<'_> {
    /// The type of a tile that is loaded through the view.
    pub fn tile_type(&self) -> Tile {
        Tile::new(self.tile.clone(), self.tensor.element)
    }
}

/// Any type of the bytecode's type table: those of values, and their parts.
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
    /// A type of preview content.
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
    const PARAMETERS: &'static [Owned] = crate::owned! {
        "tensor_view" {
            ptr_attr in Meaning: PtrAttr, "The kind of mapping.";
        }
        "partition_view" {
            dim_map in Layout: Vec<u32>, "The tensor's dimension for each of the tile's.";
            padding_value in Meaning: PaddingValue, "The value of elements outside of the tensor.";
        }
        "strided_view" {
            traversal_strides in Layout: Vec<u64>, "The distance between the starts of two tiles along each dimension.";
            dim_map in Layout: Vec<u32>, "The tensor's dimension for each of the tile's.";
            padding_value in Meaning: PaddingValue, "The value of elements outside of the tensor.";
        }
        "gather_scatter_view" {
            sparse_dim in Layout: u32, "The dimension of the indices.";
            padding_value in Meaning: PaddingValue, "The value of elements outside of the tensor.";
        }
    };
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
