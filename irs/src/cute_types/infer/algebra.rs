//! Layouts from layouts.

use tilewright_layouts::cute::{CuteError, LayoutOf, Nested, TilerOf, TypeLeaf};

use super::question::{Asked, Outcomes, one};
use crate::cute_types::types::Kind;

pub(super) fn composition<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let inner = asked.tiler(1)?;
    one(asked.tensor(0)?.map(|layout| layout.composition_by(&inner))?)
}

/// By the profile of operand 1, if there is one.
fn by_profile<L: TypeLeaf>(
    asked: &Asked<'_, L>,
    whole: impl FnOnce(&LayoutOf<L>) -> LayoutOf<L>,
    part: impl FnOnce(&LayoutOf<L>, &Nested<()>) -> Result<LayoutOf<L>, CuteError>,
) -> Outcomes<L> {
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

pub(super) fn coalesce<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    by_profile(asked, LayoutOf::coalesce, LayoutOf::coalesce_by)
}

pub(super) fn filter<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(asked.tensor(0)?.map(|layout| Ok(layout.filter()))?)
}

pub(super) fn filter_zeros<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(asked.tensor(0)?.map(|layout| Ok(layout.filter_zeros()))?)
}

pub(super) fn complement<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let cotarget = match asked.operands.get(1) {
        None if L::OPEN => return one(Kind::Layout(asked.layout(0)?.intrinsic_complement()?)),
        Some(_) => match asked.cute(1)? {
            Kind::Layout(layout) => layout.shape(),
            Kind::Shape(shape) => shape.clone(),
            _ => return Err(asked.wrong(1, "a shape or a layout")),
        },
        None => asked.layout(0)?.cosize().map(Nested::Leaf)?,
    };
    one(Kind::Layout(asked.layout(0)?.complement(&cotarget)?))
}

pub(super) fn right_inverse<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(Kind::Layout(asked.layout(0)?.right_inverse()?))
}

pub(super) fn left_inverse<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(Kind::Layout(asked.layout(0)?.left_inverse()?))
}

pub(super) fn recast_layout<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let (new, old) = (asked.number("new_type_bits")?, asked.number("old_type_bits")?);
    let (new, old) = (new as u64, old as u64);
    one(asked.tensor(0)?.recast(old, new)?)
}

pub(super) fn tile_to_shape<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let target = asked.tuple(1)?;
    let order = match asked.operands.get(2) {
        None if L::OPEN => None,
        _ => Some(asked.tuple(2)?),
    };
    one(asked
        .tensor(0)?
        .map(|block| block.tile_to_shape(&target, order.as_ref()))?)
}

/// The operand divided or repeated by a tiler.
fn by_tiler<L: TypeLeaf>(
    asked: &Asked<'_, L>,
    change: impl FnOnce(&LayoutOf<L>, &TilerOf<L>) -> Result<LayoutOf<L>, CuteError>,
) -> Outcomes<L> {
    let tiler = asked.tiler(1)?;
    one(asked.tensor(0)?.map(|layout| change(layout, &tiler))?)
}

pub(super) fn logical_divide<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    by_tiler(asked, LayoutOf::logical_divide)
}

pub(super) fn zipped_divide<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    by_tiler(asked, LayoutOf::zipped_divide)
}

pub(super) fn tiled_divide<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    by_tiler(asked, LayoutOf::tiled_divide)
}

pub(super) fn flat_divide<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    by_tiler(asked, LayoutOf::flat_divide)
}

/// The operand repeated by a layout.
fn by_layout<L: TypeLeaf>(
    asked: &Asked<'_, L>,
    change: impl FnOnce(&LayoutOf<L>, &TilerOf<L>) -> Result<LayoutOf<L>, CuteError>,
) -> Outcomes<L> {
    let copies = TilerOf::Layout(asked.layout(1)?.clone());
    one(asked.tensor(0)?.map(|layout| change(layout, &copies))?)
}

pub(super) fn logical_product<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    by_layout(asked, LayoutOf::logical_product)
}

pub(super) fn zipped_product<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    by_layout(asked, LayoutOf::zipped_product)
}

pub(super) fn tiled_product<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    by_layout(asked, LayoutOf::tiled_product)
}

pub(super) fn flat_product<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    by_layout(asked, LayoutOf::flat_product)
}

pub(super) fn blocked_product<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let copies = asked.layout(1)?;
    one(asked.tensor(0)?.map(|layout| layout.blocked_product(copies))?)
}

pub(super) fn raked_product<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let copies = asked.layout(1)?;
    one(asked.tensor(0)?.map(|layout| layout.raked_product(copies))?)
}
