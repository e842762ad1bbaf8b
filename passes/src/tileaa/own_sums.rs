//! Products that instructions sum with fewer bits than `f32` has, so that each tile has a sum of its own.

use tilewright_irs::core::{Body, OpId, Value, ValueType};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::Dense;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};

/// The most products of 8-bit floats that are added by tensor cores, which keep about 14 bits of such a sum on `sm_90`, before
/// threads add it in `f32`. (The interval of the DeepSeek-V3 Technical Report, 3.3.2.)
pub(crate) const MOST_ADDED: u32 = 128;

/// Whether a product of such elements is summed with fewer bits than `f32` has.
pub(crate) fn is_of_8_bits(operand: ScalarType) -> bool {
    matches!(operand, ScalarType::F8E4M3FN | ScalarType::F8E5M2)
}

/// Whether instructions would add the products of a tile to a sum of `f32` with fewer bits: those of 8-bit floats, unless `fast`.
pub(crate) fn adds_with_few_bits(body: &Body<TileAa>, op: &TileAaDialect) -> bool {
    let TileAaDialect::Dot { a, fast, .. } = op else {
        return false;
    };
    let element = body.ty(*a).element().and_then(ElementType::scalar);
    !fast.0 && element.is_some_and(is_of_8_bits)
}

/// Whether a product has a sum of its own beside its accumulator. One that is added to zeros is that sum.
pub(crate) fn has_own_sum(
    body: &Body<TileAa>,
    definition: impl Fn(Value) -> Option<OpId>,
    op: &TileAaDialect,
) -> bool {
    let TileAaDialect::Dot { acc, .. } = op else {
        return false;
    };
    let adds_to_zeros = definition(*acc).is_some_and(|id| {
        matches!(
            &body.op(id).kind,
            TileAaOp::Arith(ArithOp::Constant { value: Dense::Splat(zero) }) if zero.signed() == 0
        )
    });
    adds_with_few_bits(body, op) && !adds_to_zeros
}
