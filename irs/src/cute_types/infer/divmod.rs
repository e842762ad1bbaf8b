//! Divisors made ready.

use std::num::NonZeroU32;

use tilewright_layouts::cute::TypeLeaf;

use super::question::{Asked, Outcomes, Refusal, one};
use crate::cute_types::element::Element;
use crate::cute_types::scalar::DivisorWidth;
use crate::cute_types::types::Kind;

/// A signless integer.
pub(super) fn integer(bits: u32) -> Element {
    Element::integer(NonZeroU32::new(bits).unwrap_or(NonZeroU32::MIN))
}

/// The type of what is divided.
fn dividend<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<Element, Refusal> {
    match asked.cute(0)? {
        Kind::FastDivisor(divisor) => Ok(match divisor.width {
            DivisorWidth::B32 => integer(32),
            DivisorWidth::B64 => integer(64),
        }),
        _ => Err(asked.wrong(0, "a divisor")),
    }
}

pub(super) fn get_divisor<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(dividend(asked)?)
}

/// The multiplier, and the two shifts.
pub(super) fn get_aux<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    Ok(vec![
        dividend(asked)?.into(),
        integer(8).into(),
        integer(8).into(),
    ])
}
