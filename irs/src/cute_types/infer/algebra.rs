//! Layouts from layouts.

use tilewright_layouts::cute::{CuteError, Fact, Nested, TilerOf, TypeLayout};

use super::question::{Answer, Question, one};
use crate::cute_types::types::Kind;

pub(super) fn composition(asked: &Question<'_>) -> Answer {
    let inner = asked.tiler(1)?;
    one(asked.tensor(0)?.map(|layout| layout.composition_by(&inner))?)
}

/// By the profile of operand 1, if there is one.
fn by_profile(
    asked: &Question<'_>,
    whole: impl FnOnce(&TypeLayout) -> TypeLayout,
    part: impl FnOnce(&TypeLayout, &Nested<()>) -> Result<TypeLayout, CuteError>,
) -> Answer {
    let tensor = asked.tensor(0)?;
    let profile = match asked.operands.get(1) {
        Some(_) => Some(asked.coord(1)?.map(&mut |_| ())),
        None => None,
    };
    one(tensor.map(|layout| match &profile {
        Some(profile) => part(layout, profile),
        None => Ok(whole(layout)),
    })?)
}

pub(super) fn coalesce(asked: &Question<'_>) -> Answer {
    by_profile(asked, TypeLayout::coalesce, TypeLayout::coalesce_by)
}

pub(super) fn filter(asked: &Question<'_>) -> Answer {
    one(asked.tensor(0)?.map(|layout| Ok(layout.filter()))?)
}

pub(super) fn filter_zeros(asked: &Question<'_>) -> Answer {
    one(asked.tensor(0)?.map(|layout| Ok(layout.filter_zeros()))?)
}

pub(super) fn complement(asked: &Question<'_>) -> Answer {
    let cotarget = match asked.operands.get(1) {
        Some(_) => match asked.cute(1)? {
            Kind::Layout(layout) => layout.shape(),
            Kind::Shape(shape) => shape.clone(),
            _ => return Err(asked.wrong(1, "a shape or a layout")),
        },
        None => asked.layout(0)?.cosize().map(Nested::Leaf)?,
    };
    one(Kind::Layout(asked.layout(0)?.complement(&cotarget)?))
}

pub(super) fn right_inverse(asked: &Question<'_>) -> Answer {
    one(Kind::Layout(asked.layout(0)?.right_inverse()?))
}

pub(super) fn left_inverse(asked: &Question<'_>) -> Answer {
    one(Kind::Layout(asked.layout(0)?.left_inverse()?))
}

pub(super) fn recast_layout(asked: &Question<'_>) -> Answer {
    let (new, old) = (asked.number("new_type_bits")?, asked.number("old_type_bits")?);
    let (new, old) = (new as u64, old as u64);
    one(asked.tensor(0)?.recast(old, new)?)
}

pub(super) fn tile_to_shape(asked: &Question<'_>) -> Answer {
    let (target, order) = (asked.tuple(1)?, asked.tuple(2)?);
    one(asked
        .tensor(0)?
        .map(|block| block.tile_to_shape(&target, Some(&order)))?)
}

/// The operand divided or repeated by a tiler.
fn by_tiler(
    asked: &Question<'_>,
    change: impl FnOnce(&TypeLayout, &TilerOf<Fact>) -> Result<TypeLayout, CuteError>,
) -> Answer {
    let tiler = asked.tiler(1)?;
    one(asked.tensor(0)?.map(|layout| change(layout, &tiler))?)
}

pub(super) fn logical_divide(asked: &Question<'_>) -> Answer {
    by_tiler(asked, TypeLayout::logical_divide)
}

pub(super) fn zipped_divide(asked: &Question<'_>) -> Answer {
    by_tiler(asked, TypeLayout::zipped_divide)
}

pub(super) fn tiled_divide(asked: &Question<'_>) -> Answer {
    by_tiler(asked, TypeLayout::tiled_divide)
}

pub(super) fn flat_divide(asked: &Question<'_>) -> Answer {
    by_tiler(asked, TypeLayout::flat_divide)
}

/// The operand repeated by a layout.
fn by_layout(
    asked: &Question<'_>,
    change: impl FnOnce(&TypeLayout, &TilerOf<Fact>) -> Result<TypeLayout, CuteError>,
) -> Answer {
    let copies = TilerOf::Layout(asked.layout(1)?.clone());
    one(asked.tensor(0)?.map(|layout| change(layout, &copies))?)
}

pub(super) fn logical_product(asked: &Question<'_>) -> Answer {
    by_layout(asked, TypeLayout::logical_product)
}

pub(super) fn zipped_product(asked: &Question<'_>) -> Answer {
    by_layout(asked, TypeLayout::zipped_product)
}

pub(super) fn tiled_product(asked: &Question<'_>) -> Answer {
    by_layout(asked, TypeLayout::tiled_product)
}

pub(super) fn flat_product(asked: &Question<'_>) -> Answer {
    by_layout(asked, TypeLayout::flat_product)
}

pub(super) fn blocked_product(asked: &Question<'_>) -> Answer {
    let copies = asked.layout(1)?;
    one(asked.tensor(0)?.map(|layout| layout.blocked_product(copies))?)
}

pub(super) fn raked_product(asked: &Question<'_>) -> Answer {
    let copies = asked.layout(1)?;
    one(asked.tensor(0)?.map(|layout| layout.raked_product(copies))?)
}
