//! Windows that overlap, and vectors that are reduced.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{Nested, TypeLeaf};

use super::question::{Asked, Outcome, Outcomes, Refusal, one};
use crate::cute_types::element::Element;
use crate::cute_types::types::Kind;
use crate::cute_types::value::ValueType;

pub(super) fn stencil_divide<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let tensor = asked.tensor(0)?;
    let Kind::Tile(tile) = asked.cute(1)? else {
        return Err(asked.wrong(1, "a tile"));
    };
    let (mut padding, mut step): (Option<Nested<L>>, _) = (None, None);
    for number in 2..asked.operands.len() {
        match asked.cute(number)? {
            Kind::Shape(more) => {
                padding = Some(match padding {
                    Some(padding) => padding.plus(more)?,
                    None => more.clone(),
                });
            }
            Kind::Stride(stride) => step = Some(stride),
            _ => return Err(asked.wrong(number, "a shape or a stride")),
        }
    }
    one(tensor.map(|layout| layout.stencil_divide(tile, padding.as_ref(), step))?)
}

/// The modes that are left where the profile has `_`, as a vector and its shape; or one number.
pub(super) fn reduce<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let ValueType::Machine(Element::Vector(lanes, number)) = asked.operand(0)? else {
        return Err(asked.wrong(0, "a vector of numbers"));
    };
    let Kind::Shape(shape) = asked.cute(1)? else {
        return Err(asked.wrong(1, "a shape"));
    };
    if shape.product()?.known() != Some(i128::from(lanes.get())) {
        return Err(asked.wrong(1, "a static shape of as many elements as the vector has"));
    }
    let kept = match asked.selection("reduction_profile")? {
        None => Nested::Tuple(Vec::new()),
        Some(Nested::Leaf(_)) => shape.clone(),
        Some(profile) if profile.weakly_congruent(shape) => shape.slice(profile)?,
        Some(profile) => {
            let shape = shape.map(&mut L::fact);
            return Err(Refusal::new(format!("{profile} does not name modes of {shape}")));
        }
    };
    if kept.leaves().next().is_none() {
        return one(Element::Number(*number));
    }
    let size = kept.product()?.known().and_then(|size| u32::try_from(size).ok());
    let size = size.and_then(NonZeroU32::new);
    let size = size.ok_or_else(|| asked.wrong(1, "a shape of extents above 0"))?;
    Ok(vec![
        Outcome::from(Element::Vector(size, *number)),
        Outcome::from(Kind::Shape(kept)),
    ])
}
