//! Coordinates to indices and back.

use std::num::NonZeroU64;

use tilewright_layouts::cute::{CoordOf, CuteError, Fact, Leaf, Nested, SlotOf, TypeLayout};

use super::question::{Answer, Question, Refusal, one};
use super::tensor::Tensor;
use crate::cute_types::types::Kind;
use crate::cute_types::view::ViewLayout;

pub(super) fn crd2idx(asked: &Question<'_>) -> Answer {
    let coord = asked.coord(0)?;
    one(Kind::IntTuple(match asked.any_layout(1)? {
        Tensor::Composed(ViewLayout::Composed(composed)) => composed.index_of(&coord)?,
        layout => layout.layout().index_of(&coord)?,
    }))
}

pub(super) fn idx2crd(asked: &Question<'_>) -> Answer {
    let Kind::IntTuple(index) = asked.cute(0)? else {
        return Err(asked.wrong(0, "a tuple of integers"));
    };
    let coord = asked.tuple(1)?.coord_of(index)?;
    one(Kind::Coord(coord.map(&mut |leaf| SlotOf::At(*leaf))))
}

/// The coordinate of an index of a layout.
fn of_index(
    asked: &Question<'_>,
    coord: impl FnOnce(&TypeLayout, &Fact) -> Result<Nested<Fact>, CuteError>,
) -> Answer {
    let coord = coord(asked.any_layout(1)?.layout(), &asked.integer(0)?)?;
    one(Kind::Coord(coord.map(&mut |leaf| SlotOf::At(*leaf))))
}

pub(super) fn get_hier_coord(asked: &Question<'_>) -> Answer {
    of_index(asked, TypeLayout::hier_coord)
}

pub(super) fn get_flat_coord(asked: &Question<'_>) -> Answer {
    of_index(asked, TypeLayout::flat_coord)
}

pub(super) fn get_integral_coord(asked: &Question<'_>) -> Answer {
    of_index(asked, |layout, index| {
        layout.integral_coord(index).map(Nested::Leaf)
    })
}

/// Whether the leaves before have all come to their ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carry {
    No,
    Yes,
    AtRunTime,
}

/// The coordinate after this one, the first leaf fastest. The last leaf has no end.
pub(super) fn increment_coord(asked: &Question<'_>) -> Answer {
    let Kind::Shape(shape) = asked.cute(1)? else {
        return Err(asked.wrong(1, "a shape"));
    };
    let coord = asked.coord(0)?;
    if !coord.congruent(shape) {
        return Err(Refusal::new(format!("{coord} is not nested as {shape} is")));
    }
    let mut extents = shape.leaves();
    let mut left = shape.leaves().count();
    let mut carry = Carry::Yes;
    let next: CoordOf<Fact> = coord.try_map(&mut |slot| {
        let (SlotOf::At(place), Some(extent)) = (slot, extents.next()) else {
            return Err(asked.wrong(0, "a coordinate without `_`"));
        };
        left -= 1;
        let after = match carry {
            Carry::No => *place,
            Carry::Yes => place.plus(&Fact::from(1))?,
            Carry::AtRunTime => Fact::opaque(place.width()),
        };
        let (next, carried) = match (carry, after.value(), extent.value()) {
            _ if left == 0 => (after, Carry::No),
            (Carry::Yes, Some(value), Some(end)) if value == end => (Fact::from(0), Carry::Yes),
            (_, Some(_), Some(_)) => (after, Carry::No),
            // This number or 0.
            _ => (either(after), Carry::AtRunTime),
        };
        carry = carried;
        Ok(SlotOf::At(next))
    })?;
    one(Kind::Coord(next))
}

/// This number or 0.
fn either(number: Fact) -> Fact {
    let divisor = NonZeroU64::new(number.divisor()).unwrap_or(NonZeroU64::MIN);
    Fact::dynamic(number.width(), divisor)
}
