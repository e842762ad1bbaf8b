//! `fma`: multiply-adds of each thread's elements.

use tilewright_irs::core::{Flag, OpId, Translated};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Overflow};
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::tileas::atoms::Fma;

use super::super::emit::{Cx, at, bug};
use super::super::function::LowerFragments;
use super::product::{Product, Registers};
use super::{LowerAtom, Site};

impl LowerAtom for Fma {
    fn lower(
        &self,
        cx: &mut Cx<'_>,
        &Site { id, op, .. }: &Site<'_>,
        _: &mut LowerFragments<'_>,
    ) -> Option<Translated> {
        Some(multiply(cx, id, &Product::of(op)?))
    }
}

/// Lowers a product to multiply-adds of whole fragments, one for each element along K.
fn multiply(cx: &mut Cx<'_>, id: OpId, product: &Product) -> Translated {
    let (origin, result) = (cx.origin(), cx.old(id).result(0));
    let layouts = product.layouts(cx)?;
    let [left, right, sums] = layouts.map(Registers::of);
    let [_, _, accumulator] = product.scalars(cx)?;
    let missing = || bug(origin, "a product whose elements are not in its tiles");
    let [a, b, mut acc] = product.operands.map(|operand| cx.one(operand));
    let [_, depth] = left.extents;
    let ty = cx.ty(acc).clone();
    for k in 0..depth {
        let rows = sums.places.iter().map(|&[batch, row, _]| [batch, row, k]);
        let columns = sums.places.iter().map(|&[batch, _, column]| [batch, k, column]);
        let (rows, columns) = (left.all(rows), right.all(columns));
        let mut emit = at(cx);
        let lhs = emit.rearrange(a, rows.ok_or_else(missing)?);
        let rhs = emit.rearrange(b, columns.ok_or_else(missing)?);
        acc = if accumulator.is_int() {
            let overflow = Overflow::Wraps;
            let multiplied = emit.0.value(ArithOp::MulI { lhs, rhs, overflow }, ty.clone());
            emit.add(acc, multiplied)
        } else {
            let fma = ArithOp::Fma {
                lhs,
                rhs,
                acc,
                rounding: FloatRounding::NearestEven,
                flush_to_zero: Flag(false),
                fast_math: FastMathOf::NONE,
            };
            emit.0.value(fma, ty.clone())
        };
    }
    cx.bind(result, [acc]);
    Ok(())
}
