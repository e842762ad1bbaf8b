//! Pictures of layouts: the thread and register of each element, its bank, and the cost of an access.
//!
//! A *view* is a pure function from a layout to a [`Picture`], a grid of labelled cells with a legend
//! and notes. A picture is then rendered as a table ([`Picture::to_table`]), in a terminal
//! ([`Picture::to_terminal`]) or as SVG ([`to_svg`]).
//!
//! | view | rows and columns | a cell |
//! |---|---|---|
//! | [`by_element`] | the tile's axes | the thread and register that hold the element |
//! | [`by_thread`] | threads and registers | the element that is held |
//! | [`by_offset`] | the tile's axes | the element's offset and bank in shared memory |
//! | [`by_bank`] | rows of 128 bytes and banks | the elements stored there |
//! | [`by_coordinate`] | the modes of a CuTe layout | the index of the coordinate |
//! | [`of_coordinates`] | the modes of a CuTe layout of basis strides | the coordinate that it maps to |
//! | [`WarpAccess::picture`] | cycles and banks | the lanes that are served |
//!
//! Colours repeat the information of labels: one hue for each group of lanes, each warp, or each
//! group of four banks. A large tile is shown in part, with a note about the part ([`Window`]), and
//! neighbours that stay together share a cell ([`Merge`]).
//!
//! ```
//! use tilewright_layout_gallery::picture;
//! use tilewright_layouts::Blocked;
//! let layout = Blocked::coalesced(&[4, 32], 4, &[1, 0], 1)?.to_linear(&[4, 32])?;
//! let picture = picture::by_element(&layout, &picture::Options::default());
//! // Four elements of a thread to a cell.
//! assert_eq!((picture.rows.labels.len(), picture.columns.labels.len()), (4, 8));
//! assert_eq!(picture.cells[9].label(), "T9:R0–3");
//! # Ok::<(), tilewright_layouts::LayoutError>(())
//! ```

mod access;
mod color;
mod coloring;
mod coordinate;
mod element;
mod error;
mod grid;
mod holders;
mod memory;
mod memory_views;
mod model;
mod svg;
mod text;

pub use access::WarpAccess;
pub use color::{HUES, Rgb, TINTS, Tone};
pub use coordinate::{by_coordinate, of_coordinates};
pub use element::{by_element, by_thread};
pub use error::PictureError;
pub use memory::Memory;
pub use memory_views::{by_bank, by_offset};
pub use model::{Axis, Cell, Legend, Merge, Options, Picture, Window};
pub use svg::to_svg;
pub use text::Depth;
