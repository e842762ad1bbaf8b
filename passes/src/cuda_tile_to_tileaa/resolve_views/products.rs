//! Matrix products. The operands of a block-scaled product are multiplied by their scales in `bf16`.

use tilewright_irs::core::{Flag, OpId, Translated, Value, ValueType};
use tilewright_irs::cuda_tile;
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Signedness};
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileaa::{TileAaDialect, TileAaType};

use super::pass::{Lowering, Pass};
use crate::cuda_tile::as_arith::words::signedness;

const ROUNDING: FloatRounding = FloatRounding::NearestEven;
/// Holds the product of an element and a scale, of at most 4 significant bits each, without rounding: from 2^-126 on,
/// and below as far as subnormals reach.
const SCALED: ElementType = ElementType::Scalar(ScalarType::BF16);

impl Pass<'_> {
    /// A product of floats.
    pub(super) fn float_product(
        cx: &mut Lowering<'_>,
        id: OpId,
        operands: [Value; 3],
        fast: Flag,
    ) -> Translated {
        let operands = operands.map(|value| cx.one(value));
        Self::dot(cx, id, operands, [Signedness::Signed; 2], fast)
    }

    /// A product of integers.
    pub(super) fn integer_product(
        cx: &mut Lowering<'_>,
        id: OpId,
        operands: [Value; 3],
        signs: [cuda_tile::Signedness; 2],
    ) -> Translated {
        let operands = operands.map(|value| cx.one(value));
        Self::dot(cx, id, operands, signs.map(signedness), Flag(false))
    }

    /// A product of floats with one scale for each block along K.
    pub(super) fn scaled_product(
        cx: &mut Lowering<'_>,
        id: OpId,
        operands: [Value; 3],
        scales: [Value; 2],
    ) -> Translated {
        let [a, b, acc] = operands.map(|value| cx.one(value));
        let [scale_a, scale_b] = scales.map(|value| cx.one(value));
        let rank = cx.ty(a).shape().unwrap_or_default().len();
        // K is the last axis of A, and the last but one of B.
        let a = scaled(cx, a, scale_a, rank.saturating_sub(1));
        let b = scaled(cx, b, scale_b, rank.saturating_sub(2));
        Self::dot(cx, id, [a, b, acc], [Signedness::Signed; 2], Flag(false))
    }

    fn dot(
        cx: &mut Lowering<'_>,
        id: OpId,
        [a, b, acc]: [Value; 3],
        [signedness_a, signedness_b]: [Signedness; 2],
        fast: Flag,
    ) -> Translated {
        let dot = TileAaDialect::Dot {
            a,
            b,
            acc,
            signedness_a,
            signedness_b,
            fast,
            route: None,
        };
        Self::replace(cx, id, dot)
    }
}

/// The elements of a tile times those of a tile that is shorter along an axis, each of which is for a block of elements.
fn scaled(cx: &mut Lowering<'_>, tile: Value, scale: Value, axis: usize) -> Value {
    let source = widened(cx, tile);
    let scale = widened(cx, scale);
    let ty = cx.ty(source).clone();
    let whole = ty.shape().unwrap_or_default();
    let mut columns = cx.ty(scale).shape().unwrap_or_default().to_vec();
    columns.insert(axis + 1, 1);
    let column = TileAaType::tile(&columns, SCALED);
    let scale = cx.value(TileOp::Reshape { source: scale }, column);
    let count = columns.get(axis).copied().unwrap_or(1).max(1);
    let extent = whole.get(axis).copied().unwrap_or(1);
    let mut blocks = columns;
    if let Some(block) = blocks.get_mut(axis + 1) {
        *block = extent / count;
    }
    let blocks = TileAaType::tile(&blocks, SCALED);
    let scale = cx.value(TileOp::Broadcast { source: scale }, blocks);
    let rhs = cx.value(TileOp::Reshape { source: scale }, ty.clone());
    let product = ArithOp::MulF {
        lhs: source,
        rhs,
        rounding: ROUNDING,
        flush_to_zero: Flag(false),
        fast_math: FastMathOf::NONE,
    };
    cx.value(product, ty)
}

fn widened(cx: &mut Lowering<'_>, source: Value) -> Value {
    let ty = cx.ty(source).with_element(SCALED);
    let rounding = ROUNDING;
    cx.value(ArithOp::FToF { source, rounding }, ty)
}
