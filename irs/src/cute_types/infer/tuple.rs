//! Arithmetic of tuples of integers.

use tilewright_layouts::cute::{CuteError, Fact, Nested};

use super::question::{Answer, Question, Refusal, integers, one};
use super::tensor::Tensor;
use crate::cute_types::element::Element;
use crate::cute_types::types::Kind;
use crate::cute_types::value::ValueType;

/// Two of one kind.
fn of_two(
    asked: &Question<'_>,
    op: impl FnOnce(&Nested<Fact>, &Nested<Fact>) -> Result<Nested<Fact>, CuteError>,
) -> Answer {
    like(asked, op(&asked.tuple(0)?, &asked.tuple(1)?)?)
}

pub(super) fn tuple_add(asked: &Question<'_>) -> Answer {
    of_two(asked, Nested::plus)
}

pub(super) fn tuple_sub(asked: &Question<'_>) -> Answer {
    of_two(asked, Nested::minus)
}

pub(super) fn tuple_mul(asked: &Question<'_>) -> Answer {
    of_two(asked, Nested::times)
}

pub(super) fn tuple_div(asked: &Question<'_>) -> Answer {
    of_two(asked, Nested::quotient)
}

pub(super) fn tuple_mod(asked: &Question<'_>) -> Answer {
    of_two(asked, Nested::remainder)
}

pub(super) fn product(asked: &Question<'_>) -> Answer {
    like(asked, asked.tuple(0)?.product().map(Nested::Leaf)?)
}

pub(super) fn product_each(asked: &Question<'_>) -> Answer {
    like(asked, asked.tuple(0)?.product_each()?)
}

/// A result of the kind of operand 0.
fn like(asked: &Question<'_>, tuple: Nested<Fact>) -> Answer {
    one(match asked.cute(0)? {
        Kind::Shape(_) => Kind::Shape(tuple),
        _ => Kind::IntTuple(tuple),
    })
}

pub(super) fn shape_div(asked: &Question<'_>) -> Answer {
    match (asked.cute(0)?, asked.cute(1)?) {
        (Kind::Shape(shape), Kind::Shape(divisor)) => one(Kind::Shape(shape.shape_div(divisor)?)),
        (Kind::Shape(_), _) => Err(asked.wrong(1, "a shape")),
        _ => Err(asked.wrong(0, "a shape")),
    }
}

pub(super) fn ceil_div(asked: &Question<'_>) -> Answer {
    like(asked, asked.tuple(0)?.tiles(&asked.tiler(1)?)?)
}

fn truth() -> ValueType {
    Element::integer(std::num::NonZeroU32::MIN).into()
}

/// One truth value of two tuples, nested alike.
pub(super) fn elem_less(asked: &Question<'_>) -> Answer {
    let tuple = |number| {
        let tuple = integers(asked.cute(number)?);
        tuple.ok_or_else(|| asked.wrong(number, "a tuple of integers"))
    };
    let (left, right) = (tuple(0)?, tuple(1)?);
    match left.congruent(&right) {
        true => one(truth()),
        false => Err(Refusal::new(format!(
            "{left} and {right} are not nested in the same way"
        ))),
    }
}

pub(super) fn equal(_: &Question<'_>) -> Answer {
    one(truth())
}

pub(super) fn size(asked: &Question<'_>) -> Answer {
    let path = asked.modes("mode")?;
    let kind = asked.cute(0)?;
    let size = match Tensor::of(kind) {
        Some(tensor) => tensor.layout().mode(&path)?.size()?,
        None => {
            let tuple = integers(kind).ok_or_else(|| asked.wrong(0, "a tuple, a layout or a tensor"))?;
            tuple.get(&path)?.product()?
        }
    };
    one(Kind::IntTuple(Nested::Leaf(size)))
}

pub(super) fn cosize(asked: &Question<'_>) -> Answer {
    let layout = asked.tensor(0)?.layout().mode(&asked.modes("mode")?)?;
    one(Kind::IntTuple(Nested::Leaf(layout.cosize()?)))
}
