//! Parts of values: shapes, layouts, iterators, leaves, modes.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{Bits, Fact, LastOf, Leaf, Nested, SlotOf, Stride, TilerOf};

use super::question::{Answer, Question, Refusal, integers, one};
use crate::cute_types::element::Element;
use crate::cute_types::types::Kind;
use crate::cute_types::value::ValueType;
use crate::cute_types::view::ViewLayout;

pub(super) fn get_iter(asked: &Question<'_>) -> Answer {
    one(match asked.cute(0)? {
        Kind::View(view) => Kind::Pointer(view.pointer.clone()),
        Kind::CoordTensor(tensor) => Kind::CoordIterator(tensor.origin.clone()),
        Kind::DescriptorView(view) => Kind::Descriptor(view.descriptor),
        _ => return Err(asked.wrong(0, "a tensor")),
    })
}

pub(super) fn get_layout(asked: &Question<'_>) -> Answer {
    one(asked.view(0)?.whole_layout())
}

pub(super) fn get_shape(asked: &Question<'_>) -> Answer {
    if let Kind::Tile(tiler) = asked.cute(0)? {
        return one(Kind::Shape(sizes(tiler)?));
    }
    one(Kind::Shape(asked.tensor(0)?.layout().shape()))
}

/// The sizes of a tiler's layouts.
fn sizes(tiler: &TilerOf<Fact>) -> Result<Nested<Fact>, Refusal> {
    match tiler {
        TilerOf::All => Err(Refusal::new("a tile with `_` has no shape")),
        TilerOf::Layout(layout) => Ok(layout.shape()),
        TilerOf::Modes(modes) => modes
            .iter()
            .map(sizes)
            .collect::<Result<_, _>>()
            .map(Nested::Tuple),
    }
}

pub(super) fn get_stride(asked: &Question<'_>) -> Answer {
    one(Kind::Stride(asked.layout(0)?.stride()))
}

pub(super) fn composed_get_inner(asked: &Question<'_>) -> Answer {
    one(match asked.cute(0)? {
        Kind::Composed(ViewLayout::Composed(composed)) => match composed.last() {
            LastOf::Swizzle(swizzle) => Kind::Swizzle(*swizzle),
            LastOf::Layout(layout) => Kind::Layout(layout.clone()),
        },
        _ => return Err(asked.wrong(0, "a composed layout")),
    })
}

pub(super) fn composed_get_offset(asked: &Question<'_>) -> Answer {
    one(match asked.cute(0)? {
        Kind::Composed(ViewLayout::Composed(composed)) => Kind::IntTuple(composed.offset().clone()),
        _ => return Err(asked.wrong(0, "a composed layout")),
    })
}

pub(super) fn composed_get_outer(asked: &Question<'_>) -> Answer {
    one(match asked.cute(0)? {
        Kind::Composed(ViewLayout::Composed(composed)) => Kind::Layout(composed.layout().clone()),
        _ => return Err(asked.wrong(0, "a composed layout")),
    })
}

pub(super) fn get_layouts_from_tile(asked: &Question<'_>) -> Answer {
    match asked.cute(0)? {
        Kind::Tile(tiler) => {
            let parts = parts(tiler).into_iter();
            let layouts = parts.filter(|part| matches!(part, Kind::Layout(_)));
            Ok(layouts.map(ValueType::from).collect())
        }
        _ => Err(asked.wrong(0, "a tile")),
    }
}

/// The layouts of a tiler from left to right; a tile `_` where a mode is left unchanged.
fn parts(tiler: &TilerOf<Fact>) -> Vec<Kind> {
    match tiler {
        TilerOf::All => vec![Kind::Tile(TilerOf::All)],
        TilerOf::Layout(layout) => vec![Kind::Layout(layout.clone())],
        TilerOf::Modes(modes) => modes.iter().flat_map(parts).collect(),
    }
}

/// One result for each leaf, of the kind of the whole.
pub(super) fn get_leaves(asked: &Question<'_>) -> Answer {
    let kinds: Vec<Kind> = match asked.cute(0)? {
        Kind::IntTuple(tuple) => tuple
            .leaves()
            .map(|leaf| Kind::IntTuple(Nested::Leaf(*leaf)))
            .collect(),
        Kind::Shape(tuple) => tuple
            .leaves()
            .map(|leaf| Kind::Shape(Nested::Leaf(*leaf)))
            .collect(),
        Kind::Stride(tuple) => tuple
            .leaves()
            .map(|leaf| Kind::Stride(Nested::Leaf(leaf.clone())))
            .collect(),
        Kind::Coord(coord) => coord
            .leaves()
            .map(|leaf| Kind::Coord(Nested::Leaf(leaf.clone())))
            .collect(),
        Kind::Tile(tiler) => parts(tiler),
        _ => return Err(asked.wrong(0, "a tuple or a tile")),
    };
    Ok(kinds.into_iter().map(ValueType::from).collect())
}

/// The type of an integer at run time.
pub(super) fn machine(fact: Fact) -> ValueType {
    let bits = match fact.width() {
        Bits::B8 => 8,
        Bits::B16 => 16,
        Bits::B32 => 32,
        Bits::B64 => 64,
    };
    Element::integer(NonZeroU32::MIN.saturating_add(bits - 1)).into()
}

/// The leaves as integers, static ones too unless only the dynamic are asked for.
pub(super) fn get_scalars(asked: &Question<'_>) -> Answer {
    let mut facts: Vec<Fact> = match asked.cute(0)? {
        Kind::IntTuple(tuple) | Kind::Shape(tuple) => tuple.leaves().copied().collect(),
        Kind::Stride(stride) if stride.leaves().all(|leaf| leaf.as_integer().is_some()) => {
            stride.leaves().map(|stride| *stride.factor()).collect()
        }
        Kind::Coord(coord) => {
            let facts = coord.leaves().map(|slot| match slot {
                SlotOf::At(leaf) => Some(*leaf),
                SlotOf::All => None,
            });
            let facts: Option<Vec<Fact>> = facts.collect();
            facts.ok_or_else(|| asked.wrong(0, "a tuple of integers"))?
        }
        _ => return Err(asked.wrong(0, "a tuple of integers")),
    };
    if asked.attribute("only_dynamic").is_some() {
        facts.retain(|fact| !fact.is_static());
    }
    Ok(facts.into_iter().map(machine).collect())
}

pub(super) fn deref_arith_tuple_iter(asked: &Question<'_>) -> Answer {
    match asked.cute(0)? {
        Kind::CoordIterator(origin) => one(Kind::IntTuple(origin.clone())),
        _ => Err(asked.wrong(0, "an iterator of coordinates")),
    }
}

pub(super) fn to_int_tuple(asked: &Question<'_>) -> Answer {
    let tuple = integers(asked.cute(0)?);
    one(Kind::IntTuple(
        tuple.ok_or_else(|| asked.wrong(0, "a tuple of integers"))?,
    ))
}
