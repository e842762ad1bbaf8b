//! The fields of a tensor map, for reports.

use std::fmt;

/// A field of a tensor map. Dimensions are numbered from zero, the contiguous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TensorMapField {
    /// The address of the descriptor itself.
    MapAddress,
    /// The number of dimensions.
    Rank,
    /// The number of strides.
    StrideCount,
    /// The number of box extents.
    BoxDimCount,
    /// The number of element strides.
    ElementStrideCount,
    /// The number of corner coordinates.
    CornerCount,
    /// The element type.
    DataType,
    /// The address of the tensor.
    GlobalAddress,
    /// The size of a dimension, in elements.
    GlobalDim(usize),
    /// The stride of dimension `i + 1`, in bytes: entry `i` of the list.
    GlobalStride(usize),
    /// The stride of dimension 0, which no field holds: it is always 1.
    InnerStride,
    /// The extent of the box along a dimension, in elements.
    BoxDim(usize),
    /// The extent of the box along dimension 0, in bits.
    BoxRowBits,
    /// The extent of the box along dimension 0, in bytes.
    BoxRowBytes,
    /// The size of the box in bytes of shared memory.
    BoxBytes,
    /// The step along a dimension, in elements.
    ElementStride(usize),
    /// The grouping of channels.
    Interleave,
    /// The permutation in shared memory.
    Swizzle,
    /// The value of out-of-bounds elements.
    OobFill,
    /// The lower corner of the bounding box, along entry `i` of W, H, D.
    LowerCorner(usize),
    /// The upper corner of the bounding box, along entry `i` of W, H, D.
    UpperCorner(usize),
    /// The width of the bounding box along entry `i` of W, H, D, in pixels.
    BoundingBox(usize),
    /// The end of the bounding box along entry `i` of W, H, D, exclusive, in pixels.
    BoundingBoxEnd(usize),
    /// The number of elements along C.
    ChannelsPerPixel,
    /// The number of elements along C, in bits.
    ChannelBits,
    /// The number of pixels of a column.
    PixelsPerColumn,
}

impl fmt::Display for TensorMapField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TensorMapField::MapAddress => f.write_str("tensorMap"),
            TensorMapField::Rank => f.write_str("tensorRank"),
            TensorMapField::StrideCount => f.write_str("number of globalStrides"),
            TensorMapField::BoxDimCount => f.write_str("number of boxDim"),
            TensorMapField::ElementStrideCount => f.write_str("number of elementStrides"),
            TensorMapField::CornerCount => f.write_str("number of pixelBox corner coordinates"),
            TensorMapField::DataType => f.write_str("tensorDataType"),
            TensorMapField::GlobalAddress => f.write_str("globalAddress"),
            TensorMapField::GlobalDim(index) => write!(f, "globalDim[{index}]"),
            TensorMapField::GlobalStride(index) => write!(f, "globalStrides[{index}]"),
            TensorMapField::InnerStride => f.write_str("stride of dimension 0"),
            TensorMapField::BoxDim(index) => write!(f, "boxDim[{index}]"),
            TensorMapField::BoxRowBits => f.write_str("boxDim[0] in bits"),
            TensorMapField::BoxRowBytes => f.write_str("boxDim[0] in bytes"),
            TensorMapField::BoxBytes => f.write_str("the box in bytes"),
            TensorMapField::ElementStride(index) => write!(f, "elementStrides[{index}]"),
            TensorMapField::Interleave => f.write_str("interleave"),
            TensorMapField::Swizzle => f.write_str("swizzle"),
            TensorMapField::OobFill => f.write_str("oobFill"),
            TensorMapField::LowerCorner(index) => write!(f, "pixelBoxLowerCorner[{index}]"),
            TensorMapField::UpperCorner(index) => write!(f, "pixelBoxUpperCorner[{index}]"),
            TensorMapField::BoundingBox(index) => write!(f, "bounding box extent {index}"),
            TensorMapField::BoundingBoxEnd(index) => write!(f, "bounding box end {index}"),
            TensorMapField::ChannelsPerPixel => f.write_str("channelsPerPixel"),
            TensorMapField::ChannelBits => f.write_str("channelsPerPixel in bits"),
            TensorMapField::PixelsPerColumn => f.write_str("pixelsPerColumn"),
        }
    }
}
