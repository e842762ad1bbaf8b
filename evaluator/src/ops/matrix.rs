//! Matrix products.
//!
//! The language does not specify the order of summation. Here every element of the result starts as that of the
//! accumulator, and the products are added one by one in the order of K: each product is exact and is rounded once,
//! together with its sum, to nearest even (a fused multiply-add). Sums have the accumulator's type, but those for an
//! `f16` are `f32`s that are rounded at the end, since tensor cores keep more than half precision within a product.

use rayon::prelude::*;
use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::Signedness;

use crate::fault::{Fault, Outcome};
use crate::frame::{Frame, Op};
use crate::number::nudge::{Nudge, Summands, product_roundoff};
use crate::number::{Format, float, int, product};
use crate::ops::float::format;
use crate::tile::TileValue;
use crate::unspecified::{Mark, Marks};

/// Products of fewer elements than this are computed on one core.
const MANY: usize = 1 << 16;

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

    /// Adds the products of all pairs of elements to their elements of the accumulator, the pairs of each element in
    /// the order of K.
    fn multiply<T: Copy + Sync, A: Copy + Send>(
        &self,
        lhs: &[T],
        rhs: &[T],
        mut sums: Vec<A>,
        add: impl Fn(T, T, A) -> A + Sync,
    ) -> Outcome<Vec<A>> {
        let (a, b) = (self.m * self.k, self.k * self.n);
        if lhs.len() != self.batch * a
            || rhs.len() != self.batch * b
            || sums.len() != self.batch * self.m * self.n
        {
            return Err(Fault::broken("a matrix product of other extents"));
        }
        let (m, n, k) = (self.m.max(1), self.n.max(1), self.k.max(1));
        let one = |(at, out): (usize, &mut [A])| {
            let row = lhs.chunks(k).nth(at).unwrap_or_default();
            let matrix = rhs.chunks(b.max(1)).nth(at / m).unwrap_or_default();
            // Row by row of the right side, which is the order of K for each element.
            for (&x, column) in row.iter().zip(matrix.chunks(n)) {
                for (sum, &y) in out.iter_mut().zip(column) {
                    *sum = add(x, y, *sum);
                }
            }
        };
        if sums.len().saturating_mul(k) < MANY {
            sums.chunks_mut(n).enumerate().for_each(one);
        } else {
            sums.par_chunks_mut(n).enumerate().for_each(one);
        }
        Ok(sums)
    }

    /// The elements of a product moved by what another order of their summands can make.
    fn spread(
        &self,
        nudge: Nudge,
        (from, to): (Format, Format),
        [lhs, rhs]: [&[f64]; 2],
        acc: &[u64],
        sums: &[u64],
    ) -> Outcome<Vec<u64>> {
        let summands = product::doubles(to, acc).into_iter().map(|number| {
            let mut summands = Summands::default();
            summands.add(number);
            summands
        });
        let add = |x: f64, y: f64, mut summands: Summands| {
            summands.add(x * y);
            summands
        };
        let summands = self.multiply(lhs, rhs, summands.collect(), add)?;
        let roundoff = product_roundoff(from, to);
        let pairs = sums.iter().zip(&summands);
        Ok(pairs
            .map(|(&bits, summands)| nudge.moved(to, bits, summands.spread(roundoff)))
            .collect())
    }

    /// Marks every element with an unspecified summand.
    fn marks(&self, lhs: &Marks, rhs: &Marks, acc: &Marks) -> Marks {
        if lhs.is_none() && rhs.is_none() {
            return acc.clone();
        }
        let any = |marks: &Marks, places: &mut dyn Iterator<Item = usize>| {
            places.map(|at| marks.get(at)).fold(Mark::NONE, Mark::or)
        };
        let (m, n, k) = (self.m.max(1), self.n.max(1), self.k);
        let rows: Vec<Mark> = (0..self.batch * m)
            .map(|row| any(lhs, &mut (row * k..(row + 1) * k)))
            .collect();
        let columns: Vec<Mark> = (0..self.batch * n)
            .map(|column| {
                let (batch, column) = (column / n, column % n);
                any(rhs, &mut (0..k).map(|k_at| (batch * k + k_at) * n + column))
            })
            .collect();
        let mark = |at: usize| {
            let row = rows.get(at / n).copied().unwrap_or_default();
            let column = columns.get(at / n / m * n + at % n).copied();
            acc.get(at).or(row).or(column.unwrap_or_default())
        };
        Marks::of((0..self.batch * m * n).map(mark))
    }
}

/// `mmaf`
pub(crate) fn floats(frame: &mut Frame<'_>, [lhs, rhs, acc]: [Value; 3]) -> Outcome<TileValue> {
    let (lhs, rhs, acc) = (frame.tile(lhs)?, frame.tile(rhs)?, frame.tile(acc)?);
    let (from, to) = (format(&lhs)?, format(&acc)?);
    let extents = Extents::of(&lhs, &rhs)?;
    frame.machine.spend(acc.bits.len().saturating_mul(extents.k))?;
    let singles = |tile: &TileValue, format| product::singles(format, &tile.bits);
    let bits = if from == Format::F64 && to == Format::F64 {
        let [lhs, rhs, acc] = [&lhs, &rhs, &acc].map(|tile| product::doubles(to, &tile.bits));
        let sums = extents.multiply(&lhs, &rhs, acc, f64::mul_add)?;
        product::bits_of_doubles(&sums)
    } else if (to == Format::F32 || to == Format::F16)
        && let (Some(lhs), Some(rhs), Some(acc)) =
            (singles(&lhs, from), singles(&rhs, from), singles(&acc, to))
    {
        // The host may lack an FMA instruction.
        let sums = if product::are_short(from, &lhs) && product::are_short(from, &rhs) {
            extents.multiply(&lhs, &rhs, acc, |x, y, sum| x * y + sum)?
        } else {
            extents.multiply(&lhs, &rhs, acc, f32::mul_add)?
        };
        product::rounded_singles(to, &sums)
    } else {
        extents.multiply(&lhs.bits, &rhs.bits, acc.bits.clone(), |x, y, sum| {
            float::multiply_accumulate(from, to, x, y, sum)
        })?
    };
    let bits = match frame.machine.nudge {
        Some(nudge) => {
            let [left, right] =
                [(&lhs, from), (&rhs, from)].map(|(tile, ty)| product::doubles(ty, &tile.bits));
            extents.spread(nudge, (from, to), [&left, &right], &acc.bits, &bits)?
        }
        None => bits,
    };
    let marks = extents.marks(&lhs.marks, &rhs.marks, &acc.marks);
    Ok(acc.like(acc.element, bits).marked(marks))
}

/// `mmai`: 8 bits times 8 bits, accumulated in 32 bits with wrapping.
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
        let wide = tile.bits.iter().map(|&bits| int::extend(from, to, sign, bits));
        Ok(wide.collect())
    };
    let sums = extents.multiply(
        &widened(&lhs, signs[0])?,
        &widened(&rhs, signs[1])?,
        acc.bits.clone(),
        // The low bits of sums and products depend on low bits only.
        |x, y, sum| sum.wrapping_add(x.wrapping_mul(y)),
    )?;
    let bits = sums.into_iter().map(|sum| sum & to.mask()).collect();
    let marks = extents.marks(&lhs.marks, &rhs.marks, &acc.marks);
    Ok(acc.like(acc.element, bits).marked(marks))
}

/// `mmaf_scaled`: both factors of a product are multiplied by the scale of their block along K.
pub(crate) fn scaled(
    frame: &mut Frame<'_>,
    op: &Op,
    [lhs, rhs, acc]: [Value; 3],
    [lhs_scale, rhs_scale]: [Value; 2],
) -> Outcome<TileValue> {
    let (lhs, rhs, acc) = (frame.tile(lhs)?, frame.tile(rhs)?, frame.tile(acc)?);
    let (lhs_scale, rhs_scale) = (frame.tile(lhs_scale)?, frame.tile(rhs_scale)?);
    let extents = Extents::of(&lhs, &rhs)?;
    frame.machine.spend(acc.bits.len().saturating_mul(extents.k))?;
    let (k, n) = (extents.k.max(1), extents.n.max(1));
    let blocks = Extents::of(&lhs_scale, &rhs_scale)?.k.max(1);
    let block = (k / blocks).max(1);
    let negative = frame.mark(op, "a matrix product with a negative scale");
    // BxMxK has a scale for each BxMx(K/V), and BxKxN one for each Bx(K/V)xN.
    let left = Scaled::of(&lhs, &lhs_scale, negative, |at| at / k * blocks + at % k / block)?;
    let right = Scaled::of(&rhs, &rhs_scale, negative, |at| {
        let (batch, row, column) = (at / (k * n), at / n % k, at % n);
        (batch * blocks + row / block) * n + column
    })?;
    let Some(sums) = product::singles(format(&acc)?, &acc.bits) else {
        return Err(Fault::broken("a scaled matrix product in f64"));
    };
    // Two numbers and two scales of at most 4 bits each: their product is exact.
    let sums = extents.multiply(&left.numbers, &right.numbers, sums, |x, y, sum| {
        product::sum_to_single(x * y, sum)
    })?;
    let bits = product::bits_of_singles(&sums);
    let bits = match frame.machine.nudge {
        Some(nudge) => {
            let formats = (format(&lhs)?, format(&acc)?);
            extents.spread(nudge, formats, [&left.numbers, &right.numbers], &acc.bits, &bits)?
        }
        None => bits,
    };
    let marks = extents.marks(&left.marks, &right.marks, &acc.marks);
    let result = acc.like(acc.element, bits);
    Ok(result.marked(marks))
}

/// A factor of a scaled product.
struct Scaled {
    numbers: Vec<f64>,
    marks: Marks,
}

impl Scaled {
    /// A tile times its scales; `place` maps an element to its scale.
    fn of(
        tile: &TileValue,
        scale: &TileValue,
        negative: Mark,
        place: impl Fn(usize) -> usize,
    ) -> Outcome<Self> {
        let numbers = product::doubles(format(tile)?, &tile.bits);
        let scales = product::doubles(format(scale)?, &scale.bits);
        let scaled = numbers.iter().enumerate();
        let scaled: Option<Vec<f64>> = scaled
            .map(|(at, number)| Some(number * scales.get(place(at))?))
            .collect();
        let has_negative = scales.iter().any(|scale| *scale < 0.0);
        let marks = if tile.marks.is_none() && scale.marks.is_none() && !has_negative {
            Marks::NONE
        } else {
            let mark = |at: usize| {
                let below = scales.get(place(at)).is_some_and(|scale| *scale < 0.0);
                let below = if below { negative } else { Mark::NONE };
                tile.marks.get(at).or(scale.marks.get(place(at))).or(below)
            };
            Marks::of((0..tile.bits.len()).map(mark))
        };
        Ok(Self {
            numbers: scaled.ok_or_else(|| Fault::broken("a scaled matrix product of other extents"))?,
            marks,
        })
    }
}
