//! Divisors made ready.

use std::num::NonZeroU32;

use super::question::{Answer, Question, Refusal, one};
use crate::cute_types::element::Element;
use crate::cute_types::scalar::DivisorWidth;
use crate::cute_types::types::Kind;

/// A signless integer.
pub(super) fn integer(bits: u32) -> Element {
    Element::integer(NonZeroU32::new(bits).unwrap_or(NonZeroU32::MIN))
}

/// The type of what is divided.
fn dividend(asked: &Question<'_>) -> Result<Element, Refusal> {
    match asked.cute(0)? {
        Kind::FastDivisor(divisor) => Ok(match divisor.width {
            DivisorWidth::B32 => integer(32),
            DivisorWidth::B64 => integer(64),
        }),
        _ => Err(asked.wrong(0, "a divisor")),
    }
}

pub(super) fn get_divisor(asked: &Question<'_>) -> Answer {
    one(dividend(asked)?)
}

/// The multiplier, and the two shifts.
pub(super) fn get_aux(asked: &Question<'_>) -> Answer {
    Ok(vec![
        dividend(asked)?.into(),
        integer(8).into(),
        integer(8).into(),
    ])
}
