//! Arithmetic of tuples of integers.

use tilewright_layouts::cute::{CuteError, Nested, SlotOf, TypeLeaf};

use super::question::{Asked, Outcome, Outcomes, Refusal, integers, one};
use super::tensor::Tensor;
use crate::cute_types::element::Element;
use crate::cute_types::types::Kind;

/// Two of one kind.
fn of_two<L: TypeLeaf>(
    asked: &Asked<'_, L>,
    op: impl FnOnce(&Nested<L>, &Nested<L>) -> Result<Nested<L>, CuteError>,
) -> Outcomes<L> {
    like(asked, op(&asked.tuple(0)?, &asked.tuple(1)?)?)
}

pub(super) fn tuple_add<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    match L::OPEN {
        true => of_two(asked, |left, right| match left {
            Nested::Leaf(leaf) if leaf.is(0) => Ok(right.clone()),
            _ => padded(left, right, &L::plus),
        }),
        false => of_two(asked, Nested::plus),
    }
}

pub(super) fn tuple_sub<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    match L::OPEN {
        true => of_two(asked, |left, right| padded(left, right, &L::minus)),
        false => of_two(asked, Nested::minus),
    }
}

/// As the open dialect adds and subtracts: modes that one tuple lacks are those of the other, and 0 may stand for a tuple of them.
fn padded<L: TypeLeaf>(
    left: &Nested<L>,
    right: &Nested<L>,
    op: &impl Fn(&L, &L) -> Result<L, CuteError>,
) -> Result<Nested<L>, CuteError> {
    match (left, right) {
        (Nested::Leaf(left), Nested::Leaf(right)) => op(left, right).map(Nested::Leaf),
        (Nested::Tuple(_), Nested::Leaf(leaf)) if leaf.is(0) => Ok(left.clone()),
        (Nested::Tuple(lefts), Nested::Tuple(rights)) => {
            let count = lefts.len().max(rights.len());
            let modes = (0..count).filter_map(|number| match (lefts.get(number), rights.get(number)) {
                (Some(left), Some(right)) if left.is_leaf() == right.is_leaf() => {
                    Some(padded(left, right, op))
                }
                (Some(left), Some(right)) => Some(Err(not_congruent(left, right))),
                (one, other) => one.or(other).cloned().map(Ok),
            });
            modes.collect::<Result<_, _>>().map(Nested::Tuple)
        }
        _ => Err(not_congruent(left, right)),
    }
}

fn not_congruent<L: TypeLeaf>(left: &Nested<L>, right: &Nested<L>) -> CuteError {
    CuteError::NotCongruent {
        left: Box::new(left.map(&mut L::shown)),
        right: Box::new(right.map(&mut L::shown)),
    }
}

pub(super) fn tuple_mul<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    of_two(asked, Nested::times)
}

pub(super) fn tuple_div<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    of_two(asked, Nested::quotient)
}

pub(super) fn tuple_mod<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    of_two(asked, Nested::remainder)
}

pub(super) fn product<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    like(asked, asked.tuple(0)?.product().map(Nested::Leaf)?)
}

pub(super) fn product_each<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    like(asked, asked.tuple(0)?.product_each()?)
}

/// A result of the kind of operand 0.
fn like<L: TypeLeaf>(asked: &Asked<'_, L>, tuple: Nested<L>) -> Outcomes<L> {
    one(match asked.cute(0)? {
        Kind::Shape(_) => Kind::Shape(tuple),
        _ => Kind::IntTuple(tuple),
    })
}

pub(super) fn shape_div<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    match (asked.cute(0)?, asked.cute(1)?) {
        (Kind::Shape(shape), Kind::Shape(divisor)) => one(Kind::Shape(shape.shape_div(divisor)?)),
        (Kind::Shape(_), _) => Err(asked.wrong(1, "a shape")),
        _ => Err(asked.wrong(0, "a shape")),
    }
}

pub(super) fn ceil_div<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    if L::OPEN && matches!(asked.cute(1)?, Kind::IntTuple(_)) {
        return like(asked, asked.tuple(0)?.ceil_div(&asked.tuple(1)?)?);
    }
    like(asked, asked.tuple(0)?.tiles(&asked.tiler(1)?)?)
}

/// A truth value, of the numbers that are compared.
fn truth<L: TypeLeaf>(compared: Option<Vec<(L, L)>>) -> Outcome<L> {
    Outcome {
        compared,
        ..Outcome::from(Element::integer(std::num::NonZeroU32::MIN))
    }
}

/// The leaves of two tuples, if they are nested alike.
fn pairs<L: TypeLeaf>(left: &Nested<L>, right: &Nested<L>) -> Option<Vec<(L, L)>> {
    let leaves = left.leaves().cloned().zip(right.leaves().cloned());
    left.congruent(right).then(|| leaves.collect())
}

/// One truth value of two tuples, nested alike.
pub(super) fn elem_less<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let tuple = |number| {
        let tuple = integers(asked.cute(number)?);
        tuple.ok_or_else(|| asked.wrong(number, "a tuple of integers"))
    };
    let (left, right) = (tuple(0)?, tuple(1)?);
    match pairs(&left, &right) {
        Some(compared) => one(truth(Some(compared))),
        None => Err(Refusal::new(format!(
            "{} and {} are not nested in the same way",
            left.map(&mut L::fact),
            right.map(&mut L::fact)
        ))),
    }
}

pub(super) fn equal<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let tuple = |number| asked.cute(number).ok().and_then(integers);
    let compared = tuple(0).zip(tuple(1));
    let compared = compared.and_then(|(left, right)| pairs(&left, &right));
    one(truth(compared))
}

pub(super) fn size<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
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

pub(super) fn cosize<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let layout = asked.tensor(0)?.layout().mode(&asked.modes("mode")?)?;
    if L::OPEN {
        // The extents of a box that has all indices.
        let last = Nested::Leaf(SlotOf::At(layout.size()?.minus(&L::from(1))?));
        let ends = layout
            .index_of(&last)?
            .try_map(&mut |leaf: &L| leaf.plus(&L::from(1)))?;
        return one(Kind::IntTuple(Nested::Leaf(ends.product()?)));
    }
    one(Kind::IntTuple(Nested::Leaf(layout.cosize()?)))
}
