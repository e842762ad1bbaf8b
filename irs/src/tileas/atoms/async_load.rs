//! Which loads `cp.async` can do, as far as that does not depend on layouts.

use tilewright_diagnostics::{Code, counted};

use super::{Allowed, Refusal, needs};
use crate::dialects::memory::{Memref, Ordering, Padding, TileAccess};
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

    /// The widest copies that can do the load, in bytes; `None` if none can.
    pub fn widest(&self) -> Option<u32> {
        Self::WIDTHS.into_iter().find(|&bytes| self.check(bytes).is_ok())
    }

    /// Checks whether copies of this many bytes can do the load.
    ///
    /// # Errors
    /// The reason, with the numbers.
    pub fn check(&self, bytes: u32) -> Allowed {
        needs("cp_async", self.target, forms::cp_async(bytes))?;
        if !self.ordering.is_weak() {
            let message = format!("`cp_async` copies weakly; this load is `{}`", self.ordering.order);
            return Err(Refusal::new(Code::AttributeValue, message));
        }
        match self.source {
            AsyncSource::Tile { at, array, shape } => check_tile(bytes, at, array, shape),
            AsyncSource::Pointers { zeros: false, .. } => {
                let message = "`cp_async` gives zeros where the mask is 0; this load gives other values";
                Err(Refusal::new(Code::AttributeValue, message))
            }
            AsyncSource::Pointers { bytes: known, .. } if known < bytes => Err(wide(
                bytes,
                &format!("{known} are known to be contiguous, aligned and masked together"),
            )),
            AsyncSource::Pointers { .. } => Ok(()),
        }
    }
}

/// The refusal of a width that facts do not allow.
fn wide(bytes: u32, fact: &str) -> Refusal {
    let message = format!("`cp_async` copies {bytes} bytes at a time; {fact}");
    Refusal::new(Code::HardwareLimit, message)
}

fn check_tile(bytes: u32, at: &TileAccess, array: &Memref, shape: &[u32]) -> Allowed {
    let pads = at.inbounds.iter().any(|inside| !inside);
    if let Some(padding) = at.padding.filter(|&padding| pads && padding != Padding::Zero) {
        let message = format!("`cp_async` pads with zeros, not with `{}`", padding);
        return Err(Refusal::new(Code::BadPaddingValue, message));
    }
    let each = array.element.bytes().filter(|&each| each <= bytes);
    let Some(each) = each else {
        return Err(wide(bytes, &format!("an element is an `{}`", array.element)));
    };
    let unit = at
        .dim_map
        .iter()
        .position(|&axis| array.strides.get(axis as usize) == Some(&Some(1)));
    let Some(unit) = unit else {
        return Err(wide(
            bytes,
            "no axis of the tile has a stride that is known to be 1",
        ));
    };
    let elements = bytes / each;
    let along = shape.get(unit).copied().unwrap_or(1);
    if along < elements {
        let fact = format!("the tile has {} along axis {unit}", counted(along, "element"));
        return Err(wide(bytes, &fact));
    }
    if let Err(fact) = at.check_vectors(array, unit, elements.into()) {
        return Err(wide(bytes, &fact));
    }
    Ok(())
}
