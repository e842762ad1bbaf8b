//! Parts of values: shapes, layouts, iterators, leaves, modes.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{LastOf, Nested, SlotOf, Stride, TilerOf, TypeLeaf};

use super::question::{Asked, Outcome, Outcomes, Refusal, integers, one};
use crate::cute_types::element::Element;
use crate::cute_types::types::Kind;
use crate::cute_types::view::ViewLayout;

pub(super) fn get_iter<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(match asked.cute(0)? {
        Kind::View(view) => Kind::Pointer(view.pointer.clone()),
        Kind::CoordTensor(tensor) => Kind::CoordIterator(tensor.origin.clone()),
        Kind::DescriptorView(view) => Kind::Descriptor(view.descriptor),
        _ => return Err(asked.wrong(0, "a tensor")),
    })
}

pub(super) fn get_layout<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(asked.view(0)?.whole_layout())
}

pub(super) fn get_shape<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    if let Kind::Tile(tiler) = asked.cute(0)? {
        return one(Kind::Shape(sizes(tiler)?));
    }
    one(Kind::Shape(asked.tensor(0)?.layout().shape()))
}

/// The sizes of a tiler's layouts.
fn sizes<L: TypeLeaf>(tiler: &TilerOf<L>) -> Result<Nested<L>, Refusal> {
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

pub(super) fn get_stride<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(Kind::Stride(asked.layout(0)?.stride()))
}

pub(super) fn composed_get_inner<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(match asked.cute(0)? {
        Kind::Composed(ViewLayout::Composed(composed)) => match composed.last() {
            LastOf::Swizzle(swizzle) => Kind::Swizzle(*swizzle),
            LastOf::Layout(layout) => Kind::Layout(layout.clone()),
        },
        _ => return Err(asked.wrong(0, "a composed layout")),
    })
}

pub(super) fn composed_get_offset<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(match asked.cute(0)? {
        Kind::Composed(ViewLayout::Composed(composed)) => Kind::IntTuple(composed.offset().clone()),
        _ => return Err(asked.wrong(0, "a composed layout")),
    })
}

pub(super) fn composed_get_outer<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(match asked.cute(0)? {
        Kind::Composed(ViewLayout::Composed(composed)) => Kind::Layout(composed.layout().clone()),
        _ => return Err(asked.wrong(0, "a composed layout")),
    })
}

pub(super) fn get_layouts_from_tile<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    match asked.cute(0)? {
        Kind::Tile(tiler) => {
            let parts = parts(tiler).into_iter();
            let layouts = parts.filter(|part| matches!(part, Kind::Layout(_)));
            Ok(layouts.map(Outcome::from).collect())
        }
        _ => Err(asked.wrong(0, "a tile")),
    }
}

/// The layouts of a tiler from left to right; a tile `_` where a mode is left unchanged.
fn parts<L: TypeLeaf>(tiler: &TilerOf<L>) -> Vec<Kind<L>> {
    match tiler {
        TilerOf::All => vec![Kind::Tile(TilerOf::All)],
        TilerOf::Layout(layout) => vec![Kind::Layout(layout.clone())],
        TilerOf::Modes(modes) => modes.iter().flat_map(parts).collect(),
    }
}

/// One result for each leaf, of the kind of the whole.
pub(super) fn get_leaves<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let kinds: Vec<Kind<L>> = match asked.cute(0)? {
        Kind::IntTuple(tuple) => tuple
            .leaves()
            .map(|leaf| Kind::IntTuple(Nested::Leaf(leaf.clone())))
            .collect(),
        Kind::Shape(tuple) => tuple
            .leaves()
            .map(|leaf| Kind::Shape(Nested::Leaf(leaf.clone())))
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
    Ok(kinds.into_iter().map(Outcome::from).collect())
}

/// An integer at run time.
fn machine<L: TypeLeaf>(number: L) -> Outcome<L> {
    let bits = number.fact().width().count();
    let machine = Element::integer(NonZeroU32::MIN.saturating_add(bits - 1));
    Outcome {
        number: Some(number),
        ..Outcome::from(machine)
    }
}

/// The numbers in a value, static ones too unless only the dynamic are asked for.
pub(super) fn get_scalars<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let mut numbers = numbers(asked.cute(0)?);
    if asked.attribute("only_dynamic").is_some() {
        numbers.retain(|number| !number.is_static());
    }
    Ok(numbers.into_iter().map(machine).collect())
}

/// The numbers in a type, in the order of its text; of a composed layout the library has the last part first.
fn numbers<L: TypeLeaf>(kind: &Kind<L>) -> Vec<L> {
    match kind {
        Kind::Swizzle(swizzle) => {
            let bits = [swizzle.bits(), swizzle.base()].map(i64::from);
            let numbers = bits.into_iter().chain([i64::from(swizzle.shift())]);
            numbers.map(L::number).collect()
        }
        // With the modes that its basis vectors are of.
        Kind::Stride(stride) => {
            let numbers = stride.leaves().flat_map(|stride| {
                let modes = stride.path().iter().map(|mode| L::from(u64::from(*mode)));
                std::iter::once(stride.factor().clone()).chain(modes)
            });
            numbers.collect()
        }
        Kind::Layout(layout) => {
            let parts = [Kind::Shape(layout.shape()), Kind::Stride(layout.stride())];
            parts.iter().flat_map(numbers).collect()
        }
        Kind::Composed(ViewLayout::Composed(composed)) if !L::OPEN => {
            let last = match composed.last() {
                LastOf::Swizzle(swizzle) => Kind::Swizzle(*swizzle),
                LastOf::Layout(layout) => Kind::Layout(layout.clone()),
            };
            let parts = [
                Kind::Layout(composed.layout().clone()),
                Kind::IntTuple(composed.offset().clone()),
                last,
            ];
            parts.iter().flat_map(numbers).collect()
        }
        _ => {
            let mut numbers = Vec::new();
            kind.map_leaves(&mut |leaf: &L| {
                numbers.push(leaf.clone());
                leaf.fact()
            });
            numbers
        }
    }
}

pub(super) fn deref_arith_tuple_iter<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    match asked.cute(0)? {
        Kind::CoordIterator(origin) => one(Kind::IntTuple(origin.clone())),
        _ => Err(asked.wrong(0, "an iterator of coordinates")),
    }
}

pub(super) fn to_int_tuple<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let tuple = integers(asked.cute(0)?);
    one(Kind::IntTuple(
        tuple.ok_or_else(|| asked.wrong(0, "a tuple of integers"))?,
    ))
}

/// A tuple of integers, which becomes one of another kind.
fn int_tuple<'a, L: TypeLeaf>(asked: &Asked<'a, L>) -> Result<&'a Nested<L>, Refusal> {
    match asked.cute(0)? {
        Kind::IntTuple(tuple) => Ok(tuple),
        _ => Err(asked.wrong(0, "a tuple of integers")),
    }
}

pub(super) fn to_coord<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let tuple = int_tuple(asked)?;
    one(Kind::Coord(tuple.map(&mut |leaf| SlotOf::At(leaf.clone()))))
}

pub(super) fn to_shape<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(Kind::Shape(int_tuple(asked)?.clone()))
}

pub(super) fn to_stride<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(Kind::Stride(
        int_tuple(asked)?.map(&mut |leaf| leaf.clone().into()),
    ))
}
