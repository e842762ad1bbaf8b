//! Matrix products.

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::cuda_tile;
use tilewright_irs::dialects::arith::Signedness;
use tilewright_irs::tileaa::TileAaDialect;

use super::pass::{Lowering, Pass};
use crate::cuda_tile::as_arith::words::signedness;

impl Pass<'_> {
    /// A product of floats.
    pub(super) fn float_product(cx: &mut Lowering<'_>, id: OpId, operands: [Value; 3]) -> Translated {
        Self::dot(cx, id, operands, [Signedness::Signed; 2])
    }

    /// A product of integers.
    pub(super) fn integer_product(
        cx: &mut Lowering<'_>,
        id: OpId,
        operands: [Value; 3],
        signs: [cuda_tile::Signedness; 2],
    ) -> Translated {
        Self::dot(cx, id, operands, signs.map(signedness))
    }

    fn dot(
        cx: &mut Lowering<'_>,
        id: OpId,
        operands: [Value; 3],
        [signedness_a, signedness_b]: [Signedness; 2],
    ) -> Translated {
        let [a, b, acc] = operands.map(|value| cx.one(value));
        let dot = TileAaDialect::Dot {
            a,
            b,
            acc,
            signedness_a,
            signedness_b,
        };
        Self::replace(cx, id, dot)
    }
}
