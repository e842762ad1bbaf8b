//! Coordinates to indices and back.

use tilewright_layouts::cute::{CuteError, Fact, Nested, TypeLayout};

use super::question::{Answer, Question, one};
use crate::cute_types::types::Kind;
use tilewright_layouts::cute::SlotOf;

pub(super) fn crd2idx(asked: &Question<'_>) -> Answer {
    one(Kind::IntTuple(
        asked.tensor(1)?.layout().index_of(&asked.coord(0)?)?,
    ))
}

pub(super) fn idx2crd(asked: &Question<'_>) -> Answer {
    let coord = asked.tuple(1)?.coord_of(&asked.tuple(0)?)?;
    one(Kind::Coord(coord.map(&mut |leaf| SlotOf::At(*leaf))))
}

/// The coordinate of an index of a layout.
fn of_index(
    asked: &Question<'_>,
    coord: impl FnOnce(&TypeLayout, &Fact) -> Result<Nested<Fact>, CuteError>,
) -> Answer {
    let index = asked.tuple(0)?;
    let Nested::Leaf(index) = &index else {
        return Err(asked.wrong(0, "one integer"));
    };
    let coord = coord(asked.tensor(1)?.layout(), index)?;
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
