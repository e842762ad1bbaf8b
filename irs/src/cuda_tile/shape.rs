//! Extents, stored inline if there are few.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// The most elements that a tile holds.
pub const MAX_TILE_ELEMENTS: u64 = 1 << 24;

/// The maximum number of blocks along an axis of a grid: in a larger grid `get_tile_block_id` and `get_num_tile_blocks`
/// may return wrong values.
pub const MAX_GRID_EXTENT: u32 = (1 << 24) - 1;

/// Rank limit of this compiler.
pub const MAX_RANK: usize = 64;

const IN_PLACE: usize = 4;

/// The extents of a tile, outermost first. Up to four need no heap allocation.
#[derive(Clone)]
pub struct Shape(Repr);

#[derive(Clone)]
enum Repr {
    InPlace(u8, [u64; IN_PLACE]),
    Heap(Box<[u64]>),
}

impl Shape {
    /// The shape of a scalar.
    pub const SCALAR: Self = Self(Repr::InPlace(0, [0; IN_PLACE]));

    /// The number of elements; `None` on overflow.
    pub fn elements(&self) -> Option<u64> {
        self.iter()
            .try_fold(1u64, |product, &extent| product.checked_mul(extent))
    }

    /// Heap size of a copy, in bytes.
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            Repr::InPlace(..) => 0,
            Repr::Heap(items) => size_of_val::<[u64]>(items),
        }
    }
}

impl Deref for Shape {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        match &self.0 {
            Repr::InPlace(len, items) => items.get(..usize::from(*len)).unwrap_or(items),
            Repr::Heap(items) => items,
        }
    }
}

impl From<&[u64]> for Shape {
    fn from(extents: &[u64]) -> Self {
        let mut items = [0; IN_PLACE];
        match (items.get_mut(..extents.len()), u8::try_from(extents.len())) {
            (Some(place), Ok(len)) => {
                place.copy_from_slice(extents);
                Self(Repr::InPlace(len, items))
            }
            _ => Self(Repr::Heap(extents.into())),
        }
    }
}

impl From<Vec<u64>> for Shape {
    fn from(extents: Vec<u64>) -> Self {
        extents.as_slice().into()
    }
}

impl<const N: usize> From<[u64; N]> for Shape {
    fn from(extents: [u64; N]) -> Self {
        extents.as_slice().into()
    }
}

impl FromIterator<u64> for Shape {
    fn from_iter<I: IntoIterator<Item = u64>>(extents: I) -> Self {
        extents.into_iter().collect::<Vec<_>>().into()
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Shape {}

impl Hash for Shape {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// `4x8`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, extent) in self.iter().enumerate() {
            write!(f, "{}{extent}", if i > 0 { "x" } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_shapes_keep_their_extents() {
        for n in 0..8u64 {
            let extents: Vec<u64> = (1..=n).collect();
            let shape = Shape::from(extents.clone());
            assert_eq!(*shape, *extents);
            assert_eq!(shape.heap_bytes() > 0, n > 4);
            assert_eq!(shape.elements(), Some(extents.iter().product()));
        }
        assert_eq!(Shape::from([4, 8]).to_string(), "4x8");
        assert_eq!(Shape::from([u64::MAX, 2]).elements(), None);
    }
}
