//! Matrix products.
//!
//! The language leaves the order of a sum open. Here every element of the result starts as that of the accumulator, and
//! the products are added one by one in the order of K: each product is exact and is rounded once, together with its
//! sum, to the accumulator's type (a fused multiply-add, to nearest even).

use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::Signedness;

use crate::exec::Frame;
use crate::fault::{Fault, Outcome};
use crate::number::{float, int};
use crate::ops::float::format;
use crate::tile::TileValue;

/// The extents of a product.
struct Extents {
    batch: usize,
    m: usize,
    n: usize,
    k: usize,
}

impl Extents {
    fn of(lhs: &TileValue, rhs: &TileValue) -> Outcome<Self> {
        let wrong = || Fault::broken("a matrix product of other shapes");
        let (batch, m, k, n) = match (&*lhs.shape, &*rhs.shape) {
            ([m, k], [_, n]) => (1, *m, *k, *n),
            ([batch, m, k], [_, _, n]) => (*batch, *m, *k, *n),
            _ => return Err(wrong()),
        };
        let size = |extent: u64| usize::try_from(extent).map_err(|_| wrong());
        Ok(Self {
            batch: size(batch)?,
            m: size(m)?,
            n: size(n)?,
            k: size(k)?,
        })
    }

    /// Adds the product of every pair of elements that meet to its element of the accumulator.
    fn multiply<T: Copy>(
        &self,
        lhs: &[T],
        rhs: &[T],
        acc: &TileValue,
        add: impl Fn(T, T, u64) -> u64,
    ) -> Outcome<TileValue> {
        let (a, b) = (self.m * self.k, self.k * self.n);
        if lhs.len() != self.batch * a
            || rhs.len() != self.batch * b
            || acc.bits.len() != self.batch * self.m * self.n
        {
            return Err(Fault::broken("a matrix product of other extents"));
        }
        let mut bits = acc.bits.clone();
        let batches = lhs
            .chunks(a.max(1))
            .zip(rhs.chunks(b.max(1)))
            .zip(bits.chunks_mut((self.m * self.n).max(1)));
        for ((lhs, rhs), out) in batches {
            for (row, out) in lhs.chunks(self.k.max(1)).zip(out.chunks_mut(self.n.max(1))) {
                // Row by row of the right side, which for each element is the order of K.
                for (&x, column) in row.iter().zip(rhs.chunks(self.n.max(1))) {
                    for (sum, &y) in out.iter_mut().zip(column) {
                        *sum = add(x, y, *sum);
                    }
                }
            }
        }
        Ok(acc.like(acc.element, bits))
    }
}

/// `mmaf`
pub(crate) fn floats(frame: &mut Frame<'_>, [lhs, rhs, acc]: [Value; 3]) -> Outcome<TileValue> {
    let (lhs, rhs, acc) = (frame.tile(lhs)?, frame.tile(rhs)?, frame.tile(acc)?);
    let (from, to) = (format(&lhs)?, format(&acc)?);
    let extents = Extents::of(&lhs, &rhs)?;
    frame.machine.spend(acc.bits.len().saturating_mul(extents.k))?;
    extents.multiply(&lhs.bits, &rhs.bits, &acc, |x, y, sum| {
        float::multiply_accumulate(from, to, x, y, sum)
    })
}

/// `mmai`: 8 bits times 8 bits, summed in 32 bits that wrap around.
pub(crate) fn integers(
    frame: &mut Frame<'_>,
    [lhs, rhs, acc]: [Value; 3],
    signs: [Signedness; 2],
) -> Outcome<TileValue> {
    let (lhs, rhs, acc) = (frame.tile(lhs)?, frame.tile(rhs)?, frame.tile(acc)?);
    let to = acc.scalar_type()?;
    let extents = Extents::of(&lhs, &rhs)?;
    frame.machine.spend(acc.bits.len().saturating_mul(extents.k))?;
    let widened = |tile: &TileValue, sign| -> Outcome<Vec<u64>> {
        let from = tile.scalar_type()?;
        Ok(tile
            .bits
            .iter()
            .map(|&bits| int::extend(from, to, sign, bits))
            .collect())
    };
    extents.multiply(
        &widened(&lhs, signs[0])?,
        &widened(&rhs, signs[1])?,
        &acc,
        |x, y, sum| int::add(to, sum, int::mul(to, x, y).bits).bits,
    )
}

/// `mmaf_scaled`: each element times the scale of its block along K; both factors of a product have theirs.
pub(crate) fn scaled(
    frame: &mut Frame<'_>,
    [lhs, rhs, acc]: [Value; 3],
    [lhs_scale, rhs_scale]: [Value; 2],
) -> Outcome<TileValue> {
    let (lhs, rhs, acc) = (frame.tile(lhs)?, frame.tile(rhs)?, frame.tile(acc)?);
    let (lhs_scale, rhs_scale) = (frame.tile(lhs_scale)?, frame.tile(rhs_scale)?);
    let (factors, scales) = (format(&lhs)?, format(&lhs_scale)?);
    let extents = Extents::of(&lhs, &rhs)?;
    frame.machine.spend(acc.bits.len().saturating_mul(extents.k))?;
    let (k, n) = (extents.k.max(1), extents.n.max(1));
    let blocks = Extents::of(&lhs_scale, &rhs_scale)?.k.max(1);
    let block = (k / blocks).max(1);
    let pair =
        |tile: &TileValue, scale: &TileValue, place: &dyn Fn(usize) -> usize| -> Outcome<Vec<[u64; 2]>> {
            let pairs = tile.bits.iter().enumerate();
            let pairs: Option<Vec<_>> = pairs
                .map(|(at, &bits)| Some([bits, *scale.bits.get(place(at))?]))
                .collect();
            pairs.ok_or_else(|| Fault::broken("a scaled matrix product of other extents"))
        };
    // BxMxK has a scale for each BxMx(K/V), and BxKxN one for each Bx(K/V)xN.
    let left = pair(&lhs, &lhs_scale, &|at| at / k * blocks + at % k / block)?;
    let right = pair(&rhs, &rhs_scale, &|at| {
        let (batch, row, column) = (at / (k * n), at / n % k, at % n);
        (batch * blocks + row / block) * n + column
    })?;
    extents.multiply(&left, &right, &acc, |x, y, sum| {
        float::scaled_multiply_accumulate(factors, scales, x, y, sum)
    })
}
