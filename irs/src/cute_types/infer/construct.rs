//! Layouts and tensors from shapes.

use tilewright_layouts::cute::{ComposedOf, Fact, LastOf, Nested, TypeLayout};

use super::question::{Answer, Question, Refusal, one};
use crate::cute_types::types::Kind;
use crate::cute_types::view::{CoordTensor, ViewLayout};

fn shape(asked: &Question<'_>) -> Result<Nested<Fact>, Refusal> {
    match asked.cute(0)? {
        Kind::Shape(shape) => Ok(shape.clone()),
        _ => Err(asked.wrong(0, "a shape")),
    }
}

pub(super) fn make_ordered_layout(asked: &Question<'_>) -> Answer {
    one(Kind::Layout(TypeLayout::ordered(
        &shape(asked)?,
        &asked.tuple(1)?,
    )?))
}

pub(super) fn make_layout_like(asked: &Question<'_>) -> Answer {
    one(Kind::Layout(asked.any_layout(0)?.layout().compact_like()?))
}

pub(super) fn make_fragment_like(asked: &Question<'_>) -> Answer {
    one(Kind::Layout(asked.any_layout(0)?.layout().fragment_like()?))
}

pub(super) fn make_identity_layout(asked: &Question<'_>) -> Answer {
    one(Kind::Layout(TypeLayout::identity(&shape(asked)?)?))
}

pub(super) fn make_identity_tensor(asked: &Question<'_>) -> Answer {
    let shape = shape(asked)?;
    let origin = match &shape {
        Nested::Leaf(_) => Nested::Leaf(Fact::from(0)),
        Nested::Tuple(_) => shape.map(&mut |_| Fact::from(0)),
    };
    let layout = TypeLayout::identity(&shape)?;
    one(Kind::CoordTensor(CoordTensor { origin, layout }))
}

pub(super) fn make_composed_layout(asked: &Question<'_>) -> Answer {
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
