//! Types of `tileas` and `scheduled`.

use tilewright_layouts::{Dim, LinearLayout};

use super::buffer::Buffer;
use super::map_parameter::MapParameter;
use crate::core::{Arg, Args, Owned, Term, TermCodec, TermError, ValueType};
use crate::dialects::memory::Memref;
use crate::dialects::memory_rules::MemoryType;
use crate::dialects::pipe::{PipeType, PipeValue};
use crate::dialects::tile_rules::ShapedType;
use crate::element::ElementType;
use crate::tileaa::{read_tile, write_tile};

/// A type of `tileas`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TileAsType {
    /// One element, uniform over the threads.
    Scalar(ElementType),
    /// A tile in registers with its distributed layout.
    Tile {
        /// The element type.
        element: ElementType,
        /// The layout; its out-dimensions are the tile's extents.
        layout: LinearLayout,
        /// The extents, which are those of the layout.
        shape: Vec<u32>,
    },
    /// An array in global memory.
    Memref(Memref),
    /// A tile in shared or tensor memory.
    Buffer(Buffer),
    /// The result of an asynchronous op, which only a wait makes available.
    Pending(Option<Box<Pending>>),
    /// The tensor map of an array, made in the kernel.
    TensorMap,
    /// A tensor map that is a parameter of the kernel.
    MapParameter(MapParameter),
    /// Orders memory operations; no run-time value.
    Token,
    /// A pipe, its states and tokens, which only ops of `scheduled` produce.
    Pipe(PipeType),
}

/// The result of an asynchronous op: a tile, or a buffer that may be read after the wait.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pending {
    /// A tile in registers.
    Tile(ElementType, LinearLayout),
    /// A buffer that is being written.
    Buffer(Buffer),
}

impl Pending {
    /// The result type of a wait.
    pub fn ready(&self) -> TileAsType {
        match self {
            Self::Tile(element, layout) => TileAsType::tile(*element, layout.clone()),
            Self::Buffer(buffer) => TileAsType::Buffer(buffer.clone()),
        }
    }
}

impl TileAsType {
    /// A tile with the layout `layout`.
    pub fn tile(element: ElementType, layout: LinearLayout) -> Self {
        let shape = layout.shape();
        Self::Tile {
            element,
            layout,
            shape,
        }
    }

    /// The layout of a tile; `None` for other types.
    pub fn layout(&self) -> Option<&LinearLayout> {
        match self {
            Self::Tile { layout, .. } => Some(layout),
            Self::Scalar(_)
            | Self::Memref(_)
            | Self::Buffer(_)
            | Self::Pending(_)
            | Self::TensorMap
            | Self::MapParameter(_)
            | Self::Token
            | Self::Pipe(_) => None,
        }
    }

    /// The buffer, if it is one.
    pub fn buffer(&self) -> Option<&Buffer> {
        match self {
            Self::Buffer(buffer) => Some(buffer),
            Self::Scalar(_)
            | Self::Tile { .. }
            | Self::Memref(_)
            | Self::Pending(_)
            | Self::TensorMap
            | Self::MapParameter(_)
            | Self::Token
            | Self::Pipe(_) => None,
        }
    }

    /// The memref, if it is one.
    pub fn memref(&self) -> Option<&Memref> {
        match self {
            Self::Memref(memref) => Some(memref),
            Self::Scalar(_)
            | Self::Tile { .. }
            | Self::Buffer(_)
            | Self::Pending(_)
            | Self::TensorMap
            | Self::MapParameter(_)
            | Self::Token
            | Self::Pipe(_) => None,
        }
    }
}

impl ValueType for TileAsType {
    const PARAMETERS: &'static [Owned] = crate::owned! {
        "memref" {
            align in Assumption: u64, "The base address is a multiple of this many bytes.";
            class in Assumption: u32, "Arrays of different classes do not overlap.";
            extent_div in Assumption: Vec<u64>, "Each extent is a multiple of this.";
            stride_div in Assumption: Vec<u64>, "Each stride is a multiple of this many elements.";
        }
    };
    fn element(&self) -> Option<ElementType> {
        match self {
            Self::Scalar(element) | Self::Tile { element, .. } => Some(*element),
            Self::Memref(_)
            | Self::Buffer(_)
            | Self::Pending(_)
            | Self::TensorMap
            | Self::MapParameter(_)
            | Self::Token
            | Self::Pipe(_) => None,
        }
    }

    fn with_element(&self, element: ElementType) -> Self {
        match self {
            Self::Scalar(_) => Self::Scalar(element),
            Self::Tile { layout, shape, .. } => Self::Tile {
                element,
                layout: layout.clone(),
                shape: shape.clone(),
            },
            Self::Memref(_)
            | Self::Buffer(_)
            | Self::Pending(_)
            | Self::TensorMap
            | Self::MapParameter(_)
            | Self::Token
            | Self::Pipe(_) => self.clone(),
        }
    }

    fn is_single(&self) -> bool {
        matches!(self, Self::Scalar(_))
    }
}

impl PipeValue for TileAsType {
    fn pipe(&self) -> Option<PipeType> {
        match self {
            Self::Pipe(ty) => Some(*ty),
            Self::Scalar(_)
            | Self::Tile { .. }
            | Self::Memref(_)
            | Self::Buffer(_)
            | Self::Pending(_)
            | Self::TensorMap
            | Self::MapParameter(_)
            | Self::Token => None,
        }
    }
}

impl ShapedType for TileAsType {
    fn extents(&self) -> Option<&[u32]> {
        match self {
            Self::Scalar(_) => Some(&[]),
            Self::Tile { shape, .. } => Some(shape),
            Self::Memref(_)
            | Self::Buffer(_)
            | Self::Pending(_)
            | Self::TensorMap
            | Self::MapParameter(_)
            | Self::Token
            | Self::Pipe(_) => None,
        }
    }
}

impl MemoryType for TileAsType {
    fn memref(&self) -> Option<&Memref> {
        Self::memref(self)
    }
    fn is_token(&self) -> bool {
        *self == Self::Token
    }
}

impl TermCodec for TileAsType {
    fn write(&self) -> Term {
        match self {
            Self::Scalar(element) => element.write(),
            Self::Tile {
                element,
                layout,
                shape,
            } => write_tile(shape, *element, Some(Arg::from(layout.write()))),
            Self::Memref(memref) => memref.write(),
            Self::Buffer(buffer) => buffer.write(),
            Self::Pending(None) => Term::word("pending"),
            Self::Pending(Some(what)) => Term::call("pending", vec![what.ready().write().into()]),
            Self::TensorMap => Term::word("tensor_map"),
            Self::MapParameter(map) => map.write(),
            Self::Token => Term::word("token"),
            Self::Pipe(ty) => ty.write(),
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("tensor_map", [])) => Ok(Self::TensorMap),
            Some(("tensor_map", _)) => MapParameter::read(term).map(Self::MapParameter),
            Some(("token", [])) => Ok(Self::Token),
            Some((word, _)) if PipeType::is_word(word) => PipeType::read(term).map(Self::Pipe),
            Some(("memref", _)) => Memref::read(term).map(Self::Memref),
            Some(("buffer", _)) => Buffer::read(term).map(Self::Buffer),
            Some(("pending", args)) => {
                let mut args = Args::new(term, args);
                let Some(what) = args.next_if_any() else {
                    return args.finish().map(|()| Self::Pending(None));
                };
                args.finish()?;
                let what = match Self::read(what)? {
                    Self::Tile { element, layout, .. } => Pending::Tile(element, layout),
                    Self::Buffer(buffer) => Pending::Buffer(buffer),
                    Self::Scalar(_)
                    | Self::Memref(_)
                    | Self::Pending(_)
                    | Self::TensorMap
                    | Self::MapParameter(_)
                    | Self::Token
                    | Self::Pipe(_) => {
                        return Err(what.wrong("a tile or a buffer"));
                    }
                };
                Ok(Self::Pending(Some(Box::new(what))))
            }
            Some(("tile", args)) => {
                let mut args = Args::new(term, args);
                let (shape, element) = read_tile(args.next("extents and an element type")?)?;
                let layout_term = args.next("a layout")?;
                let layout = LinearLayout::read(layout_term)?;
                args.finish()?;
                if layout.shape() != shape {
                    return Err(layout_term.wrong(format!("a layout of shape {shape:?}")));
                }
                let places = [Dim::Offset, Dim::TmemLane, Dim::TmemColumn];
                if layout.in_dims().any(|(dim, _)| places.contains(&dim)) {
                    return Err(layout_term.wrong("a layout from `register`, `lane`, `warp` and `block`"));
                }
                Ok(Self::Tile {
                    element,
                    layout,
                    shape,
                })
            }
            _ => ElementType::read(term).map(Self::Scalar).map_err(|error| {
                error
                    .or(term
                        .wrong("a scalar type, `tile<…>`, `memref<…>`, `buffer<…>`, `pending<…>`, `tensor_map` or `token`"))
            }),
        }
    }
}
