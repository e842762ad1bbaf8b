//! The rows of a tensor that a copy moves: those of a box, four at any places, or pixels in the order in which a filter
//! meets them.
//!
//! (PTX ISA, "Tiled mode", ".tile::scatter4 and .tile::gather4 modes", "im2col mode".)

use crate::program::Elements;
use crate::tensor_map::{PixelColumn, TensorBox, TensorMap};

/// What a copy moves along the innermost dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The offset of the row in shared memory, in bytes, without swizzle.
    pub(crate) offset: u64,
    /// Bytes of the row that are before the tensor.
    pub(crate) before: u64,
    /// Bytes of the row that are in the tensor.
    pub(crate) inside: u64,
    /// The address of these.
    pub(crate) address: u64,
}

impl TensorMap {
    /// The rows that a copy at coordinates moves, as many as the rank or a column and four rows; pixels are at offsets
    /// from there.
    pub(crate) fn rows(&self, elements: Elements, coordinates: &[i32], offsets: &[u16]) -> Vec<Row> {
        let outer: Vec<Vec<i64>> = match (&self.selected, elements) {
            (_, Elements::Rows) => coordinates[1..].iter().map(|&row| vec![i64::from(row)]).collect(),
            (TensorBox::Tile(extents), _) => self.boxed(extents, coordinates),
            (TensorBox::Pixels(column), _) => self.pixels(column, coordinates, offsets),
        };
        let size = self.element_bytes();
        let first = i64::from(coordinates[0]);
        let extent = i64::from(self.extents[0]);
        let width = i64::from(self.row_elements());
        // The elements of a row that are in the tensor.
        let begin = (-first).clamp(0, width);
        let end = (extent - first).clamp(begin, width);
        let row = |(number, place): (usize, Vec<i64>)| {
            let mut inside = true;
            let mut address = self.address.wrapping_add_signed((first + begin) * size as i64);
            for (dimension, at) in (1..).zip(place) {
                inside &= (0..i64::from(self.extents[dimension])).contains(&at);
                address = address.wrapping_add((at as u64).wrapping_mul(self.strides[dimension - 1]));
            }
            Row {
                offset: number as u64 * self.row_bytes(),
                before: begin as u64 * size,
                inside: if inside { (end - begin) as u64 * size } else { 0 },
                address,
            }
        };
        outer.into_iter().enumerate().map(row).collect()
    }

    /// The places of the rows of a box along the outer dimensions.
    fn boxed(&self, extents: &[u32], coordinates: &[i32]) -> Vec<Vec<i64>> {
        let counts: Vec<u64> = (extents.iter().zip(&self.steps).skip(1))
            .map(|(extent, step)| u64::from(extent.div_ceil(*step)))
            .collect();
        let number: u64 = counts.iter().product();
        let place = |row: u64| {
            let mut rest = row;
            let along = |(dimension, count): (usize, &u64)| {
                let step = rest % count * u64::from(self.steps[dimension]);
                rest /= count;
                i64::from(coordinates[dimension]) + step as i64
            };
            (1..).zip(&counts).map(along).collect()
        };
        (0..number).map(place).collect()
    }

    /// The places of pixels along the outer dimensions. They begin at the coordinates; at the end of the bounding box
    /// along a dimension the next one is at its beginning, one step on along the next dimension.
    fn pixels(&self, column: &PixelColumn, coordinates: &[i32], offsets: &[u16]) -> Vec<Vec<i64>> {
        let spatial = column.lower.len();
        let mut base: Vec<i64> = coordinates[1..].iter().map(|at| i64::from(*at)).collect();
        let mut places = Vec::new();
        for _ in 0..column.pixels {
            let mut place = base.clone();
            for (at, offset) in place.iter_mut().zip(offsets) {
                *at += i64::from(*offset);
            }
            places.push(place);
            let mut dimension = 0;
            while dimension < spatial {
                base[dimension] += i64::from(self.steps[dimension + 1]);
                if base[dimension] <= self.bounds(column, dimension)[1] {
                    break;
                }
                base[dimension] = i64::from(column.lower[dimension]);
                dimension += 1;
            }
            if dimension == spatial {
                base[spatial] += 1;
            }
        }
        places
    }

    /// The first and the last place in the bounding box along a spatial dimension.
    fn bounds(&self, column: &PixelColumn, dimension: usize) -> [i64; 2] {
        let last = i64::from(self.extents[dimension + 1]) - 1;
        [
            i64::from(column.lower[dimension]),
            last + i64::from(column.upper[dimension]),
        ]
    }

    /// The spatial dimension along which the first pixel is out of the bounding box, if there is one.
    pub(crate) fn begins_outside(&self, column: &PixelColumn, coordinates: &[i32]) -> Option<usize> {
        (0..column.lower.len()).find(|&dimension| {
            let [first, last] = self.bounds(column, dimension);
            !(first..=last).contains(&i64::from(coordinates[dimension + 1]))
        })
    }
}
