//! Which loads `cp.async` can do, as far as that does not depend on layouts.

use std::mem::discriminant;

use tilewright_diagnostics::{Code, counted};

use super::{Refusal, needs};
use crate::dialects::memory::{MemoryOrder, Memref, Ordering, Padding, TileAccess, VectorLimit};
use crate::element::ScalarType;
use crate::isa::Target;
use crate::isa::rules::forms;

/// A load that may become a copy by `cp.async`, which copies 4, 8 or 16 bytes that are contiguous and aligned in memory.
/// (PTX ISA, `cp.async`.)
#[derive(Clone, Copy, Debug)]
pub struct AsyncLoad<'a> {
    /// The target.
    pub target: Target,
    /// The order of the load.
    pub ordering: &'a Ordering,
    /// What is loaded.
    pub source: AsyncSource<'a>,
}

/// What is loaded.
#[derive(Clone, Copy, Debug)]
pub enum AsyncSource<'a> {
    /// A tile of an array.
    Tile {
        /// Its place.
        at: &'a TileAccess,
        /// The array.
        array: &'a Memref,
        /// The extents of the tile.
        shape: &'a [u32],
    },
    /// Elements behind pointers.
    Pointers {
        /// The bytes that are known to be contiguous, aligned and masked together.
        bytes: u32,
        /// Whether masked elements are unspecified or zeros.
        zeros: bool,
    },
}

impl AsyncLoad<'_> {
    /// Bytes of a copy, the widest first.
    pub const WIDTHS: [u32; 3] = [16, 8, 4];

    /// The widest copies that can do the load, in bytes.
    ///
    /// # Errors
    /// None can, and why: the reason against the widest copies that fail for the same reason as the narrowest.
    pub fn widest(&self) -> Result<u32, (u32, NotAsync)> {
        let mut reasons = Vec::new();
        for bytes in Self::WIDTHS {
            match self.check(bytes) {
                Ok(()) => return Ok(bytes),
                Err(reason) => reasons.push((bytes, reason)),
            }
        }
        let Some((least, last)) = reasons.pop() else {
            return Err((0, NotAsync::NoUnitStride));
        };
        let same = |(_, reason): &(u32, NotAsync)| discriminant(reason) == discriminant(&last);
        let wider = reasons.into_iter().find(same);
        Err(wider.unwrap_or((least, last)))
    }

    /// Checks whether copies of this many bytes can do the load.
    ///
    /// # Errors
    /// The reason, with the numbers.
    pub fn check(&self, bytes: u32) -> Result<(), NotAsync> {
        needs("cp_async", self.target, forms::cp_async(bytes)).map_err(NotAsync::Target)?;
        if !self.ordering.is_weak() {
            return Err(NotAsync::Order(self.ordering.order));
        }
        match self.source {
            AsyncSource::Tile { at, array, shape } => check_tile(bytes, at, array, shape),
            AsyncSource::Pointers { zeros: false, .. } => Err(NotAsync::Values),
            AsyncSource::Pointers { bytes: known, .. } if known < bytes => Err(NotAsync::Run { known }),
            AsyncSource::Pointers { .. } => Ok(()),
        }
    }
}

/// Why `cp.async` cannot do a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAsync {
    /// The target has no such instruction.
    Target(Refusal),
    /// The load has this memory order, and is not weak.
    Order(MemoryOrder),
    /// It pads with something else than zeros.
    Padding(Padding),
    /// It gives other values than zeros where its mask is 0.
    Values,
    /// An element of this type is no copy.
    Element(ScalarType),
    /// No axis of the tile has a stride that is known to be 1.
    NoUnitStride,
    /// The tile has too few elements along its contiguous axis.
    Short {
        /// The axis of the tile.
        axis: usize,
        /// Its extent.
        extent: u32,
        /// The elements of a copy.
        needed: u32,
    },
    /// Too little is known of the array.
    Vectors(VectorLimit),
    /// Too few bytes are known to be contiguous, aligned and masked together.
    Run {
        /// So many.
        known: u32,
    },
}

impl NotAsync {
    /// The error for an op with copies of this many bytes.
    pub fn refusal(self, bytes: u32) -> Refusal {
        let wide = |fact: String| {
            let message = format!("`cp_async` copies {bytes} bytes at a time; {fact}");
            Refusal::new(Code::HardwareLimit, message)
        };
        match self {
            Self::Target(refusal) => refusal,
            Self::Order(order) => {
                let message = format!("`cp_async` copies weakly; this load is `{order}`");
                Refusal::new(Code::AttributeValue, message)
            }
            Self::Padding(padding) => {
                let message = format!("`cp_async` pads with zeros, not with `{padding}`");
                Refusal::new(Code::BadPaddingValue, message)
            }
            Self::Values => {
                let message = "`cp_async` gives zeros where the mask is 0; this load gives other values";
                Refusal::new(Code::AttributeValue, message)
            }
            Self::Element(element) => wide(format!("an element is an `{element}`")),
            Self::NoUnitStride => wide("no axis of the tile has a stride that is known to be 1".to_owned()),
            Self::Short { axis, extent, .. } => wide(format!(
                "the tile has {} along axis {axis}",
                counted(extent, "element")
            )),
            Self::Vectors(limit) => wide(limit.to_string()),
            Self::Run { known } => wide(format!(
                "{known} are known to be contiguous, aligned and masked together"
            )),
        }
    }
}

fn check_tile(bytes: u32, at: &TileAccess, array: &Memref, shape: &[u32]) -> Result<(), NotAsync> {
    let pads = at.inbounds.iter().any(|inside| !inside);
    if let Some(padding) = at.padding.filter(|&padding| pads && padding != Padding::Zero) {
        return Err(NotAsync::Padding(padding));
    }
    let each = array.element.bytes().filter(|&each| each <= bytes);
    let each = each.ok_or(NotAsync::Element(array.element))?;
    let unit = at.unit_axis(array).ok_or(NotAsync::NoUnitStride)?;
    let elements = bytes / each;
    let along = shape.get(unit).copied().unwrap_or(1);
    if along < elements {
        return Err(NotAsync::Short {
            axis: unit,
            extent: along,
            needed: elements,
        });
    }
    // Of a vector that the end of a row cuts, a copy reads the bytes before it.
    at.check_cut_vectors(array, unit, elements.into())
        .map_err(NotAsync::Vectors)
}
