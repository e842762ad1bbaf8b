//! Coordinates to indices and back.

use std::num::NonZeroU64;

use tilewright_layouts::cute::{Bits, CoordOf, CuteError, Fact, LayoutOf, Nested, RunTime, SlotOf, TypeLeaf};

use super::question::{Asked, Outcomes, Refusal, one};
use super::tensor::Tensor;
use crate::cute_types::types::Kind;
use crate::cute_types::view::ViewLayout;

pub(super) fn crd2idx<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let coord = asked.coord(0)?;
    one(Kind::IntTuple(match asked.any_layout(1)? {
        Tensor::Composed(ViewLayout::Composed(composed)) => composed.index_of(&coord)?,
        layout => layout.layout().index_of(&coord)?,
    }))
}

/// The index of a coordinate in a shape, the first mode fastest.
pub(super) fn index_in_shape<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let Kind::Shape(shape) = asked.cute(1)? else {
        return Err(asked.wrong(1, "a shape"));
    };
    let compact = LayoutOf::column_major(shape)?;
    one(Kind::IntTuple(compact.index_of(&asked.coord(0)?)?))
}

pub(super) fn idx2crd<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let Kind::IntTuple(index) = asked.cute(0)? else {
        return Err(asked.wrong(0, "a tuple of integers"));
    };
    let coord = asked.tuple(1)?.coord_of(index)?;
    one(Kind::Coord(coord.map(&mut |leaf| SlotOf::At(leaf.clone()))))
}

/// The coordinate of an index of a layout.
fn of_index<L: TypeLeaf>(
    asked: &Asked<'_, L>,
    coord: impl FnOnce(&LayoutOf<L>, &L) -> Result<Nested<L>, CuteError>,
) -> Outcomes<L> {
    let coord = coord(asked.any_layout(1)?.layout(), &asked.machine_integer(0)?)?;
    one(Kind::Coord(coord.map(&mut |leaf| SlotOf::At(leaf.clone()))))
}

pub(super) fn get_hier_coord<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    of_index(asked, LayoutOf::hier_coord)
}

pub(super) fn get_flat_coord<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    of_index(asked, LayoutOf::flat_coord)
}

pub(super) fn get_integral_coord<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    of_index(asked, |layout, index| {
        layout.integral_coord(index).map(Nested::Leaf)
    })
}

/// Whether the leaves before have all come to their ends.
#[derive(Clone)]
enum Carry<L> {
    No,
    Yes,
    /// 1 if they have, otherwise 0.
    AtRunTime(L),
}

/// The coordinate after this one, the first leaf fastest. The last leaf has no end.
pub(super) fn increment_coord<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let Kind::Shape(shape) = asked.cute(1)? else {
        return Err(asked.wrong(1, "a shape"));
    };
    let coord = asked.coord(0)?;
    if !coord.congruent(shape) {
        let (coord, shape) = (asked.operand(0)?.facts(), asked.operand(1)?.facts());
        return Err(Refusal::new(format!("{coord} is not nested as {shape} is")));
    }
    let mut extents = shape.leaves();
    let mut left = shape.leaves().count();
    let mut carry = Carry::Yes;
    let next: CoordOf<L> = coord.try_map(&mut |slot| {
        let (SlotOf::At(place), Some(extent)) = (slot, extents.next()) else {
            return Err(asked.wrong(0, "a coordinate without `_`"));
        };
        left -= 1;
        let after = match &carry {
            Carry::No => place.clone(),
            Carry::Yes => place.plus(&L::from(1))?,
            Carry::AtRunTime(carry) => {
                L::apply(RunTime::Sum, place, carry, Fact::opaque(place.fact().width()))
            }
        };
        let (next, carried) = match (after.known(), extent.known()) {
            _ if left == 0 => (after, Carry::No),
            (Some(value), Some(end)) if value >= end => (L::from(0), Carry::Yes),
            (Some(_), Some(_)) => (after, Carry::No),
            (None, Some(1)) => (L::from(0), carry.clone()),
            _ => {
                let flag = Fact::opaque(Bits::B32);
                let inside = L::apply(RunTime::Less, &after, extent, flag);
                // This number or 0.
                let next = L::apply(RunTime::Product, &after, &inside, either(after.fact()));
                let carried = L::apply(RunTime::Difference, &L::from(1), &inside, flag);
                (next, Carry::AtRunTime(carried))
            }
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
