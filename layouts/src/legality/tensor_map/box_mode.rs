//! The elements of one copy.

/// How the width of an im2col-wide column is given (`CUtensorMapIm2ColWideMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Im2colWideMode {
    /// By `pixels_per_column`.
    W,
    /// It is 128, and `pixels_per_column` is ignored.
    W128,
}

/// Which elements one copy takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BoxMode {
    /// A box of the tensor.
    Tiled {
        /// Its extent along each dimension, in elements.
        box_dim: Vec<u32>,
    },
    /// Pixels of a convolution's input, unrolled to a column. Dimensions are C, W, H, D, N, of which
    /// three- and four-dimensional tensors lack D, and H.
    Im2col {
        /// Where the bounding box begins along W, H, D, relative to 0.
        lower_corner: Vec<i32>,
        /// Where the bounding box ends along W, H, D, relative to the last pixel.
        upper_corner: Vec<i32>,
        /// Elements along C.
        channels_per_pixel: u32,
        /// Pixels of the column.
        pixels_per_column: u32,
    },
    /// Pixels along W only.
    Im2colWide {
        /// Where the bounding box begins along W, relative to 0.
        lower_corner_width: i32,
        /// Where the bounding box ends along W, relative to the last pixel.
        upper_corner_width: i32,
        /// Elements along C.
        channels_per_pixel: u32,
        /// Pixels of the column, unless the mode is [`Im2colWideMode::W128`].
        pixels_per_column: u32,
        /// How many pixels.
        mode: Im2colWideMode,
    },
}

impl BoxMode {
    /// The function that encodes it.
    pub(super) const fn function(&self) -> &'static str {
        match self {
            BoxMode::Tiled { .. } => "cuTensorMapEncodeTiled",
            BoxMode::Im2col { .. } => "cuTensorMapEncodeIm2col",
            BoxMode::Im2colWide { .. } => "cuTensorMapEncodeIm2colWide",
        }
    }
}
