//! One tile of a tensor, or one thread's part of it.

use tilewright_layouts::cute::{CoordOf, Fact, Leaf, Nested, SlotOf, TilerOf, TypeLeaf, projected as chosen};

use super::question::{Asked, Outcomes, Refusal, one};

pub(super) fn local_tile<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let tensor = asked.view(0)?;
    let (mut tiler, mut coord) = (asked.tiler(1)?, asked.coord(2)?);
    if let TilerOf::Modes(modes) = &tiler
        && coord.rank() < modes.len()
    {
        return Err(asked.wrong(2, "a coordinate with a number for each mode of the tile"));
    }
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
    projection: &CoordOf<Fact>,
) -> Result<(TilerOf<L>, CoordOf<L>), Refusal> {
    let mut kept: Vec<bool> = projection
        .modes()
        .iter()
        .map(|slot| !matches!(slot, Nested::Leaf(SlotOf::All)))
        .collect();
    let (TilerOf::Modes(tilers), Nested::Tuple(slots)) = (tiler, coord) else {
        return Err(Refusal::new(
            "a projection needs a tile and a coordinate of several modes",
        ));
    };
    kept.resize(tilers.len().max(slots.len()), true);
    Ok((
        TilerOf::Modes(chosen(&tilers, &kept)),
        Nested::Tuple(chosen(&slots, &kept)),
    ))
}

pub(super) fn local_partition<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let (tensor, threads) = (asked.view(0)?, asked.layout(1)?);
    let thread = asked.machine_integer(2)?;
    one(tensor.part(&tensor.layout().local_partition(threads, &thread)?)?)
}
