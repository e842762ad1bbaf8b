//! One tile of a tensor, or one thread's part of it.

use tilewright_layouts::cute::{CoordOf, Leaf, Nested, SlotOf, TilerOf};

use super::question::{Answer, Question, Refusal, one};

pub(super) fn local_tile(asked: &Question<'_>) -> Answer {
    let tensor = asked.tensor(0)?;
    let (mut tiler, mut coord) = (asked.tiler(1)?, asked.coord(2)?);
    if let Some(projection) = asked.selection("proj")? {
        (tiler, coord) = projected(tiler, coord, projection)?;
    }
    one(tensor.part(&tensor.layout().local_tile(&tiler, &coord)?)?)
}

/// A tile of more modes and a coordinate of it, without the modes where a projection has `_`. Modes that the projection lacks
/// stay.
fn projected<L: Leaf>(
    tiler: TilerOf<L>,
    coord: CoordOf<L>,
    projection: &CoordOf<L>,
) -> Result<(TilerOf<L>, CoordOf<L>), Refusal> {
    let kept: Vec<bool> = projection
        .modes()
        .iter()
        .map(|slot| !matches!(slot, Nested::Leaf(SlotOf::All)))
        .collect();
    let (TilerOf::Modes(tilers), Nested::Tuple(slots)) = (tiler, coord) else {
        return Err(Refusal::new(
            "a projection needs a tile and a coordinate of several modes",
        ));
    };
    Ok((
        TilerOf::Modes(among(tilers, &kept)),
        Nested::Tuple(among(slots, &kept)),
    ))
}

fn among<T>(entries: Vec<T>, kept: &[bool]) -> Vec<T> {
    let places = entries.into_iter().enumerate();
    let places = places.filter(|(place, _)| kept.get(*place).copied().unwrap_or(true));
    places.map(|(_, entry)| entry).collect()
}
