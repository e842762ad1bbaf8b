//! Layouts and tensors from shapes.

use tilewright_layouts::cute::{ComposedOf, LastOf, LayoutOf, Nested, TypeLeaf};

use super::question::{Asked, Outcomes, Refusal, one};
use crate::cute_types::types::Kind;
use crate::cute_types::view::{CoordTensor, ViewLayout};

fn shape<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<Nested<L>, Refusal> {
    match asked.cute(0)? {
        Kind::Shape(shape) => Ok(shape.clone()),
        _ => Err(asked.wrong(0, "a shape")),
    }
}

pub(super) fn make_ordered_layout<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(Kind::Layout(LayoutOf::ordered(&shape(asked)?, &asked.tuple(1)?)?))
}

pub(super) fn make_layout_like<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(Kind::Layout(asked.any_layout(0)?.layout().compact_like()?))
}

pub(super) fn make_fragment_like<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(Kind::Layout(asked.any_layout(0)?.layout().fragment_like()?))
}

pub(super) fn make_identity_layout<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(Kind::Layout(LayoutOf::identity(&shape(asked)?)?))
}

pub(super) fn make_identity_tensor<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let shape = shape(asked)?;
    let origin = match &shape {
        Nested::Leaf(_) => Nested::Leaf(L::from(0)),
        Nested::Tuple(_) => shape.map(&mut |_| L::from(0)),
    };
    let layout = LayoutOf::identity(&shape)?;
    one(Kind::CoordTensor(CoordTensor { origin, layout }))
}

pub(super) fn make_composed_layout<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let last = match asked.cute(0)? {
        Kind::Swizzle(swizzle) => LastOf::Swizzle(*swizzle),
        Kind::Layout(layout) => LastOf::Layout(layout.clone()),
        _ => return Err(asked.wrong(0, "a swizzle or a layout")),
    };
    let layout = asked.layout(2)?.clone();
    one(Kind::Composed(ViewLayout::Composed(ComposedOf::new(
        last,
        asked.tuple(1)?,
        layout,
    )?)))
}
