//! Products that instructions sum with fewer bits than `f32` has, so that each tile has a sum of its own.

use tilewright_irs::element::ScalarType;

/// The most products of 8-bit floats that are added by tensor cores, which keep about 14 bits of such a sum on `sm_90`, before
/// threads add it in `f32`. (The interval of the DeepSeek-V3 Technical Report, 3.3.2.)
pub(crate) const MOST_ADDED: u32 = 128;

/// Whether a product of such elements is summed with fewer bits than `f32` has.
pub(crate) fn is_of_8_bits(operand: ScalarType) -> bool {
    matches!(operand, ScalarType::F8E4M3FN | ScalarType::F8E5M2)
}
