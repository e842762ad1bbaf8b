//! Type inference by the layout algebra.

use tilewright_layouts::cute::{Composed, CuteError, Int, IntTuple, Layout, Nested};

use super::types::{
    AlgebraType, Pointer, View, apart_composed, apart_coord, apart_layout, apart_tiler, apart_tuple,
};

/// The inferred type of a result, or a message for the user that says why there is none.
pub type Inferred = Result<AlgebraType, String>;

/// The types of an op's operands, with distinct names for all unknowns; see [`operand_leaf`](super::operand_leaf).
#[derive(Debug)]
pub struct Operands {
    types: Vec<AlgebraType>,
}

fn no(what: &str) -> String {
    format!("the operand is {what}")
}

pub(super) fn failed(error: CuteError) -> String {
    format!("there is no such layout: {error}")
}

impl Operands {
    /// The types of an op's operands, in order.
    pub fn new(types: impl IntoIterator<Item = AlgebraType>) -> Option<Self> {
        let types = (0..).zip(types).map(|(i, ty)| apart(&ty, i));
        Some(Self {
            types: types.collect::<Option<_>>()?,
        })
    }

    fn get(&self, index: usize) -> Result<&AlgebraType, String> {
        self.types.get(index).ok_or_else(|| no("missing"))
    }

    /// Operand `index` as a plain layout.
    pub fn layout(&self, index: usize) -> Result<&Layout, String> {
        match self.get(index)? {
            AlgebraType::Layout(layout) => Ok(layout),
            _ => Err(no("no `cute.layout`")),
        }
    }

    /// Operand `index` as a layout, possibly composed; a tensor gives its own.
    pub fn function(&self, index: usize) -> Result<Composed, String> {
        match self.get(index)? {
            AlgebraType::Layout(layout) => Ok(Composed::from(layout.clone())),
            AlgebraType::ComposedLayout(layout) => Ok(layout.clone()),
            AlgebraType::Memref(view) => Ok(view.layout.clone()),
            _ => Err(no("neither a layout nor a tensor")),
        }
    }

    /// Operand `index` as a shape; a layout or a tensor gives its own.
    pub fn shape(&self, index: usize) -> Result<IntTuple, String> {
        match self.get(index)? {
            AlgebraType::Shape(shape) | AlgebraType::IntTuple(shape) => Ok(shape.clone()),
            _ => self.function(index).map(|layout| layout.shape()),
        }
    }

    /// Operand `index` as a tuple of integers.
    pub fn tuple(&self, index: usize) -> Result<&IntTuple, String> {
        match self.get(index)? {
            AlgebraType::IntTuple(tuple) | AlgebraType::Shape(tuple) | AlgebraType::Stride(tuple) => {
                Ok(tuple)
            }
            _ => Err(no("no tuple of integers")),
        }
    }

    /// Operand `index` as a coordinate.
    pub fn coord(&self, index: usize) -> Result<tilewright_layouts::cute::Coord, String> {
        match self.get(index)? {
            AlgebraType::Coord(coord) => Ok(coord.clone()),
            AlgebraType::IntTuple(tuple) => Ok(tuple.into()),
            _ => Err(no("no coordinate")),
        }
    }

    /// Operand `index` as a tiler; a shape or a layout is converted to one.
    pub fn tiler(&self, index: usize) -> Result<tilewright_layouts::cute::Tiler, String> {
        use tilewright_layouts::cute::Tiler;
        match self.get(index)? {
            AlgebraType::Tile(tiler) => Ok(tiler.clone()),
            AlgebraType::Layout(layout) => Ok(layout.clone().into()),
            AlgebraType::Shape(shape) => Tiler::from_shape(shape).map_err(failed),
            _ => Err(no("no tile")),
        }
    }

    /// Operand `index` as a pointer.
    pub fn pointer(&self, index: usize) -> Result<&Pointer, String> {
        match self.get(index)? {
            AlgebraType::Pointer(pointer) => Ok(pointer),
            _ => Err(no("no `cute.ptr`")),
        }
    }

    /// Operand `index` as a tensor.
    pub fn view(&self, index: usize) -> Result<&View, String> {
        match self.get(index)? {
            AlgebraType::Memref(view) => Ok(view),
            _ => Err(no("no `cute.memref`")),
        }
    }
}

/// The type with its unknowns renamed, so that they differ from those of other operands.
fn apart(ty: &AlgebraType, operand: u32) -> Option<AlgebraType> {
    Some(match ty {
        AlgebraType::IntTuple(tuple) => AlgebraType::IntTuple(apart_tuple(tuple, operand)),
        AlgebraType::Shape(tuple) => AlgebraType::Shape(apart_tuple(tuple, operand)),
        AlgebraType::Stride(tuple) => AlgebraType::Stride(apart_tuple(tuple, operand)),
        AlgebraType::Coord(coord) => AlgebraType::Coord(apart_coord(coord, operand)),
        AlgebraType::Tile(tiler) => AlgebraType::Tile(apart_tiler(tiler, operand)?),
        AlgebraType::Layout(layout) => AlgebraType::Layout(apart_layout(layout, operand)?),
        AlgebraType::ComposedLayout(layout) => AlgebraType::ComposedLayout(apart_composed(layout, operand)?),
        AlgebraType::Memref(view) => AlgebraType::Memref(View {
            pointer: view.pointer.clone(),
            layout: apart_composed(&view.layout, operand)?,
        }),
        AlgebraType::Pointer(_) | AlgebraType::Atom(_) => ty.clone(),
    })
}

/// The type of a layout: that of a composed layout only if there is a swizzle or an offset.
pub fn layout_type(layout: Composed) -> AlgebraType {
    match layout.as_plain() {
        Some(plain) => AlgebraType::Layout(plain.clone()),
        None => AlgebraType::ComposedLayout(layout),
    }
}

/// The index that a layout maps a coordinate to.
pub(super) fn index(layout: &Composed, coord: &tilewright_layouts::cute::Coord) -> Result<Int, String> {
    match layout.as_plain() {
        Some(plain) => plain.index(coord).map_err(failed),
        None => layout.index(coord).map_err(failed),
    }
}

/// Combines two tuples of the same nesting, leaf by leaf.
pub(super) fn leaf_by_leaf(
    lhs: &IntTuple,
    rhs: &IntTuple,
    op: &mut impl FnMut(&Int, &Int) -> Result<Int, CuteError>,
) -> Result<IntTuple, String> {
    match (lhs, rhs) {
        (Nested::Leaf(lhs), Nested::Leaf(rhs)) => op(lhs, rhs).map(Nested::Leaf).map_err(failed),
        (Nested::Tuple(left), Nested::Tuple(right)) if left.len() == right.len() => {
            let modes = left.iter().zip(right).map(|(l, r)| leaf_by_leaf(l, r, op));
            modes.collect::<Result<_, _>>().map(Nested::Tuple)
        }
        _ => Err(format!("`{lhs}` and `{rhs}` are not nested alike")),
    }
}
