//! The elements of one copy.

/// The width of an im2col-wide column (`CUtensorMapIm2ColWideMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Im2colWideMode {
    /// Set by `pixels_per_column`.
    W,
    /// 128; `pixels_per_column` is ignored.
    W128,
}

/// The elements that one copy selects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BoxMode {
    /// A box of the tensor.
    Tiled {
        /// The extent along each dimension, in elements.
        box_dim: Vec<u32>,
    },
    /// Pixels of a convolution's input, unrolled to a column. Dimensions are C, W, H, D, N;
    /// four-dimensional tensors lack D, and three-dimensional ones also H.
    Im2col {
        /// The lower corner of the bounding box along W, H, D, relative to 0.
        lower_corner: Vec<i32>,
        /// The upper corner of the bounding box along W, H, D, relative to the last pixel.
        upper_corner: Vec<i32>,
        /// The number of elements along C.
        channels_per_pixel: u32,
        /// The number of pixels of a column.
        pixels_per_column: u32,
    },
    /// Pixels along W only.
    Im2colWide {
        /// The lower corner of the bounding box along W, relative to 0.
        lower_corner_width: i32,
        /// The upper corner of the bounding box along W, relative to the last pixel.
        upper_corner_width: i32,
        /// The number of elements along C.
        channels_per_pixel: u32,
        /// The number of pixels of a column, unless the mode is [`Im2colWideMode::W128`].
        pixels_per_column: u32,
        /// The width mode.
        mode: Im2colWideMode,
    },
}

impl BoxMode {
    /// The driver function that encodes the mode.
    pub(super) const fn function(&self) -> &'static str {
        match self {
            BoxMode::Tiled { .. } => "cuTensorMapEncodeTiled",
            BoxMode::Im2col { .. } => "cuTensorMapEncodeIm2col",
            BoxMode::Im2colWide { .. } => "cuTensorMapEncodeIm2colWide",
        }
    }
}
