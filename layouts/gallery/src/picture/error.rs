//! Errors of views.

use std::fmt;

use tilewright_layouts::LayoutError;
use tilewright_layouts::cute::Composed;

/// The reason why a picture cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PictureError {
    /// Neither side of the layout is an offset in shared memory.
    NoOffset,
    /// The memory exceeds the limit of elements.
    TooLarge {
        /// The base-2 logarithm of the number of elements, rounded up.
        bits: u32,
        /// The base-2 logarithm of the limit.
        limit: u32,
    },
    /// Registers and memory hold tiles of different shapes.
    Shapes {
        /// The shape of the tile in registers.
        registers: Vec<u32>,
        /// The shape of the tile in memory.
        memory: Vec<u32>,
    },
    /// An element that a thread accesses is not in memory.
    NotInMemory {
        /// The element.
        element: Vec<u32>,
    },
    /// An extent is dynamic.
    Dynamic,
    /// An invalid access.
    Access(LayoutError),
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOffset => {
                f.write_str("the layout has no dimension offset: it is no layout of shared memory")
            }
            Self::TooLarge { bits, limit } => write!(
                f,
                "2^{bits} elements of shared memory are too many to look at one by one; at most 2^{limit} are"
            ),
            Self::Shapes { registers, memory } => write!(
                f,
                "the registers hold a tile of shape {registers:?} and the memory one of shape {memory:?}"
            ),
            Self::NotInMemory { element } => write!(f, "element {element:?} has no place in the memory"),
            Self::Dynamic => f.write_str("an extent or a stride of the layout is not known before run time"),
            Self::Access(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PictureError {}

/// Checks that a layout is static.
pub(super) fn known(layout: &Composed) -> Result<(), PictureError> {
    if layout.layout().is_static() && layout.offset().is_static() {
        Ok(())
    } else {
        Err(PictureError::Dynamic)
    }
}
