//! Another nesting or choice of modes.

use tilewright_layouts::cute::{CoordOf, CuteError, Fact, Leaf, Nested, SlotOf, TilerOf, TypeLeaf};

use super::question::{Asked, Attribute, Outcomes, Refusal, one};
use super::tensor::Tensor;
use crate::cute_types::types::Kind;
use crate::cute_types::value::ValueType;

/// A choice of modes, whatever the leaves are.
trait Choice {
    fn of<T: Clone>(&self, tuple: &Nested<T>) -> Result<Nested<T>, CuteError>;
}

fn chosen<L: TypeLeaf>(asked: &Asked<'_, L>, choice: &impl Choice) -> Result<ValueType<L>, Refusal> {
    let kind = match asked.cute(0)? {
        Kind::IntTuple(tuple) => Kind::IntTuple(choice.of(tuple)?),
        Kind::Shape(tuple) => Kind::Shape(choice.of(tuple)?),
        Kind::Stride(tuple) => Kind::Stride(choice.of(tuple)?),
        Kind::Coord(tuple) => Kind::Coord(choice.of(tuple)?),
        Kind::Tile(TilerOf::Modes(modes)) => {
            let modes = Nested::Tuple(modes.iter().cloned().map(Nested::Leaf).collect());
            Kind::Tile(regrouped(&choice.of(&modes)?))
        }
        kind => {
            let layout = Tensor::layout_of(kind).ok_or_else(|| asked.wrong(0, "a tuple or a layout"))?;
            return Ok(layout
                .map(|layout| layout.rearranged(|tree| choice.of(tree)))?
                .into());
        }
    };
    Ok(kind.into())
}

fn regrouped<L: Leaf>(tilers: &Nested<TilerOf<L>>) -> TilerOf<L> {
    match tilers {
        Nested::Leaf(tiler) => tiler.clone(),
        Nested::Tuple(modes) => TilerOf::Modes(modes.iter().map(regrouped).collect()),
    }
}

struct At(Vec<usize>);

impl Choice for At {
    fn of<T: Clone>(&self, tuple: &Nested<T>) -> Result<Nested<T>, CuteError> {
        tuple.get(&self.0).cloned()
    }
}

/// The mode at a path.
pub(super) fn get<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(chosen(asked, &At(asked.modes("mode")?))?)
}

struct These(Vec<usize>);

impl Choice for These {
    fn of<T: Clone>(&self, tuple: &Nested<T>) -> Result<Nested<T>, CuteError> {
        tuple.select(&self.0)
    }
}

pub(super) fn select<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(chosen(asked, &These(asked.modes("mode")?))?)
}

/// `end` is exclusive, and counts from the end if it is negative.
pub(super) fn group_modes<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let begin = asked.number("begin")?;
    let tensor = asked.tensor(0)?;
    let end = match asked.attribute("end") {
        Some(Attribute::Int(end)) if *end < 0 => {
            let rank = i64::try_from(tensor.layout().rank()).unwrap_or(i64::MAX);
            usize::try_from(rank.saturating_add(*end)).ok()
        }
        _ => Some(asked.number("end")?),
    };
    match end.filter(|end| begin < *end) {
        Some(end) => one(tensor.map(|layout| layout.group(begin..end))?),
        None => Err(Refusal::new("the attribute `end` has to be above `begin`")),
    }
}

/// Where modes are added.
#[derive(Clone, Copy)]
enum Side {
    Front,
    Back,
}

fn filled<T: Clone>(tuple: &Nested<T>, rank: usize, mode: &Nested<T>, side: Side) -> Nested<T> {
    match side {
        Side::Front => tuple.filled_before(rank, mode),
        Side::Back => tuple.filled_to(rank, mode),
    }
}

fn to_rank<L: TypeLeaf>(asked: &Asked<'_, L>, side: Side) -> Outcomes<L> {
    let rank = asked.number("rank")?;
    let same = || asked.wrong(1, "a mode of the kind of operand 0");
    one(match (asked.cute(0)?, asked.cute(1)?) {
        // The library does not take these.
        (Kind::IntTuple(tuple), Kind::IntTuple(mode)) if L::OPEN => {
            Kind::IntTuple(filled(tuple, rank, mode, side))
        }
        (Kind::Shape(tuple), Kind::Shape(mode)) => Kind::Shape(filled(tuple, rank, mode, side)),
        (Kind::Stride(tuple), Kind::Stride(mode)) => Kind::Stride(filled(tuple, rank, mode, side)),
        (Kind::Coord(tuple), Kind::Coord(mode)) => Kind::Coord(filled(tuple, rank, mode, side)),
        (kind, Kind::Layout(mode)) => {
            let tensor = Tensor::layout_of(kind).ok_or_else(same)?;
            let changed = tensor.map(|layout| {
                layout.rearranged(|tree| Ok::<_, CuteError>(filled(tree, rank, mode.tree(), side)))
            });
            return one(changed?);
        }
        _ => return Err(same()),
    })
}

pub(super) fn append_to_rank<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    to_rank(asked, Side::Back)
}

pub(super) fn prepend_to_rank<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    to_rank(asked, Side::Front)
}

/// The modes that a coordinate leaves free.
struct Free<L: TypeLeaf>(CoordOf<L>);

impl<L: TypeLeaf> Choice for Free<L> {
    fn of<T: Clone>(&self, tuple: &Nested<T>) -> Result<Nested<T>, CuteError> {
        tuple.slice(&self.0)
    }
}

pub(super) fn slice<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    if L::OPEN && Tensor::of(asked.cute(0)?).is_none() {
        return one(chosen(asked, &Free(asked.coord(1)?))?);
    }
    one(asked.tensor(0)?.slice(&asked.coord(1)?)?)
}

/// The modes where a coordinate has numbers.
struct Numbered(CoordOf<Fact>);

impl Choice for Numbered {
    fn of<T: Clone>(&self, tuple: &Nested<T>) -> Result<Nested<T>, CuteError> {
        tuple.dice(&self.0)
    }
}

pub(super) fn dice<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let coord = asked.selection("coord")?.cloned();
    let coord = coord.ok_or_else(|| Refusal::new("the attribute `coord` is missing"))?;
    one(chosen(asked, &Numbered(coord))?)
}

/// As [`dice`], with a coordinate that is an operand, of a type that says it.
pub(super) fn dice_at<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let coord = asked.coord(1)?.map(&mut |slot| match slot {
        SlotOf::All => SlotOf::All,
        SlotOf::At(place) => SlotOf::At(place.fact()),
    });
    let numbered = |slot: &SlotOf<Fact>| matches!(slot, SlotOf::At(place) if !place.is_static());
    match coord.leaves().any(numbered) {
        true => Err(asked.wrong(1, "a coordinate that is static")),
        false => one(chosen(asked, &Numbered(coord))?),
    }
}

/// The leaves as modes.
struct Leaves;

impl Choice for Leaves {
    fn of<T: Clone>(&self, tuple: &Nested<T>) -> Result<Nested<T>, CuteError> {
        Ok(tuple.flatten())
    }
}

/// The leaves of a tile are its layouts, and the modes that it leaves as they are.
pub(super) fn flatten<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    match asked.cute(0)? {
        Kind::Tile(TilerOf::Modes(modes)) => {
            let mut leaves = Vec::new();
            modes.iter().for_each(|mode| tilers(mode, &mut leaves));
            one(Kind::Tile(TilerOf::Modes(leaves)))
        }
        Kind::Tile(tiler) => one(Kind::Tile(tiler.clone())),
        _ => one(chosen(asked, &Leaves)?),
    }
}

fn tilers<L: Leaf>(tiler: &TilerOf<L>, leaves: &mut Vec<TilerOf<L>>) {
    match tiler {
        TilerOf::Modes(modes) => modes.iter().for_each(|mode| tilers(mode, leaves)),
        TilerOf::All | TilerOf::Layout(_) => leaves.push(tiler.clone()),
    }
}
