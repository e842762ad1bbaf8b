//! What the open dialect asks of operands beyond what the algebra refuses.

use tilewright_layouts::cute::{LastOf, ModeOf, Nested, SlotOf, Stride as _, TypeLeaf};

use super::question::{Asked, Attribute, Refusal};
use super::tensor::Tensor;
use crate::cute_types::types::Kind;
use crate::cute_types::view::ViewLayout;

/// Checks an op of the open dialect.
pub(super) fn check<L: TypeLeaf>(op: &str, asked: &Asked<'_, L>) -> Result<(), Refusal> {
    match op {
        "cute.get" | "cute.size" => ends_at_leaf(asked),
        "cute.cosize" => ends_at_leaf(asked).and_then(|()| swizzled(asked)),
        "cute.make_layout_like" => swizzled(asked),
        "cute.get_layouts_from_tile" => has_layout(asked),
        "cute.make_ordered_layout" => static_order(asked, 1),
        "cute.tile_to_shape" => tile_to_shape(asked),
        "cute.append_to_rank" | "cute.prepend_to_rank" => match asked.attribute("rank") {
            Some(Attribute::Int(rank)) if *rank <= 0 => {
                Err(Refusal::new(format!("the rank {rank} is not above 0")))
            }
            _ => Ok(()),
        },
        "cute.tuple_add" | "cute.tuple_sub" | "cute.equal" => same_kind(asked),
        "cute.slice" => slice(asked),
        "cute.complement" if asked.operands.len() < 2 => static_operand(asked),
        "cute.logical_product"
        | "cute.zipped_product"
        | "cute.tiled_product"
        | "cute.flat_product"
        | "cute.blocked_product"
        | "cute.raked_product" => product(asked),
        _ => Ok(()),
    }
}

/// A path of modes has no more numbers than there are modes in modes.
fn ends_at_leaf<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<(), Refusal> {
    let path = asked.modes("mode")?;
    let depth = match asked.cute(0)? {
        Kind::IntTuple(tuple) | Kind::Shape(tuple) => depth_at(tuple, &path),
        Kind::Stride(tuple) => depth_at(tuple, &path),
        Kind::Coord(tuple) => depth_at(tuple, &path),
        kind => match Tensor::layout_of(kind) {
            Some(layout) => depth_at(layout.layout().tree(), &path),
            None => None,
        },
    };
    match depth {
        Some(depth) => Err(Refusal::new(format!(
            "the numbers of modes {path:?} come to a number at depth {depth}, and {} more follow",
            path.len() - depth
        ))),
        None => Ok(()),
    }
}

/// After how many modes of a path, but not of none, there is a leaf and more of the path.
fn depth_at<T>(tuple: &Nested<T>, path: &[usize]) -> Option<usize> {
    (1..path.len()).find(|&depth| {
        let part = path.get(..depth).and_then(|path| tuple.get(path).ok());
        part.is_some_and(Nested::is_leaf)
    })
}

/// What is applied last in a composed layout is a swizzle.
fn swizzled<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<(), Refusal> {
    match asked.cute(0)? {
        Kind::Composed(ViewLayout::Composed(composed)) if matches!(composed.last(), LastOf::Layout(_)) => {
            Err(asked.wrong(0, "a layout, or one under a swizzle"))
        }
        _ => Ok(()),
    }
}

fn has_layout<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<(), Refusal> {
    match super::access::get_layouts_from_tile(asked)?.is_empty() {
        true => Err(asked.wrong(0, "a tile with a layout in it")),
        false => Ok(()),
    }
}

fn static_order<L: TypeLeaf>(asked: &Asked<'_, L>, number: usize) -> Result<(), Refusal> {
    match asked.tuple(number)?.leaves().all(L::is_static) {
        true => Ok(()),
        false => Err(asked.wrong(number, "an order that is static")),
    }
}

fn tile_to_shape<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<(), Refusal> {
    let (block, shape) = (asked.tensor(0)?.layout().rank(), asked.tuple(1)?.rank());
    if block > shape {
        return Err(Refusal::new(format!(
            "the block has {block} modes, and the shape {shape}"
        )));
    }
    if asked.operands.len() < 3 {
        return Ok(());
    }
    static_order(asked, 2)?;
    let order = asked.tuple(2)?;
    let mut places: Vec<i128> = order.leaves().filter_map(L::known).collect();
    places.sort_unstable();
    match order.rank() == shape && places.iter().copied().eq(0..shape as i128) {
        true => Ok(()),
        false => Err(asked.wrong(2, &format!("an order of {shape} modes, each number from 0 once"))),
    }
}

fn same_kind<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<(), Refusal> {
    let (left, right) = (asked.cute(0)?, asked.cute(1)?);
    let compared = matches!(
        left,
        Kind::IntTuple(_) | Kind::Shape(_) | Kind::Coord(_) | Kind::Stride(_) | Kind::Layout(_)
    );
    match compared && std::mem::discriminant(left) == std::mem::discriminant(right) {
        true => Ok(()),
        false => Err(asked.wrong(1, "a tuple or a layout like operand 0")),
    }
}

/// A layout under a swizzle is sliced where it is static, and not down to one element.
fn slice<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<(), Refusal> {
    let Kind::Composed(ViewLayout::Composed(composed)) = asked.cute(0)? else {
        return Ok(());
    };
    if !matches!(composed.last(), LastOf::Swizzle(_)) {
        return Ok(());
    }
    if !is_static(&Kind::Layout(composed.layout().clone())) {
        return Err(asked.wrong(0, "a static layout under the swizzle"));
    }
    match asked.coord(1)?.leaves().any(|slot| matches!(slot, SlotOf::All)) {
        true => Ok(()),
        false => Err(asked.wrong(1, "a coordinate with `_`")),
    }
}

fn is_static<L: TypeLeaf>(kind: &Kind<L>) -> bool {
    kind.dynamic_leaves().is_empty()
}

fn static_operand<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<(), Refusal> {
    match is_static(asked.cute(0)?) {
        true => Ok(()),
        false => Err(asked.wrong(0, "a static layout")),
    }
}

fn product<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<(), Refusal> {
    let block = asked.tensor(0)?;
    if !is_static(&Kind::Layout(block.layout().clone())) {
        return Err(asked.wrong(0, "a static layout"));
    }
    let along = |mode: &ModeOf<L>| !mode.stride.path().is_empty();
    let tiler = asked.layout(1)?;
    if tiler.tree().leaves().any(along) {
        return Err(asked.wrong(1, "a layout of integer strides"));
    }
    match block.layout().tree().leaves().any(along) && !is_static(asked.cute(1)?) {
        true => Err(asked.wrong(1, "a static layout, as operand 0 has multiples of basis vectors")),
        false => Ok(()),
    }
}
