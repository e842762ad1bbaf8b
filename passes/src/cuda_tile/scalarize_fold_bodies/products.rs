//! Matrix products of tiles that have become scalars: sums of products in the order of K, in the accumulator's type.

use tilewright_irs::core::{Flag, Value};
use tilewright_irs::cuda_tile::{
    CastOp, FloatOp, IntOp, IntegerOverflow, RoundingMode, Signedness, TileType,
};
use tilewright_irs::element::ScalarType;

use super::elements::{Extents, extents};
use super::{Cx, Problem, Scalarize};

const ROUNDING: RoundingMode = RoundingMode::NearestEven;

/// One element of the result: its number, and the numbers of the elements that are multiplied.
type Terms = (usize, Vec<(usize, usize)>);

impl Scalarize {
    /// A product of floats; one of scales is for a block of elements along K.
    pub(super) fn product(
        &mut self,
        cx: &mut Cx<'_>,
        [lhs, rhs, acc]: [Value; 3],
        scales: Option<[Value; 2]>,
    ) -> Result<Vec<Value>, Problem> {
        let ty = scalar_type(cx, acc);
        let (rows, columns, sums) = (extents(cx, lhs), extents(cx, rhs), extents(cx, acc));
        self.spend_scalars(cx, steps(&rows, &sums))?;
        let mut a = widened(cx, lhs, ty);
        let mut b = widened(cx, rhs, ty);
        if let Some([lhs_scale, rhs_scale]) = scales {
            let rank = sums.rank();
            a = scaled(cx, a, &rows, lhs_scale, rank.saturating_sub(1), ty);
            b = scaled(cx, b, &columns, rhs_scale, rank.saturating_sub(2), ty);
        }
        let mut elements = cx.all(acc).to_vec();
        for (element, terms) in terms(&rows, &columns, &sums) {
            for (i, j) in terms {
                let (Some(&lhs), Some(&rhs), Some(sum)) = (a.get(i), b.get(j), elements.get_mut(element))
                else {
                    continue;
                };
                let fma = FloatOp::Fma {
                    lhs,
                    rhs,
                    acc: *sum,
                    rounding_mode: ROUNDING,
                    flush_to_zero: Flag(false),
                };
                *sum = cx.value(fma, TileType::scalar(ty));
            }
        }
        Ok(elements)
    }

    /// A product of integers.
    pub(super) fn integer_product(
        &mut self,
        cx: &mut Cx<'_>,
        [lhs, rhs, acc]: [Value; 3],
        [signed_lhs, signed_rhs]: [Signedness; 2],
    ) -> Result<Vec<Value>, Problem> {
        let ty = scalar_type(cx, acc);
        let (rows, columns, sums) = (extents(cx, lhs), extents(cx, rhs), extents(cx, acc));
        self.spend_scalars(cx, steps(&rows, &sums).saturating_mul(2))?;
        let a = extended(cx, lhs, signed_lhs, ty);
        let b = extended(cx, rhs, signed_rhs, ty);
        let overflow = IntegerOverflow::None;
        let mut elements = cx.all(acc).to_vec();
        for (element, terms) in terms(&rows, &columns, &sums) {
            for (i, j) in terms {
                let (Some(&lhs), Some(&rhs), Some(sum)) = (a.get(i), b.get(j), elements.get_mut(element))
                else {
                    continue;
                };
                let rhs = cx.value(IntOp::MulI { lhs, rhs, overflow }, TileType::scalar(ty));
                let lhs = *sum;
                *sum = cx.value(IntOp::AddI { lhs, rhs, overflow }, TileType::scalar(ty));
            }
        }
        Ok(elements)
    }
}

/// The number of multiplications.
fn steps(rows: &Extents, sums: &Extents) -> u64 {
    sums.count()
        .saturating_mul(rows.extent(sums.rank().saturating_sub(1))) as u64
}

/// The terms of all elements of a product of `… x M x K` and `… x K x N`.
fn terms(rows: &Extents, columns: &Extents, sums: &Extents) -> Vec<Terms> {
    let rank = sums.rank();
    let (row, column) = (rank.saturating_sub(2), rank.saturating_sub(1));
    let depth = rows.extent(column);
    let of = |element| {
        let place = sums.coordinates(element);
        let term = |k| {
            let (mut a, mut b) = (place.clone(), place.clone());
            if let (Some(a), Some(b)) = (a.get_mut(column), b.get_mut(row)) {
                (*a, *b) = (k, k);
            }
            (rows.element(&a), columns.element(&b))
        };
        (element, (0..depth).map(term).collect())
    };
    (0..sums.count()).map(of).collect()
}

/// The type of an element of an old value.
pub(super) fn scalar_type(cx: &Cx<'_>, old: Value) -> ScalarType {
    let tile = cx.from.ty(old).as_tile();
    tile.and_then(|tile| tile.element.scalar())
        .unwrap_or(ScalarType::F32)
}

/// The elements of a tile in a float type that holds them exactly.
fn widened(cx: &mut Cx<'_>, old: Value, ty: ScalarType) -> Vec<Value> {
    let elements = cx.all(old).to_vec();
    if scalar_type(cx, old) == ty {
        return elements;
    }
    let rounding_mode = ROUNDING;
    let wide = |from| cx.value(CastOp::FToF { from, rounding_mode }, TileType::scalar(ty));
    elements.into_iter().map(wide).collect()
}

/// The elements of a tile in a wider integer type.
fn extended(cx: &mut Cx<'_>, old: Value, signedness: Signedness, ty: ScalarType) -> Vec<Value> {
    let elements = cx.all(old).to_vec();
    let wide = |from| cx.value(CastOp::ExtI { from, signedness }, TileType::scalar(ty));
    elements.into_iter().map(wide).collect()
}

/// Elements times those of a tile that is shorter along an axis, each of which is for a block of elements.
fn scaled(
    cx: &mut Cx<'_>,
    elements: Vec<Value>,
    extents_of: &Extents,
    scale: Value,
    axis: usize,
    ty: ScalarType,
) -> Vec<Value> {
    let few = extents(cx, scale);
    let block = extents_of.extent(axis) / few.extent(axis).max(1);
    let scales = widened(cx, scale, ty);
    let scaled = elements.into_iter().enumerate().map(|(element, lhs)| {
        let mut place = extents_of.coordinates(element);
        if let Some(coordinate) = place.get_mut(axis) {
            *coordinate /= block.max(1);
        }
        let Some(&rhs) = scales.get(few.element(&place)) else {
            return lhs;
        };
        let product = FloatOp::MulF {
            lhs,
            rhs,
            rounding_mode: ROUNDING,
            flush_to_zero: Flag(false),
        };
        cx.value(product, TileType::scalar(ty))
    });
    scaled.collect()
}
