//! What holds of the types of the open dialect beyond those of the library.

use tilewright_layouts::cute::{
    CoordOf, CuteError, Fact, LastOf, Leaf as _, Nested, Scaled, SlotOf, Stride as _, TilerOf, TypeLayout,
};

use super::types::Kind;
use super::view::ViewLayout;

/// The bits of an index that a swizzle may concern.
const INDEX_BITS: u32 = 32;

/// What is wrong with a type of the open dialect.
pub fn open_problem(kind: &Kind) -> Option<String> {
    match kind {
        Kind::Stride(stride) => strides(stride.leaves()),
        Kind::Layout(layout) => of_layout(layout),
        Kind::Tile(tiler) => of_tiler(tiler),
        Kind::Composed(ViewLayout::Plain(layout)) => of_layout(layout),
        Kind::Composed(ViewLayout::Composed(composed)) => {
            let last = match composed.last() {
                LastOf::Layout(layout) => of_layout(layout).or_else(|| {
                    let index = index_of_first(composed.layout()).ok()?;
                    fits(&index, composed.offset(), &layout.shape())
                }),
                LastOf::Swizzle(_) => None,
            };
            of_layout(composed.layout()).or(last)
        }
        Kind::Swizzle(swizzle) => {
            let reach = swizzle.bits() + swizzle.base() + swizzle.shift().unsigned_abs();
            (reach > INDEX_BITS)
                .then(|| format!("the swizzle reaches {reach} bits, and an index has {INDEX_BITS}"))
        }
        _ => None,
    }
}

fn of_layout(layout: &TypeLayout) -> Option<String> {
    strides(layout.stride().leaves())
}

fn of_tiler(tiler: &TilerOf<Fact>) -> Option<String> {
    match tiler {
        TilerOf::All => None,
        TilerOf::Layout(layout) => of_layout(layout),
        TilerOf::Modes(modes) => modes.iter().find_map(of_tiler),
    }
}

/// Strides are integers, or multiples of basis vectors of one space; 0 is either.
fn strides<'a>(strides: impl Iterator<Item = &'a Scaled<Fact>>) -> Option<String> {
    let strides: Vec<&Scaled<Fact>> = strides.collect();
    let ratio = strides.iter().find(|stride| stride.below().get() != 1);
    if let Some(stride) = ratio {
        return Some(format!(
            "the stride {stride} is not a whole multiple of a basis vector"
        ));
    }
    let along: Vec<&&Scaled<Fact>> = strides
        .iter()
        .filter(|stride| !stride.path().is_empty())
        .collect();
    let first = along.first()?;
    let other = strides
        .iter()
        .find(|stride| stride.path().is_empty() && !stride.factor().is(0));
    if let Some(other) = other {
        return Some(format!(
            "the strides {other} and {first} do not lead into one space"
        ));
    }
    // Paths name the innermost mode first.
    let inside = |outer: &Scaled<Fact>, inner: &Scaled<Fact>| {
        outer.path().len() < inner.path().len() && inner.path().ends_with(outer.path())
    };
    along.iter().find_map(|outer| {
        let inner = along.iter().find(|inner| inside(outer, inner))?;
        Some(format!(
            "the stride {outer} is along a mode in which {inner} is along another"
        ))
    })
}

fn index_of_first(layout: &TypeLayout) -> Result<Nested<Fact>, CuteError> {
    let origin: CoordOf<Fact> = Nested::Leaf(SlotOf::At(Fact::Static(0)));
    layout.index_of(&origin)
}

/// The index of an outer layout, moved by the offset, is a coordinate of the layout that is applied last.
fn fits(index: &Nested<Fact>, offset: &Nested<Fact>, shape: &Nested<Fact>) -> Option<String> {
    // What one of the two lacks is that of the other.
    let coord = match index.is_leaf() || !offset.is_leaf() && offset.rank() > index.rank() {
        true => offset,
        false => index,
    };
    match coord.is_leaf() || coord.weakly_congruent(shape) {
        true => None,
        false => Some(format!(
            "{coord} is not a coordinate of a layout of shape {shape}"
        )),
    }
}
