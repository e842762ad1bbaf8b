//! The matrix products of a warp group: the part that one warp computes.
//!
//! (PTX ISA, "Asynchronous wgmma Instructions", "Matrix Fragments".) D has 64 rows, of which each of the four warps has
//! 16; the fragments of a warp are those of `mma` with 16 rows, of D one after the other along the columns.

use super::element::Element;
use super::exact::{Exact, dot};
use super::fragment::{self, LANES};
use super::product::{Accumulator, accumulator_field, field, put};
use crate::row::Row;
use crate::soft::Direction;

/// Rows of a warp's part of A and D.
pub(crate) const ROWS: usize = 16;

/// The arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    /// Floats, with the sign of the products.
    Float {
        d: Accumulator,
        negated: bool,
    },
    Integer {
        saturate: bool,
    },
    /// The population count of the conjunction.
    Bits,
}

/// A product of a warp group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupProduct {
    /// Columns of B and D.
    pub(crate) n: usize,
    /// Columns of A and rows of B.
    pub(crate) k: usize,
    pub(crate) a: Element,
    pub(crate) b: Element,
    pub(crate) kind: GroupKind,
}

impl GroupProduct {
    /// The bits of a warp's elements of A, row by row, from its registers.
    pub(crate) fn gather(&self, registers: &[Row]) -> Vec<u64> {
        let packed = self.a.packed();
        let mut elements = vec![0; ROWS * self.k];
        for lane in 0..LANES {
            for (register, row) in registers.iter().enumerate() {
                for element in 0..packed {
                    let (i, j) = fragment::a(ROWS, packed, lane, register, element);
                    elements[i * self.k + j] = field(row[lane], self.a.bits(), element);
                }
            }
        }
        elements
    }

    /// The registers of D, from the bits of A row by row, those of B column by column, and the registers of the addend.
    pub(crate) fn compute(&self, a: &[u64], b: &[u64], c: Option<&[Row]>) -> Vec<Row> {
        match self.kind {
            GroupKind::Float { d, negated } => {
                let left: Vec<Exact> = a.iter().map(|bits| self.a.float(*bits)).collect();
                let right: Vec<Exact> = b
                    .iter()
                    .map(|bits| match negated {
                        false => self.b.float(*bits),
                        true => self.b.float(*bits).times(Exact::finite(-1, 0)),
                    })
                    .collect();
                let format = d.format();
                self.each(d.packed(), c, |row, column, c| {
                    let sum = dot(
                        &left[row * self.k..][..self.k],
                        &right[column * self.k..][..self.k],
                        c.map_or(Exact::ZERO, |bits| d.value(bits)),
                    );
                    format.pack(sum, Direction::NearestEven)
                })
            }
            GroupKind::Integer { saturate } => self.each(1, c, |row, column, c| {
                let pairs = a[row * self.k..][..self.k].iter().zip(&b[column * self.k..]);
                let sum: i64 = pairs.map(|(a, b)| self.a.integer(*a) * self.b.integer(*b)).sum();
                let sum = sum + i64::from(c.unwrap_or(0) as i32);
                let low = if saturate {
                    sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
                } else {
                    sum as i32
                };
                u64::from(low.cast_unsigned())
            }),
            GroupKind::Bits => self.each(1, c, |row, column, c| {
                let pairs = a[row * self.k..][..self.k].iter().zip(&b[column * self.k..]);
                let count: u64 = pairs.map(|(a, b)| a & b).sum();
                u64::from((c.unwrap_or(0) as u32).wrapping_add(count as u32))
            }),
        }
    }

    /// Computes every element of D, of which a register has `packed`.
    fn each(
        &self,
        packed: usize,
        c: Option<&[Row]>,
        f: impl Fn(usize, usize, Option<u64>) -> u64,
    ) -> Vec<Row> {
        let elements = ROWS * self.n / LANES;
        let mut d = vec![[0; LANES]; elements / packed];
        for lane in 0..LANES {
            for index in 0..elements {
                let (row, column) = fragment::accumulator(lane, index % 4);
                let column = column + index / 4 * 8;
                let addend = c.map(|c| accumulator_field(c, packed, lane, index));
                put(&mut d, packed, lane, index, f(row, column, addend));
            }
        }
        d
    }
}
