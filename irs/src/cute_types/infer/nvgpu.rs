//! Ops whose results are of the type of an operand, or always of one type.

use std::num::NonZeroU32;

use super::question::{Answer, Question, one};
use crate::cute_types::element::Element;

/// The atom with a field set has the same type.
pub(super) fn like_first(asked: &Question<'_>) -> Answer {
    one(asked.operand(0)?.clone())
}

/// A number of bytes.
pub(super) fn bytes64(_: &Question<'_>) -> Answer {
    one(Element::integer(NonZeroU32::MIN.saturating_add(63)))
}
