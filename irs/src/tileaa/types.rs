//! Types of `tileaa`.

use super::facts::Facts;
use crate::core::{Arg, Args, Owned, Term, TermCodec, TermError, TermKind, ValueType};
use crate::dialects::memory::Memref;
use crate::element::{ElementType, ScalarType};

/// The kind of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TileAaKind {
    /// One element, uniform over the threads.
    Scalar(ElementType),
    /// A tile; every extent is a power of two.
    Tile {
        /// The extents.
        shape: Vec<u32>,
        /// The element type.
        element: ElementType,
    },
    /// An array in global memory.
    Memref(Memref),
    /// Orders memory operations; no run-time value.
    Token,
}

/// A type of `tileaa`: the kind of a value, and facts about it.
///
/// `tile<64x64xf32>`, `ptr<f32>`, `known<i32, div = [16], min = 0>`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TileAaType {
    /// The kind.
    pub kind: TileAaKind,
    /// The facts.
    pub facts: Facts,
}

impl TileAaType {
    /// A type without facts.
    pub fn new(kind: TileAaKind) -> Self {
        let rank = kind.rank();
        Self {
            kind,
            facts: Facts::unknown(rank),
        }
    }

    /// A scalar.
    pub fn scalar(element: impl Into<ElementType>) -> Self {
        Self::new(TileAaKind::Scalar(element.into()))
    }

    /// A scalar if there are no extents, else a tile.
    pub fn tile(shape: &[u32], element: ElementType) -> Self {
        Self::new(if shape.is_empty() {
            TileAaKind::Scalar(element)
        } else {
            TileAaKind::Tile {
                shape: shape.to_vec(),
                element,
            }
        })
    }

    /// The extents of a tile; none for a scalar.
    pub fn shape(&self) -> Option<&[u32]> {
        match &self.kind {
            TileAaKind::Scalar(_) => Some(&[]),
            TileAaKind::Tile { shape, .. } => Some(shape),
            TileAaKind::Memref(_) | TileAaKind::Token => None,
        }
    }

    /// The type of a tile without one of its axes and without facts; of another value the type without facts.
    #[must_use]
    pub fn without_axis(&self, axis: usize) -> Self {
        match &self.kind {
            TileAaKind::Tile { shape, element } => {
                let kept = shape.iter().enumerate().filter(|(i, _)| *i != axis);
                Self::tile(&kept.map(|(_, &n)| n).collect::<Vec<_>>(), *element)
            }
            TileAaKind::Scalar(_) | TileAaKind::Memref(_) | TileAaKind::Token => self.bare(),
        }
    }

    /// The memref, if it is one.
    pub fn memref(&self) -> Option<&Memref> {
        match &self.kind {
            TileAaKind::Memref(memref) => Some(memref),
            TileAaKind::Scalar(_) | TileAaKind::Tile { .. } | TileAaKind::Token => None,
        }
    }
}

impl TileAaKind {
    fn rank(&self) -> usize {
        match self {
            Self::Tile { shape, .. } => shape.len(),
            Self::Scalar(_) | Self::Memref(_) | Self::Token => 0,
        }
    }
}

/// Writes `tile<4x4xf32>`, with `rest` after the element type.
pub(crate) fn write_tile(shape: &[u32], element: ElementType, rest: Option<Arg>) -> Term {
    let extents = shape.iter().map(|&n| Some(u64::from(n))).collect();
    let mut args = vec![Arg::from(Term::from(TermKind::Dims(
        extents,
        Box::new(element.write()),
    )))];
    args.extend(rest);
    Term::call("tile", args)
}

/// Parses the output of [`write_tile`], up to the element type.
pub(crate) fn read_tile(term: &Term) -> Result<(Vec<u32>, ElementType), TermError> {
    let TermKind::Dims(extents, element) = &term.kind else {
        return Err(term.wrong("extents and an element type, such as `4x4xf32`"));
    };
    let element = ElementType::read(element)?;
    let mut shape = Vec::with_capacity(extents.len());
    let mut count: u64 = 1;
    for extent in extents {
        let extent = extent
            .and_then(|n| u32::try_from(n).ok())
            .filter(|n| n.is_power_of_two());
        let Some(extent) = extent else {
            return Err(term.wrong("extents that are powers of two"));
        };
        count = count.saturating_mul(u64::from(extent));
        shape.push(extent);
    }
    if count > MAX_TILE_ELEMENTS {
        return Err(term.wrong(format!("a tile of at most {MAX_TILE_ELEMENTS} elements")));
    }
    if shape.len() > tilewright_layouts::MAX_RANK {
        return Err(term.wrong(format!("a tile of at most {} axes", tilewright_layouts::MAX_RANK)));
    }
    Ok((shape, element))
}

/// Element limit of a tile (that of `cuda_tile`).
pub const MAX_TILE_ELEMENTS: u64 = 16_777_216;

impl ValueType for TileAaType {
    const PARAMETERS: &'static [Owned] = crate::owned! {
        "known" {
            div in Assumption: Vec<u64>, "Divisor of the first element of each run of consecutive ones, by axes.";
            contig in Assumption: Vec<u64>, "Length of runs of consecutive integers, by axes.";
            same in Assumption: Vec<u64>, "Length of runs of equal elements, by axes.";
            min in Assumption: i64, "No element is smaller.";
            max in Assumption: i64, "No element is larger.";
        }
        "memref" {
            align in Assumption: u64, "The base address is a multiple of this many bytes.";
            class in Assumption: u32, "Arrays of different classes do not overlap.";
            extent_div in Assumption: Vec<u64>, "Each extent is a multiple of this.";
            stride_div in Assumption: Vec<u64>, "Each stride is a multiple of this many elements.";
        }
    };
    fn element(&self) -> Option<ElementType> {
        match &self.kind {
            TileAaKind::Scalar(element) | TileAaKind::Tile { element, .. } => Some(*element),
            TileAaKind::Memref(_) | TileAaKind::Token => None,
        }
    }

    fn with_element(&self, element: ElementType) -> Self {
        match &self.kind {
            TileAaKind::Scalar(_) => Self::scalar(element),
            TileAaKind::Tile { shape, .. } => Self::tile(shape, element),
            TileAaKind::Memref(_) | TileAaKind::Token => self.bare(),
        }
    }

    fn is_single(&self) -> bool {
        matches!(self.kind, TileAaKind::Scalar(_))
    }

    fn bare(&self) -> Self {
        Self::new(self.kind.clone())
    }
}

impl TermCodec for TileAaType {
    fn write(&self) -> Term {
        let bare = match &self.kind {
            TileAaKind::Scalar(element) => element.write(),
            TileAaKind::Tile { shape, element } => write_tile(shape, *element, None),
            TileAaKind::Memref(memref) => memref.write(),
            TileAaKind::Token => Term::word("token"),
        };
        if self.facts.is_unknown() {
            return bare;
        }
        let mut args = vec![bare.into()];
        self.facts.write(&mut args);
        Term::call("known", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("known", args)) => {
                let mut args = Args::new(term, args);
                let inner = Self::read_bare(args.next("a type")?)?;
                let facts = Facts::read(term, &mut args, inner.rank())?;
                args.finish()?;
                Ok(Self { kind: inner, facts })
            }
            _ => Self::read_bare(term).map(Self::new),
        }
    }
}

impl TileAaType {
    fn read_bare(term: &Term) -> Result<TileAaKind, TermError> {
        match term.as_call() {
            Some(("token", [])) => Ok(TileAaKind::Token),
            Some(("memref", _)) => Memref::read(term).map(TileAaKind::Memref),
            Some(("tile", args)) => {
                let mut args = Args::new(term, args);
                let (shape, element) = read_tile(args.next("extents and an element type")?)?;
                args.finish()?;
                Ok(TileAaKind::Tile { shape, element })
            }
            _ => ElementType::read(term)
                .map(TileAaKind::Scalar)
                .map_err(|error| error.or(term.wrong("a scalar type, `tile<…>`, `memref<…>` or `token`"))),
        }
    }
}

impl From<ScalarType> for TileAaType {
    fn from(scalar: ScalarType) -> Self {
        Self::scalar(scalar)
    }
}
