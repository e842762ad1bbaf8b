//! The positions of an element.

use tilewright_layouts::span::Span;
use tilewright_layouts::{Dim, LinearLayout};

/// The inverse image of every element under a layout.
///
/// The positions that hold an element are a coset of the kernel, so that one solution and a basis of
/// the kernel determine all of them. Construction: O(n²) word operations for n input bits; each query
/// O(n).
pub(super) struct Holders {
    /// The in-dimensions with their bits, least significant first.
    dims: Vec<(Dim, u32)>,
    span: Span,
    /// A basis of the kernel.
    kernel: Vec<u64>,
}

/// A position: one number for each in-dimension, least significant first.
pub(super) type Position = Vec<(Dim, u32)>;

impl Holders {
    pub(super) fn of(layout: &LinearLayout) -> Holders {
        let sizes: Vec<u32> = layout.out_dims().map(|(_, size)| size).collect();
        let dims: Vec<(Dim, u32)> = layout
            .in_dims()
            .map(|(dim, _)| (dim, layout.in_bits(dim)))
            .collect();
        let columns: Vec<u64> = dims
            .iter()
            .flat_map(|(dim, _)| layout.bases(*dim))
            .map(|vector| index(&vector, &sizes))
            .collect();
        let mut span = Span::of([]);
        let mut kernel = Vec::new();
        for (bit, column) in columns.into_iter().enumerate() {
            match span.solve(column) {
                Some(earlier) => kernel.push(earlier ^ 1 << bit),
                None => {
                    span.add(column, bit);
                }
            }
        }
        Holders { dims, span, kernel }
    }

    /// The number of positions that hold each element in the image.
    pub(super) fn times(&self) -> u64 {
        1 << self.kernel.len().min(63)
    }

    /// A basis of the kernel, as positions.
    pub(super) fn kernel(&self) -> impl Iterator<Item = Position> + '_ {
        self.kernel.iter().map(|word| self.split(*word))
    }

    /// The positions that hold an element, in order, at most `limit`.
    pub(super) fn some(&self, element: u64, limit: usize) -> Vec<Position> {
        let Some(first) = self.span.solve(element) else {
            return Vec::new();
        };
        let mut words = vec![first];
        for step in &self.kernel {
            if words.len() >= limit {
                break;
            }
            let more: Vec<u64> = words.iter().map(|word| word ^ step).collect();
            words.extend(more);
        }
        words.sort_unstable();
        words.truncate(limit);
        words.into_iter().map(|word| self.split(word)).collect()
    }

    /// Whether a position is the first that holds its element.
    pub(super) fn is_first(&self, position: &[(Dim, u32)]) -> bool {
        // The leading bits of the kernel's vectors are 0 in a first position.
        let word = self.join(position);
        self.kernel
            .iter()
            .all(|step| word >> (63 - step.leading_zeros().min(63)) & 1 == 0)
    }

    fn split(&self, mut word: u64) -> Position {
        let take = |(dim, bits): &(Dim, u32)| {
            let value = word & ((1 << bits) - 1);
            word >>= bits;
            // A dimension has at most 31 bits.
            (*dim, u32::try_from(value).unwrap_or(u32::MAX))
        };
        self.dims.iter().map(take).collect()
    }

    fn join(&self, position: &[(Dim, u32)]) -> u64 {
        let (mut word, mut shift) = (0, 0);
        for (dim, bits) in &self.dims {
            word |= u64::from(value(position, *dim)) << shift;
            shift += bits;
        }
        word
    }
}

/// A position's number along a dimension; 0 if it has none.
pub(super) fn value(position: &[(Dim, u32)], dim: Dim) -> u32 {
    position
        .iter()
        .find(|(known, _)| *known == dim)
        .map_or(0, |(_, value)| *value)
}

/// The row-major index of a coordinate.
pub(super) fn index(coordinate: &[u32], shape: &[u32]) -> u64 {
    coordinate
        .iter()
        .zip(shape)
        .fold(0, |index, (at, size)| index * u64::from(*size) + u64::from(*at))
}

/// The coordinate of a row-major index.
pub(super) fn coordinate(mut index: u64, shape: &[u32]) -> Vec<u32> {
    let mut coordinate: Vec<u32> = shape
        .iter()
        .rev()
        .map(|size| {
            let size = u64::from((*size).max(1));
            let at = index % size;
            index /= size;
            u32::try_from(at).unwrap_or(u32::MAX)
        })
        .collect();
    coordinate.reverse();
    coordinate
}

/// The letter of a dimension in a label.
pub(super) fn letter(dim: Dim) -> &'static str {
    match dim {
        Dim::Register => "R",
        Dim::Lane => "T",
        Dim::Warp => "W",
        Dim::Block => "B",
        Dim::Offset => "",
        Dim::TmemLane => "L",
        Dim::TmemColumn => "C",
        Dim::Axis(_) => "",
    }
}

/// The parts of a position's label, most significant dimension first: `W1`, `T5`, `R2`.
pub(super) fn parts(position: &[(Dim, u32)]) -> Vec<String> {
    position
        .iter()
        .rev()
        .map(|(dim, value)| format!("{}{value}", letter(*dim)))
        .collect()
}

/// Writes a position in full: `warp 1, lane 5, register 2`.
pub(super) fn words(position: &[(Dim, u32)]) -> String {
    let word = |(dim, value): &(Dim, u32)| format!("{dim} {value}");
    position.iter().rev().map(word).collect::<Vec<_>>().join(", ")
}
