//! The types of the parameters of external functions and of their implementations.

use tilewright_diagnostics::{Code, counted};

use super::expr::Expr;
use super::known::Known;
use super::layout::Layout;
use crate::cuda_tile::enums::PreviewMemorySpace;
use crate::cuda_tile::shape::{MAX_RANK, MAX_TILE_ELEMENTS};
use crate::cuda_tile::types::{AnyType, Element};

/// The element type of a parameter of an external function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TileElement {
    /// A known type.
    Known(Element),
    /// The type that a constant parameter stands for, by its name.
    Symbol(String),
}

/// A tile whose extents or element type depend on constant parameters.
///
/// A tile without constant parameters is a [`Tile`](crate::cuda_tile::Tile) instead.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SymbolicTile {
    /// The extents.
    pub shape: Vec<Expr>,
    /// The element type.
    pub element: TileElement,
}

/// The part of a tile that one thread holds: the type of a parameter of an implementation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fragment {
    /// The extents.
    pub shape: Vec<Expr>,
    /// The element type.
    pub element: AnyType,
    /// The memory that holds it.
    pub space: PreviewMemorySpace,
    /// The layout of its elements in that memory.
    pub mem_layout: Layout,
    /// Which elements of the tile it holds: a layout over the calls of the implementation, the threads of a call, and
    /// the elements of the fragment.
    pub fragmap: Layout,
    /// The alignment, in elements.
    pub alignment: Expr,
}

impl SymbolicTile {
    /// Checks the type by itself, without the module around it.
    ///
    /// # Errors
    /// The code and the message of the error.
    pub fn check(&self) -> Result<(), (Code, String)> {
        extents(&self.shape)?;
        let mut known = 1u64;
        for (i, extent) in self.shape.iter().enumerate() {
            let Expr::Int(number) = extent else { continue };
            match u64::try_from(*number) {
                Ok(number) if number.is_power_of_two() => known = known.saturating_mul(number),
                _ => {
                    let message = format!("extent {i} of `{self}` is {number}, which is not a power of two");
                    return Err((Code::ExtentNotPowerOfTwo, message));
                }
            }
        }
        if known > MAX_TILE_ELEMENTS {
            let message =
                format!("`{self}` has {known} elements or more; a tile holds at most {MAX_TILE_ELEMENTS}");
            return Err((Code::TooManyElements, message));
        }
        Ok(())
    }

    /// Calls `found` for each use of a constant parameter in it.
    pub fn vars<'a>(&'a self, found: &mut impl FnMut(&'a str)) {
        if let TileElement::Symbol(name) = &self.element {
            found(name);
        }
        self.shape.iter().for_each(|extent| extent.vars(found));
    }
}

impl Fragment {
    /// Checks the type by itself, without the module around it.
    ///
    /// # Errors
    /// The code and the message of the error.
    pub fn check(&self) -> Result<(), (Code, String)> {
        self.mem_layout.check()?;
        self.fragmap.check()?;
        extents(&self.shape)?;
        for (i, extent) in self.shape.iter().enumerate() {
            if let Expr::Int(number @ ..=0) = extent {
                let message = format!("extent {i} of a fragment is {number}, expected a positive number");
                return Err((Code::BadStride, message));
            }
        }
        if let Known::Number(count) = self.size() {
            if let Known::Number(size) = self.mem_layout.size()
                && size != count
            {
                let message = format!(
                    "the mem_layout of a fragment has {}, but the fragment has {count}",
                    counted(size, "element")
                );
                return Err((Code::BadLayout, message));
            }
            if let Err(what) = self.mem_layout.fills(count) {
                let message = format!(
                    "the mem_layout of a fragment of {count} elements must put them at {count} places without a gap, \
                     but {what}"
                );
                return Err((Code::BadLayout, message));
            }
        }
        if let Err(what) = self.alignment.check_integer() {
            return Err((
                Code::AttributeKind,
                format!("the alignment of a fragment: {what}"),
            ));
        }
        match self.alignment.certain() {
            Known::Number(number) if u64::try_from(number).is_ok_and(u64::is_power_of_two) => Ok(()),
            Known::Number(number) => {
                let message = format!(
                    "the alignment of a fragment is {}, expected a power of two",
                    counted(number, "element")
                );
                Err((Code::AttributeValue, message))
            }
            Known::Open | Known::TooLarge => Ok(()),
        }
    }

    /// The number of its elements.
    pub fn size(&self) -> Known {
        let extents = self.shape.iter();
        extents.fold(Known::Number(1), |size, extent| size.times(extent.constant()))
    }
}

/// Checks that all extents are integers, and that there are no more than types may have.
fn extents(shape: &[Expr]) -> Result<(), (Code, String)> {
    if shape.len() > MAX_RANK {
        let message = format!(
            "a type has {} dimensions; this compiler accepts at most {MAX_RANK}",
            shape.len()
        );
        return Err((Code::RankMismatch, message));
    }
    match shape.iter().position(|extent| !extent.is_extent()) {
        None => Ok(()),
        Some(i) => {
            let message = format!(
                "extent {i} of a shape must be an integer, made of numbers and parameters by sums and products"
            );
            Err((Code::AttributeKind, message))
        }
    }
}
